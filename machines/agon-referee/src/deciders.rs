//! Decisions that need no wire protocol: those of built-in bots and people.

use crate::{
    Denial, Do, RefusedOrder, TypedReferee,
    seat_state::{Decider, Phase, SeatState},
};
use agon_core::{Contest, Seat};
use core::mem;

impl<C: Contest> TypedReferee<C> {
    /// Returns the seats whose built-in bots decide in this turn.
    pub(crate) fn thinkers(&self) -> impl Iterator<Item = &SeatState<C>> {
        let awaiting = self.position.awaiting();
        self.seats.iter().filter(move |p| matches!(p.decider, Decider::Builtin(_)) && awaiting.contains(p.seat))
    }

    /// Lets a built-in bot decide.
    pub(crate) fn think(&mut self, i: usize) {
        let state = &mut self.seats[i];
        if let (Decider::Builtin(bot), Phase::Asked) = (&mut state.decider, state.phase) {
            state.clock.written(self.now);
            bot.decide(self.position.view(state.seat), &mut state.orders);
            state.phase = Phase::Decided;
        }
    }

    pub(crate) fn thought(&mut self, i: usize) {
        let state = &self.seats[i];
        if matches!(state.decider, Decider::Builtin(_)) && state.phase == Phase::Decided {
            self.hold(i);
        }
    }

    /// Takes a person's decision, or denies it with the reason.
    pub(crate) fn human(&mut self, i: usize, text: &str) {
        let state = &mut self.seats[i];
        if !matches!(state.decider, Decider::Human) || state.phase != Phase::Asked {
            return self.put(Do::Deny { seat: Some(Seat::new(i)), why: Denial::NotAsked });
        }
        let seat = state.seat;
        let mut orders = mem::take(&mut state.orders);
        orders.clear();
        let denial = match serde_json::from_str::<Vec<C::Order>>(text) {
            Err(why) => Some(Denial::UnknownOrders(why.to_string())),
            Ok(read) => {
                orders.extend(read);
                let refused = self.position.check(seat, &orders, &mut self.scratch).err();
                refused.map(|(index, why)| Denial::Unlawful(RefusedOrder { seat, index, why: why.to_string() }))
            }
        };
        let state = &mut self.seats[i];
        state.orders = orders;
        match denial {
            Some(why) => {
                state.orders.clear();
                self.put(Do::Deny { seat: Some(seat), why });
            }
            None => self.hold(i),
        }
    }
}
