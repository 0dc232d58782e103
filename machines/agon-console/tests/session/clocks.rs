//! Clocks: when they run, what they are charged, and what happens when the time of a seat is up.

use crate::desk::Desk;
use agon_core::{Failure, Seat};
use agon_referee::{Decision, Fault, JsonList, MatchEvent};
use agon_spec::{ConsoleClock, ConsoleDocument};
use std::time::Duration;

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Returns what is left on each clock in milliseconds, and whether it runs.
fn clocks(document: &ConsoleDocument) -> Vec<(u64, bool)> {
    let clock = |clock: ConsoleClock| (clock.left_us.expect("a limit") / 1000, clock.runs);
    document.seats.iter().map(|seat| clock(seat.clock.expect("a clock"))).collect()
}

/// Returns the failures of the last turn that was played.
fn failures(desk: &Desk) -> Vec<(u8, Option<Failure>)> {
    let turn =
        desk.events.iter().rev().find_map(|event| if let MatchEvent::Ply(turn) = event { Some(turn) } else { None });
    turn.expect("a turn").entries.iter().map(|entry| (entry.seat.number(), entry.failure)).collect()
}

/// Plays any lawful decision of the seat that decides.
fn play(desk: &mut Desk) -> ConsoleDocument {
    let seat = desk.console.position().awaiting().iter().next().expect("somebody decides");
    let orders = desk.decision(seat, 1);
    desk.done(&format!("play {seat} {orders}"))
}

