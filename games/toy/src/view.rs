//! What a seat knows: everything.

/// All that a seat knows of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct View {
    /// The number of stones that are left.
    pub stones: u32,
    /// The largest number that may be taken in one turn.
    pub most: u32,
    /// Whether the seat that takes the last stone wins. If `false`, it loses.
    pub last_wins: bool,
}

impl View {
    /// The largest number that may be taken now. It is 0 only when the heap is empty.
    #[must_use]
    pub fn allowed(self) -> u32 {
        self.most.min(self.stones)
    }
}
