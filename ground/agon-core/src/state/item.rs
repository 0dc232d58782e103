//! Reading a state: every flaw names its item.

use super::State;
use crate::{Flaw, Seat, Seats, geometry::Point};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::ops::RangeInclusive;

/// An item of a [`State`] with its path, for example `players[1].keys[2]`.
///
/// In a path a name follows a dot, or stands in brackets if it is a number or a place. In brackets after a list stands
/// the position in it, counted from 1.
#[derive(Clone, Debug)]
pub struct StateItem<'a> {
    path: String,
    state: &'a State,
}

impl<'a> StateItem<'a> {
    pub(super) fn whole(state: &'a State) -> Self {
        Self { path: String::new(), state }
    }

    fn named(&self, name: &str, state: &'a State) -> Self {
        let mut path = self.path.clone();
        super::path::extend(&mut path, name);
        Self { path, state }
    }

    /// Creates a flaw of this item.
    pub fn flaw(&self, what: impl Into<String>) -> Flaw {
        Flaw::new(what).of(&self.path)
    }

    /// Returns a named item, or `None` if it is left out.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Self> {
        let (_, state) = self.state.items().iter().rev().find(|(known, _)| known == name)?;
        Some(self.named(name, state))
    }

    /// Returns a named item that must be there.
    ///
    /// # Errors
    /// Fails if it is left out, or if this item has no names.
    pub fn need(&self, name: &str) -> Result<Self, Flaw> {
        self.entries()?;
        self.field(name).ok_or_else(|| self.flaw(format!("`{name}` is missing")))
    }

    /// Checks that this item has no other names than these.
    ///
    /// # Errors
    /// Fails at the first other name, and if this item has no names.
    pub fn only(&self, names: &[&str]) -> Result<(), Flaw> {
        match self.entries()?.iter().find(|(name, _)| !names.contains(&&**name)) {
            None => Ok(()),
            Some((name, value)) => {
                let hint = if names.is_empty() {
                    "the map of this game says everything".into()
                } else {
                    format!("known here: {}", names.join(", "))
                };
                Err(self.named(name, value).flaw("unknown item").hint(hint))
            }
        }
    }

    fn entries(&self) -> Result<&'a [(String, State)], Flaw> {
        match self.state {
            State::Items(items) => Ok(items),
            _ => Err(self.flaw("named items are expected").hint("write `{\"NAME\": …}`")),
        }
    }

    /// Returns the items that are named by seats, in the order in which they are written.
    ///
    /// # Errors
    /// Fails at the first name that is not the number of one of so many seats, and if this item has no names.
    pub fn by_seat(&self, seats: usize) -> Result<Vec<(Seat, Self)>, Flaw> {
        let one = |(name, state): &'a (String, State)| {
            let item = self.named(name, state);
            let seat = name.parse().ok().and_then(Seat::from_number).filter(|seat| seat.index() < seats);
            seat.map(|seat| (seat, item.clone())).ok_or_else(|| item.no_seat(name, seats))
        };
        self.entries()?.iter().map(one).collect()
    }

    /// Returns the items that are named by places, in the order in which they are written.
    ///
    /// # Errors
    /// Fails at the first name that is not a place, and if this item has no names.
    pub fn by_place(&self) -> Result<Vec<(Point, Self)>, Flaw> {
        let one = |(name, state): &'a (String, State)| {
            let item = self.named(name, state);
            point(name).map(|point| (point, item.clone())).ok_or_else(|| item.no_place(name))
        };
        self.entries()?.iter().map(one).collect()
    }

    /// Returns the items of a list.
    ///
    /// # Errors
    /// Fails if this item is not a list.
    pub fn list(&self) -> Result<Vec<Self>, Flaw> {
        let State::List(list) = self.state else { return Err(self.flaw("a list is expected").hint("write `[…]`")) };
        Ok(list.iter().enumerate().map(|(i, state)| self.named(&(i + 1).to_string(), state)).collect())
    }

    /// Returns a number in a range.
    ///
    /// # Errors
    /// Fails if this item is not such a number.
    pub fn number(&self, range: RangeInclusive<i64>) -> Result<i64, Flaw> {
        match self.state {
            State::Number(number) if range.contains(number) => Ok(*number),
            _ => {
                let (least, most) = range.into_inner();
                Err(self.flaw(format!("{} is not a number from {least} to {most}", self.shown())))
            }
        }
    }

    /// Returns a text.
    ///
    /// # Errors
    /// Fails if this item is not a text.
    pub fn text(&self) -> Result<&'a str, Flaw> {
        if let State::Text(text) = self.state { Ok(text) } else { Err(self.flaw("a text is expected")) }
    }

    /// Returns a seat, written as its number.
    ///
    /// # Errors
    /// Fails if this item is not one of so many seats.
    pub fn seat(&self, seats: usize) -> Result<Seat, Flaw> {
        let seat = match self.state {
            State::Number(number) => u8::try_from(*number).ok().and_then(Seat::from_number),
            _ => None,
        };
        seat.filter(|seat| seat.index() < seats).ok_or_else(|| {
            let flaw = self.flaw(format!("{} is not one of the seats 1 to {seats}", self.shown()));
            flaw.hint("write the number of a seat")
        })
    }

    /// Returns a set of seats: the list with this name. The set is empty if the list is left out.
    ///
    /// # Errors
    /// Fails if the item is not a list of seats.
    pub fn seats(&self, name: &str, seats: usize) -> Result<Seats, Flaw> {
        let Some(item) = self.field(name) else { return Ok(Seats::NONE) };
        item.list()?.iter().map(|item| item.seat(seats)).collect()
    }

    /// Returns a place, written as `"3,4"`.
    ///
    /// # Errors
    /// Fails if this item is not a place.
    pub fn place(&self) -> Result<Point, Flaw> {
        let text = self.text()?;
        point(text).ok_or_else(|| self.no_place(text))
    }

    /// Returns the two ends of a link, written as `"3,4 5,6"`.
    ///
    /// # Errors
    /// Fails if this item is not two places.
    pub fn link(&self) -> Result<(Point, Point), Flaw> {
        let text = self.text()?;
        let ends = text.split_once(' ').and_then(|(one, other)| Some((point(one)?, point(other)?)));
        ends.ok_or_else(|| {
            self.flaw(format!("`{}` is not a link", text.escape_debug()))
                .hint("write two places, such as `\"3,4 5,6\"`")
        })
    }

    fn no_seat(&self, name: &str, seats: usize) -> Flaw {
        self.flaw(format!("`{}` is not one of the seats 1 to {seats}", name.escape_debug()))
    }

    fn no_place(&self, name: &str) -> Flaw {
        self.flaw(format!("`{}` is not a place", name.escape_debug())).hint("write x and y, such as `3,4`")
    }

    fn shown(&self) -> String {
        match self.state {
            State::Number(number) => format!("`{number}`"),
            State::Text(text) => format!("`{}`", text.escape_debug()),
            State::List(_) => "a list".into(),
            State::Items(_) => "an object".into(),
        }
    }
}

/// Reads a place such as `3,4`.
fn point(text: &str) -> Option<Point> {
    let (x, y) = text.split_once(',')?;
    Some(Point { x: x.parse().ok()?, y: y.parse().ok()? })
}
