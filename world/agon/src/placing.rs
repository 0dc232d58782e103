//! Where a match runs, and whether bots run outside their own turn: `--pin` and `--freeze`.

use crate::{
    error::{Error, Result},
    game::list,
};
use agon_games::AnyGame;
use agon_run::cores;
use agon_spec::MatchSpec;
use clap::Args;
use std::str::FromStr;

/// How the programs of a match share the machine.
#[derive(Args, Clone, Debug, Default)]
pub struct Placing {
    /// Stop every bot outside its own turn, so that nobody computes on the opponent's time; where all decide at once,
    /// between the turns. CPU time that is used all the same is told.
    #[arg(long)]
    pub freeze: bool,

    /// The cores for the match and its bots: their numbers, joined by commas, or `off`, or `auto`: one core where one
    /// bot decides at a time, else one for each.
    #[arg(long, value_name = "CORES", default_value = "off", hide_default_value = true)]
    pub pin: Pin,
}

/// The value of `--pin`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Pin {
    /// Wherever the system puts them.
    #[default]
    Off,
    /// As the game needs it.
    Auto,
    /// These.
    Cores(Vec<usize>),
}

impl FromStr for Pin {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "off" => return Ok(Self::Off),
            "auto" => return Ok(Self::Auto),
            _ => {}
        }
        let numbers: std::result::Result<Vec<usize>, _> = text.split(',').map(|word| word.trim().parse()).collect();
        match numbers {
            Ok(mut numbers) => {
                numbers.sort_unstable();
                numbers.dedup();
                Ok(Self::Cores(numbers))
            }
            Err(_) => Err("write `auto`, `off`, or numbers of cores joined by commas".to_owned()),
        }
    }
}

impl Placing {
    /// The cores for this match; none: wherever the system puts it.
    ///
    /// # Errors
    /// Cores on which this program may not run.
    pub fn cores(&self, game: &dyn AnyGame, spec: &MatchSpec) -> Result<Vec<usize>> {
        let known = cores();
        match &self.pin {
            Pin::Off => Ok(Vec::new()),
            Pin::Auto => {
                let side_by_side = game.rerun(spec)?.awaiting().len().max(1);
                Ok(some_of(&known, side_by_side))
            }
            Pin::Cores(wanted) => match wanted.iter().find(|core| !known.contains(core)) {
                None => Ok(wanted.clone()),
                Some(core) => {
                    let error = Error::user(format!("--pin: this program may not run on core {core}"));
                    Err(if known.is_empty() {
                        error.hint("this system cannot keep a match on some cores")
                    } else {
                        error.hint(format!("there are: {}", list(known.iter().map(usize::to_string))))
                    })
                }
            },
        }
    }
}

/// The last so many cores: the first ones serve most interrupts. None if there are not so many.
fn some_of(known: &[usize], count: usize) -> Vec<usize> {
    known.len().checked_sub(count).map_or_else(Vec::new, |from| known[from..].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_of_pins() {
        for (text, pin) in [("off", Pin::Off), ("auto", Pin::Auto), ("3,1, 3", Pin::Cores(vec![1, 3]))] {
            assert_eq!(text.parse(), Ok(pin));
        }
        for bad in ["", "1,,2", "-1", "all", "1;2", "99999999999999999999999"] {
            assert!(bad.parse::<Pin>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_last_cores_are_taken_if_there_are_enough() {
        assert_eq!(some_of(&[0, 1, 2, 5], 1), [5]);
        assert_eq!(some_of(&[0, 1, 2, 5], 3), [1, 2, 5]);
        assert!(some_of(&[0, 1], 3).is_empty() && some_of(&[], 1).is_empty());
    }
}
