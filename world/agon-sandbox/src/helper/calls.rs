//! The lists of system calls, requests and options that are refused, with the reasons. `seccomp` makes the filter of
//! them.

use super::{bpf::Condition, seccomp::FilterOptions};
use libc::c_long;

/// Returns the calls that are refused with any arguments.
pub(super) fn unconditional(how: FilterOptions) -> Vec<c_long> {
    let mut calls = [ALWAYS, HERE].concat();
    if !how.children {
        calls.extend(FORKS);
    }
    // Descriptors in transit do not count as open. The kernel bounds their number for each user, and bots may share one.
    let is_bot_of_shared_user = how.stay_in_group && how.stay_in_session;
    if !how.children || is_bot_of_shared_user {
        calls.extend([libc::SYS_sendmsg, libc::SYS_sendmmsg]);
    }
    if !how.signals_scoped {
        // `tkill` takes only the ID of a thread, and a filter cannot tell to which process the thread belongs.
        calls.push(libc::SYS_tkill);
    }
    if how.among_hosts_files {
        calls.extend([ABOUT_FILES, ABOUT_FILES_HERE].concat());
    }
    if how.stay_in_group {
        calls.push(libc::SYS_setpgid);
    }
    if how.stay_in_group || how.stay_in_session {
        calls.push(libc::SYS_setsid);
    }
    calls
}

/// Returns the calls that are refused if all of the conditions hold.
pub(super) fn conditional(how: FilterOptions) -> Vec<(c_long, Vec<Condition>)> {
    let own_pid = how.own_pid.cast_signed();
    let mut rules: Vec<(c_long, Vec<Condition>)> = Vec::new();
    let mut add = |call: c_long, conditions: &[Condition]| rules.push((call, conditions.to_vec()));

    // With the last flag the new process would be a child of the referee.
    add(libc::SYS_clone, &[Condition::has_any(0, NEW_NAMESPACES | libc::CLONE_PARENT)]);
    // A thread with its own table of descriptors would have its own limit, and with it more pipes and sockets.
    let own_table = libc::CLONE_THREAD | libc::CLONE_FILES;
    add(libc::SYS_clone, &[Condition::masked(0, own_table, libc::CLONE_THREAD)]);
    // Huge pages stay off where they are.
    add(libc::SYS_prctl, &[Condition::is(0, libc::PR_SET_THP_DISABLE), Condition::is(1, 0)]);
    // A bot that is stopped outside its turn stays stopped, also by the end of a child.
    add(libc::SYS_clone, &[Condition::masked(0, EXIT_SIGNAL, libc::SIGCONT)]);
    for (call, signal) in SIGNALLING {
        add(*call, &[Condition::is(*signal, libc::SIGCONT)]);
    }
    // The kernel merges such pages with equal pages of other processes. The time of a write would reveal their
    // contents.
    add(libc::SYS_madvise, &[Condition::is(2, libc::MADV_MERGEABLE)]);
    // A Unix socket pair is allowed: it acts as a pair of pipes, and Python's event loop needs it.
    add(libc::SYS_socketpair, &[Condition::is_not(0, libc::AF_UNIX)]);
    // A datagram socket could send to any socket that has a name.
    for letters in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
        add(libc::SYS_socketpair, &[Condition::masked(1, 0xf, letters)]);
    }
    // The buffers of a pair are memory of the kernel that no limit counts. They keep their default size.
    for option in [libc::SO_SNDBUF, libc::SO_SNDBUFFORCE] {
        add(libc::SYS_setsockopt, &[Condition::is(1, libc::SOL_SOCKET), Condition::is(2, option)]);
    }
    // Only 32 bits are compared, because the kernel ignores the others.
    for request in IOCTLS {
        add(libc::SYS_ioctl, &[Condition::is(1, *request)]);
    }
    for command in FCNTLS {
        add(libc::SYS_fcntl, &[Condition::is(1, *command)]);
    }
    for option in PRCTLS {
        add(libc::SYS_prctl, &[Condition::is(0, *option)]);
    }
    // Only the usual policy is allowed, for any thread. Others could be real-time policies, or make other processes
    // idle.
    add(libc::SYS_sched_setscheduler, &[Condition::is_not(1, libc::SCHED_OTHER)]);
    // Reading the present value is allowed.
    add(libc::SYS_personality, &[Condition::is_not(0, -1)]);
    add(libc::SYS_prlimit64, &[Condition::is_not(0, 0), Condition::is_not(0, own_pid)]);
    // Memory that the limit on data does not count.
    let shared_nobody = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
    add(libc::SYS_mmap, &[Condition::has_any(3, libc::MAP_GROWSDOWN | libc::MAP_HUGETLB)]);
    add(libc::SYS_mmap, &[Condition::has(3, shared_nobody)]);
    if !how.children {
        add(libc::SYS_clone, &[Condition::lacks(0, libc::CLONE_THREAD)]);
    }
    // With children a signal must reach them; then a namespace or Landlock keeps it from everybody else.
    if how.children && how.signals_scoped {
        // Only the referee may tell the first process of the namespace to stop or to go on.
        for call in [libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo] {
            add(call, &[Condition::is(0, 1)]);
        }
    } else {
        for call in [libc::SYS_kill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo] {
            add(call, &[Condition::is_not(0, own_pid)]);
        }
    }
    if how.stay_in_group {
        // Without a namespace, the numbers of all processes of the host are there. Their clocks and sessions would tell when the
        // opponent computes, and which processes run. The clock of a thread answers only within its process.
        for call in [libc::SYS_clock_gettime, libc::SYS_clock_getres, libc::SYS_clock_nanosleep] {
            let mut foreign = vec![Condition::masked(0, i32::MIN | PER_THREAD, i32::MIN)];
            for process in [0, own_pid] {
                foreign.extend((0..4).map(|kind| Condition::is_not(0, !process << 3 | kind)));
            }
            add(call, &foreign);
        }
        for call in [libc::SYS_getsid, libc::SYS_getpgid] {
            add(call, &[Condition::is_not(0, 0), Condition::is_not(0, own_pid)]);
        }
    }
    if how.among_hosts_files {
        for (call, flags) in OPENING {
            // These flags empty a file that is opened only for reading. Older versions of Landlock do not check that.
            add(*call, &[Condition::masked(*flags, libc::O_ACCMODE | libc::O_TRUNC, libc::O_TRUNC)]);
        }
        for kind in IOCTLS_OF_FILES {
            add(libc::SYS_ioctl, &[Condition::masked(1, 0xff00, i32::from(*kind) << 8)]);
        }
    }
    rules
}

