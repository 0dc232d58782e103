//! The protocol: the specification's examples, JSON as Python reads it, and arbitrary bytes.

use agon_core::{
    Asked, Client, Contest, Dialogue, Entry, Game, Joint, Remaining, Rng, Said, Seat, Seed, Setup, Terms, geometry::pt,
    judge,
};
use agon_lighthouses::{BotClient, Form, Map, Neutral, Order, Position, RefereeDialogue, Refusal, Rules};
use proptest::prelude::*;

/// The map of the specification's start message.
const EXAMPLE: &str = "#####\n#!!##\n#0 ##\n#! !#\n#####\n";
const CLOCK: Remaining = Remaining { turn: None, bank: None };

fn game(rules: Rules) -> Position {
    let terms = Terms { rules, seats: 1, limit: Some(100) };
    Position::from_map(Map::read(EXAMPLE.as_bytes()).unwrap(), &terms).map_err(|e| e.flaw).unwrap()
}

/// Makes a dialogue that waits for a decision.
fn asked(game: &Position, neutral: Neutral) -> RefereeDialogue {
    let mut speech = RefereeDialogue::new(neutral);
    speech.prompt(game.view(Seat::new(0)), CLOCK, &mut Vec::new());
    speech
}

fn hear(speech: &mut RefereeDialogue, game: &Position, line: &[u8]) -> (usize, Said, Vec<Order>) {
    let (mut orders, mut out) = (Vec::new(), Vec::new());
    let (used, said) = speech.hear(game.view(Seat::new(0)), CLOCK, line, false, &mut orders, &mut out);
    assert!(out.is_empty(), "nothing is said while listening");
    (used, said, orders)
}

fn order(line: &str) -> Order {
    let game = game(Rules::SPEC);
    let (used, said, orders) = hear(&mut asked(&game, Neutral::Null), &game, line.as_bytes());
    assert_eq!((used, said), (line.len(), Said::Decision), "{line}");
    orders[0]
}

