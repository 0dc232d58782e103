//! The text protocol, byte for byte, and how it treats arbitrary bytes.

use agon_core::{
    Asked, Contest, Dialogue, Game, Joint, Remaining, Said, Seat, Seed, Setup, Terms, geometry::pt, judge,
};
use agon_portals::{Order, Position, Rules, Scratch};
use proptest::prelude::*;

const MAP: &str = "0 0\n2 2\nX.X\n...\nX..\n";

fn game(map: &str) -> Position {
    let map = Position::parse_map(map.as_bytes()).unwrap();
    Position::from_map(map, &Terms { rules: Rules::SPEC, seats: 2, limit: None }).unwrap()
}

struct Table {
    game: Position,
    dialogue: Box<dyn Dialogue<Position>>,
}

impl Table {
    /// A dialogue after the greeting and the first prompt.
    fn new(map: &str) -> Self {
        let game = game(map);
        let mut dialogue = game.dialogue(Seat::new(0), &[]);
        let view = game.view(Seat::new(0));
        assert_eq!(dialogue.greet(view, Remaining::default(), &mut Vec::new()), Said::More);
        let heard = dialogue.hear(view, Remaining::default(), b"ready\n", false, &mut Vec::new(), &mut Vec::new());
        assert_eq!(heard, (6, Said::Ready));
        dialogue.prompt(view, Remaining::default(), &mut Vec::new());
        Self { game, dialogue }
    }

    fn hear(&mut self, input: &[u8], end: bool) -> (usize, Said, Vec<Order>, String) {
        let (mut orders, mut out) = (Vec::new(), Vec::new());
        let view = self.game.view(Seat::new(0));
        let (used, said) = self.dialogue.hear(view, Remaining::default(), input, end, &mut orders, &mut out);
        (used, said, orders, String::from_utf8(out).expect("answers are text"))
    }
}

#[test]
fn the_greeting_tells_the_terms_and_the_whole_state() {
    let game = game(MAP);
    let mut out = Vec::new();
    game.dialogue(Seat::new(1), &[]).greet(game.view(Seat::new(1)), Remaining::default(), &mut out);
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "agon portals 1\nme 1\nrules spec\nrounds 100\nside 3\nstart 0 0 0\nstart 1 2 2\nturn 1\n\
         agent 0 0 0 0 42 6\nagent 1 2 2 0 42 6\nportal 0 0 -1 0\nportal 0 2 -1 0\nportal 2 0 -1 0\ninit\n"
    );
}

#[test]
fn refused_actions_are_listed_also_those_that_the_bot_tells() {
    let mut table = Table::new(MAP);
    let input = b"refused 8 3 2 link 2 0\nrefused 1 9 0\ncapture\ncapture\ncapture\nmove 9 9\nend\n";
    let (_, said, orders, out) = table.hear(input, false);
    assert_eq!((said, &orders[..]), (Said::Decision, &[Order::Capture][..]));
    assert_eq!(out.lines().count(), 4, "a line about a refused action has no answer: {out}");
    let listed: Vec<_> = table.dialogue.refused().iter().map(|r| (r.after, r.order, r.code, r.times)).collect();
    let (link, away) = (Order::Link(pt(2, 0)), Order::Move(pt(9, 9)));
    let expected = [(2, Some(link), 8, 3), (0, None, 1, 9), (1, Some(Order::Capture), 5, 2), (1, Some(away), 3, 1)];
    assert_eq!(listed, expected);
    table.dialogue.prompt(table.game.view(Seat::new(0)), Remaining::default(), &mut Vec::new());
    assert!(table.dialogue.refused().is_empty(), "a new turn");
    for line in ["refused", "refused 0 1 0", "refused 12 1 0", "refused 300 1 0", "refused 1 -1 0", "refused 1 1 0 fly"]
    {
        let (used, said, ..) = Table::new(MAP).hear(format!("{line}\n").as_bytes(), false);
        assert!(used == 0 && matches!(said, Said::Nonsense(_)), "{line}: {said:?}");
    }
}

