//! Values of arguments: the parsers that several commands share, and the words that shells offer for completion.

use crate::clean::clean;
use agon_core::{Flaw, clock::parse_duration};
use agon_play::{MapSource, SeatOption};
use agon_tournament::words;
use clap::{
    Arg, Command,
    builder::{PossibleValue, TypedValueParser},
};
use std::{ffi::OsStr, fmt::Display, num::NonZeroUsize, ops::RangeInclusive, str::FromStr, time::Duration};

/// A parser of values with a list of known words. Shells offer these words; the parser may accept others.
#[derive(Clone)]
pub struct Known<T> {
    words: fn() -> Vec<&'static str>,
    read: fn(&str) -> Result<T, String>,
}

impl<T> Known<T> {
    /// Parses with `read` and offers `words` to shells.
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

/// Parses the name of a game. The command checks later that the game exists and can suggest a name.
pub fn game() -> Known<String> {
    Known::new(|| agon_games::all().iter().map(|game| game.name()).collect(), |text| Ok(text.to_owned()))
}

/// Parses the name of a document. The command checks later that the document exists and can suggest a name.
pub fn document() -> Known<String> {
    Known::new(|| agon_spec::DOCUMENTS.iter().map(|kind| kind.name).collect(), |text| Ok(text.to_owned()))
}

/// Parses a seed.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed must be a whole number from 0 to {}", u64::MAX))
}

/// Parses the source of a map.
pub fn map(text: &str) -> Result<MapSource, String> {
    // The message quotes the argument, so it is cleaned.
    text.parse().map_err(|why: String| clean(&why))
}

/// Parses an option of a seat.
pub fn seat_option(text: &str) -> Result<SeatOption, String> {
    text.parse().map_err(|why: String| clean(&why))
}

/// Parses a number of bots. The command checks later whether the game takes so many.
pub fn seats(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "the number of bots must be a whole number".to_owned())
}

/// Returns a parser of whole numbers in a range. Its message says the range.
pub fn whole<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| {
        let (least, most) = (range.start(), range.end());
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("write a whole number from {least} to {most}"))
    }
}

/// Parses how many matches run at the same time.
pub fn at_once(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "write a whole number of at least 1".to_owned())
}

/// Parses the probability of an error.
pub fn error_probability(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| *number > 0.0 && *number < 0.5);
    number.ok_or_else(|| "write a probability above 0 and below 0.5, as in `0.05`".to_owned())
}

/// Parses a number above 0.
pub fn above_zero(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "write a number above 0".to_owned())
}

/// Parses a time. `0` needs no unit.
pub fn time(text: &str) -> Result<Duration, String> {
    if text == "0" { Ok(Duration::ZERO) } else { parse_duration(text).map_err(one_line) }
}

/// Returns a flaw of a value as one line.
pub fn one_line(flaw: Flaw) -> String {
    match &flaw.hint {
        Some(hint) => words::joined(&flaw.to_string(), hint),
        None => flaw.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_their_range_say_the_range() {
        let rounds = whole(1..=u32::MAX);
        assert_eq!(rounds("7"), Ok(7));
        for wrong in ["0", "-1", "x", "", "1.5", "4294967296"] {
            assert_eq!(rounds(wrong), Err("write a whole number from 1 to 4294967295".to_owned()), "{wrong}");
        }
        assert_eq!(at_once("3").map(NonZeroUsize::get), Ok(3));
        for wrong in ["0", "-1", "x"] {
            assert_eq!(at_once(wrong), Err("write a whole number of at least 1".to_owned()), "{wrong}");
        }
        assert_eq!(error_probability("0.05"), Ok(0.05));
        assert_eq!(above_zero("0.5"), Ok(0.5));
        for wrong in ["0", "-1", "nan", "inf", "x"] {
            assert!(error_probability(wrong).is_err() && above_zero(wrong).is_err(), "{wrong}");
        }
        assert!(error_probability("0.5").is_err());
    }
}
