//! Options of a single seat: `N:KEY=VALUE`.

use crate::Variable;
use agon_core::{MAX_SEATS, Seat, text::cut};
use std::{collections::BTreeMap, str::FromStr};

/// An option of a single seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatOption {
    /// The seat that the option is for.
    pub seat: Seat,
    /// The name of an option of the game's dialogue, `time`, `memory` or `env`.
    pub key: String,
    /// The value of the option.
    pub value: String,
}

impl SeatOption {
    /// The key of an environment variable of the bot: `2:env=DEPTH=3`.
    pub const ENV: &str = "env";

    /// Returns the environment variables that these options give to the bot in a seat.
    #[must_use]
    pub fn variables(options: &[Self], seat: usize) -> BTreeMap<String, String> {
        let own = options.iter().filter(|option| option.seat.index() == seat && option.key == Self::ENV);
        let own: Vec<Variable> = own.filter_map(|option| option.value.parse().ok()).collect();
        Variable::map(&own)
    }
}

impl FromStr for SeatOption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{}` is not of the form N:KEY=VALUE", cut(text, 60));
        let (number, option) = text.split_once(':').ok_or_else(bad)?;
        let (key, value) = option.split_once('=').ok_or_else(bad)?;
        let number: u8 = number.parse().map_err(|_| bad())?;
        let seat = Seat::from_number(number).ok_or_else(|| format!("the number of a seat is from 1 to {MAX_SEATS}"))?;
        if key.is_empty() {
            return Err(bad());
        }
        Ok(Self { seat, key: key.to_owned(), value: value.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_of_seat_options() {
        let option = |text: &str| text.parse::<SeatOption>();
        let time = option("2:time=move=1s,soft=100ms").expect("lawful");
        assert_eq!((time.seat, &*time.key, &*time.value), (Seat::new(1), "time", "move=1s,soft=100ms"));
        for bad in ["", "1", "1:x", "x:a=b", "0:a=b", "33:a=b", "1:=b", "1=a:b"] {
            assert!(option(bad).is_err(), "{bad}");
        }
    }
}
