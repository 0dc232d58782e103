//! Which level of isolation works here: found out by doing it.

use crate::{Confinement, Order, Refused, start};
use agon_spec::Isolation;
use std::{path::PathBuf, sync::OnceLock};

/// The strongest level that works on this host, and why no stronger one does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The level.
    pub level: Isolation,
    /// Why [`Isolation::Full`] does not work, if it does not.
    pub full: Option<Refused>,
    /// Why [`Isolation::Restricted`] does not work, if it was tried and does not.
    pub restricted: Option<Refused>,
}

/// The strongest level that works here. Every level is tried, once for each process; it takes some milliseconds.
#[must_use]
pub fn best() -> &'static Verdict {
    static FOUND: OnceLock<Verdict> = OnceLock::new();
    FOUND.get_or_init(|| {
        let full = attempt(Isolation::Full).err();
        if full.is_none() {
            return Verdict { level: Isolation::Full, full, restricted: None };
        }
        let restricted = attempt(Isolation::Restricted).err();
        let level = if restricted.is_none() { Isolation::Restricted } else { Isolation::None };
        Verdict { level, full, restricted }
    })
}

/// Makes the inside of a level with all that belongs to it, and leaves it.
///
/// # Errors
/// What of it could not be made.
pub fn attempt(level: Isolation) -> Result<(), Refused> {
    let order = Order {
        program: PathBuf::from("/proc/self/exe"),
        words: Vec::new(),
        environment: Vec::new(),
        dir: PathBuf::from("/"),
        confinement: Confinement::new(level),
    };
    let inmate = start::begin(&start::script(&order, true))?.confirm()?;
    let mut child = inmate.child;
    drop(child.stdin.take());
    let _ = child.wait();
    Ok(())
}

/// The version of Landlock that this kernel has; `None` if it has none.
#[must_use]
pub fn landlock_version() -> Option<u32> {
    crate::inside::landlock_version()
}

/// What a user can do so that a level works that was [refused](Refused); `None` if nothing is known.
#[must_use]
pub fn remedy(refused: &Refused) -> Option<&'static str> {
    Some(match (refused.step.as_str(), refused.why.as_str()) {
        ("namespaces", why) if why.contains("max_user_namespaces") => "sudo sysctl user.max_user_namespaces=15000",
        ("namespaces" | "users", _) => "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
        ("landlock", _) => "use a kernel of 5.13 or later with `landlock` in its list of security modules (lsm=)",
        ("system", _) => "run it on Linux, or in a virtual machine with Linux",
        ("proc", _) => "in a container: start it with `--security-opt systempaths=unconfined`",
        _ => return None,
    })
}
