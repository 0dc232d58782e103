//! The original's replay formats: what is written can be read, recordings come back byte for byte, and the flaw of bad
//! input names its place.

use agon_core::{Contest, Game, Joint, Rng, Seed, Setup, Terms, judge};
use agon_portals::{Order, Participant, Position, Record, Rules, Scratch, binary, dump};
use proptest::prelude::*;

/// A short match of random play.
fn record(kind: &str, seed: u64, rounds: u32) -> Record {
    let generated = Position::generate(kind, Seed(seed), 2).unwrap();
    let map = Position::print_map(&generated);
    let terms = Terms { rules: Rules::ORIGINAL, seats: 2, limit: Some(rounds) };
    let mut game = Position::from_map(generated, &terms).unwrap();
    let (mut rng, mut tmp) = (Rng::new(Seed(seed)), Scratch::default());
    let mut turns = Vec::new();
    while let Some(seat) = game.awaiting().iter().next() {
        let mut orders = Vec::new();
        game.sample(seat, &mut rng, &mut tmp, &mut orders);
        let (entry, _) = judge(&game, seat, &orders, None, &mut tmp);
        game.resolve(Joint::new(&[entry]), &mut tmp, &mut ());
        turns.push(orders);
    }
    let players = [Participant::player(0, "left \"\\\u{1}é"), Participant::player(1, "")];
    Record { map, rounds, players, spectators: Vec::new(), turns }
}

#[test]
fn both_formats_bring_a_match_back() {
    for (kind, rounds) in [("queens", 20), ("crowded", 6)] {
        let record = record(kind, 4, rounds);
        let text = dump::write(&record, Rules::ORIGINAL).unwrap();
        assert_eq!(text.lines().count(), 2 * rounds as usize + 1);
        assert_eq!(dump::read(text.as_bytes(), Rules::ORIGINAL).unwrap(), record);
        let bytes = binary::write(&record, Rules::ORIGINAL).unwrap();
        assert_eq!(binary::read(&bytes, Rules::ORIGINAL).unwrap(), record);
    }
}

#[test]
fn a_dump_line_has_the_originals_spaces_and_escapes() {
    let map = "0 0\n1 1\nX.\n.X\n".to_owned();
    let players = [Participant::player(0, "A"), Participant::player(1, "B")];
    let turns = vec![vec![Order::Capture]];
    let record = Record { map, rounds: 1, players, spectators: Vec::new(), turns };
    let text = dump::write(&record, Rules::ORIGINAL).unwrap();
    assert_eq!(
        text.lines().last().unwrap(),
        r#"{"turn": [1, 1] , "players": {"0": {"name": "A", "x": 0, "y": 0, "score": 10}, "1": {"name": "B", "x": 1, "y": 1, "score": 0}}, "map": {"portals": [{"x": 0, "y": 0, "shields": 0, "owner": 0}, {"x": 1, "y": 1, "shields": 0, "owner": null}], "edges": [], "triangles": []}, "actions": "\u0002\u0000\u0000\u0000\u0000\u0000\u0000\u0000"}"#
    );
}

