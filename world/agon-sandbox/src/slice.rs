//! Asks the system to run a thread soon after it wakes.

/// Asks that this thread runs at once whenever it wakes, before all threads without such a priority. Only root and users with
/// a limit `rtprio` may do that. Returns whether it was granted. Programs that this thread starts do not inherit it.
#[cfg(target_os = "linux")]
pub(crate) fn ask_for_real_time() -> bool {
    // The kernel's `struct sched_param` is the priority alone. The function of musl for this call does nothing.
    let lowest: libc::c_int = 1;
    let policy = libc::SCHED_RR | libc::SCHED_RESET_ON_FORK;
    // SAFETY: the parameter outlives the call, which changes no memory of ours. 0 is this thread.
    unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const lowest) == 0 }
}

/// Asks for short time slices for this thread. The scheduler runs the thread first whose slice would end first, so short
/// slices are early ones. With the usual slice, a referee that wakes waits behind the threads of a bot that has many, for a
/// tenth of a second and more.
///
/// Linux before 6.12 ignores the request. The referee then wakes later, which is charged to nobody.
pub fn ask_for_short_slices() {
    #[cfg(target_os = "linux")]
    {
        /// The shortest that the kernel grants, in nanoseconds.
        const SLICE: u64 = 100_000;
        /// Programs that this thread starts get the usual slice.
        const RESET_ON_FORK: u64 = 1;
        // `struct sched_attr` in its first version. For the policies that divide the time fairly, the runtime is the slice.
        #[repr(C)]
        struct Attributes {
            size: u32,
            policy: u32,
            flags: u64,
            nice: i32,
            priority: u32,
            runtime: u64,
            deadline: u64,
            period: u64,
        }
        // SAFETY: the call has no pointers. 0 is this thread.
        let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) } as libc::c_int;
        // The user may have chosen another fair policy, for example with `chrt --batch`. A real-time thread needs no slice.
        if ![libc::SCHED_OTHER, libc::SCHED_BATCH, libc::SCHED_IDLE].contains(&policy) {
            return;
        }
        let nice = rustix::process::getpriority_process(None).unwrap_or(0);
        let wanted = Attributes {
            size: size_of::<Attributes>() as u32,
            policy: policy.cast_unsigned(),
            flags: RESET_ON_FORK,
            nice,
            priority: 0,
            runtime: SLICE,
            deadline: 0,
            period: 0,
        };
        // SAFETY: the structure is as long as it says and outlives the call, which changes no memory of ours.
        let _ = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const wanted, 0) };
    }
}
