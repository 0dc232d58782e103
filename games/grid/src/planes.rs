//! The passes over the bits of a board. They handle all tiles together, 64 in each word.
//!
//! Each pass is written once over slices and compiled twice: for boards whose rows are shorter than a word, and for
//! all others. In the first version the distances between words are constants, so the compiler can vectorise it. Turns
//! on boards of two words (10x10) have their own passes in [`pair`](crate::pair).

/// Where the bit of each tile lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    pub(crate) width: u16,
    pub(crate) height: u16,
    /// The number of bits from a tile to the one below: a row and its guard column.
    stride: u32,
    /// The number of words of a plane that hold tiles.
    words: u32,
    /// The number of empty words before the tiles, and after them: as many as the longest shift reaches.
    margin: u32,
    /// 2^32 / stride, rounded up. It replaces a division by the stride with a multiplication.
    reciprocal: u32,
}

impl Layout {
    pub(crate) fn new(width: u16, height: u16) -> Self {
        let stride = u32::from(width) + 1;
        let words = (stride * u32::from(height)).div_ceil(64);
        let margin = stride / 64 + 1;
        let reciprocal = ((1u64 << 32).div_ceil(u64::from(stride))) as u32;
        Self { width, height, stride, words, margin, reciprocal }
    }

    /// The number of words of a whole plane.
    #[inline]
    pub(crate) fn plane(self) -> usize {
        (self.words + 2 * self.margin) as usize
    }

    /// The word (in a whole plane) and the bit of a tile. `None` outside the map.
    #[inline]
    pub(crate) fn place(self, x: u16, y: u16) -> Option<(usize, u32)> {
        Some(self.word(self.index(x, y)?))
    }

    /// The word (in a whole plane) and the bit for a bit index that counts from the start of the core.
    #[inline]
    pub(crate) fn word(self, index: u32) -> (usize, u32) {
        ((self.margin + index / 64) as usize, index % 64)
    }

    /// The bit index of a tile, counted from the start of the core. `None` outside the map.
    #[inline]
    pub(crate) fn index(self, x: u16, y: u16) -> Option<u32> {
        (x < self.width && y < self.height).then(|| u32::from(y) * self.stride + u32::from(x))
    }

    /// The number of bits from a tile to the one below.
    #[inline]
    pub(crate) fn stride(self) -> u32 {
        self.stride
    }

    /// The tile of a bit in a word of the core. This is the inverse of [`Layout::place`].
    #[inline]
    pub(crate) fn tile(self, word: usize, bit: u32) -> (u16, u16) {
        self.tile_of(word as u32 * 64 + bit)
    }

    /// The tile of a bit index that counts from the start of the core.
    #[inline]
    pub(crate) fn tile_of(self, index: u32) -> (u16, u16) {
        // Exact: an index is below 2^17 and the reciprocal is off by less than one part in 2^24.
        let y = (u64::from(index) * u64::from(self.reciprocal)) >> 32;
        ((index - y as u32 * self.stride) as u16, y as u16)
    }

    /// Does what [`Layout::tiles`] does, for events. The loop has a known length, so the compiler removes it if the
    /// events are not used.
    #[inline(always)]
    pub(crate) fn each(self, word: usize, mut bits: u64, mut tell: impl FnMut(u16, u16)) {
        for _ in 0..bits.count_ones() {
            let (x, y) = self.tile(word, bits.trailing_zeros());
            tell(x, y);
            bits &= bits.wrapping_sub(1);
        }
    }

    /// The tiles of the bits that are set in a word of the core.
    #[inline(always)]
    pub(crate) fn tiles(self, word: usize, mut bits: u64) -> impl Iterator<Item = (u16, u16)> {
        core::iter::from_fn(move || {
            if bits == 0 {
                return None;
            }
            let tile = self.tile(word, bits.trailing_zeros());
            bits &= bits - 1;
            Some(tile)
        })
    }

    /// The number of words of a plane that hold tiles.
    #[inline]
    pub(crate) fn words(self) -> usize {
        self.words as usize
    }

    /// The words of a plane that hold tiles.
    #[inline]
    pub(crate) fn core(self, plane: &[u64]) -> &[u64] {
        &plane[self.margin as usize..][..self.words as usize]
    }

    /// The same words as [`Layout::core`], for changes.
    #[inline]
    pub(crate) fn core_mut(self, plane: &mut [u64]) -> &mut [u64] {
        &mut plane[self.margin as usize..][..self.words as usize]
    }
}

/// How one pass walks over a plane: where the core starts, how many words it has, and the length of a row in words and
/// bits.
#[derive(Clone, Copy)]
struct Walk {
    start: usize,
    words: usize,
    row_words: usize,
    row_bits: u32,
}

