//! Gives the work of a thread a session of its own.
//!
//! Linux divides a core between [sessions](crate::sessions) first, and then what each has between its threads. A thread waits for
//! all programs of its session that compute, such as a build in the same terminal, and together they wait for the bots. Only
//! a process can lead a session. So the work moves to a process that shares memory and files with this one.

use crate::stack;
use rustix::{
    io::retry_on_intr,
    process::{
        Pid, Signal, WaitOptions, getpid, getppid, kill_process, set_parent_process_death_signal, setsid, waitpid,
    },
};
use std::{
    mem::MaybeUninit,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

/// The processes of all work.
static RUNNING: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
/// The process that has started them. 0 if there are none. A copy of it has none of them.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// How the new process ends if it could not begin the work.
const NOT_BEGUN: i32 = 1;

struct Work<'a> {
    run: &'a mut dyn FnMut(),
    /// The process that waits.
    parent: Pid,
}

/// Does work that never ends in a process that leads a session of its own. It ends with this thread, and who kills it kills this
/// process, too, because it may hold a lock. Returns only if there is no such process. Then the work was not begun.
///
/// Locks and condition variables work between the two as between threads. The new process uses the storage of this thread,
/// which therefore does nothing meanwhile. It is no child that others could wait for, and no signal but the last reaches it.
pub(crate) fn run(mut work: impl FnMut()) {
    let stack = stack::reserve();
    if stack.is_null() {
        return;
    }
    block_signals();
    let mut work = Work { run: &mut work, parent: getpid() };
    // The low byte of the flags is the signal that reports its end: none.
    let flags = libc::CLONE_VM | libc::CLONE_FILES;
    let mut running = running();
    // Nothing is allocated later: the allocator has storage for each thread.
    running.reserve(1);
    // SAFETY: nobody else uses the stack, and the work stays in place until the new process has ended. Until then this thread
    // only notes its ID, lets a lock go and waits, which leaves the storage of the thread alone.
    let child = unsafe { libc::clone(begin, stack.cast(), flags, (&raw mut work).cast()) };
    let Some(child) = Pid::from_raw(child.max(0)) else { return };
    running.push(child);
    drop(running);
    let status = wait_for(child);
    if status == Some(NOT_BEGUN) {
        self::running().retain(|other| *other != child);
        return;
    }
    // A process that exits has ended the work, and holds this lock until it is gone.
    let _running = self::running();
    let _ = kill_process(getpid(), Signal::KILL);
}

fn running() -> MutexGuard<'static, Vec<Pid>> {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    if OWNER.swap(std::process::id(), Ordering::Relaxed) != std::process::id() {
        running.clear();
        // SAFETY: the function takes no pointers and does not unwind.
        unsafe { libc::atexit(end_all) };
    }
    running
}

/// Ends all work when this process exits, and waits for it: not every container has a first process that does so.
extern "C" fn end_all() {
    if OWNER.load(Ordering::Relaxed) != std::process::id() {
        return;
    }
    let running = running();
    // A copy of a process may have asked for this twice.
    OWNER.store(0, Ordering::Relaxed);
    for child in &*running {
        let _ = kill_process(*child, Signal::KILL);
    }
    for child in &*running {
        wait_for(*child);
    }
    // The threads that waited for them do nothing any more.
    std::mem::forget(running);
}

/// Waits until a process has ended, or another thread has waited for it. Returns how it has exited.
fn wait_for(child: Pid) -> Option<i32> {
    // Otherwise only children that report their end are waited for.
    let options = WaitOptions::from_bits_retain(libc::__WALL.cast_unsigned());
    let (_, status) = retry_on_intr(|| waitpid(Some(child), options)).ok().flatten()?;
    status.exit_status()
}

