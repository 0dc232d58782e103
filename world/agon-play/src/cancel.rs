//! Cancels running work in two stages.

use agon_run::CancelFlag;
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Cancels all work that holds a clone of this value, in two stages. After the first stage nothing new starts. The
/// second stage kills what still runs.
#[derive(Clone, Debug)]
pub struct Cancel {
    finishing: Arc<AtomicBool>,
    kill: CancelFlag,
}

impl Cancel {
    /// Creates a value that is not cancelled.
    ///
    /// # Errors
    /// If the system has no more file descriptors.
    pub fn new() -> io::Result<Self> {
        Ok(Self { finishing: Arc::default(), kill: CancelFlag::new()? })
    }

    /// Creates a value with a first stage of its own. Its second stage is that of `self`: whoever kills one of the two
    /// kills both. [`Cancel::finish`] of `self` does not reach it.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { finishing: Arc::default(), kill: self.kill.clone() }
    }

    /// Requests stage one: builds stop and nothing new starts. Running matches are played to their end.
    pub fn finish(&self) {
        self.finishing.store(true, Ordering::Release);
    }

    /// Requests stage two: running matches are aborted immediately and their bots are killed. A signal handler may
    /// call this method.
    pub fn kill(&self) {
        self.finish();
        self.kill.cancel();
    }

    /// Returns whether either stage has been requested.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.finishing.load(Ordering::Acquire) || self.kill.is_cancelled()
    }

    /// Returns whether stage two has been requested.
    #[must_use]
    pub fn is_killed(&self) -> bool {
        self.kill.is_cancelled()
    }

    /// Returns the flag that stage two sets. Code that waits for file descriptors can wait for it, too.
    #[must_use]
    pub fn flag(&self) -> &CancelFlag {
        &self.kill
    }
}
