//! What an agent may do, every reason for which it may not, and the events of a turn.

use agon_core::geometry::Point;
use core::fmt;
use serde::{Deserialize, Serialize};

/// One action of an agent, lawful or not. `annuler` is not an action: what was undone never reaches the referee (see
/// [`Turn`](crate::Turn)).
///
/// In JSON: `{"move":[12,14]}`, `"turbo"`, `"capture"`, `{"link":[3,9]}`, `"neutralise"`, `"shield"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// `deplacer`: go to this cell, for one movement point for each step of the Manhattan distance.
    Move(Point),
    /// `utiliser_turbo`: buy one movement point for six action points.
    Turbo,
    /// `capturer`: take the neutral portal under the agent.
    Capture,
    /// `lier`: link the portal under the agent to this one.
    Link(Point),
    /// `neutraliser`: make the enemy portal under the agent neutral.
    Neutralise,
    /// `ajouter_bouclier`: put one more shield on the portal under the agent.
    Shield,
}

/// Why an action changes nothing. The first eleven variants are the values of `erreur` in the original API (see
/// [`Refusal::code`]). `turn.rs` gives the order of the checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// `PA_INSUFFISANTS`: the action costs more action points than are left. Every action except a move also gives
    /// this answer outside the player's own turn; the cost is then 0.
    ActionPoints {
        /// The number of action points that the action costs.
        cost: i32,
        /// The number of action points that are left.
        left: i32,
    },
    /// `AUCUN_PORTAIL`: there is no portal on this cell.
    NoPortal(Point),
    /// `POSITION_INVALIDE`: the cell is outside the map.
    OffMap(Point),
    /// `POSITION_ELOIGNEE`: the cell is further away than the movement points allow.
    TooFar {
        /// The Manhattan distance to the cell.
        distance: i64,
        /// The number of movement points that are left.
        left: i32,
    },
    /// `PORTAIL_AMI`: the player owns the portal.
    Own(Point),
    /// `PORTAIL_NEUTRE`: the portal is neutral.
    Neutral(Point),
    /// `PORTAIL_ENNEMI`: the opponent owns the portal.
    Enemy(Point),
    /// `LIEN_INTERSECTION`: an existing link interferes.
    Interference(Point),
    /// `LIEN_CHAMP`: one of the two portals lies inside a field.
    InField(Point),
    /// `LIEN_DEGENERE`: the link would go from a portal to itself.
    Degenerate(Point),
    /// `LIMITE_BOUCLIERS`: the portal has six shields.
    ShieldLimit(Point),
    /// There are more than [`MAX_ACTIONS`](crate::MAX_ACTIONS) actions in one turn, which counts as a crash. This is
    /// not an `erreur`.
    TooMany,
}

/// The names of the values of `erreur`, in the order of the values.
pub const ERROR_NAMES: [&str; 12] = [
    "OK",
    "PA_INSUFFISANTS",
    "AUCUN_PORTAIL",
    "POSITION_INVALIDE",
    "POSITION_ELOIGNEE",
    "PORTAIL_AMI",
    "PORTAIL_NEUTRE",
    "PORTAIL_ENNEMI",
    "LIEN_INTERSECTION",
    "LIEN_CHAMP",
    "LIEN_DEGENERE",
    "LIMITE_BOUCLIERS",
];

impl Refusal {
    /// The value of `erreur`, 1 to 11. For [`Refusal::TooMany`], which no running champion ever sees, it is 1.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::ActionPoints { .. } | Self::TooMany => 1,
            Self::NoPortal(_) => 2,
            Self::OffMap(_) => 3,
            Self::TooFar { .. } => 4,
            Self::Own(_) => 5,
            Self::Neutral(_) => 6,
            Self::Enemy(_) => 7,
            Self::Interference(_) => 8,
            Self::InField(_) => 9,
            Self::Degenerate(_) => 10,
            Self::ShieldLimit(_) => 11,
        }
    }
}

/// What an action with this value of `erreur` did wrong, without the values of the action. `None` if no refusal has the
/// value.
pub(crate) fn mistake(code: u8) -> Option<&'static str> {
    Some(match code {
        1 => "too few action points (1, PA_INSUFFISANTS)",
        2 => "there is no portal on the cell (2, AUCUN_PORTAIL)",
        3 => "the cell is outside of the map (3, POSITION_INVALIDE)",
        4 => "the cell is further away than the movement points allow (4, POSITION_ELOIGNEE)",
        5 => "the portal is one's own (5, PORTAIL_AMI)",
        6 => "the portal is neutral (6, PORTAIL_NEUTRE)",
        7 => "the portal is the opponent's (7, PORTAIL_ENNEMI)",
        8 => "an existing link interferes (8, LIEN_INTERSECTION)",
        9 => "the link would start or end inside a field (9, LIEN_CHAMP)",
        10 => "a portal cannot be linked to itself (10, LIEN_DEGENERE)",
        11 => "the portal has all its shields (11, LIMITE_BOUCLIERS)",
        _ => return None,
    })
}

/// The value of `erreur` for the outcome of an action. 0 is `OK`.
#[must_use]
pub const fn error_code(outcome: Result<(), Refusal>) -> u8 {
    match outcome {
        Ok(()) => 0,
        Err(why) => why.code(),
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |f: &mut fmt::Formatter<'_>, p: Point, what: &str| write!(f, "the portal at {} {} {what}", p.x, p.y);
        match *self {
            Self::ActionPoints { cost, left } => {
                write!(f, "it costs {cost} action points and {left} are left")
            }
            Self::NoPortal(p) => write!(f, "there is no portal at {} {}", p.x, p.y),
            Self::OffMap(p) => write!(f, "the cell {} {} is outside of the map", p.x, p.y),
            Self::TooFar { distance, left } => {
                write!(f, "the cell is {distance} steps away and {left} movement points are left")
            }
            Self::Own(p) => at(f, p, "is one's own"),
            Self::Neutral(p) => at(f, p, "is neutral"),
            Self::Enemy(p) => at(f, p, "is the opponent's"),
            Self::Interference(p) => write!(f, "an existing link interferes with one to {} {}", p.x, p.y),
            Self::InField(p) => write!(f, "a link to {} {} would start or end inside a field", p.x, p.y),
            Self::Degenerate(p) => at(f, p, "cannot be linked to itself"),
            Self::ShieldLimit(p) => at(f, p, "has all its shields"),
            Self::TooMany => write!(f, "more than {} actions in one turn", crate::MAX_ACTIONS),
        }
    }
}

/// An event of a turn, for watchers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// An agent acted.
    Acted {
        /// The player that acted.
        seat: agon_core::Seat,
        /// What it did.
        action: Order,
    },
    /// The champion of a player died. This turn is void, and its player does nothing in all later ones.
    Died {
        /// The player whose champion is dead.
        seat: agon_core::Seat,
    },
    /// A turn ended, and its player got points.
    Scored {
        /// The player whose turn it was.
        seat: agon_core::Seat,
        /// The points for the fields that stand now.
        gained: i64,
        /// The player's score after that.
        score: i64,
    },
}
