//! Programs: how they are asked and brought into step, and what happens if they fail.

use crate::desk::Desk;
use agon_core::Seat;
use agon_spec::ConsoleSeatState;
use std::time::Duration;

fn state(desk: &mut Desk, seat: usize) -> ConsoleSeatState {
    desk.done("status").seats[seat].state
}

#[test]
fn programs_play_every_game_through_undo_and_redo() {
    for game in agon_games::all() {
        let mut desk = Desk::open(game.name(), 3, &["random", "random"]);
        desk.done("go 6");
        desk.done("undo 3");
        desk.done("go 2");
        desk.done("branch 1");
        let last = desk.done("go 1");
        assert!(last.turns.len() == 1 || last.over, "{}: {:?}", game.name(), last.turns);
        assert_eq!(last.branch, 1, "{}", game.name());
        desk.check();
    }
}

#[test]
fn triangles_are_set_up_again_by_commands() {
    let mut desk = Desk::open("triangles", 3, &["random", "random"]);
    desk.done("go 4");
    desk.told.clear();
    desk.done("undo 2");
    desk.done("go 1");
    let told: Vec<&str> = desk.told.iter().flat_map(|(_, text)| text.split_whitespace().next()).collect();
    assert_eq!(told.first(), Some(&"set_points"), "{:?}", desk.told);
    assert_eq!(desk.starts, 2, "nobody was started anew");
}

#[test]
fn lighthouses_are_started_anew_and_hear_every_turn_again() {
    let mut desk = Desk::open("lighthouses", 3, &["random", "random"]);
    desk.done("go 6");
    assert_eq!(desk.starts, 2);
    desk.done("undo 2");
    desk.done("go 1");
    assert_eq!(desk.starts, 3);
    desk.check();
}

#[test]
fn a_question_is_asked_without_being_played() {
    let mut desk = Desk::open("planet-wars", 4, &["random", "human"]);
    let asked = desk.done("ask 1");
    let answer = asked.answer.expect("an answer");
    assert!(answer.complete && answer.orders.is_some());
    assert_eq!(asked.ply, 0);
}

#[test]
fn an_answer_to_a_question_is_the_decision_of_the_turn() {
    for words in ["@random", "random"] {
        let mut desk = Desk::open("planet-wars", 4, &[words, "human"]);
        for _ in 0..3 {
            let asked = desk.done("ask 1").answer.expect("an answer").orders.expect("orders");
            assert_eq!(desk.done("ask 1").answer.expect("an answer").orders.as_ref(), Some(&asked), "{words}");
            let played = desk.done("play 2 []");
            assert_eq!(played.turns[0].entries[0].orders, asked, "{words}");
        }
        assert!(desk.starts <= 1, "{words}");
    }
}

#[test]
fn a_late_answer_to_a_raw_line_is_no_decision() {
    for game in ["grid", "planet-wars"] {
        let mut desk = Desk::open(game, 5, &["hangs", "@random"]);
        let late = desk.done("raw 1 x --wait 1ms").answer.expect("an answer");
        assert!(!late.complete, "{game}");
        desk.write(0, b"something\n");
        let starts = desk.starts;
        desk.say("go 1 --wait 1ms");
        assert_eq!(desk.starts, starts + 1, "{game}: it is started anew");
    }
}

#[test]
fn a_bot_that_was_greeted_for_another_board_is_started_anew() {
    let mut desk = Desk::open("lighthouses", 3, &["hangs", "@random"]);
    desk.say("go 1 --wait 1ms");
    let map = desk.console.position().map();
    desk.files.insert("again.map".into(), map.into_bytes());
    desk.done("load again.map");
    assert_eq!(desk.starts, 1);
    desk.write(0, b"{\"name\": \"slow\"}\n");
    assert_eq!(desk.starts, 2);
}

#[test]
fn a_built_in_bot_forgets_the_board_that_was_before() {
    let mut desk = Desk::open("lighthouses", 3, &["@lamplighter", "@lamplighter"]);
    desk.done("go 20");
    let other = crate::desk::spec(desk.game, 99, &["@lamplighter"; 2]).map;
    desk.files.insert("other.map".into(), other.into_bytes());
    desk.done("load other.map");
    let moved: Vec<_> = desk.done("go 12").turns;
    let mut fresh = Desk::open("lighthouses", 3, &["@lamplighter", "@lamplighter"]);
    fresh.files.clone_from(&desk.files);
    fresh.done("load other.map");
    assert_eq!(moved, fresh.done("go 12").turns);
}

#[test]
fn anyway_is_for_bots_that_are_out_of_step() {
    let mut desk = Desk::open("triangles", 5, &["human", "random"]);
    assert_eq!(desk.refused("anyway 2"), "the bot of seat 2 is not out of step");
    desk.done("raw 2 name");
    assert!(desk.done("anyway 2").seats[1].in_step);
    desk.done("kill 2");
    assert_eq!(desk.refused("anyway 2"), "the bot of seat 2 is not out of step");
}

