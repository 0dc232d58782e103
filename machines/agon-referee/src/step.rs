//! The parts of a turn, which a viewer shows one after the other.

use crate::JsonList;
use agon_core::{Contest, Frame, Incident, Joint, Seat, Standing};

/// One part of a turn: its events, and the position at its end. In most games a turn has one part. In Portals each
/// action is a part.
pub struct Step<'a> {
    shown: &'a dyn Shown,
}

impl Step<'_> {
    /// Returns the events of this part, in order.
    #[must_use]
    pub fn events(&self) -> JsonList {
        self.shown.events()
    }

    /// Returns the picture of the position at the end of this part as a display list, with a tooltip for each item.
    #[must_use]
    pub fn picture(&self) -> Frame {
        self.shown.frame(None).spelled_out()
    }

    /// Returns what a viewer draws of the position at the end of this part, as
    /// [`Board::frame`](crate::Board::frame) does.
    #[must_use]
    pub fn frame(&self, eyes: Option<Seat>) -> Frame {
        self.shown.frame(eyes)
    }

    /// Returns the events of this part in words, as a viewer with the eyes of a seat learns of them: without the private
    /// ones of other seats. `None` sees everything. There are none if the match has no such seat.
    #[must_use]
    pub fn incidents(&self, eyes: Option<Seat>) -> Vec<Incident> {
        self.shown.incidents(eyes)
    }

    /// Returns the standing at the end of this part.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.shown.standing()
    }
}

/// A part of a turn without its types.
trait Shown {
    fn events(&self) -> JsonList;
    fn frame(&self, eyes: Option<Seat>) -> Frame;
    fn incidents(&self, eyes: Option<Seat>) -> Vec<Incident>;
    fn standing(&self) -> Standing;
}

/// A part of a turn of the game `C`. The position may be one within the turn.
struct Part<'a, C: Contest> {
    position: &'a C,
    events: &'a [C::Event],
}

impl<C: Contest> Shown for Part<'_, C> {
    fn events(&self) -> JsonList {
        self.events.iter().collect()
    }

    fn frame(&self, eyes: Option<Seat>) -> Frame {
        frame_for(self.position, eyes)
    }

    fn incidents(&self, eyes: Option<Seat>) -> Vec<Incident> {
        let seats = self.position.seats();
        let learns = |incident: &Incident| {
            eyes.is_none_or(|eyes| eyes.index() < seats && (!incident.is_private || incident.seat == Some(eyes)))
        };
        self.events.iter().filter_map(|event| self.position.tell(event)).filter(learns).collect()
    }

    fn standing(&self) -> Standing {
        self.position.standing()
    }
}

/// Returns what a viewer draws of a position. It is nothing if the match has no such seat.
pub(crate) fn frame_for<C: Contest>(position: &C, eyes: Option<Seat>) -> Frame {
    match eyes {
        None => position.frame(),
        Some(seat) if seat.index() < position.seats() => position.frame_of(seat),
        Some(_) => Frame::default(),
    }
}

/// Appends the numbers of a seat as a viewer knows them. It appends nothing if the match has no such seat.
pub(crate) fn measure_for<C: Contest>(position: &C, eyes: Option<Seat>, seat: Seat, out: &mut Vec<f64>) {
    let seats = position.seats();
    match eyes {
        _ if seat.index() >= seats => {}
        None => position.measure(seat, out),
        Some(eyes) if eyes.index() < seats => position.measure_known(eyes, seat, out),
        Some(_) => {}
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
        show(&Step { shown: &Part { position: now, events } });
    });
}
