//! What a person can do alone: play, take back, branch, edit, save and load.

use crate::desk::Desk;
use agon_core::Seat;
use agon_referee::MatchEvent;
use agon_spec::{ConsoleSeatState, ConsoleText};

#[test]
fn a_turn_is_played_taken_back_and_played_again() {
    let mut desk = Desk::open("triangles", 1, &["human", "random"]);
    let start = desk.console.position().fingerprint();
    let orders = desk.decision(Seat::new(0), 3);
    let played = desk.done(&format!("play 1 {orders}"));
    assert_eq!((played.ply, played.turns.len()), (1, 1));
    let undone = desk.done("undo");
    assert_eq!((undone.ply, undone.fingerprint), (0, start));
    let redone = desk.done("redo");
    assert_eq!((redone.ply, redone.fingerprint, redone.turns.len()), (1, played.fingerprint, 1));
    assert_eq!(desk.refused("redo"), "there is nothing to play again");
    let events: Vec<&str> = desk
        .events
        .iter()
        .map(|event| match event {
            MatchEvent::Ply(_) => "ply",
            MatchEvent::Rewound { .. } => "rewound",
            _ => "other",
        })
        .collect();
    assert_eq!(events, ["ply", "rewound", "ply"]);
    desk.check();
}

#[test]
fn an_undo_leads_over_bots_to_the_decision_of_a_person() {
    let mut desk = Desk::open("triangles", 1, &["human", "@random"]);
    let orders = desk.decision(Seat::new(0), 3);
    desk.done(&format!("play 1 {orders}"));
    let bot = desk.done("go");
    assert_eq!((bot.ply, bot.undo, bot.redo, bot.awaiting), (2, 2, 0, vec![Seat::new(0)]));
    desk.done("bot 2 human");
    assert_eq!(desk.done("undo person").ply, 1, "the other person decides there");
    desk.done("bot 2 @random");
    let first = desk.done("undo person");
    assert_eq!((first.ply, first.undo, first.redo), (0, 0, 2));
    assert_eq!(desk.refused("undo person"), "there is no decision of a person to take back");
    let again = desk.done("redo person");
    assert_eq!((again.ply, again.fingerprint), (2, bot.fingerprint));
    let replay = desk.done("show replay").replay.expect("a replay");
    assert_eq!(replay.matches("\"rewound\"").count(), 2, "{replay}");
    desk.check();
}

#[test]
fn another_decision_begins_a_branch_and_the_same_one_does_not() {
    let mut desk = Desk::open("grid", 1, &["human", "human"]);
    assert_eq!(desk.done("play 1 []").turns.len(), 0);
    let first = desk.done("play 2 []");
    assert_eq!((first.turns.len(), first.branch), (1, 1));
    desk.done("undo");
    desk.done("play 2 []");
    assert_eq!(desk.done("play 1 []").branch, 1, "the same turn is the same branch");
    desk.done("undo");
    let other = desk.decision(Seat::new(0), 0);
    desk.done(&format!("play 1 {other}"));
    let second = desk.done("play 2 []");
    assert_eq!((second.branch, second.ply), (2, 1));
    let branches = desk.done("branch").branches;
    assert_eq!(branches.iter().map(|branch| (branch.ply, branch.current)).collect::<Vec<_>>(), [(1, false), (1, true)]);
    assert_eq!(desk.done("branch 1").fingerprint, first.fingerprint);
    desk.done("undo");
    assert_eq!(desk.done("redo").fingerprint, first.fingerprint, "a redo follows the branch");
    assert_eq!(desk.refused("branch 3"), "there is no branch 3");
    desk.check();
}

#[test]
fn a_decision_of_the_first_turn_is_taken_back() {
    let mut desk = Desk::open("planet-wars", 1, &["human", "human"]);
    assert_eq!(desk.refused("undo"), "there is nothing to take back");
    desk.done("play 1 []");
    desk.done("undo");
    assert_eq!(desk.refused("undo"), "there is nothing to take back");
    desk.done("play 2 []");
    assert_eq!(desk.done("status").ply, 0, "seat 1 has to decide again");
    assert_eq!(desk.done("play 1 []").ply, 1);
    desk.check();
    // What a bot has decided is no decision of a person.
    let mut desk = Desk::open("planet-wars", 1, &["@random", "hangs"]);
    desk.say("go --wait 1ms");
    assert_eq!(desk.refused("undo person"), "there is no decision of a person to take back");
    desk.done("undo");
}

