//! Every match that was drawn, and its outcome, in few bytes: a tournament may have millions.

use crate::{Entrant, MatchId, Outcome, Points, SeatResult, draw::Block, outcome::Share};
use agon_core::forfeited_by_all;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The bit of a place that says that the bot failed.
const FAULT: u8 = 0x80;

/// How far a match is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum State {
    /// It was drawn and not handed out.
    Open,
    /// It was handed out to be played.
    Running,
    Finished,
    Void,
    NoResult,
    /// It is not played, because one of its bots was withdrawn.
    Skipped,
}

impl State {
    /// Returns whether the match has an outcome, or will never have one.
    pub(crate) const fn is_settled(self) -> bool {
        !matches!(self, Self::Open | Self::Running)
    }
}

/// A finished match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recorded<'a> {
    /// The bots in the order of their seats.
    pub seats: &'a [Entrant],
    places: &'a [u8],
    /// The points of each seat.
    pub points: &'a [i64],
    forfeits_lose: bool,
}

impl Recorded<'_> {
    /// Returns the place of a seat, from 1.
    pub(crate) const fn place(&self, seat: usize) -> u8 {
        self.places[seat] & !FAULT
    }

    /// Returns what the match was for a seat.
    pub(crate) fn share(&self, seat: usize) -> Share {
        Share::of(self.place(seat), self.firsts())
    }

    /// Returns what two bots of the match are to each other, in half comparisons: 2 if `seat` has beaten `other`, 1 if
    /// they are level, else 0. In a match that nobody has won, bots with equal places have both lost.
    pub(crate) fn comparison(&self, seat: usize, other: usize) -> i64 {
        match self.place(seat).cmp(&self.place(other)) {
            Ordering::Less => 2,
            Ordering::Equal if self.firsts() > 0 => 1,
            Ordering::Equal | Ordering::Greater => 0,
        }
    }

    /// Returns how many seats have the first place.
    fn firsts(&self) -> usize {
        (0..self.seats.len()).filter(|seat| self.place(*seat) == 1).count()
    }

    /// Returns whether all bots have forfeited the match. It is then a loss for each of them, and says nothing about which
    /// is stronger. Never in a tournament that began when this was no rule.
    pub(crate) fn is_forfeited_by_all(&self) -> bool {
        let seats = 0..self.seats.len();
        self.forfeits_lose && forfeited_by_all(seats.map(|seat| (self.place(seat).into(), self.fault(seat))))
    }

    /// Returns whether the bot in a seat failed.
    pub(crate) const fn fault(&self, seat: usize) -> bool {
        self.places[seat] & FAULT != 0
    }
}

/// Every match that was drawn, and its outcome.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ledger {
    width: usize,
    block_size: usize,
    /// As [`Spec::forfeits_lose`](crate::Spec::forfeits_lose).
    forfeits_lose: bool,
    seats: Vec<Entrant>,
    places: Vec<u8>,
    points: Vec<i64>,
    states: Vec<State>,
    rounds: Vec<u32>,
    maps: Vec<u32>,
    /// Empty, or one for each block.
    probabilities: Vec<f64>,
    /// For each block, the first block with its seed. Empty if every block has its own.
    seed_blocks: Vec<u32>,
    unsettled: usize,
}

impl Ledger {
    /// Creates an empty ledger for matches with `width` seats, `block_size` of them in each block.
    pub(crate) const fn new(width: usize, block_size: usize, forfeits_lose: bool) -> Self {
        Self {
            width,
            block_size,
            forfeits_lose,
            seats: Vec::new(),
            places: Vec::new(),
            points: Vec::new(),
            states: Vec::new(),
            rounds: Vec::new(),
            maps: Vec::new(),
            probabilities: Vec::new(),
            seed_blocks: Vec::new(),
            unsettled: 0,
        }
    }

    /// Returns whether this is a ledger of the same tournament as `other`, which has so many bots.
    pub(crate) fn is_like(&self, other: &Self, entrants: u32) -> bool {
        let (matches, blocks) = (self.states.len(), self.rounds.len());
        let seats = matches.saturating_mul(self.width);
        let unsettled = self.states.iter().filter(|state| !state.is_settled()).count();
        let terms = |ledger: &Self| (ledger.width, ledger.block_size, ledger.forfeits_lose);
        terms(self) == terms(other)
            && blocks.checked_mul(self.block_size) == Some(matches)
            && [self.seats.len(), self.places.len(), self.points.len()] == [seats; 3]
            && self.maps.len() == blocks
            && [0, blocks].contains(&self.probabilities.len())
            && [0, blocks].contains(&self.seed_blocks.len())
            && self.seats.iter().all(|bot| bot.0 < entrants)
            && self.unsettled == unsettled
    }

    /// Opens the matches that were handed out and have no outcome. Returns how many are open.
    pub(crate) fn open_running(&mut self) -> usize {
        for state in self.states.iter_mut().filter(|state| **state == State::Running) {
            *state = State::Open;
        }
        self.unsettled
    }

    /// Returns the number of matches that were drawn.
    pub(crate) const fn len(&self) -> usize {
        self.states.len()
    }

    pub(crate) const fn next_id(&self) -> MatchId {
        MatchId::of_index(self.states.len())
    }

    /// Returns whether every match that was drawn has an outcome or will never have one.
    pub(crate) const fn is_settled(&self) -> bool {
        self.unsettled == 0
    }

