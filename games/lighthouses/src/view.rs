//! What one player may know: itself, the energy around it, and the lighthouses. Specification "El Juego": "los
//! jugadores NO conocen la posición de los demás".

use crate::{
    board::{Board, CELL_CAP, LightSet},
    position::{Light, Position, owner},
};
use agon_core::{Seat, geometry::Point};
use core::fmt;

/// The distance to which a player sees, in cells.
pub const SIGHT: usize = 3;

/// The side of the square of cells around a player.
pub const WINDOW: usize = 2 * SIGHT + 1;

/// The free energy around a player. The bottom row comes first, and the player is in the middle. Cells that it does
/// not see hold -1.
pub type Near = [[i8; WINDOW]; WINDOW];

/// For each row of the window: the cells whose centres lie within [`SIGHT`]. Bit x stands for column x.
pub(crate) const SEEN: [u8; WINDOW] =
    [0b000_1000, 0b011_1110, 0b011_1110, 0b111_1111, 0b011_1110, 0b011_1110, 0b000_1000];

/// What a player sees before its turn, together with the facts of the start message.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The player whose view this is.
    pub seat: Seat,
    /// The number of players.
    pub players: usize,
    /// The cell where the player stands.
    pub place: Point,
    /// Its points.
    pub score: i64,
    /// Its energy.
    pub energy: i64,
    /// The free energy around it.
    pub near: Near,
    /// The lighthouses whose keys it holds.
    pub keys: LightSet,
    /// The island and what follows from it.
    pub board: &'a Board,
    pub(crate) lights: &'a [Light],
    pub(crate) round: u32,
}

impl View<'_> {
    /// The number of lighthouses.
    #[must_use]
    pub fn lights(&self) -> usize {
        self.lights.len()
    }

    /// The owner of a lighthouse. `None` if it is neutral.
    #[must_use]
    pub fn owner(&self, light: usize) -> Option<Seat> {
        owner(&self.lights[light])
    }

    /// Whether the player owns a lighthouse.
    #[must_use]
    pub fn owns(&self, light: usize) -> bool {
        usize::from(self.lights[light].owner) == self.seat.index()
    }

    /// The energy of a lighthouse. It is 0 if the lighthouse is neutral.
    #[must_use]
    pub fn light_energy(&self, light: usize) -> i64 {
        self.lights[light].energy(self.round)
    }

    /// The lighthouses that a lighthouse is connected to.
    #[must_use]
    pub fn links(&self, light: usize) -> LightSet {
        self.lights[light].links
    }

    /// Whether the player holds the key of a lighthouse.
    #[must_use]
    pub fn has_key(&self, light: usize) -> bool {
        self.keys >> light & 1 == 1
    }

    /// The lighthouse on the player's cell. `None` if there is none.
    #[must_use]
    pub fn light_below(&self) -> Option<usize> {
        self.board.light_at(self.place)
    }

    fn facts(&self) -> (usize, usize, Point, i64, i64, Near, LightSet) {
        (self.seat.index(), self.players, self.place, self.score, self.energy, self.near, self.keys)
    }
}

impl PartialEq for View<'_> {
    /// Compares what the players see, however it is stored.
    fn eq(&self, other: &Self) -> bool {
        let same = |i: usize| {
            let (a, b) = (&self.lights[i], &other.lights[i]);
            a.owner == b.owner && a.links == b.links && a.energy(self.round) == b.energy(other.round)
        };
        self.facts() == other.facts()
            && self.lights.len() == other.lights.len()
            && (0..self.lights.len()).all(same)
            && (core::ptr::eq(self.board, other.board) || self.board == other.board)
    }
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Lights<'a>(&'a View<'a>);
        impl fmt::Debug for Lights<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let rows = (0..self.0.lights()).map(|i| {
                    let at: (i32, i32) = self.0.board.lights()[i].into();
                    (at, self.0.owner(i), self.0.light_energy(i), self.0.links(i), self.0.has_key(i))
                });
                f.debug_list().entries(rows).finish()
            }
        }
        f.debug_struct("View")
            .field("seat", &self.seat)
            .field("players", &self.players)
            .field("place", &(self.place.x, self.place.y))
            .field("score", &self.score)
            .field("energy", &self.energy)
            .field("near", &self.near)
            .field("lights", &Lights(self))
            .finish_non_exhaustive()
    }
}

/// The window around a cell. A cell outside the map counts as sea, which holds no energy either.
pub(crate) fn near(pos: &Position, centre: usize) -> Near {
    let mut near = [[-1; WINDOW]; WINDOW];
    let now = pos.growths();
    let sites = pos.board.sites();
    for (dy, row) in near.iter_mut().enumerate() {
        let first = centre + dy * pos.board.stride() - SIGHT * pos.board.stride() - SIGHT;
        let (sites, visited) = (&sites[first..first + WINDOW], &pos.visited[first..first + WINDOW]);
        for dx in 0..WINDOW {
            let energy = (u32::from(sites[dx].growth) * now.wrapping_sub(visited[dx])).min(CELL_CAP);
            row[dx] = if SEEN[dy] >> dx & 1 == 1 { energy as i8 } else { -1 };
        }
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_sees_cells_at_a_distance_of_3_or_less() {
        for (y, row) in SEEN.iter().enumerate() {
            for x in 0..WINDOW {
                let (dx, dy) = (x as i32 - SIGHT as i32, y as i32 - SIGHT as i32);
                assert_eq!(row >> x & 1 == 1, dx * dx + dy * dy <= 9, "({dx}, {dy})");
            }
        }
        assert_eq!(SEEN.iter().map(|row| row.count_ones()).sum::<u32>(), 29);
    }
}