#[test]
fn refusals_change_nothing_and_say_why() {
    let mut desk = Desk::open("triangles", 1, &["human", "@random"]);
    let before = desk.done("status");
    assert_eq!(desk.refused("play 2 [[1,2]]"), "it is not the turn of seat 2");
    assert_eq!(desk.refused("play 3 [[1,2]]"), "there is no seat 3");
    assert!(desk.refused("play 1 [[1,1]]").contains("unlawful"));
    assert!(desk.refused("play 1 nonsense").starts_with("the orders cannot be read"));
    assert_eq!(desk.refused("go"), "seat 1 awaits the decision of a person");
    assert_eq!(desk.refused("undo"), "there is nothing to take back");
    assert_eq!(desk.refused("ask 1"), "seat 1 is a person's");
    assert_eq!(desk.refused("raw 2 name"), "seat 2 has no program");
    let unknown = desk.say("bot 2 @nobody").error.expect("an error");
    assert!(unknown.text.contains("has no built-in bot `@nobody`"), "{}", unknown.text);
    assert!(unknown.hint.is_some_and(|hint| hint.contains("@random")));
    assert_eq!(desk.refused("load nothing.map"), "there is no file `nothing.map`");
    let after = desk.done("status");
    assert_eq!((after.fingerprint, &after.seats), (before.fingerprint, &before.seats));
    assert!(desk.events.is_empty());
}

#[test]
fn a_map_is_edited_and_a_flaw_leaves_the_position() {
    let mut desk = Desk::open("planet-wars", 1, &["human", "human"]);
    desk.done("play 1 []");
    let before = desk.done("play 2 []");
    let map = desk.done("show map").map.expect("a map");
    let wrong = desk.say("edit set 1 P 0 0 9 1 1");
    let error = wrong.error.expect("an error");
    assert_eq!((error.text_of, error.line), (ConsoleText::Map, Some(1)), "{error:?}");
    assert_eq!(wrong.fingerprint, before.fingerprint);
    let line = map.lines().next().expect("a planet").replace(" 0 33 ", " 0 1 ");
    let edited = desk.done(&format!("edit set 1 {line}"));
    assert_eq!(edited.ply, 0);
    assert_ne!(edited.fingerprint, before.fingerprint);
    let undone = desk.done("undo");
    assert_eq!((undone.ply, undone.fingerprint), (1, before.fingerprint), "an edit is taken back like a turn");
    assert_eq!(desk.done("redo").fingerprint, edited.fingerprint);
    desk.check();
}

#[test]
fn a_position_is_saved_as_a_map_and_loaded_again() {
    let mut desk = Desk::open("triangles", 2, &["human", "@random"]);
    let orders = desk.decision(Seat::new(0), 0);
    let played = desk.done(&format!("play 1 {orders}"));
    let saved = desk.done("save map here.map");
    assert!(saved.left_out.is_empty(), "{:?}", saved.left_out);
    desk.done("undo");
    assert_eq!(desk.done("load here.map").fingerprint, played.fingerprint);
    let mut desk = Desk::open("planet-wars", 2, &["@random", "@random"]);
    desk.done("go 5");
    assert_eq!(desk.done("save map here.map").left_out, ["turn: 6"]);
    assert_eq!(desk.done("show map").left_out, ["turn: 6"]);
}

