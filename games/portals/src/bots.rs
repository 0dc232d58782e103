//! The built-in bots. Their work is limited, but no clock limits them: the same seed gives the same game.

mod architect;
mod builder;
mod capturer;
mod random;
mod stops;

use crate::Position;
use agon_core::{Bot, BotKind, Seed};
use alloc::boxed::Box;

/// The built-in bots, weakest first.
pub(crate) const KINDS: &[BotKind] = &[
    BotKind { name: "random", about: "walks to portals and does something lawful there" },
    BotKind { name: "capturer", about: "takes the nearest portal and closes the fields that it can" },
    BotKind { name: "builder", about: "takes portals, links them into fields, and shields the portal under it" },
    BotKind { name: "architect", about: "searches routes of several stops for lasting fields, breaks the opponent's" },
];

/// Makes the bot of this name. `None` if [`KINDS`] does not list it.
pub(crate) fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Position>>> {
    match name {
        "random" => Some(Box::new(random::Random::new(seed))),
        "capturer" => Some(Box::new(capturer::Capturer::default())),
        "builder" => Some(Box::new(builder::Builder::default())),
        "architect" => Some(Box::new(architect::Architect::default())),
        _ => None,
    }
}

/// Opens the turn of a view, in buffers that are reused.
fn open<'t>(kept: &'t mut Option<crate::Turn>, view: crate::View<'_>) -> &'t mut crate::Turn {
    match kept {
        Some(turn) => turn.reopen(view.position(), view.seat()),
        None => *kept = Some(crate::Turn::open(view.position(), view.seat())),
    }
    kept.as_mut().expect("it was just opened")
}