#[test]
fn blank_lines_without_end_are_a_flood() {
    let mut desk = Desk::open("planet-wars", 8, &["hangs", "@random"]);
    desk.say("go 1 --wait 1ms");
    let part = vec![b'\n'; desk.spec.limits.inbox as usize / 4];
    for _ in 0..5 {
        assert_ne!(state(&mut desk, 0), ConsoleSeatState::Dead);
        desk.write(0, &part);
    }
    assert_eq!(state(&mut desk, 0), ConsoleSeatState::Dead);
}

#[test]
fn a_raw_line_is_answered_and_puts_the_bot_out_of_step() {
    let mut desk = Desk::open("triangles", 5, &["human", "random"]);
    let orders = desk.decision(Seat::new(0), 0);
    desk.done(&format!("play 1 {orders}"));
    desk.done("go 1");
    assert!(desk.done("status").seats[1].in_step);
    let answer = desk.done("raw 2 name").answer.expect("an answer");
    assert!(answer.complete && answer.text.is_some_and(|text| text.starts_with('=')));
    assert!(!desk.done("status").seats[1].in_step);
    let orders = desk.decision(Seat::new(0), 1);
    desk.done(&format!("play 1 {orders}"));
    desk.told.clear();
    desk.done("go 1");
    assert!(desk.told[0].1.starts_with("set_points"), "{:?}", desk.told);
}

#[test]
fn a_dead_bot_is_replaced_and_the_session_goes_on() {
    let mut desk = Desk::open("triangles", 6, &["human", "random"]);
    let orders = desk.decision(Seat::new(0), 0);
    desk.done(&format!("play 1 {orders}"));
    desk.done("raw 2 name");
    desk.crash(1);
    assert_eq!(state(&mut desk, 1), ConsoleSeatState::Dead);
    assert!(desk.refused("go").contains("dead"));
    assert!(desk.refused("raw 2 name").contains("dead"));
    desk.done("bot 2 @random");
    assert_eq!(desk.done("go").ply, 2);
    desk.check();
}

#[test]
fn a_killed_bot_is_started_again() {
    let mut desk = Desk::open("lighthouses", 6, &["random", "random"]);
    desk.done("go 3");
    desk.done("kill 1");
    assert_eq!(state(&mut desk, 0), ConsoleSeatState::Dead);
    desk.done("restart 1");
    assert_eq!(desk.done("go 3").turns.len(), 3);
}

#[test]
fn a_restart_ends_the_wait_for_the_answer_to_a_line() {
    let mut desk = Desk::open("grid", 5, &["human", "hangs"]);
    for (id, line) in ["raw 2 name", "restart 2"].into_iter().enumerate() {
        desk.console.command(desk.now, id as u64, line);
        desk.work();
    }
    assert_eq!(desk.answers[0].answer.as_ref().map(|answer| answer.complete), Some(false));
    assert_eq!(desk.answers[1].command, "restart");
    desk.done("save replay s.jsonl");
    desk.done("quit");
}

#[test]
fn the_rest_of_nonsense_is_not_the_next_decision() {
    for game in ["grid", "planet-wars"] {
        let mut desk = Desk::open(game, 5, &["hangs", "@random"]);
        desk.say("go 1 --wait 1ms");
        desk.write(0, b"{oops\n");
        desk.refused("go 1");
        let starts = desk.starts;
        desk.write(0, b".\ngo\n");
        desk.say("go 1 --wait 1ms");
        assert_eq!(desk.starts, starts + 1, "{game}: it is started anew");
    }
}

#[test]
fn an_answer_that_came_late_is_not_taken_for_that_of_a_line() {
    let mut desk = Desk::open("triangles", 5, &["hangs", "human"]);
    desk.say("go --wait 1ms");
    desk.write(0, b"=\n\n");
    assert_eq!(desk.done("raw 1 name --wait 1ms").answer.map(|answer| answer.complete), Some(false));
    desk.console.command(desk.now, desk.answers.len() as u64, "raw 1 version");
    desk.work();
    // The answer to the first line ends the wait for that to the second.
    desk.write(0, b"= the name\n");
    assert_eq!(desk.answers.last().and_then(|told| told.answer.as_ref()).map(|answer| answer.complete), Some(true));
    let starts = desk.starts;
    desk.say("go --wait 1ms");
    assert_eq!(desk.starts, starts + 1, "the second answer may still come, so the program is started anew");
}

#[test]
fn the_end_of_an_earlier_process_is_not_that_of_the_next_one() {
    let mut desk = Desk::open("grid", 6, &["hangs", "@random"]);
    for words in ["random", "human", "random"] {
        desk.say("go 1 --wait 1ms");
        desk.done(&format!("bot 1 {words}"));
    }
    desk.done("go 1");
    for earlier in 1..=2 {
        desk.console.ended(desk.now, Seat::new(0), earlier, "it was killed by the signal KILL");
        assert_eq!(state(&mut desk, 0), ConsoleSeatState::Ready, "start {earlier}");
    }
    desk.crash(0);
    assert_eq!(state(&mut desk, 0), ConsoleSeatState::Dead);
}

