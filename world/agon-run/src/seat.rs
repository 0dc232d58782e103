//! One bot: its process, its pipes, and what is pending for it.

use crate::{Capture, Host, Program, StartError, counters, exit, launch::Begun, usage::Meter};
use agon_core::Seat;
use agon_referee::Exit;
#[cfg(target_os = "linux")]
use agon_sandbox::SandboxedProcess;
use rustix::{
    fd::OwnedFd,
    io,
    process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid},
};
use std::{
    process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus},
    time::Duration,
};

/// The descriptors of a bot, apart from its state because the poll set borrows them.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub seat: Seat,
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
    /// Readable when the process ends. `None` where the system has no such thing: then it is asked now and then.
    pub ended: Option<OwnedFd>,
}

/// A stream of a bot that has ended while we do not know yet whether its process ends as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Closing {
    /// It closed its output.
    Output,
    /// It closed its input.
    Input,
}

/// A prompt that waits until the bot has read what it was sent before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drain {
    /// Written at this instant at the latest.
    pub until: Duration,
    /// When to look next.
    pub look: Duration,
    /// The pause after that, doubled each time.
    pub pause: Duration,
}

/// Which ends of a bot's pipes are still of use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub stdin: bool,
    pub stdout: bool,
    pub stderr: bool,
}

/// What holds a bot.
#[derive(Debug)]
pub(crate) enum Held {
    /// Nothing but its process group.
    Outside(Child),
    /// A sandbox.
    #[cfg(target_os = "linux")]
    Inside(SandboxedProcess),
}

/// A bot that was started and may not be there yet.
pub(crate) struct Arriving {
    seat: Seat,
    begun: Begun,
    host: Option<Host>,
}

/// The state of a bot.
#[derive(Debug)]
pub(crate) struct Bot {
    held: Held,
    /// The number of the process, and of the group that it leads.
    group: Pid,
    pub open: Open,
    /// Whether its pipe is full and something is left to write.
    pub pending: bool,
    pub drain: Option<Drain>,
    pub closing: Option<(Closing, Duration)>,
    /// Whether it was given more time to end.
    excused: bool,
    /// Nothing is read from its stderr before this instant: it writes more than anybody can want.
    pub muted: Option<Duration>,
    /// How its process ended, once that is known.
    pub exit: Option<Exit>,
    /// Whether we killed it before it ended by itself.
    pub killed: bool,
    /// Whether it was waited for, so that its number may be another process's by now.
    reaped: bool,
    pub stderr: Capture,
    /// Where the time of its answers goes.
    pub meter: Meter,
    /// When its answer to the last prompt has taken long.
    pub slow_at: Duration,
    /// Since when it is frozen, if it is.
    frozen: Option<Frozen>,
    /// If it is played by a host.
    pub host: Option<Host>,
}

/// A bot that was stopped.
#[derive(Clone, Copy, Debug)]
struct Frozen {
    since: Duration,
    /// Its CPU time when it stood still. A signal takes its time: a process with threads stops when its first thread has
    /// got a core.
    still: Option<Duration>,
}

/// How long a process that is ending may take for it: on a loaded machine one with much memory takes a while, and so do
/// those that hold it.
const LAST_BREATH: Duration = Duration::from_secs(2);
/// After so long a bot is looked at whether it stands still, and after twice that it has to.
const STOPPING: Duration = Duration::from_millis(20);

impl Bot {
    /// Starts a program.
    pub(crate) fn start(seat: Seat, program: &Program) -> Result<Arriving, StartError> {
        program.start().map(|begun| Arriving { seat, begun, host: program.host })
    }

    /// The process of which all others of this bot come, and whether that is a part of the bot.
    pub(crate) fn tree(&self) -> (i32, bool) {
        match &self.held {
            Held::Outside(_) => (self.group.as_raw_nonzero().get(), true),
            #[cfg(target_os = "linux")]
            Held::Inside(process) => process.reaper.map_or((process.pid, true), |reaper| (reaper, false)),
        }
    }

    /// Gives a bot that has closed a pipe because it is ending more time for that, once: how it ended is the better
    /// reason.
    pub(crate) fn is_excused(&mut self, now: Duration) -> bool {
        let Some((closing, _)) = self.closing.filter(|_| !self.excused) else { return false };
        let own = match &self.held {
            Held::Outside(_) => self.group.as_raw_nonzero().get(),
            #[cfg(target_os = "linux")]
            Held::Inside(process) => process.pid,
        };
        self.excused = counters::is_ending(own);
        if self.excused {
            self.closing = Some((closing, now + LAST_BREATH));
        }
        self.excused
    }

