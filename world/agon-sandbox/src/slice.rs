//! Asks the system to run a thread soon after it wakes.

use std::marker::PhantomData;

/// How a thread is scheduled: `struct sched_attr` in its first version. For the policies that divide the time fairly, the
/// runtime is the slice.
#[cfg(target_os = "linux")]
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
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

#[cfg(target_os = "linux")]
impl Attributes {
    /// Those of this thread.
    fn now() -> Option<Self> {
        let mut now = Self::default();
        let size = size_of::<Self>();
        // SAFETY: the structure is as long as the call is told, and outlives it. 0 is this thread.
        let done = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut now, size, 0) };
        (done == 0).then_some(now)
    }

    /// Whether the policy divides the time fairly. The user may have chosen another one of these, for example with
    /// `chrt --batch`. A real-time thread needs no help.
    fn is_fair(&self) -> bool {
        [libc::SCHED_OTHER, libc::SCHED_BATCH, libc::SCHED_IDLE].contains(&self.policy.cast_signed())
    }

    /// Gives them to this thread. The system may refuse, and then nothing changes.
    fn set(&self) {
        // SAFETY: the structure is as long as it says and outlives the call, which changes no memory of ours.
        let _ = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, std::ptr::from_ref(self), 0) };
    }
}

/// Programs that this thread starts are scheduled as usual.
#[cfg(target_os = "linux")]
const RESET_ON_FORK: u64 = 1;

/// While this value lives, its thread runs at once whenever it wakes, before all threads without such a priority. The thread must
/// not compute for long.
#[derive(Debug)]
pub struct AtOnce {
    #[cfg(target_os = "linux")]
    before: Attributes,
    /// It belongs to its thread.
    _thread: PhantomData<*const ()>,
}

impl AtOnce {
    /// Asks for it, for this thread. `None` if the system refuses: only root and users with a limit `rtprio` may have it.
    #[must_use]
    pub fn ask() -> Option<Self> {
        #[cfg(target_os = "linux")]
        {
            let mut before = Attributes::now().filter(Attributes::is_fair)?;
            // An ordinary user may not take this back.
            before.flags |= RESET_ON_FORK;
            ask_for_real_time().then_some(Self { before, _thread: PhantomData })
        }
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// Whether this thread would be granted it, or has a real-time priority anyway.
    #[must_use]
    pub fn is_granted() -> bool {
        #[cfg(target_os = "linux")]
        return is_real_time() || Self::ask().is_some();
        #[cfg(not(target_os = "linux"))]
        false
    }
}

#[cfg(target_os = "linux")]
impl Drop for AtOnce {
    fn drop(&mut self) {
        self.before.set();
    }
}

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

/// Whether this thread runs at once whenever it wakes.
#[cfg(target_os = "linux")]
pub(crate) fn is_real_time() -> bool {
    Attributes::now().is_some_and(|now| !now.is_fair())
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
        let Some(now) = Attributes::now().filter(Attributes::is_fair) else { return };
        Attributes { runtime: SLICE, flags: RESET_ON_FORK, ..now }.set();
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_scheduled_as_before_when_its_hurry_is_over() {
        ask_for_short_slices();
        let policy = || Attributes::now().map(|now| (now.policy, now.nice, now.priority, now.runtime));
        let is_granted = AtOnce::is_granted();
        let before = policy();
        assert!(before.is_some(), "the system tells");
        // An ordinary user has no hurry.
        let hurry = AtOnce::ask();
        assert_eq!(policy() == before, hurry.is_none());
        assert_eq!(hurry.is_some(), is_granted);
        assert_eq!(AtOnce::is_granted(), is_granted, "whoever has it is granted it");
        drop(hurry);
        assert_eq!(policy(), before);
    }
}
