//! Those who decide without a wire: built-in bots and people.

use crate::{
    Do, Referee,
    place::{Party, Phase, Place},
};
use agon_core::{Contest, Seat};
use core::mem;

impl<C: Contest> Referee<C> {
    /// The places whose built-in bots decide in this turn.
    pub(crate) fn thinkers(&self) -> impl Iterator<Item = &Place<C>> {
        let awaiting = self.position.awaiting();
        self.places.iter().filter(move |p| matches!(p.party, Party::Builtin(_)) && awaiting.contains(p.seat))
    }

    /// Lets a built-in bot decide.
    pub(crate) fn think(&mut self, i: usize) {
        let place = &mut self.places[i];
        if let (Party::Builtin(bot), Phase::Asked) = (&mut place.party, place.phase) {
            place.clock.written(self.now);
            bot.decide(self.position.view(place.seat), &mut place.orders);
            place.phase = Phase::Decided;
        }
    }

    pub(crate) fn thought(&mut self, i: usize) {
        let place = &self.places[i];
        if matches!(place.party, Party::Builtin(_)) && place.phase == Phase::Decided {
            self.hold(i);
        }
    }

    /// Takes a person's decision, or says why not.
    pub(crate) fn human(&mut self, i: usize, text: &str) {
        let place = &mut self.places[i];
        if !matches!(place.party, Party::Human) || place.phase != Phase::Asked {
            let why = "it is not your turn".to_string();
            return self.put(Do::Refused { seat: Some(Seat::new(i)), why });
        }
        let seat = place.seat;
        let mut orders = mem::take(&mut place.orders);
        orders.clear();
        let refusal = match serde_json::from_str::<Vec<C::Order>>(text) {
            Err(e) => Some(format!("these are no orders: {e}")),
            Ok(read) => {
                orders.extend(read);
                self.position.check(seat, &orders, &mut self.scratch).err().map(|(_, why)| why.to_string())
            }
        };
        let place = &mut self.places[i];
        place.orders = orders;
        match refusal {
            Some(why) => {
                place.orders.clear();
                self.put(Do::Refused { seat: Some(seat), why });
            }
            None => self.hold(i),
        }
    }
}
