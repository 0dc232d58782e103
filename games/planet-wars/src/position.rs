//! A position: the planets, the calendar of arrivals, and a list of single fleets that can be switched off.

use crate::{
    arrivals::Arrivals,
    chart::Chart,
    coordinate::Coordinate,
    fleets::Muster,
    map::Fleet,
    order::{self, Event, Order, Refusal},
    planets::Planets,
    rules::{Forfeit, Out, Rules, Survivor, ZeroShips},
    turn,
    view::View,
};
use agon_core::{Ending, Fingerprint, Game, Joint, Penalty, Seat, Seats, Sink, Standing};
use alloc::{sync::Arc, vec, vec::Vec};

/// A position of Planet Wars.
#[derive(Debug)]
pub struct Position {
    pub(crate) board: Arc<Board>,
    pub(crate) turn: u32,
    pub(crate) planets: Planets,
    pub(crate) arrivals: Arrivals,
    /// The single fleets. `None` if they are switched off.
    pub(crate) fleets: Option<Vec<Fleet>>,
    pub(crate) forfeited: [bool; 2],
    pub(crate) ending: Ending,
}

/// What never changes in a match.
#[derive(Debug)]
pub(crate) struct Board {
    pub(crate) rules: Rules,
    pub(crate) limit: u32,
    pub(crate) coordinates: Vec<[Coordinate; 2]>,
    pub(crate) chart: Chart,
    /// The chart that bots get. `None` if rounding makes no difference.
    pub(crate) seen: Option<Chart>,
}

/// Working memory of a turn.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The ships that earlier orders use, by planet. It holds zeros except during a check.
    spent: Vec<i32>,
    pub(crate) muster: Muster,
}

impl Clone for Position {
    fn clone(&self) -> Self {
        Self {
            board: Arc::clone(&self.board),
            turn: self.turn,
            planets: self.planets.clone(),
            arrivals: self.arrivals.clone(),
            fleets: self.fleets.clone(),
            forfeited: self.forfeited,
            ending: self.ending,
        }
    }

    fn clone_from(&mut self, other: &Self) {
        if !Arc::ptr_eq(&self.board, &other.board) {
            self.board = Arc::clone(&other.board);
        }
        self.turn = other.turn;
        self.planets.clone_from(&other.planets);
        self.arrivals.clone_from(&other.arrivals);
        self.fleets.clone_from(&other.fleets);
        self.forfeited = other.forfeited;
        self.ending = other.ending;
    }
}

impl Position {
    /// The rule set of the match.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.board.rules
    }

    /// The number of turns played so far.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// The largest number of turns. By `playgame` it is one more than the limit that was set.
    #[must_use]
    pub fn limit(&self) -> u32 {
        self.board.limit
    }

    /// The number of planets.
    #[must_use]
    #[inline]
    pub fn planet_count(&self) -> usize {
        self.board.chart.len()
    }

    /// The chart that the rules use.
    #[must_use]
    pub fn chart(&self) -> &Chart {
        &self.board.chart
    }

    /// The chart that bots get: by `original` it has rounded coordinates.
    pub(crate) fn seen_chart(&self) -> &Chart {
        self.board.seen.as_ref().unwrap_or(&self.board.chart)
    }

    /// The owner of a planet: 0 for neutral, 1 or 2 for a player.
    ///
    /// # Panics
    /// If there is no such planet.
    #[must_use]
    pub fn owner(&self, planet: usize) -> u8 {
        self.planets.owner[planet] as u8
    }

    /// The number of ships on a planet.
    ///
    /// # Panics
    /// If there is no such planet.
    #[must_use]
    pub fn ships(&self, planet: usize) -> i32 {
        self.planets.ships[planet]
    }

    /// The single fleets in the order in which they are sent to bots. `None` if they are switched off.
    #[must_use]
    pub fn fleets(&self) -> Option<&[Fleet]> {
        self.fleets.as_deref()
    }

    /// The number of ships of one player on planets and in fleets.
    #[must_use]
    pub fn total_ships(&self, seat: Seat) -> i64 {
        let owned = self.planets.owner.iter().zip(&self.planets.ships);
        let docked: i64 = owned.filter(|(o, _)| **o == i32::from(seat.number())).map(|(_, s)| i64::from(*s)).sum();
        docked + i64::from(self.arrivals.in_flight(seat.index()).ships)
    }

    /// This position without the list of single fleets, for simulations. All rules play the same, but the dialogue and
    /// the frame show no fleets.
    #[must_use]
    pub fn without_fleets(mut self) -> Self {
        self.fleets = None;
        self
    }

    /// Whether each player is still in the game (specification "Endgame Conditions"), regardless of forfeits.
    pub(crate) fn alive(&self) -> [bool; 2] {
        [0, 1].map(|side| {
            let flying = self.arrivals.in_flight(side);
            match self.rules().out {
                Out::Ships => flying.ships != 0 || self.planets.owned(side).any(|p| self.planets.ships[p] != 0),
                Out::Planets => flying.fleets != 0 || self.planets.owned(side).next().is_some(),
            }
        })
    }
}