#[test]
fn the_start_message_is_as_in_the_specification() {
    let game = game(Rules::SPEC);
    let mut out = Vec::new();
    assert_eq!(RefereeDialogue::new(Neutral::Null).greet(game.view(Seat::new(0)), CLOCK, &mut out), Said::More);
    let expected = "{\"player_num\": 0, \"player_count\": 1, \"position\": [1, 2], \"map\": [[0, 0, 0, 0, 0], \
                    [0, 1, 1, 1, 0], [0, 1, 1, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 0]], \
                    \"lighthouses\": [[1, 1], [3, 1], [1, 3], [2, 3]]}\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn the_state_message_has_the_engines_order_of_keys() {
    for (rules, neutral) in [(Rules::SPEC, "-1"), (Rules::ORIGINAL, "null")] {
        let game = game(rules);
        let mut out = Vec::new();
        game.dialogue(Seat::new(0), &[]).prompt(game.view(Seat::new(0)), CLOCK, &mut out);
        let light = |x: i32, y: i32| {
            format!(
                "{{\"position\": [{x}, {y}], \"owner\": {neutral}, \"energy\": 0, \"connections\": [], \"have_key\": false}}"
            )
        };
        let expected = format!(
            "{{\"position\": [1, 2], \"score\": 0, \"energy\": 13, \"view\": [[-1, -1, -1, 0, -1, -1, -1], \
             [-1, 0, 0, 0, 0, 0, -1], [-1, 0, 0, 13, 13, 12, -1], [0, 0, 0, 0, 13, 0, 0], \
             [-1, 0, 0, 14, 13, 0, -1], [-1, 0, 0, 0, 0, 0, -1], [-1, -1, -1, 0, -1, -1, -1]], \
             \"lighthouses\": [{}, {}, {}, {}]}}\n",
            light(1, 1),
            light(3, 1),
            light(1, 3),
            light(2, 3)
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}

#[test]
fn a_seat_may_have_its_own_word_for_nobody() {
    let game = game(Rules::SPEC);
    let mut out = Vec::new();
    let dialect = [("neutral".to_owned(), "null".to_owned())];
    game.dialogue(Seat::new(0), &dialect).prompt(game.view(Seat::new(0)), CLOCK, &mut out);
    assert!(String::from_utf8(out).unwrap().contains("\"owner\": null"));
}

#[test]
fn a_greeting_is_an_object_with_a_string_name() {
    let game = game(Rules::SPEC);
    let answer = |line: &str| hear(&mut RefereeDialogue::new(Neutral::Null), &game, line.as_bytes()).1;
    for line in ["{\"name\": \"TroloBot\"}\n", " {\"x\": 1, \"name\": \"\\ud800\"}\r\n", "\u{feff}{\"name\": \"\"}\n"] {
        assert_eq!(answer(line), Said::Ready, "{line}");
    }
    for line in ["\n", "{}\n", "{\"name\": 5}\n", "[\"name\"]\n", "{\"command\": \"pass\"}\n", "name\n"] {
        assert!(matches!(answer(line), Said::Nonsense(_)), "{line}");
    }
    assert_eq!(answer("{\"name\": \"TroloBot\"}"), Said::More, "not yet a line");
}

#[test]
fn commands_are_as_in_the_specification() {
    assert_eq!(order("{\"command\": \"pass\"}\n"), Order::Pass);
    assert_eq!(order("{\"command\": \"move\", \"x\": -1, \"y\": 1}\n"), Order::Move(-1, 1));
    assert_eq!(order("{\"command\": \"attack\", \"energy\": 80}\n"), Order::Attack(80));
    assert_eq!(order("{\"command\": \"connect\", \"destination\": [1, 1]}\n"), Order::Connect(pt(1, 1)));
}

#[test]
fn odd_commands_are_read_as_the_engine_does() {
    use Order::{Attack, Connect, Malformed, Move};
    let known = [
        (r#"{"y":false,"x":true,"command":"move"}"#, Move(1, 0)),
        (r#"{"command":"move","x":1.0,"y":-0.0}"#, Move(1, 0)),
        (r#"{"command":"move","x":1}"#, Malformed(Form::MoveWithoutDelta)),
        (r#"{"command":"move","x":2,"y":0}"#, Malformed(Form::DeltaTooFar)),
        (r#"{"command":"move","x":0.5,"y":0}"#, Malformed(Form::DeltaTooFar)),
        (r#"{"command":"move","x":NaN,"y":1e999}"#, Malformed(Form::DeltaTooFar)),
        (r#"{"command":"move","x":null,"y":"1"}"#, Malformed(Form::DeltaTooFar)),
        (r#"{"command":"move","x":1,"y":1,"x":0,"y":0}"#, Move(0, 0)),
        (r#"{"command":"attack","energy":true}"#, Attack(1)),
        (r#"{"command":"attack","energy":10.0}"#, Malformed(Form::AttackWithoutEnergy)),
        (r#"{"command":"attack"}"#, Malformed(Form::AttackWithoutEnergy)),
        (r#"{"command":"attack","energy":99999999999999999999}"#, Attack(i64::MAX)),
        (r#"{"command":"attack","energy":-99999999999999999999}"#, Attack(i64::MIN)),
        (r#"{"command":"connect"}"#, Malformed(Form::NoDestination)),
        (r#"{"command":"connect","destination":[5.0,true]}"#, Connect(pt(5, 1))),
        (r#"{"command":"connect","destination":[-7,1e9]}"#, Connect(pt(-7, 1_000_000_000))),
        (r#"{"command":"connect","destination":[1,1e300]}"#, Malformed(Form::NoSuchPlace)),
        (r#"{"command":"connect","destination":[1,99999999999]}"#, Malformed(Form::NoSuchPlace)),
        (r#"{"command":"connect","destination":[1]}"#, Malformed(Form::NoSuchPlace)),
        (r#"{"command":"connect","destination":["1","2"]}"#, Malformed(Form::NoSuchPlace)),
        (r#"{"command":"connect","destination":"ab"}"#, Malformed(Form::NoSuchPlace)),
        (r#"{"command":"connect","destination":{"x":[]}}"#, Malformed(Form::NoSuchPlace)),
        (r#"{"command":"connect","destination":[[1],2]}"#, Malformed(Form::NotAPair)),
        (r#"{"command":"connect","destination":[1,2,{}]}"#, Malformed(Form::NotAPair)),
        (r#"{"command":"connect","destination":null}"#, Malformed(Form::NotAPair)),
        (r#"{"command":"connect","destination":1.5}"#, Malformed(Form::NotAPair)),
        (r#"{"command":"Pass"}"#, Malformed(Form::UnknownCommand)),
        (r#"{"command":["pass"]}"#, Malformed(Form::UnknownCommand)),
    ];
    for (line, expected) in known {
        assert_eq!(order(&format!("{line}\n")), expected, "{line}");
    }
}

#[test]
fn lines_that_are_no_command_are_nonsense() {
    let game = game(Rules::SPEC);
    for line in ["\n", "[]\n", "5\n", "{}\n", "{\"Command\": \"pass\"}\n", "{\"command\": \"pass\"} x\n", "pass\n"] {
        let (_, said, orders) = hear(&mut asked(&game, Neutral::Null), &game, line.as_bytes());
        assert!(matches!(said, Said::Nonsense(_)) && orders.is_empty(), "{line}");
    }
    let long = vec![b' '; agon_lighthouses::LINE_LIMIT + 1];
    assert!(matches!(hear(&mut asked(&game, Neutral::Null), &game, &long).1, Said::Nonsense(_)));
}

#[test]
fn the_verdict_has_the_engines_words() {
    let game = game(Rules::SPEC);
    let verdict = |line: &str| {
        let mut speech = asked(&game, Neutral::Null);
        let orders = hear(&mut speech, &game, line.as_bytes()).2;
        let (_, refused) = judge(&game, Seat::new(0), &orders, None, &mut ());
        let mut out = Vec::new();
        speech.verdict(game.view(Seat::new(0)), refused.map_or(Ok(()), Err), &mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(verdict("{\"command\": \"pass\"}\n"), "{\"success\": true}\n");
    let refused = |words: &str| format!("{{\"success\": false, \"message\": \"{words}\"}}\n");
    assert_eq!(verdict("{\"command\":\"move\",\"x\":-1,\"y\":0}\n"), refused("Target pos is not in island"));
    assert_eq!(
        verdict("{\"command\":\"attack\",\"energy\":1}\n"),
        refused("Player must be located at target lighthouse")
    );
    assert_eq!(verdict("{\"command\":\"fly\"}\n"), refused("Invalid command 'fly'"));
    assert_eq!(verdict("{\"command\":null}\n"), refused("Invalid command None"));
    assert_eq!(verdict("{\"command\":\"a\\\"\\u00e9\\u0085\"}\n"), refused("Invalid command 'a\\\"\\u00e9\\\\x85'"));
    assert_eq!(verdict("{\"command\":{\"a\":[1.5,true]}}\n"), refused("Invalid command {'a': [1.5, True]}"));
}

/// Point L25: if a bot writes more than one line, the next line is its next answer.
#[test]
fn surplus_bytes_are_the_next_answer() {
    let game = game(Rules::SPEC);
    let mut speech = asked(&game, Neutral::Null);
    let both = b"{\"command\": \"pass\"}\n{\"command\": \"attack\", \"energy\": 3}\n";
    let (used, said, orders) = hear(&mut speech, &game, both);
    assert_eq!((used, said, orders), (20, Said::Decision, vec![Order::Pass]));
    speech.prompt(game.view(Seat::new(0)), CLOCK, &mut Vec::new());
    assert_eq!(hear(&mut speech, &game, &both[used..]).2, [Order::Attack(3)]);
}

#[test]
fn a_client_is_not_led_astray() {
    let wrong = [
        "{\"player_num\": 0, \"player_count\": 1, \"position\": [1, 1], \"map\": [[1]], \"lighthouses\": []}",
        "{\"player_num\": 3, \"player_count\": 1, \"position\": [0, 0], \"map\": [[1]], \"lighthouses\": []}",
        "{\"player_num\": 0, \"player_count\": 1, \"position\": [0, 0], \"map\": [[1], [1, 1]], \"lighthouses\": []}",
        "{\"player_num\": 0, \"player_count\": 1, \"position\": [0, 0], \"map\": [[1]], \"lighthouses\": [[4, 4]]}",
        "{\"position\": [1, 1]}",
        "hello",
    ];
    for line in wrong {
        let mut out = Vec::new();
        let (used, asked) = BotClient::new("x").read(format!("{line}\n").as_bytes(), &mut out);
        assert!(matches!(asked, Asked::Confused(_)) && out.is_empty() && used == line.len() + 1, "{line}");
    }
}

/// Specification "Turno": "siempre se dará el caso de que 'view' es una matriz cuadrada de dimensión impar".
#[test]
fn a_client_takes_a_view_of_any_odd_size() {
    let game = game(Rules::SPEC);
    let (mut ear, mut start) = (BotClient::new("x"), Vec::new());
    RefereeDialogue::new(Neutral::Null).greet(game.view(Seat::new(0)), CLOCK, &mut start);
    assert_eq!(ear.read(&start, &mut Vec::new()).1, Asked::Noted);
    let mut told = |width: usize, height: usize| {
        let row = |y: usize| format!("{:?}", (0..width).map(|x| 10 * y + x).collect::<Vec<_>>());
        let view: Vec<_> = (0..height).map(row).collect();
        let view = view.join(", ");
        let line =
            format!("{{\"position\": [1, 2], \"score\": 0, \"energy\": 0, \"view\": [{view}], \"lighthouses\": []}}\n");
        let asked = ear.read(line.as_bytes(), &mut Vec::new()).1;
        (asked == Asked::Decide).then(|| ear.view().near)
    };
    let rows = |near: [[i8; 7]; 7], x: usize| near.map(|row| row[x]);
    assert_eq!(rows(told(7, 7).unwrap(), 3), [3, 13, 23, 33, 43, 53, 63]);
    let larger = told(9, 9).unwrap();
    assert_eq!((rows(larger, 0), rows(larger, 3)), ([11, 21, 31, 41, 51, 61, 71], [14, 24, 34, 44, 54, 64, 74]));
    let smaller = told(3, 3).unwrap();
    assert_eq!((rows(smaller, 1), rows(smaller, 3)), ([-1; 7], [-1, -1, 1, 11, 21, -1, -1]));
    assert_eq!(rows(smaller, 5), [-1; 7]);
    assert_eq!(told(1, 1).unwrap()[3][3], 0);
    assert_eq!([told(6, 6), told(7, 5), told(0, 0)], [None; 3]);
}

#[test]
fn every_order_survives_the_client() {
    let game = game(Rules::SPEC);
    let forms = [
        Form::UnknownCommand,
        Form::MoveWithoutDelta,
        Form::DeltaTooFar,
        Form::AttackWithoutEnergy,
        Form::NoDestination,
        Form::NotAPair,
        Form::NoSuchPlace,
    ];
    let mut orders = vec![Order::Pass, Order::Move(-1, 1), Order::Attack(i64::MIN), Order::Connect(pt(-3, 70_000))];
    orders.extend(forms.map(Order::Malformed));
    for order in orders {
        let mut line = Vec::new();
        BotClient::new("x").write(&[order], &mut line);
        assert_eq!(hear(&mut asked(&game, Neutral::Null), &game, &line).2, [order], "{order:?}");
    }
}

/// Checks that the client accepts the answer to every refusal that a random player meets.
#[test]
fn a_whole_match_over_the_wire_with_refusals() {
    let map = Position::generate("island", Seed(5), 2).unwrap();
    let terms = Terms { rules: Rules::ORIGINAL, seats: 2, limit: Some(80) };
    let mut game = Position::from_map(map, &terms).unwrap();
    let mut lines: Vec<(RefereeDialogue, BotClient)> =
        (0..2).map(|_| (RefereeDialogue::new(Neutral::MinusOne), BotClient::new("é"))).collect();
    let mut rng = Rng::new(Seed(5));
    let mut refusals = std::collections::BTreeSet::new();
    for (i, (speech, ear)) in lines.iter_mut().enumerate() {
        let (mut message, mut answer) = (Vec::new(), Vec::new());
        speech.greet(game.view(Seat::new(i)), CLOCK, &mut message);
        assert_eq!(ear.read(&message, &mut answer), (message.len(), Asked::Noted));
        assert_eq!(answer, b"{\"name\": \"\\u00e9\"}\n");
        assert_eq!(hear(speech, &game, &answer).1, Said::Ready);
    }
    while !game.over() {
        let seat = game.awaiting().iter().next().unwrap();
        let (speech, ear) = &mut lines[seat.index()];
        let (mut message, mut answer, mut orders) = (Vec::new(), Vec::new(), Vec::new());
        speech.prompt(game.view(seat), CLOCK, &mut message);
        assert_eq!(ear.read(&message, &mut answer), (message.len(), Asked::Decide));
        assert_eq!(ear.view(), game.view(seat));
        game.sample(seat, &mut rng, &mut (), &mut orders);
        if rng.one_in(2) {
            let lights = game.board().lights();
            let far = *rng.pick(lights).unwrap();
            orders = vec![
                *rng.pick(&[Order::Connect(far), Order::Attack(-3), Order::Move(0, 1), Order::Move(1, 0)]).unwrap(),
            ];
        }
        ear.write(&orders, &mut answer);
        let heard = hear(speech, &game, &answer).2;
        assert_eq!(heard, orders);
        let (entry, refused) = judge(&game, seat, &heard, None, &mut ());
        game.resolve(Joint::new(&[entry]), &mut (), &mut ());
        if let Some(refused) = &refused {
            refusals.insert(refused.why.words());
        }
        let mut told = Vec::new();
        speech.verdict(game.view(seat), refused.map_or(Ok(()), Err), &mut told);
        assert_eq!(ear.read(&told, &mut Vec::new()), (told.len(), Asked::Noted));
    }
    assert!(refusals.len() >= 4 && refusals.contains(Refusal::NegativeStrength(0).words()), "{refusals:?}");
}

/// Reads bytes that come in these pieces.
fn heard_in_pieces(game: &Position, bytes: &[u8], pieces: &[usize]) -> (Vec<Order>, Vec<Said>, usize) {
    let mut speech = asked(game, Neutral::Null);
    let (mut orders, mut said) = (Vec::new(), Vec::new());
    let (mut used, mut shown) = (0, 0);
    let mut pieces = pieces.iter().cycle();
    loop {
        let (now, what) =
            speech.hear(game.view(Seat::new(0)), CLOCK, &bytes[used..shown], false, &mut orders, &mut Vec::new());
        used += now;
        match what {
            Said::More if shown == bytes.len() => return (orders, said, used),
            Said::More => shown = (shown + (*pieces.next().unwrap()).max(1)).min(bytes.len()),
            Said::Nonsense(_) => {
                said.push(what);
                return (orders, said, used);
            }
            Said::Decision | Said::Ready => {
                said.push(what);
                speech.prompt(game.view(Seat::new(0)), CLOCK, &mut Vec::new());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_heard_the_same_in_any_pieces(
        lines in prop::collection::vec(prop_oneof![
            Just(&b"{\"command\": \"pass\"}\n"[..]),
            Just(&b"{\"command\": \"move\", \"x\": 1, \"y\": \xc3\xa9}\n"[..]),
            Just(&b"\xef\xbb\xbf{\"command\": \"fly\"}\r\n"[..]),
            Just(&b"{\"command\": "[..]),
            Just(&b"[[[[{\"a\":\n"[..]),
        ], 0..5),
        noise in prop::collection::vec(any::<u8>(), 0..40),
        pieces in prop::collection::vec(1usize..9, 1..5),
    ) {
        let game = game(Rules::SPEC);
        let bytes: Vec<u8> = lines.concat().into_iter().chain(noise).collect();
        let whole = heard_in_pieces(&game, &bytes, &[bytes.len()]);
        prop_assert_eq!(&heard_in_pieces(&game, &bytes, &pieces), &whole);
        prop_assert_eq!(&heard_in_pieces(&game, &bytes, &[1]), &whole);
    }

    #[test]
    fn any_value_as_a_command_gets_an_answer_in_ascii(text in "[ -~éß\u{300}\u{2028}\u{10ffff}]{0,12}", deep in 0usize..990) {
        let game = game(Rules::SPEC);
        let quoted = format!("{:?}", text).replace("\\u{", "\\\\u{").replace("\\'", "'");
        let line = format!("{{\"command\": {}{quoted}{}}}\n", "[".repeat(deep), "]".repeat(deep));
        let mut speech = asked(&game, Neutral::Null);
        let (used, said, orders) = hear(&mut speech, &game, line.as_bytes());
        prop_assert_eq!(used, line.len());
        if said == Said::Decision {
            let (_, refused) = judge(&game, Seat::new(0), &orders, None, &mut ());
            let mut out = Vec::new();
            speech.verdict(game.view(Seat::new(0)), refused.map_or(Ok(()), Err), &mut out);
            let one_line = out.iter().position(|b| *b == b'\n') == Some(out.len() - 1);
            prop_assert!(out.is_ascii() && one_line, "not a line of ASCII");
        }
    }

    #[test]
    fn a_client_takes_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut ear = BotClient::new("x");
        let mut left = &bytes[..];
        loop {
            let (used, asked) = ear.read(left, &mut Vec::new());
            prop_assert!(used <= left.len());
            left = &left[used..];
            if asked == Asked::More || used == 0 {
                break;
            }
        }
    }

    #[test]
    fn a_map_is_read_or_refused_and_never_breaks(text in "[#! 01aX\n\r\t]{0,80}", seats in 0usize..4) {
        if let Ok(map) = Map::read(text.as_bytes()) {
            let terms = Terms { rules: Rules::SPEC, seats, limit: Some(3) };
            if let Ok(mut game) = Position::from_map(map.clone(), &terms) {
                prop_assert_eq!(Map::read(map.print().as_bytes()).unwrap(), map);
                while !game.over() {
                    resolve(&mut game, Order::Move(1, 1));
                }
            }
        }
    }

    #[test]
    fn a_refused_order_is_a_pass(numbers in prop::collection::vec((any::<i8>(), any::<i64>(), any::<i32>()), 1..30)) {
        let mut game = game(Rules::ORIGINAL);
        for (small, large, middle) in numbers {
            for order in [Order::Move(small, small), Order::Attack(large), Order::Connect(pt(middle, small.into()))] {
                if game.over() {
                    break;
                }
                let unlawful = game.check(Seat::new(0), &[order], &mut ()).is_err();
                let mut passed = game.clone();
                resolve(&mut passed, Order::Pass);
                resolve(&mut game, order);
                prop_assert!(!unlawful || game.fingerprint() == passed.fingerprint(), "{:?} did something", order);
            }
        }
    }
}

fn resolve(game: &mut Position, order: Order) {
    let entry = Entry { seat: Seat::new(0), orders: &[order], failure: None };
    game.resolve(Joint::new(&[entry]), &mut (), &mut ());
}
