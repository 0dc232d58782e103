//! A position of a match: the board, the turn, and the result.

use crate::{
    board::Board,
    map::Map,
    order::{Event, MOST_CHARACTERS, Order, Refusal},
    planes::Survey,
    rules::{Elimination, Rules},
    turn::{self, Scratch},
    view::View,
};
use agon_core::{Ending, Fingerprint, Game, Joint, Penalty, Seat, Seats, Sink, Standing};
use alloc::{vec, vec::Vec};

/// A position of Grid, and so the game itself.
#[derive(PartialEq, Eq, Debug)]
pub struct Position {
    pub(crate) board: Board,
    /// What budgets and the end of the match depend on, kept up to date.
    pub(crate) survey: Survey,
    /// The tiles that each player may capture; see [`Board::survey`].
    pub(crate) reach: Vec<u64>,
    pub(crate) rules: Rules,
    /// The number of turns that were played.
    pub(crate) turn: u32,
    pub(crate) limit: u32,
    pub(crate) end: Option<End>,
}

/// How a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// These players broke down or gave an unlawful order. The others win.
    Forfeit(Seats),
    /// At least one player owns no tile.
    Elimination,
    /// All turns were played.
    Limit,
}

impl Clone for Position {
    fn clone(&self) -> Self {
        Self { board: self.board.clone(), reach: self.reach.clone(), ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        self.board.clone_from(&source.board);
        self.reach.clone_from(&source.reach);
        (self.survey, self.rules) = (source.survey, source.rules);
        (self.turn, self.limit, self.end) = (source.turn, source.limit, source.end);
    }
}

impl Position {
    /// A match that has reached this map after `turn` of `limit` turns. Any map will do, even one that no match can
    /// start from: recordings and editors hold positions in which a player owns no tile.
    #[must_use]
    pub fn resume(map: &Map, rules: Rules, turn: u32, limit: u32) -> Self {
        Self::at(map.board(), rules, turn, limit)
    }

    /// Does what [`Position::resume`] does, from a board.
    pub(crate) fn at(board: Board, rules: Rules, turn: u32, limit: u32) -> Self {
        let mut reach = Vec::new();
        let survey = board.survey(&mut reach);
        let mut game = Self { board, survey, reach, rules, turn, limit, end: None };
        game.close();
        game
    }

    /// The board.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The rule set of the match.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The number of turns that were played, and the limit.
    #[must_use]
    pub fn turn(&self) -> (u32, u32) {
        (self.turn, self.limit)
    }

    /// The number of tiles that `seat` may capture in this turn (specification "Energy budget").
    #[must_use]
    pub fn energy(&self, seat: Seat) -> u32 {
        self.rules.budget(self.survey.gains[seat.index()])
    }

    /// The tiles that `seat` may capture (specification "Order format"), without margins.
    #[inline]
    pub(crate) fn reach(&self, seat: Seat) -> &[u64] {
        let (one, two) = self.reach.split_at(self.board.layout().words());
        if seat.index() == 0 { one } else { two }
    }

    /// "N" of the specification for `seat`: the number of empty tiles with strictly more side-neighbours of this
    /// player than of the other.
    #[must_use]
    pub fn gains(&self, seat: Seat) -> u32 {
        self.survey.gains[seat.index()]
    }

    /// Whether at least one player owns no tile.
    pub(crate) fn somebody_is_gone(&self) -> bool {
        self.survey.alive != [true, true]
    }

    /// Ends the match if the turn that has just been played ended it.
    pub(crate) fn close(&mut self) {
        // Elimination comes first, even after the last turn (G20). In the judge the limit comes first, because it
        // looks for tiles only in the next exchange, and no exchange follows the last turn (G23).
        if self.rules.elimination == Elimination::Now && self.somebody_is_gone() {
            self.end = Some(End::Elimination);
        } else if self.turn >= self.limit {
            self.end = Some(End::Limit);
        }
    }

