//! What a match is worth: points for places, or the game's own score.

use crate::{SeatResult, outcome::Share};
use agon_core::Flaw;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The most points that a rule may give for one match, and the largest score that counts.
const MOST: i64 = 1 << 38;

/// What a match is worth to each seat. Its text is `2/1/0`, `score` or `places:10,6,3,1`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Points {
    /// Points for a win, a draw and a loss. A seat wins if it alone has place 1, and draws if it shares place 1.
    WinDrawLoss(i64, i64, i64),
    /// The score of the game. Scores beyond ±2^38 count as ±2^38.
    Score,
    /// Points for each place, beginning with place 1. Places behind the list give nothing. Equal seats have the same
    /// place, so each of them gets its points. If nobody has place 1, each seat gets the points of the last place.
    Places(Vec<i64>),
}

impl Default for Points {
    fn default() -> Self {
        Self::WinDrawLoss(2, 1, 0)
    }
}

impl Points {
    /// Returns the points of the seat with the result `own` in a match with the results `all`.
    #[must_use]
    pub fn award(&self, own: SeatResult, all: &[SeatResult]) -> i64 {
        match self {
            Self::WinDrawLoss(win, draw, loss) => {
                match Share::of(own.place, all.iter().filter(|seat| seat.place == 1).count()) {
                    Share::Won => *win,
                    Share::Drawn => *draw,
                    Share::Lost => *loss,
                }
            }
            Self::Score => own.score.clamp(-MOST, MOST),
            Self::Places(_) if all.iter().all(|seat| seat.place != 1) => self.for_loss(all.len()).unwrap_or(0),
            Self::Places(list) => usize::from(own.place).checked_sub(1).and_then(|i| list.get(i)).copied().unwrap_or(0),
        }
    }

    /// Returns the points of a win by forfeit. `None` under [`Points::Score`], where no score was made.
    #[must_use]
    pub fn for_win(&self) -> Option<i64> {
        match self {
            Self::WinDrawLoss(win, ..) => Some(*win),
            Self::Score => None,
            Self::Places(list) => list.first().copied(),
        }
    }

    /// Returns the points of a loss by forfeit in a match for `seats` bots. `None` under [`Points::Score`].
    #[must_use]
    pub fn for_loss(&self, seats: usize) -> Option<i64> {
        match self {
            Self::WinDrawLoss(_, _, loss) => Some(*loss),
            Self::Score => None,
            Self::Places(list) => Some(seats.checked_sub(1).and_then(|i| list.get(i)).copied().unwrap_or(0)),
        }
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WinDrawLoss(win, draw, loss) => write!(f, "{win}/{draw}/{loss}"),
            Self::Score => f.write_str("score"),
            Self::Places(list) => {
                f.write_str("places:")?;
                for (i, points) in list.iter().enumerate() {
                    write!(f, "{}{points}", if i == 0 { "" } else { "," })?;
                }
                Ok(())
            }
        }
    }
}

impl From<Points> for String {
    fn from(points: Points) -> Self {
        points.to_string()
    }
}

impl TryFrom<String> for Points {
    type Error = Flaw;

    fn try_from(text: String) -> Result<Self, Flaw> {
        text.parse()
    }
}

impl FromStr for Points {
    type Err = Flaw;

    fn from_str(text: &str) -> Result<Self, Flaw> {
        if text == "score" {
            return Ok(Self::Score);
        }
        if let Some(list) = text.strip_prefix("places:") {
            let list = list.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
            return match list.windows(2).all(|pair| pair[0] >= pair[1]) {
                true => Ok(Self::Places(list)),
                false => Err(Flaw::new(format!("in `{text}`, a worse place gives more points"))
                    .hint("write the points of the first place first, for example `places:10,6,3,1`")),
            };
        }
        match text.split('/').collect::<Vec<_>>().as_slice() {
            [win, draw, loss] => {
                let (win, draw, loss) = (number(win)?, number(draw)?, number(loss)?);
                if win < draw || draw < loss {
                    return Err(Flaw::new(format!("in `{text}`, a worse result gives more points"))
                        .hint("the order is win/draw/loss, for example `2/1/0`"));
                }
                Ok(Self::WinDrawLoss(win, draw, loss))
            }
            _ => Err(Flaw::new(format!("`{text}` is no rule for points"))
                .hint("write win/draw/loss as `2/1/0`, or `score`, or `places:10,6,3,1`")),
        }
    }
}

fn number(text: &str) -> Result<i64, Flaw> {
    let text = text.trim();
    match text.parse::<i64>() {
        Ok(points) if (-MOST..=MOST).contains(&points) => Ok(points),
        Ok(_) => Err(Flaw::new(format!("`{text}` is too many points")).hint(format!("write at most {MOST}"))),
        Err(_) if text.parse::<f64>().is_ok() => Err(Flaw::new(format!("`{text}` is not a whole number of points"))
            .hint("multiply all points by the same number: `1/0.5/0` is the same order as `2/1/0`")),
        Err(_) => Err(Flaw::new(format!("`{text}` is no number of points")).hint("write a whole number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_points() {
        let award = |rule: &str, places: &[u8]| -> Vec<i64> {
            let rule: Points = rule.parse().expect("a rule");
            let seats: Vec<_> = places.iter().map(|p| SeatResult::new(*p, 100 - i64::from(*p))).collect();
            seats.iter().map(|seat| rule.award(*seat, &seats)).collect()
        };
        for (rule, places, points) in [
            ("2/1/0", &[1, 2][..], &[2, 0][..]),
            ("2/1/0", &[1, 1], &[1, 1]),
            ("3/1/-1", &[2, 2], &[-1, -1]),
            ("2/1/0", &[3, 1, 1, 4], &[0, 1, 1, 0]),
            ("score", &[1, 2], &[99, 98]),
            ("places:10,6,3,1", &[4, 1, 3, 1], &[1, 10, 3, 10]),
            ("places:10,6", &[3, 1, 2], &[0, 10, 6]),
            // Nobody has won.
            ("places:10,6", &[2, 2], &[6, 6]),
            ("places:10,6,3,1", &[2, 2, 4, 5], &[1, 1, 1, 1]),
        ] {
            assert_eq!(award(rule, places), points, "{rule} {places:?}");
        }
    }

    #[test]
    fn a_rule_reads_back_and_a_bad_one_says_what_to_write() {
        for text in ["2/1/0", "3/1/-1", "score", "places:10,6,3,1", "places:5"] {
            assert_eq!(text.parse::<Points>().expect(text).to_string(), text);
        }
        for (text, what) in [
            ("1/0.5/0", "`0.5` is not a whole number of points"),
            ("0/1/2", "in `0/1/2`, a worse result gives more points"),
            ("places:1,3", "in `places:1,3`, a worse place gives more points"),
            ("2/1", "`2/1` is no rule for points"),
            ("places:", "`` is no number of points"),
            ("9999999999999/0/0", "`9999999999999` is too many points"),
        ] {
            let flaw = text.parse::<Points>().expect_err(text);
            assert_eq!(flaw.what, what);
            assert!(flaw.hint.is_some(), "{text}");
        }
    }
}