/// Calls a pass with a walk of constants if that makes it faster.
macro_rules! compiled_by_size {
    ($layout:expr, $pass:ident ( $($argument:expr),* )) => {{
        let layout: Layout = $layout;
        let row_bits = layout.stride % 64;
        match (layout.words, layout.stride / 64) {
            (words, 0) => $pass(Walk { start: 1, words: words as usize, row_words: 0, row_bits }, $($argument),*),
            (words, row_words) => {
                let start = layout.margin as usize;
                $pass(Walk { start, words: words as usize, row_words: row_words as usize, row_bits }, $($argument),*)
            }
        }
    }};
}

/// A plane shifted in one direction: `near` holds the words that most bits come from, `far` the words of the others.
#[derive(Clone, Copy)]
struct Shifted<'a> {
    near: &'a [u64],
    far: &'a [u64],
    bits: u32,
}

impl<'a> Shifted<'a> {
    /// Moves each bit up by `words` words and `bits` bits. The bit of the neighbour to the left or above then lies at
    /// the tile.
    #[inline(always)]
    fn up(plane: &'a [u64], walk: Walk, words: usize, bits: u32) -> Self {
        let near = &plane[walk.start - words..][..walk.words];
        let far = &plane[walk.start - words - 1..][..walk.words];
        Self { near, far, bits }
    }

    /// Moves each bit down. The bit of the neighbour to the right or below then lies at the tile.
    #[inline(always)]
    fn down(plane: &'a [u64], walk: Walk, words: usize, bits: u32) -> Self {
        let near = &plane[walk.start + words..][..walk.words];
        let far = &plane[walk.start + words + 1..][..walk.words];
        Self { near, far, bits }
    }

    // These shift in two steps, because a shift by all 64 bits of a word is not defined.
    #[inline(always)]
    fn raised(self, i: usize) -> u64 {
        self.near[i] << self.bits | self.far[i] >> 1 >> (63 - self.bits)
    }

    #[inline(always)]
    fn lowered(self, i: usize) -> u64 {
        self.near[i] >> self.bits | self.far[i] << 1 << (63 - self.bits)
    }
}

/// The four side-neighbours of every tile.
#[derive(Clone, Copy)]
struct Sides<'a> {
    west: Shifted<'a>,
    east: Shifted<'a>,
    north: Shifted<'a>,
    south: Shifted<'a>,
}

impl<'a> Sides<'a> {
    #[inline(always)]
    fn of(plane: &'a [u64], walk: Walk) -> Self {
        Self {
            west: Shifted::up(plane, walk, 0, 1),
            east: Shifted::down(plane, walk, 0, 1),
            north: Shifted::up(plane, walk, walk.row_words, walk.row_bits),
            south: Shifted::down(plane, walk, walk.row_words, walk.row_bits),
        }
    }

    /// The tiles with at least one such neighbour.
    #[inline(always)]
    fn any(self, i: usize) -> u64 {
        self.west.raised(i) | self.east.lowered(i) | self.north.raised(i) | self.south.lowered(i)
    }

    /// The tiles with at least one, and those with at least two, such neighbours.
    #[inline(always)]
    fn one_and_two(self, i: usize) -> (u64, u64) {
        let (west, east) = (self.west.raised(i), self.east.lowered(i));
        let (north, south) = (self.north.raised(i), self.south.lowered(i));
        let (across, along) = (west | east, north | south);
        (across | along, (west & east) | (north & south) | (across & along))
    }
}

/// What budgets and the end of a match depend on, with one entry for each player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Survey {
    /// "N" of the specification: the number of empty tiles with strictly more side-neighbours of this player than of
    /// the other.
    pub(crate) gains: [u32; 2],
    /// Whether the player owns at least one tile.
    pub(crate) alive: [bool; 2],
}

/// Surveys a board with the planes of the map, player 1 and player 2. Writes the tiles that each player may capture to
/// `reach`, without margins.
#[inline(always)]
pub(crate) fn survey(layout: Layout, planes: [&[u64]; 3], reach: [&mut [u64]; 2]) -> Survey {
    compiled_by_size!(layout, survey_pass(planes, reach))
}

#[inline(always)]
fn survey_pass(walk: Walk, [map, one, two]: [&[u64]; 3], [first, second]: [&mut [u64]; 2]) -> Survey {
    let (first, second) = (&mut first[..walk.words], &mut second[..walk.words]);
    let core = |plane| Shifted::up(plane, walk, 0, 0).near;
    let (map, owned) = (core(map), [core(one), core(two)]);
    let (ones, twos) = (Sides::of(one, walk), Sides::of(two, walk));
    let (mut gains, mut any) = ([0; 2], [0; 2]);
    for i in 0..walk.words {
        let empty = map[i] & !(owned[0][i] | owned[1][i]);
        // With two of the four neighbours a player has more than the enemy unless the enemy has the other two. So the
        // comparison needs to know only whether there is a second one.
        let ((one, two), (enemy_one, enemy_two)) = (ones.one_and_two(i), twos.one_and_two(i));
        (first[i], second[i]) = (one & map[i], enemy_one & map[i]);
        gains[0] += (empty & ((one & !enemy_one) | (two & !enemy_two))).count_ones();
        gains[1] += (empty & ((enemy_one & !one) | (enemy_two & !two))).count_ones();
        any[0] |= owned[0][i];
        any[1] |= owned[1][i];
    }
    Survey { gains, alive: any.map(|bits| bits != 0) }
}

