//! Those who decide without a wire: built-in bots and people.

use crate::{
    Do, TypedReferee,
    seat_state::{Decider, Phase, SeatState},
};
use agon_core::{Contest, Seat};
use core::mem;

impl<C: Contest> TypedReferee<C> {
    /// The seats whose built-in bots decide in this turn.
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

    /// Takes a person's decision, or says why not.
    pub(crate) fn human(&mut self, i: usize, text: &str) {
        let state = &mut self.seats[i];
        if !matches!(state.decider, Decider::Human) || state.phase != Phase::Asked {
            let why = "it is not your turn".to_string();
            return self.put(Do::Refused { seat: Some(Seat::new(i)), why });
        }
        let seat = state.seat;
        let mut orders = mem::take(&mut state.orders);
        orders.clear();
        let refusal = match serde_json::from_str::<Vec<C::Order>>(text) {
            Err(e) => Some(format!("these are no orders: {e}")),
            Ok(read) => {
                orders.extend(read);
                self.position.check(seat, &orders, &mut self.scratch).err().map(|(_, why)| why.to_string())
            }
        };
        let state = &mut self.seats[i];
        state.orders = orders;
        match refusal {
            Some(why) => {
                state.orders.clear();
                self.put(Do::Refused { seat: Some(seat), why });
            }
            None => self.hold(i),
        }
    }
}
