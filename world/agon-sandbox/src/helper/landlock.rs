//! Restricts files, TCP ports, abstract sockets and signals with Landlock. Newer versions of the kernel cover more of
//! them.
//!
//! A single file of a process's own entry in `/proc` cannot be refused, such as `pagemap`, which tells which pages others map. Rules
//! permit whole folders; the files there are made anew for each process and thread, so neither a rule nor a mount holds for them; a
//! filter of calls sees no paths; and runtimes need the rest of the folder. `docs/sandbox.md` says what a bot learns from it.

use super::{begin, shown::Shown};
use crate::{Cause, Refused, Step, script::Script, system};
use ::landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use agon_spec::Isolation;
use rustix::{fd::AsFd, io::Errno};
use std::path::Path;

/// The newest version of Landlock whose rights are used. Older kernels apply those that they know.
const NEWEST: ABI = ABI::V6;

/// The version of Landlock in this kernel, or the error number that the kernel returns if it does not have or use it.
pub(crate) fn version() -> Result<u32, Errno> {
    const VERSION: u32 = 1;
    // SAFETY: with this flag the call takes no attributes and only returns a number.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<libc::c_void>(), 0usize, VERSION) };
    match u32::try_from(version) {
        Ok(version @ 1..) => Ok(version),
        Ok(0) => Err(Errno::NOSYS),
        Err(_) => Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::NOSYS)),
    }
}

/// Whether Landlock in this kernel can keep signals inside the sandbox (version 6 and later).
pub(crate) fn scopes_signals() -> bool {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement).scope(Scope::Signal);
    ruleset.and_then(Ruleset::create).is_ok()
}

/// Denies this process everything that a program in the sandbox must not touch.
pub(crate) fn restrict(script: &Script) -> Result<(), Refused> {
    begin(Step::Landlock)?;
    let failed = |e: RulesetError| Refused::new(Step::Landlock, "", Cause::of_error(&e));
    let ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))
        .and_then(|r| r.handle_access(AccessNet::from_all(NEWEST)))
        .and_then(|r| r.scope(Scope::from_all(NEWEST)))
        .and_then(Ruleset::create)
        .map_err(failed)?;
    let ruleset =
        if script.level == Isolation::Full { whole_root(ruleset, script) } else { single_places(ruleset, script) };
    let status = ruleset?.restrict_self().map_err(failed)?;
    if status.ruleset == RulesetStatus::NotEnforced {
        // The library takes every error for a kernel without Landlock, even a lack of memory.
        return Err(match version() {
            Err(errno) => Refused::new(Step::Landlock, "", Cause::Errno(errno)),
            Ok(_) => Refused::other(Step::Landlock, "this kernel does not enforce Landlock"),
        });
    }
    Ok(())
}

/// The rules for a new root: everything in it may be read, and the private folders and some devices may be written.
fn whole_root(ruleset: RulesetCreated, script: &Script) -> Result<RulesetCreated, Refused> {
    let mut ruleset = allow_all(ruleset, Path::new("/"), reading())?;
    for place in [Path::new("/tmp"), Path::new(system::HOME)] {
        ruleset = allow_all(ruleset, place, AccessFs::from_all(NEWEST))?;
    }
    if let Some(work) = &script.work {
        ruleset = allow_all(ruleset, &work.at, AccessFs::from_all(NEWEST))?;
    }
    devices(ruleset, system::DEVICES.iter().filter(|(_, writable)| *writable))
}

/// The rules for the host's root: the system, the shown files, the process's own entry in `/proc`, and what runtimes
/// read about the machine.
fn single_places(mut ruleset: RulesetCreated, script: &Script) -> Result<RulesetCreated, Refused> {
    for place in system::FOLDERS.iter().chain(system::LINKS).chain(system::SETTINGS).chain(system::ABOUT).map(Path::new)
    {
        ruleset = allow(ruleset, place, reading())?;
    }
    for place in &script.shown {
        // What does not exist any more needs no rule.
        let Ok(shown) = Shown::open(place) else { continue };
        let rights = if shown.is_folder() { reading() } else { reading() & AccessFs::from_file(NEWEST) };
        ruleset = rule(ruleset, place, shown.place, rights)?;
    }
    if let Some(work) = &script.work {
        ruleset = allow(ruleset, &work.at, AccessFs::from_all(NEWEST))?;
    }
    devices(ruleset, system::DEVICES)
}

/// The rules for devices, each with whether it may be written.
fn devices<'a>(
    mut ruleset: RulesetCreated,
    devices: impl IntoIterator<Item = &'a (&'a str, bool)>,
) -> Result<RulesetCreated, Refused> {
    for (device, writable) in devices {
        let rights = if *writable { AccessFs::ReadFile | AccessFs::WriteFile } else { AccessFs::ReadFile.into() };
        ruleset = allow_all(ruleset, Path::new(device), rights)?;
    }
    Ok(ruleset)
}

fn reading() -> BitFlags<AccessFs> {
    AccessFs::from_read(NEWEST)
}

/// Adds a rule that allows access to a file or folder. A path that does not exist needs no rule.
fn allow(ruleset: RulesetCreated, place: &Path, rights: BitFlags<AccessFs>) -> Result<RulesetCreated, Refused> {
    let rights = if place.is_dir() { rights } else { rights & AccessFs::from_file(NEWEST) };
    allow_all(ruleset, place, rights)
}

/// The same for rights all of which apply to the file or folder.
fn allow_all(ruleset: RulesetCreated, place: &Path, rights: BitFlags<AccessFs>) -> Result<RulesetCreated, Refused> {
    match PathFd::new(place) {
        Ok(fd) => rule(ruleset, place, fd, rights),
        Err(_) => Ok(ruleset),
    }
}

fn rule(
    ruleset: RulesetCreated,
    place: &Path,
    fd: impl AsFd,
    rights: BitFlags<AccessFs>,
) -> Result<RulesetCreated, Refused> {
    ruleset
        .add_rule(PathBeneath::new(fd, rights))
        .map_err(|e| Refused::new(Step::Landlock, format!("`{}`", place.display()), Cause::of_error(&e)))
}
