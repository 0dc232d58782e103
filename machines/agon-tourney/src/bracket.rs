//! The bracket of an elimination, as data and as text.

use crate::{Entrant, MatchId};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The bracket of an elimination.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Bracket {
    /// The rounds in the order in which they are played.
    pub rounds: Vec<BracketRound>,
}

/// The encounters that are played at the same time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BracketRound {
    /// The number of the round, as in [`Pairing::round`](crate::Pairing::round).
    pub round: u32,
    /// The encounters from top to bottom.
    pub encounters: Vec<BracketEncounter>,
}

/// The parts of a double elimination, in the order in which they are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BracketPart {
    /// Among bots that have lost no encounter.
    Winners,
    /// Among bots that have lost one.
    Losers,
    /// The last bot without a lost encounter meets the last one with one.
    Final,
    /// The final was lost by the bot that had lost none before, so both have lost one, and meet again.
    Reset,
}

impl BracketPart {
    /// Every part, in the order in which they are drawn.
    pub const ALL: [Self; 4] = [Self::Winners, Self::Losers, Self::Final, Self::Reset];

    /// Returns the word for documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Winners => "winners",
            Self::Losers => "losers",
            Self::Final => "final",
            Self::Reset => "reset",
        }
    }

    /// Returns what is said of a round of this part.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Winners => "winners",
            Self::Losers => "losers, who have lost once",
            Self::Final => "final",
            Self::Reset => "final again, because both have lost once",
        }
    }
}

/// Two bots that play until one of them advances.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BracketEncounter {
    /// The part of a double elimination. `None` in a single one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<BracketPart>,
    /// The two bots.
    pub sides: [Side; 2],
    /// The matches so far.
    pub games: Vec<MatchId>,
    /// The bot that advances. `None` if that is open, or if nobody is left.
    pub winner: Option<Entrant>,
    /// The place that the winner gets, if nothing follows: 1 in the final.
    pub for_place: Option<u32>,
}

/// A bot of an encounter.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Side {
    /// The bot. `None` if it is not known yet, or if there is none.
    pub entrant: Option<Entrant>,
    /// Whether nobody will ever be on this side, so that the other bot advances without a match.
    pub bye: bool,
    /// The number of games won, and half of those drawn.
    pub points: f64,
}

impl Bracket {
    /// Writes the bracket round by round, one encounter a line, and a double elimination part by part. `name` gives the text for a bot, and `width` the number
    /// of columns that a text takes on a terminal. Names are written as they are, so `name` must clean them.
    ///
    /// ```text
    /// round 1
    ///   alpha  2 - 0   delta
    ///   beta   ½ - 1½  gamma
    ///
    /// round 2
    ///   alpha  0 - 0   gamma  for place 1
    /// ```
    ///
    /// A `*` stands beside a bot that has won by another way than the points show: it did not have to play, it was the better
    /// seed, or it had won before a match was declared void. A last line says so. Encounters that nobody will ever play are left
    /// out.
    #[must_use]
    pub fn text(&self, name: impl Fn(Entrant) -> String, width: impl Fn(&str) -> usize) -> String {
        let shown = |side: &Side| match (side.entrant, side.bye) {
            (Some(entrant), _) => name(entrant),
            (None, true) => "(nobody)".into(),
            (None, false) => "?".into(),
        };
        let sides = || self.rounds.iter().flat_map(|round| &round.encounters).flat_map(|encounter| &encounter.sides);
        let column = sides().map(|side| width(&shown(side))).max().unwrap_or(0);
        let mut text = String::new();
        let mut marked = false;
        let parts = std::iter::once(None).chain(BracketPart::ALL.map(Some));
        for (part, round) in parts.flat_map(|part| self.rounds.iter().map(move |round| (part, round))) {
            let of_part = round.encounters.iter().filter(|one| one.part == part);
            let mut played = of_part.filter(|one| !one.sides.iter().all(|side| side.bye)).peekable();
            if played.peek().is_none() {
                continue;
            }
            if !text.is_empty() {
                text.push('\n');
            }
            let title = part.map(|part| format!(": {}", part.title())).unwrap_or_default();
            let _ = writeln!(text, "round {}{title}", round.round);
            for encounter in played {
                let [one, other] = &encounter.sides;
                let left = shown(one);
                let pad = " ".repeat(column - width(&left));
                let mut mark = |side: &Side, opponent: &Side| {
                    let has_won = side.entrant.is_some() && side.entrant == encounter.winner;
                    let unseen = has_won && side.points <= opponent.points;
                    marked |= unseen;
                    if unseen { "*" } else { " " }
                };
                let marks = [mark(one, other), mark(other, one)];
                let _ = write!(
                    text,
                    "  {left}{pad} {} {} - {:<2} {} {}",
                    marks[0],
                    points(one.points),
                    points(other.points).trim_start(),
                    marks[1],
                    shown(other)
                );
                if let Some(place) = encounter.for_place {
                    let pad = " ".repeat(column - width(&shown(other)));
                    let _ = write!(text, "{pad}  for place {place}");
                }
                text.push('\n');
            }
        }
        if marked {
            text.push_str(
                "\n* did not have to play, was the better seed, or had won before a match was declared void\n",
            );
        }
        text
    }
}

/// Returns half points as two columns: ` 2`, `1½`, ` ½`.
fn points(points: f64) -> String {
    let whole = points.trunc();
    match (whole > 0.0, points > whole) {
        (true, true) => format!("{whole}½"),
        (false, true) => " ½".into(),
        (_, false) => format!("{whole:>2}"),
    }
}
