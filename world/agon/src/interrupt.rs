//! Ctrl-C: the first one ends the match at once and keeps what was played, a second one ends the program.

use crate::{
    error::{Error, Result, reason},
    exit::Exit,
};
use agon_run::CancelFlag;

/// A flag that Ctrl-C (and SIGTERM) sets.
///
/// # Errors
/// The system gives no descriptors.
pub fn flag() -> Result<CancelFlag> {
    let failed = |why: &std::io::Error| Error::user(format!("cannot prepare for interrupts: {}", reason(why)));
    let flag = CancelFlag::new().map_err(|e| failed(&e))?;
    let ours = flag.clone();
    ctrlc::set_handler(move || {
        if ours.is_cancelled() {
            std::process::exit(Exit::Interrupted as i32);
        }
        ours.cancel();
    })
    .map_err(|e| Error::user(format!("cannot prepare for interrupts: {e}")))?;
    Ok(flag)
}
