//! Ctrl-C: the first one ends what is done at once, kills what was started and keeps what was played; a second one ends
//! the program.

use crate::{
    error::{Error, Result, reason},
    exit::Exit,
};
use agon_run::CancelFlag;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether there is something to end and somebody who looks at the flag. Before that an interrupt ends the program, which
/// may be waiting for a map from a pipe.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// What a command ends with that was interrupted and has nothing to keep.
pub fn error() -> Error {
    Error::user("interrupted").exit(Exit::Interrupted)
}

/// A flag that Ctrl-C (and SIGTERM, and the end of the terminal) sets. To be had once, before anything is started.
///
/// # Errors
/// The system gives no descriptors.
pub fn flag() -> Result<CancelFlag> {
    let flag = later()?;
    watched();
    Ok(flag)
}

/// As [`flag`], but until [`watched`] is called an interrupt ends the program.
///
/// # Errors
/// The system gives no descriptors.
pub fn later() -> Result<CancelFlag> {
    let failed = |why: &std::io::Error| Error::user(format!("cannot prepare for interrupts: {}", reason(why)));
    let flag = CancelFlag::new().map_err(|e| failed(&e))?;
    let ours = flag.clone();
    ctrlc::set_handler(move || {
        if ours.is_cancelled() || !WATCHED.load(Ordering::Acquire) {
            std::process::exit(Exit::Interrupted as i32);
        }
        ours.cancel();
    })
    .map_err(|e| Error::user(format!("cannot prepare for interrupts: {e}")))?;
    Ok(flag)
}

/// From here on something is started that must be ended.
pub fn watched() {
    WATCHED.store(true, Ordering::Release);
}