#[test]
fn a_dump_escapes_every_byte_of_a_name_that_is_not_printable_ascii() {
    let map = "0 0\n1 1\nX.\n.X\n".to_owned();
    let players = [Participant::player(0, "Zo\u{e9} \u{7f}~"), Participant::player(1, "\u{65e5}\u{672c}")];
    let record = Record { map, rounds: 1, players, spectators: Vec::new(), turns: Vec::new() };
    let text = dump::write(&record, Rules::ORIGINAL).unwrap();
    assert!(text.contains(r#""name": "Zo\u00C3\u00A9 \u007F~""#), "{text}");
    assert!(text.contains(r#""name": "\u00E6\u0097\u00A5\u00E6\u009C\u00AC""#), "{text}");
    assert_eq!(dump::read(text.as_bytes(), Rules::ORIGINAL).unwrap().players, record.players);
    // A text without escapes means the same.
    let escaped = r"\u00E6\u0097\u00A5\u00E6\u009C\u00AC";
    let plain = text.replace(r"\u00C3\u00A9", "\u{e9}").replace(escaped, "\u{65e5}\u{672c}");
    assert!(plain.contains("\"Zo\u{e9}") && plain.contains("\"\u{65e5}"));
    assert_eq!(dump::read(plain.as_bytes(), Rules::ORIGINAL).unwrap().players, record.players);
}

#[test]
fn a_dump_of_2015_without_its_start_line_can_be_read() {
    let record = record("queens", 9, 100);
    let text = dump::write(&record, Rules::ORIGINAL).unwrap();
    let (_, rest) = text.split_once('\n').unwrap();
    let read = dump::read(rest.as_bytes(), Rules::ORIGINAL).unwrap();
    assert_eq!(read.turns, record.turns);
    // The spectator that wrote it had received the end of the round before it wrote the line of player 1's turn.
    let next_round = |(i, line): (usize, &str)| {
        let round = i / 2 + 1;
        let later = round + i % 2;
        line.replacen(&format!("[{round}, 100]"), &format!("[{later}, 100]"), 1) + "\n"
    };
    let late: String = rest.lines().enumerate().map(next_round).collect();
    assert!(late.lines().last().unwrap().starts_with("{\"turn\": [101, 100]"));
    assert_eq!(dump::read(late.as_bytes(), Rules::ORIGINAL).unwrap().turns, record.turns);
    let start: String = late.lines().take(2).map(|line| format!("{line}\n")).collect();
    assert_eq!(dump::read(start.as_bytes(), Rules::ORIGINAL).unwrap().turns, record.turns[..2]);
}

#[test]
fn a_dump_without_actions_is_told_from_one_of_other_rules() {
    let text = dump::write(&record("queens", 9, 100), Rules::ORIGINAL).unwrap();
    let silent: String = text
        .lines()
        .skip(1)
        .map(|line| line.split_once("\"actions\": ").unwrap().0.to_owned() + "\"actions\": \"\"}\n")
        .collect();
    let flaw = dump::read(silent.as_bytes(), Rules::ORIGINAL).unwrap_err();
    assert!(flaw.what.contains("has no actions"), "{}", flaw.what);
}

#[test]
fn a_match_of_other_rules_is_refused() {
    let record = record("queens", 5, 30);
    let text = dump::write(&record, Rules::ORIGINAL).unwrap();
    let bytes = binary::write(&record, Rules::ORIGINAL).unwrap();
    let shielded = |a: &Order| *a == Order::Shield;
    assert!(record.turns.iter().flatten().filter(|a| shielded(a)).count() > 5, "the match tells the rules apart");
    // Every action is lawful under flat shields too: only the points that are left differ, which the formats do not
    // hold.
    assert!(dump::read(text.as_bytes(), Rules::SPEC).is_ok());
    let mut turns = record.turns.clone();
    turns[0] = [vec![Order::Turbo; 8], turns[0].clone()].concat();
    assert!(dump::write(&Record { turns, ..record.clone() }, Rules::ORIGINAL).is_err());
    let longer = [record.turns.clone(), vec![Vec::new()]].concat();
    assert!(binary::write(&Record { turns: longer, ..record }, Rules::ORIGINAL).is_err());
    let mut forged = bytes;
    let last = forged.len() - "B".len() - 5;
    forged[last] ^= 1;
    assert!(binary::read(&forged, Rules::ORIGINAL).is_err());
}

#[test]
fn flaws_of_a_dump_have_their_line() {
    let text = dump::write(&record("queens", 6, 3), Rules::ORIGINAL).unwrap();
    let line = |text: &str| dump::read(text.as_bytes(), Rules::ORIGINAL).unwrap_err().place.expect("a place").line;
    assert_eq!(line(""), 1);
    assert_eq!(line("{}\n"), 1);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.remove(3);
    assert_eq!(line(&lines.join("\n")), 4);
    let scored: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(i, l)| match i {
            2 => l.replacen("\"score\": ", "\"score\": 7", 1),
            _ => l.to_owned(),
        })
        .collect();
    assert_eq!(line(&scored.join("\n")), 3);
    assert_eq!(line(&text.replacen("\"x\": ", "\"x\": 9999", 1)), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn damaged_bytes_never_panic(
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        let record = record("scattered", 2, 2);
        let mut bytes = binary::write(&record, Rules::ORIGINAL).unwrap();
        let mut text = dump::write(&record, Rules::ORIGINAL).unwrap().into_bytes();
        let _ = binary::read(&bytes[..cut.index(bytes.len())], Rules::ORIGINAL);
        let _ = dump::read(&text[..cut.index(text.len())], Rules::ORIGINAL);
        let i = at.index(bytes.len());
        bytes[i] = byte;
        let _ = binary::read(&bytes, Rules::ORIGINAL);
        let i = at.index(text.len());
        text[i] = byte;
        let _ = dump::read(&text, Rules::ORIGINAL);
        let _ = binary::read(&noise, Rules::ORIGINAL);
        let _ = dump::read(&noise, Rules::ORIGINAL);
    }
}
