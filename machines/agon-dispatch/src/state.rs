//! What a status shows of workers.

/// A worker, as a status shows it. Its texts come from the worker: clean them before you show them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkerState {
    /// Its number, from 1.
    pub worker: u32,
    /// Its name.
    pub name: String,
    /// How many matches it plays at the same time.
    pub cores: u32,
    /// Whether it is there.
    pub presence: WorkerPresence,
    /// The bots that it has ready.
    pub ready: usize,
    /// The bots that do not start on it.
    pub failed: Vec<u32>,
    /// The matches that it has, each with its turn. `None` if it has not begun.
    pub held: Vec<(u64, Option<u32>)>,
    /// The number of matches that it has played.
    pub played: u64,
    /// Whether it knows that the tournament is over.
    pub told: bool,
    /// For how long it has been silent, in milliseconds.
    pub silent_ms: u64,
}

/// Whether a worker is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorkerPresence {
    /// It is.
    Here,
    /// It has been silent for so long that its matches are played elsewhere.
    Silent,
    /// It has left.
    Left,
    /// The organiser wants no more matches from it.
    PutAside,
}

impl WorkerPresence {
    /// Returns the word for it: `here`, `silent`, `left` or `put aside`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Here => "here",
            Self::Silent => "silent",
            Self::Left => "left",
            Self::PutAside => "put aside",
        }
    }
}
