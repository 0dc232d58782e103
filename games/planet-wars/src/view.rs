//! What one seat may know: everything, from its own point of view.
//!
//! Specification "Planets": "Players always see themselves as player 1 and their opponents as player 2."

use crate::{arrivals::Arrivals, chart::Chart, map::Fleet, position::Position};
use agon_core::Seat;
use core::fmt;

/// The owner of a planet, from the point of view of one seat.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Owner {
    /// No player owns it; sent to bots as 0.
    Neutral,
    /// The seat itself owns it; sent as 1.
    Own,
    /// The opponent owns it; sent as 2.
    Enemy,
}

impl Owner {
    /// The number that is sent to bots.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// All that one seat may know.
#[derive(Clone, Copy)]
pub struct View<'a> {
    chart: &'a Chart,
    /// The owner of each planet, by the numbers of the seats.
    owner: &'a [i32],
    ships: &'a [i32],
    arrivals: &'a Arrivals,
    fleets: Option<&'a [Fleet]>,
    /// The index of the seat whose view this is.
    side: usize,
}

impl<'a> View<'a> {
    /// The position as `seat` sees it.
    pub(crate) fn of_position(game: &'a Position, seat: Seat) -> Self {
        let planets = game.planet_count();
        Self {
            chart: game.seen_chart(),
            owner: &game.planets.owner[..planets],
            ships: &game.planets.ships[..planets],
            arrivals: &game.arrivals,
            fleets: game.fleets.as_deref(),
            side: seat.index() & 1,
        }
    }

    /// The view of what a client has read. There player 1 is the seat itself.
    pub(crate) fn of_client(
        chart: &'a Chart,
        owner: &'a [i32],
        ships: &'a [i32],
        arrivals: &'a Arrivals,
        fleets: &'a [Fleet],
    ) -> Self {
        Self { chart, owner, ships, arrivals, fleets: Some(fleets), side: 0 }
    }

    /// The view of a bot's own simulation, for either side.
    pub(crate) fn of_sandbox(
        chart: &'a Chart,
        owner: &'a [i32],
        ships: &'a [i32],
        arrivals: &'a Arrivals,
        side: usize,
    ) -> Self {
        Self { chart, owner, ships, arrivals, fleets: None, side }
    }

    /// Copies the arrivals. The seat of this view becomes the first player.
    pub(crate) fn copy_arrivals(&self, into: &mut Arrivals) {
        into.clone_from(self.arrivals);
        if self.side == 1 {
            into.exchange();
        }
    }

    /// The number of planets. Their IDs are `0..planets()`. Methods that take an ID panic for any other.
    #[must_use]
    #[inline]
    pub fn planets(&self) -> usize {
        self.ships.len()
    }

    /// The positions, growth rates and trip lengths.
    #[must_use]
    #[inline]
    pub fn chart(&self) -> &'a Chart {
        self.chart
    }

    /// The owner of a planet.
    #[must_use]
    #[inline]
    pub fn owner(&self, planet: usize) -> Owner {
        match self.owner[planet] {
            0 => Owner::Neutral,
            seat if seat as usize == self.side + 1 => Owner::Own,
            _ => Owner::Enemy,
        }
    }

    /// The number of ships on a planet.
    #[must_use]
    #[inline]
    pub fn ships(&self, planet: usize) -> i32 {
        self.ships[planet]
    }

    /// The number of ships that a planet gains at the end of each turn while a player owns it.
    #[must_use]
    #[inline]
    pub fn growth(&self, planet: usize) -> i32 {
        self.chart.growth(planet)
    }

    /// The length of a trip, in turns.
    #[must_use]
    #[inline]
    pub fn trip(&self, source: usize, destination: usize) -> i32 {
        self.chart.trip(source, destination)
    }

    /// The number of turns ahead that [`View::arriving`] can answer for: the longest trip of the map, but at most
    /// [`MAX_SLOTS`](crate::arrivals::MAX_SLOTS).
    #[must_use]
    #[inline]
    pub fn horizon(&self) -> usize {
        self.arrivals.horizon()
    }

    /// The ships of the seat itself and of its opponent that arrive at a planet at the end of the turn that is `turns`
    /// ahead. The current turn is 1. Both are 0 outside `1..=horizon()`.
    #[must_use]
    #[inline]
    pub fn arriving(&self, planet: usize, turns: usize) -> (i32, i32) {
        let own = self.arrivals.ships(self.side, planet, turns);
        (own, self.arrivals.ships(self.side ^ 1, planet, turns))
    }

    /// The single fleets, with owners 1 (the seat itself) and 2, in the order in which they are sent to bots. There
    /// are none if the list is [switched off](Position::without_fleets).
    pub fn fleets(&self) -> impl Iterator<Item = Fleet> + use<'a> {
        let side = self.side;
        self.fleets.unwrap_or_default().iter().map(move |fleet| {
            let owner = if side == 0 { fleet.owner } else { 3 - fleet.owner };
            Fleet { owner, ..*fleet }
        })
    }
}

/// Views are equal if they show the same. It does not matter whose storage they borrow.
impl PartialEq for View<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.chart == other.chart
            && self.ships == other.ships
            && (0..self.planets()).all(|p| self.owner(p) == other.owner(p))
            && self.fleets.is_some() == other.fleets.is_some()
            && self.fleets().eq(other.fleets())
            && self.arrivals.looks_like(self.side, other.arrivals, other.side)
    }
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let planet = |id| (self.chart.position(id), self.owner(id).number(), self.ships(id), self.growth(id));
        f.debug_struct("View")
            .field("planets", &alloc::vec::Vec::from_iter((0..self.planets()).map(planet)))
            .field("fleets", &alloc::vec::Vec::from_iter(self.fleets()))
            .finish_non_exhaustive()
    }
}
