//! The parts of a turn that a watcher may be shown one after the other.

use crate::JsonList;
use agon_core::{Contest, Frame, Joint, Standing};

/// One part of a turn: what happened in it, and the position by then. Most games have one part a turn; in Portals each
/// action is one.
pub struct Step<'a> {
    /// What happened, in the order in which it did.
    pub events: JsonList,
    position: &'a dyn Shown,
}

impl Step<'_> {
    /// What a viewer draws of the position by then.
    #[must_use]
    pub fn frame(&self) -> Frame {
        self.position.frame()
    }

    /// How the match stands by then.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.position.standing()
    }
}

/// A position that may lie within a turn, without its type.
trait Shown {
    fn frame(&self) -> Frame;
    fn standing(&self) -> Standing;
}

impl<C: Contest> Shown for C {
    fn frame(&self) -> Frame {
        Contest::frame(self)
    }

    fn standing(&self) -> Standing {
        agon_core::Game::standing(self)
    }
}

/// Plays a turn and shows each part of it.
pub(crate) fn resolve_in_steps<C: Contest>(
    position: &mut C,
    joint: Joint<'_, C::Order>,
    scratch: &mut C::Scratch,
    show: &mut dyn FnMut(&Step<'_>),
) {
    position.resolve_in_steps(joint, scratch, &mut |now: &C, events: &[C::Event]| {
        show(&Step { events: events.iter().collect(), position: now });
    });
}
