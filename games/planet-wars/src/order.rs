//! Orders, and why one may be refused (specification "Bot Orders").

use crate::{
    position::Position,
    rules::{SelfOrder, UnknownDestination},
};
use agon_core::Seat;
use core::fmt;
use serde::{Deserialize, Serialize};

/// The most orders of one turn that are read; more is not of the protocol. A bot that sends every planet's ships to
/// every other one of the largest official maps writes 870.
pub const MAX_ORDERS: usize = 16_384;

/// One line of a bot: `<source> <destination> <ships>`.
///
/// A number beyond 32 bits is kept as the nearest one that fits; no rule set allows it, because there are at most
/// [`MAX_PLANETS`](crate::map::MAX_PLANETS) planets and [`MAX_SHIPS`](crate::map::MAX_SHIPS) ships.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Order {
    /// ID of the planet that the fleet leaves.
    pub source: i32,
    /// ID of the planet that it flies to.
    pub destination: i32,
    /// How many ships leave.
    pub ships: i32,
}

/// Why an order is unlawful.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// There is no planet with the source's ID.
    UnknownSource {
        /// The ID that was ordered.
        source: i32,
        /// How many planets the map has.
        planets: usize,
    },
    /// The source is neutral or the enemy's.
    NotOwned {
        /// The ID that was ordered.
        source: i32,
        /// Its owner: 0 is nobody, 1 and 2 are the players by their seats.
        owner: u8,
    },
    /// Fewer than zero ships.
    Negative {
        /// The number that was ordered.
        ships: i32,
    },
    /// More ships than the source has left after the earlier orders of the turn.
    TooMany {
        /// The planet that the ships were to leave.
        source: i32,
        /// The number that was ordered.
        ships: i32,
        /// How many ships the planet has left.
        left: i32,
    },
    /// There is no planet with the destination's ID.
    UnknownDestination {
        /// The ID that was ordered.
        destination: i32,
        /// How many planets the map has.
        planets: usize,
    },
    /// Source and destination are the same, where that is unlawful.
    SamePlanet {
        /// The planet that was ordered twice.
        planet: i32,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::UnknownSource { source, planets } => {
                write!(f, "there is no planet {source} to send ships from, only 0 to {}", planets - 1)
            }
            Self::NotOwned { source, owner: 0 } => write!(f, "planet {source} is neutral"),
            Self::NotOwned { source, .. } => write!(f, "planet {source} belongs to the other player"),
            Self::Negative { ships } => write!(f, "{ships} is not a number of ships"),
            Self::TooMany { source, ships, left } => {
                write!(f, "{ships} ships ordered from planet {source}, which has {left} left")
            }
            Self::UnknownDestination { destination, planets } => {
                write!(f, "there is no planet {destination} to send ships to, only 0 to {}", planets - 1)
            }
            Self::SamePlanet { planet } => write!(f, "planet {planet} is both source and destination"),
        }
    }
}

/// What a watcher may be told of a turn. Planets are named by their IDs, players by their seats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Ships have left a planet.
    Departed {
        /// The player that sent them.
        seat: Seat,
        /// The planet that they have left.
        source: u16,
        /// The planet that they fly to.
        destination: u16,
        /// How many ships left.
        ships: i32,
        /// How many turns the trip takes.
        trip: i32,
    },
    /// A player has forfeited.
    Forfeited {
        /// The player that has forfeited.
        seat: Seat,
    },
    /// Fleets have arrived at a planet, and the forces there have fought if they were of several owners.
    Arrived {
        /// The planet where they have arrived.
        planet: u16,
        /// How many ships nobody, seat 1 and seat 2 had before the battle.
        forces: [i32; 3],
        /// The owner before: 0 is nobody, 1 and 2 are the seats.
        before: u8,
        /// The owner after, counted in the same way.
        after: u8,
        /// How many ships are left.
        left: i32,
    },
}

/// Judges the orders of one seat, one after the other: the ships of an order are gone for the later ones.
///
/// `spent` is all zeros, as long as the map has planets, and is left so.
pub(crate) fn check(game: &Position, seat: Seat, orders: &[Order], spent: &mut [i32]) -> Result<(), (usize, Refusal)> {
    let mut result = Ok(());
    let mut lawful = orders.len();
    for (index, order) in orders.iter().enumerate() {
        let left = |source: usize| game.planets.ships[source] - spent[source];
        match check_one(game, seat, order, left) {
            Ok([source, _]) => spent[source] += order.ships,
            Err(why) => {
                result = Err((index, why));
                lawful = index;
                break;
            }
        }
    }
    for order in &orders[..lawful] {
        spent[order.source as usize] = 0;
    }
    result
}

/// Judges one order with `left` ships on the planets. Returns source and destination as indices.
#[inline]
pub(crate) fn check_one(
    game: &Position,
    seat: Seat,
    order: &Order,
    left: impl Fn(usize) -> i32,
) -> Result<[usize; 2], Refusal> {
    let planets = game.planet_count();
    let Order { source, destination, ships } = *order;
    let from = index(source, planets).ok_or(Refusal::UnknownSource { source, planets })?;
    let owner = game.planets.owner[from];
    if owner != i32::from(seat.number()) {
        return Err(Refusal::NotOwned { source, owner: owner as u8 });
    }
    if ships < 0 {
        return Err(Refusal::Negative { ships });
    }
    let left = left(from);
    if ships > left {
        return Err(Refusal::TooMany { source, ships, left });
    }
    let to = index(destination, planets).ok_or(Refusal::UnknownDestination { destination, planets })?;
    if from == to && game.rules().self_order == SelfOrder::Forfeit {
        return Err(Refusal::SamePlanet { planet: source });
    }
    Ok([from, to])
}

/// What an unlawful order does all the same: by `playgame` the ships of an order to an unknown planet have left their
/// planet before the engine looks for the destination.
pub(crate) fn ships_lost(game: &Position, seat: Seat, order: &Order) -> Option<(usize, i32)> {
    if game.rules().unknown_destination == UnknownDestination::Keeps {
        return None;
    }
    match check_one(game, seat, order, |source| game.planets.ships[source]) {
        Err(Refusal::UnknownDestination { .. }) => Some((order.source as usize, order.ships)),
        _ => None,
    }
}

#[inline]
fn index(id: i32, planets: usize) -> Option<usize> {
    usize::try_from(id).ok().filter(|i| *i < planets)
}