extern "C" fn begin(work: *mut libc::c_void) -> libc::c_int {
    // SAFETY: the pointer is that of the work, and the thread that has it waits.
    let work = unsafe { &mut *work.cast::<Work<'_>>() };
    let is_bound = set_parent_process_death_signal(Some(Signal::KILL)).is_ok() && getppid() == Some(work.parent);
    if !is_bound || setsid().is_err() {
        return NOT_BEGUN;
    }
    (work.run)();
    0
}

/// Leaves all signals to other threads. A handler would find the storage of this thread in use.
fn block_signals() {
    let mut all = MaybeUninit::uninit();
    // SAFETY: the first call makes the set, and the old one is not asked for.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), std::ptr::null_mut());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process_handle::handle;
    use rustix::{
        event::{PollFd, PollFlags, poll},
        io::Errno,
        process::{getsid, pidfd_send_signal, test_kill_process},
    };
    use std::{
        io::Read as _,
        os::unix::process::ExitStatusExt as _,
        process::{Child, Command, Stdio},
        sync::{Arc, Barrier},
        thread,
    };

    /// Set in the process that these tests watch.
    const WATCHED: &str = "AGON_TEST_OWN_SESSION";

    /// The process that the tests watch. It tells the IDs of the process of the work and of its session, and waits.
    #[test]
    fn a_process_with_work_in_a_session_of_its_own() {
        if std::env::var_os(WATCHED).is_none() {
            return;
        }
        let both = Arc::new(Barrier::new(2));
        let met = both.clone();
        thread::spawn(move || {
            run(|| {
                met.wait();
                let session = getsid(None).expect("every process has one");
                let ids = [getpid(), session].map(|id| id.as_raw_pid().to_ne_bytes());
                rustix::io::write(rustix::stdio::stderr(), &ids.concat()).expect("somebody reads");
                loop {
                    thread::park();
                }
            });
            unreachable!("a session can be had");
        });
        both.wait();
        let _ = std::io::stdin().read(&mut [0]);
    }

    /// That process, the process of its work, and a handle of that.
    fn started() -> (Child, Pid, rustix::fd::OwnedFd) {
        let name = "own_session::tests::a_process_with_work_in_a_session_of_its_own";
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", name, "--nocapture"]).env(WATCHED, "1");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("this program starts");
        let mut ids = [0; 8];
        child.stderr.as_mut().expect("a pipe").read_exact(&mut ids).expect("it tells its IDs");
        let [work, session] = [&ids[..4], &ids[4..]].map(|id| i32::from_ne_bytes(id.try_into().expect("four bytes")));
        assert_eq!(work, session, "it leads its session");
        assert_ne!(work, child.id() as i32);
        let of_work = handle(work, Some(child.id() as i32)).expect("it runs, and is a child");
        (child, Pid::from_raw(work).expect("an ID"), of_work)
    }

    fn wait_for_end_of(handle: &rustix::fd::OwnedFd) {
        poll(&mut [PollFd::new(handle, PollFlags::IN)], None).expect("a handle can be waited for");
    }

    #[test]
    fn the_work_ends_with_its_process_and_the_process_with_its_work() {
        let (mut process, _, of_work) = started();
        process.kill().expect("it is ours");
        process.wait().expect("it is ours");
        wait_for_end_of(&of_work);

        let (mut process, work, of_work) = started();
        drop(process.stdin.take());
        assert!(process.wait().expect("it is ours").success(), "it does not wait until the work is done");
        wait_for_end_of(&of_work);
        assert_eq!(test_kill_process(work), Err(Errno::SRCH), "it was waited for");

        let (mut process, _, of_work) = started();
        pidfd_send_signal(&of_work, Signal::KILL).expect("it is ours");
        assert_eq!(process.wait().expect("it is ours").signal(), Some(libc::SIGKILL));
    }

    #[test]
    fn signals_reach_the_process_and_not_the_work() {
        let (mut process, work, of_work) = started();
        let id = Pid::from_child(&process);
        // A terminal stops a process wholly or not at all.
        kill_process(id, Signal::STOP).expect("it is ours");
        let stopped = waitpid(Some(id), WaitOptions::UNTRACED).expect("it is ours").expect("a state");
        assert!(stopped.1.stopped());
        kill_process(id, Signal::CONT).expect("it is ours");
        kill_process(work, Signal::TERM).expect("it is ours");
        drop(process.stdin.take());
        assert!(process.wait().expect("it is ours").success());
        wait_for_end_of(&of_work);
    }
}
