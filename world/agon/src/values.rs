//! Values of arguments: what more than one command reads, and the words that a shell may offer for them.

use crate::clean::clean;
use agon_core::{Flaw, clock::parse_duration};
use agon_play::{MapSource, SeatOption};
use clap::{
    Arg, Command,
    builder::{PossibleValue, TypedValueParser},
};
use std::{ffi::OsStr, time::Duration};

/// A value that a function reads, of which some words are known: they are for completions, other words may be good.
#[derive(Clone)]
pub struct Known<T> {
    words: fn() -> Vec<&'static str>,
    read: fn(&str) -> Result<T, String>,
}

impl<T> Known<T> {
    /// Reads with `read`; shells offer `words`.
    pub fn new(words: fn() -> Vec<&'static str>, read: fn(&str) -> Result<T, String>) -> Self {
        Self { words, read }
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Known<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        self.read.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.words)().into_iter().map(PossibleValue::new)))
    }
}

/// The name of a game. Whether there is one is asked later, where it can be said which was meant.
pub fn game() -> Known<String> {
    Known::new(|| agon_games::all().iter().map(|game| game.name()).collect(), |text| Ok(text.to_owned()))
}

/// The name of a document. Whether there is one is asked later, where it can be said which was meant.
pub fn document() -> Known<String> {
    Known::new(|| agon_spec::DOCUMENTS.iter().map(|kind| kind.name).collect(), |text| Ok(text.to_owned()))
}

/// A seed.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

/// Where a map comes from.
pub fn map(text: &str) -> Result<MapSource, String> {
    // What is wrong with it quotes it.
    text.parse().map_err(|why: String| clean(&why))
}

/// An option of a seat.
pub fn seat_option(text: &str) -> Result<SeatOption, String> {
    text.parse().map_err(|why: String| clean(&why))
}

/// A number of bots; how many a game takes is asked later.
pub fn seats(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "a number of bots is a whole number".to_owned())
}

/// A time, `0` without a unit.
pub fn time(text: &str) -> Result<Duration, String> {
    if text == "0" { Ok(Duration::ZERO) } else { parse_duration(text).map_err(one_line) }
}

/// A flaw of a value in one line.
pub fn one_line(flaw: Flaw) -> String {
    match &flaw.hint {
        Some(hint) => format!("{flaw}; {hint}"),
        None => flaw.to_string(),
    }
}