#[test]
fn a_whole_turn_may_come_at_once_and_every_line_is_answered_in_order() {
    let mut table = Table::new(MAP);
    let input = b"capture\nmove 2 0\ncapture\nlink 0 0\nlink 0 0\nundo\n? links\n? owner 2 0\nend\nmove 0 0\n";
    let (used, said, orders, out) = table.hear(input, false);
    assert_eq!(said, Said::Decision);
    assert_eq!(&input[used..], b"move 0 0\n", "what follows `end` is for the next turn");
    assert_eq!(
        out,
        "result 0 39 6 10\nresult 0 39 4 10\nresult 0 36 4 20\nresult 0 34 4 20\nresult 8 34 4 20\n\
         undone 1 36 4 20\n= 0\n= 0\n"
    );
    assert_eq!(orders, [Order::Capture, Order::Move(pt(2, 0)), Order::Capture]);
}

#[test]
fn the_turn_of_the_documentation() {
    let mut game = game(MAP);
    let (link, p) = (Order::Link(pt(0, 0)), pt(2, 0));
    let turns = [
        (0, vec![Order::Capture, Order::Move(p), Order::Capture, link]),
        (1, vec![Order::Move(p), Order::Neutralise, Order::Capture, Order::Shield]),
    ];
    let mut tmp = Scratch::default();
    for (seat, orders) in &turns {
        let (entry, refused) = judge(&game, Seat::new(*seat), orders, None, &mut tmp);
        assert!(refused.is_none());
        game.resolve(Joint::new(&[entry]), &mut tmp, &mut ());
    }
    let view = game.view(Seat::new(0));
    let mut dialogue = game.dialogue(Seat::new(0), &[]);
    let mut out = Vec::new();
    dialogue.prompt(view, Remaining::default(), &mut out);
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "turn 2\nagent 0 2 0 20 42 6\nagent 1 2 0 10 26 4\nportal 0 0 0 0\nportal 0 2 -1 0\nportal 2 0 1 1\n\
         captured 2 0\nneutralised 2 0\nnewshield 2 0\ngo\n"
    );
    let mut out = Vec::new();
    let input = b"move 0 2\ncapture\nlink 0 0\nlink 9 9\nundo\n? blocking 0 2 2 0\nend\n";
    let heard = dialogue.hear(view, Remaining::default(), input, false, &mut Vec::new(), &mut out);
    assert_eq!(heard, (input.len(), Said::Decision));
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "result 0 42 2 20\nresult 0 39 2 30\nresult 0 37 2 30\nresult 3 37 2 30\nundone 1 39 2 30\n= 0\n"
    );
}

#[test]
fn the_end_is_told_with_all_that_happened_since_the_last_turn() {
    let map = Position::parse_map(MAP.as_bytes()).unwrap();
    let terms = Terms { rules: Rules::SPEC, seats: 2, limit: Some(1) };
    let mut game = Position::from_map(map, &terms).unwrap();
    let seats = [Seat::new(0), Seat::new(1)];
    let mut dialogues = seats.map(|seat| game.dialogue(seat, &[]));
    let mut clients = seats.map(|_| Position::client("tester"));
    let mut tell = |seat: Seat, said: &[u8]| {
        let (client, mut rest) = (&mut clients[seat.index()], said);
        loop {
            let (used, asked) = client.read(rest, &mut Vec::new());
            rest = &rest[used..];
            match asked {
                Asked::Noted => {}
                Asked::More => return Asked::Noted,
                asked => return asked,
            }
        }
    };
    let mut tmp = Scratch::default();
    for seat in seats {
        let mut out = Vec::new();
        dialogues[seat.index()].greet(game.view(seat), Remaining::default(), &mut out);
        assert_eq!(tell(seat, &out), Asked::Noted);
    }
    let p = pt(2, 0);
    let turns =
        [vec![Order::Move(p), Order::Capture, Order::Shield], vec![Order::Move(p), Order::Neutralise, Order::Capture]];
    for (seat, orders) in seats.into_iter().zip(&turns) {
        let mut out = Vec::new();
        dialogues[seat.index()].prompt(game.view(seat), Remaining::default(), &mut out);
        assert_eq!(tell(seat, &out), Asked::Decide);
        let (entry, refused) = judge(&game, seat, orders, None, &mut tmp);
        assert!(refused.is_none());
        game.resolve(Joint::new(&[entry]), &mut tmp, &mut ());
    }
    // Both are told of the last turn, which was player 1's (A14).
    let expected = "turn 2\nagent 0 2 0 10 36 4\nagent 1 2 0 10 24 4\nportal 0 0 -1 0\nportal 0 2 -1 0\nportal 2 0 1 0\n\
                    captured 2 0\nneutralised 2 0\nover\n";
    for seat in seats {
        let mut out = Vec::new();
        dialogues[seat.index()].farewell(game.view(seat), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), expected);
        assert_eq!(tell(seat, &out), Asked::Quit);
    }
    for (seat, client) in seats.into_iter().zip(&clients) {
        assert_eq!(client.view(), game.view(seat));
    }
}

