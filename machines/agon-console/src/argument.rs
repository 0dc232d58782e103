//! The words of a command line, with their places.

use agon_core::{Flaw, Seat};
use std::{str::FromStr, time::Duration};

/// The part of a line that has not been read yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments<'a> {
    line: &'a str,
    rest: &'a str,
}

/// A word and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    pub text: &'a str,
    /// The column of the first character, counted from 1.
    column: usize,
}

impl Word<'_> {
    /// Returns a flaw at this word.
    pub(crate) fn flaw(&self, what: impl Into<String>) -> Flaw {
        Flaw::new(what).spanning(1, self.column, self.text.chars().count())
    }

    /// Reads the word as a number.
    pub(crate) fn number<T: FromStr>(&self, meaning: &str) -> Result<T, Flaw> {
        self.text.parse().map_err(|_| self.flaw(format!("`{}` is not {meaning}", self.text)))
    }
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(line: &'a str) -> Self {
        Self { line, rest: line.trim() }
    }

    /// Returns the next word, or `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Word<'a>> {
        let rest = self.rest.trim_start();
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (text, after) = rest.split_at(length);
        self.rest = after;
        (!text.is_empty()).then_some(Word { text, column: self.column(text) })
    }

    /// Takes the next word if it is this one.
    pub(crate) fn take(&mut self, text: &str) -> bool {
        let mut after = *self;
        let is_there = after.next().is_some_and(|word| word.text == text);
        if is_there {
            *self = after;
        }
        is_there
    }

    /// Returns the next word, which must be there.
    pub(crate) fn need(&mut self, meaning: &str) -> Result<Word<'a>, Flaw> {
        let end = self.line.trim_end().chars().count() + 1;
        self.next().ok_or_else(|| Flaw::new(format!("{meaning} is missing")).at(1, end))
    }

    /// Reads the next word as a seat.
    pub(crate) fn seat(&mut self) -> Result<Seat, Flaw> {
        let word = self.need("the number of a seat")?;
        let seat = word.text.parse().ok().and_then(Seat::from_number);
        seat.ok_or_else(|| word.flaw(format!("`{}` is not the number of a seat", word.text)).hint("seats count from 1"))
    }

    /// Reads the next word as a number that is at least 1. Returns 1 at the end.
    pub(crate) fn count(&mut self) -> Result<u32, Flaw> {
        let Some(word) = self.next() else { return Ok(1) };
        let count = word.number("a number of turns")?;
        if count == 0 { Err(word.flaw("0 turns are no turns").hint("leave it out for one turn")) } else { Ok(count) }
    }

    /// Takes `--wait TIME` from the end of the line.
    pub(crate) fn wait(&mut self) -> Result<Option<Duration>, Flaw> {
        let Some((before, time)) = self.rest.trim_end().rsplit_once(char::is_whitespace) else { return Ok(None) };
        let before = before.trim_end();
        let Some(others) = before.strip_suffix("--wait") else { return Ok(None) };
        if !others.is_empty() && !others.ends_with(char::is_whitespace) {
            return Ok(None);
        }
        let word = Word { text: time, column: self.column(time) };
        let wait = agon_core::clock::parse_duration(time).map_err(|why| Flaw { place: word.flaw("").place, ..why })?;
        self.rest = others;
        Ok(Some(wait))
    }

    /// Returns the rest of the line as one text, without the blanks around it.
    pub(crate) fn text(&mut self, meaning: &str) -> Result<Word<'a>, Flaw> {
        let text = self.rest.trim();
        self.rest = &self.line[self.line.len()..];
        if text.is_empty() {
            return self.need(meaning);
        }
        Ok(Word { text, column: self.column(text) })
    }

    /// Refuses words that nothing has read.
    pub(crate) fn end(mut self) -> Result<(), Flaw> {
        self.next().map_or(Ok(()), |word| Err(word.flaw(format!("`{}` is too much", word.text))))
    }

    /// Returns the column of a part of the line.
    fn column(&self, part: &str) -> usize {
        let start = part.as_ptr() as usize - self.line.as_ptr() as usize;
        self.line.get(..start).map_or(1, |before| before.chars().count() + 1)
    }
}
