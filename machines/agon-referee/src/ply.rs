//! One turn: who is asked, what they brought, what the rules make of it.

use crate::{
    Do, EntryRecord, Fault, Mark, MatchEvent, PlyRecord, Recording, Referee,
    place::{Party, Phase, Place},
    referee::Stage,
};
use agon_core::{Contest, Entry, Failure, Joint, MAX_SEATS, Seat, judge};
use core::time::Duration;

/// How long a bot without a clock may leave a message unread before the next one is written all the same.
const PATIENCE: Duration = Duration::from_secs(1);

impl<C: Contest> Referee<C> {
    /// Begins a turn, or ends the match.
    pub(crate) fn open_ply(&mut self) {
        if self.position.over() {
            return self.finish();
        }
        for place in &mut self.places {
            place.clear();
        }
        self.stage = Stage::Thinking;
        for seat in self.position.awaiting().iter() {
            let place = &mut self.places[seat.index()];
            if let Some(failure) = place.earlier_failure() {
                place.failure = Some(failure);
                place.phase = Phase::Done;
            } else if matches!(place.party, Party::Builtin(_)) {
                place.clock.ask(self.now, false);
                place.phase = Phase::Asked;
                self.put(Do::Think { seat });
            }
        }
    }

    /// Asks the processes and the people, all from the same unchanged position.
    pub(crate) fn ask(&mut self) {
        self.stage = Stage::Asking;
        for seat in self.position.awaiting().iter() {
            let i = seat.index();
            let place = &mut self.places[i];
            if place.phase != Phase::Idle {
                continue;
            }
            // It may have failed while a built-in bot thought.
            if let Some(failure) = place.earlier_failure() {
                place.failure = Some(failure);
                place.phase = Phase::Done;
                continue;
            }
            place.phase = Phase::Asked;
            let clock = place.clock.ask(self.now, false);
            let deadline = place.clock.deadline();
            let Party::Process(wire) = &mut place.party else {
                place.clock.written(self.now);
                self.put(Do::Ask { seat });
                continue;
            };
            let (dialogue, out) = wire.speaking();
            dialogue.prompt(self.position.view(seat), clock, out);
            let told = wire.told;
            self.thaw(i);
            if self.fail_untold(i) {
                continue;
            }
            // What the bot wrote before it was asked is its answer, as with every contest's own engine.
            self.listen(i);
            let decided = self.places[i].phase != Phase::Asked;
            let drain = (told && !decided).then(|| deadline.unwrap_or(self.now + PATIENCE));
            self.say(i, drain);
        }
    }

    /// Ends a turn: every failure of the turn is in, so nobody's death comes before another's.
    pub(crate) fn close_ply(&mut self) {
        let awaiting = self.position.awaiting();
        for seat in awaiting.iter() {
            let place = &mut self.places[seat.index()];
            let (entry, refused) = judge(&self.position, seat, &place.orders, place.failure, &mut self.scratch);
            (place.failure, place.refused, place.void) = (entry.failure, refused, entry.orders.is_empty());
        }
        for seat in awaiting.iter() {
            self.tell_verdict(seat);
        }

        if self.settings.undo {
            self.history.push(self.position.clone());
        }
        self.events.clear();
        let mut entries = [Entry { seat: Seat::new(0), orders: &[][..], failure: None }; MAX_SEATS];
        for (entry, seat) in entries.iter_mut().zip(awaiting.iter()) {
            let place = &self.places[seat.index()];
            let orders = if place.void { &[][..] } else { &place.orders[..] };
            *entry = Entry { seat, orders, failure: place.failure };
        }
        let joint = Joint::new(&entries[..awaiting.len()]);
        if self.settings.recording == Recording::Full {
            self.position.resolve(joint, &mut self.scratch, &mut self.events);
        } else {
            self.position.resolve(joint, &mut self.scratch, &mut ());
        }
        self.plies += 1;
        self.stage = Stage::Between;

        if self.settings.recording > Recording::Result {
            let entries = awaiting.iter().map(|seat| entry_record(&mut self.places[seat.index()])).collect();
            let full = self.settings.recording == Recording::Full;
            self.record(MatchEvent::Ply(PlyRecord {
                ply: self.plies,
                entries,
                events: self.events.iter().collect(),
                fingerprint: Mark(self.position.fingerprint()),
                standing: full.then(|| self.position.standing()),
            }));
        }
    }

    /// Tells a bot what became of its decision, from the position in which it was made.
    fn tell_verdict(&mut self, seat: Seat) {
        let i = seat.index();
        let view = self.position.view(seat);
        let place = &mut self.places[i];
        let (refused, failure) = (place.refused, place.failure);
        if let Some(wire) = place.wire()
            && failure.is_none_or(|failure| !failure.is_breakdown())
        {
            let before = wire.outbox().len();
            let (dialogue, out) = wire.speaking();
            dialogue.verdict(view, refused.map_or(Ok(()), Err), out);
            wire.told |= wire.outbox().len() > before;
            self.say(i, None);
        }
        if let (Some(refused), Some(agon_core::Failure::Unlawful(index))) = (refused, failure) {
            let order = self.places[i].orders.get(refused.index).map_or(serde_json::Value::Null, json);
            self.fail(i, Fault::Unlawful { index, order, why: refused.why.to_string() });
            self.places[i].counted = true;
        }
    }
}

/// The record of what a seat brought to a turn.
fn entry_record<C: Contest>(place: &mut Place<C>) -> EntryRecord {
    let pondered = core::mem::take(&mut place.pondered).as_micros() as u64;
    let time = place.spent.record();
    EntryRecord {
        orders: place.orders.iter().collect(),
        failure: place.failure,
        refusal: place.refused.map(|refused| refused.why.to_string()),
        wall_us: time.wall_us,
        soft_late: place.spent.soft_late,
        cpu_us: time.cpu_us,
        busy_us: time.busy_us,
        runnable_us: time.runnable_us,
        lag_us: time.lag_us,
        given_us: time.given_us,
        // Who has answered waits for its next question.
        waiting: time.waiting && place.failure == Some(Failure::Late),
        off_turn_us: (pondered > 0).then_some(pondered),
        ..EntryRecord::new(place.seat)
    }
}

/// A value of a game as JSON. The games' orders and events are plain data, which always can be written.
fn json<T: serde::Serialize>(value: &T) -> serde_json::Value {
    serde_json::to_value(value).unwrap_or(serde_json::Value::Null)
}
