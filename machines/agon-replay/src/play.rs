//! The match as it counts: without turns that were taken back, and from the last edited position on.

use crate::{Line, Replay};
use agon_core::State;
use agon_referee::{MatchEvent, PlyRecord};
use agon_spec::MatchSpec;
use std::borrow::Borrow;

/// The turns that count, and the match that they belong to. `T` is a turn: its record, or a reference to it.
#[derive(Clone, PartialEq, Debug)]
pub struct LineOfPlay<T> {
    /// The description of the match. If the position was edited, its map and its state are
    /// the edited position.
    pub spec: MatchSpec,
    /// The turns. The first one follows the position of `spec`.
    pub turns: Vec<T>,
}

impl<T: Borrow<PlyRecord>> LineOfPlay<T> {
    /// Begins a match.
    #[must_use]
    pub fn new(spec: MatchSpec) -> Self {
        Self { spec, turns: Vec::new() }
    }

    /// Takes all turns after turn `ply` back.
    pub fn rewind(&mut self, ply: u32) {
        self.turns.truncate(ply as usize);
    }

    /// Begins again at a position that was edited. `map` is its text, and `state` what a map cannot say.
    pub fn edit(&mut self, map: String, state: State) {
        (self.spec.map, self.spec.state) = (map, state);
        self.turns.clear();
    }

    /// Returns the number of turns.
    #[must_use]
    pub fn plies(&self) -> u32 {
        u32::try_from(self.turns.len()).unwrap_or(u32::MAX)
    }

    /// Returns turn `ply`, counted from 1, if there is one.
    #[must_use]
    pub fn turn(&self, ply: u32) -> Option<&PlyRecord> {
        self.turns.get(ply.checked_sub(1)? as usize).map(Borrow::borrow)
    }

    /// Returns approximately how many bytes of memory the turns take.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.turns.iter().map(|turn| turn.borrow().weight()).fold(0, usize::saturating_add)
    }
}

impl Replay {
    /// Returns the match as it counts. Everything that shows, draws or plays a replay uses these turns, so that turn 5 is
    /// the same one for all of them.
    #[must_use]
    pub fn line_of_play(&self) -> LineOfPlay<&PlyRecord> {
        let mut play = LineOfPlay::new(self.header.spec.clone());
        for line in &self.lines {
            match line {
                Line::Ply(record) => play.turns.push(record),
                Line::Event(MatchEvent::Rewound { ply, .. }) => play.rewind(*ply),
                Line::Event(MatchEvent::Edited { map, state, .. }) => play.edit(map.clone(), state.clone()),
                Line::Event(_) | Line::Cut(_) | Line::Footer(_) => {}
            }
        }
        play
    }
}
