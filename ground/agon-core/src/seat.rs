//! Seats: the places in a match. A *seat* is a place, a *bot* is a program, a *player* is a person or a team.

use core::fmt;
use serde::{Deserialize, Serialize};

/// The most seats that any game may have.
pub const MAX_SEATS: usize = 32;

/// One place in a match.
///
/// Inside the program seats count from 0 ([`Seat::index`]). People and files see numbers that count from 1
/// ([`Seat::number`], `Display`, serde): seat 1 is the first bot on the command line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
pub struct Seat(u8);

impl Seat {
    /// Returns the seat with this index, counted from 0. Use [`Seat::from_number`] for numbers from input.
    ///
    /// # Panics
    /// Panics if `index` is [`MAX_SEATS`] or more.
    #[must_use]
    pub const fn new(index: usize) -> Self {
        assert!(index < MAX_SEATS, "a seat index is below MAX_SEATS");
        Self(index as u8)
    }

    /// Returns the index of the seat, counted from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the number of the seat, counted from 1, as people and files see it.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0 + 1
    }

    /// Returns the seat with this number, counted from 1, or `None` if `number` is outside `1..=MAX_SEATS`.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        if number >= 1 && (number as usize) <= MAX_SEATS { Some(Self(number - 1)) } else { None }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number())
    }
}

impl From<Seat> for u8 {
    fn from(seat: Seat) -> u8 {
        seat.number()
    }
}

impl TryFrom<u8> for Seat {
    type Error = &'static str;
    fn try_from(number: u8) -> Result<Self, Self::Error> {
        Self::from_number(number).ok_or("a seat number is between 1 and 32")
    }
}

/// A set of seats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Seats(u32);

impl Seats {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Returns the set of the seats with the indices `0..count`.
    ///
    /// # Panics
    /// Panics if `count` is above [`MAX_SEATS`].
    #[must_use]
    pub const fn first(count: usize) -> Self {
        assert!(count <= MAX_SEATS, "a match has at most MAX_SEATS seats");
        if count == 32 { Self(u32::MAX) } else { Self((1 << count) - 1) }
    }

    /// Returns the set that contains only `seat`.
    #[must_use]
    pub const fn one(seat: Seat) -> Self {
        Self(1 << seat.0)
    }

    /// Returns whether `seat` is in the set.
    #[must_use]
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 >> seat.0 & 1 == 1
    }

    /// Returns the set with `seat` added.
    #[must_use]
    pub const fn with(self, seat: Seat) -> Self {
        Self(self.0 | 1 << seat.0)
    }

    /// Returns the set with `seat` removed.
    #[must_use]
    pub const fn without(self, seat: Seat) -> Self {
        Self(self.0 & !(1 << seat.0))
    }

    /// Returns the seats that are in this set and not in `other`.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns the seats that are in both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the number of seats in the set.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the set as bits. The lowest bit is the seat with index 0.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Returns an iterator over the seats in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        let mut left = self.0;
        core::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let seat = Seat(left.trailing_zeros() as u8);
            left &= left - 1;
            Some(seat)
        })
    }
}

impl FromIterator<Seat> for Seats {
    fn from_iter<T: IntoIterator<Item = Seat>>(seats: T) -> Self {
        seats.into_iter().fold(Self::NONE, Self::with)
    }
}

impl fmt::Debug for Seats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Seat::number)).finish()
    }
}