/// Writes the tiles that the owner of plane `own` may capture to `reach`.
#[inline]
pub(crate) fn reach(layout: Layout, map: &[u64], own: &[u64], reach: &mut [u64]) {
    compiled_by_size!(layout, reach_pass(map, own, reach));
}

#[inline(always)]
fn reach_pass(walk: Walk, map: &[u64], own: &[u64], reach: &mut [u64]) {
    let sides = Sides::of(own, walk);
    let map = Shifted::up(map, walk, 0, 0).near;
    let reach = &mut reach[walk.start..][..walk.words];
    for i in 0..walk.words {
        reach[i] = sides.any(i) & map[i];
    }
}

/// Writes the tiles with air to `air`: those that are empty or have an empty one among their eight neighbours. An
/// owned tile without air suffocates. `rows` is working memory. The margins of both must be zero; they stay so.
#[inline(always)]
pub(crate) fn breathe(layout: Layout, planes: [&[u64]; 3], rows: &mut [u64], air: &mut [u64]) {
    compiled_by_size!(layout, breathe_pass(planes, rows, air));
}

#[inline(always)]
fn breathe_pass(walk: Walk, [map, one, two]: [&[u64]; 3], rows: &mut [u64], air: &mut [u64]) {
    let core = |plane| Shifted::up(plane, walk, 0, 0).near;
    let (map, one, two) = (core(map), core(one), core(two));
    // First the empty tiles alone. Nothing beyond the border is empty, so the margins give no air.
    let empty = &mut air[walk.start..][..walk.words];
    for i in 0..walk.words {
        empty[i] = map[i] & !(one[i] | two[i]);
    }
    // Then their neighbours in the row. This may set bits of the guard column, which does no harm: they spread only up
    // and down from there, and no player owns a guard tile.
    let (west, east) = (Shifted::up(air, walk, 0, 1), Shifted::down(air, walk, 0, 1));
    let across = &mut rows[walk.start..][..walk.words];
    for (i, across) in across.iter_mut().enumerate() {
        *across = west.raised(i) | west.near[i] | east.lowered(i);
    }
    // Then the neighbours of all these above and below.
    let north = Shifted::up(rows, walk, walk.row_words, walk.row_bits);
    let south = Shifted::down(rows, walk, walk.row_words, walk.row_bits);
    let middle = Shifted::up(rows, walk, 0, 0).near;
    let air = &mut air[walk.start..][..walk.words];
    for i in 0..walk.words {
        air[i] = north.raised(i) | middle[i] | south.lowered(i);
    }
}

/// Takes the tiles without air from their owners, then gives each tile that only one player wants to that player. Also
/// empties `wants` for the next turn.
#[inline(always)]
pub(crate) fn suffocate_and_capture(
    layout: Layout,
    [_, one, two]: [&mut [u64]; 3],
    air: &[u64],
    wants: [&mut [u64]; 2],
) {
    compiled_by_size!(layout, suffocate_and_capture_pass(one, two, air, wants));
}

#[inline(always)]
fn suffocate_and_capture_pass(walk: Walk, one: &mut [u64], two: &mut [u64], air: &[u64], wants: [&mut [u64]; 2]) {
    let air = Shifted::up(air, walk, 0, 0).near;
    let wants = wants.map(|plane| &mut plane[walk.start..][..walk.words]);
    let (one, two) = (&mut one[walk.start..][..walk.words], &mut two[walk.start..][..walk.words]);
    for i in 0..walk.words {
        let (first, second) = (wants[0][i] & !wants[1][i], wants[1][i] & !wants[0][i]);
        (wants[0][i], wants[1][i]) = (0, 0);
        one[i] = (one[i] & air[i] & !second) | first;
        two[i] = (two[i] & air[i] & !first) | second;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_finds_its_tile_again() {
        for (width, height) in [(1, 2), (10, 10), (63, 3), (64, 4), (62, 5), (127, 2), (256, 256), (255, 9), (2, 256)] {
            let layout = Layout::new(width, height);
            for y in 0..height {
                for x in 0..width {
                    let (word, bit) = layout.place(x, y).unwrap();
                    assert_eq!(layout.tile(word - layout.margin as usize, bit), (x, y), "{width}x{height}");
                }
            }
            assert_eq!(layout.place(width, 0), None);
            assert_eq!(layout.place(0, height), None);
        }
    }
}