#[test]
fn every_function_of_the_original_is_answered_under_its_own_name() {
    let asked = [
        ("liste_liens", "= 3 0 0 0 2 0 0 0 2 0 0 0 2 2 0 0"),
        ("liste_champs", "= 1 0 0 0 2 2 0 0"),
        ("liste_portails", "= 3 0 0 0 2 2 0"),
        ("liens_bloquants 0 0 2 2", "= 1 0 2 2 0 0"),
        ("lien_existe 0 0 0 2", "= 1"),
        ("champ_existe 0 0 0 2 2 0", "= 1"),
        ("case_dans_champ 1 1", "= 0"),
        ("case_champs 1 1", "= 0"),
        ("portail_joueur 1 1", "= -2"),
        ("portail_boucliers 0 2", "= 1"),
        ("liens_incidents_portail 2 0", "= 2 0 0 2 0 0 0 2 2 0 0"),
        ("champs_incidents_portail 2 0", "= 1 0 0 0 2 2 0 0"),
        ("champs_incidents_segment 0 0 0 2", "= 1 0 0 0 2 2 0 0"),
        ("hist_portails_captures", "= 0"),
        ("hist_portails_neutralises", "= 0"),
        ("hist_liens_crees", "= 0"),
        ("hist_champs_crees", "= 0"),
        ("hist_boucliers_ajoutes", "= 0"),
        ("distance 0 0 5 -3", "= 8"),
        ("score_triangle 0 0 0 2 2 0", "= 4"),
        ("intersection_segments 0 0 2 2 0 2 2 0", "= 1"),
        ("point_dans_triangle 1 1 0 0 0 9 9 0", "= 1"),
        ("moi", "= 0"),
        ("adversaire", "= 1"),
        ("position_agent 1", "= 2 2"),
        ("points_action", "= 24"),
        ("points_deplacement", "= 0"),
        ("score 0", "= 30"),
        ("tour_actuel", "= 1"),
    ];
    let mut table = Table::new(MAP);
    let input = b"capturer\nutiliser_turbo\ndeplacer 2 0\ncapturer\nlier 0 0\nannuler\nneutraliser\najouter_bouclier\n";
    assert_eq!(
        table.hear(input, false).3,
        "result 0 39 6 10\nresult 0 33 7 10\nresult 0 33 5 10\nresult 0 30 5 20\nresult 0 28 5 20\n\
         undone 1 30 5 20\nresult 5 30 5 20\nresult 0 27 5 20\n"
    );
    let mut table = Table::new(MAP);
    let (_, said, ..) =
        table.hear(b"capture\nmove 2 0\ncapture\nlink 0 0\nmove 0 2\ncapture\nlink 0 0\nlink 2 0\nshield\n", false);
    assert_eq!(said, Said::More);
    for (question, expected) in asked {
        let (_, said, _, out) = table.hear(format!("? {question}\n").as_bytes(), false);
        assert_eq!(said, Said::More, "{question}");
        assert_eq!(out, format!("{expected}\n"), "{question}");
    }
}