#[test]
fn people_take_seats_and_leave_them() {
    let mut desk = Desk::open("triangles", 1, &["@random", "@random"]);
    assert_eq!(desk.answers.len(), 0);
    assert_eq!(desk.done("status").seats.iter().map(|seat| &*seat.name).collect::<Vec<_>>(), ["@random", "@random#2"]);
    assert_eq!(desk.done("go 4").ply, 4);
    assert_eq!(desk.done("bot 1 human").seats[0].state, ConsoleSeatState::Human);
    assert!(desk.refused("go").contains("person"));
    desk.done("bot 1 @greedy");
    let end = desk.done("go 1000");
    assert!(end.over && end.awaiting.is_empty());
    assert_eq!(desk.refused("go"), "the match has ended");
    desk.check();
}

#[test]
fn bots_are_told_lines_that_begin_with_the_words_of_their_protocol() {
    for game in agon_games::all().iter().filter(|game| !game.info().protocol_words.is_empty()) {
        let words = game.info().protocol_words;
        let mut desk = Desk::open(game.name(), 1, &["random", "random"]);
        desk.done("go 8");
        desk.done("undo 3");
        desk.done("go 2");
        desk.done("quit");
        let lines: Vec<&str> = desk.told.iter().flat_map(|(_, text)| text.lines()).collect();
        let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
        for line in &lines {
            // The rows of the map of Grid are no words.
            assert!(game.name() == "grid" || words.contains(&first(line).as_str()), "{}: {line}", game.name());
        }
        let told = words.iter().filter(|word| lines.iter().any(|line| first(line) == **word)).count();
        assert!(told >= words.len().min(3), "{}: {told} of {words:?}", game.name());
    }
}

#[test]
fn bots_of_triangles_know_the_words_of_their_protocol() {
    let mut desk = Desk::open("triangles", 1, &["random", "human"]);
    for word in desk.game.info().protocol_words {
        let answer = desk.done(&format!("raw 1 known_command {word}")).answer.expect("an answer");
        assert_eq!(answer.text.as_deref(), Some("= true\n\n"), "{word}");
    }
}

#[test]
fn a_map_with_too_many_ships_is_a_flaw_of_the_map() {
    let mut desk = Desk::open("planet-wars", 1, &["@random", "@random"]);
    desk.done("go 9");
    let map = desk.console.position().map();
    let (at, planet) = map.lines().enumerate().find(|(_, line)| line.starts_with('P')).expect("a planet");
    let place: Vec<&str> = planet.split_whitespace().take(3).collect();
    let edit = format!("edit set {} {} 1 2000000000 10000000", at + 1, place.join(" "));
    let error = desk.say(&edit).error.expect("an error");
    assert_eq!((error.text_of, error.item), (ConsoleText::Map, None), "{}", error.text);
    // The turns that are over do not count.
    assert!(
        error.text.ends_with(&format!("ships after {} turns", desk.spec.limit.unwrap_or(200) - 9)),
        "{}",
        error.text
    );
    assert!(error.hint.is_some_and(|hint| hint.contains("use fewer ships, less growth")));
}

#[test]
fn a_wrong_order_is_told_with_one_that_is_lawful_in_the_game() {
    for game in agon_games::all() {
        let seats = vec!["human"; game.info().default_seats];
        let mut desk = Desk::open(game.name(), 4, &seats);
        let seat = desk.console.position().awaiting().iter().next().expect("somebody decides");
        for wrong in ["no order", "[{}]", "[[-1,-1,-1]]"] {
            let error = desk.say(&format!("play {seat} {wrong}")).error.unwrap_or_else(|| panic!("{wrong} is refused"));
            let hint = error.hint.unwrap_or_else(|| panic!("{}: {wrong}", game.name()));
            let example = hint.strip_prefix('`').and_then(|hint| hint.split_once('`')).map(|(command, _)| command);
            // It is carried out as it stands.
            desk.done(example.unwrap_or_else(|| panic!("no command in: {hint}")));
            desk.done("undo");
        }
    }
}

#[test]
fn help_lists_every_command_and_exit_ends_the_session() {
    let mut desk = Desk::open("triangles", 4, &["human", "human"]);
    let help = desk.done("help").help;
    assert_eq!(help.len(), agon_console::WORDS.len());
    assert!(help.contains(&"undo [N|person]: takes turns and edits back".to_owned()), "{help:?}");
    desk.done("exit");
}
