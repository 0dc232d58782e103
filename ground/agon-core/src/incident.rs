//! What happened in a turn, as viewers tell it.

use crate::{Key, Seat};
use alloc::{string::String, vec::Vec};

/// One thing that happened in a turn, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Incident {
    /// The kind, in one word or two with a hyphen, such as `captured`.
    pub kind: &'static str,
    /// What it means for [`seat`](Incident::seat).
    pub weight: Weight,
    /// The seat that acted, or that it happened to. `None` if it concerns no seat.
    pub seat: Option<Seat>,
    /// The things on the board that it is about.
    pub keys: Vec<Key>,
    /// A short sentence without its full stop. It names seats by their numbers, and never contains text from a bot.
    pub text: String,
    /// Whether only [`seat`](Incident::seat) learns of it.
    pub is_private: bool,
}

/// What an incident means for a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weight {
    /// The seat won something that scores or changes the course of the match.
    Gain,
    /// The seat lost something.
    Loss,
    /// Anything else.
    Other,
}

impl Incident {
    /// Creates an incident that everybody may know.
    pub fn new(kind: &'static str, weight: Weight, seat: Option<Seat>, text: impl Into<String>) -> Self {
        Self { kind, weight, seat, keys: Vec::new(), text: text.into(), is_private: false }
    }

    /// Adds the things that it is about.
    #[must_use]
    pub fn about(mut self, keys: impl IntoIterator<Item = Key>) -> Self {
        self.keys.extend(keys);
        self
    }

    /// Says that only its seat learns of it.
    #[must_use]
    pub fn private(self) -> Self {
        Self { is_private: true, ..self }
    }
}
