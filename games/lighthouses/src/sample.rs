//! Random lawful orders, for simulations.

use crate::{
    board::{CELL_CAP, members},
    order::Order,
    position::Position,
    turn,
};
use agon_core::{Rng, Seat};

impl Position {
    /// A random lawful order. In most cases it is a step; on a lighthouse it is as often an attack or a connection.
    #[inline]
    pub(crate) fn random_order(&self, seat: Seat, rng: &mut Rng) -> Order {
        let player = &self.players[seat.index()];
        let site = self.board.site(player.cell as usize);
        let bits = rng.bits();
        // The low half of the bits chooses the command, the high half its target.
        let (kind, choice) = (bits as u32, (bits >> 32) as u32);
        if site.light != crate::board::NO_LIGHT && kind & 1 == 1 {
            return self.random_work(seat, usize::from(site.light), kind >> 1, choice);
        }
        if site.ways == 0 || kind >> 27 == 0 {
            return Order::Pass;
        }
        let nth = (u64::from(choice) * u64::from(site.ways.count_ones())) >> 32;
        let (dx, dy) = crate::board::STEPS[usize::from(NTH_BIT[usize::from(site.ways)][nth as usize])];
        Order::Move(dx, dy)
    }

    fn random_work(&self, seat: Seat, light: usize, kind: u32, choice: u32) -> Order {
        let player = &self.players[seat.index()];
        let me = seat.index() as u8;
        let here = &self.lights[light];
        if kind & 1 == 1 && here.owner == me {
            let candidates = player.keys & !here.links & !(1 << light);
            let open = members(candidates).filter(|&to| turn::connectable(self, seat, light, to).is_ok());
            if let Some(to) = nth_of(open, choice) {
                return Order::Connect(self.board.lights()[to]);
            }
        }
        // All energy, or a part that is at most what a cell can hold, so that captures and partial attacks both
        // happen.
        let part = (u64::from(choice) * u64::from(CELL_CAP)) >> 32;
        Order::Attack(if kind & 2 == 2 { player.energy } else { player.energy.min(part as i64) })
    }
}

/// Chooses one of the items by a random number, each with about the same probability. Of many items it chooses among
/// the first few.
fn nth_of(items: impl Iterator<Item = usize>, choice: u32) -> Option<usize> {
    let mut found = [0; 16];
    let mut count = 0;
    for (slot, item) in found.iter_mut().zip(items) {
        *slot = item;
        count += 1;
    }
    if count == 0 { None } else { Some(found[((u64::from(choice) * count) >> 32) as usize]) }
}

/// By mask and n: the position of the n-th bit that is set.
const NTH_BIT: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut bit, mut n) = (0, 0);
        while bit < 8 {
            if mask >> bit & 1 == 1 {
                table[mask][n] = bit;
                n += 1;
            }
            bit += 1;
        }
        mask += 1;
    }
    table
};
