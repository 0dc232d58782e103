//! One turn: the referee asks the seats, judges their orders and plays the turn.

use crate::{
    Do, EntryRecord, Fault, Mark, MatchEvent, PlyRecord, Recording, TypedReferee,
    referee::Stage,
    seat_state::{Decider, Phase, SeatState},
    timekeeper::Spent,
};
use agon_core::{Contest, Entry, Failure, Joint, MAX_SEATS, Refused, Seat, Seats, judge};
use agon_spec::JsonText;
use core::{mem::take, time::Duration};
use std::borrow::Cow;

/// How long a bot without a clock may leave a message unread before the referee writes the next one anyway.
const PATIENCE: Duration = Duration::from_secs(1);

impl<C: Contest> TypedReferee<C> {
    /// Begins a turn, or ends the match if it is over by the rules.
    pub(crate) fn open_ply(&mut self) {
        if self.position.over() {
            return self.finish();
        }
        for state in &mut self.seats {
            state.clear();
        }
        self.stage = Stage::Thinking;
        for seat in self.position.awaiting().iter() {
            let state = &mut self.seats[seat.index()];
            if let Some(failure) = state.earlier_failure() {
                state.failure = Some(failure);
                state.phase = Phase::Done;
            } else if matches!(state.decider, Decider::Builtin(_)) {
                state.clock.ask(self.now, false);
                state.phase = Phase::Asked;
                self.put(Do::Think { seat });
            }
        }
    }

    /// Asks the processes and the people. All of them see the same unchanged position.
    pub(crate) fn ask(&mut self) {
        self.stage = Stage::Asking;
        let awaiting = self.position.awaiting();
        for seat in awaiting.iter() {
            let state = &mut self.seats[seat.index()];
            if state.phase != Phase::Idle {
                continue;
            }
            if self.settings.in_turn && matches!(state.decider, Decider::Process(_)) {
                state.phase = Phase::Queued;
            } else {
                self.ask_seat(seat);
            }
        }
        if self.settings.in_turn {
            // The first bot finds the caches as another one left them, so each seat is first in its turn.
            let first = self.plies as usize % awaiting.len().max(1);
            let (before, from) = (awaiting.iter().take(first), awaiting.iter().skip(first));
            let queued = from.chain(before).map(Seat::index).filter(|i| self.seats[*i].phase == Phase::Queued);
            self.queue_of_seats = queued.collect();
            self.queue_of_seats.reverse();
        }
    }

    /// Asks the next process that waits for its question, unless another one has still to answer.
    pub(crate) fn ask_next(&mut self) -> bool {
        let answering = |state: &SeatState<C>| {
            matches!(state.decider, Decider::Process(_)) && matches!(state.phase, Phase::Asked | Phase::Decided)
        };
        if self.queue_of_seats.is_empty() || self.seats.iter().any(answering) {
            return false;
        }
        let next = self.queue_of_seats.pop().filter(|i| self.seats[*i].phase == Phase::Queued);
        if let Some(i) = next {
            self.ask_seat(Seat::new(i));
        }
        true
    }

    /// Asks one process or person.
    fn ask_seat(&mut self, seat: Seat) {
        let i = seat.index();
        let state = &mut self.seats[i];
        // The seat may have failed while a built-in bot was thinking.
        if let Some(failure) = state.earlier_failure() {
            state.failure = Some(failure);
            state.phase = Phase::Done;
            return;
        }
        state.phase = Phase::Asked;
        let clock = state.clock.ask(self.now, false);
        let deadline = state.clock.deadline();
        let Decider::Process(wire) = &mut state.decider else {
            state.clock.written(self.now);
            self.put(Do::Ask { seat });
            return;
        };
        let (dialogue, out) = wire.speaking();
        dialogue.prompt(self.position.view(seat), clock, out);
        let spoke_last = wire.spoke_last;
        self.thaw(i);
        if self.fail_untold(i) {
            return;
        }
        // Bytes from before the question count as the answer, as in every contest's own engine.
        self.listen(i);
        let decided = self.seats[i].phase != Phase::Asked;
        let drain = (spoke_last && !decided).then(|| deadline.unwrap_or(self.now + PATIENCE));
        self.say(i, drain);
    }

