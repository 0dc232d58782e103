//! Matches of built-in bots that begin at one position.

use crate::playable::AnyRollouts;
use agon_core::{Bot, Contest, Flaw, Joint, Seat, Seed, Standing, judge, text::counted};

/// The rollouts of one game, with its types.
pub(crate) struct TypedRollouts<C: Contest> {
    start: C,
    bots: Vec<&'static str>,
    game: C,
    scratch: C::Scratch,
    /// The orders of each seat.
    orders: Vec<Vec<C::Order>>,
}

impl<C: Contest> TypedRollouts<C> {
    /// Fails if a bot is unknown or if there is not one for each seat.
    pub(crate) fn new(start: C, bots: &[&'static str]) -> Result<Self, Flaw> {
        if bots.len() != start.seats() {
            let (wanted, given) = (start.seats(), bots.len());
            return Err(Flaw::new(format!(
                "the match has {}, but the list of bots has {given}",
                counted(wanted, "seat")
            )));
        }
        for bot in bots {
            new_bot::<C>(bot, Seed(0))?;
        }
        let orders = bots.iter().map(|_| Vec::new()).collect();
        Ok(Self { game: start.clone(), start, bots: bots.to_vec(), scratch: C::Scratch::default(), orders })
    }

    fn turn(&mut self, bots: &mut [Box<dyn Bot<C>>]) {
        for seat in self.game.awaiting().iter() {
            let orders = &mut self.orders[seat.index()];
            orders.clear();
            bots[seat.index()].decide(self.game.view(seat), orders);
        }
        let entry = |seat: Seat| judge(&self.game, seat, &self.orders[seat.index()], None, &mut self.scratch).0;
        let entries: Vec<_> = self.game.awaiting().iter().map(entry).collect();
        self.game.resolve(Joint::new(&entries), &mut self.scratch, &mut ());
    }
}

impl<C: Contest> AnyRollouts for TypedRollouts<C> {
    fn play(&mut self, seed: Seed) -> Standing {
        let bots = self.bots.iter().zip(0..).map(|(bot, seat)| new_bot::<C>(bot, seed.for_bot(Seat::new(seat))));
        // The names were checked at the start.
        let Ok(mut bots) = bots.collect::<Result<Vec<_>, _>>() else { return self.start.standing() };
        self.game.clone_from(&self.start);
        while !self.game.over() {
            self.turn(&mut bots);
        }
        self.game.standing()
    }
}

/// Makes a built-in bot. Fails if the game has none of this name.
pub(crate) fn new_bot<C: Contest>(name: &str, seed: Seed) -> Result<Box<dyn Bot<C>>, Flaw> {
    C::bot(name, seed).ok_or_else(|| C::INFO.no_bot("", name))
}
