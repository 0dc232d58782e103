//! What well-known system calls expect, so that random calls get past the first check of their arguments.

use libc::c_long;

/// What an argument of a system call stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Argument {
    /// An open file.
    File,
    /// A folder for relative paths, mostly that of the process.
    Folder,
    /// The address of a path.
    Path,
    /// The address of memory that holds numbers, addresses and zeroes.
    Memory,
    /// The address of a page, for calls that change mappings.
    Page,
    /// The address of a short time.
    Time,
    /// The address of a list of buffers.
    Buffers,
    /// The address of a socket address.
    SocketAddress,
    /// A number of bytes.
    Length,
    /// A set of flags.
    Flags,
    /// A small number, such as an option or a command.
    Small,
    /// The number of a signal.
    Signal,
    /// The number of a process or thread.
    Process,
    /// The number of a user or group.
    User,
    /// Any number.
    Number,
}

use Argument::{
    Buffers, File, Flags, Folder, Length, Memory, Number, Page, Path, Process, Signal, Small, SocketAddress, Time, User,
};

/// A system call and its arguments.
type Signature = (c_long, &'static [Argument]);

/// The calls whose arguments are known.
pub(super) const SIGNATURES: &[Signature] = &[
    // Files.
    (libc::SYS_openat, &[Folder, Path, Flags, Flags]),
    (libc::SYS_openat2, &[Folder, Path, Memory, Length]),
    (libc::SYS_read, &[File, Memory, Length]),
    (libc::SYS_write, &[File, Memory, Length]),
    (libc::SYS_pread64, &[File, Memory, Length, Number]),
    (libc::SYS_pwrite64, &[File, Memory, Length, Number]),
    (libc::SYS_readv, &[File, Buffers, Small]),
    (libc::SYS_writev, &[File, Buffers, Small]),
    (libc::SYS_lseek, &[File, Number, Small]),
    (libc::SYS_ftruncate, &[File, Length]),
    (libc::SYS_truncate, &[Path, Length]),
    (libc::SYS_fallocate, &[File, Flags, Length, Length]),
    (libc::SYS_copy_file_range, &[File, Memory, File, Memory, Length, Flags]),
    (libc::SYS_sendfile, &[File, File, Memory, Length]),
    (libc::SYS_splice, &[File, Memory, File, Memory, Length, Flags]),
    (libc::SYS_tee, &[File, File, Length, Flags]),
    (libc::SYS_vmsplice, &[File, Buffers, Small, Flags]),
    (libc::SYS_close, &[File]),
    (libc::SYS_close_range, &[File, File, Flags]),
    (libc::SYS_dup, &[File]),
    (libc::SYS_dup3, &[File, File, Flags]),
    (libc::SYS_fcntl, &[File, Small, Number]),
    (libc::SYS_fcntl, &[File, Number, Memory]),
    (libc::SYS_ioctl, &[File, Number, Memory]),
    (libc::SYS_flock, &[File, Small]),
    (libc::SYS_statx, &[Folder, Path, Flags, Flags, Memory]),
    (libc::SYS_getdents64, &[File, Memory, Length]),
    (libc::SYS_mkdirat, &[Folder, Path, Flags]),
    (libc::SYS_mknodat, &[Folder, Path, Flags, Number]),
    (libc::SYS_unlinkat, &[Folder, Path, Flags]),
    (libc::SYS_linkat, &[Folder, Path, Folder, Path, Flags]),
    (libc::SYS_symlinkat, &[Path, Folder, Path]),
    (libc::SYS_renameat2, &[Folder, Path, Folder, Path, Flags]),
    (libc::SYS_readlinkat, &[Folder, Path, Memory, Length]),
    (libc::SYS_fchmodat, &[Folder, Path, Flags]),
    (libc::SYS_fchownat, &[Folder, Path, User, User, Flags]),
    (libc::SYS_utimensat, &[Folder, Path, Time, Flags]),
    (libc::SYS_setxattr, &[Path, Path, Memory, Length, Flags]),
    (libc::SYS_chdir, &[Path]),
    (libc::SYS_chroot, &[Path]),
    (libc::SYS_name_to_handle_at, &[Folder, Path, Memory, Memory, Flags]),
    (libc::SYS_open_by_handle_at, &[File, Memory, Flags]),
    (libc::SYS_fsync, &[File]),
    (libc::SYS_fadvise64, &[File, Number, Length, Small]),
    // Descriptors that are no files.
    (libc::SYS_pipe2, &[Memory, Flags]),
    (libc::SYS_eventfd2, &[Small, Flags]),
    (libc::SYS_signalfd4, &[File, Memory, Length, Flags]),
    (libc::SYS_timerfd_create, &[Small, Flags]),
    (libc::SYS_timerfd_settime, &[File, Flags, Time, Memory]),
    (libc::SYS_epoll_create1, &[Flags]),
    (libc::SYS_epoll_ctl, &[File, Small, File, Memory]),
    (libc::SYS_memfd_create, &[Path, Flags]),
    (libc::SYS_userfaultfd, &[Flags]),
    (libc::SYS_inotify_init1, &[Flags]),
    (libc::SYS_inotify_add_watch, &[File, Path, Flags]),
    (libc::SYS_fanotify_init, &[Flags, Flags]),
    (libc::SYS_io_uring_setup, &[Small, Memory]),
    (libc::SYS_io_setup, &[Small, Memory]),
    (libc::SYS_perf_event_open, &[Memory, Process, Small, File, Flags]),
    (libc::SYS_bpf, &[Small, Memory, Length]),
    // Sockets.
    (libc::SYS_socket, &[Small, Small, Small]),
    (libc::SYS_socketpair, &[Small, Small, Small, Memory]),
    (libc::SYS_connect, &[File, SocketAddress, Length]),
    (libc::SYS_bind, &[File, SocketAddress, Length]),
    (libc::SYS_listen, &[File, Small]),
    (libc::SYS_accept4, &[File, Memory, Memory, Flags]),
    (libc::SYS_sendto, &[File, Memory, Length, Flags, SocketAddress, Length]),
    (libc::SYS_recvfrom, &[File, Memory, Length, Flags, Memory, Memory]),
    (libc::SYS_sendmsg, &[File, Memory, Flags]),
    (libc::SYS_recvmsg, &[File, Memory, Flags]),
    (libc::SYS_setsockopt, &[File, Small, Small, Memory, Length]),
    (libc::SYS_getsockopt, &[File, Small, Small, Memory, Memory]),
    (libc::SYS_shutdown, &[File, Small]),
    // Memory.
    (libc::SYS_mmap, &[Page, Length, Small, Flags, File, Number]),
    (libc::SYS_munmap, &[Page, Length]),
    (libc::SYS_mremap, &[Page, Length, Length, Flags, Page]),
    (libc::SYS_mprotect, &[Page, Length, Small]),
    (libc::SYS_pkey_mprotect, &[Page, Length, Small, Small]),
    (libc::SYS_madvise, &[Page, Length, Small]),
    (libc::SYS_msync, &[Page, Length, Small]),
    (libc::SYS_mlock2, &[Page, Length, Flags]),
    (libc::SYS_mincore, &[Page, Length, Memory]),
    (libc::SYS_mbind, &[Page, Length, Small, Memory, Length, Flags]),
    (libc::SYS_remap_file_pages, &[Page, Length, Small, Length, Flags]),
    (libc::SYS_membarrier, &[Flags, Flags]),
    (libc::SYS_process_vm_readv, &[Process, Buffers, Small, Buffers, Small, Flags]),
    (libc::SYS_process_vm_writev, &[Process, Buffers, Small, Buffers, Small, Flags]),
    (libc::SYS_shmget, &[Number, Length, Flags]),
    (libc::SYS_semget, &[Number, Small, Flags]),
    (libc::SYS_msgget, &[Number, Flags]),
    (libc::SYS_mq_open, &[Path, Flags, Flags, Memory]),
    // Processes, threads and signals.
    (libc::SYS_clone, &[Flags, Memory, Memory, Memory, Number]),
    (libc::SYS_clone3, &[Memory, Length]),
    (libc::SYS_execveat, &[Folder, Path, Memory, Memory, Flags]),
    (libc::SYS_wait4, &[Process, Memory, Flags, Memory]),
    (libc::SYS_waitid, &[Small, Process, Memory, Flags, Memory]),
    (libc::SYS_kill, &[Process, Signal]),
    (libc::SYS_tkill, &[Process, Signal]),
    (libc::SYS_tgkill, &[Process, Process, Signal]),
    (libc::SYS_rt_sigqueueinfo, &[Process, Signal, Memory]),
    (libc::SYS_pidfd_open, &[Process, Flags]),
    (libc::SYS_pidfd_send_signal, &[File, Signal, Memory, Flags]),
    (libc::SYS_pidfd_getfd, &[File, File, Flags]),
    (libc::SYS_ptrace, &[Small, Process, Memory, Memory]),
    (libc::SYS_kcmp, &[Process, Process, Small, File, File]),
    (libc::SYS_prctl, &[Small, Number, Memory, Number, Number]),
    (libc::SYS_prctl, &[Number, Number, Number, Number, Number]),
    (libc::SYS_seccomp, &[Small, Flags, Memory]),
    (libc::SYS_landlock_create_ruleset, &[Memory, Length, Flags]),
    (libc::SYS_setpgid, &[Process, Process]),
    (libc::SYS_setsid, &[]),
    (libc::SYS_sched_setaffinity, &[Process, Length, Memory]),
    (libc::SYS_sched_setscheduler, &[Process, Small, Memory]),
    (libc::SYS_sched_setattr, &[Process, Memory, Flags]),
    (libc::SYS_setpriority, &[Small, Process, Number]),
    (libc::SYS_ioprio_set, &[Small, Process, Number]),
    (libc::SYS_prlimit64, &[Process, Small, Memory, Memory]),
    (libc::SYS_unshare, &[Flags]),
    (libc::SYS_setns, &[File, Flags]),
    (libc::SYS_setresuid, &[User, User, User]),
    (libc::SYS_setresgid, &[User, User, User]),
    (libc::SYS_setgroups, &[Small, Memory]),
    (libc::SYS_capset, &[Memory, Memory]),
    (libc::SYS_personality, &[Flags]),
    // Time and waiting.
    (libc::SYS_futex, &[Memory, Flags, Small, Time, Memory, Number]),
    (libc::SYS_nanosleep, &[Time, Memory]),
    (libc::SYS_ppoll, &[Memory, Small, Time, Memory, Length]),
    (libc::SYS_pselect6, &[Small, Memory, Memory, Memory, Time, Memory]),
    (libc::SYS_epoll_pwait2, &[File, Memory, Small, Time, Memory, Length]),
    (libc::SYS_timer_create, &[Small, Memory, Memory]),
    (libc::SYS_clock_settime, &[Small, Time]),
    (libc::SYS_clock_adjtime, &[Small, Memory]),
    // The host.
    (libc::SYS_mount, &[Path, Path, Path, Flags, Memory]),
    (libc::SYS_umount2, &[Path, Flags]),
    (libc::SYS_open_tree, &[Folder, Path, Flags]),
    (libc::SYS_move_mount, &[Folder, Path, Folder, Path, Flags]),
    (libc::SYS_fsopen, &[Path, Flags]),
    (libc::SYS_sethostname, &[Path, Small]),
    (libc::SYS_add_key, &[Path, Path, Memory, Length, Number]),
    (libc::SYS_request_key, &[Path, Path, Path, Number]),
    (libc::SYS_keyctl, &[Small, Number, Memory, Number, Number]),
    (libc::SYS_syslog, &[Small, Memory, Length]),
    (libc::SYS_quotactl, &[Number, Path, User, Memory]),
    (libc::SYS_acct, &[Path]),
    (libc::SYS_swapon, &[Path, Flags]),
];

/// The calls after which a process runs twice. What runs anew must end at once: it may share the stack of its parent.
pub(super) const FORKING: &[c_long] = &[
    libc::SYS_clone,
    libc::SYS_clone3,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
];

/// The calls that end the process whatever their arguments are. They are made rarely.
pub(super) const FATAL: &[c_long] = &[
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_rt_sigreturn,
    // `uretprobe` and `uprobe`, which only code of the kernel's may call and which no filter sees.
    #[cfg(target_arch = "x86_64")]
    335,
    #[cfg(target_arch = "x86_64")]
    336,
];
