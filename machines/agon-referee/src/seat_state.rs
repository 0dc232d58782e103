//! One seat of a running match.

use crate::{
    Fault, FaultRecord, LastWords, SeatKind, TimeUsed, Times, timekeeper::Spent, timekeeper::Timekeeper, wire::Wire,
};
use agon_core::{Bot, Contest, Failure, Refused, Seat};
use agon_spec::{RefusedCount, RefusedRecord, SpoiltRecord};
use core::time::Duration;

/// What decides in a seat.
pub(crate) enum Decider<C: Contest> {
    /// A process behind its wire protocol.
    Process(Wire<C>),
    /// A built-in bot, computed in this process.
    Builtin(Box<dyn Bot<C>>),
    /// A person.
    Human,
}

/// What the referee waits for at a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// The seat has not been asked in this turn.
    Idle,
    /// The process waits for its question until the seats before it have answered.
    Queued,
    /// The referee waits for the answer to the greeting.
    Greeting,
    /// The referee waits for the decision.
    Asked,
    /// The decision is complete. The referee only waits until the pipe has taken all earlier messages.
    Decided,
    /// The seat has decided or failed in this turn.
    Done,
}

/// One seat of a running match.
pub(crate) struct SeatState<C: Contest> {
    pub seat: Seat,
    pub kind: SeatKind,
    pub decider: Decider<C>,
    pub phase: Phase,
    pub clock: Timekeeper,
    pub times: Times,
    /// The time of every turn in which the seat was asked.
    pub used: TimeUsed,
    /// The commands that were refused in every turn in which the seat was asked.
    pub refusals: RefusedCount,
    /// How the seat failed. `None` if it did not. A failed seat is never asked again.
    pub fault: Option<FaultRecord>,
    /// The end of the conversation with a process that has failed.
    pub last_words: Option<LastWords>,
    /// Whether the fault has already reached the rules as a failure.
    pub counted: bool,
    /// The orders of this turn. The buffer is reused.
    pub orders: Vec<C::Order>,
    /// How the seat failed in this turn. `None` if it did not.
    pub failure: Option<Failure>,
    /// The order that the rules refused in this turn. `None` if they refused none.
    pub refused: Option<Refused<C>>,
    /// Whether the orders have no effect. A refusal with the penalty `Pass` voids them.
    pub void: bool,
    /// The instant at which this turn's decision was complete.
    pub heard_at: Duration,
    /// The time that this turn's decision took.
    pub spent: Spent,
    /// The CPU time that the seat used while it was frozen, since its last turn.
    pub off_turn: Duration,
    /// Set if its time ran out because the host kept it from a core. The match then has no result.
    pub spoilt: Option<SpoiltRecord>,
}

impl<C: Contest> SeatState<C> {
    pub(crate) fn new(seat: Seat, kind: SeatKind, decider: Decider<C>, clock: Timekeeper) -> Self {
        Self {
            seat,
            kind,
            decider,
            phase: Phase::Idle,
            clock,
            times: Times::default(),
            used: TimeUsed::default(),
            refusals: RefusedCount::default(),
            fault: None,
            last_words: None,
            counted: false,
            orders: Vec::new(),
            failure: None,
            refused: None,
            void: false,
            heard_at: Duration::ZERO,
            spent: Spent::default(),
            off_turn: Duration::ZERO,
            spoilt: None,
        }
    }

    /// Returns the wire to the process, or `None` if the seat has no process or has failed.
    pub(crate) fn wire(&mut self) -> Option<&mut Wire<C>> {
        if self.fault.is_none() { self.any_wire() } else { None }
    }

    /// Returns the wire to the process, even after a fault, because the last message may not be fully written yet.
    pub(crate) fn any_wire(&mut self) -> Option<&mut Wire<C>> {
        match &mut self.decider {
            Decider::Process(wire) => Some(wire),
            _ => None,
        }
    }

    /// Returns the commands of this turn that the dialogue refused. It is meaningful in a turn in which the seat was
    /// asked.
    pub(crate) fn refused_commands(&self) -> Vec<RefusedRecord> {
        match &self.decider {
            Decider::Process(wire) => wire.dialogue.refused().iter().map(RefusedRecord::from).collect(),
            _ => Vec::new(),
        }
    }

    /// Counts the commands of this turn, whatever is recorded.
    pub(crate) fn count_refused(&mut self) {
        let unlawful = matches!(self.failure, Some(Failure::Unlawful(_)));
        let mistake = self.refused.filter(|_| !unlawful).map(|refused| C::mistake(&refused.why));
        let commands = match &self.decider {
            Decider::Process(wire) => wire.dialogue.refused(),
            _ => &[],
        };
        let commands = commands.iter().map(|command| (command.why, command.times));
        self.refusals.add_decision(self.orders.len(), mistake.as_deref(), commands);
    }

    /// Forgets the last turn.
    pub(crate) fn clear(&mut self) {
        self.phase = Phase::Idle;
        self.orders.clear();
        self.failure = None;
        self.refused = None;
        self.void = false;
        self.spent = Spent::default();
    }

    /// Returns the failure that the rules see in a seat that failed before this turn. The first time it is the failure
    /// itself, later it is [`Failure::Gone`]. `None` if the seat has not failed.
    pub(crate) fn earlier_failure(&mut self) -> Option<Failure> {
        let failure = self.fault.as_ref()?.fault.failure();
        let counted = core::mem::replace(&mut self.counted, true);
        Some(if counted { Failure::Gone } else { failure })
    }

    /// Returns the fault of a seat whose time is up. The referee notices it at the instant `now`.
    pub(crate) fn lateness(&mut self, now: Duration) -> Fault {
        let limit_us = self.clock.limit().map_or(0, |limit| limit.as_micros() as u64);
        let (heard, unread) = match &mut self.decider {
            Decider::Process(wire) => (wire.heard(), wire.has_unsent()),
            _ => (0, false),
        };
        let time = Some(self.clock.spent(now).record());
        Fault::Late { limit_us, heard, unread, time }
    }
}
