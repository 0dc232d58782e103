//! One turn, in the order of the seed's "Game State Update": departure, advancement, arrival, and the end of the game.

use crate::{
    fleets::{Launch, muster},
    order::{Order, check_one, ships_lost},
    position::{PlanetWars, Scratch},
    reading::{Forfeit, ZeroShips},
};
use agon_core::{Ending, Failure, Game, Joint, Seat, Sink};
use serde::Serialize;

/// What a watcher may be told of a turn. Planets are named by their IDs, players by their seats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Ships have left a planet.
    Departed {
        /// Whose.
        seat: Seat,
        /// From where.
        source: u16,
        /// To where.
        destination: u16,
        /// How many.
        ships: i32,
        /// Length of the trip in turns.
        trip: i32,
    },
    /// A player has forfeited.
    Forfeited {
        /// Who.
        seat: Seat,
    },
    /// Fleets have arrived at a planet, and the forces there have fought if they were of several owners.
    Arrived {
        /// Where.
        planet: u16,
        /// Ships of the neutral, of seat 1 and of seat 2 before the battle.
        forces: [i32; 3],
        /// Owner before: 0 neutral, 1 or 2 a seat.
        before: u8,
        /// Owner after.
        after: u8,
        /// Ships that are left.
        left: i32,
    },
}

/// Plays one turn.
#[inline]
pub(crate) fn play(game: &mut PlanetWars, joint: Joint<'_, Order>, tmp: &mut Scratch, out: &mut impl Sink<Event>) {
    if game.over() {
        return;
    }
    let mut failed = [false; 2];
    for entry in joint.entries() {
        if let Some(failed) = failed.get_mut(entry.seat.index()) {
            *failed = entry.failure.is_some();
        }
    }
    if failed != [false; 2] {
        return play_with_forfeits(game, joint, failed, tmp, out);
    }
    depart(game, joint, tmp, out);
    game.planets.grow();
    advance(game);
    arrive(game, out);
    conclude(game);
}

#[cold]
fn play_with_forfeits(
    game: &mut PlanetWars,
    joint: Joint<'_, Order>,
    failed: [bool; 2],
    tmp: &mut Scratch,
    out: &mut impl Sink<Event>,
) {
    let losers = || [0, 1].into_iter().filter(|i| failed[*i]).map(Seat::new);
    game.forfeited = failed;
    losers().for_each(|seat| out.put(Event::Forfeited { seat }));
    if game.rules().forfeit == Forfeit::Ends {
        // Seed "Bot Orders": "instantly loses the game".
        game.ending = Ending::Forfeit;
        return;
    }
    depart(game, joint, tmp, out);
    losers().for_each(|seat| disband(game, seat));
    game.planets.grow();
    advance(game);
    arrive(game, out);
    conclude(game);
}

/// Seed "Departure": the commands are carried out in the order in which they were given.
fn depart(game: &mut PlanetWars, joint: Joint<'_, Order>, tmp: &mut Scratch, out: &mut impl Sink<Event>) {
    for entry in joint.entries() {
        let lawful = match entry.failure {
            Some(Failure::Unlawful(index)) => entry.orders.len().min(index as usize),
            _ => entry.orders.len(),
        };
        for (index, order) in entry.orders[..lawful].iter().enumerate() {
            launch(game, entry.seat, index, order, tmp, out);
        }
        if let Some((source, ships)) = entry.orders.get(lawful).and_then(|order| ships_lost(game, entry.seat, order)) {
            game.planets.ships[source] -= ships;
        }
    }
    let rules = *game.rules();
    if let Some(fleets) = &mut game.fleets
        && !tmp.muster.launches.is_empty()
    {
        muster(fleets, &mut tmp.muster, &rules);
    }
}

/// Carries out one order. An unlawful one, which [`judge`](agon_core::judge) lets nobody give, does nothing.
#[inline]
fn launch(
    game: &mut PlanetWars,
    seat: Seat,
    index: usize,
    order: &Order,
    tmp: &mut Scratch,
    out: &mut impl Sink<Event>,
) {
    let Ok([source, destination]) = check_one(game, seat, order, |source| game.planets.ships[source]) else { return };
    let trip = game.chart().trip(source, destination);
    let ships = order.ships;
    if game.fleets.is_some() {
        // Orders of zero ships too: the official server's order of fleets depends on them.
        tmp.muster.launches.push(Launch::new(seat.index(), index, ships, [source, destination], trip));
    }
    if ships == 0 && game.rules().zero_ships == ZeroShips::Nothing {
        return;
    }
    game.planets.ships[source] -= ships;
    game.arrivals.add(seat.index(), destination, ships, trip);
    let (source, destination) = (source as u16, destination as u16);
    out.put(Event::Departed { seat, source, destination, ships, trip });
}

/// A forfeit that lets the turn go on: the player's planets turn neutral and keep their ships, its fleets vanish, those
/// of this turn included.
fn disband(game: &mut PlanetWars, seat: Seat) {
    while let Some(planet) = game.planets.next_owned(seat.index(), 0) {
        game.planets.give(planet, 0);
    }
    game.arrivals.remove(seat.index());
    if let Some(fleets) = &mut game.fleets {
        fleets.retain(|f| f.owner != seat.number());
    }
}

/// Seed "Advancement": every fleet has one turn less to go.
#[inline]
fn advance(game: &mut PlanetWars) {
    if let Some(fleets) = &mut game.fleets {
        fleets.iter_mut().for_each(|f| f.remaining -= 1);
    }
}

/// Seed "Arrival": for each planet the forces of the garrison and of the arriving fleets are combined by owner; the
/// largest wins and loses as many ships as the second largest had; a tie at the top keeps the owner with no ship.
#[inline]
fn arrive(game: &mut PlanetWars, out: &mut impl Sink<Event>) {
    game.planets.meet(&mut game.arrivals, |planet, (before, docked), [first, second], (after, left)| {
        let mut forces = [0, first, second];
        forces[before as usize] += docked;
        let (planet, before, after) = (planet as u16, before as u8, after as u8);
        out.put(Event::Arrived { planet, forces, before, after, left });
    });
    if let Some(fleets) = &mut game.fleets {
        fleets.retain(|f| f.remaining > 0);
    }
    game.arrivals.advance();
    game.turn += 1;
}

/// One planet's battle: owner and ships before, ships that arrive for players 1 and 2. Returns owner and ships after.
#[inline]
#[must_use]
pub fn battle(owner: i32, ships: i32, first: i32, second: i32) -> (i32, i32) {
    let one = first + (ships & -i32::from(owner == 1));
    let two = second + (ships & -i32::from(owner == 2));
    let neutral = ships & -i32::from(owner == 0);
    let (high, low) = (one.max(two), one.min(two));
    let top = high.max(neutral);
    let runner_up = low.max(high.min(neutral));
    let winner = (1 & -i32::from(one == top)) | (2 & -i32::from(two == top));
    let left = top - runner_up;
    // Seed "Arrival": "if forces completely cancel out then the original owner retains the planet".
    (if left == 0 { owner } else { winner }, left)
}

/// Seed "Endgame Conditions", looked at after each turn and before the first.
#[inline]
pub(crate) fn conclude(game: &mut PlanetWars) {
    let [first, second] = game.alive();
    if game.forfeited != [false; 2] {
        game.ending = Ending::Forfeit;
    } else if !(first && second) {
        game.ending = Ending::Elimination;
    } else if game.turn >= game.limit() {
        game.ending = Ending::Limit;
    }
}
