//! Attacks on the kernel: calls that no bot needs. The arguments are such that a call which is taken harms nobody: where
//! the kernel would look at them at all it finds them unlawful, and that alone shows that nothing has kept it from them.

use crate::{
    errno::{EACCES, EINVAL, ENOENT, ENOSYS, EPERM, EROFS, Errno},
    kind::{End, Kind},
    tries::{address, address_mut, raw},
};

const REFUSED: &[End] = &[End::Refused(&[EPERM, ENOSYS])];

/// The kinds.
pub const KINDS: &[Kind] = &[
    Kind::tries(31, "sets-the-clock", "the time of the machine", |tries| {
        let now = [0i64; 2];
        // This clock can be set by nobody: only a filter says so by EPERM.
        tries.by_number("clock_settime", libc::SYS_clock_settime, [1, address(&now)]);
        tries.by_number("settimeofday", libc::SYS_settimeofday, [1, 1]);
        let mut nothing = [0u64; 64];
        tries.by_number("clock_adjtime", libc::SYS_clock_adjtime, [0, address_mut(&mut nothing)]);
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(54, "io-uring", "the filter of calls: another way to make them", |tries| {
        let mut settings = [0u32; 30];
        tries.by_number("io_uring_setup", libc::SYS_io_uring_setup, [1, address_mut(&mut settings)]);
        tries.by_number("io_uring_enter", libc::SYS_io_uring_enter, [-1, 0, 0, 0, 0, 0]);
        tries.by_number("io_uring_register", libc::SYS_io_uring_register, [-1, 0, 0, 0]);
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(54, "bpf", "the kernel: programs inside it", |tries| {
        tries.by_number("bpf", libc::SYS_bpf, [0, 0, 0]);
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(54, "perf-events", "the kernel: its counters", |tries| {
        tries.by_number("perf_event_open", libc::SYS_perf_event_open, [0, 0, -1, -1, 0]);
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(54, "userfaultfd", "the kernel: page faults that it waits for", |tries| {
        tries.by_number("userfaultfd", libc::SYS_userfaultfd, [1]);
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(56, "becomes-root", "the user: numbers of others", |tries| {
        // SAFETY: no arguments.
        let us = i64::from(unsafe { libc::getuid() });
        // Who is called 0 inside a namespace of its own is not the root of the machine.
        if us == 0 {
            tries.refused("is 0 already", EPERM);
        } else {
            tries.by_number("setuid", libc::SYS_setuid, [0]);
            tries.by_number("setresuid", libc::SYS_setresuid, [0, 0, 0]);
            tries.by_number("setresgid", libc::SYS_setresgid, [0, 0, 0]);
        }
        let groups = [0u32];
        tries.by_number("setgroups", libc::SYS_setgroups, [1, address(&groups)]);
    })
    .ends(&[End::Refused(&[EPERM, EINVAL])]),
    Kind::tries(
        56,
        "new-privileges",
        "the user: programs that give their own rights to whoever starts them",
        |tries| {
            if raw(libc::SYS_prctl, [libc::PR_GET_NO_NEW_PRIVS.into(), 0, 0, 0, 0]) == 1 {
                tries.refused("no_new_privs", EPERM);
            } else {
                tries.succeeded("no_new_privs", "is not set");
            }
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            for (name, what) in [
                ("CapEff:", "rights"),
                ("CapPrm:", "rights in reserve"),
                ("CapInh:", "rights to pass on"),
                ("CapAmb:", "rights to keep"),
            ] {
                match status
                    .lines()
                    .find_map(|line| line.strip_prefix(name))
                    .map(|set| u64::from_str_radix(set.trim(), 16))
                {
                    Some(Ok(set)) if set != 0 => tries.succeeded(what, format!("{set:x}")),
                    _ => tries.refused(what, EPERM),
                }
            }
        },
    )
    .brief()
    .ends(&[End::Refused(&[EPERM])]),
    Kind::tries(56, "raises-limits", "its own limits", |tries| {
        for (name, limit) in [
            ("RLIMIT_DATA", libc::RLIMIT_DATA),
            ("RLIMIT_AS", libc::RLIMIT_AS),
            ("RLIMIT_FSIZE", libc::RLIMIT_FSIZE),
            ("RLIMIT_NOFILE", libc::RLIMIT_NOFILE),
            ("RLIMIT_CORE", libc::RLIMIT_CORE),
            ("RLIMIT_STACK", libc::RLIMIT_STACK),
            ("RLIMIT_RTPRIO", libc::RLIMIT_RTPRIO),
            ("RLIMIT_MEMLOCK", libc::RLIMIT_MEMLOCK),
        ] {
            let all = [u64::MAX; 2];
            tries.by_number(name, libc::SYS_prlimit64, [0, i64::from(limit), address(&all), 0]);
        }
    })
    .brief()
    .ends(&[End::Refused(&[EPERM])]),
    Kind::tries(57, "namespaces", "the kernel: namespaces of its own", |tries| {
        for (name, flag) in [
            ("user", libc::CLONE_NEWUSER),
            ("mount", libc::CLONE_NEWNS),
            ("net", libc::CLONE_NEWNET),
            ("pid", libc::CLONE_NEWPID),
            ("ipc", libc::CLONE_NEWIPC),
            ("uts", libc::CLONE_NEWUTS),
            ("cgroup", libc::CLONE_NEWCGROUP),
        ] {
            tries.by_number(name, libc::SYS_unshare, [flag.into()]);
        }
        tries.by_number("setns", libc::SYS_setns, [-1, 0]);
    })
    .ends(REFUSED),
    Kind::tries(57, "child-in-a-namespace", "the kernel: a child with namespaces of its own", |tries| {
        let flags = i64::from(libc::CLONE_NEWUSER | libc::SIGCHLD);
        match raw(libc::SYS_clone, [flags, 0, 0, 0, 0]) {
            // SAFETY: ends the child without running anything of the parent's.
            0 => unsafe { libc::_exit(0) },
            -1 => tries.refused("clone", Errno::last()),
            child => tries.succeeded("clone", format!("process {child}")),
        }
    })
    .ends(REFUSED),
    Kind::tries(58, "keyrings", "what outlives a match: keys in the kernel", |tries| {
        let (kind, name) = (c"user", c"agon-hostile");
        let secret = *b"secret";
        tries.by_number("add_key", libc::SYS_add_key, [address(kind), address(name), address(&secret), 6, -2]);
        tries.by_number("request_key", libc::SYS_request_key, [address(kind), address(name), 0, -2]);
        // KEYCTL_GET_KEYRING_ID of the session's.
        tries.by_number("keyctl", libc::SYS_keyctl, [0, -3, 0]);
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(58, "system-v", "what outlives a match: segments, queues and semaphores", |tries| {
        let key = i64::from(tries.facts.canary) + 0x4147_0000;
        let create = i64::from(libc::IPC_CREAT | 0o600);
        tries.by_number("shmget", libc::SYS_shmget, [key, 1 << 20, create]);
        tries.by_number("semget", libc::SYS_semget, [key, 1, create]);
        tries.by_number("msgget", libc::SYS_msgget, [key, create]);
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(58, "message-queues", "what outlives a match: queues with a name", |tries| {
        let flags = i64::from(libc::O_CREAT | libc::O_RDWR);
        tries.by_number("mq_open", libc::SYS_mq_open, [address(c"agon-hostile"), flags, 0o600, 0]);
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(59, "types-into-a-terminal", "the terminal: keys that nobody has pressed", |tries| {
        let key = *b"x";
        for (name, request) in [
            ("TIOCSTI", 0x5412),
            // The kernel looks at 32 bits; a filter that compares 64 would not see it.
            ("TIOCSTI with high bits", 0x0001_0000_0000 | 0x5412),
            ("TIOCLINUX", 0x541c),
            ("TIOCLINUX with high bits", 0x7fff_0000_0000 | 0x541c),
        ] {
            tries.by_number(name, libc::SYS_ioctl, [0, request, address(&key)]);
        }
    })
    .brief()
    .ends(&[End::Refused(&[EPERM])]),
    Kind::tries(60, "mounts", "its view of the files: mounts and roots", |tries| {
        let (nothing, nowhere, kind) = (c"none", c"/nowhere", c"tmpfs");
        tries.by_number("mount", libc::SYS_mount, [address(nothing), address(nowhere), address(kind), 0, 0]);
        tries.by_number("umount", libc::SYS_umount2, [address(c"/tmp"), 0]);
        tries.by_number("chroot", libc::SYS_chroot, [address(c"/")]);
        tries.by_number("pivot_root", libc::SYS_pivot_root, [address(nowhere), address(nowhere)]);
        tries.by_number("open_tree", libc::SYS_open_tree, [-100, address(c"/"), 1]);
        tries.by_number("fsopen", libc::SYS_fsopen, [address(kind), 0]);
        tries.by_number("move_mount", libc::SYS_move_mount, [-1, address(nowhere), -1, address(nowhere), 0]);
        tries.by_number("mount_setattr", libc::SYS_mount_setattr, [-1, address(nowhere), 0, 0, 0]);
    })
    .ends(REFUSED),
    Kind::tries(60, "makes-devices", "the machine: files that stand for its devices", |tries| {
        let path = super::room::c_path(&std::path::Path::new("/tmp").join(&tries.facts.marker));
        let mode = i64::from(libc::S_IFCHR | 0o666);
        tries.by_number("mknod", libc::SYS_mknodat, [-100, address(path.as_c_str()), mode, 0x0103]);
    })
    .brief()
    .ends(&[End::Refused(&[EPERM, EACCES, EROFS, ENOENT])]),
    Kind::tries(60, "opens-by-handle", "its view of the files: handles that need no path", |tries| {
        let mut handle = [8u32, 1, 2, 0];
        let mut mount = 0i32;
        tries.by_number("open_by_handle_at", libc::SYS_open_by_handle_at, [-100, address(&handle), 0]);
        let place = address_mut(&mut handle);
        tries.by_number(
            "name_to_handle_at",
            libc::SYS_name_to_handle_at,
            [-100, address(c"/"), place, address_mut(&mut mount), 0],
        );
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(60, "watches-files", "what others do: every access to a file system", |tries| {
        tries.by_number("fanotify_init", libc::SYS_fanotify_init, [0, 0]);
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(60, "administers", "the machine: modules, another kernel, swap, quotas, its name, its log", |tries| {
        let nowhere = address(c"/nowhere");
        tries.by_number("init_module", libc::SYS_init_module, [0, 0, nowhere]);
        tries.by_number("finit_module", libc::SYS_finit_module, [-1, nowhere, 0]);
        tries.by_number("delete_module", libc::SYS_delete_module, [nowhere, 0]);
        tries.by_number("kexec_load", libc::SYS_kexec_load, [0, 0, 0, -1]);
        tries.by_number("reboot", libc::SYS_reboot, [0, 0, 0, 0]);
        tries.by_number("swapon", libc::SYS_swapon, [nowhere, 0]);
        tries.by_number("swapoff", libc::SYS_swapoff, [nowhere]);
        tries.by_number("quotactl", libc::SYS_quotactl, [0, 0, 0, 0]);
        tries.by_number("acct", libc::SYS_acct, [nowhere]);
        // SYSLOG_ACTION_SIZE_BUFFER.
        tries.by_number("syslog", libc::SYS_syslog, [10, 0, 0]);
        tries.by_number("sethostname", libc::SYS_sethostname, [nowhere, 1 << 20]);
        tries.by_number("setdomainname", libc::SYS_setdomainname, [nowhere, 1 << 20]);
        tries.by_number("vhangup", libc::SYS_vhangup, []);
    })
    .ends(REFUSED),
    Kind::tries(60, "changes-its-nature", "its own process: how the kernel sees it", |tries| {
        // ADDR_NO_RANDOMIZE.
        tries.by_number("personality", libc::SYS_personality, [0x0004_0000]);
        tries.by_number("PR_SET_DUMPABLE", libc::SYS_prctl, [libc::PR_SET_DUMPABLE.into(), 1, 0, 0, 0]);
        tries.by_number("PR_SET_PTRACER", libc::SYS_prctl, [libc::PR_SET_PTRACER.into(), -1, 0, 0, 0]);
        tries.by_number("PR_SET_MM", libc::SYS_prctl, [libc::PR_SET_MM.into(), 1, 0, 0, 0]);
        tries.by_number("seccomp", libc::SYS_seccomp, [99, 0, 0]);
        tries.by_number("landlock", libc::SYS_landlock_restrict_self, [-1, 0]);
        tries.by_number("vmsplice", libc::SYS_vmsplice, [-1, 0, 0, 0]);
        #[cfg(target_arch = "x86_64")]
        {
            tries.by_number("modify_ldt", libc::SYS_modify_ldt, [0, 0, 0]);
            tries.by_number("iopl", libc::SYS_iopl, [3]);
            tries.by_number("ioperm", libc::SYS_ioperm, [0x80, 1, 1]);
        }
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(
        60,
        "uses-up-the-host",
        "the host: what there is a fixed number of, and disks that everybody waits for",
        |tries| {
            let mut context = 0u64;
            tries.by_number("io_setup", libc::SYS_io_setup, [1, address_mut(&mut context)]);
            tries.by_number("inotify_init1", libc::SYS_inotify_init1, [0]);
            tries.by_number("sync", libc::SYS_sync, []);
            tries.by_number("syncfs", libc::SYS_syncfs, [0]);
            // Nobody else on the other half of its core: PR_SCHED_CORE_CREATE for itself.
            tries.by_number("PR_SCHED_CORE", libc::SYS_prctl, [libc::PR_SCHED_CORE.into(), 1, 0, 0, 0]);
        },
    )
    .ends(REFUSED),
    Kind::tries(60, "moves-memory-policy", "the machine: where memory lies", |tries| {
        tries.by_number("mbind", libc::SYS_mbind, [0, 0, 99, 0, 0, 0]);
        tries.by_number("set_mempolicy", libc::SYS_set_mempolicy, [99, 0, 0]);
    })
    .brief()
    .ends(REFUSED),
];