#[test]
fn before_the_first_turn_actions_are_refused_and_questions_answered() {
    let game = game(MAP);
    let mut dialogue = game.dialogue(Seat::new(0), &[]);
    let view = game.view(Seat::new(0));
    dialogue.greet(view, Remaining::default(), &mut Vec::new());
    let mut out = Vec::new();
    let input = b"capture\nmove 0 1\nundo\n? round\nready\n";
    let heard = dialogue.hear(view, Remaining::default(), input, false, &mut Vec::new(), &mut out);
    assert_eq!(heard, (input.len(), Said::Ready));
    assert_eq!(out, b"result 1 42 6 0\nresult 4 42 6 0\nundone 0 42 6 0\n= 1\n");
}

#[test]
fn lines_outside_the_protocol_are_named() {
    for (line, why) in [
        ("fly 1 2", "no action of this name"),
        ("move 1", "a number is missing"),
        ("move 1 2 3", "more words than this line has"),
        ("move 1 two", "not a number of 32 bits"),
        ("move 1 99999999999", "not a number of 32 bits"),
        ("? score 2", "a player is 0 or 1"),
        ("? colour", "no question of this name"),
        ("?", "a question without a name"),
        ("ready", "`ready` within a turn: `end` ends it"),
    ] {
        let mut table = Table::new(MAP);
        let (used, said, ..) = table.hear(format!("capture\n{line}\nend\n").as_bytes(), false);
        let Said::Nonsense(nonsense) = said else { panic!("`{line}` is heard as {said:?}") };
        assert_eq!((used, &nonsense.line[..], &nonsense.why[..]), (8, line, why));
    }
    let mut table = Table::new(MAP);
    assert!(matches!(table.hear(&[b'x'; 300], false).1, Said::Nonsense(_)));
    let mut table = Table::new(MAP);
    assert!(matches!(table.hear(b"move \xff\n", false).1, Said::Nonsense(_)));
}

#[test]
fn the_4097th_action_is_nonsense() {
    let mut table = Table::new(MAP);
    let lines = "move 0 0\n".repeat(4096);
    assert_eq!(table.hear(lines.as_bytes(), false).1, Said::More);
    assert!(matches!(table.hear(b"move 0 0\n", false).1, Said::Nonsense(_)));
}

