//! Reads the output of processes: answers to greetings, decisions, silence, and the end of output.

use crate::{
    Do, Fault, FaultRecord, Mark, MatchEvent, Recording, SeatKind, TypedReferee,
    kept::KeptTurns,
    referee::Stage,
    seat_state::{Decider, Phase},
    wire::{Parsed, Wire},
};
use agon_core::{Contest, Said, Seat};
use core::time::Duration;

impl<C: Contest> TypedReferee<C> {
    /// Records the first event of the match. Every match has it, even one that is aborted before it begins.
    pub(crate) fn announce(&mut self) {
        let fingerprint = Mark(self.position.fingerprint());
        self.record(MatchEvent::Started { spec: Box::new(self.spec.clone()), fingerprint });
        if self.settings.recording == Recording::Faults {
            self.kept = Some(KeptTurns::new(self.position.clone()));
        }
    }

    pub(crate) fn begin(&mut self) {
        self.stage = Stage::Greeting;
        self.announce();
        if self.settings.in_turn {
            for i in 0..self.seats.len() {
                self.freeze(i);
            }
            self.queue_of_seats = (0..self.seats.len()).rev().collect();
        } else {
            for i in 0..self.seats.len() {
                self.greet(i);
            }
        }
    }

    /// Greets one process.
    pub(crate) fn greet(&mut self, i: usize) {
        let state = &mut self.seats[i];
        // The seat may have failed while others were greeted.
        if state.fault.is_some() {
            return;
        }
        let clock = state.clock.ask(self.now, true);
        let view = self.position.view(state.seat);
        let Some(wire) = state.wire() else {
            state.clock.cancel();
            return;
        };
        let (dialogue, out) = wire.speaking();
        let said = dialogue.greet(view, clock, out);
        match said {
            Said::More => {
                state.phase = Phase::Greeting;
                if self.settings.in_turn {
                    self.thaw(i);
                }
            }
            Said::Nonsense(nonsense) => {
                let fault = Fault::Nonsense { line: nonsense.line, why: nonsense.why };
                self.fail(i, fault);
            }
            // It is not stopped before its first answer, so that it starts in one piece.
            Said::Ready | Said::Decision => {
                wire.spoke_last = wire.has_unsent();
                self.greeted(i);
            }
        }
        self.say(i, None);
        self.listen(i);
    }

    pub(crate) fn greeted(&mut self, i: usize) {
        let state = &mut self.seats[i];
        let spent = state.clock.stop(self.now);
        state.orders.clear();
        state.phase = Phase::Idle;
        let seat = state.seat;
        let name = state.wire().and_then(|wire| wire.dialogue.bot_name().map(str::to_owned));
        self.record(MatchEvent::Greeted { seat, wall_us: spent.wall.as_micros() as u64, name });
    }

    /// Records the fault of a seat and kills its process. The referee no longer listens to a failed seat.
    pub(crate) fn fail(&mut self, i: usize, fault: Fault) {
        let ply = if matches!(self.stage, Stage::Waiting | Stage::Greeting) { 0 } else { self.plies + 1 };
        let round = if ply == 0 { None } else { self.position.round() };
        let (now, state) = (self.now, &mut self.seats[i]);
        if state.fault.is_some() {
            return;
        }
        let record = FaultRecord { seat: state.seat, ply, round, fault };
        state.fault = Some(record.clone());
        if let Decider::Process(wire) = &state.decider {
            state.last_words = Some(wire.last_words());
        }
        match state.phase {
            Phase::Asked | Phase::Decided => {
                state.spent = state.clock.stop(now);
                state.failure = state.earlier_failure();
                state.phase = Phase::Done;
            }
            Phase::Queued => {
                state.failure = state.earlier_failure();
                state.phase = Phase::Done;
            }
            Phase::Greeting | Phase::Idle => {
                state.clock.cancel();
                state.orders.clear();
                state.phase = Phase::Idle;
            }
            Phase::Done => {}
        }
        let is_process = matches!(state.kind, SeatKind::Process);
        self.record_kept();
        self.record(MatchEvent::Fault(record));
        if is_process {
            self.put(Do::Kill { seat: Seat::new(i) });
        }
    }

