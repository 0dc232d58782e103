//! Ends what runs, in two stages.

use agon_run::CancelFlag;
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Ends everything that was given a clone of it, in two stages: first nothing new is started, then what runs is killed.
#[derive(Clone, Debug)]
pub struct Cancel {
    finishing: Arc<AtomicBool>,
    kill: CancelFlag,
}

impl Cancel {
    /// Of nothing yet.
    ///
    /// # Errors
    /// If the system has no more descriptors.
    pub fn new() -> io::Result<Self> {
        Ok(Self { finishing: Arc::default(), kill: CancelFlag::new()? })
    }

    /// Stage one: builds stop and nothing new is started; matches that run are played to their end.
    pub fn finish(&self) {
        self.finishing.store(true, Ordering::Release);
    }

    /// Stage two: matches that run are broken off at once, and their bots are killed. Safe to call from a handler of
    /// signals.
    pub fn kill(&self) {
        self.finish();
        self.kill.cancel();
    }

    /// Whether either stage was asked for.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.finishing.load(Ordering::Acquire)
    }

    /// Whether stage two was asked for.
    #[must_use]
    pub fn is_killed(&self) -> bool {
        self.kill.is_cancelled()
    }

    /// For whoever waits for descriptors: set by stage two.
    #[must_use]
    pub fn flag(&self) -> &CancelFlag {
        &self.kill
    }
}