#[test]
fn questions_without_end_are_cut_off() {
    let mut table = Table::new(MAP);
    let lines = "? portals\n".repeat(50_000);
    let mut answered = 0;
    for _ in 0..100 {
        match table.hear(lines.as_bytes(), false) {
            (_, Said::More, _, out) => answered += out.len(),
            (_, Said::Nonsense(n), ..) => {
                assert_eq!(n.why, "too many questions in one turn");
                return;
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("{answered} bytes were answered");
}

#[test]
fn line_ends_and_a_missing_last_one_are_forgiven() {
    let mut table = Table::new(MAP);
    let (used, said, orders, _) = table.hear(b"  capture \r\n\r\n\tmove  1   0\r\nend", true);
    assert_eq!((used, said), (31, Said::Decision));
    assert_eq!(orders, [Order::Capture, Order::Move(pt(1, 0))]);
    assert_eq!(Table::new(MAP).hear(b"end", false).1, Said::More);
}

/// Lines that mostly belong to the protocol.
fn line() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec![
        "move",
        "link",
        "turbo",
        "capture",
        "neutralise",
        "shield",
        "undo",
        "end",
        "? links",
        "? fields",
        "? fields_over",
        "? blocking",
        "? in_field",
        "? new_fields",
        "? agent",
        "ready",
        "",
        "?",
        "xyzzy",
    ]);
    (names, prop::collection::vec(-3i32..12, 0..5)).prop_map(|(name, numbers)| {
        let mut line = name.to_owned();
        numbers.iter().for_each(|n| line.push_str(&format!(" {n}")));
        line + "\n"
    })
}

fn outcome(table: &mut Table, chunks: &[&[u8]]) -> (Vec<u8>, Said, Vec<Order>, String) {
    let (mut inbox, mut said, mut all) = (Vec::new(), Said::More, String::new());
    let mut orders = Vec::new();
    for (i, chunk) in chunks.iter().enumerate() {
        inbox.extend_from_slice(chunk);
        if said != Said::More {
            continue;
        }
        let (used, now, more, out) = table.hear(&inbox, i + 1 == chunks.len());
        inbox.drain(..used);
        orders.extend(more);
        all.push_str(&out);
        said = now;
    }
    (inbox, said, orders, all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn however_the_bytes_are_split_the_outcome_is_the_same(
        lines in prop::collection::vec(line(), 0..30),
        garbage in prop::option::of(prop::collection::vec(any::<u8>(), 0..20)),
        step in 1usize..9,
    ) {
        let map = "0 0\n9 9\nX..X......\n..........\n.X..X.....\n..........\n....X.....\n..........\n..........\n..........\n..........\nX........X\n";
        let mut bytes: Vec<u8> = lines.concat().into_bytes();
        bytes.extend(garbage.unwrap_or_default());
        let whole = outcome(&mut Table::new(map), &[&bytes]);
        let chunks: Vec<&[u8]> = bytes.chunks(step).collect();
        if !chunks.is_empty() {
            prop_assert_eq!(whole, outcome(&mut Table::new(map), &chunks));
        }
    }

    #[test]
    fn a_client_survives_any_bytes(
        lines in prop::collection::vec("(turn|agent|portal|link|captured|newlink|side|rounds|me|start|init|go|over|rules)( -?[0-9]{1,10}){0,6}\n", 0..40),
        garbage in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let bytes = [lines.concat().into_bytes(), garbage, b"\n".to_vec()].concat();
        let mut client = Position::client("tester");
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (used, _) = client.read(rest, &mut Vec::new());
            if used == 0 {
                break;
            }
            rest = &rest[used..];
        }
        let _ = client.view().fields();
    }

    #[test]
    fn map_files_never_panic_and_good_ones_survive(
        noise in prop::collection::vec(any::<u8>(), 0..200),
        rows in prop::collection::vec("[X.]{1,9}", 0..9),
        starts in prop::array::uniform4(-2i32..12),
    ) {
        let _ = Position::parse_map(&noise);
        let [a, b, c, d] = starts;
        let text = format!("{a} {b}\n{c} {d}\n{}\n", rows.join("\n"));
        if let Ok(map) = Position::parse_map(text.as_bytes()) {
            let printed = Position::print_map(&map);
            prop_assert_eq!(Position::parse_map(printed.as_bytes()).unwrap(), map);
        }
    }
}

#[test]
fn generated_maps_are_lawful_and_fair() {
    for kind in Position::INFO.map_kinds {
        let promised = match kind.name {
            "queens" => 52..=52,
            "scattered" => 10..=80,
            "crowded" => 300..=500,
            _ => 8..=900,
        };
        for seed in 0..400 {
            let map = Position::generate(kind.name, Seed(seed), 2).unwrap();
            let portals = map.portals.len();
            assert!(promised.contains(&portals), "{} {seed}: {portals} portals", kind.name);
            let turned = |p: agon_core::geometry::Point| pt(29 - p.x, 29 - p.y);
            assert_eq!(map.starts[1], turned(map.starts[0]));
            let mut other: Vec<_> = map.portals.iter().map(|p| turned(*p)).collect();
            other.sort();
            assert_eq!(other, map.portals, "a half-turn exchanges the seats");
            assert_eq!(Position::parse_map(Position::print_map(&map).as_bytes()).unwrap(), map);
        }
        assert!(Position::generate(kind.name, Seed(0), 3).is_err());
    }
    assert!(Position::generate("flat", Seed(0), 2).is_err());
}
