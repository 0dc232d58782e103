//! The keeper: the process between a bot without namespaces and the process that has asked for the bot. It ends as
//! the bot ends, and it ends everything that the bot has started: when the bot ends, when it is asked to, and when the
//! process that has asked for the bot ends in any way.
//!
//! The bot alone could not be relied on for that. The kernel kills a process with its parent only if the process wants
//! that, and forgets the wish for its children, and also for the process itself when a second thread executes a
//! program. Orphans below the keeper become its children, so that none escapes by leaving its parent, its group or its
//! session.

use super::{ProcessContext, become_bot, cgroup, close_all, die_with, end_with, exit, init::end_as};
use crate::{Refused, Step, process_handle::handle, remove_tree, script::Script};
use rustix::{
    io::Errno,
    process::{
        Pid, Signal, WaitOptions, getpid, getppid, kill_process, kill_process_group, pidfd_send_signal,
        set_child_subreaper, wait, waitpid,
    },
};
use std::{convert::Infallible, fs, io, mem::MaybeUninit, time::Duration};

/// The signal that asks a keeper to end everything. The kernel sends it too, when the process that has asked for the
/// bot ends.
pub(crate) const END: Signal = Signal::TERM;
/// How long the keeper waits for the end of what it has killed before it looks again for what was started meanwhile.
const PAUSE: Duration = Duration::from_millis(5);
/// How often it tries to remove a busy control group, with that pause.
const BUSY_TRIES: u32 = 200;
/// How deep the keeper looks below a process. What is deeper comes nearer when the processes above it end.
const DEPTH: u32 = 64;

/// Starts the process of the bot. This process stays and keeps it.
pub(crate) fn enter(script: &Script) -> Result<Infallible, Refused> {
    end_with(script.parent, END)?;
    set_child_subreaper(Some(getpid())).map_err(Refused::call(Step::Parent, "adopting orphans"))?;
    let heard = Heard::new();
    let keeper = getpid().as_raw_pid().unsigned_abs();
    match cgroup::fork_into_second_version(&script.cgroups)? {
        None => {
            heard.forget();
            die_with(keeper)?;
            cgroup::join_first_version(&script.cgroups)?;
            become_bot(script, &ProcessContext::host(script, keeper))
        }
        Some(bot) => keep(bot, &heard, script),
    }
}

/// Waits for the end of the bot or for the order to end it, and ends all that is left.
fn keep(bot: Pid, heard: &Heard, script: &Script) -> ! {
    close_all();
    heard.wait_for_end_of(bot);
    for cgroup in &script.cgroups {
        // The kernel kills a whole group of version 2 at once.
        let _ = fs::write(cgroup.join("cgroup.kill"), "1");
    }
    let status = end_all(bot, heard);
    // Otherwise the process that has asked for the bot still needs its files and groups.
    if getppid().map_or(0, Pid::as_raw_pid) != script.parent as i32 {
        remove_leftovers(script, heard);
    }
    exit(end_as(status))
}

/// Removes the folder of a job and the control groups.
fn remove_leftovers(script: &Script, heard: &Heard) {
    if let Some(work) = &script.work {
        let _ = remove_tree(&work.at);
    }
    for cgroup in &script.cgroups {
        // A group is busy for a moment after the end of its last process.
        let mut tries = BUSY_TRIES;
        while tries > 0 && fs::remove_dir(cgroup).is_err_and(|e| e.kind() == io::ErrorKind::ResourceBusy) {
            heard.wait(Some(PAUSE));
            tries -= 1;
        }
    }
}

/// Reaps orphans that have ended. Returns whether the bot has ended. The bot keeps its process ID, so that no other
/// process gets it, and no other group.
fn has_ended(bot: Pid) -> bool {
    loop {
        let mut about = MaybeUninit::<libc::siginfo_t>::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: the kernel writes one structure, which is valid with zeroes too.
        let (done, child) = unsafe {
            let done = libc::waitid(libc::P_ALL, 0, about.as_mut_ptr(), options);
            (done, about.assume_init().si_pid())
        };
        match Pid::from_raw(child).filter(|_| done == 0) {
            None => return false,
            Some(child) if child == bot => return true,
            Some(orphan) => drop(waitpid(Some(orphan), WaitOptions::NOHANG)),
        }
    }
}

