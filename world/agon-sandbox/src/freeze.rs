//! Stops all processes of a bot at once: the referee orders the first process of their namespace to do it. If the
//! referee stopped one process after the other, a process could start another one meanwhile.

use crate::{Shortage, process_handle::runs};
use rustix::{
    fd::{AsRawFd, OwnedFd},
    io::Errno,
    process::{Signal, pidfd_send_signal},
};
use std::{fs, path::PathBuf, sync::Arc};

/// Stops a program in a sandbox, and lets it continue.
#[derive(Clone, Debug)]
pub struct Freezer {
    /// A handle of the program's own process.
    pub(crate) bot: Option<Arc<OwnedFd>>,
    /// A handle of the first process of its namespace, if the program may have several processes.
    pub(crate) first: Option<Arc<OwnedFd>>,
    /// A handle of the process that reaps all others.
    pub(crate) reaper: Option<Arc<OwnedFd>>,
    /// The file that stops the control group of the program, if it has one.
    pub(crate) cgroup: Option<PathBuf>,
}

impl Freezer {
    /// Stops the program, or lets it continue. No process in the sandbox can make a stopped process continue. Returns
    /// whether a control group did it, which needs no signals.
    pub fn freeze(&self, frozen: bool) -> bool {
        // This also stops the processes that watch over the program, but they have nothing to do meanwhile.
        let state = if frozen { "1" } else { "0" };
        if self.cgroup.as_ref().is_some_and(|file| fs::write(file, state).map_err(Shortage::noted).is_ok()) {
            return true;
        }
        let signal = if frozen { Signal::STOP } else { Signal::CONT };
        if let Some(bot) = &self.bot {
            let _ = pidfd_send_signal(bot, signal);
        }
        if let Some(first) = &self.first {
            let _ = order(first, frozen);
        }
        false
    }

    /// Sends a signal to the program's own process. Returns whether it was sent.
    pub fn signal_program(&self, signal: Signal) -> bool {
        self.bot.as_ref().is_some_and(|bot| pidfd_send_signal(bot, signal).is_ok())
    }

    /// Whether all its processes have stopped because their control group was.
    #[must_use]
    pub fn is_frozen(&self) -> bool {
        let events = self.cgroup.as_ref().map(|cgroup| fs::read_to_string(cgroup.with_file_name("cgroup.events")));
        events.is_some_and(|events| events.is_ok_and(|text| text.lines().any(|line| line == "frozen 1")))
    }

    /// Whether the program's own process has ended, so that its ID may belong to another process. Also `false` if there is no
    /// handle of the process, because the system had none left.
    #[must_use]
    pub fn program_has_ended(&self) -> bool {
        self.bot.as_ref().is_some_and(|bot| !runs(bot))
    }

    /// The same for the process that reaps all others of the program.
    #[must_use]
    pub fn reaper_has_ended(&self) -> bool {
        self.reaper.as_ref().is_some_and(|reaper| !runs(reaper))
    }
}

/// The signal for an order. Signals with this number are queued, so orders are carried out in sequence.
pub(crate) const ORDER: libc::c_int = 40;
/// The value of the signal that stops all processes.
pub(crate) const STOP: usize = 1;
/// The value of the signal that lets all processes continue.
pub(crate) const GO_ON: usize = 2;

/// Orders the first process of a namespace to stop all other processes in it, or to let them continue.
fn order(init: &OwnedFd, frozen: bool) -> Result<(), Errno> {
    #[repr(C)]
    struct Order {
        signal: libc::c_int,
        errno: libc::c_int,
        code: libc::c_int,
        padding: libc::c_int,
        pid: libc::c_int,
        uid: libc::c_uint,
        value: usize,
        rest: [usize; 12],
    }
    const { assert!(size_of::<Order>() == size_of::<libc::siginfo_t>()) };
    let order = Order {
        signal: ORDER,
        errno: 0,
        code: libc::SI_QUEUE,
        padding: 0,
        pid: 0,
        uid: 0,
        value: if frozen { STOP } else { GO_ON },
        rest: [0; 12],
    };
    // SAFETY: the kernel reads one `siginfo_t`, of the same size and layout.
    let done = unsafe { libc::syscall(libc::SYS_pidfd_send_signal, init.as_raw_fd(), ORDER, &raw const order, 0) };
    match done {
        0 => Ok(()),
        _ => Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::PERM)),
    }
}
