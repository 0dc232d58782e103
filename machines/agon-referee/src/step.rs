//! The parts of a turn, which a viewer shows one after the other.

use crate::JsonList;
use agon_core::{Contest, Frame, Joint, Standing};

/// One part of a turn: its events, and the position at its end. In most games a turn has one part. In Portals each
/// action is a part.
pub struct Step<'a> {
    /// The events of this part, in order.
    pub events: JsonList,
    position: &'a dyn Shown,
}

impl Step<'_> {
    /// Returns the picture of the position at the end of this part.
    #[must_use]
    pub fn frame(&self) -> Frame {
        self.position.frame()
    }

    /// Returns the standing at the end of this part.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.position.standing()
    }
}

/// A position without its type. It may be one within a turn.
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

/// Plays a turn and calls `show` for each part of it.
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
