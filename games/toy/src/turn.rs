//! The stages of a turn, in the order of the rules.

use crate::{Event, Order, Position};
use agon_core::{Joint, Seat, Sink};

/// Marks every seat that failed, in whatever way, as a loser.
pub(crate) fn judge_failures(game: &mut Position, joint: Joint<'_, Order>) {
    for entry in joint.entries() {
        if entry.failure.is_some() {
            game.failed = game.failed.with(entry.seat);
        }
    }
}

/// Takes the stones away. The last one counts for the seat with the smaller number.
pub(crate) fn take(game: &mut Position, joint: Joint<'_, Order>, out: &mut impl Sink<Event>) {
    let mut last: Option<(u32, Option<Seat>)> = None;
    for entry in joint.entries() {
        let Some(Order(stones)) = entry.orders.first().copied() else { continue };
        game.stones = game.stones.saturating_sub(stones);
        out.put(Event { seat: entry.seat, stones });
        last = match last {
            Some((least, _)) if least == stones => Some((least, None)),
            Some((least, seat)) if least < stones => Some((least, seat)),
            _ => Some((stones, Some(entry.seat))),
        };
    }
    if game.stones == 0 {
        game.last = last.and_then(|(_, seat)| seat);
    }
}

/// Counts the turn and makes the other seat the one to move.
pub(crate) fn pass_on(game: &mut Position) {
    game.turns = game.turns.saturating_add(1);
    game.mover = Seat::new(1 - game.mover.index());
}
