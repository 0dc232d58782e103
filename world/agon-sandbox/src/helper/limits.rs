//! The resource limits of a process (rlimits).

use super::begin;
use crate::{Refused, Step, script::Script};
use agon_spec::Isolation;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const MIB: u64 = 1 << 20;
/// The least number of open files of each process, if a bot may have several processes.
const LEAST_OPEN_FILES: u32 = 64;
/// The largest size of a stack, in bytes.
const STACK: u64 = 64 * MIB;

/// Sets every limit, soft and hard, so that no program in the sandbox can raise one. `counted` says whether all
/// processes of this user belong to this bot, so that their number can be limited.
pub(crate) fn set(script: &Script, counted: bool) -> Result<(), Refused> {
    begin(Step::Rlimits)?;
    let limits = &script.limits;
    // A runtime that sizes itself by what it can reserve learns so that there is a limit.
    let addresses = limits.memory_mib.map(|mib| (u64::from(mib) + u64::from(limits.reserved_mib)) * MIB);
    // Not 0: where the host pipes crashes to a handler, the kernel starts the handler at any limit but 1. Only root can raise the
    // limit of a user whose limit is 0.
    if setrlimit(Resource::Core, Rlimit { current: Some(1), maximum: Some(1) }).is_err() {
        lower(Resource::Core, Some(0))?;
    }
    let mut all = vec![
        (Resource::Fsize, Some(u64::from(limits.file_mib) * MIB)),
        (Resource::Nofile, Some(u64::from(open_files(script)))),
        (Resource::Memlock, Some(64 << 10)),
        (Resource::Msgqueue, Some(0)),
        (Resource::Sigpending, Some(256)),
        (Resource::Nice, Some(0)),
        (Resource::Rtprio, Some(0)),
        (Resource::Data, addresses),
        (Resource::As, addresses),
    ];
    if counted && script.level > Isolation::None {
        // The number includes the first process of the sandbox.
        all.push((Resource::Nproc, Some(u64::from(limits.threads) + u64::from(limits.processes))));
    }
    for (resource, limit) in all {
        lower(resource, limit)?;
    }
    if addresses.is_some() {
        // A write to one byte must not take 2 MiB at once. The kernel keeps the setting for programs that are executed.
        rustix::thread::disable_transparent_huge_pages(true).map_err(Refused::call(Step::Rlimits, "huge pages"))?;
    }
    let soft = getrlimit(Resource::Stack).current;
    let stack = Rlimit { current: Some(soft.unwrap_or(STACK).min(STACK)), maximum: Some(STACK) };
    let stack = Rlimit { maximum: least(stack.maximum, getrlimit(Resource::Stack).maximum), ..stack };
    setrlimit(Resource::Stack, stack).map_err(Refused::call(Step::Rlimits, "the stack"))
}

/// Gives a program that is not confined the limit of its user, which the process that has asked for the start has raised for itself.
pub(crate) fn set_of_user(script: &Script) -> Result<(), Refused> {
    begin(Step::Rlimits)?;
    let current = script.limits.open_files;
    if current == u32::MAX {
        return Ok(());
    }
    let limits = Rlimit { current: Some(current.into()), ..getrlimit(Resource::Nofile) };
    setrlimit(Resource::Nofile, limits).map_err(Refused::call(Step::Rlimits, "open files"))
}

/// Returns how many files each process may have open. The content of pipes and sockets is kernel memory that no limit
/// counts, so the processes of a bot share the files that one process may have. A job needs more files.
fn open_files(script: &Script) -> u32 {
    let limits = &script.limits;
    if script.work.is_some() {
        return limits.open_files;
    }
    (limits.open_files / limits.processes.max(1)).max(LEAST_OPEN_FILES).min(limits.open_files)
}

/// Lowers a limit. If it is lower already, it stays.
fn lower(resource: Resource, limit: Option<u64>) -> Result<(), Refused> {
    let limit = least(limit, getrlimit(resource).maximum);
    setrlimit(resource, Rlimit { current: limit, maximum: limit })
        .map_err(|e| Refused::call(Step::Rlimits, &format!("{resource:?}"))(e))
}

/// The lower of two limits. `None` is unlimited.
fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
