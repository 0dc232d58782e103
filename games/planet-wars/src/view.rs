//! What one seat may know: everything, from its own point of view.
//!
//! Specification "Planets": "Players always see themselves as player 1 and their opponents as player 2."

use crate::{arrivals::Arrivals, chart::Chart, map::Fleet, position::Position};
use agon_core::Seat;
use core::fmt;

/// Whose a planet is, for the seat that looks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Owner {
    /// Nobody's; sent as 0.
    Neutral,
    /// The seat's own; sent as 1.
    Own,
    /// The opponent's; sent as 2.
    Enemy,
}

impl Owner {
    /// As it is sent to bots.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// All that one seat may know.
#[derive(Clone, Copy)]
pub struct View<'a> {
    chart: &'a Chart,
    /// By seats; one entry a planet.
    owner: &'a [i32],
    ships: &'a [i32],
    arrivals: &'a Arrivals,
    fleets: Option<&'a [Fleet]>,
    /// Index of the seat that looks.
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

    /// What a client has read, where player 1 is the seat itself.
    pub(crate) fn of_client(
        chart: &'a Chart,
        owner: &'a [i32],
        ships: &'a [i32],
        arrivals: &'a Arrivals,
        fleets: &'a [Fleet],
    ) -> Self {
        Self { chart, owner, ships, arrivals, fleets: Some(fleets), side: 0 }
    }

    /// A bot's own play, seen by either side of it.
    pub(crate) fn of_sandbox(
        chart: &'a Chart,
        owner: &'a [i32],
        ships: &'a [i32],
        arrivals: &'a Arrivals,
        side: usize,
    ) -> Self {
        Self { chart, owner, ships, arrivals, fleets: None, side }
    }

    /// The arrivals with the seat that looks as the first player.
    pub(crate) fn copy_arrivals(&self, into: &mut Arrivals) {
        into.clone_from(self.arrivals);
        if self.side == 1 {
            into.exchange();
        }
    }

    /// Number of planets. Their IDs are `0..planets()`; methods that take an ID panic for others.
    #[must_use]
    #[inline]
    pub fn planets(&self) -> usize {
        self.ships.len()
    }

    /// Positions, growth rates and trip lengths.
    #[must_use]
    #[inline]
    pub fn chart(&self) -> &'a Chart {
        self.chart
    }

    /// Whose a planet is.
    #[must_use]
    #[inline]
    pub fn owner(&self, planet: usize) -> Owner {
        match self.owner[planet] {
            0 => Owner::Neutral,
            seat if seat as usize == self.side + 1 => Owner::Own,
            _ => Owner::Enemy,
        }
    }

    /// Ships on a planet.
    #[must_use]
    #[inline]
    pub fn ships(&self, planet: usize) -> i32 {
        self.ships[planet]
    }

    /// Ships that a planet gains at the end of each turn while a player owns it.
    #[must_use]
    #[inline]
    pub fn growth(&self, planet: usize) -> i32 {
        self.chart.growth(planet)
    }

    /// Length of a trip in turns.
    #[must_use]
    #[inline]
    pub fn trip(&self, source: usize, destination: usize) -> i32 {
        self.chart.trip(source, destination)
    }

    /// How many turns ahead [`View::arriving`] looks: the longest trip of the map, at most
    /// [`MAX_SLOTS`](crate::arrivals::MAX_SLOTS).
    #[must_use]
    #[inline]
    pub fn horizon(&self) -> usize {
        self.arrivals.horizon()
    }

    /// Ships of the seat itself and of its opponent that arrive at a planet at the end of the turn that is `turns`
    /// ahead (1 is the current one); zeros outside `1..=horizon()`.
    #[must_use]
    #[inline]
    pub fn arriving(&self, planet: usize, turns: usize) -> (i32, i32) {
        let own = self.arrivals.ships(self.side, planet, turns);
        (own, self.arrivals.ships(self.side ^ 1, planet, turns))
    }

    /// The single fleets with owners 1 (the seat) and 2, in the order in which bots are told of them; none where the
    /// list is [switched off](Position::without_fleets).
    pub fn fleets(&self) -> impl Iterator<Item = Fleet> + use<'a> {
        let side = self.side;
        self.fleets.unwrap_or_default().iter().map(move |fleet| {
            let owner = if side == 0 { fleet.owner } else { 3 - fleet.owner };
            Fleet { owner, ..*fleet }
        })
    }
}

/// Views are equal if they show the same; whose storage they borrow does not matter.
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
