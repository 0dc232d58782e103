//! Attacks by crashes. Where a host pipes core dumps to a handler, the kernel starts one as root for every crash of a process whose
//! limit of core dumps is not 1.

use crate::{
    Attack,
    attack::{address, address_mut, raw},
    errno::{EFAULT, EPERM, Errno},
    kind::{End, Kind, Scenario, TOY},
};
use std::fs;

const HANDLERS: &[End] = &[End::Bounded(0, "crashes with a handler")];
const CORE: i64 = libc::RLIMIT_CORE as i64;

pub const KINDS: &[Kind] = &[
    Kind::attack(
        42,
        "asks-for-a-crash-handler",
        "the time of all others: a handler of the host for its crash",
        |attack| {
            report_handlers(attack, "at the start");
        },
    )
    .issue(1)
    .ends(HANDLERS),
    Kind::attack(
        42,
        "lowers-its-limit-of-dumps",
        "the time of all others: a limit of core dumps by which each crash has a handler",
        |attack| {
            let none = [0u64; 2];
            let soft = [0u64, 1];
            for limit in [&none, &soft] {
                raw(libc::SYS_prlimit64, [0, CORE, address(limit), 0]);
                raw(libc::SYS_prlimit64, [std::process::id().into(), CORE, address(limit), 0]);
                #[cfg(target_arch = "x86_64")]
                raw(libc::SYS_setrlimit, [CORE, address(limit)]);
            }
            report_handlers(attack, "after a lower limit");
        },
    )
    .issue(1)
    .ends(HANDLERS),
    Kind::attack(
        42,
        "lowers-its-limit-behind-a-filter",
        "the time of all others: the same limit, at an address whose lower half is null",
        |attack| {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
            let rights = i64::from(libc::PROT_READ | libc::PROT_WRITE);
            for four_gib in [0x100_i64, 0x200, 0x3000] {
                let place = four_gib << 32;
                if raw(libc::SYS_mmap, [place, 4096, rights, flags.into(), -1, 0]) != place {
                    return attack.succeeded("mmap", Errno::last().to_string());
                }
                // The page is empty: both limits are 0.
                raw(libc::SYS_prlimit64, [0, CORE, place, 0]);
            }
            report_handlers(attack, "after a lower limit");
        },
    )
    .issue(1)
    .ends(HANDLERS),
    Kind::attack(
        42,
        "crashes-by-children",
        "the time of all others: a handler for the crash of each of many children",
        |attack| {
            let mut dumps = 0;
            for _ in 0..50 {
                // SAFETY: the child calls nothing but what ends it.
                match unsafe { libc::fork() } {
                    -1 => return attack.refused("fork", Errno::last()),
                    0 => std::process::abort(),
                    child => {
                        let mut status = 0;
                        // SAFETY: the kernel writes one number.
                        unsafe { libc::waitpid(child, &raw mut status, 0) };
                        dumps += u64::from(libc::WCOREDUMP(status));
                    }
                }
            }
            attack.stopped("dumps", dumps, EPERM);
        },
    )
    .issue(1)
    .needs(agon_spec::Isolation::Full)
    .scenario(Scenario { processes: 8, ..TOY })
    .ends(HANDLERS),
];

/// Reports whether a crash would have a handler. At a limit of 0, which nobody can raise, that depends on the host.
fn report_handlers(attack: &mut Attack<'_>, when: &str) {
    let mut limit = [u64::MAX; 2];
    if raw(libc::SYS_prlimit64, [0, CORE, 0, address_mut(&mut limit)]) == -1 {
        return attack.succeeded("prlimit64", Errno::last().to_string());
    }
    let is_piped = || fs::read_to_string("/proc/sys/kernel/core_pattern").is_ok_and(|pattern| pattern.starts_with('|'));
    let handlers = u64::from(limit != [1, 1] && (limit != [0, 0] || is_piped()));
    attack.stopped(when, handlers, EFAULT);
}
