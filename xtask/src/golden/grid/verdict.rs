//! Why a player was disqualified: our reason against the judge's text.

use agon_core::{Failure, Nonsense};
use agon_grid::Refusal;

/// Our reason.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Late or gone.
    Broken(Failure),
    /// A line that is no order.
    Garbage(Nonsense),
    /// An order that is refused.
    Refused(Refusal),
}

impl Verdict {
    /// Whether the judge's text gives this reason. It may give more than one.
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
                    (x >= width && text.contains(&format!("Coord {x} is out of bounds")))
                        || (y >= height && text.contains(&format!("Coord {y} is out of bounds")))
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