impl Game for Position {
    const NAME: &'static str = "planet-wars";
    type Order = Order;
    type Event = Event;
    type Refusal = Refusal;
    type Scratch = Scratch;
    type View<'a> = View<'a>;

    fn seats(&self) -> usize {
        2
    }

    fn awaiting(&self) -> Seats {
        if self.over() { Seats::NONE } else { Seats::first(2) }
    }

    #[inline]
    fn over(&self) -> bool {
        self.ending != Ending::Unfinished
    }

    fn check(&self, seat: Seat, orders: &[Order], tmp: &mut Scratch) -> Result<(), (usize, Refusal)> {
        if tmp.spent.len() < self.planet_count() {
            tmp.spent.resize(self.planet_count(), 0);
        }
        order::check(self, seat, orders, &mut tmp.spent)
    }

    fn penalty(&self, _why: &Refusal) -> Penalty {
        Penalty::Fail
    }

    fn resolve(&mut self, joint: Joint<'_, Order>, tmp: &mut Scratch, out: &mut impl Sink<Event>) {
        turn::play(self, joint, tmp, out);
    }

    fn view(&self, seat: Seat) -> View<'_> {
        View::of_position(self, seat)
    }

    /// The scores are the numbers of ships on planets and in fleets.
    fn standing(&self) -> Standing {
        let scores = [0, 1].map(|i| self.total_ships(Seat::new(i)));
        let mut standing = Standing::by_score(scores.to_vec(), self.ending);
        let sole = match (self.rules().forfeit, self.forfeited) {
            (Forfeit::Ends, [true, true]) => {
                standing.places = vec![1, 1];
                return standing;
            }
            (Forfeit::Ends, [true, false] | [false, true]) => self.forfeited.map(|f| !f),
            // The specification lets "the player that has ships remaining" win, `playgame` the last one that is still in
            // the game.
            _ if self.over() && self.rules().survivor == Survivor::Wins => self.alive(),
            _ => [false; 2],
        };
        match sole {
            [true, false] => standing.places = vec![1, 2],
            [false, true] => standing.places = vec![2, 1],
            _ => {}
        }
        standing
    }

    fn fingerprint(&self) -> u64 {
        let mut f = Fingerprint::new();
        f.u32(self.turn).u32(self.board.limit).u32(self.ending as u32);
        f.u32(u32::from(self.forfeited[0]) | u32::from(self.forfeited[1]) << 1);
        for id in 0..self.planet_count() {
            f.u64((self.planets.owner[id] as u64) << 32 | u64::from(self.planets.ships[id] as u32));
        }
        // Fleets of 0 ships keep their owner in the game. If the rules have them, their number is part of the
        // position.
        self.arrivals.mix(&mut f, self.rules().zero_ships == ZeroShips::Fleet);
        f.finish()
    }
}
