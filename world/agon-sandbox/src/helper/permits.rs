//! The options that the filter permits of calls to which every kernel adds some. Any other option fails as on a kernel
//! that does not have it, so that runtimes do without it. What `calls` refuses fails with `EPERM` instead.
//!
//! Some calls have no effect in a sandbox and always succeed.

use super::{
    bpf::{Check, Condition},
    calls::OPENING,
};
use libc::c_long;
use std::collections::BTreeMap;

/// The permitted values of one argument of a call.
#[derive(Clone, Copy, Debug)]
struct Permit {
    call: c_long,
    /// The index of the argument. The kernel uses 32 bits of it.
    argument: u8,
    what: Permitted,
    /// The error for any other value.
    errno: i32,
}

#[derive(Clone, Copy, Debug)]
enum Permitted {
    /// These numbers.
    Numbers(&'static [u32]),
    /// Any combination of these flags.
    Flags(u32),
}

use Permitted::{Flags, Numbers};

const fn permit(call: c_long, argument: u8, what: Permitted, errno: i32) -> Permit {
    Permit { call, argument, what, errno }
}

const CLOEXEC: u32 = libc::O_CLOEXEC as u32;
const NONBLOCK: u32 = libc::O_NONBLOCK as u32;

/// All permits. Those of one call stand side by side.
const PERMITS: &[Permit] = &[
    permit(libc::SYS_prctl, 0, Numbers(PRCTLS), libc::EINVAL),
    permit(libc::SYS_ioctl, 1, Numbers(IOCTLS), libc::ENOTTY),
    permit(libc::SYS_fcntl, 1, Numbers(FCNTLS), libc::EINVAL),
    permit(libc::SYS_setsockopt, 1, Numbers(&[libc::SOL_SOCKET as u32]), libc::ENOPROTOOPT),
    permit(libc::SYS_setsockopt, 2, Numbers(SOCKET_SETTINGS), libc::ENOPROTOOPT),
    permit(libc::SYS_getsockopt, 1, Numbers(&[libc::SOL_SOCKET as u32]), libc::ENOPROTOOPT),
    permit(libc::SYS_getsockopt, 2, Numbers(SOCKET_ANSWERS), libc::ENOPROTOOPT),
    permit(libc::SYS_madvise, 2, Numbers(ADVICE), libc::EINVAL),
    permit(libc::SYS_membarrier, 0, Numbers(BARRIERS), libc::EINVAL),
    // All commands, with a private key or a shared one, and by either clock.
    permit(libc::SYS_futex, 1, Flags(0x18f), libc::ENOSYS),
    // `CLOSE_RANGE_UNSHARE` would give a thread a table of descriptors of its own, with a limit of its own.
    permit(libc::SYS_close_range, 2, Numbers(&[0, libc::CLOSE_RANGE_CLOEXEC]), libc::EINVAL),
    permit(libc::SYS_mmap, 3, Flags(MAPPING), libc::EINVAL),
    permit(libc::SYS_mremap, 3, Flags(7), libc::EINVAL),
    // Not `O_NOTIFICATION_PIPE`, by which the kernel reports.
    permit(libc::SYS_pipe2, 1, Flags(CLOEXEC | NONBLOCK | libc::O_DIRECT as u32), libc::EINVAL),
    permit(libc::SYS_socketpair, 1, Flags(CLOEXEC | NONBLOCK | 0xf), libc::EINVAL),
    permit(libc::SYS_eventfd2, 1, Flags(CLOEXEC | NONBLOCK | 1), libc::EINVAL),
    permit(libc::SYS_epoll_create1, 0, Flags(CLOEXEC), libc::EINVAL),
    permit(libc::SYS_timerfd_create, 1, Flags(CLOEXEC | NONBLOCK), libc::EINVAL),
    permit(libc::SYS_signalfd4, 3, Flags(CLOEXEC | NONBLOCK), libc::EINVAL),
    permit(libc::SYS_dup3, 2, Flags(CLOEXEC), libc::EINVAL),
    permit(libc::SYS_getrandom, 2, Flags(7), libc::EINVAL),
    permit(libc::SYS_renameat2, 4, Flags(7), libc::EINVAL),
    permit(libc::SYS_execveat, 4, Flags((libc::AT_EMPTY_PATH | libc::AT_SYMLINK_NOFOLLOW) as u32), libc::EINVAL),
    // Not `RWF_NOWAIT`, which tells what of a file others have read.
    permit(libc::SYS_preadv2, 5, Flags(0x17), libc::EOPNOTSUPP),
    permit(libc::SYS_pwritev2, 5, Flags(0x17), libc::EOPNOTSUPP),
    permit(libc::SYS_splice, 5, Flags(0xf), libc::EINVAL),
    permit(libc::SYS_tee, 3, Flags(0xf), libc::EINVAL),
    #[cfg(target_arch = "x86_64")]
    permit(libc::SYS_arch_prctl, 0, Numbers(ARCH_PRCTLS), libc::EINVAL),
];

/// Names, queries, and options that take rights away. The list has no option for the tree of processes, the memory map
/// or the size of the table of futexes.
const PRCTLS: &[u32] = &[
    libc::PR_GET_PDEATHSIG as u32,
    libc::PR_GET_DUMPABLE as u32,
    libc::PR_GET_KEEPCAPS as u32,
    libc::PR_SET_NAME as u32,
    libc::PR_GET_NAME as u32,
    libc::PR_GET_SECCOMP as u32,
    libc::PR_CAPBSET_READ as u32,
    libc::PR_GET_TSC as u32,
    libc::PR_GET_SECUREBITS as u32,
    libc::PR_SET_TIMERSLACK as u32,
    libc::PR_GET_TIMERSLACK as u32,
    libc::PR_GET_CHILD_SUBREAPER as u32,
    libc::PR_SET_NO_NEW_PRIVS as u32,
    libc::PR_GET_NO_NEW_PRIVS as u32,
    libc::PR_GET_TID_ADDRESS as u32,
    libc::PR_SET_THP_DISABLE as u32,
    libc::PR_GET_THP_DISABLE as u32,
    libc::PR_SET_VMA as u32,
    52,          // PR_GET_SPECULATION_CTRL
    0x4155_5856, // PR_GET_AUXV
    // Registers and pointers of 64-bit ARM.
    50, // PR_SVE_SET_VL
    51, // PR_SVE_GET_VL
    54, // PR_PAC_RESET_KEYS
    55, // PR_SET_TAGGED_ADDR_CTRL
    56, // PR_GET_TAGGED_ADDR_CTRL
];

/// Segment registers of threads, and wide registers for vectors.
#[cfg(target_arch = "x86_64")]
const ARCH_PRCTLS: &[u32] = &[
    0x1001, // ARCH_SET_GS
    0x1002, // ARCH_SET_FS
    0x1003, // ARCH_GET_FS
    0x1004, // ARCH_GET_GS
    0x1011, // ARCH_GET_CPUID
    0x1021, // ARCH_GET_XCOMP_SUPP
    0x1022, // ARCH_GET_XCOMP_PERM
    0x1023, // ARCH_REQ_XCOMP_PERM
];

/// Queries about streams and terminals. Requests about network cards, volumes and namespaces have other numbers.
const IOCTLS: &[u32] = &[
    0x5401,      // TCGETS
    0x802c_542a, // TCGETS2
    0x540f,      // TIOCGPGRP
    0x5411,      // TIOCOUTQ
    0x5413,      // TIOCGWINSZ
    0x541b,      // FIONREAD
    0x5421,      // FIONBIO
    0x5429,      // TIOCGSID
    0x5450,      // FIONCLEX
    0x5451,      // FIOCLEX
    0x5460,      // FIOQSIZE
];

/// Descriptors and locks. The list has no command for receivers of signals, hints for disks, or the locks of others.
const FCNTLS: &[u32] = &[
    libc::F_DUPFD as u32,
    libc::F_GETFD as u32,
    libc::F_SETFD as u32,
    libc::F_GETFL as u32,
    libc::F_SETFL as u32,
    libc::F_SETLK as u32,
    libc::F_SETLKW as u32,
    libc::F_OFD_SETLK as u32,
    libc::F_OFD_SETLKW as u32,
    libc::F_GETOWN as u32,
    libc::F_GETLEASE as u32,
    libc::F_DUPFD_CLOEXEC as u32,
    libc::F_GETPIPE_SZ as u32,
    libc::F_GET_SEALS as u32,
    1027, // F_DUPFD_QUERY
];

/// Settings of a pair of sockets. The list has no filters, which are programs for the kernel, and no sizes of buffers.
const SOCKET_SETTINGS: &[u32] = &[
    libc::SO_REUSEADDR as u32,
    libc::SO_KEEPALIVE as u32,
    libc::SO_LINGER as u32,
    libc::SO_PASSCRED as u32,
    libc::SO_RCVLOWAT as u32,
    libc::SO_RCVTIMEO as u32,
    libc::SO_SNDTIMEO as u32,
];

/// Queries about a pair of sockets.
const SOCKET_ANSWERS: &[u32] = &[
    libc::SO_REUSEADDR as u32,
    libc::SO_TYPE as u32,
    libc::SO_ERROR as u32,
    libc::SO_SNDBUF as u32,
    libc::SO_RCVBUF as u32,
    libc::SO_KEEPALIVE as u32,
    libc::SO_LINGER as u32,
    libc::SO_PASSCRED as u32,
    libc::SO_PEERCRED as u32,
    libc::SO_RCVLOWAT as u32,
    libc::SO_RCVTIMEO as u32,
    libc::SO_SNDTIMEO as u32,
    libc::SO_ACCEPTCONN as u32,
    libc::SO_PROTOCOL as u32,
    libc::SO_DOMAIN as u32,
];

/// Advice about the memory of this process. The list has nothing that evicts pages which others use.
const ADVICE: &[u32] = &[
    libc::MADV_NORMAL as u32,
    libc::MADV_RANDOM as u32,
    libc::MADV_SEQUENTIAL as u32,
    libc::MADV_WILLNEED as u32,
    libc::MADV_DONTNEED as u32,
    libc::MADV_FREE as u32,
    libc::MADV_REMOVE as u32,
    libc::MADV_DONTFORK as u32,
    libc::MADV_DOFORK as u32,
    libc::MADV_HUGEPAGE as u32,
    libc::MADV_NOHUGEPAGE as u32,
    libc::MADV_DONTDUMP as u32,
    libc::MADV_DODUMP as u32,
    libc::MADV_WIPEONFORK as u32,
    libc::MADV_KEEPONFORK as u32,
    libc::MADV_POPULATE_READ as u32,
    libc::MADV_POPULATE_WRITE as u32,
];

/// Queries, and barriers for the threads of this process only.
const BARRIERS: &[u32] = &[
    0,   // MEMBARRIER_CMD_QUERY
    8,   // MEMBARRIER_CMD_PRIVATE_EXPEDITED
    16,  // MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED
    32,  // MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE
    64,  // MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE
    128, // MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ
    256, // MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ
];

const MAPPING: u32 = (libc::MAP_SHARED
    | libc::MAP_PRIVATE
    | libc::MAP_FIXED
    | libc::MAP_ANONYMOUS
    | libc::MAP_DENYWRITE
    | libc::MAP_EXECUTABLE
    | libc::MAP_LOCKED
    | libc::MAP_NORESERVE
    | libc::MAP_POPULATE
    | libc::MAP_NONBLOCK
    | libc::MAP_STACK
    | libc::MAP_FIXED_NOREPLACE
    | 0x40) as u32; // MAP_32BIT

/// Calls without effect: they would keep the disks of the host busy, or evict pages that others read. The files of a bot
/// are in memory and end with it.
const NOTHING_TO_DO: &[c_long] =
    &[libc::SYS_fsync, libc::SYS_fdatasync, libc::SYS_sync_file_range, libc::SYS_fadvise64, libc::SYS_readahead];

/// Locks. A bot of one process never has to wait for one, and a lock on a shared file would be a signal to the
/// opponent.
const LOCKS: &[i32] = &[libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];

const SUCCESS: u32 = libc::SECCOMP_RET_ERRNO;
/// The limit of core dumps.
const CORE: i32 = libc::RLIMIT_CORE as i32;

impl Permit {
    fn check(self) -> Check {
        let answer = libc::SECCOMP_RET_ERRNO | self.errno as u32;
        match self.what {
            Numbers(numbers) => {
                let mut numbers = numbers.to_vec();
                numbers.sort_unstable();
                Check::Unless(self.argument, numbers, answer)
            }
            Flags(flags) => Check::If(vec![Condition::has_any(self.argument, !flags.cast_signed())], answer),
        }
    }
}

/// Returns the checks of each call. `alone` says whether the bot is limited to one process.
pub(super) fn checks(alone: bool) -> BTreeMap<u32, Vec<Check>> {
    let mut checks: BTreeMap<u32, Vec<Check>> = BTreeMap::new();
    let mut add = |call: c_long, check: Check| checks.entry(call as u32).or_default().push(check);
    for permit in PERMITS {
        add(permit.call, permit.check());
    }
    for call in NOTHING_TO_DO {
        add(*call, Check::always(SUCCESS));
    }
    // A bot cannot ask for a handler of its crash: see `limits`.
    #[cfg(target_arch = "x86_64")]
    add(libc::SYS_setrlimit, Check::If(vec![Condition::is(0, CORE)], SUCCESS));
    for pointer in Condition::points(2) {
        add(libc::SYS_prlimit64, Check::If(vec![Condition::is(1, CORE), pointer], SUCCESS));
    }
    // Reads that go past the page cache keep the disks of the host busy. Many file systems do not know this flag either.
    let direct = libc::SECCOMP_RET_ERRNO | libc::EINVAL as u32;
    for (call, flags) in OPENING {
        add(*call, Check::If(vec![Condition::has(*flags, libc::O_DIRECT)], direct));
    }
    add(libc::SYS_fcntl, Check::If(vec![Condition::is(1, libc::F_SETFL), Condition::has(2, libc::O_DIRECT)], direct));
    add(libc::SYS_msync, Check::If(vec![Condition::has_any(2, libc::MS_SYNC)], SUCCESS));
    if alone {
        for lock in LOCKS {
            add(libc::SYS_fcntl, Check::If(vec![Condition::is(1, *lock)], SUCCESS));
        }
        add(libc::SYS_flock, Check::always(SUCCESS));
    }
    checks
}

#[cfg(test)]
mod tests {
    use super::{super::seccomp::tests::answer_of_checks, *};

