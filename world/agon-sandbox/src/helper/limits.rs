//! What a process may use, as the kernel counts it.

use super::begin;
use crate::{Refused, Step, script::Script};
use agon_spec::Isolation;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const MIB: u64 = 1 << 20;
/// Address space beyond what is in use: runtimes reserve much more than they touch. Bounded, because the tables of
/// reserved pages are memory as well.
const ADDRESSES: u64 = 6 << 30;
/// The most that a stack may grow to.
const STACK: u64 = 64 * MIB;

/// Sets every limit, soft and hard, so that nothing inside can raise one. `counted` says whether the number of
/// processes of this user is that of this bot alone.
pub(crate) fn set(script: &Script, counted: bool) -> Result<(), Refused> {
    begin(Step::Rlimits)?;
    let limits = &script.limits;
    let memory = limits.memory_mib.map(|mib| u64::from(mib) * MIB);
    let mut all = vec![
        (Resource::Core, Some(0)),
        (Resource::Fsize, Some(u64::from(limits.file_mib) * MIB)),
        (Resource::Nofile, Some(u64::from(limits.open_files))),
        (Resource::Memlock, Some(64 << 10)),
        (Resource::Msgqueue, Some(0)),
        (Resource::Sigpending, Some(256)),
        (Resource::Nice, Some(0)),
        (Resource::Rtprio, Some(0)),
        (Resource::Data, memory),
        (Resource::As, memory.map(|bytes| bytes.saturating_mul(4).max(ADDRESSES))),
    ];
    if counted && script.level > Isolation::None {
        // And the process that reaps.
        all.push((Resource::Nproc, Some(u64::from(limits.threads) + u64::from(limits.processes))));
    }
    for (resource, limit) in all {
        lower(resource, limit)?;
    }
    let soft = getrlimit(Resource::Stack).current;
    let stack = Rlimit { current: Some(soft.unwrap_or(STACK).min(STACK)), maximum: Some(STACK) };
    let stack = Rlimit { maximum: least(stack.maximum, getrlimit(Resource::Stack).maximum), ..stack };
    setrlimit(Resource::Stack, stack).map_err(Refused::call(Step::Rlimits, "the stack"))
}

/// A limit that is lower already stays.
fn lower(resource: Resource, limit: Option<u64>) -> Result<(), Refused> {
    let limit = least(limit, getrlimit(resource).maximum);
    setrlimit(resource, Rlimit { current: limit, maximum: limit })
        .map_err(|e| Refused::call(Step::Rlimits, &format!("{resource:?}"))(e))
}

/// `None` is unlimited.
fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
