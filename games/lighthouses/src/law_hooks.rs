//! What the laws in `agon_core::laws` need from the game, and nothing else does.

use crate::{board::LightSet, position::Position, turn};
use agon_core::{LawHooks, Rng, Seat};
use alloc::vec::Vec;

impl LawHooks for Position {
    /// Changes another player's place, energy, score and keys, and the energy of a cell out of sight.
    fn with_hidden_change(&self, seat: Seat, rng: &mut Rng) -> Option<Self> {
        let mut other = self.clone();
        let here = other.place(seat);
        for i in (0..other.players.len()).filter(|i| *i != seat.index()) {
            let player = &mut other.players[i];
            player.energy += i64::from(rng.below(50)) + 1;
            player.score += i64::from(rng.below(50));
            player.keys ^= LightSet::from(rng.bits()) & ((1 << self.lights.len()) - 1);
            let steps: Vec<_> = turn::steps(&other, Seat::new(i)).collect();
            if let Some(step) = rng.pick(&steps) {
                other.players[i].cell = other.board.stepped(other.players[i].cell as usize, *step) as u32;
            }
        }
        let unseen: Vec<usize> = (0..other.board.cells())
            .filter(|&cell| other.free_energy(cell) > 0)
            .filter(|&cell| {
                let p = other.board.point(cell);
                (p.x - here.x).pow(2) + (p.y - here.y).pow(2) > 9
            })
            .collect();
        let cell = rng.pick(&unseen).copied();
        if let Some(cell) = cell {
            other.visited[cell] = other.growths();
        }
        (cell.is_some() || other.players.len() > 1).then_some(other)
    }
}
