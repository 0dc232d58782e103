//! Whatever the bytes of bots, map files and replays are, they are read or refused, without a panic.

use agon_core::{Asked, Client, Contest, Dialogue, Game, Remaining, Said, Seat, Seed, Setup, Terms, rules};
use agon_grid::{BotClient, Map, Order, Position, RefereeDialogue, Rules, Scratch, replay_text};
use proptest::prelude::*;

/// Bytes that are often close to the protocol.
fn nearly_orders() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&'static [u8]> = vec![
        b"C 0 1\n",
        b"C 1 0\r\n",
        b"C  03\t4 \n",
        b"C 99999999999999999999 1\n",
        b"C -1 0\n",
        b"C 1\n",
        b"S hello there, this is more than one piece\n",
        b"S \xff\n",
        b"S \xc5\xbc\xc3\xb3\xc5\x82w\n",
        b".\n",
        b".\r\n",
        b".",
        b"\n",
        b"C ",
        b"\x00",
    ];
    let piece = prop::sample::select(pieces).prop_map(<[u8]>::to_vec);
    prop::collection::vec(prop_oneof![6 => piece, 1 => any::<Vec<u8>>()], 0..12).prop_map(|pieces| pieces.concat())
}

/// Reads these bytes as the referee does, `chunk` bytes at a time. Returns all decisions and the last outcome.
fn read_all(rules: Rules, bytes: &[u8], chunk: usize) -> (Vec<Vec<Order>>, Said) {
    let map = Position::generate("10x10", Seed(0), 2).unwrap();
    let game = Position::resume(&map, rules, 0, 200);
    let view = game.view(Seat::new(0));
    let mut dialogue = RefereeDialogue::new(rules);
    let (mut inbox, mut decisions) = (Vec::new(), Vec::new());
    let mut chunks = bytes.chunks(chunk.max(1));
    let mut orders = Vec::new();
    let mut end = false;
    loop {
        let (used, said) = dialogue.hear(view, Remaining::default(), &inbox, end, &mut orders, &mut Vec::new());
        assert!(used <= inbox.len());
        inbox.drain(..used);
        match said {
            Said::Decision => decisions.push(std::mem::take(&mut orders)),
            Said::Nonsense(_) => return (decisions, said),
            Said::More | Said::Ready => {
                assert!(orders.is_empty(), "orders count when the turn is complete, not before (G18)");
                if end {
                    return (decisions, said);
                }
                match chunks.next() {
                    Some(chunk) => inbox.extend_from_slice(chunk),
                    None => end = true,
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn splitting_the_bytes_changes_nothing(bytes in nearly_orders(), chunk in 1usize..9, original: bool) {
        let rules = if original { Rules::ORIGINAL } else { Rules::SPEC };
        let whole = read_all(rules, &bytes, usize::MAX);
        prop_assert_eq!(&read_all(rules, &bytes, 1), &whole);
        prop_assert_eq!(&read_all(rules, &bytes, chunk), &whole);
    }

    #[test]
    fn whatever_is_heard_can_be_checked_and_written_again(bytes in nearly_orders()) {
        let map = Position::generate("10x10", Seed(0), 2).unwrap();
        let game = Position::resume(&map, Rules::ORIGINAL, 0, 200);
        for orders in read_all(Rules::ORIGINAL, &bytes, usize::MAX).0 {
            let _ = game.check(Seat::new(0), &orders, &mut Scratch::default());
            let mut out = Vec::new();
            BotClient::default().write(&orders, &mut out);
            let again = read_all(Rules::ORIGINAL, &out, usize::MAX).0;
            prop_assert_eq!(again, vec![orders]);
        }
    }

    #[test]
    fn a_client_survives_any_judge(bytes in prop_oneof![
        any::<Vec<u8>>(),
        "(Y [0-3]\n|E [0-9]{1,12}\n|[-12]{0,9}\n|\\.\n){0,20}".prop_map(String::into_bytes),
    ]) {
        let mut client = BotClient::default();
        let mut rest = &bytes[..];
        loop {
            let (used, asked) = client.read(rest, &mut Vec::new());
            rest = &rest[used..];
            match asked {
                Asked::Decide => { let _ = client.view(); }
                Asked::Noted => {}
                Asked::More | Asked::Quit | Asked::Confused(_) => break,
            }
        }
    }

    #[test]
    fn map_files_are_read_or_refused(text in prop_oneof![
        any::<Vec<u8>>(),
        "([-12]{1,6}\r?\n|#.{0,5}\n|\n|x){0,12}".prop_map(String::into_bytes),
    ]) {
        match Position::parse_map(&text) {
            Ok(map) => prop_assert_eq!(Position::parse_map(Position::print_map(&map).as_bytes()), Ok(map)),
            Err(flaw) => {
                let place = flaw.place.expect("a flaw of a map file has a place");
                let lines = text.split(|b| *b == b'\n').count() as u32;
                prop_assert!((1..=lines).contains(&place.line) && place.column >= 1);
            }
        }
    }

    #[test]
    fn replays_are_read_or_refused(
        lines in prop::collection::vec(
            prop::sample::select(vec!["W", "1-", "-2", "O 1", "O 2", "C 0 1", "S hi", "", ".", "x", "C 1", "1-2"]),
            0..24,
        ),
        bytes: Vec<u8>,
    ) {
        let _ = replay_text::read(&bytes);
        let text = lines.join("\n");
        if let Err(flaw) = replay_text::read(text.as_bytes()) {
            prop_assert!(flaw.place.expect("a place").line as usize <= lines.len() + 1);
        }
    }
}

#[test]
fn terms_that_cannot_be_played_are_refused() {
    let terms = |seats, limit| Terms { rules: rules::parse("spec").unwrap(), seats, limit };
    let start = |map: &str, terms: Terms<Rules>| {
        Position::from_map(Map::parse(map.as_bytes()).unwrap(), &terms).map_err(|f| f.flaw.what)
    };
    assert!(start("12", terms(2, Some(1))).is_ok());
    assert!(start("12", terms(3, None)).is_err());
    assert!(start("12", terms(2, Some(0))).is_err());
    assert!(start("1-", terms(2, None)).unwrap_err().contains("player 2"));
    assert!(Position::generate("10x10", Seed(1), 3).is_err());
}