    const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;

    fn answers(alone: bool, call: c_long, arguments: [u64; 6]) -> u32 {
        let checks = checks(alone).remove(&(call as u32)).unwrap_or_default();
        answer_of_checks(checks, arguments)
    }

    fn with(argument: u8, value: u64) -> [u64; 6] {
        let mut arguments = [0; 6];
        arguments[argument as usize] = value;
        arguments
    }

    #[test]
    fn listed_options_are_permitted_and_all_others_are_missing() {
        for permit in
            PERMITS.iter().filter(|permit| !matches!(permit.call, libc::SYS_setsockopt | libc::SYS_getsockopt))
        {
            let errno = libc::SECCOMP_RET_ERRNO | permit.errno as u32;
            let at = |value: u32| answers(false, permit.call, with(permit.argument, value.into()));
            let (good, bad): (Vec<u32>, Vec<u32>) = match permit.what {
                Numbers(numbers) => (numbers.to_vec(), (0..=5000).filter(|n| !numbers.contains(n)).collect()),
                Flags(flags) => {
                    let bits = (0..32).map(|bit| 1 << bit);
                    let (good, bad): (Vec<u32>, Vec<u32>) = bits.partition(|bit| flags & bit > 0);
                    (
                        [good, vec![0, flags]].concat(),
                        [bad.iter().map(|bit| bit | flags).collect(), bad.clone()].concat(),
                    )
                }
            };
            assert!(!good.is_empty() && !bad.is_empty());
            good.iter().for_each(|value| assert_eq!(at(*value), ALLOW, "{permit:?} {value:#x}"));
            bad.iter().for_each(|value| assert_eq!(at(*value), errno, "{permit:?} {value:#x}"));
            // The kernel ignores the upper half.
            let high = answers(false, permit.call, with(permit.argument, 1 << 32 | u64::from(bad[0])));
            assert_eq!(high, errno, "{permit:?}");
        }
    }

