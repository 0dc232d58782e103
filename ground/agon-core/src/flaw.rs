//! Errors in what a user wrote: what is wrong, where, and the way out.

use alloc::{boxed::Box, string::String};
use core::{fmt, ops::Deref};

/// A place in a text. An error message puts its caret under it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The line, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1.
    pub column: u32,
    /// The length in characters, at least 1.
    pub length: u32,
}

/// The reason why Agon cannot use a map, an argument or a rule set. Its texts are lower-case fragments that name the
/// thing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// What is wrong, for example `the map border must not be part of the island`.
    pub what: String,
    /// Where it is wrong. `None` if the flaw concerns no place in a text.
    pub place: Option<Place>,
    /// The path of the item of a [`State`](crate::State) that is wrong, for example `players[1].keys[2]`. `None` if the
    /// flaw is not about a state.
    pub item: Option<ItemPath>,
    /// The way out. `None` if there is no short one.
    pub hint: Option<Box<str>>,
}

/// The path of an item of a [`State`](crate::State), such as `players[1].keys[2]`. It is one pointer, because most flaws have none
/// and results with a flaw are everywhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemPath(Box<Path>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Path(String);

impl From<&str> for ItemPath {
    fn from(path: &str) -> Self {
        Self(Box::new(Path(path.into())))
    }
}

impl Deref for ItemPath {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.0
    }
}

impl Flaw {
    /// Creates a flaw without a place and without a hint.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), place: None, item: None, hint: None }
    }

    /// Sets the place to one character at this line and column, both counted from 1.
    #[must_use]
    pub fn at(mut self, line: usize, column: usize) -> Self {
        self.place = Some(Place { line: line as u32, column: column as u32, length: 1 });
        self
    }

    /// Sets the place to `length` characters at this line and column, both counted from 1.
    #[must_use]
    pub fn spanning(mut self, line: usize, column: usize, length: usize) -> Self {
        self.place = Some(Place { line: line as u32, column: column as u32, length: length.max(1) as u32 });
        self
    }

    /// Sets the item of a [`State`](crate::State) that is wrong, and puts its path before the text. The path of the whole state is
    /// empty.
    #[must_use]
    pub fn of(mut self, path: &str) -> Self {
        if !path.is_empty() {
            self.what = alloc::format!("`{path}`: {}", self.what);
        }
        self.item = Some(path.into());
        self
    }

    /// Sets the way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Box<str>>) -> Self {
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

/// A map from which no match can start, returned to the caller with the reason.
#[derive(Clone, PartialEq, Debug)]
pub struct Flawed<M> {
    /// The rejected map.
    pub map: M,
    /// Why no match can start from it.
    pub flaw: Flaw,
}