#[test]
fn people_pay_from_the_first_decision_on_and_undo_gives_it_back() {
    let mut desk = Desk::timed("triangles", &["human", "human"], "bank=10s,increment=1s,policy=wall");
    /// What somebody does: a command, `play`, or seconds that pass.
    enum Act {
        Say(&'static str),
        Play,
        Pass(u64),
    }
    use Act::{Pass, Play, Say};
    for (step, (act, expected)) in [
        (Pass(60), [(10_000, false), (10_000, false)]),
        // The clocks stand until somebody plays, so this decision costs nothing, and adds nothing.
        (Play, [(10_000, false), (10_000, true)]),
        (Pass(3), [(10_000, false), (7_000, true)]),
        (Play, [(10_000, true), (8_000, false)]),
        (Pass(4), [(6_000, true), (8_000, false)]),
        (Say("show"), [(6_000, true), (8_000, false)]),
        (Play, [(7_000, false), (8_000, true)]),
        (Pass(1), [(7_000, false), (7_000, true)]),
        (Say("undo"), [(10_000, false), (8_000, false)]),
        (Pass(60), [(10_000, false), (8_000, false)]),
        (Say("redo"), [(7_000, false), (8_000, false)]),
        (Say("undo 2"), [(10_000, false), (10_000, false)]),
        (Say("branch 1"), [(7_000, false), (8_000, false)]),
        (Say("clock start"), [(7_000, false), (8_000, true)]),
        (Pass(2), [(7_000, false), (6_000, true)]),
        (Say("clock stop"), [(7_000, false), (6_000, false)]),
        (Pass(60), [(7_000, false), (6_000, false)]),
        (Say("clock start"), [(7_000, false), (6_000, true)]),
        (Pass(1), [(7_000, false), (5_000, true)]),
        (Play, [(7_000, true), (6_000, false)]),
        // What ran before the stop is paid, and nothing is added.
        (Pass(3), [(4_000, true), (6_000, false)]),
        (Say("clock stop"), [(4_000, false), (6_000, false)]),
        (Pass(60), [(4_000, false), (6_000, false)]),
        (Play, [(4_000, false), (6_000, true)]),
        (Pass(1), [(4_000, false), (5_000, true)]),
        (Play, [(4_000, true), (6_000, false)]),
        (Say("edit state {}"), [(4_000, false), (6_000, false)]),
    ]
    .into_iter()
    .enumerate()
    {
        match act {
            Say(line) => drop(desk.say(line)),
            Play => drop(play(&mut desk)),
            Pass(seconds) => desk.pass(s(seconds)),
        }
        assert_eq!(clocks(&desk.console.status()), expected, "step {step}");
    }
    desk.check();
}

#[test]
fn a_late_seat_fails_as_in_a_match_in_every_game() {
    for game in agon_games::all() {
        let mut desk = Desk::timed(game.name(), &["human", "human"], "move=2s,policy=wall");
        desk.done("clock start");
        desk.pass(Duration::from_millis(1999));
        assert_eq!(desk.console.status().ply, 0, "{}", game.name());
        let mut position = game.position(&desk.spec).expect("the start");
        let failed = |seat: Seat| Decision { seat, orders: JsonList::default(), failure: Some(Failure::Late) };
        let decisions: Vec<Decision> = position.board().awaiting().iter().map(failed).collect();
        position.apply(&decisions).expect("a turn");
        for round in 0..2 {
            desk.pass(if round == 0 { Duration::from_millis(1) } else { s(2) });
            assert_eq!(desk.console.position().fingerprint(), position.board().fingerprint(), "{}", game.name());
            let late: Vec<_> = decisions.iter().map(|one| (one.seat.number(), Some(Failure::Late))).collect();
            assert_eq!(failures(&desk), late, "{}", game.name());
            // The same seat may fail again after an undo, and the replay has both.
            desk.check();
            let ended: Vec<u32> = desk.answers.iter().flat_map(|answer| &answer.turns).map(|turn| turn.ply).collect();
            assert_eq!(ended, vec![1; round + 1], "{}: the next answer tells of it, once", game.name());
            desk.done("undo");
            assert!(!desk.console.position().over(), "{}", game.name());
            desk.done("clock start");
        }
        let faults = desk.events.iter().filter(|event| matches!(event, MatchEvent::Fault(_))).count();
        assert_eq!(faults, 2 * decisions.len(), "{}", game.name());
        desk.check();
        desk.done("redo");
        desk.check();
    }
}

#[test]
fn of_two_bots_only_the_late_one_fails() {
    for game in ["planet-wars", "grid"] {
        let mut desk = Desk::timed(game, &["hangs", "random"], "move=1s,policy=wall");
        let played = desk.done("go");
        assert_eq!(desk.now, s(1), "{game}: nobody is late before that");
        assert_eq!(failures(&desk), [(1, Some(Failure::Late)), (2, None)], "{game}");
        assert_eq!((played.turns.len(), played.over), (1, true), "{game}");
        let entry = &played.turns[0].entries[0];
        assert_eq!((entry.wall_us, entry.orders.is_empty()), (1_000_000, true), "{game}");
        desk.check();
        // A program that was late is started anew when it is next asked.
        let starts = desk.starts;
        desk.done("undo");
        desk.done("bot 1 random");
        desk.done("go");
        assert_eq!((desk.starts, failures(&desk)), (starts + 1, vec![(1, None), (2, None)]), "{game}");
        desk.check();
    }
}

#[test]
fn orders_of_a_late_program_are_judged_and_kept() {
    let mut desk = Desk::timed("planet-wars", &["hangs", "random"], "move=1s,policy=wall");
    desk.say("go --wait 1ms");
    desk.write(0, b"0 1 1\n99");
    desk.pass(s(1));
    let Some(MatchEvent::Ply(turn)) = desk.events.last() else { panic!("{:?}", desk.events.last()) };
    assert_eq!(turn.entries[0].orders.len(), 1, "{turn:?}");
    let fault =
        desk.events.iter().find_map(|event| if let MatchEvent::Fault(fault) = event { Some(fault) } else { None });
    let Some(Fault::Late { limit_us, heard, .. }) = fault.map(|fault| fault.fault.clone()) else { panic!("{fault:?}") };
    assert_eq!((limit_us, heard), (1_000_000, 2));
    desk.check();
}

#[test]
fn a_program_pays_only_while_it_decides() {
    let mut desk = Desk::timed("triangles", &["hangs", "human"], "bank=10s,policy=wall");
    let left = |desk: &Desk| clocks(&desk.console.status())[0];
    desk.say("go --wait 1ms");
    desk.pass(s(5));
    assert_eq!(left(&desk), (10_000, false), "it is greeted");
    desk.write(0, b"=\n\n");
    desk.say("go --wait 1ms");
    assert!(desk.told.last().is_some_and(|(_, text)| text.starts_with("set_points")), "{:?}", desk.told);
    desk.pass(s(9));
    assert_eq!(left(&desk), (10_000, false), "its board is set up");
    desk.write(0, b"=\n\n");
    assert!(desk.told.last().is_some_and(|(_, text)| text.starts_with("time_left 10000")), "{:?}", desk.told);
    desk.pass(s(2));
    assert_eq!(left(&desk), (8_000, true));
    desk.write(0, b"=\n\n");
    let orders = desk.console.legal(Seat::new(0))[0].replace(['[', ']'], "").replace(',', " ");
    desk.pass(s(1));
    // The world was busy: it hears of the answer two seconds after it has come.
    desk.now += s(3);
    let came = desk.now - s(2);
    desk.write_at(came, 0, format!("= {orders}\n\n").as_bytes());
    assert_eq!(left(&desk), (6_000, false), "it has answered, and nobody has asked for that yet");
    desk.pass(s(60));
    let played = desk.done("go");
    assert_eq!(played.turns[0].entries[0].wall_us, 4_000_000);
    assert_eq!(clocks(&played), [(6_000, false), (10_000, true)]);
    desk.check();
}

#[test]
fn an_answer_that_came_in_time_counts_however_late_it_is_heard() {
    for (came, failure) in [(999, None), (1001, Some(Failure::Late))] {
        let mut desk = Desk::timed("planet-wars", &["hangs", "random"], "move=1s,policy=wall");
        desk.say("go --wait 1ms");
        desk.now = s(30);
        desk.write_at(Duration::from_millis(came), 0, b"go\n");
        desk.pass(Duration::ZERO);
        if failure.is_none() {
            desk.done("go");
        }
        assert_eq!(failures(&desk), [(1, failure), (2, None)]);
    }
}

#[test]
fn questions_and_lines_by_hand_cost_nothing() {
    let mut desk = Desk::timed("planet-wars", &["hangs", "human"], "move=5s,bank=20s,policy=wall");
    desk.done("clock start");
    let before = clocks(&desk.console.status());
    desk.done("raw 1 x --wait 60s");
    desk.done("ask 1 --wait 60s");
    assert_eq!(clocks(&desk.console.status()), before, "also for the person who waits for them");
    desk.done("bot 1 random");
    desk.done("ask 1");
    let played = desk.done("play 2 []");
    assert_eq!((played.turns.len(), played.turns[0].entries[0].wall_us), (1, 0));
}

#[test]
fn a_built_in_bot_pays_while_it_thinks() {
    let mut desk = Desk::timed("triangles", &["@random", "@random"], "move=3s,bank=5s,policy=wall");
    desk.thinks = s(2);
    let played = desk.done("go 2");
    assert_eq!(played.turns[0].entries[0].wall_us, 2_000_000);
    assert_eq!(clocks(&played), [(3_000, false), (3_000, false)]);
    assert_eq!(clocks(&desk.done("undo")), [(3_000, false), (3_000, false)]);
    let bank = |document: &ConsoleDocument| document.seats[0].clock.and_then(|clock| clock.bank_us);
    assert_eq!(bank(&desk.console.status()), Some(3_000_000));
    desk.done("redo");
    desk.thinks = s(4);
    desk.done("go");
    assert_eq!(failures(&desk), [(1, Some(Failure::Late))]);
    desk.check();
    desk.done("undo");
    desk.thinks = s(1);
    assert_eq!(desk.done("go").turns[0].entries[0].failure, None, "it decides anew");
    desk.thinks = s(60);
    desk.done("ask 2");
    assert_eq!(desk.done("go").turns[0].entries[0].wall_us, 0, "it was only asked");
    desk.check();
}

#[test]
fn a_seat_that_failed_in_a_turn_decides_no_more_in_it() {
    let mut desk = Desk::timed("grid", &["human", "hangs"], "move=1s,policy=wall");
    desk.done("clock start");
    desk.pass(s(1));
    let status = desk.console.status();
    assert_eq!((status.ply, status.seats[0].decided), (0, true), "the bot has not been asked");
    let refused = desk.say("play 1 []").error.expect("an error");
    assert_eq!(refused.text, "the time of seat 1 is up");
    let hint = "the turn is played when the other seats have decided; `undo` then takes it back";
    assert_eq!(refused.hint.as_deref(), Some(hint));
    desk.done("bot 1 @random");
    assert!(desk.console.status().seats[0].decided, "another one in the seat does not change that");
    desk.done("go");
    assert_eq!(failures(&desk), [(1, Some(Failure::Late)), (2, Some(Failure::Late))]);
    desk.check();
}

#[test]
fn a_seat_that_changes_hands_begins_its_decision_anew() {
    let mut desk = Desk::timed("planet-wars", &["hangs", "random"], "move=5s,bank=20s,policy=wall");
    desk.say("go --wait 1s");
    desk.pass(s(3));
    assert_eq!(clocks(&desk.console.status())[0], (1_000, true));
    assert_eq!(clocks(&desk.done("bot 1 hangs"))[0], (5_000, false));
    desk.say("go --wait 1s");
    desk.pass(s(1));
    // `restart` starts the program anew within the same decision.
    assert_eq!(clocks(&desk.done("restart 1"))[0], (3_000, false));
    assert_eq!(clocks(&desk.say("go --wait 1s"))[0], (2_000, true));
}

#[test]
fn a_map_that_is_loaded_fills_the_clocks_and_an_edit_does_not() {
    let mut desk = Desk::timed("triangles", &["human", "human"], "bank=9s,policy=wall");
    play(&mut desk);
    desk.pass(s(4));
    play(&mut desk);
    assert_eq!(clocks(&desk.console.status()), [(9_000, true), (5_000, false)]);
    let map = desk.console.position().map();
    desk.files.insert("m".into(), map.into_bytes());
    assert_eq!(clocks(&desk.done("edit state {}")), [(9_000, false), (5_000, false)]);
    assert_eq!(clocks(&desk.done("load m")), [(9_000, false), (9_000, false)]);
    assert_eq!(clocks(&desk.done("undo")), [(9_000, false), (5_000, false)]);
}

#[test]
fn without_clocks_there_is_nothing_to_start() {
    let mut desk = Desk::open("grid", 1, &["human", "human"]);
    assert_eq!(desk.refused("clock start"), "the session has no clocks");
    assert_eq!(desk.done("status").seats[0].clock, None);
    desk.pass(s(1_000_000));
    assert_eq!(desk.console.status().ply, 0);
}

#[test]
fn nobody_is_judged_by_an_instant_before_which_not_all_is_reported() {
    let mut desk = Desk::timed("planet-wars", &["hangs", "@random"], "off,move=1s,policy=wall");
    desk.thinks = s(2);
    desk.console.command(s(0), 0, "go");
    desk.work();
    assert_eq!(desk.now, s(2), "the built-in bot has thought past its own time and that of the program");
    // What the program wrote until now may be on its way.
    desk.console.tick(Duration::from_millis(900));
    desk.work();
    assert!(desk.events.is_empty(), "nobody has failed");
    desk.console.tick(s(2));
    desk.work();
    assert_eq!(failures(&desk), [(1, Some(Failure::Late)), (2, Some(Failure::Late))]);
}

#[test]
fn clocks_go_on_where_none_runs() {
    let mut desk = Desk::timed("lighthouses", &["@random", "@random"], "off,bank=10s,policy=wall");
    assert_eq!(desk.done("status").clocks_run, Some(false));
    let started = desk.done("clock start");
    assert_eq!(started.clocks_run, Some(true));
    assert!(clocks(&started).iter().all(|(_, runs)| !runs), "a built-in bot has not been asked");
    assert_eq!(desk.done("clock stop").clocks_run, Some(false));
    assert_eq!(desk.done("go").clocks_run, Some(true), "they go on when somebody plays");
    assert_eq!(desk.done("undo").clocks_run, Some(false));
    assert_eq!(Desk::open("lighthouses", 1, &["human", "@random"]).done("status").clocks_run, None);
}
