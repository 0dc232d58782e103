//! Tests that bots which share a core are asked one after the other, from the same position.

use super::open_with;
use agon_core::Seat;
use agon_referee::{AnyReferee, Do, In, Settings};
use std::time::Duration;

const IN_TURN: Settings =
    Settings { recording: agon_referee::Recording::Orders, undo: false, freeze: true, in_turn: true };
const SIDE_BY_SIDE: Settings = Settings { freeze: false, in_turn: false, ..IN_TURN };

/// A match, and what its seats were told since they were last looked at.
struct Match {
    machine: Box<dyn AnyReferee>,
    told: [String; 2],
    /// The seats that may run.
    running: Vec<usize>,
}

impl Match {
    fn begun(settings: Settings) -> Self {
        let machine = open_with("original", settings);
        let mut begun = Self { machine, told: Default::default(), running: vec![0, 1] };
        begun.feed(In::Begin);
        begun
    }

    /// Feeds an event, and then writes whatever waits for a bot.
    fn feed(&mut self, what: In<'_>) {
        self.machine.feed(Duration::ZERO, what);
        loop {
            while let Some(done) = self.machine.next() {
                match done {
                    Do::Freeze { seat } => self.running.retain(|running| *running != seat.index()),
                    Do::Thaw { seat } => {
                        self.running.retain(|running| *running != seat.index());
                        self.running.push(seat.index());
                    }
                    _ => {}
                }
            }
            let waiting = [0, 1].into_iter().find(|i| !self.machine.outbox(Seat::new(*i)).is_empty());
            let Some(i) = waiting else { return };
            let seat = Seat::new(i);
            let text = self.machine.outbox(seat).to_vec();
            self.told[i].push_str(std::str::from_utf8(&text).expect("Grid is text"));
            self.machine.feed(Duration::ZERO, In::Written { seat, bytes: text.len() });
        }
    }

    fn says(&mut self, seat: usize, bytes: &[u8]) {
        self.feed(In::Bytes { seat: Seat::new(seat), bytes });
    }

    /// Returns what both seats were told since the last call.
    fn new_messages(&mut self) -> [String; 2] {
        core::mem::take(&mut self.told)
    }
}

/// Captures a tile, which the opponent sees in the next turn.
const CAPTURE: &[u8] = b"C 1 0\n.\n";
/// The first line of the map after that.
const CAPTURED: &str = "11--------\n";
const NOTHING: &[u8] = b".\n";

#[test]
fn the_first_seat_alternates_and_prompts_follow_each_other() {
    let mut together = Match::begun(SIDE_BY_SIDE);
    let mut grid = Match::begun(IN_TURN);
    for turn in 0..5 {
        let both = together.new_messages();
        assert!(both.iter().all(|told| !told.is_empty()), "side by side, both are asked at once");
        let (first, second) = if turn % 2 == 0 { (0, 1) } else { (1, 0) };
        let told = grid.new_messages();
        assert_eq!((&told[first], &*told[second]), (&both[first], ""), "turn {turn}");
        assert!(grid.running.contains(&first) && !grid.running.contains(&second), "{:?}", grid.running);
        grid.says(first, NOTHING);
        let told = grid.new_messages();
        assert_eq!((&*told[first], &told[second]), ("", &both[second]), "turn {turn}");
        assert!(grid.running.contains(&second) && !grid.running.contains(&first), "{:?}", grid.running);
        assert_eq!(grid.machine.plies(), turn);
        grid.says(second, NOTHING);
        together.says(0, NOTHING);
        together.says(1, NOTHING);
        assert_eq!(grid.machine.plies(), turn + 1);
    }
    assert!(grid.machine.over() && together.machine.over());
    assert_eq!(grid.machine.standing(), together.machine.standing());
}

#[test]
fn nothing_of_the_first_answer_reaches_the_second_bot_before_it_has_answered() {
    let [mut captures, mut waits] = [Match::begun(IN_TURN), Match::begun(IN_TURN)];
    assert_eq!(captures.new_messages(), waits.new_messages());
    captures.says(0, CAPTURE);
    waits.says(0, NOTHING);
    // Seat 1 is told the same, whatever seat 0 has decided.
    let told = captures.new_messages();
    assert_eq!(told, waits.new_messages());
    assert!(!told[1].is_empty() && !told[1].contains(CAPTURED), "{}", told[1]);
    captures.says(1, NOTHING);
    waits.says(1, NOTHING);
    // It is first in turn 2, and is told only now.
    let told = captures.new_messages();
    assert!(told[1].contains(CAPTURED), "{}", told[1]);
    assert_ne!(told, waits.new_messages());
}

#[test]
fn answers_ahead_do_not_change_the_order() {
    let mut ahead = Match::begun(IN_TURN);
    ahead.new_messages();
    ahead.says(1, NOTHING);
    assert_eq!(
        (ahead.new_messages(), ahead.machine.plies()),
        (Default::default(), 0),
        "an answer is no reason to be asked"
    );
    ahead.says(0, CAPTURE);
    let [first, second] = ahead.new_messages();
    assert_eq!(first, "", "seat 0 is second in turn 2");
    let at = second.find(CAPTURED).expect("turn 2 has begun");
    assert!(second[..at].contains("1---------\n"), "it was told of turn 1 first, as if nobody had decided: {second}");
    assert_eq!(ahead.machine.plies(), 1);
}