    /// How the process ended, if it has. It stays a zombie, so that its group keeps its number until
    /// [`reap`](Bot::reap).
    pub(crate) fn look(&mut self) -> Option<&Exit> {
        if self.exit.is_none() && !self.reaped {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
            self.exit = match waitid(WaitId::Pid(self.group), options) {
                Ok(None) | Err(io::Errno::INTR) => None,
                Ok(Some(status)) => Some(match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => Exit::Code(code),
                    (None, Some(signal)) => Exit::Signal(exit::signal_name(signal)),
                    (None, None) => Exit::Unknown,
                }),
                Err(_) => Some(Exit::Unknown),
            };
        }
        self.exit.as_ref()
    }

    /// Kills the whole process group. Only SIGKILL is ever used: it cannot be ignored, not even by a stopped process.
    pub(crate) fn kill(&mut self) {
        if self.look().is_none() {
            self.killed = true;
        }
        // Also after the end of the bot itself: its children may live on in its group.
        self.held.kill();
        self.open = Open { stdin: false, stdout: false, stderr: false };
        self.pending = false;
        self.drain = None;
        self.closing = None;
    }

    /// Whether the system has killed it for want of memory.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        match &self.held {
            Held::Outside(_) => false,
            #[cfg(target_os = "linux")]
            Held::Inside(process) => matches!(self.exit, Some(Exit::Signal(_))) && process.ran_out_of_memory(),
        }
    }

    /// Stops all its processes.
    pub(crate) fn freeze(&mut self, now: Duration) {
        self.stop(true);
        self.frozen = Some(Frozen { since: now, still: None });
    }

    /// When to look whether it stands still, if that is not known.
    pub(crate) fn settles(&self) -> Option<Duration> {
        let frozen = self.frozen.filter(|frozen| frozen.still.is_none())?;
        Some(frozen.since.saturating_add(STOPPING))
    }

    /// Notes from when on it must not compute.
    pub(crate) fn settle(&mut self, now: Duration) {
        let (root, counts) = self.tree();
        let Some(frozen) = self.frozen.as_mut().filter(|frozen| frozen.still.is_none()) else { return };
        let own = counters::tree(root).into_iter().filter(|process| counts || *process != root);
        if now >= frozen.since.saturating_add(2 * STOPPING) || own.into_iter().all(counters::is_stopped) {
            frozen.still = Some(counters::cpu_time(root));
        }
    }

    /// Lets them go on: how much CPU time they have used since they stood still.
    pub(crate) fn thaw(&mut self) -> Duration {
        let still = self.frozen.take().and_then(|frozen| frozen.still);
        let used = still.map(|still| counters::cpu_time(self.tree().0).saturating_sub(still));
        self.stop(false);
        used.unwrap_or_default()
    }

    fn stop(&self, frozen: bool) {
        if self.exit.is_some() || self.reaped {
            return;
        }
        let signal = if frozen { Signal::STOP } else { Signal::CONT };
        let own = match &self.held {
            Held::Outside(_) => {
                self::signal(self.group, signal);
                self.group.as_raw_nonzero().get()
            }
            #[cfg(target_os = "linux")]
            Held::Inside(process) => {
                process.freeze(frozen);
                process.pid
            }
        };
        // Those that it has started may have left its group.
        let (root, _) = self.tree();
        for process in counters::tree(root).into_iter().filter(|process| ![root, own].contains(process)) {
            if let Some(process) = Pid::from_raw(process) {
                let _ = kill_process(process, signal);
            }
        }
    }

    /// Waits for a process that was killed or has ended.
    pub(crate) fn reap(&mut self) {
        // A failure means that somebody else has waited for it already, as a handler of SIGCHLD in a host program.
        if let Ok(status) = self.held.wait()
            && self.exit.is_none()
        {
            self.exit = Some(exit::exit(status));
        }
        self.reaped = true;
    }
}

impl Held {
    /// Waits until a program is there.
    pub(crate) fn arrive(begun: Begun) -> Result<Self, StartError> {
        Ok(match begun {
            Begun::Outside(child) => Self::Outside(child),
            #[cfg(target_os = "linux")]
            Begun::Inside(starting) => Self::Inside(starting.confirm()?),
        })
    }