    /// Appends a block. `orders` are the bots of its matches in the order of their seats.
    pub(crate) fn push(&mut self, block: &Block, orders: &[Vec<Entrant>]) {
        debug_assert_eq!(orders.len(), self.block_size, "a block has a fixed number of matches");
        let number = self.rounds.len() as u32;
        if block.same_seed && self.seed_blocks.is_empty() {
            self.seed_blocks.extend(0..number);
        }
        if !self.seed_blocks.is_empty() {
            let before = self.seed_blocks.last().copied();
            self.seed_blocks.push(before.filter(|_| block.same_seed).unwrap_or(number));
        }
        self.rounds.push(block.round);
        self.maps.push(block.map);
        self.probabilities.extend(block.probability);
        for order in orders {
            debug_assert_eq!(order.len(), self.width, "a match has a fixed number of seats");
            self.seats.extend(order);
            self.places.resize(self.places.len() + self.width, 0);
            self.points.resize(self.points.len() + self.width, 0);
            self.states.push(State::Open);
            self.unsettled += 1;
        }
    }

    /// Returns the state of a match. `None` if it was not drawn.
    pub(crate) fn state(&self, id: MatchId) -> Option<State> {
        (id.0 > 0).then(|| self.states.get(id.index()).copied())?
    }

    /// Changes the state of a match that was drawn.
    pub(crate) fn set_state(&mut self, id: MatchId, state: State) {
        let old = &mut self.states[id.index()];
        self.unsettled -= usize::from(!old.is_settled());
        self.unsettled += usize::from(!state.is_settled());
        *old = state;
    }

    /// Records the outcome of a match that was drawn, with as many results as seats.
    pub(crate) fn set_outcome(&mut self, id: MatchId, outcome: &Outcome, rule: &Points) {
        let state = match outcome {
            Outcome::Finished(results) => {
                let first = id.index() * self.width;
                let judged = if self.forfeits_lose { judged(results) } else { results.clone() };
                for (seat, result) in judged.iter().enumerate() {
                    self.places[first + seat] = result.place | if result.fault { FAULT } else { 0 };
                    self.points[first + seat] = rule.award(*result, &judged);
                }
                State::Finished
            }
            Outcome::Void => State::Void,
            Outcome::NoResult => State::NoResult,
        };
        self.set_state(id, state);
    }

    /// Returns whether `outcome` has one result with a lawful place for each seat.
    pub(crate) fn fits(&self, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Finished(results) => {
                let lawful = |seat: &SeatResult| (1..=SeatResult::WORST_PLACE).contains(&seat.place);
                results.len() == self.width && results.iter().all(lawful)
            }
            Outcome::Void | Outcome::NoResult => true,
        }
    }

    /// Returns the bots of a match in the order of their seats.
    pub(crate) fn seats(&self, id: MatchId) -> &[Entrant] {
        &self.seats[id.index() * self.width..][..self.width]
    }

    /// Returns the bots of each block, in any order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &[Entrant]> {
        self.seats.chunks(self.width * self.block_size).map(|seats| &seats[..self.width])
    }

    /// Returns the bots of a block, in any order.
    pub(crate) fn block_bots(&self, block: usize) -> &[Entrant] {
        &self.seats[block * self.block_size * self.width..][..self.width]
    }

    /// Returns the numbers of the matches of a block.
    pub(crate) fn block_matches(&self, block: usize) -> impl Iterator<Item = MatchId> + use<> {
        (block * self.block_size..(block + 1) * self.block_size).map(MatchId::of_index)
    }

    /// Returns the number of the first match of a block, which need not be drawn yet.
    pub(crate) const fn first_of(&self, block: usize) -> MatchId {
        MatchId::of_index(block * self.block_size)
    }

    /// Returns the block to which a match belongs, counted from 0.
    pub(crate) const fn block(&self, id: MatchId) -> usize {
        id.index() / self.block_size
    }

    pub(crate) fn round(&self, block: usize) -> u32 {
        self.rounds[block]
    }

    pub(crate) fn map(&self, block: usize) -> u32 {
        self.maps[block]
    }

    /// Returns the number from which the seed of a block follows.
    pub(crate) fn seed_number(&self, block: usize) -> u64 {
        self.seed_blocks.get(block).map_or(block as u64, |first| u64::from(*first))
    }

    pub(crate) fn probability(&self, block: usize) -> Option<f64> {
        self.probabilities.get(block).copied()
    }

    /// Returns what is recorded of a match that was drawn. The places are 0 unless it is finished.
    pub(crate) fn recorded(&self, id: MatchId) -> Recorded<'_> {
        let range = id.index() * self.width..(id.index() + 1) * self.width;
        Recorded {
            seats: &self.seats[range.clone()],
            places: &self.places[range.clone()],
            points: &self.points[range],
            forfeits_lose: self.forfeits_lose,
        }
    }

    /// Returns all matches with their states, in the order of the schedule.
    pub(crate) fn states(&self) -> impl Iterator<Item = (MatchId, State)> {
        self.states.iter().enumerate().map(|(index, state)| (MatchId::of_index(index), *state))
    }

    /// Returns the finished matches in the order of the schedule.
    pub(crate) fn finished(&self) -> impl Iterator<Item = (MatchId, Recorded<'_>)> {
        self.states().filter(|(_, state)| *state == State::Finished).map(|(id, _)| (id, self.recorded(id)))
    }
}

/// Returns the results with what they are worth as places: where all bots have forfeited the match, nobody has the first
/// one, whatever the game's rules say.
fn judged(results: &[SeatResult]) -> Vec<SeatResult> {
    let forfeited = forfeited_by_all(results.iter().map(|seat| (seat.place.into(), seat.fault)));
    let behind = u8::from(forfeited && results.iter().any(|seat| seat.place == 1));
    let place = |place: u8| place.saturating_add(behind).min(SeatResult::WORST_PLACE);
    results.iter().map(|seat| SeatResult { place: place(seat.place), ..*seat }).collect()
}
