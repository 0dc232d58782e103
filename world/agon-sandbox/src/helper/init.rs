//! The first process of a bot's namespaces. It reaps, and reports how the bot ended. When it ends, the kernel kills
//! all others.

use super::{exit, namespaces::let_go};
use crate::{
    Refused, Step,
    freeze::{GO_ON, ORDER, STOP},
    script::ScriptWork,
    tree,
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    process::{DumpableBehavior, Pid, WaitOptions, set_dumpable_behavior, wait},
};
use std::{convert::Infallible, fs::File, io, io::BufWriter, mem::ManuallyDrop, os::fd::FromRawFd};

/// Makes this process stop all others of its namespace, and let them continue, when the referee orders it.
pub(crate) fn obey() -> Result<(), Refused> {
    // SAFETY: zeroes are lawful for this structure; the handler has the signature that `SA_SIGINFO` asks for, and calls
    // nothing but `kill`, which a handler may call.
    let done = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        action.sa_sigaction = obey_order as *const () as usize;
        libc::sigaction(ORDER, &raw const action, std::ptr::null_mut())
    };
    match done {
        0 => Ok(()),
        _ => Err(Refused::io(Step::Fork, "the order to stop", &io::Error::last_os_error())),
    }
}

extern "C" fn obey_order(_: libc::c_int, about: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel gives a handler of this kind what is known about the signal, with the value that was queued.
    let (code, from, value) = unsafe { ((*about).si_code, (*about).si_pid(), (*about).si_value().sival_ptr as usize) };
    // From outside of the namespace the sender has no number; inside, nobody may queue a signal for this process.
    if code != libc::SI_QUEUE || from != 0 {
        return;
    }
    let signal = match value {
        STOP => libc::SIGSTOP,
        GO_ON => libc::SIGCONT,
        _ => return,
    };
    // SAFETY: takes no pointer; in this namespace it reaches everybody but this process.
    unsafe { libc::kill(-1, signal) };
}

/// Whether the other end of a pipe is closed.
pub(crate) fn has_ended(pipe: &OwnedFd) -> bool {
    let mut fds = [PollFd::new(pipe, PollFlags::IN)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&at_once)).is_ok() && fds[0].revents().contains(PollFlags::HUP)
}

/// Waits until the bot has ended, and reports how. After a job that ended with exit code 0, sends back its files.
pub(crate) fn reap(bot: Pid, work: Option<&ScriptWork>, tell: &OwnedFd) -> Result<Infallible, Refused> {
    let_go(if work.is_some() { &[0, 2] } else { &[0, 1, 2] });
    let status = loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == bot => break status,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => exit(1),
        }
    };
    if let Some(work) = work
        && status.exit_status() == Some(0)
    {
        // Remaining processes must not change the files while they are read.
        // SAFETY: takes no pointer. In this namespace it reaches every process but this one.
        unsafe { libc::kill(-1, libc::SIGKILL) };
        while wait(WaitOptions::empty()).is_ok() {}
        // SAFETY: nothing else in this program owns this descriptor, and the file is not closed.
        let home = ManuallyDrop::new(unsafe { File::from_raw_fd(1) });
        let mut home = BufWriter::new(&*home);
        let _ = tree::send(&work.at, work.keep_mib, work.keep_files, &mut home);
    }
    let _ = rustix::io::write(tell, &status.as_raw().to_ne_bytes());
    exit(0)
}

/// Ends this process in the way in which another one has ended: by the same signal, or else returns the exit code to
/// use.
pub(crate) fn end_as(status: i32) -> i32 {
    if libc::WIFSIGNALED(status) {
        let signal = libc::WTERMSIG(status);
        // The host handles no crash of this process.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
        // SAFETY: the set is made before it is used; the default action of the signal ended the other process, so it ends
        // this one.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            // Keepers block the signals that they wait for.
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, signal);
            libc::sigprocmask(libc::SIG_UNBLOCK, &raw const set, std::ptr::null_mut());
            // The signal goes to the process ID, because the C library may hold data about the process that this is a
            // copy of.
            libc::kill(libc::getpid(), signal);
        }
        return 128 + signal;
    }
    libc::WEXITSTATUS(status)
}
