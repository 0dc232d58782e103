//! A built-in bot that decides from positions, without a wire protocol.

use crate::typed_game::typed_position;
use agon_core::{Bot, Contest, Flaw, Seat};
use agon_referee::{Board, JsonList};

/// A built-in bot of any game. It decides in any position, whatever it has been asked before.
pub trait AnyBot: Send {
    /// Returns the decision of `seat` in this position, which awaits it. The call lasts as long as the bot thinks.
    ///
    /// # Errors
    /// Fails if `position` belongs to another game.
    fn decide(&mut self, position: &Board, seat: Seat) -> Result<JsonList, Flaw>;
}

/// A built-in bot of one game, with its types.
pub(crate) struct TypedBot<C: Contest> {
    bot: Box<dyn Bot<C>>,
    orders: Vec<C::Order>,
}

impl<C: Contest> TypedBot<C> {
    pub(crate) fn new(bot: Box<dyn Bot<C>>) -> Self {
        Self { bot, orders: Vec::new() }
    }
}

impl<C: Contest> AnyBot for TypedBot<C> {
    fn decide(&mut self, position: &Board, seat: Seat) -> Result<JsonList, Flaw> {
        self.orders.clear();
        self.bot.decide(typed_position::<C>(position)?.view(seat), &mut self.orders);
        Ok(self.orders.iter().collect())
    }
}