/// Calls that are refused with any arguments.
const ALWAYS: &[c_long] = &[
    // The network, including connections to the program itself.
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_kcmp,
    // Views of the system.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    457, // statmount
    458, // listmount
    451, // cachestat
    // Ways into the kernel that few programs need.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_seccomp,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_restrict_self,
    460, // lsm_set_self_attr
    // The machine itself.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    // The priority and the cores of a process.
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    // Memory that no limit counts, and pages of other processes.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmdt,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_mq_notify,
    libc::SYS_memfd_secret,
    libc::SYS_mlock,
    libc::SYS_mlock2,
    libc::SYS_mlockall,
    libc::SYS_mbind,
    libc::SYS_set_mempolicy,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_remap_file_pages,
    libc::SYS_set_mempolicy_home_node,
    libc::SYS_vmsplice,
    // Things of which the host, or all programs of a user, have a fixed number: one bot could use up all of them.
    libc::SYS_io_setup,
    libc::SYS_inotify_init1,
    // These calls keep the disks of the host busy, and every program that writes has to wait.
    libc::SYS_sync,
    libc::SYS_syncfs,
    // A timer can send SIGCONT: a bot that is frozen while others play would continue.
    libc::SYS_timer_create,
];

/// Calls of this architecture alone that are refused with any arguments.
#[cfg(target_arch = "x86_64")]
const HERE: &[c_long] = &[
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_kexec_file_load,
    libc::SYS_inotify_init,
    libc::SYS_uselib,
];
#[cfg(target_arch = "aarch64")]
const HERE: &[c_long] = &[294]; // kexec_file_load
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const HERE: &[c_long] = &[];

#[cfg(target_arch = "x86_64")]
pub(super) const FORKS: &[c_long] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const FORKS: &[c_long] = &[];

/// What sends signals, and which argument is the signal.
const SIGNALLING: &[(c_long, u8)] = &[
    (libc::SYS_kill, 1),
    (libc::SYS_tkill, 1),
    (libc::SYS_tgkill, 2),
    (libc::SYS_rt_sigqueueinfo, 1),
    (libc::SYS_rt_tgsigqueueinfo, 2),
];

/// The bit in the number of a CPU clock that says that the clock is that of a thread. The bits above it are the inverted ID.
const PER_THREAD: i32 = 4;

/// The bits of the flags of `clone` that are the signal which the parent gets at the end of the child.
const EXIT_SIGNAL: i32 = 0xff;

/// The flags of `clone` that make namespaces.
const NEW_NAMESPACES: i32 = libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET;

/// Calls that change a file without opening it for writing, and calls that report changes of files.
const ABOUT_FILES: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    452, // fchmodat2
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_truncate,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_inotify_add_watch,
];

#[cfg(target_arch = "x86_64")]
const ABOUT_FILES_HERE: &[c_long] =
    &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
const ABOUT_FILES_HERE: &[c_long] = &[];

/// Calls that open files, each with the index of the argument that has the flags.
#[cfg(target_arch = "x86_64")]
pub(super) const OPENING: &[(c_long, u8)] = &[(libc::SYS_openat, 2), (libc::SYS_open, 1)];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const OPENING: &[(c_long, u8)] = &[(libc::SYS_openat, 2)];

/// The groups of `ioctl` requests with which file systems change attributes, volumes and snapshots through a file that
/// is open for reading.
const IOCTLS_OF_FILES: &[u8] = &[b'f', b'v', b'X', 0x94 /* btrfs */];

/// `ioctl` requests that type into a terminal, or let a descriptor send signals.
const IOCTLS: &[i32] =
    &[libc::TIOCSTI as i32, 0x541c /* TIOCLINUX */, 0x8901 /* FIOSETOWN */, 0x8902 /* SIOCSPGRP */];

/// `fcntl` commands. A descriptor that sends signals could wake a frozen bot, and a large pipe is memory that no limit
/// counts.
const FCNTLS: &[i32] = &[
    10, // F_SETSIG
    libc::F_SETOWN,
    15, // F_SETOWN_EX
    libc::F_SETLEASE,
    libc::F_NOTIFY,
    libc::F_SETPIPE_SZ,
];

/// `prctl` options that are refused.
const PRCTLS: &[i32] = &[
    libc::PR_SET_PDEATHSIG,
    libc::PR_SET_DUMPABLE,
    libc::PR_SET_SECCOMP,
    libc::PR_SET_MM,
    libc::PR_SET_PTRACER,
    libc::PR_SCHED_CORE, // would keep other programs off the other half of its core
];