    /// Kills it and all that it has started.
    pub(crate) fn kill(&self) {
        match self {
            Self::Outside(child) => signal(Pid::from_child(child), Signal::KILL),
            #[cfg(target_os = "linux")]
            Self::Inside(process) => process.kill(),
        }
    }

    /// The process that has its pipes and ends as it ends.
    fn pid(&self) -> Pid {
        match self {
            Self::Outside(child) => Pid::from_child(child),
            #[cfg(target_os = "linux")]
            Self::Inside(process) => process.child.pid(),
        }
    }

    /// Its pipes, once.
    pub(crate) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        match self {
            Self::Outside(child) => (child.stdin.take(), child.stdout.take(), child.stderr.take()),
            #[cfg(target_os = "linux")]
            Self::Inside(SandboxedProcess { child, .. }) => {
                (child.stdin.take(), child.stdout.take(), child.stderr.take())
            }
        }
    }

    /// Waits until it has ended after it was killed or has closed its pipes: how it did.
    pub(crate) fn wait(&mut self) -> std::io::Result<ExitStatus> {
        match self {
            Self::Outside(child) => child.wait(),
            #[cfg(target_os = "linux")]
            Self::Inside(process) => process.reap(),
        }
    }
}

impl Arriving {
    /// Waits until the program is executed, and keeps so many bytes of its stderr. Its pipes never block us.
    pub(crate) fn arrive(self, stderr: usize) -> Result<(Pipes, Bot), StartError> {
        let mut held = Held::arrive(self.begun)?;
        let group = held.pid();
        let (stdin, stdout, errors) = held.pipes();
        let pipes = Pipes { seat: self.seat, stdin, stdout, stderr: errors, ended: watch(group) };
        let bot = Bot {
            held,
            group,
            open: Open { stdin: true, stdout: true, stderr: true },
            pending: false,
            drain: None,
            closing: None,
            excused: false,
            muted: None,
            exit: None,
            killed: false,
            reaped: false,
            stderr: Capture::new(stderr),
            meter: Meter::default(),
            slow_at: Duration::ZERO,
            frozen: None,
            host: self.host,
        };
        match pipes.unblock() {
            Ok(()) => Ok((pipes, bot)),
            Err(errno) => Err(StartError::System { what: "its pipes cannot be used".into(), errno }),
        }
    }
}

/// No bot outlives its match, also if that panics.
impl Drop for Bot {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
            self.reap();
        }
    }
}

impl Pipes {
    fn unblock(&self) -> io::Result<()> {
        if let Some(stdin) = &self.stdin {
            io::ioctl_fionbio(stdin, true)?;
        }
        if let Some(stdout) = &self.stdout {
            io::ioctl_fionbio(stdout, true)?;
        }
        if let Some(stderr) = &self.stderr {
            io::ioctl_fionbio(stderr, true)?;
        }
        Ok(())
    }

    /// Closes what is of no use any more.
    pub(crate) fn close(&mut self, open: Open) {
        if !open.stdin {
            self.stdin = None;
        }
        if !open.stdout {
            self.stdout = None;
        }
        if !open.stderr {
            self.stderr = None;
        }
    }

    /// Whether the bot has read everything that was written to it; also if the system cannot tell.
    pub(crate) fn is_drained(&self) -> bool {
        self.stdin.as_ref().is_none_or(|stdin| io::ioctl_fionread(stdin).unwrap_or(0) == 0)
    }
}

/// To a group, and to the bot that leads it, which may have left it for another one (`setpgid`): waiting for a bot that
/// was not killed would never end.
fn signal(group: Pid, signal: Signal) {
    let _ = kill_process_group(group, signal);
    let _ = kill_process(group, signal);
}

/// A descriptor that becomes readable when the process ends.
fn watch(process: Pid) -> Option<OwnedFd> {
    #[cfg(target_os = "linux")]
    return rustix::process::pidfd_open(process, rustix::process::PidfdFlags::empty()).ok();
    #[cfg(not(target_os = "linux"))]
    {
        let _ = process;
        None
    }
}

/// Reads once from a pipe: `None` if nothing has arrived, 0 bytes at its end.
pub(crate) fn read(pipe: impl rustix::fd::AsFd, buffer: &mut [u8]) -> Option<usize> {
    loop {
        match io::read(&pipe, &mut *buffer) {
            Ok(bytes) => return Some(bytes),
            Err(io::Errno::INTR) => {}
            Err(io::Errno::AGAIN) => return None,
            // A pipe that cannot be read is a pipe that has ended.
            Err(_) => return Some(0),
        }
    }
}