    /// Ends a turn. All failures of the turn are known by now and count as simultaneous.
    pub(crate) fn close_ply(&mut self) {
        let awaiting = self.position.awaiting();
        for seat in awaiting.iter() {
            let state = &mut self.seats[seat.index()];
            let (entry, refused) = judge(&self.position, seat, &state.orders, state.failure, &mut self.scratch);
            (state.failure, state.refused, state.void) = (entry.failure, refused, entry.orders.is_empty());
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
            let state = &self.seats[seat.index()];
            let orders = if state.void { &[][..] } else { &state.orders[..] };
            *entry = Entry { seat, orders, failure: state.failure };
        }
        let joint = Joint::new(&entries[..awaiting.len()]);
        let round = self.position.round();
        if self.settings.recording == Recording::Full {
            self.position.resolve(joint, &mut self.scratch, &mut self.events);
        } else {
            self.position.resolve(joint, &mut self.scratch, &mut ());
        }
        self.plies += 1;
        self.stage = Stage::Between;

        for seat in awaiting.iter() {
            let state = &mut self.seats[seat.index()];
            // A seat that failed in an earlier turn was not asked.
            if state.fault.as_ref().is_none_or(|fault| fault.ply >= self.plies) {
                state.used.add(state.spent.wall);
                state.count_refused();
            }
        }
        match self.settings.recording {
            Recording::Result => {}
            Recording::Faults if self.kept.is_some() => self.keep(awaiting),
            _ => self.record_turn(awaiting, round),
        }
    }

    /// Records the turn that has just ended.
    fn record_turn(&mut self, awaiting: Seats, round: Option<u32>) {
        let plies = self.plies;
        let entry = |seat: Seat| {
            let state = &mut self.seats[seat.index()];
            // A seat that failed in an earlier turn was not asked.
            let asked = state.fault.as_ref().is_none_or(|fault| fault.ply >= plies);
            let refused = if asked { state.refused_commands() } else { Vec::new() };
            let judged = (state.failure, state.refused);
            let off_turn = take(&mut state.off_turn);
            EntryRecord { refused, ..entry_record::<C>(seat, &state.orders, judged, &state.spent, off_turn) }
        };
        let entries = awaiting.iter().map(entry).collect();
        let full = self.settings.recording == Recording::Full;
        self.record(MatchEvent::Ply(PlyRecord {
            ply: self.plies,
            round,
            entries,
            events: self.events.iter().collect(),
            fingerprint: Mark(self.position.fingerprint()),
            standing: full.then(|| self.position.standing()),
        }));
    }

    /// Tells a bot the verdict on its decision. Its view is still that of the position in which it decided.
    fn tell_verdict(&mut self, seat: Seat) {
        let i = seat.index();
        let view = self.position.view(seat);
        let state = &mut self.seats[i];
        let (refused, failure) = (state.refused, state.failure);
        if let Some(wire) = state.wire()
            && failure.is_none_or(|failure| !failure.is_breakdown())
        {
            let before = wire.outbox().len();
            let (dialogue, out) = wire.speaking();
            dialogue.verdict(view, refused.map_or(Ok(()), Err), out);
            wire.spoke_last |= wire.outbox().len() > before;
            self.say(i, None);
        }
        if let (Some(refused), Some(agon_core::Failure::Unlawful(index))) = (refused, failure) {
            let order = self.seats[i].orders.get(refused.index).map_or_else(|| JsonText::of(&()), JsonText::of);
            self.fail(i, Fault::Unlawful { index, order, why: refused.why.to_string() });
            self.seats[i].counted = true;
        }
    }
}

/// Returns the record of a seat's part in a turn. `judged` is its failure, and why the rules refused an order.
pub(crate) fn entry_record<C: Contest>(
    seat: Seat,
    orders: &[C::Order],
    (failure, refused): (Option<Failure>, Option<Refused<C>>),
    spent: &Spent,
    off_turn: Duration,
) -> EntryRecord {
    let off_turn = off_turn.as_micros() as u64;
    let time = spent.record();
    let refusal = refused.map(|refused| refused.why.to_string());
    let mistake = refused.map(|refused| C::mistake(&refused.why)).filter(|text| Some(&**text) != refusal.as_deref());
    EntryRecord {
        orders: orders.iter().collect(),
        failure,
        refusal,
        mistake: mistake.map(Cow::into_owned),
        wall_us: time.wall_us,
        soft_late: spent.soft_late,
        cpu_us: time.cpu_us,
        busy_us: time.busy_us,
        runnable_us: time.runnable_us,
        blocked_us: time.blocked_us,
        lag_us: time.lag_us,
        given_us: time.given_us,
        partial: time.partial,
        // A bot that has answered waits for its next question, not for a core.
        waiting: time.waiting && failure == Some(Failure::Late),
        off_turn_us: (off_turn > 0).then_some(off_turn),
        ..EntryRecord::new(seat)
    }
}
