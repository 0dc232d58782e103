//! Orders, why one may be refused, and the events of a turn (specification "Bot Orders").

use crate::{
    position::Position,
    rules::{SelfOrder, UnknownDestination},
};
use agon_core::{Seat, text::counted};
use core::fmt;
use serde::{Deserialize, Serialize};

/// The largest number of orders that a bot may give in one turn; more of them break the protocol. A bot that sends
/// ships from every planet to every other one on the largest official maps writes 870.
pub const MAX_ORDERS: usize = 16_384;

/// One line of a bot: `<source> <destination> <ships>`.
///
/// A number beyond 32 bits becomes the nearest one that fits. No rule set allows it, because there are at most
/// [`MAX_PLANETS`](crate::map::MAX_PLANETS) planets and [`MAX_SHIPS`](crate::map::MAX_SHIPS) ships.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Order {
    /// The ID of the planet that the fleet leaves.
    pub source: i32,
    /// The ID of the planet that it flies to.
    pub destination: i32,
    /// The number of ships that leave.
    pub ships: i32,
}

/// Why an order is unlawful.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// There is no planet with the source's ID.
    UnknownSource {
        /// The ID in the order.
        source: i32,
        /// The number of planets of the map.
        planets: usize,
    },
    /// The player does not own the source.
    NotOwned {
        /// The ID in the order.
        source: i32,
        /// The owner of the source: 0 for neutral, 1 and 2 for the players by their seats.
        owner: u8,
    },
    /// The number of ships is negative.
    Negative {
        /// The number in the order.
        ships: i32,
    },
    /// The source does not have this many ships left after the earlier orders of the turn.
    TooMany {
        /// The planet that the ships were to leave.
        source: i32,
        /// The number in the order.
        ships: i32,
        /// The number of ships that the planet has left.
        left: i32,
    },
    /// There is no planet with the destination's ID.
    UnknownDestination {
        /// The ID in the order.
        destination: i32,
        /// The number of planets of the map.
        planets: usize,
    },
    /// Source and destination are the same, and the rule set does not allow it.
    SamePlanet {
        /// The ID of the planet.
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
                write!(f, "{} ordered from planet {source}, which has {left} left", counted(ships, "ship"))
            }
            Self::UnknownDestination { destination, planets } => {
                write!(f, "there is no planet {destination} to send ships to, only 0 to {}", planets - 1)
            }
            Self::SamePlanet { planet } => write!(f, "planet {planet} is both source and destination"),
        }
    }
}

/// An event of a turn, for watchers. Events name planets by their IDs and players by their seats.
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
        /// The number of ships that left.
        ships: i32,
        /// The length of the trip, in turns.
        trip: i32,
    },
    /// A player has forfeited.
    Forfeited {
        /// The player that has forfeited.
        seat: Seat,
    },
    /// Fleets have arrived at a planet. If there were forces of several owners, they have fought.
    Arrived {
        /// The planet at which they have arrived.
        planet: u16,
        /// The numbers of ships before the battle: neutral, seat 1 and seat 2.
        forces: [i32; 3],
        /// The owner before the battle: 0 for neutral, 1 and 2 for the seats.
        before: u8,
        /// The owner after the battle, with the same values.
        after: u8,
        /// The number of ships that are left.
        left: i32,
    },
}

/// Judges the orders of one seat, one after the other. The ships of an order are no longer there for later orders.
///
/// `spent` must hold zeros, at least one for each planet. The function leaves it so.
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

/// Judges one order with `left` ships on the planets. Returns the indices of source and destination.
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

/// The ships that an unlawful order costs. By `playgame` the ships of an order to an unknown planet leave their planet
/// before the engine looks for the destination.
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
