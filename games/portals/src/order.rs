//! What an agent may do, and every reason why it may not.

use agon_core::geometry::Point;
use core::fmt;
use serde::{Deserialize, Serialize};

/// One action of an agent, lawful or not. `annuler` is no action: what was taken back never reaches the referee (see
/// [`Turn`](crate::Turn)).
///
/// As JSON: `{"move":[12,14]}`, `"turbo"`, `"capture"`, `{"link":[3,9]}`, `"neutralise"`, `"shield"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// `deplacer`: go to this cell, one movement point for each step of the Manhattan distance.
    Move(Point),
    /// `utiliser_turbo`: six action points for one movement point.
    Turbo,
    /// `capturer`: take the neutral portal under the agent.
    Capture,
    /// `lier`: link the portal under the agent to this one.
    Link(Point),
    /// `neutraliser`: make the enemy portal under the agent neutral.
    Neutralise,
    /// `ajouter_bouclier`: one more shield on the portal under the agent.
    Shield,
}

/// Why an action changes nothing. The first eleven are the values of `erreur` in the original API, see
/// [`Refusal::code`]; checks are made in the order that `turn.rs` states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// `PA_INSUFFISANTS`: the action costs more action points than are left. Also what every action but a move answers
    /// outside of the own turn; then the cost is 0.
    ActionPoints {
        /// How many action points it costs.
        cost: i32,
        /// How many action points are left.
        left: i32,
    },
    /// `AUCUN_PORTAIL`: there is no portal on this cell.
    NoPortal(Point),
    /// `POSITION_INVALIDE`: the cell is outside of the map.
    OffMap(Point),
    /// `POSITION_ELOIGNEE`: the cell is further away than the movement points reach.
    TooFar {
        /// The Manhattan distance of the cell.
        distance: i64,
        /// How many movement points are left.
        left: i32,
    },
    /// `PORTAIL_AMI`: the portal is one's own.
    Own(Point),
    /// `PORTAIL_NEUTRE`: the portal is nobody's.
    Neutral(Point),
    /// `PORTAIL_ENNEMI`: the portal is the opponent's.
    Enemy(Point),
    /// `LIEN_INTERSECTION`: an existing link interferes.
    Interference(Point),
    /// `LIEN_CHAMP`: one of the two portals lies inside a field.
    InField(Point),
    /// `LIEN_DEGENERE`: a link from a portal to itself.
    Degenerate(Point),
    /// `LIMITE_BOUCLIERS`: the portal has six shields.
    ShieldLimit(Point),
    /// More than [`MAX_ACTIONS`](crate::MAX_ACTIONS) recorded actions in one turn: counts as a crash. Not an `erreur`.
    TooMany,
}

/// The names of the values of `erreur`, by value.
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
    /// The value of `erreur`, 1 to 11. [`Refusal::TooMany`] never reaches a champion that lives; it is given as 1.
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

/// The value of `erreur` for the outcome of an action: 0 is `OK`.
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

/// What a watcher may be told of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The agent of `seat` did this.
    Acted {
        /// The player that acted.
        seat: agon_core::Seat,
        /// What it did.
        action: Order,
    },
    /// The champion of `seat` died: its turn is void and all later ones are empty.
    Died {
        /// The player whose champion is dead.
        seat: agon_core::Seat,
    },
    /// The end of a turn.
    Scored {
        /// The player whose turn it was.
        seat: agon_core::Seat,
        /// Points for the fields that stand now.
        gained: i64,
        /// The score after it.
        score: i64,
    },
}
