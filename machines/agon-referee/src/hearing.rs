//! Listening to processes: greetings, answers, silence, ends of output.

use crate::{
    Do, Fault, FaultRecord, Mark, MatchEvent, Referee, SeatKind,
    place::{Party, Phase},
    referee::Stage,
    wire::{Heard, Wire},
};
use agon_core::{Contest, Said, Seat};
use core::time::Duration;

impl<C: Contest> Referee<C> {
    /// The first event of every match, also of one that is broken off before it begins.
    pub(crate) fn announce(&mut self) {
        let fingerprint = Mark(self.position.fingerprint());
        self.record(MatchEvent::Started { spec: Box::new(self.spec.clone()), fingerprint });
    }

    pub(crate) fn begin(&mut self) {
        self.stage = Stage::Greeting;
        self.announce();
        for i in 0..self.places.len() {
            let place = &mut self.places[i];
            let clock = place.clock.ask(self.now, true);
            let view = self.position.view(place.seat);
            let Some(wire) = place.wire() else {
                place.clock.cancel();
                continue;
            };
            let (dialogue, out) = wire.speaking();
            let said = dialogue.greet(view, clock, out);
            match said {
                Said::More => place.phase = Phase::Greeting,
                Said::Nonsense(nonsense) => {
                    let fault = Fault::Nonsense { line: nonsense.line, why: nonsense.why };
                    self.fail(i, fault);
                }
                Said::Ready | Said::Decision => {
                    wire.told = wire.has_unsent();
                    self.greeted(i);
                }
            }
            self.say(i, None);
            self.listen(i);
        }
    }

    pub(crate) fn greeted(&mut self, i: usize) {
        let place = &mut self.places[i];
        let spent = place.clock.stop(self.now);
        place.orders.clear();
        place.phase = Phase::Idle;
        let seat = place.seat;
        self.record(MatchEvent::Greeted { seat, wall_us: spent.wall.as_micros() as u64 });
        self.freeze(i);
    }

    /// A bot has failed: it is heard no more.
    pub(crate) fn fail(&mut self, i: usize, fault: Fault) {
        let ply = if matches!(self.stage, Stage::Waiting | Stage::Greeting) { 0 } else { self.plies + 1 };
        let (now, place) = (self.now, &mut self.places[i]);
        if place.fault.is_some() {
            return;
        }
        let record = FaultRecord { seat: place.seat, ply, fault };
        place.fault = Some(record.clone());
        match place.phase {
            Phase::Asked | Phase::Decided => {
                place.spent = place.clock.stop(now);
                place.failure = place.earlier_failure();
                place.phase = Phase::Done;
            }
            Phase::Greeting | Phase::Idle => {
                place.clock.cancel();
                place.orders.clear();
                place.phase = Phase::Idle;
            }
            Phase::Done => {}
        }
        let is_process = matches!(place.kind, SeatKind::Process);
        self.record(MatchEvent::Fault(record));
        if is_process {
            self.put(Do::Kill { seat: Seat::new(i) });
        }
    }

    /// Lets the dialogue of a seat read what has arrived, if something is awaited of it.
    pub(crate) fn listen(&mut self, i: usize) {
        let (now, place) = (self.now, &mut self.places[i]);
        let phase = place.phase;
        if !matches!(phase, Phase::Greeting | Phase::Asked) {
            return;
        }
        let view = self.position.view(place.seat);
        let clock = place.clock.remaining(now);
        let Party::Process(wire) = &mut place.party else { return };
        let before = wire.unsent().len();
        let heard =
            if wire.unused() == 0 && !wire.ended { Heard::More } else { wire.hear(view, clock, &mut place.orders) };
        let answered = wire.has_unsent() && wire.unsent().len() > before;
        match (heard, phase) {
            (Heard::Bad(fault), _) => self.fail(i, fault),
            (Heard::Ready | Heard::Decision, _) if place.clock.is_overdrawn() => {
                let fault = place.lateness(now);
                self.fail(i, fault);
            }
            (Heard::Ready | Heard::Decision, Phase::Greeting) => {
                wire.told = answered;
                self.greeted(i);
            }
            (Heard::Decision, _) => {
                wire.told = false;
                self.hold(i);
            }
            (Heard::More | Heard::Ready, _) => {
                if let Some(fault) = wire.broken() {
                    self.fail(i, fault);
                } else if place.clock.deadline().is_some_and(|deadline| deadline < now) {
                    // What had arrived when the time was up was read, and it was not a decision.
                    let fault = place.lateness(now);
                    self.fail(i, fault);
                }
            }
        }
        if answered {
            self.say(i, None);
        }
    }

    /// A whole decision was heard now.
    pub(crate) fn hold(&mut self, i: usize) {
        let place = &mut self.places[i];
        place.phase = Phase::Decided;
        place.heard_at = self.now;
        self.settle(i);
    }

    /// A decision stands once the pipe has taken everything that the bot was told before it: else a bot that answers
    /// ahead and never reads could make the referee keep ever more for it.
    pub(crate) fn settle(&mut self, i: usize) {
        let place = &mut self.places[i];
        if place.phase != Phase::Decided || place.wire().is_some_and(Wire::has_unsent) {
            return;
        }
        place.spent = place.clock.stop(place.heard_at);
        place.times.add(place.spent.wall, place.spent.soft_late);
        place.phase = Phase::Done;
        self.freeze(i);
    }

    pub(crate) fn written(&mut self, i: usize, bytes: usize) {
        let now = self.now;
        let place = &mut self.places[i];
        let Some(wire) = place.any_wire() else { return };
        wire.written(bytes);
        if !wire.has_unsent() {
            place.clock.written(now);
        }
        self.settle(i);
    }

    pub(crate) fn deaf(&mut self, i: usize) {
        if let Some(wire) = self.places[i].wire() {
            wire.deaf = true;
            self.deafened(i);
        }
    }

    /// A bot can be told nothing any more. What was on its way to it is lost.
    pub(crate) fn deafened(&mut self, i: usize) {
        if !self.fail_untold(i) {
            if let Some(wire) = self.places[i].wire() {
                wire.forget_unsent();
            }
            self.settle(i);
            self.listen(i);
        }
    }

    /// Lets a bot fail that was to be told something and cannot be, where the protocol asks for that.
    pub(crate) fn fail_untold(&mut self, i: usize) -> bool {
        let phase = self.places[i].phase;
        let Some(wire) = self.places[i].wire().filter(|wire| wire.deaf && !wire.unsent().is_empty()) else {
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

    /// What had arrived `at` that instant was heard, which may have taken until later.
    pub(crate) fn tick(&mut self, at: Duration) {
        let now = self.now;
        for i in 0..self.places.len() {
            let place = &mut self.places[i];
            if place.clock.is_up(at) {
                let fault = place.lateness(now);
                self.fail(i, fault);
            }
        }
    }

    pub(crate) fn bytes(&mut self, i: usize, bytes: &[u8]) {
        let Some(wire) = self.places[i].wire() else { return };
        let kept = wire.keep(bytes);
        self.listen(i);
        if let (Err(flood), Some(_)) = (kept, self.places[i].wire()) {
            self.fail(i, flood);
        }
    }
}