    #[test]
    fn an_option_of_a_socket_counts_with_its_level() {
        let set = |level: i32, name: i32| answers(true, libc::SYS_setsockopt, [0, level as u64, name as u64, 0, 0, 0]);
        let missing = libc::SECCOMP_RET_ERRNO | libc::ENOPROTOOPT as u32;
        assert_eq!(set(libc::SOL_SOCKET, libc::SO_RCVTIMEO), ALLOW);
        for name in [libc::SO_ATTACH_FILTER, libc::SO_ATTACH_BPF, libc::SO_ATTACH_REUSEPORT_CBPF, libc::SO_SNDBUF, 90] {
            assert_eq!(set(libc::SOL_SOCKET, name), missing, "{name}");
        }
        assert_eq!(set(libc::IPPROTO_IP, libc::SO_RCVTIMEO), missing);
    }

    #[test]
    fn calls_that_would_busy_the_host_do_nothing() {
        for call in NOTHING_TO_DO {
            assert_eq!(answers(false, *call, [0; 6]), SUCCESS);
        }
        let sync = |flags: i32| answers(false, libc::SYS_msync, with(2, flags as u64));
        assert_eq!((sync(libc::MS_SYNC), sync(libc::MS_ASYNC)), (SUCCESS, ALLOW));
        assert_eq!(answers(true, libc::SYS_read, [0; 6]), ALLOW);
    }

