//! Which level of isolation works here: found out by doing it.

use crate::{Confinement, RefusalKind, Refused, StartRequest, start};
use agon_spec::Isolation;
use std::{
    path::PathBuf,
    sync::{Mutex, OnceLock, PoisonError},
};

/// The strongest level that this host supports, and why it supports no stronger one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SupportedLevel {
    /// The level.
    pub level: Isolation,
    /// What of [`Isolation::Full`] this host does not support, if it does not.
    pub full: Option<Refused>,
    /// What of [`Isolation::Restricted`] this host does not support, if it was tried and does not.
    pub restricted: Option<Refused>,
}

/// The strongest level that this host supports. Every level is tried; it takes some milliseconds. What was found holds
/// for as long as this process lives.
///
/// # Errors
/// A level could not be tried out: it was refused, and not because this host does [not support](RefusalKind::Unsupported)
/// it. The next call tries again.
pub fn best() -> Result<&'static SupportedLevel, Refused> {
    static FOUND: OnceLock<SupportedLevel> = OnceLock::new();
    static TRYING: Mutex<()> = Mutex::new(());
    if let Some(found) = FOUND.get() {
        return Ok(found);
    }
    // Many threads would be in each other's way.
    let _only = TRYING.lock().unwrap_or_else(PoisonError::into_inner);
    match FOUND.get() {
        Some(found) => Ok(found),
        None => try_all().map(|found| FOUND.get_or_init(|| found)),
    }
}

/// As [`best`], found out anew.
pub(crate) fn try_all() -> Result<SupportedLevel, Refused> {
    let Some(full) = unsupported(Isolation::Full)? else {
        return Ok(SupportedLevel { level: Isolation::Full, full: None, restricted: None });
    };
    let restricted = unsupported(Isolation::Restricted)?;
    let level = if restricted.is_none() { Isolation::Restricted } else { Isolation::None };
    Ok(SupportedLevel { level, full: Some(full), restricted })
}

/// What of a level this host does not support.
fn unsupported(level: Isolation) -> Result<Option<Refused>, Refused> {
    match attempt(level) {
        Ok(()) => Ok(None),
        Err(refused) if refused.kind() == RefusalKind::Unsupported => Ok(Some(refused)),
        Err(refused) => Err(refused),
    }
}

/// Makes the sandbox of a level with all that belongs to it, and leaves it. If the host is short of something or somebody
/// disturbs it, once more.
///
/// # Errors
/// What of it could not be made.
pub fn attempt(level: Isolation) -> Result<(), Refused> {
    match attempt_once(level) {
        Err(refused) if refused.kind() == RefusalKind::Shortage => attempt_once(level),
        done => done,
    }
}

fn attempt_once(level: Isolation) -> Result<(), Refused> {
    let request = StartRequest {
        program: PathBuf::from("/proc/self/exe"),
        words: Vec::new(),
        environment: Vec::new(),
        dir: PathBuf::from("/"),
        confinement: Confinement::new(level),
    };
    start::trial(&request)
}

/// The version of Landlock that this kernel has; `None` if it has none.
#[must_use]
pub fn landlock_version() -> Option<u32> {
    crate::helper::landlock_version().ok()
}
