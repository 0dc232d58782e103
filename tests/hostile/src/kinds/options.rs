//! Attacks by options of calls: by those that are younger than most filters, and by those that make the host work.

use crate::{
    Attack,
    attack::{address, address_mut, raw},
    errno::{EBADF, EINVAL, ENOPROTOOPT, ENOTTY, EPERM, Errno},
    kind::{End, Kind},
};
use std::os::{fd::AsRawFd, unix::net::UnixStream};

/// As by a kernel that does not have the option, or by a filter that knows it.
const MISSING: &[End] = &[End::Refused(&[EINVAL, EPERM])];
const NO_SUCH_REQUEST: &[End] = &[End::Refused(&[ENOTTY, EPERM])];
const NO_SUCH_OPTION: &[End] = &[End::Refused(&[ENOPROTOOPT, EPERM])];
const WITHOUT_EFFECT: &[End] = &[End::Bounded(0, "calls that have an effect")];

pub const KINDS: &[Kind] = &[
    Kind::attack(
        60,
        "sets-young-attributes",
        "the system call filter: attributes of a process that newer kernels have",
        |attack| {
            for (name, option, value) in [
                ("PR_SET_CHILD_SUBREAPER", 36, 1),
                ("PR_SET_THP_DISABLE", 41, 0),
                ("PR_SET_SYSCALL_USER_DISPATCH", 59, 0),
                ("PR_SET_MDWE", 65, 1),
                ("PR_SET_MEMORY_MERGE", 67, 1),
                ("PR_TIMER_CREATE_RESTORE_IDS", 77, 1),
            ] {
                attack.by_number(name, libc::SYS_prctl, [option, value, 0, 0, 0]);
            }
        },
    )
    .issue(9)
    .ends(MISSING),
    Kind::attack(60, "sets-young-flags", "the system call filter: flags that newer kernels have", |attack| {
        // A pipe by which the kernel reports, memory that vanishes, and a barrier on every core of the machine.
        let mut ends = [0i32; 2];
        attack.by_number("O_NOTIFICATION_PIPE", libc::SYS_pipe2, [address_mut(&mut ends), libc::O_EXCL.into()]);
        let droppable = i64::from(libc::MAP_ANONYMOUS) | 8;
        attack.by_number("MAP_DROPPABLE", libc::SYS_mmap, [0, 4096, 1, droppable, -1, 0]);
        for (name, command) in [("MEMBARRIER_CMD_GLOBAL", 1), ("MEMBARRIER_CMD_GLOBAL_EXPEDITED", 2)] {
            attack.by_number(name, libc::SYS_membarrier, [command, 0, 0]);
        }
    })
    .issue(9)
    .ends(MISSING),
    Kind::attack(
        60,
        "asks-about-network-cards",
        "the machine: names, addresses and routes of network cards",
        |attack| {
            let Some((socket, _other)) = pair(attack) else { return };
            let mut answer = [0u64; 8];
            for (name, request) in [
                ("SIOCGIFNAME", 0x8910),
                ("SIOCGIFCONF", 0x8912),
                ("SIOCGIFFLAGS", 0x8913),
                ("SIOCGIFHWADDR", 0x8927),
                ("SIOCGIFINDEX", 0x8933),
                ("SIOCETHTOOL", 0x8946),
                ("SIOCGSKNS", 0x894c),
                ("SIOCGIFCONF with high bits", 0x0001_0000_8912),
            ] {
                attack.by_number(name, libc::SYS_ioctl, [socket.as_raw_fd().into(), request, address_mut(&mut answer)]);
            }
        },
    )
    .issue(9)
    .ends(NO_SUCH_REQUEST),
    Kind::attack(60, "filters-on-sockets", "the kernel: BPF programs on a pair of sockets", |attack| {
        let Some((socket, _other)) = pair(attack) else { return };
        // One instruction: accept everything.
        let accept = [6u16, 0, 0xffff, 0xffff];
        let program = [1u64, address(&accept) as u64];
        let socket = i64::from(socket.as_raw_fd());
        for (name, option) in [
            ("SO_ATTACH_FILTER", libc::SO_ATTACH_FILTER),
            ("SO_DETACH_FILTER", libc::SO_DETACH_FILTER),
            ("SO_ATTACH_BPF", libc::SO_ATTACH_BPF),
            ("SO_ATTACH_REUSEPORT_CBPF", libc::SO_ATTACH_REUSEPORT_CBPF),
            ("SO_SNDBUF", libc::SO_SNDBUF),
            ("SO_RCVBUF", libc::SO_RCVBUF),
        ] {
            let arguments = [socket, libc::SOL_SOCKET.into(), option.into(), address(&program), 16];
            attack.by_number(name, libc::SYS_setsockopt, arguments);
        }
        let (mut answer, mut length) = ([0u64; 8], 64u32);
        let (answer, length) = (address_mut(&mut answer), address_mut(&mut length));
        let arguments = [socket, libc::SOL_SOCKET.into(), 77, answer, length];
        attack.by_number("SO_PEERPIDFD", libc::SYS_getsockopt, arguments);
    })
    .issue(9)
    .ends(NO_SUCH_OPTION),
    Kind::attack(
        60,
        "writes-disks",
        "the host: calls that wait for its disks, and keep them busy for others",
        |attack| {
            for (name, call) in [
                ("fsync", libc::SYS_fsync),
                ("fdatasync", libc::SYS_fdatasync),
                ("sync_file_range", libc::SYS_sync_file_range),
            ] {
                without_effect(attack, name, raw(call, [-1, 0, 0, 0]));
            }
            without_effect(attack, "msync", raw(libc::SYS_msync, [1, 4096, libc::MS_SYNC.into()]));
        },
    )
    .issue(9)
    .ends(WITHOUT_EFFECT),
    Kind::attack(
        60,
        "empties-the-page-cache",
        "the host: pages of files that others read, moved out of memory",
        |attack| {
            without_effect(attack, "POSIX_FADV_DONTNEED", raw(libc::SYS_fadvise64, [-1, 0, 0, 4]));
            without_effect(attack, "readahead", raw(libc::SYS_readahead, [-1, 0, 4096]));
        },
    )
    .issue(9)
    .ends(WITHOUT_EFFECT),
    Kind::attack(60, "moves-pages-out", "the host: pages of programs that others run, moved out of memory", |attack| {
        let page = (without_effect as *const () as usize & !4095) as i64;
        for (name, advice) in [("MADV_COLD", 20), ("MADV_PAGEOUT", 21), ("MADV_COLLAPSE", 25), ("MADV_MERGEABLE", 12)] {
            attack.by_number(name, libc::SYS_madvise, [page, 4096, advice]);
        }
    })
    .issue(9)
    .ends(MISSING),
];

/// A pair of sockets, which every bot may have.
fn pair(attack: &mut Attack<'_>) -> Option<(UnixStream, UnixStream)> {
    UnixStream::pair().map_err(|error| attack.succeeded("socketpair", error.to_string())).ok()
}

/// Reports a call whose arguments the kernel would refuse: it succeeds only where it does nothing.
fn without_effect(attack: &mut Attack<'_>, name: &str, result: i64) {
    match result {
        0 => attack.stopped(name, 0, EBADF),
        _ => attack.stopped(name, 1, Errno::last()),
    }
}
