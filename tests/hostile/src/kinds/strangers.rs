//! Attacks on other processes: the referee, whoever started it, the opponent, anybody.

use crate::{
    Tries,
    errno::{EACCES, EBADF, ENOSYS, EPERM, ESRCH, Errno},
    kind::{End, Kind},
    tries::{address, address_mut, raw},
};
use std::{io, os::fd::AsRawFd};

/// A process that is not there, or that must not be touched.
const UNTOUCHED: &[End] = &[End::Refused(&[EPERM, ESRCH, EACCES, ENOSYS])];
const REFUSED: &[End] = &[End::Refused(&[EPERM, ENOSYS])];

/// The kinds.
pub const KINDS: &[Kind] = &[
    Kind::tries(29, "takes-priority", "the opponent's time: priority and real-time scheduling", |tries| {
        tries.by_number("setpriority", libc::SYS_setpriority, [0, 0, -10]);
        let one = libc::sched_param { sched_priority: 1 };
        for (name, policy) in [("SCHED_FIFO", libc::SCHED_FIFO), ("SCHED_RR", libc::SCHED_RR)] {
            tries.by_number(name, libc::SYS_sched_setscheduler, [0, policy.into(), address(&one)]);
        }
        // Who is asking, class 1 (real time), priority 0.
        tries.by_number("ioprio_set", libc::SYS_ioprio_set, [1, 0, 1 << 13]);
    })
    .brief()
    .ends(UNTOUCHED),
    Kind::tries(29, "changes-core", "the opponent's time: another core than the one it was given", |tries| {
        let mut mask = [0u64; 16];
        let got = raw(libc::SYS_sched_getaffinity, [0, 128, address_mut(&mut mask)]);
        if got > 0 {
            tries.by_number("sched_setaffinity", libc::SYS_sched_setaffinity, [0, 128, address(&mask)]);
        }
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(29, "idles-a-stranger", "the time of another process: its priority and its core", |tries| {
        let canary = i64::from(tries.facts.canary);
        let (zero, mask) = (libc::sched_param { sched_priority: 0 }, [1u64; 16]);
        tries.by_number("setpriority", libc::SYS_setpriority, [0, canary, 19]);
        for (name, policy) in [("SCHED_IDLE", libc::SCHED_IDLE), ("SCHED_BATCH", libc::SCHED_BATCH)] {
            tries.by_number(name, libc::SYS_sched_setscheduler, [canary, policy.into(), address(&zero)]);
        }
        tries.by_number("sched_setaffinity", libc::SYS_sched_setaffinity, [canary, 128, address(&mask)]);
        // As the structure begins: its size, then SCHED_IDLE.
        let idle = [48u32, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        tries.by_number("sched_setattr", libc::SYS_sched_setattr, [canary, address(&idle), 0]);
    })
    .brief()
    .ends(UNTOUCHED),
    Kind::tries(33, "limits-a-stranger", "the limits of another process", |tries| {
        let canary = i64::from(tries.facts.canary);
        let one = [1u64; 2];
        tries.by_number("prlimit", libc::SYS_prlimit64, [canary, libc::RLIMIT_CORE as i64, address(&one), 0]);
        let driver = i64::from(tries.facts.driver);
        let mut old = [0u64; 2];
        tries.by_number("prlimit read", libc::SYS_prlimit64, [driver, 7, 0, address_mut(&mut old)]);
    })
    .brief()
    .ends(UNTOUCHED),
    Kind::tries(48, "ptrace", "another process: its registers and memory", |tries| {
        let canary = i64::from(tries.facts.canary);
        tries.by_number("PTRACE_SEIZE", libc::SYS_ptrace, [0x4206, canary, 0, 0]);
        tries.by_number("PTRACE_ATTACH", libc::SYS_ptrace, [libc::PTRACE_ATTACH as i64, canary, 0, 0]);
    })
    .brief()
    .ends(UNTOUCHED),
    Kind::tries(48, "reads-foreign-memory", "another process: its memory, read", |tries| {
        foreign_memory(tries, "process_vm_readv", libc::SYS_process_vm_readv);
    })
    .brief()
    .ends(UNTOUCHED),
    Kind::tries(48, "writes-foreign-memory", "another process: its memory, written", |tries| {
        foreign_memory(tries, "process_vm_writev", libc::SYS_process_vm_writev);
    })
    .brief()
    .ends(UNTOUCHED),
    Kind::tries(48, "compares-and-borrows", "another process: handles on it and on what it has open", |tries| {
        let (canary, us) = (i64::from(tries.facts.canary), i64::from(std::process::id()));
        tries.by_number("kcmp", libc::SYS_kcmp, [us, canary, 0, 0, 0]);
        if tries.by_number("pidfd_open", libc::SYS_pidfd_open, [canary, 0]) {
            tries.by_number("pidfd_getfd", libc::SYS_pidfd_getfd, [3, 0, 0]);
        }
        tries.by_number("migrate_pages", libc::SYS_migrate_pages, [canary, 0, 0, 0]);
        tries.by_number("move_pages", libc::SYS_move_pages, [canary, 0, 0, 0, 0, 0]);
        tries.by_number("process_madvise", libc::SYS_process_madvise, [-1, 0, 0, 0, 0]);
    })
    .brief()
    .ends(UNTOUCHED),
    Kind::tries(49, "signals-a-stranger", "another process: its life", |tries| {
        let canary = i64::from(tries.facts.canary);
        let kill = i64::from(libc::SIGKILL);
        // Without a signal first: who is not stopped here will not be there any more for what follows.
        tries.by_number("kill 0", libc::SYS_kill, [canary, 0]);
        tries.by_number("tkill 0", libc::SYS_tkill, [canary, 0]);
        tries.by_number("tgkill 0", libc::SYS_tgkill, [canary, canary, 0]);
        let queued = [0u64; 16];
        tries.by_number("rt_sigqueueinfo 0", libc::SYS_rt_sigqueueinfo, [canary, 0, address(&queued)]);
        tries.by_number("SIGSTOP", libc::SYS_kill, [canary, libc::SIGSTOP.into()]);
        tries.by_number("SIGKILL", libc::SYS_kill, [canary, kill]);
    })
    .brief()
    .ends(UNTOUCHED),
    Kind::tries(49, "signals-its-starter", "the referee: its life", |tries| {
        // The signal 0 asks whether one may; the answer is all that is wanted of the referee itself.
        // SAFETY: no arguments.
        let parent = i64::from(unsafe { libc::getppid() });
        if parent > 1 {
            tries.by_number("kill the parent", libc::SYS_kill, [parent, 0]);
        }
        let driver = i64::from(tries.facts.driver);
        tries.by_number("kill the driver", libc::SYS_kill, [driver, 0]);
        tries.by_number("kill its group", libc::SYS_kill, [-driver, 0]);
    })
    .brief()
    .ends(UNTOUCHED),
    Kind::tries(49, "signals-everybody", "everything: kill -1", |tries| {
        tries.by_number("kill -1", libc::SYS_kill, [-1, 0]);
    })
    .brief()
    .ends(UNTOUCHED),
    Kind::tries(49, "signals-by-descriptor", "another process: signals that a pipe sends", |tries| {
        let (reader, _writer) = match io::pipe() {
            Ok(pipe) => pipe,
            Err(error) => return tries.refused("pipe", Errno::of(&error)),
        };
        let (fd, canary) = (i64::from(reader.as_raw_fd()), i64::from(tries.facts.canary));
        tries.by_number("F_SETOWN", libc::SYS_fcntl, [fd, libc::F_SETOWN.into(), canary]);
        let owner = [2i32, tries.facts.canary];
        tries.by_number("F_SETOWN_EX", libc::SYS_fcntl, [fd, 15, address(&owner)]);
        let own = tries.facts.canary;
        tries.by_number("FIOSETOWN", libc::SYS_ioctl, [fd, 0x8901, address(&own)]);
    })
    .brief()
    .ends(&[End::Refused(&[EPERM, ESRCH, EBADF])]),
    Kind::tries(25, "wakes-itself", "the opponent's time: a timer that sends SIGCONT to whoever is stopped", |tries| {
        let mut event = [0i32; 16];
        (event[2], event[3]) = (libc::SIGCONT, 0);
        let mut id = 0i32;
        tries.by_number("timer_create", libc::SYS_timer_create, [1, address(&event), address_mut(&mut id)]);
        tries.by_number("F_SETSIG", libc::SYS_fcntl, [0, 10, libc::SIGCONT.into()]);
        tries.by_number("F_SETOWN", libc::SYS_fcntl, [0, libc::F_SETOWN.into(), std::process::id().into()]);
        tries.by_number("F_NOTIFY", libc::SYS_fcntl, [0, libc::F_NOTIFY.into(), 1]);
        tries.by_number("mq_open", libc::SYS_mq_open, [address(c"agon"), 0, 0, 0]);
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(62, "clears-its-parent-signal", "the end: the signal that ties it to its parent's life", |tries| {
        tries.by_number("PR_SET_PDEATHSIG", libc::SYS_prctl, [libc::PR_SET_PDEATHSIG.into(), 0]);
    })
    .brief()
    .ends(REFUSED),
];

/// The secret of the canary, read or overwritten.
fn foreign_memory(tries: &mut Tries<'_>, name: &str, call: libc::c_long) {
    let mut buffer = [0u8; 8];
    let (canary, foreign) = (i64::from(tries.facts.canary), [tries.facts.address, 8]);
    let own = [address_mut(&mut buffer), 8];
    tries.by_number(name, call, [canary, address(&own), 1, address(&foreign), 1, 0]);
}