    #[test]
    fn the_limit_of_core_dumps_is_read_and_never_set() {
        for (pointer, expected) in [(0, ALLOW), (1, SUCCESS), (1 << 32, SUCCESS), (u64::MAX, SUCCESS)] {
            let limit = |resource: u64| answers(true, libc::SYS_prlimit64, [0, resource, pointer, 1, 0, 0]);
            assert_eq!((limit(CORE as u64), limit(libc::RLIMIT_STACK.into())), (expected, ALLOW), "{pointer:#x}");
        }
    }

    #[test]
    fn nothing_is_read_past_the_page_cache() {
        let missing = libc::SECCOMP_RET_ERRNO | libc::EINVAL as u32;
        let direct = libc::O_DIRECT as u64;
        for (call, flags) in OPENING {
            assert_eq!(answers(true, *call, with(*flags, direct | libc::O_CLOEXEC as u64)), missing);
            assert_eq!(answers(true, *call, with(*flags, libc::O_CLOEXEC as u64)), ALLOW);
        }
        let set = |flags: u64| answers(true, libc::SYS_fcntl, [0, libc::F_SETFL as u64, flags, 0, 0, 0]);
        assert_eq!((set(direct), set(libc::O_NONBLOCK as u64)), (missing, ALLOW));
    }

    #[test]
    fn locks_are_kept_among_several_processes_and_are_nothing_to_one() {
        for (alone, expected) in [(true, SUCCESS), (false, ALLOW)] {
            assert_eq!(answers(alone, libc::SYS_flock, with(1, 2)), expected);
            for lock in LOCKS {
                assert_eq!(answers(alone, libc::SYS_fcntl, with(1, *lock as u64)), expected);
            }
            assert_eq!(answers(alone, libc::SYS_fcntl, with(1, libc::F_GETFD as u64)), ALLOW);
        }
    }
}
