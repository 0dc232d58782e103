//! Compares our reason for a disqualification with the judge's text.

use agon_core::{Failure, Nonsense};
use agon_grid::Refusal;

/// Our reason for a disqualification.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The bot was late or gone.
    Broken(Failure),
    /// The bot wrote a line that is no order.
    Garbage(Nonsense),
    /// The bot gave an order that the rules refuse.
    Refused(Refusal),
}

impl Verdict {
    /// Returns whether the judge's text gives this reason. The text may give several.
    pub fn is_told_by(&self, text: &str, player: u8) -> bool {
        match self {
            Self::Broken(Failure::Late) => text.contains("<<timeout>>"),
            Self::Broken(_) => text.contains("end of file"),
            Self::Garbage(nonsense) => {
                text.contains(&format!("Failed to parse order {}", nonsense.line))
                    || text.contains(&format!("Failed to parse order {}", nonsense.line.escape_default()))
            }
            Self::Refused(why) => match *why {
                Refusal::OutOfMap { x, y, width, height } => {
                    (x >= width && tells_bounds(text, x)) || (y >= height && tells_bounds(text, y))
                }
                Refusal::Unreachable { x, y } => {
                    text.contains(&format!("Tile ({x},{y}) is not reachable for PlayerId {player}"))
                }
                Refusal::OverBudget { energy, .. } => text.contains(&format!("{energy} energy is not enough for ")),
                Refusal::ChatTooLong { characters } => {
                    text.contains(&format!("Message length is {characters} characters, that's too long"))
                }
                Refusal::ChatUnknown | Refusal::ChatIncomplete => false,
            },
        }
    }
}

/// Returns whether the judge's text says that this coordinate is out of bounds. We keep a number that is too large as
/// the largest one that fits.
fn tells_bounds(text: &str, coordinate: u16) -> bool {
    let told = text.split("Coord ").skip(1).filter_map(|rest| rest.split_once(" is out of bounds"));
    told.map(|(number, _)| number.parse().unwrap_or(u16::MAX)).any(|number: u16| number == coordinate)
}
