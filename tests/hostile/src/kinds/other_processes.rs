//! Attacks on other processes: the referee, its parent, the opponent, and others.

use crate::{
    Attack,
    attack::{address, address_mut, raw},
    errno::{EACCES, EBADF, ENOENT, ENOSYS, EPERM, EROFS, ESRCH, Errno},
    kind::{End, Kind},
};
use std::{
    fs::OpenOptions,
    io::{self, Write},
    os::fd::AsRawFd,
};

/// The process cannot be seen, or must not be touched.
const UNTOUCHED: &[End] = &[End::Refused(&[EPERM, ESRCH, EACCES, ENOSYS])];
const REFUSED: &[End] = &[End::Refused(&[EPERM, ENOSYS])];

pub const KINDS: &[Kind] = &[
    Kind::attack(29, "takes-priority", "the opponent's time: priority and real-time scheduling", |attack| {
        attack.by_number("setpriority", libc::SYS_setpriority, [0, 0, -10]);
        // The kernel's `struct sched_param` is the priority alone.
        let one = 1i32;
        for (name, policy) in [("SCHED_FIFO", libc::SCHED_FIFO), ("SCHED_RR", libc::SCHED_RR)] {
            attack.by_number(name, libc::SYS_sched_setscheduler, [0, policy.into(), address(&one)]);
        }
        // IOPRIO_WHO_PROCESS, this process, class 1 (real time), priority 0.
        attack.by_number("ioprio_set", libc::SYS_ioprio_set, [1, 0, 1 << 13]);
    })
    .ends(UNTOUCHED),
    Kind::attack(29, "changes-core", "the opponent's time: a core other than its own", |attack| {
        let mut mask = [0u64; 16];
        let got = raw(libc::SYS_sched_getaffinity, [0, 128, address_mut(&mut mask)]);
        if got > 0 {
            attack.by_number("sched_setaffinity", libc::SYS_sched_setaffinity, [0, 128, address(&mask)]);
        }
    })
    .ends(REFUSED),
    Kind::attack(
        29,
        "lowers-its-session",
        "the time of the referee: the priority of the session in which the match is",
        |attack| {
            // The scheduler divides the time between sessions first. Everybody may lower the priority of the own one.
            for file in ["/proc/self/autogroup", "/proc/thread-self/autogroup", "/proc/1/autogroup"] {
                attack.io(file, OpenOptions::new().write(true).open(file).and_then(|mut file| file.write_all(b"19")));
            }
        },
    )
    .issue(1)
    .ends(&[End::Refused(&[EACCES, EPERM, ENOENT, EROFS])]),
    Kind::attack(
        29,
        "lowers-priority-of-others",
        "the time of another process: its priority and its cores",
        |attack| {
            let victim = i64::from(attack.facts.victim);
            let (zero, mask) = (0i32, [1u64; 16]);
            attack.by_number("setpriority", libc::SYS_setpriority, [0, victim, 19]);
            for (name, policy) in [("SCHED_IDLE", libc::SCHED_IDLE), ("SCHED_BATCH", libc::SCHED_BATCH)] {
                attack.by_number(name, libc::SYS_sched_setscheduler, [victim, policy.into(), address(&zero)]);
            }
            attack.by_number("sched_setaffinity", libc::SYS_sched_setaffinity, [victim, 128, address(&mask)]);
            // The structure begins with its size and the policy, SCHED_IDLE.
            let idle = [48u32, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            attack.by_number("sched_setattr", libc::SYS_sched_setattr, [victim, address(&idle), 0]);
        },
    )
    .ends(UNTOUCHED),
    Kind::attack(33, "limits-another-process", "the limits of another process", |attack| {
        let victim = i64::from(attack.facts.victim);
        let one = [1u64; 2];
        attack.by_number("prlimit", libc::SYS_prlimit64, [victim, libc::RLIMIT_CORE as i64, address(&one), 0]);
        let driver = i64::from(attack.facts.driver);
        let mut old = [0u64; 2];
        attack.by_number("prlimit read", libc::SYS_prlimit64, [driver, 7, 0, address_mut(&mut old)]);
    })
    .ends(UNTOUCHED),
    Kind::attack(48, "ptrace", "another process: its registers and memory", |attack| {
        let victim = i64::from(attack.facts.victim);
        attack.by_number("PTRACE_SEIZE", libc::SYS_ptrace, [0x4206, victim, 0, 0]);
        attack.by_number("PTRACE_ATTACH", libc::SYS_ptrace, [libc::PTRACE_ATTACH as i64, victim, 0, 0]);
    })
    .ends(UNTOUCHED),
    Kind::attack(48, "reads-memory-of-others", "another process: its memory, read", |attack| {
        foreign_memory(attack, "process_vm_readv", libc::SYS_process_vm_readv);
    })
    .ends(UNTOUCHED),
    Kind::attack(48, "writes-memory-of-others", "another process: its memory, written", |attack| {
        foreign_memory(attack, "process_vm_writev", libc::SYS_process_vm_writev);
    })
    .ends(UNTOUCHED),
    Kind::attack(48, "copies-descriptors", "another process: handles on it and on its open files", |attack| {
        let (victim, us) = (i64::from(attack.facts.victim), i64::from(std::process::id()));
        attack.by_number("kcmp", libc::SYS_kcmp, [us, victim, 0, 0, 0]);
        if attack.by_number("pidfd_open", libc::SYS_pidfd_open, [victim, 0]) {
            attack.by_number("pidfd_getfd", libc::SYS_pidfd_getfd, [3, 0, 0]);
        }
        attack.by_number("migrate_pages", libc::SYS_migrate_pages, [victim, 0, 0, 0]);
        attack.by_number("move_pages", libc::SYS_move_pages, [victim, 0, 0, 0, 0, 0]);
        attack.by_number("process_madvise", libc::SYS_process_madvise, [-1, 0, 0, 0, 0]);
    })
    .ends(UNTOUCHED),
    Kind::attack(49, "signals-another-process", "another process: signals", |attack| {
        let victim = i64::from(attack.facts.victim);
        let kill = i64::from(libc::SIGKILL);
        // Signal 0 comes first, because the process would be gone if a real signal got through.
        attack.by_number("kill 0", libc::SYS_kill, [victim, 0]);
        attack.by_number("tkill 0", libc::SYS_tkill, [victim, 0]);
        attack.by_number("tgkill 0", libc::SYS_tgkill, [victim, victim, 0]);
        let queued = [0u64; 16];
        attack.by_number("rt_sigqueueinfo 0", libc::SYS_rt_sigqueueinfo, [victim, 0, address(&queued)]);
        attack.by_number("SIGSTOP", libc::SYS_kill, [victim, libc::SIGSTOP.into()]);
        attack.by_number("SIGKILL", libc::SYS_kill, [victim, kill]);
    })
    .ends(UNTOUCHED),
    Kind::attack(49, "signals-the-referee", "the referee: signals", |attack| {
        // Signal 0 only checks the permission. A real signal would harm the referee.
        // SAFETY: no arguments.
        let parent = i64::from(unsafe { libc::getppid() });
        if parent > 1 {
            attack.by_number("kill the parent", libc::SYS_kill, [parent, 0]);
        }
        let driver = i64::from(attack.facts.driver);
        attack.by_number("kill the driver", libc::SYS_kill, [driver, 0]);
        attack.by_number("kill its group", libc::SYS_kill, [-driver, 0]);
    })
    .ends(UNTOUCHED),
    Kind::attack(49, "signals-all-processes", "all processes: kill -1", |attack| {
        attack.by_number("kill -1", libc::SYS_kill, [-1, 0]);
    })
    .ends(UNTOUCHED),
    Kind::attack(49, "signals-by-descriptor", "another process: signals sent by a pipe", |attack| {
        let (reader, _writer) = match io::pipe() {
            Ok(pipe) => pipe,
            Err(error) => return attack.refused("pipe", Errno::of(&error)),
        };
        let (fd, victim) = (i64::from(reader.as_raw_fd()), i64::from(attack.facts.victim));
        attack.by_number("F_SETOWN", libc::SYS_fcntl, [fd, libc::F_SETOWN.into(), victim]);
        let owner = [2i32, attack.facts.victim];
        attack.by_number("F_SETOWN_EX", libc::SYS_fcntl, [fd, 15, address(&owner)]);
        let own = attack.facts.victim;
        attack.by_number("FIOSETOWN", libc::SYS_ioctl, [fd, 0x8901, address(&own)]);
    })
    .ends(&[End::Refused(&[EPERM, ESRCH, EBADF])]),
    Kind::attack(
        62,
        "clears-its-parent-signal",
        "the end: the signal that ends it together with its parent",
        |attack| {
            attack.by_number("PR_SET_PDEATHSIG", libc::SYS_prctl, [libc::PR_SET_PDEATHSIG.into(), 0]);
        },
    )
    .ends(REFUSED),
];

/// Reads or overwrites the secret of the victim process.
fn foreign_memory(attack: &mut Attack<'_>, name: &str, call: libc::c_long) {
    let mut buffer = [0u8; 8];
    let (victim, foreign) = (i64::from(attack.facts.victim), [attack.facts.address, 8]);
    let own = [address_mut(&mut buffer), 8];
    attack.by_number(name, call, [victim, address(&own), 1, address(&foreign), 1, 0]);
}
