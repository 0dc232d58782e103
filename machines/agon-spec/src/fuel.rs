//! How many instructions a WASM bot may use, as data. The text form is `1G` or `1G,start=10G`.

use crate::shape::shape;
use agon_core::Flaw;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{borrow::Cow, fmt, str::FromStr};

/// A limit on the instructions of a WASM bot. Unlike a time limit it is the same on every machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fuel {
    /// The number of instructions between two waits for input.
    pub turn: u64,
    /// The number of instructions from the start of the bot until it waits for input after its first answer.
    pub start: u64,
}

/// By default a bot has this many times the instructions of a turn for its start.
const START: u64 = 10;

/// The largest number that is accepted. A larger one is most likely a typing error.
const MOST: u64 = 1_000_000_000_000_000;

/// The suffixes of numbers. The largest comes first.
const SUFFIXES: [(char, u64); 3] = [('G', 1_000_000_000), ('M', 1_000_000), ('k', 1_000)];

impl Default for Fuel {
    /// Returns `1G`. A present-day core needs between a fifth of a second and a few seconds for it.
    fn default() -> Self {
        Self { turn: 1_000_000_000, start: START * 1_000_000_000 }
    }
}

impl fmt::Display for Fuel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_count(self.turn))?;
        if self.start != self.turn.saturating_mul(START) {
            write!(f, ",start={}", print_count(self.start))?;
        }
        Ok(())
    }
}

impl FromStr for Fuel {
    type Err = Flaw;

    fn from_str(text: &str) -> Result<Self, Flaw> {
        let (turn, start) = text.split_once(',').map_or((text, None), |(turn, start)| (turn, Some(start)));
        let turn = parse_count(turn)?;
        let start = match start.map(|start| start.strip_prefix("start=").ok_or(start)) {
            None => turn.saturating_mul(START),
            Some(Ok(start)) => parse_count(start)?,
            Some(Err(other)) => return Err(bad(other)),
        };
        Ok(Self { turn, start })
    }
}

impl Serialize for Fuel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fuel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(|flaw: Flaw| D::Error::custom(format!("{flaw}")))
    }
}

shape!(
    Fuel as "Fuel": {
        "type": "string",
        "description": "The number of instructions for each turn, for example `1G` or `250k`. The start of the bot may \
                        use ten times as many, unless a part such as `,start=20G` follows.",
        "examples": ["1G", "500M,start=20G"],
    }
);

/// Reads a number of instructions such as `250000`, `250k` or `1.5G`. It must be between 1 and 1000000G.
fn parse_count(text: &str) -> Result<u64, Flaw> {
    let (number, unit) = match text.chars().last() {
        Some(last) => match SUFFIXES.iter().find(|(suffix, _)| *suffix == last) {
            Some((_, unit)) => (&text[..text.len() - 1], *unit),
            None => (text, 1),
        },
        None => return Err(bad(text)),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || whole.len() > 16 || fraction.len() > 9 || !digits(whole) || !digits(fraction) {
        return Err(bad(text));
    }
    let whole: u64 = whole.parse().map_err(|_| bad(text))?;
    let mut count = whole.checked_mul(unit).ok_or_else(|| bad(text))?;
    let mut scale = unit;
    for digit in fraction.bytes() {
        if scale % 10 != 0 && digit != b'0' {
            return Err(bad(text));
        }
        scale /= 10;
        count += u64::from(digit - b'0') * scale;
    }
    if (1..=MOST).contains(&count) { Ok(count) } else { Err(bad(text)) }
}

/// Writes a count with the largest suffix that needs no fraction: `1G`, `250k`, `1234`.
#[must_use]
pub fn print_count(count: u64) -> String {
    match SUFFIXES.iter().find(|(_, unit)| count != 0 && count.is_multiple_of(*unit)) {
        Some((suffix, unit)) => format!("{}{suffix}", count / unit),
        None => format!("{count}"),
    }
}

fn bad(text: &str) -> Flaw {
    Flaw::new(format!("`{}` is not a number of instructions", text.chars().take(40).collect::<String>()))
        .hint("write `500M` or `1G`, or `1G,start=20G` if the start needs more than ten times as many as a turn")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_amount_reads_back() {
        for (text, turn, start, printed) in [
            ("1G", 1_000_000_000, 10_000_000_000, "1G"),
            ("1.5M", 1_500_000, 15_000_000, "1500k"),
            ("1000,start=7", 1_000, 7, "1k,start=7"),
            ("2k,start=20k", 2_000, 20_000, "2k"),
            ("123", 123, 1_230, "123"),
            ("0.001k", 1, 10, "1"),
        ] {
            let fuel: Fuel = text.parse().expect(text);
            assert_eq!(fuel, Fuel { turn, start }, "{text}");
            assert_eq!(fuel.to_string(), printed);
            assert_eq!(printed.parse(), Ok(fuel));
        }
        assert_eq!("1G".parse(), Ok(Fuel::default()));
    }

    #[test]
    fn a_text_that_is_no_number_of_instructions_is_refused() {
        for text in
            ["", "0", "G", "1g", "-1", "1e9", "1.5", "0.0001k", "1000001G", "99999999999999999999", "1G,2G", "1G,"]
        {
            assert!(text.parse::<Fuel>().is_err(), "{text}");
        }
    }
}
