//! Boards of two words, such as 10x10: a whole turn in registers.
//!
//! The passes are those of [`planes`](crate::planes). There, one pass writes to memory what the next one reads a few
//! bits further on. For planes as short as these that costs more than the work itself.

use crate::planes::Survey;
use core::ops::{BitAnd, BitOr, Not};

/// The two words of a plane that hold tiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Pair {
    pub(crate) low: u64,
    pub(crate) high: u64,
}

impl Pair {
    /// Both words, the low one first.
    #[inline(always)]
    pub(crate) fn words(self) -> [u64; 2] {
        [self.low, self.high]
    }

    /// Sets the bit of this index, which is below 128.
    #[inline(always)]
    pub(crate) fn insert(&mut self, index: u32) {
        self.low |= u64::from(index < 64) << (index % 64);
        self.high |= u64::from(index >= 64) << (index % 64);
    }

    /// The number of bits that are set.
    #[inline(always)]
    pub(crate) fn count(self) -> u32 {
        self.low.count_ones() + self.high.count_ones()
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.low | self.high != 0
    }

    /// Rotates each word to the left by `bits`, modulo 64.
    #[inline(always)]
    pub(crate) fn rotated(self, bits: u32) -> Self {
        Self { low: self.low.rotate_left(bits), high: self.high.rotate_left(bits) }
    }

    /// Moves each bit up by `bits`, from 1 to 63. The bit of the neighbour to the left or above then lies at the tile.
    #[inline(always)]
    fn raised(self, bits: u32) -> Self {
        Self { low: self.low << bits, high: self.high << bits | self.low >> (64 - bits) }
    }

    /// Moves each bit down by `bits`, from 1 to 63.
    #[inline(always)]
    fn lowered(self, bits: u32) -> Self {
        Self { low: self.low >> bits | self.high << (64 - bits), high: self.high >> bits }
    }

    /// The tiles with at least one, and those with at least two, side-neighbours in this plane. `row` is the number of
    /// bits between rows.
    #[inline(always)]
    fn one_and_two(self, row: u32) -> (Self, Self) {
        let (west, east) = (self.raised(1), self.lowered(1));
        let (north, south) = (self.raised(row), self.lowered(row));
        let (across, along) = (west | east, north | south);
        (across | along, (west & east) | (north & south) | (across & along))
    }
}

impl BitAnd for Pair {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self { low: self.low & other.low, high: self.high & other.high }
    }
}

impl BitOr for Pair {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self { low: self.low | other.low, high: self.high | other.high }
    }
}

impl Not for Pair {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self { low: !self.low, high: !self.high }
    }
}

/// Does what [`planes::survey`](crate::planes::survey) does: returns the survey and the tiles that each player may
/// capture.
#[inline(always)]
pub(crate) fn survey([map, one, two]: [Pair; 3], row: u32) -> (Survey, [Pair; 2]) {
    let empty = map & !(one | two);
    let ((ones, twos), (enemy_ones, enemy_twos)) = (one.one_and_two(row), two.one_and_two(row));
    let gains = [
        (empty & ((ones & !enemy_ones) | (twos & !enemy_twos))).count(),
        (empty & ((enemy_ones & !ones) | (enemy_twos & !twos))).count(),
    ];
    (Survey { gains, alive: [one.any(), two.any()] }, [ones & map, enemy_ones & map])
}

/// Does what [`planes::breathe`](crate::planes::breathe) does: returns the tiles with air.
#[inline(always)]
pub(crate) fn air([map, one, two]: [Pair; 3], row: u32) -> Pair {
    let empty = map & !(one | two);
    let across = empty | empty.raised(1) | empty.lowered(1);
    across | across.raised(row) | across.lowered(row)
}

/// Does what [`planes::suffocate_and_capture`](crate::planes::suffocate_and_capture) does: returns the tiles of both
/// players after the turn.
#[inline(always)]
pub(crate) fn after([_, one, two]: [Pair; 3], air: Pair, [first, second]: [Pair; 2]) -> [Pair; 2] {
    let (first, second) = (first & !second, second & !first);
    [(one & air & !second) | first, (two & air & !first) | second]
}
