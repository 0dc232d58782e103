//! Ctrl-C: the first one ends what is done at once, kills what was started and keeps what was played; a second one ends
//! the program.

use crate::{
    error::{Error, Result, reason},
    exit::Exit,
};
use agon_play::Cancel;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// What Ctrl-C (and SIGTERM, and the end of the terminal) sets.
pub struct Interrupt {
    cancel: Cancel,
    /// Whether there is something to end and somebody who looks. Before that an interrupt ends the program, which may be
    /// waiting for a map from a pipe.
    armed: Arc<AtomicBool>,
}

impl Interrupt {
    /// To be had once, before anything is started. It is not armed.
    ///
    /// # Errors
    /// The system gives no descriptors.
    pub fn new() -> Result<Self> {
        let cancel =
            Cancel::new().map_err(|e| Error::user(format!("cannot prepare for interrupts: {}", reason(&e))))?;
        let interrupt = Self { cancel, armed: Arc::default() };
        let (cancel, armed) = (interrupt.cancel.clone(), Arc::clone(&interrupt.armed));
        ctrlc::set_handler(move || {
            if cancel.is_killed() || !armed.load(Ordering::Acquire) {
                std::process::exit(Exit::Interrupted as i32);
            }
            cancel.kill();
        })
        .map_err(|e| Error::user(format!("cannot prepare for interrupts: {e}")))?;
        Ok(interrupt)
    }

    /// From here on something is started that must be ended.
    pub fn arm(&self) {
        self.armed.store(true, Ordering::Release);
    }

    /// What it sets.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

/// What a command ends with that was interrupted and has nothing to keep.
pub fn error() -> Error {
    agon_play::Error::Cancelled.into()
}

/// What an interrupt sets, from now on.
///
/// # Errors
/// As [`Interrupt::new`].
pub fn armed() -> Result<Cancel> {
    let interrupt = Interrupt::new()?;
    interrupt.arm();
    Ok(interrupt.cancel)
}