    /// Finds the first unlawful order of `seat`. Each is judged on the map that was sent (G4), so no order affects the
    /// next.
    pub(crate) fn refusal(&self, seat: Seat, orders: &[Order]) -> Result<(), (usize, Refusal)> {
        // If a player has no tiles left, the judge reads the answers and ignores them (G21).
        if self.end.is_none() && self.somebody_is_gone() {
            return Ok(());
        }
        let energy = self.energy(seat);
        let mut captures = 0;
        let mut characters = 0;
        for (i, order) in orders.iter().enumerate() {
            let refused = match *order {
                Order::Capture { .. } if characters > 0 => Some(Refusal::ChatIncomplete),
                Order::Capture { x, y } => {
                    captures += 1;
                    self.capture_refusal(seat, x, y).or_else(|| {
                        // A tile that is ordered twice costs twice (G14).
                        let all = || orders.iter().filter(|o| matches!(o, Order::Capture { .. })).count() as u32;
                        (captures > energy).then(|| Refusal::OverBudget { captures: all(), energy })
                    })
                }
                Order::Say(_) if !self.rules.chat => Some(Refusal::ChatUnknown),
                Order::Say(piece) => {
                    let text = piece.text();
                    characters += text.chars().filter(|c| *c != '\n').count() as u32;
                    let refused = match (piece.is_last(), characters) {
                        (true, 0) => Some(Refusal::ChatIncomplete),
                        (true, n) if n > MOST_CHARACTERS => Some(Refusal::ChatTooLong { characters: n }),
                        _ => None,
                    };
                    if piece.is_last() {
                        characters = 0;
                    }
                    refused
                }
            };
            if let Some(why) = refused {
                return Err((i, why));
            }
        }
        if characters > 0 { Err((orders.len(), Refusal::ChatIncomplete)) } else { Ok(()) }
    }

    fn capture_refusal(&self, seat: Seat, x: u16, y: u16) -> Option<Refusal> {
        let (width, height) = (self.board.width(), self.board.height());
        if x >= width || y >= height {
            return Some(Refusal::OutOfMap { x, y, width, height });
        }
        (!self.board.reaches(seat, x, y)).then_some(Refusal::Unreachable { x, y })
    }
}

impl Game for Position {
    const NAME: &'static str = "grid";
    type Order = Order;
    type Event = Event;
    type Refusal = Refusal;
    type Scratch = Scratch;
    type View<'a> = View<'a>;

    fn seats(&self) -> usize {
        2
    }

    /// Both players decide in the same turn, until the end.
    fn awaiting(&self) -> Seats {
        if self.over() { Seats::NONE } else { Seats::first(2) }
    }

    fn over(&self) -> bool {
        self.end.is_some()
    }

    fn check(&self, seat: Seat, orders: &[Order], _tmp: &mut Scratch) -> Result<(), (usize, Refusal)> {
        self.refusal(seat, orders)
    }

    /// Any invalid order disqualifies the bot (specification "Disqualification conditions").
    fn penalty(&self, _why: &Refusal) -> Penalty {
        Penalty::Fail
    }

    fn resolve(&mut self, joint: Joint<'_, Order>, tmp: &mut Scratch, out: &mut impl Sink<Event>) {
        if !self.over() {
            turn::play(self, &joint, tmp, out);
        }
    }

    fn view(&self, seat: Seat) -> View<'_> {
        View { me: seat, energy: self.energy(seat), board: &self.board }
    }

    /// The tiles of both players, their places, and why the match ended.
    fn standing(&self) -> Standing {
        let tiles: Vec<i64> = [0, 1].map(|i| i64::from(self.board.count(Seat::new(i)))).to_vec();
        match self.end {
            None => Standing::by_score(tiles, Ending::Unfinished),
            Some(End::Limit) => Standing::by_score(tiles, Ending::Limit),
            // If neither player has tiles, it is a draw (specification "Elimination"); else the player with tiles has
            // more of them.
            Some(End::Elimination) => Standing::by_score(tiles, Ending::Elimination),
            Some(End::Forfeit(out)) => {
                let place = |i| if out.contains(Seat::new(i)) { 2 } else { 1 };
                Standing { scores: tiles, places: vec![place(0), place(1)], ending: Ending::Forfeit }
            }
        }
    }

    fn fingerprint(&self) -> u64 {
        let mut fingerprint = Fingerprint::new();
        let end = match self.end {
            None => 0,
            Some(End::Forfeit(out)) => 4 | out.bits(),
            Some(End::Elimination) => 1,
            Some(End::Limit) => 2,
        };
        fingerprint.u32(self.turn).u32(self.limit).u32(self.rules.bits()).u32(end);
        self.board.mix(&mut fingerprint);
        fingerprint.finish()
    }
}