    /// Lets the dialogue of a seat read the inbox, if the referee waits for an answer of this seat.
    pub(crate) fn listen(&mut self, i: usize) {
        let (now, state) = (self.now, &mut self.seats[i]);
        let phase = state.phase;
        if !matches!(phase, Phase::Greeting | Phase::Asked) {
            return;
        }
        let view = self.position.view(state.seat);
        let clock = state.clock.remaining(now);
        let Decider::Process(wire) = &mut state.decider else { return };
        let before = wire.unsent().len();
        let heard =
            if wire.unused() == 0 && !wire.ended { Parsed::More } else { wire.hear(view, clock, &mut state.orders) };
        let answered = wire.has_unsent() && wire.unsent().len() > before;
        match (heard, phase) {
            (Parsed::Bad(fault), _) => self.fail(i, fault),
            (Parsed::Ready | Parsed::Decision, _) if state.clock.is_overdrawn() => {
                let fault = state.lateness(now);
                self.fail(i, fault);
            }
            (Parsed::Ready | Parsed::Decision, Phase::Greeting) => {
                wire.spoke_last = answered;
                self.greeted(i);
                self.freeze(i);
            }
            (Parsed::Decision, _) => {
                wire.spoke_last = false;
                self.hold(i);
            }
            (Parsed::More | Parsed::Ready, _) => {
                if let Some(fault) = wire.broken() {
                    self.fail(i, fault);
                } else if state.clock.deadline().is_some_and(|deadline| deadline < now) {
                    // The dialogue has read everything that arrived in time, and it was not a decision.
                    self.run_out(i);
                }
            }
        }
        if answered {
            self.say(i, None);
        }
    }

    /// Notes that the decision of a seat is complete at this instant.
    pub(crate) fn hold(&mut self, i: usize) {
        let state = &mut self.seats[i];
        state.phase = Phase::Decided;
        state.heard_at = self.now;
        self.accept_decision(i);
    }

    /// Accepts a complete decision as soon as the pipe has taken all earlier messages. Otherwise a bot that answers
    /// ahead and never reads could make the outbox grow without limit.
    pub(crate) fn accept_decision(&mut self, i: usize) {
        let state = &mut self.seats[i];
        if state.phase != Phase::Decided || state.wire().is_some_and(Wire::has_unsent) {
            return;
        }
        state.spent = state.clock.stop(state.heard_at);
        state.times.add(state.spent.wall, state.spent.soft_late);
        state.phase = Phase::Done;
        self.freeze(i);
    }

    pub(crate) fn written(&mut self, i: usize, bytes: usize) {
        let now = self.now;
        let state = &mut self.seats[i];
        let Some(wire) = state.any_wire() else { return };
        wire.written(bytes);
        if !wire.has_unsent() {
            state.clock.written(now);
        }
        self.accept_decision(i);
    }

    pub(crate) fn close_input(&mut self, i: usize) {
        if let Some(wire) = self.seats[i].wire() {
            wire.input_closed = true;
            self.lose_input(i);
        }
    }

    /// Handles a bot that no longer reads. The messages in its outbox are lost.
    pub(crate) fn lose_input(&mut self, i: usize) {
        if !self.fail_untold(i) {
            if let Some(wire) = self.seats[i].wire() {
                wire.forget_unsent();
            }
            self.accept_decision(i);
            self.listen(i);
        }
    }

    /// Lets a bot fail if a message cannot reach it and its protocol requires that. Returns whether the bot failed.
    pub(crate) fn fail_untold(&mut self, i: usize) -> bool {
        let phase = self.seats[i].phase;
        let Some(wire) = self.seats[i].wire().filter(|wire| wire.input_closed && !wire.unsent().is_empty()) else {
            return false;
        };
        if !wire.dialogue.must_be_told() || !matches!(phase, Phase::Asked | Phase::Decided) {
            return false;
        }
        wire.forget_unsent();
        let fault = wire.broken().unwrap_or(Fault::ClosedInput);
        self.fail(i, fault);
        true
    }

    /// Lets every seat fail whose time was up at the instant `at`. All bytes that had arrived at that instant have been
    /// read. Reading them may have taken until later.
    pub(crate) fn tick(&mut self, at: Duration) {
        for i in 0..self.seats.len() {
            if self.seats[i].clock.is_up(at) {
                self.run_out(i);
            }
        }
    }

    /// Handles a seat whose time has run out. Either the seat has failed, or the host has spoilt the match.
    fn run_out(&mut self, i: usize) {
        let (now, ply) = (self.now, if self.stage == Stage::Greeting { 0 } else { self.plies + 1 });
        let state = &mut self.seats[i];
        let (Some(spoilt), true) = (state.clock.taken_whole(now, state.seat, ply), state.wire().is_some()) else {
            let fault = state.lateness(now);
            return self.fail(i, fault);
        };
        state.spoilt = Some(spoilt);
        state.clock.cancel();
        state.orders.clear();
        state.phase = if state.phase == Phase::Greeting { Phase::Idle } else { Phase::Done };
    }

    pub(crate) fn bytes(&mut self, i: usize, bytes: &[u8]) {
        let Some(wire) = self.seats[i].wire() else { return };
        let flood = wire.keep(bytes);
        self.listen(i);
        if let (Some(flood), Some(_)) = (flood, self.seats[i].wire()) {
            self.fail(i, flood);
        }
    }
}