#[test]
fn a_hung_bot_stops_nobody() {
    for game in ["triangles", "grid", "planet-wars", "lighthouses", "portals"] {
        let mut desk = Desk::open(game, 7, &["hangs", "@random"]);
        let late = desk.say("go 1");
        assert_eq!(late.turns.len(), 0, "{game}");
        assert_ne!(late.seats[0].state, ConsoleSeatState::Ready, "{game}");
        let orders = desk.decision(Seat::new(0), 0);
        assert_eq!(desk.done(&format!("play 1 {orders}")).ply, 1, "{game}: a person decides in its place");
        desk.done("undo");
        desk.done("bot 1 @random");
        assert_eq!(desk.done("go 1").ply, 1, "{game}");
        desk.check();
    }
}

#[test]
fn a_flooding_bot_is_killed() {
    let mut desk = Desk::open("triangles", 8, &["hangs", "@random"]);
    desk.say("go 1 --wait 1ms");
    let flood = vec![b'x'; desk.spec.limits.inbox as usize + 1];
    desk.write(0, &flood);
    assert_eq!(state(&mut desk, 0), ConsoleSeatState::Dead);
    desk.done("bot 1 @random");
    assert_eq!(desk.done("go 1").ply, 1);
}

#[test]
fn nonsense_is_told_and_not_played() {
    let mut desk = Desk::open("lighthouses", 9, &["says hello", "@random"]);
    let why = desk.refused("go 1");
    assert!(why.contains("hello"), "{why}");
    assert_eq!(desk.done("status").ply, 0);
}

#[test]
fn a_bot_that_cannot_be_brought_into_step_plays_on_only_if_told_to() {
    let mut desk = Desk::open("lighthouses", 10, &["human", "human"]);
    for seat in [1, 2, 1, 2] {
        let orders = desk.decision(Seat::new(seat - 1), 0);
        desk.done(&format!("play {seat} {orders}"));
    }
    desk.done("bot 1 hangs");
    // The time for the greeting or the first turn runs out.
    assert!(desk.refused("go --wait 20s").contains("out of step"));
    assert_eq!(state(&mut desk, 0), ConsoleSeatState::OutOfStep);
    desk.done("anyway 1");
    assert_eq!(state(&mut desk, 0), ConsoleSeatState::Ready);
}

#[test]
fn a_bot_that_never_sets_up_its_board_is_out_of_step() {
    for clock in ["off", "bank=60s,policy=wall"] {
        let mut desk = Desk::timed("triangles", &["hangs", "human"], clock);
        desk.say("go --wait 1ms");
        desk.write(0, b"=\n\n");
        desk.say("go --wait 1ms");
        // Each command has 10 s of its own, here `set_points`.
        desk.pass(Duration::from_secs(9));
        assert_eq!(state(&mut desk, 0), ConsoleSeatState::Thinking, "{clock}");
        desk.pass(Duration::from_secs(1));
        assert_eq!(state(&mut desk, 0), ConsoleSeatState::OutOfStep, "{clock}");
        let why = desk.refused("go");
        assert!(why.ends_with("it did not answer a command that sets up its board within 10 s"), "{clock}: {why}");
        desk.done("anyway 1");
        desk.told.clear();
        // The answer comes too late, and must not count as the answer to another command.
        desk.write(0, b"=\n\n");
        desk.say("go --wait 1ms");
        assert!(desk.told.last().is_some_and(|(_, text)| !text.starts_with("time_left")), "{clock}: {:?}", desk.told);
    }
}

#[test]
fn every_segment_of_a_board_that_is_set_up_has_its_own_time() {
    let mut desk = Desk::open("triangles", 5, &["human", "human"]);
    for seat in [1, 2] {
        let orders = desk.decision(Seat::new(seat - 1), 0);
        desk.done(&format!("play {seat} {orders}"));
    }
    desk.done("bot 1 hangs");
    desk.say("go --wait 1ms");
    desk.write(0, b"=\n\n");
    desk.say("go --wait 1ms");
    // `set_points` and two segments, which the program answers slowly.
    for answered in 0..3 {
        desk.pass(Duration::from_secs(9));
        assert_eq!(state(&mut desk, 0), ConsoleSeatState::Thinking, "{answered}");
        desk.write(0, b"=\n\n");
    }
    assert!(desk.told.last().is_some_and(|(_, text)| text.starts_with("time_left")), "{:?}", desk.told);
    desk.pass(Duration::from_secs(30));
    assert_eq!(state(&mut desk, 0), ConsoleSeatState::Thinking, "the board is set up");
}

#[test]
fn an_answer_to_an_old_question_is_dropped() {
    let mut desk = Desk::open("grid", 11, &["hangs", "human"]);
    let late = desk.done("play 2 []");
    assert_eq!((late.ply, late.seats[0].state), (0, ConsoleSeatState::Thinking));
    let orders = desk.decision(Seat::new(0), 0);
    assert_eq!(desk.done(&format!("play 1 {orders}")).ply, 1);
    desk.write(0, b"0\n");
    assert_eq!(desk.done("status").ply, 1);
    desk.check();
}
