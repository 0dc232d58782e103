//! Finds tiles by their distance from the enemy, for the whole board in one go on its bits.

use crate::{board::Board, order::Order, planes, planes::Layout};
use agon_core::{Rng, Seat};
use alloc::vec::Vec;

/// Working memory for choosing tiles: planes with the layout of the board's planes.
#[derive(Default)]
pub(super) struct Waves {
    layout: Option<Layout>,
    /// Tiles that may still be chosen.
    open: Vec<u64>,
    /// Tiles that the wave has reached.
    wave: Vec<u64>,
    next: Vec<u64>,
}

impl Waves {
    /// Chooses the `energy` tiles nearest to the enemy that `seat` can reach and does not own: enemy tiles first, then
    /// ring by ring around them. Within a ring the choice is random.
    pub(super) fn chase(&mut self, board: &Board, seat: Seat, energy: u32, rng: &mut Rng, orders: &mut Vec<Order>) {
        self.open(board, seat);
        let enemy = board.planes()[2 - seat.index()];
        self.wave.copy_from_slice(enemy);
        let mut left = energy;
        // A wave crosses any map in at most as many steps as the map has rows and columns together.
        for _ in 0..u32::from(board.width()) + u32::from(board.height()) {
            left -= self.take_wave(board.layout(), left, rng, orders);
            if left == 0 || !self.grow(board) {
                return;
            }
        }
    }

    /// Marks as open the tiles that `seat` can reach and does not own.
    fn open(&mut self, board: &Board, seat: Seat) {
        let layout = board.layout();
        if self.layout != Some(layout) {
            self.layout = Some(layout);
            for plane in [&mut self.open, &mut self.wave, &mut self.next] {
                plane.clear();
                plane.resize(layout.plane(), 0);
            }
        }
        let planes = board.planes();
        let own = planes[1 + seat.index()];
        planes::reach(layout, planes[0], own, &mut self.open);
        for (open, own) in self.open.iter_mut().zip(own) {
            *open &= !own;
        }
    }

    /// Moves the wave by one step. Returns `false` if no tile is open any more.
    fn grow(&mut self, board: &Board) -> bool {
        planes::reach(board.layout(), board.planes()[0], &self.wave, &mut self.next);
        let mut open = 0;
        for ((wave, next), left) in self.wave.iter_mut().zip(&self.next).zip(&self.open) {
            *wave |= next;
            open |= left;
        }
        open != 0
    }

    /// Orders up to `most` open tiles under the wave and closes them. Returns the number of orders.
    fn take_wave(&mut self, layout: Layout, most: u32, rng: &mut Rng, orders: &mut Vec<Order>) -> u32 {
        let (wave, open) = (layout.core(&self.wave), layout.core_mut(&mut self.open));
        let dice = rng.bits();
        let start = (((dice >> 32) * open.len() as u64) >> 32) as usize;
        // The search starts at a random bit of a random word, so that it prefers no corner of the map.
        let upper = u64::MAX << (dice % 64);
        let mut taken = 0;
        for half in [upper, !upper] {
            for i in (start..open.len()).chain(0..start) {
                let bits = open[i] & wave[i] & half;
                for (x, y) in layout.tiles(i, bits).take((most - taken) as usize) {
                    orders.push(Order::Capture { x, y });
                    taken += 1;
                }
                open[i] &= !bits;
                if taken == most {
                    return taken;
                }
            }
        }
        taken
    }
}
