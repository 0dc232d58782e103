//! Tries out which level of isolation works on this host.

use crate::{Confinement, RefusalKind, Refused, StartRequest, start};
use agon_spec::Isolation;
use std::{
    path::PathBuf,
    sync::{Mutex, OnceLock, PoisonError},
};

/// The strongest level that this host supports, and why it supports no stronger one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SupportedLevel {
    /// The strongest level that works.
    pub level: Isolation,
    /// Why this host does not support [`Isolation::Full`]. `None` if it does.
    pub full: Option<Refused>,
    /// Why this host does not support [`Isolation::Restricted`]. `None` if it does, or if that was not tried.
    pub restricted: Option<Refused>,
}

/// Returns whether each program gets a user of its own, which takes a root who knows all users of the host.
#[must_use]
pub fn programs_have_own_users() -> bool {
    crate::helper::unused_user().is_some()
}

/// The strongest level that this host supports. The first call tries the levels, strongest first, which takes some
/// milliseconds. Later calls of this process return the same result.
///
/// # Errors
/// The trial of a level failed for another reason than that this host does [not support](RefusalKind::Unsupported) it.
/// The next call tries again.
pub fn best() -> Result<&'static SupportedLevel, Refused> {
    static FOUND: OnceLock<SupportedLevel> = OnceLock::new();
    static TRYING: Mutex<()> = Mutex::new(());
    if let Some(found) = FOUND.get() {
        return Ok(found);
    }
    // Only one thread tries the levels, because several at once would disturb each other.
    let _only = TRYING.lock().unwrap_or_else(PoisonError::into_inner);
    match FOUND.get() {
        Some(found) => Ok(found),
        None => try_all().map(|found| FOUND.get_or_init(|| found)),
    }
}

/// Like [`best`], but always tries the levels again.
pub(crate) fn try_all() -> Result<SupportedLevel, Refused> {
    let Some(full) = unsupported(Isolation::Full)? else {
        return Ok(SupportedLevel { level: Isolation::Full, full: None, restricted: None });
    };
    let restricted = unsupported(Isolation::Restricted)?;
    let level = if restricted.is_none() { Isolation::Restricted } else { Isolation::None };
    Ok(SupportedLevel { level, full: Some(full), restricted })
}

/// Why this host does not support a level. `None` if it does.
fn unsupported(level: Isolation) -> Result<Option<Refused>, Refused> {
    match attempt(level) {
        Ok(()) => Ok(None),
        Err(refused) if refused.kind() == RefusalKind::Unsupported => Ok(Some(refused)),
        Err(refused) => Err(refused),
    }
}

/// Sets up a complete sandbox of a level and ends it again. If the host is short of something, or if somebody kills or
/// stops a process of the start, this tries once more.
///
/// # Errors
/// The step of the start that failed, and why.
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
    start::trial(request)
}

/// The version of Landlock in this kernel. `None` if the kernel does not have or does not use it.
#[must_use]
pub fn landlock_version() -> Option<u32> {
    crate::helper::landlock_version().ok()
}
