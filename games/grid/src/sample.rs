//! Random tiles to capture: they are different, about equally likely, and at most as many as the budget allows.
//!
//! Random words halve the set of tiles until about as many as the budget or fewer are left. If a few too many are
//! left, they are cut off after a random start. The code exists for any number of words and for two words; from the
//! same random words both draw the same tiles in the same order.

use crate::{order::Order, pair::Pair, position::Position, turn::Scratch};
use agon_core::{Rng, Seat};
use alloc::vec::Vec;
use core::hint::select_unpredictable;
use multiversion::multiversion;

/// Writes random captures of `seat` to `out`.
///
/// This function exists twice, as the passes of a turn do. Most of its work is finding and counting bits, and
/// processors of the last ten years have instructions for that. Both versions draw the same tiles.
#[multiversion(targets("x86_64+avx+avx2+bmi1+bmi2+lzcnt+popcnt"))]
pub(crate) fn captures(game: &Position, seat: Seat, rng: &mut Rng, tmp: &mut Scratch, out: &mut Vec<Order>) {
    portable_captures(game, seat, rng, tmp, out);
}

/// Does what [`captures`] does, on any processor.
#[inline(always)]
pub(crate) fn portable_captures(game: &Position, seat: Seat, rng: &mut Rng, tmp: &mut Scratch, out: &mut Vec<Order>) {
    out.clear();
    let (layout, most) = (game.board.layout(), game.energy(seat));
    let capture = |index| {
        let (x, y) = layout.tile_of(index);
        Order::Capture { x, y }
    };
    match *game.reach(seat) {
        [low, high] => {
            let mut drawn = Drawn::of(Pair { low, high }, most, rng);
            out.extend((0..drawn.left).map(|_| capture(drawn.step())));
        }
        ref words => draw(words, most, rng, &mut tmp.drawn, |index| out.push(capture(index))),
    }
}

/// How many times to halve `tiles` tiles. `tiles` is at least 1.
#[inline(always)]
fn halvings(tiles: u32, most: u32) -> u32 {
    (tiles.ilog2() + 1).saturating_sub(most.ilog2()).max(1)
}

/// Calls `each` with the indices of at most `most` random bits of these words. `drawn` is working memory: the bits
/// that are left in each word, with the index of the word.
///
/// A processor cannot predict whether a bit is the last of its word, so the code does not branch on it: a wrong
/// prediction would cost more than all other work for a tile.
#[inline(always)]
fn draw(words: &[u64], most: u32, rng: &mut Rng, drawn: &mut Vec<(u64, u32)>, mut each: impl FnMut(u32)) {
    let tiles: u32 = words.iter().map(|w| w.count_ones()).sum();
    if tiles == 0 {
        return;
    }
    let halvings = halvings(tiles, most);
    let dice = rng.bits();
    // One random word and its rotations by multiples of an odd number serve as that many random words.
    let step = dice as u32 | 1;
    if drawn.len() < words.len() {
        drawn.resize(words.len(), (0, 0));
    }
    let mut filled = 0;
    for (i, word) in words.iter().enumerate() {
        let random = rng.bits();
        let mut bits = *word & random;
        for turn in 1..halvings {
            bits &= random.rotate_left(turn.wrapping_mul(step));
        }
        drawn[filled] = (bits, i as u32);
        filled += usize::from(bits != 0);
    }
    let drawn = &drawn[..filled];
    if drawn.is_empty() {
        return;
    }
    let mut at = (((dice >> 32) * filled as u64) >> 32) as usize;
    let (mut bits, mut word) = drawn[at];
    for _ in 0..most {
        each(word * 64 + bits.trailing_zeros());
        bits &= bits - 1;
        let used_up = bits == 0;
        filled -= usize::from(used_up);
        if filled == 0 {
            return;
        }
        at += usize::from(used_up);
        at = select_unpredictable(at == drawn.len(), 0, at);
        let next = drawn[at];
        word = next.1;
        bits = select_unpredictable(used_up, next.0, bits);
    }
}

/// The bits that [`draw`] finds in two words, one after the other.
struct Drawn {
    /// The bits that are left of the current word, and all bits of the word after it.
    bits: u64,
    next: u64,
    /// The index of the first bit of the current word.
    base: u32,
    /// The number of bits that are not drawn yet.
    left: u32,
}

impl Drawn {
    #[inline(always)]
    fn of(reach: Pair, most: u32, rng: &mut Rng) -> Self {
        let tiles = reach.count();
        if tiles == 0 {
            return Self { bits: 0, next: 0, base: 0, left: 0 };
        }
        let halvings = halvings(tiles, most);
        let dice = rng.bits();
        let step = dice as u32 | 1;
        let random = Pair { low: rng.bits(), high: rng.bits() };
        let turned = |turn: u32| random.rotated(turn.wrapping_mul(step));
        // Up to four halvings, without a branch on their number: a halving that is not wanted repeats the last one,
        // which changes nothing.
        let last = halvings - 1;
        let mut left = reach & random & turned(last.min(1)) & turned(last.min(2)) & turned(last.min(3));
        for turn in 4..halvings {
            left = left & turned(turn);
        }
        let Pair { low, high } = left;
        // The starting word is random if both words have bits.
        let from_high = (low == 0) | ((high != 0) & (dice >> 63 == 1));
        Self {
            bits: select_unpredictable(from_high, high, low),
            next: select_unpredictable(from_high, low, high),
            base: u32::from(from_high) * 64,
            left: left.count().min(most),
        }
    }

    /// The index of the next bit. It may be called `left` times.
    #[inline(always)]
    fn step(&mut self) -> u32 {
        let index = self.base + self.bits.trailing_zeros();
        self.bits &= self.bits.wrapping_sub(1);
        let used_up = self.bits == 0;
        self.bits = select_unpredictable(used_up, self.next, self.bits);
        self.base ^= u32::from(used_up) * 64;
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes words of every density, from no bits to all bits.
    fn sparse(rng: &mut Rng) -> u64 {
        let most = rng.below(8);
        let mut word = if rng.one_in(2) { u64::MAX } else { 0 };
        for _ in 0..most {
            word = if rng.one_in(2) { word & rng.bits() } else { word | rng.bits() };
        }
        word
    }

    #[test]
    fn two_words_are_drawn_from_like_any_number() {
        let mut rng = Rng::new(agon_core::Seed(5));
        let mut drawn = Vec::new();
        for _ in 0..200_000 {
            let reach = Pair { low: sparse(&mut rng), high: sparse(&mut rng) };
            let widest = if rng.one_in(2) { 8 } else { 140 };
            let most = 1 + rng.below(widest);
            let (mut one, mut other) = (rng.clone(), rng.clone());
            let mut expected = Vec::new();
            draw(&reach.words(), most, &mut one, &mut drawn, |index| expected.push(index));
            let mut pair = Drawn::of(reach, most, &mut other);
            let told: Vec<u32> = (0..pair.left).map(|_| pair.step()).collect();
            assert_eq!(told, expected, "{reach:x?}, at most {most}");
            assert_eq!(one, other, "as many random words");
            rng.bits();
        }
    }
}
