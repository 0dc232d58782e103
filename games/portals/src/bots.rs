//! The built-in bots. All are deterministic by their seed and limited by work.

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
    BotKind { name: "random", about: "walks to portals and does there what it may" },
    BotKind { name: "capturer", about: "takes the nearest portal and closes the fields that offer themselves" },
    BotKind { name: "builder", about: "takes portals and weaves them into fields, shields what it stands on" },
    BotKind { name: "architect", about: "searches routes of several stops for lasting fields, and breaks the other's" },
];

/// The bot of this name.
pub(crate) fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Position>>> {
    match name {
        "random" => Some(Box::new(random::Random::new(seed))),
        "capturer" => Some(Box::new(capturer::Capturer::default())),
        "builder" => Some(Box::new(builder::Builder::default())),
        "architect" => Some(Box::new(architect::Architect::default())),
        _ => None,
    }
}

/// Opens the turn that a view is asked about, in buffers that are kept.
fn open<'t>(kept: &'t mut Option<crate::Turn>, view: crate::View<'_>) -> &'t mut crate::Turn {
    match kept {
        Some(turn) => turn.reopen(view.position(), view.seat()),
        None => *kept = Some(crate::Turn::open(view.position(), view.seat())),
    }
    kept.as_mut().expect("it was just opened")
}
