//! Attacks on the kernel: system calls that no bot needs. Their arguments are harmless. If a call reaches the kernel,
//! it fails with an error that no filter returns. Such an error shows that nothing has blocked the call.

use crate::{
    attack::{address, address_mut, raw},
    errno::{EACCES, EINVAL, ENOENT, ENOSYS, EPERM, EROFS, Errno},
    kind::{End, Kind},
};

const REFUSED: &[End] = &[End::Refused(&[EPERM, ENOSYS])];

pub const KINDS: &[Kind] = &[
    Kind::attack(31, "sets-the-clock", "the system clock", |attack| {
        let now = [0i64; 2];
        // No process can set this clock, so EPERM can only come from a filter.
        attack.by_number("clock_settime", libc::SYS_clock_settime, [1, address(&now)]);
        attack.by_number("settimeofday", libc::SYS_settimeofday, [1, 1]);
        let mut nothing = [0u64; 64];
        attack.by_number("clock_adjtime", libc::SYS_clock_adjtime, [0, address_mut(&mut nothing)]);
    })
    .ends(REFUSED),
    Kind::attack(54, "io-uring", "the system call filter: another way to make calls", |attack| {
        let mut settings = [0u32; 30];
        attack.by_number("io_uring_setup", libc::SYS_io_uring_setup, [1, address_mut(&mut settings)]);
        attack.by_number("io_uring_enter", libc::SYS_io_uring_enter, [-1, 0, 0, 0, 0, 0]);
        attack.by_number("io_uring_register", libc::SYS_io_uring_register, [-1, 0, 0, 0]);
    })
    .ends(REFUSED),
    Kind::attack(54, "bpf", "the kernel: BPF programs", |attack| {
        attack.by_number("bpf", libc::SYS_bpf, [0, 0, 0]);
    })
    .ends(REFUSED),
    Kind::attack(54, "perf-events", "the kernel: performance counters", |attack| {
        attack.by_number("perf_event_open", libc::SYS_perf_event_open, [0, 0, -1, -1, 0]);
    })
    .ends(REFUSED),
    Kind::attack(54, "userfaultfd", "the kernel: page faults handled by the bot", |attack| {
        attack.by_number("userfaultfd", libc::SYS_userfaultfd, [1]);
    })
    .ends(REFUSED),
    Kind::attack(56, "becomes-root", "privileges: the user and group numbers of others", |attack| {
        // SAFETY: no arguments.
        let us = i64::from(unsafe { libc::getuid() });
        // User 0 inside a user namespace is not the root of the machine.
        if us == 0 {
            attack.refused("is 0 already", EPERM);
        } else {
            attack.by_number("setuid", libc::SYS_setuid, [0]);
            attack.by_number("setresuid", libc::SYS_setresuid, [0, 0, 0]);
            attack.by_number("setresgid", libc::SYS_setresgid, [0, 0, 0]);
        }
        let groups = [0u32];
        attack.by_number("setgroups", libc::SYS_setgroups, [1, address(&groups)]);
    })
    .ends(&[End::Refused(&[EPERM, EINVAL])]),
    Kind::attack(56, "new-privileges", "privileges: set-user-ID programs and capabilities", |attack| {
        if raw(libc::SYS_prctl, [libc::PR_GET_NO_NEW_PRIVS.into(), 0, 0, 0, 0]) == 1 {
            attack.refused("no_new_privs", EPERM);
        } else {
            attack.succeeded("no_new_privs", "is not set");
        }
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        for (name, what) in [
            ("CapEff:", "rights"),
            ("CapPrm:", "rights in reserve"),
            ("CapInh:", "rights to pass on"),
            ("CapAmb:", "rights to keep"),
        ] {
            match status.lines().find_map(|line| line.strip_prefix(name)).map(|set| u64::from_str_radix(set.trim(), 16))
            {
                Some(Ok(set)) if set != 0 => attack.succeeded(what, format!("{set:x}")),
                _ => attack.refused(what, EPERM),
            }
        }
    })
    .ends(&[End::Refused(&[EPERM])]),
    Kind::attack(56, "raises-limits", "its own resource limits", |attack| {
        for (name, limit) in [
            ("RLIMIT_DATA", libc::RLIMIT_DATA),
            ("RLIMIT_AS", libc::RLIMIT_AS),
            ("RLIMIT_FSIZE", libc::RLIMIT_FSIZE),
            ("RLIMIT_NOFILE", libc::RLIMIT_NOFILE),
            ("RLIMIT_STACK", libc::RLIMIT_STACK),
            ("RLIMIT_RTPRIO", libc::RLIMIT_RTPRIO),
            ("RLIMIT_MEMLOCK", libc::RLIMIT_MEMLOCK),
        ] {
            let all = [u64::MAX; 2];
            attack.by_number(name, libc::SYS_prlimit64, [0, i64::from(limit), address(&all), 0]);
        }
    })
    .ends(&[End::Refused(&[EPERM])]),
    Kind::attack(57, "namespaces", "the kernel: namespaces of its own", |attack| {
        for (name, flag) in [
            ("user", libc::CLONE_NEWUSER),
            ("mount", libc::CLONE_NEWNS),
            ("net", libc::CLONE_NEWNET),
            ("pid", libc::CLONE_NEWPID),
            ("ipc", libc::CLONE_NEWIPC),
            ("uts", libc::CLONE_NEWUTS),
            ("cgroup", libc::CLONE_NEWCGROUP),
        ] {
            attack.by_number(name, libc::SYS_unshare, [flag.into()]);
        }
        attack.by_number("setns", libc::SYS_setns, [-1, 0]);
    })
    .ends(REFUSED),
    Kind::attack(57, "child-in-a-namespace", "the kernel: a child with namespaces of its own", |attack| {
        let flags = i64::from(libc::CLONE_NEWUSER | libc::SIGCHLD);
        match raw(libc::SYS_clone, [flags, 0, 0, 0, 0]) {
            // SAFETY: ends the child without running anything of the parent's.
            0 => unsafe { libc::_exit(0) },
            -1 => attack.refused("clone", Errno::last()),
            child => attack.succeeded("clone", format!("process {child}")),
        }
    })
    .ends(REFUSED),
    Kind::attack(58, "keyrings", "what outlives a match: keys in the kernel", |attack| {
        let (kind, name) = (c"user", c"agon-hostile");
        let secret = *b"secret";
        attack.by_number("add_key", libc::SYS_add_key, [address(kind), address(name), address(&secret), 6, -2]);
        attack.by_number("request_key", libc::SYS_request_key, [address(kind), address(name), 0, -2]);
        // KEYCTL_GET_KEYRING_ID of the session keyring.
        attack.by_number("keyctl", libc::SYS_keyctl, [0, -3, 0]);
    })
    .ends(REFUSED),
    Kind::attack(58, "system-v", "what outlives a match: segments, queues and semaphores of System V", |attack| {
        let key = i64::from(attack.facts.victim) + 0x4147_0000;
        let create = i64::from(libc::IPC_CREAT | 0o600);
        attack.by_number("shmget", libc::SYS_shmget, [key, 1 << 20, create]);
        attack.by_number("semget", libc::SYS_semget, [key, 1, create]);
        attack.by_number("msgget", libc::SYS_msgget, [key, create]);
    })
    .ends(REFUSED),
    Kind::attack(58, "message-queues", "what outlives a match: POSIX message queues", |attack| {
        let flags = i64::from(libc::O_CREAT | libc::O_RDWR);
        attack.by_number("mq_open", libc::SYS_mq_open, [address(c"agon-hostile"), flags, 0o600, 0]);
    })
    .ends(REFUSED),
    Kind::attack(59, "types-into-a-terminal", "the terminal: simulated keystrokes", |attack| {
        let key = *b"x";
        for (name, request) in [
            ("TIOCSTI", 0x5412),
            // The kernel uses 32 bits; a filter that compares 64 bits would miss it.
            ("TIOCSTI with high bits", 0x0001_0000_0000 | 0x5412),
            ("TIOCLINUX", 0x541c),
            ("TIOCLINUX with high bits", 0x7fff_0000_0000 | 0x541c),
        ] {
            attack.by_number(name, libc::SYS_ioctl, [0, request, address(&key)]);
        }
    })
    .ends(&[End::Refused(&[EPERM])]),
    Kind::attack(60, "mounts", "its view of the file system: mounts and roots", |attack| {
        let (nothing, nowhere, kind) = (c"none", c"/nowhere", c"tmpfs");
        attack.by_number("mount", libc::SYS_mount, [address(nothing), address(nowhere), address(kind), 0, 0]);
        attack.by_number("umount", libc::SYS_umount2, [address(c"/tmp"), 0]);
        attack.by_number("chroot", libc::SYS_chroot, [address(c"/")]);
        attack.by_number("pivot_root", libc::SYS_pivot_root, [address(nowhere), address(nowhere)]);
        attack.by_number("open_tree", libc::SYS_open_tree, [-100, address(c"/"), 1]);
        attack.by_number("fsopen", libc::SYS_fsopen, [address(kind), 0]);
        attack.by_number("move_mount", libc::SYS_move_mount, [-1, address(nowhere), -1, address(nowhere), 0]);
        attack.by_number("mount_setattr", libc::SYS_mount_setattr, [-1, address(nowhere), 0, 0, 0]);
    })
    .ends(REFUSED),
    Kind::attack(60, "makes-devices", "the machine: device files that it creates", |attack| {
        let path = super::storage::c_path(&std::path::Path::new("/tmp").join(&attack.facts.marker));
        let mode = i64::from(libc::S_IFCHR | 0o666);
        attack.by_number("mknod", libc::SYS_mknodat, [-100, address(path.as_c_str()), mode, 0x0103]);
    })
    .ends(&[End::Refused(&[EPERM, EACCES, EROFS, ENOENT])]),
    Kind::attack(60, "opens-by-handle", "its view of the file system: file handles without a path", |attack| {
        let mut handle = [8u32, 1, 2, 0];
        let mut mount = 0i32;
        attack.by_number("open_by_handle_at", libc::SYS_open_by_handle_at, [-100, address(&handle), 0]);
        let place = address_mut(&mut handle);
        attack.by_number(
            "name_to_handle_at",
            libc::SYS_name_to_handle_at,
            [-100, address(c"/"), place, address_mut(&mut mount), 0],
        );
    })
    .ends(REFUSED),
    Kind::attack(60, "watches-files", "secrets: all accesses to a file system", |attack| {
        attack.by_number("fanotify_init", libc::SYS_fanotify_init, [0, 0]);
    })
    .ends(REFUSED),
    Kind::attack(
        60,
        "administers-the-machine",
        "the machine: kernel modules, kexec, swap, quotas, host name, kernel log",
        |attack| {
            let nowhere = address(c"/nowhere");
            attack.by_number("init_module", libc::SYS_init_module, [0, 0, nowhere]);
            attack.by_number("finit_module", libc::SYS_finit_module, [-1, nowhere, 0]);
            attack.by_number("delete_module", libc::SYS_delete_module, [nowhere, 0]);
            attack.by_number("kexec_load", libc::SYS_kexec_load, [0, 0, 0, -1]);
            attack.by_number("reboot", libc::SYS_reboot, [0, 0, 0, 0]);
            attack.by_number("swapon", libc::SYS_swapon, [nowhere, 0]);
            attack.by_number("swapoff", libc::SYS_swapoff, [nowhere]);
            attack.by_number("quotactl", libc::SYS_quotactl, [0, 0, 0, 0]);
            attack.by_number("acct", libc::SYS_acct, [nowhere]);
            // SYSLOG_ACTION_SIZE_BUFFER.
            attack.by_number("syslog", libc::SYS_syslog, [10, 0, 0]);
            attack.by_number("sethostname", libc::SYS_sethostname, [nowhere, 1 << 20]);
            attack.by_number("setdomainname", libc::SYS_setdomainname, [nowhere, 1 << 20]);
            attack.by_number("vhangup", libc::SYS_vhangup, []);
        },
    )
    .ends(REFUSED),
    Kind::attack(60, "changes-process-attributes", "its own process: attributes in the kernel", |attack| {
        // ADDR_NO_RANDOMIZE.
        attack.by_number("personality", libc::SYS_personality, [0x0004_0000]);
        attack.by_number("PR_SET_DUMPABLE", libc::SYS_prctl, [libc::PR_SET_DUMPABLE.into(), 1, 0, 0, 0]);
        attack.by_number("PR_SET_PTRACER", libc::SYS_prctl, [libc::PR_SET_PTRACER.into(), -1, 0, 0, 0]);
        attack.by_number("PR_SET_MM", libc::SYS_prctl, [libc::PR_SET_MM.into(), 1, 0, 0, 0]);
        attack.by_number("seccomp", libc::SYS_seccomp, [99, 0, 0]);
        attack.by_number("landlock", libc::SYS_landlock_restrict_self, [-1, 0]);
        attack.by_number("vmsplice", libc::SYS_vmsplice, [-1, 0, 0, 0]);
        #[cfg(target_arch = "x86_64")]
        {
            attack.by_number("modify_ldt", libc::SYS_modify_ldt, [0, 0, 0]);
            attack.by_number("iopl", libc::SYS_iopl, [3]);
            attack.by_number("ioperm", libc::SYS_ioperm, [0x80, 1, 1]);
        }
    })
    .ends(REFUSED),
    Kind::attack(
        60,
        "exhausts-kernel-resources",
        "the host: kernel objects with a fixed limit, and slow disk operations",
        |attack| {
            let mut context = 0u64;
            attack.by_number("io_setup", libc::SYS_io_setup, [1, address_mut(&mut context)]);
            attack.by_number("inotify_init1", libc::SYS_inotify_init1, [0]);
            attack.by_number("sync", libc::SYS_sync, []);
            attack.by_number("syncfs", libc::SYS_syncfs, [0]);
            // PR_SCHED_CORE_CREATE: keeps all others off the second hardware thread of its core.
            attack.by_number("PR_SCHED_CORE", libc::SYS_prctl, [libc::PR_SCHED_CORE.into(), 1, 0, 0, 0]);
        },
    )
    .ends(REFUSED),
    Kind::attack(60, "sets-memory-policy", "the machine: NUMA policy of memory", |attack| {
        attack.by_number("mbind", libc::SYS_mbind, [0, 0, 99, 0, 0, 0]);
        attack.by_number("set_mempolicy", libc::SYS_set_mempolicy, [99, 0, 0]);
    })
    .ends(REFUSED),
];
