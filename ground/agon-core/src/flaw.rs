//! What is wrong with something that a user wrote, and where.

use alloc::string::String;
use core::fmt;

/// A place in a text: what an error message puts its caret under.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in characters.
    pub column: u32,
    /// How many characters are meant, at least 1.
    pub length: u32,
}

/// Why a map, an argument or a rule set cannot be taken: lower-case fragments that name the thing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// What is wrong, as `the map border must not be part of the island`.
    pub what: String,
    /// Where, if it is at a place of a text.
    pub place: Option<Place>,
    /// The way out, if there is a short one.
    pub hint: Option<String>,
}

impl Flaw {
    /// A flaw without a place.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), place: None, hint: None }
    }

    /// At this line and column, both counted from 1.
    #[must_use]
    pub fn at(mut self, line: usize, column: usize) -> Self {
        self.place = Some(Place { line: line as u32, column: column as u32, length: 1 });
        self
    }

    /// At this line and column, `length` characters long.
    #[must_use]
    pub fn spanning(mut self, line: usize, column: usize, length: usize) -> Self {
        self.place = Some(Place { line: line as u32, column: column as u32, length: length.max(1) as u32 });
        self
    }

    /// With a way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(p) = self.place {
            write!(f, "line {}, column {}: ", p.line, p.column)?;
        }
        f.write_str(&self.what)
    }
}

impl core::error::Error for Flaw {}

/// A map that makes no lawful position, given back with the reason.
#[derive(Clone, PartialEq, Debug)]
pub struct Flawed<M> {
    /// The map.
    pub map: M,
    /// Why it cannot be played.
    pub flaw: Flaw,
}