/// Kills the bot and everything below this process, and returns how the bot has ended.
fn end_all(bot: Pid, heard: &Heard) -> i32 {
    // The whole group ends at once, before any of its processes can start another one.
    let _ = kill_process_group(bot, Signal::KILL);
    let _ = kill_process(bot, Signal::KILL);
    let mut status = None;
    loop {
        if status.is_none() && has_ended(bot) {
            // When the bot ends, its children become children of this process.
            status = Some(status_of(bot));
        }
        // Most bots leave nothing, which a single call shows.
        if let Some(status) = status
            && wait(WaitOptions::NOHANG).is_err_and(|errno| errno == Errno::CHILD)
        {
            return status;
        }
        let keeps = |child: &Pid| *child == bot && status.is_none();
        for child in children(getpid()).into_iter().filter(|child| !keeps(child)) {
            // Only this process reaps its children, so the ID belongs to no other process.
            if waitpid(Some(child), WaitOptions::NOHANG).is_ok_and(|ended| ended.is_none()) {
                kill_below(child, DEPTH);
                let _ = kill_process(child, Signal::KILL);
            }
        }
        heard.wait(Some(PAUSE));
    }
}

/// Reaps the bot, which has ended, and returns how.
fn status_of(bot: Pid) -> i32 {
    loop {
        match waitpid(Some(bot), WaitOptions::empty()) {
            Ok(Some((_, status))) => return status.as_raw(),
            Ok(None) | Err(Errno::INTR) => {}
            Err(_) => return libc::SIGKILL,
        }
    }
}

/// Kills all descendants of a process that it can find.
fn kill_below(process: Pid, depth: u32) {
    for child in children(process) {
        // The child may have ended, and its ID may belong to another process by now. The handle is that of the child.
        let Some(handle) = handle(child.as_raw_pid(), Some(process.as_raw_pid())) else { continue };
        if depth > 0 {
            kill_below(child, depth - 1);
        }
        let _ = pidfd_send_signal(&handle, Signal::KILL);
    }
}

/// The children of a process, whichever of its threads has started them.
fn children(process: Pid) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{}/task", process.as_raw_pid())).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let children = |list: String| list.split_whitespace().filter_map(|child| child.parse().ok()).collect::<Vec<_>>();
    lists.flat_map(children).filter_map(Pid::from_raw).collect()
}

/// The signals that a keeper waits for. They are blocked, so that none is lost between two waits.
struct Heard {
    set: libc::sigset_t,
}

impl Heard {
    fn new() -> Self {
        let mut set = MaybeUninit::uninit();
        // SAFETY: the set is made by the first call. Zeroes are lawful for the action, which keeps the default handling:
        // only the ends of children are reported, and not that one is stopped or continues.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            let mut set = set.assume_init();
            libc::sigaddset(&raw mut set, END.as_raw());
            libc::sigaddset(&raw mut set, libc::SIGCHLD);
            libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_flags = libc::SA_NOCLDSTOP;
            libc::sigaction(libc::SIGCHLD, &raw const action, std::ptr::null_mut());
            Self { set }
        }
    }

    /// Restores the handling of signals that programs expect.
    fn forget(&self) {
        // SAFETY: the set was made by `new`, and the default action is valid for this signal.
        unsafe {
            libc::signal(libc::SIGCHLD, libc::SIG_DFL);
            libc::sigprocmask(libc::SIG_UNBLOCK, &raw const self.set, std::ptr::null_mut());
        }
    }

    /// Waits for the end of the bot or for the order to end it.
    fn wait_for_end_of(&self, bot: Pid) {
        while self.wait(None) != Some(END) && !has_ended(bot) {}
    }

    /// Waits for a signal, for at most `time`. `None` if none came.
    fn wait(&self, time: Option<Duration>) -> Option<Signal> {
        let time =
            time.map(|time| libc::timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() });
        let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: the set was made by `new`, nothing is asked about the signal, and the time is valid or absent.
        let signal = unsafe { libc::sigtimedwait(&raw const self.set, std::ptr::null_mut(), time) };
        Signal::from_named_raw(signal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// A shell that waits for its child, with the ID of that child.
    fn family() -> (std::process::Child, Pid) {
        let mut shell =
            Command::new("/bin/sh").args(["-c", "sleep 100 & wait"]).spawn().expect("a program of every system");
        let parent = Pid::from_child(&shell);
        loop {
            if let [child] = children(parent)[..] {
                return (shell, child);
            }
            assert!(shell.try_wait().is_ok_and(|ended| ended.is_none()), "the shell waits for its child");
            std::thread::yield_now();
        }
    }

    #[test]
    fn descendants_are_killed_and_their_ancestor_is_not() {
        let (mut shell, _) = family();
        kill_below(Pid::from_child(&shell), 0);
        // The shell ends by itself when its child has ended.
        assert!(shell.wait().is_ok_and(|status| status.code().is_some()));
    }

    #[test]
    fn a_process_that_is_gone_has_no_children() {
        let (mut shell, child) = family();
        assert!(children(child).is_empty());
        kill_below(Pid::from_child(&shell), DEPTH);
        shell.wait().expect("it ends");
        assert!(children(child).is_empty());
    }
}
