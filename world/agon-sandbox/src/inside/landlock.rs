//! Files, TCP ports, abstract sockets and signals, as far as the kernel's Landlock covers them: each newer version more.

use super::Failed;
use crate::{script::Script, system};
use ::landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
use agon_spec::Isolation;
use std::path::Path;

/// The newest version whose rights are asked for. Older kernels give what they have.
const NEWEST: ABI = ABI::V6;

/// The version of Landlock that this kernel has.
pub(crate) fn version() -> Option<u32> {
    const VERSION: u32 = 1;
    // SAFETY: with this flag the call takes no attributes and only answers with a number.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<libc::c_void>(), 0usize, VERSION) };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

/// Whether this kernel keeps signals inside (version 6 and later).
pub(crate) fn scopes_signals() -> bool {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement).scope(Scope::Signal);
    ruleset.and_then(Ruleset::create).is_ok()
}

/// Shuts everything off that a program inside must not touch.
pub(crate) fn shut(script: &Script) -> Result<(), Failed> {
    let failed = |e: &dyn std::fmt::Display| Failed::new("landlock", e.to_string());
    let ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))
        .and_then(|r| r.handle_access(AccessNet::from_all(NEWEST)))
        .and_then(|r| r.scope(Scope::from_all(NEWEST)))
        .and_then(Ruleset::create)
        .map_err(|e| failed(&e))?;
    let ruleset =
        if script.level == Isolation::Full { whole_root(ruleset, script) } else { single_places(ruleset, script) };
    let status = ruleset?.restrict_self().map_err(|e| failed(&e))?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err(Failed::new("landlock", "this kernel does not enforce it"));
    }
    Ok(())
}

/// In a root of its own: all that is there may be read, and what is private may be written.
fn whole_root(ruleset: RulesetCreated, script: &Script) -> Result<RulesetCreated, Failed> {
    let mut ruleset = allow(ruleset, Path::new("/"), reading())?;
    for place in [Path::new("/tmp"), Path::new(system::HOME)] {
        ruleset = allow(ruleset, place, AccessFs::from_all(NEWEST))?;
    }
    if let Some(work) = &script.work {
        ruleset = allow(ruleset, &work.at, AccessFs::from_all(NEWEST))?;
    }
    devices(ruleset)
}

/// In the host's root: the system, what is shown, itself in `/proc`, and what runtimes ask about the machine.
fn single_places(mut ruleset: RulesetCreated, script: &Script) -> Result<RulesetCreated, Failed> {
    for place in system::FOLDERS.iter().chain(system::LINKS).chain(system::SETTINGS).chain(system::ABOUT).map(Path::new)
    {
        ruleset = allow(ruleset, place, reading())?;
    }
    for place in &script.shown {
        ruleset = allow(ruleset, place, reading())?;
    }
    if let Some(work) = &script.work {
        ruleset = allow(ruleset, &work.at, AccessFs::from_all(NEWEST))?;
    }
    devices(ruleset)
}

fn devices(mut ruleset: RulesetCreated) -> Result<RulesetCreated, Failed> {
    for (device, writable) in system::DEVICES {
        let rights = if *writable { AccessFs::ReadFile | AccessFs::WriteFile } else { AccessFs::ReadFile.into() };
        ruleset = allow(ruleset, Path::new(device), rights)?;
    }
    Ok(ruleset)
}

fn reading() -> BitFlags<AccessFs> {
    AccessFs::from_read(NEWEST)
}

/// What does not exist needs no rule.
fn allow(ruleset: RulesetCreated, place: &Path, rights: BitFlags<AccessFs>) -> Result<RulesetCreated, Failed> {
    let Ok(fd) = PathFd::new(place) else { return Ok(ruleset) };
    let rights = if place.is_dir() { rights } else { rights & AccessFs::from_file(NEWEST) };
    ruleset
        .add_rule(PathBeneath::new(fd, rights))
        .map_err(|e| Failed::new("landlock", format!("`{}`: {e}", place.display())))
}
