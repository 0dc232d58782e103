//! The process of a bot, in a sandbox or not.

#[cfg(target_os = "linux")]
use crate::launch::explain_refused;
use crate::{
    StartError, exit,
    launch::Begun,
    memory::{self, MemoryWatch},
};
use agon_referee::Exit;
#[cfg(target_os = "linux")]
use agon_sandbox::SandboxedProcess;
use rustix::{
    fd::OwnedFd,
    io::Errno,
    process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid},
};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus};
#[cfg(target_os = "linux")]
use std::time::Duration;

/// The process of a bot, and what it runs in.
#[derive(Debug)]
pub(crate) enum Held {
    /// A process in a process group, without a sandbox, and the watch over its memory if that is limited.
    Outside(Child, Option<MemoryWatch>),
    /// A process in a sandbox, or one without that the helper program of the sandbox has started.
    #[cfg(target_os = "linux")]
    Inside(SandboxedProcess),
}

impl Held {
    /// Waits until a program runs.
    pub(crate) fn arrive(begun: Begun) -> Result<Self, StartError> {
        Ok(match begun {
            Begun::Outside(child) => Self::Outside(child, None),
            #[cfg(target_os = "linux")]
            Begun::Inside(starting) => Self::Inside(starting.confirm()?),
            #[cfg(target_os = "linux")]
            Begun::Kept(starting, path) => {
                Self::Inside(starting.confirm().map_err(|refused| explain_refused(&path, &refused))?)
            }
        })
    }

    /// Limits the memory of a program without a sandbox. A sandbox has its own limit.
    pub(crate) fn limit_memory(&mut self, limit_mib: u32) -> std::io::Result<()> {
        match self {
            Self::Outside(child, watch) => *watch = memory::watch(Pid::from_child(child), limit_mib)?,
            #[cfg(target_os = "linux")]
            Self::Inside(process) if process.memory().is_none() => process.limit_memory(limit_mib)?,
            #[cfg(target_os = "linux")]
            Self::Inside(_) => {}
        }
        Ok(())
    }

    /// The watch over its memory. `None` if that is not limited.
    pub(crate) fn memory(&self) -> Option<&MemoryWatch> {
        match self {
            Self::Outside(_, watch) => watch.as_ref(),
            #[cfg(target_os = "linux")]
            Self::Inside(process) => process.memory(),
        }
    }

    /// Kills the process and all processes that it has started.
    pub(crate) fn kill(&self) {
        match self {
            Self::Outside(child, _) => signal_group(Pid::from_child(child), Signal::KILL),
            #[cfg(target_os = "linux")]
            Self::Inside(process) => process.kill(),
        }
    }

    /// A descriptor that becomes readable when the process ends. `None` if the system has no such descriptor.
    pub(crate) fn end(&self) -> Option<OwnedFd> {
        #[cfg(target_os = "linux")]
        return rustix::process::pidfd_open(self.pid(), rustix::process::PidfdFlags::empty()).ok();
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// Returns how the process has ended, or `None` while it runs. A process that has to be waited for stays a zombie, so that
    /// its group keeps its ID.
    pub(crate) fn look(&mut self) -> Option<Exit> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        match waitid(WaitId::Pid(self.pid()), options) {
            Ok(None) | Err(Errno::INTR) => None,
            Ok(Some(status)) => Some(match (status.exit_status(), status.terminating_signal()) {
                (Some(code), _) => Exit::Code(code),
                (None, Some(signal)) => Exit::Signal(exit::signal_name(signal)),
                (None, None) => Exit::Unknown,
            }),
            Err(_) => Some(Exit::Unknown),
        }
    }

    /// The process to wait for. It exits in the same way as the bot.
    fn pid(&self) -> Pid {
        match self {
            Self::Outside(child, _) => Pid::from_child(child),
            #[cfg(target_os = "linux")]
            Self::Inside(process) => process.child.pid(),
        }
    }

    /// Takes the pipes of the process. A second call returns `None` for each.
    pub(crate) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        match self {
            Self::Outside(child, _) => (child.stdin.take(), child.stdout.take(), child.stderr.take()),
            #[cfg(target_os = "linux")]
            Self::Inside(SandboxedProcess { child, .. }) => {
                (child.stdin.take(), child.stdout.take(), child.stderr.take())
            }
        }
    }

    /// Returns how the process has ended, or `None` while it runs.
    pub(crate) fn ended(&mut self) -> std::io::Result<Option<ExitStatus>> {
        match self {
            Self::Outside(child, watch) => {
                let ended = child.try_wait()?;
                if let Some(watch) = watch.as_ref().filter(|_| ended.is_some()) {
                    watch.end();
                }
                Ok(ended)
            }
            #[cfg(target_os = "linux")]
            Self::Inside(process) => process.child.wait_for(Duration::ZERO),
        }
    }

    /// Waits until the process has ended, and returns how. Call this after it was killed or has closed its pipes.
    pub(crate) fn wait(&mut self) -> std::io::Result<ExitStatus> {
        match self {
            Self::Outside(child, watch) => {
                // From then on its ID may belong to another process.
                if let Some(watch) = watch {
                    watch.end();
                }
                child.wait()
            }
            #[cfg(target_os = "linux")]
            Self::Inside(process) => process.reap(),
        }
    }
}

/// Sends a signal to a process group and to its leader. The leader may have moved to another group (`setpgid`). If it
/// were not killed, waiting for it would never end.
pub(crate) fn signal_group(group: Pid, signal: Signal) {
    let _ = kill_process_group(group, signal);
    let _ = kill_process(group, signal);
}
