//! Decisions: given by a person, or asked of a bot.

use crate::{
    console::Console,
    occupant::Decider,
    timing::Given,
    waiting::{Asked, Task},
};
use agon_core::{Flaw, Seat};
use agon_referee::{ApplyError, JsonList};
use std::time::Duration;

impl Console {
    /// Takes the decision of a seat, and plays the turn if it was the last one.
    pub(crate) fn give(&mut self, asked: Asked, seat: Seat, text: &str) -> Result<(), Flaw> {
        if self.tree.position().over() {
            return Err(over());
        }
        if !self.tree.position().awaiting().contains(seat) {
            let awaiting = self.tree.position().awaiting();
            if awaiting.is_empty() {
                return Err(Flaw::new("nobody decides in this turn").hint("`go` plays it"));
            }
            let numbers: Vec<String> = awaiting.iter().map(|seat| seat.to_string()).collect();
            return Err(Flaw::new(format!("it is not the turn of seat {seat}"))
                .hint(format!("the seats that decide now: {}", numbers.join(", "))));
        }
        let earlier = self.given[seat.index()].as_ref();
        if earlier.is_some_and(|given| given.fault.is_some()) {
            return Err(Flaw::new(format!("the time of seat {seat} is up"))
                .hint("the turn is played when the other seats have decided; `undo` then takes it back"));
        }
        let orders = self.read_orders(seat, text)?;
        // A decision in the place of an earlier one takes no more time.
        let earlier = self.given[seat.index()].take();
        let spent = earlier.map_or_else(|| self.charge(seat), |given| given.spent);
        self.given[seat.index()] = Some(Given { orders, fault: None, spent });
        if let Some(clocks) = &mut self.clocks {
            clocks.stand = false;
        }
        self.wait_for(asked, Task::Turns(1), self.wait);
        Ok(())
    }

    /// Reads orders, as a list or as a single order, and checks them.
    fn read_orders(&self, seat: Seat, text: &str) -> Result<JsonList, Flaw> {
        let lawful = |flaw: Flaw| if let Some(hint) = self.example(seat) { flaw.hint(hint) } else { flaw };
        let unread = |why: String| lawful(Flaw::new(format!("the orders cannot be read: {why}")));
        let list: Result<JsonList, _> = serde_json::from_str(text);
        let position = self.tree.position();
        let first = match &list {
            Ok(list) => position.check(seat, list),
            Err(_) => Err(ApplyError::UnknownOrder { seat, why: String::new() }),
        };
        match (first, list) {
            (Ok(()), Ok(list)) => Ok(list),
            (Err(ApplyError::UnknownOrder { why, .. }), list) => {
                let value: serde_json::Value = serde_json::from_str(text).map_err(|why| unread(why.to_string()))?;
                let single: JsonList = [value].into_iter().collect();
                match position.check(seat, &single) {
                    Ok(()) => Ok(single),
                    Err(ApplyError::UnknownOrder { why: other, .. }) => {
                        Err(unread(if list.is_ok() { why } else { other }))
                    }
                    Err(why) => Err(lawful(Flaw::new(why.to_string()))),
                }
            }
            (Err(why), _) => Err(lawful(Flaw::new(why.to_string()))),
            (Ok(()), Err(why)) => Err(unread(why.to_string())),
        }
    }

    /// Returns what the orders of this game look like, by a decision that is lawful for this seat now. `None` if no order is known.
    fn example(&self, seat: Seat) -> Option<String> {
        let position = self.tree.position();
        let listed = position.legal(seat).and_then(|orders| orders.texts().next().map(str::to_owned));
        let order = listed.or_else(|| {
            let first = |name| {
                let orders = self.game.bot(name, self.spec.seed)?.decide(position, seat).ok()?;
                orders.texts().next().map(str::to_owned)
            };
            self.game.info().bots.iter().find_map(|bot| first(bot.name))
        })?;
        let game = self.game.name();
        Some(format!(
            "`play {seat} {order}` is lawful, for example; `[ORDER,ORDER]` gives several orders and `[]` none, and `agon rules \
             {game}` explains them"
        ))
    }

    pub(crate) fn ask(&mut self, asked: Asked, seat: Seat, wait: Option<Duration>) -> Result<(), Flaw> {
        if matches!(self.seats[seat.index()].decider, Decider::Human) {
            return Err(Flaw::new(format!("seat {seat} is a person's")).hint("only bots can be asked"));
        }
        if self.tree.position().over() {
            return Err(over());
        }
        if !self.tree.position().awaiting().contains(seat) {
            return Err(
                Flaw::new(format!("it is not the turn of seat {seat}")).hint("a bot is asked when it is its turn")
            );
        }
        self.wait_for(asked, Task::Ask(seat), wait.or(self.wait));
        Ok(())
    }
}

/// The flaw of a command that needs a match that goes on.
pub(crate) fn over() -> Flaw {
    Flaw::new("the match has ended").hint("`undo` takes its last turn back")
}
