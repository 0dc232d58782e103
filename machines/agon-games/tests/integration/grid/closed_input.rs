//! Tests that a bot fails if it closes its stdin (specification "Disqualification conditions", G30).

use super::open;
use agon_core::Seat;
use agon_referee::{AnyReferee, Do, Exit, Fault, In, MatchEvent};
use std::time::Duration;

/// A match and the faults in it so far.
struct Match {
    machine: Box<dyn AnyReferee>,
    faults: Vec<(u32, Seat, Fault)>,
}

impl Match {
    fn begun(rules: &str) -> Self {
        let mut begun = Self { machine: open(rules), faults: Vec::new() };
        begun.feed(In::Begin);
        begun
    }

    fn feed(&mut self, what: In<'_>) {
        self.machine.feed(Duration::ZERO, what);
        while let Some(done) = self.machine.next() {
            if let Do::Record(event) = done
                && let MatchEvent::Fault(record) = &*event
            {
                self.faults.push((record.ply, record.seat, record.fault.clone()));
            }
        }
    }

    /// Reports that the pipe of this seat took all waiting bytes.
    fn reads(&mut self, seat: usize) {
        let seat = Seat::new(seat);
        let bytes = self.machine.outbox(seat).len();
        self.feed(In::Written { seat, bytes });
    }

    fn says(&mut self, seat: usize, bytes: &[u8]) {
        self.feed(In::Bytes { seat: Seat::new(seat), bytes });
    }
}

const AHEAD: &[u8] = b".\n.\n.\n.\n.\n";

#[test]
fn by_the_specification_it_is_out_at_the_message_that_cannot_be_written() {
    let mut grid = Match::begun("spec");
    grid.reads(0);
    grid.reads(1);
    grid.says(0, AHEAD);
    grid.says(1, AHEAD);
    // Both seats have decided in turn 1, and the message of turn 2 waits.
    assert_eq!(grid.machine.plies(), 1);
    grid.feed(In::ClosedInput { seat: Seat::new(0) });
    grid.reads(1);
    assert_eq!(grid.faults, [(2, Seat::new(0), Fault::ClosedInput)]);
    assert!(grid.machine.over());
    assert_eq!(grid.machine.standing().places, [2, 1]);
}

#[test]
fn a_prompt_that_was_told_in_whole_may_be_answered() {
    let mut grid = Match::begun("spec");
    grid.reads(0);
    grid.reads(1);
    grid.says(1, AHEAD);
    // The runner may notice the closed pipe before it reads the answer.
    grid.says(0, b"C 1 0\n.\n");
    assert_eq!((grid.machine.plies(), grid.faults.len()), (1, 0));
    grid.feed(In::Exited { seat: Seat::new(0), exit: &Exit::Code(0), stderr: "" });
    assert!(matches!(grid.faults[..], [(2, seat, Fault::Crashed { .. })] if seat == Seat::new(0)), "{:?}", grid.faults);
}

#[test]
fn the_judge_did_not_notice() {
    for rules in ["original", "spec,closed-input=unnoticed"] {
        let mut grid = Match::begun(rules);
        grid.reads(0);
        grid.reads(1);
        grid.says(0, AHEAD);
        grid.says(1, AHEAD);
        grid.feed(In::ClosedInput { seat: Seat::new(0) });
        for _ in 0..5 {
            grid.reads(1);
        }
        assert_eq!((grid.machine.plies(), &grid.faults[..]), (5, &[][..]), "{rules}");
        assert!(grid.machine.over(), "{rules}");
    }
}
