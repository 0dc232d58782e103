//! What a seat knows: everything.

/// All that a seat knows of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct View {
    /// How many stones are left.
    pub stones: u32,
    /// How many may be taken at once.
    pub most: u32,
    /// Whether the last stone wins, else it loses.
    pub last_wins: bool,
}

impl View {
    /// How many stones may be taken now.
    #[must_use]
    pub fn allowed(self) -> u32 {
        self.most.min(self.stones)
    }
}
