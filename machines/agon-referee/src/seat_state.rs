//! One seat of a running match.

use crate::{Fault, FaultRecord, SeatKind, Times, timekeeper::Spent, timekeeper::Timekeeper, wire::Wire};
use agon_core::{Bot, Contest, Failure, Refused, Seat};
use core::time::Duration;

/// Who sits in a seat.
pub(crate) enum Decider<C: Contest> {
    Process(Wire<C>),
    Builtin(Box<dyn Bot<C>>),
    Human,
}

/// What is awaited of a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Nothing.
    Idle,
    /// The answer to its greeting.
    Greeting,
    /// Its decision.
    Asked,
    /// Only that its pipe takes what it was told: the decision is there.
    Decided,
    /// Nothing: it has brought to this turn what it will bring.
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
    /// How it failed, if it did; a seat that failed is never asked again.
    pub fault: Option<FaultRecord>,
    /// Whether the rules were told of the fault.
    pub counted: bool,
    /// The orders of this turn, reused.
    pub orders: Vec<C::Order>,
    /// How it failed in this turn.
    pub failure: Option<Failure>,
    /// What the rules refused in this turn.
    pub refused: Option<Refused<C>>,
    /// Whether the orders count; a refusal with a light penalty makes them void.
    pub void: bool,
    /// When this turn's decision was complete.
    pub heard_at: Duration,
    /// What this turn's decision took.
    pub spent: Spent,
    /// CPU time that it has used while it was frozen, since its last turn.
    pub off_turn: Duration,
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
            fault: None,
            counted: false,
            orders: Vec::new(),
            failure: None,
            refused: None,
            void: false,
            heard_at: Duration::ZERO,
            spent: Spent::default(),
            off_turn: Duration::ZERO,
        }
    }

    /// The wire to its process, while it has not failed.
    pub(crate) fn wire(&mut self) -> Option<&mut Wire<C>> {
        if self.fault.is_none() { self.any_wire() } else { None }
    }

    /// The wire to its process, also after a fault: what a bot was told last may still be on its way.
    pub(crate) fn any_wire(&mut self) -> Option<&mut Wire<C>> {
        match &mut self.decider {
            Decider::Process(wire) => Some(wire),
            _ => None,
        }
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

    /// What the rules are told of a seat that had failed before this turn: how, the first time, and that it is gone
    /// from then on.
    pub(crate) fn earlier_failure(&mut self) -> Option<Failure> {
        let failure = self.fault.as_ref()?.fault.failure();
        let counted = core::mem::replace(&mut self.counted, true);
        Some(if counted { Failure::Gone } else { failure })
    }

    /// The fault of a seat whose time is up, noticed now.
    pub(crate) fn lateness(&mut self, now: Duration) -> Fault {
        let limit_us = self.clock.limit().map_or(0, |limit| limit.as_micros() as u64);
        let (heard, unread) = match &mut self.decider {
            Decider::Process(wire) => (wire.unused() as u64, wire.has_unsent()),
            _ => (0, false),
        };
        let time = Some(self.clock.spent(now).record());
        Fault::Late { limit_us, heard, unread, time }
    }
}
