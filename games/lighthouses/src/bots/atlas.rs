//! What a bot computes about its island once, and what it remembers of the energy there.

use crate::{
    Order, View,
    board::{Board, CELL_CAP, LightSet, STEPS, members},
    view::{SEEN, SIGHT},
};
use alloc::{vec, vec::Vec};

/// The distance of a cell from which there is no path.
const FAR: u16 = u16::MAX;

/// Distances and remembered energy, by cell number.
#[derive(Default)]
pub(super) struct Atlas {
    /// For each lighthouse: the number of moves to it from each cell.
    moves: Vec<Vec<u16>>,
    /// The free energy as far as the bot knows: the energy it saw, and the growth since then.
    energy: Vec<u8>,
    /// Working memory of [`Atlas::richest_way`]: the most energy on a path from each cell.
    best: Vec<u16>,
}

impl Atlas {
    /// Reads the view of a turn: all cells grow, then the visible ones are set to what the bot sees.
    pub fn update(&mut self, view: &View<'_>) {
        let board = view.board;
        if self.energy.len() != board.cells() || self.moves.len() != view.lights() {
            self.moves = (0..view.lights()).map(|light| moves_to(board, board.light_cell(light))).collect();
            self.energy = vec![0; board.cells()];
            self.best = vec![0; board.cells()];
        }
        for (energy, site) in self.energy.iter_mut().zip(board.sites()) {
            *energy = (*energy + site.growth).min(CELL_CAP as u8);
        }
        let Some(here) = board.cell_at(view.place) else { return };
        let corner = here - SIGHT * board.stride() - SIGHT;
        for (dy, row) in view.near.iter().enumerate() {
            for (dx, seen) in row.iter().enumerate() {
                if SEEN[dy] >> dx & 1 == 1 {
                    self.energy[corner + dy * board.stride() + dx] = (*seen).max(0) as u8;
                }
            }
        }
    }

    /// The number of moves from a cell to a lighthouse. `None` if there is no path.
    pub fn distance(&self, cell: usize, light: usize) -> Option<u32> {
        let moves = self.moves[light][cell];
        (moves != FAR).then_some(u32::from(moves))
    }

    /// The energy on the richest of the shortest paths from a cell to a lighthouse, and the first step of that path.
    pub fn richest_way(&mut self, board: &Board, from: usize, light: usize) -> (u32, Option<(i8, i8)>) {
        let moves = &self.moves[light];
        if moves[from] == FAR || moves[from] == 0 {
            return (0, None);
        }
        // A search from the lighthouse would need the cells sorted by layer. This one starts here instead, and keeps
        // the cells of each layer that lie on a shortest path.
        let mut layers: Vec<Vec<usize>> = vec![vec![from]];
        for left in (1..moves[from]).rev() {
            let mut next = Vec::new();
            for &cell in layers.last().into_iter().flatten() {
                for step in STEPS {
                    let to = board.stepped(cell, step);
                    if moves[to] == left && !next.contains(&to) {
                        next.push(to);
                    }
                }
            }
            layers.push(next);
        }
        let goal = board.light_cell(light);
        self.best[goal] = u16::from(self.energy[goal]);
        let mut first = None;
        for (i, layer) in layers.iter().enumerate().rev() {
            let left = moves[from] - i as u16;
            for &cell in layer {
                let ways = STEPS.iter().filter(|s| moves[board.stepped(cell, **s)] == left - 1);
                let Some(step) = ways.max_by_key(|s| self.best[board.stepped(cell, **s)]) else { continue };
                let own = if i == 0 { 0 } else { u16::from(self.energy[cell]) };
                self.best[cell] = self.best[board.stepped(cell, *step)] + own;
                first = Some(*step);
            }
        }
        (u32::from(self.best[from]), first)
    }

    /// A move to the neighbouring cell with the most energy.
    pub fn richest_step(&self, view: &View<'_>) -> Order {
        let Some(here) = view.board.cell_at(view.place) else { return Order::Pass };
        let steps = STEPS.iter().filter(|s| view.board.site(view.board.stepped(here, **s)).land);
        let best = steps.max_by_key(|s| self.energy[view.board.stepped(here, **s)]);
        best.map_or(Order::Pass, |(dx, dy)| Order::Move(*dx, *dy))
    }
}

/// The number of moves to `goal` from every cell of the island.
fn moves_to(board: &Board, goal: usize) -> Vec<u16> {
    let mut moves = vec![FAR; board.cells()];
    moves[goal] = 0;
    let mut open = vec![goal];
    let mut next = 0;
    while let Some(&cell) = open.get(next) {
        next += 1;
        for step in STEPS {
            let to = board.stepped(cell, step);
            if board.site(to).land && moves[to] == FAR {
                moves[to] = moves[cell] + 1;
                open.push(to);
            }
        }
    }
    moves
}

/// The lighthouses that the player could connect to `light` if it stood there now.
pub(super) fn open_connections(view: &View<'_>, light: usize) -> LightSet {
    if !view.owns(light) {
        return 0;
    }
    let able = |to: &usize| {
        let free = *to != light && view.owns(*to) && view.links(light) >> to & 1 == 0;
        free && view.board.hidden_from(light) >> to & 1 == 0 && !is_crossed(view.board, light, *to, |i| view.links(i))
    };
    members(view.keys).filter(able).fold(0, |set, to| set | 1 << to)
}

/// Whether a connection from `a` to `b` would cross one of these connections.
pub(super) fn is_crossed(board: &Board, a: usize, b: usize, links: impl Fn(usize) -> LightSet) -> bool {
    let right = board.left_of(b, a);
    members(board.left_of(a, b)).any(|c| members(links(c) & right).any(|d| board.cross(a, b, c, d)))
}
