//! Starts a program in a sandbox. This is the part outside of the sandbox: it asks the helper program for the start
//! and waits for the answer.

use crate::{
    Cause, RefusalKind, Refused, Step,
    child::Child,
    fork_server,
    handshake::{Answer, limits_of_user},
    helper::END,
    process::{KILLED, SandboxedProcess},
    process_handle::handle,
    program_cgroup::ProgramCgroup,
    request::{StartRequest, script},
    script::Script,
};
use agon_spec::Isolation;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    io::{Errno, ioctl_fionbio},
    process::{Signal, kill_process_group},
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// How long each answer of a start may take. Normally it takes milliseconds.
const TIMEOUT: Duration = Duration::from_secs(2);
/// How long the answer may take if the files of a job are copied first.
const TIMEOUT_OF_WORK: Duration = Duration::from_secs(60);
/// How long an answer may take. Tests make this shorter.
pub(crate) fn timeout() -> Duration {
    #[cfg(feature = "faults")]
    return crate::faults::timeout(TIMEOUT);
    #[cfg(not(feature = "faults"))]
    TIMEOUT
}

/// How many bytes an empty pipe takes without a reader.
const PAGE: usize = 4096;
/// The longest answer.
const ANSWER: usize = 8192;

/// A program whose sandbox is being set up. Several programs can be started before the first one is
/// [confirmed](Starting::confirm).
#[derive(Debug)]
pub struct Starting {
    script: Box<Script>,
    /// The new process and its answer. Taken when the program runs.
    child: Option<(Child, OwnedFd)>,
    cgroup: Option<ProgramCgroup>,
    /// Whether this is the second try.
    again: bool,
}

/// Starts a program with three pipes. At [`Isolation::None`] it is not confined: it has the rights, the limits and the
/// open files of this process, and only its end is taken care of.
///
/// If the host is short of something, or if somebody has killed or stopped a process of the start, this or
/// [`Starting::confirm`] tries once more.
///
/// # Errors
/// The system cannot make a process for the program, or there is no helper program.
pub fn start(request: StartRequest) -> Result<Starting, Refused> {
    begin(script(request, false)?)
}

pub(crate) fn begin(script: Script) -> Result<Starting, Refused> {
    Starting::begin(Box::new(script), false)
}

/// Sets up a sandbox and ends it again, without a second try.
pub(crate) fn trial(request: StartRequest) -> Result<(), Refused> {
    let mut process = Starting::begin(Box::new(script(request, true)?), true)?.confirm()?;
    let cause = match process.child.wait_for(timeout()) {
        Ok(Some(status)) if status.success() => return Ok(()),
        Ok(Some(status)) => Cause::of_status(status),
        Ok(None) => {
            process.kill();
            let _ = process.reap();
            Cause::NoAnswer(timeout())
        }
        Err(error) => Cause::of_io(&error),
    };
    Err(Refused::new(Step::Start, "", cause))
}

/// Whether the program is to be in a control group, where there are any. Only a group counts what the kernel keeps for a process, such
/// as the names of files that it did not find, and what several processes use together.
fn needs_group(script: &Script) -> bool {
    script.level > Isolation::None
}

impl Starting {
    fn begin(script: Box<Script>, again: bool) -> Result<Self, Refused> {
        let mut starting = Self { script, child: None, cgroup: None, again };
        match starting.fork() {
            Err(refused) if refused.kind() == RefusalKind::Shortage && !again => starting.try_again(),
            Err(refused) => Err(refused),
            Ok(()) => Ok(starting),
        }
    }

    fn try_again(self) -> Result<Self, Refused> {
        let script = self.script.clone();
        // No process of the first try is left when the second one begins.
        drop(self);
        Self::begin(script, true)
    }

    fn fork(&mut self) -> Result<(), Refused> {
        #[cfg(feature = "faults")]
        {
            self.script.fault = crate::faults::take(false);
        }
        self.child = Some(fork_server::fork()?);
        if needs_group(&self.script) {
            // The group is made while the new process starts.
            self.cgroup = ProgramCgroup::new(&self.script.limits);
            self.script.cgroups = self.cgroup.as_ref().map_or_else(Vec::new, |cgroup| cgroup.folders.clone());
        }
        self.send(&self.script.encode())
    }

    /// Sends the script. A pipe takes a page at once, but the process that reads the rest may have been stopped.
    fn send(&self, mut bytes: &[u8]) -> Result<(), Refused> {
        let failed = |e: Errno| Refused::new(Step::Start, "sending the script", Cause::Errno(e));
        let Some(stdin) = self.child.as_ref().and_then(|(child, _)| child.stdin.as_ref()) else { return Ok(()) };
        let may_block = bytes.len() > PAGE;
        if may_block {
            ioctl_fionbio(stdin, true).map_err(failed)?;
        }
        let until = Instant::now() + timeout();
        while !bytes.is_empty() {
            match rustix::io::write(stdin, bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(Errno::INTR) => {}
                // If the process has ended already, its answer says why.
                Err(Errno::PIPE) => break,
                Err(Errno::AGAIN) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(Refused::new(Step::Start, "sending the script", Cause::NoAnswer(timeout())));
                    }
                    let _ = poll(&mut [PollFd::new(stdin, PollFlags::OUT)], Some(&timespec(left)));
                }
                Err(e) => return Err(failed(e)),
            }
        }
        if may_block { ioctl_fionbio(stdin, false).map_err(failed) } else { Ok(()) }
    }

    /// Waits until the program is executed.
    ///
    /// # Errors
    /// The step of the start that failed, and why. Then no process of the start is left.
    pub fn confirm(mut self) -> Result<SandboxedProcess, Refused> {
        match self.answer() {
            Err(refused) if refused.kind() == RefusalKind::Shortage && !self.again => self.try_again()?.confirm(),
            answer => answer,
        }
    }

    fn answer(&mut self) -> Result<SandboxedProcess, Refused> {
        let timeout = if self.script.work.is_some() { TIMEOUT_OF_WORK } else { self::timeout() };
        let until = Instant::now() + timeout;
        let answer = self.read_answer(until, timeout)?;
        // A process that was about to execute the program may have failed to do so.
        let Some(line) = answer.strip_suffix('\n').and_then(|all| all.lines().last()) else {
            return Err(if answer.is_empty() {
                self.end(until, timeout)
            } else {
                Refused::new(Step::Start, "", Cause::Protocol(answer))
            });
        };
        match Answer::decode(line, &self.script.program, self.script.interpreted.as_deref()) {
            Some(Answer::Ready { pid, init }) => self.arrived(pid, init),
            Some(Answer::Refused(refused)) => Err(refused.with_limit(&limits_of_user())),
            None => Err(Refused::new(Step::Start, "", Cause::Protocol(line.to_owned()))),
        }
    }

    fn arrived(&mut self, pid: i32, init: i32) -> Result<SandboxedProcess, Refused> {
        let (child, _) =
            self.child.take().ok_or_else(|| Refused::other(Step::Start, "the start was confirmed twice"))?;
        let cgroup = self.cgroup.take();
        let ours = child.pid().as_raw_pid();
        let own_world = self.script.level == Isolation::Full;
        let reaper = if own_world { init } else { ours };
        let first = handle(reaper, Some(ours).filter(|_| own_world)).map(Arc::new);
        let bot = handle(pid, Some(reaper)).map(Arc::new);
        let several = self.script.is_free() || self.script.limits.processes > 1;
        let limits = &self.script.limits;
        // At `full` the kernel limits them.
        let is_restricted = self.script.level == Isolation::Restricted && self.script.work.is_none();
        let most_threads = is_restricted.then(|| limits.threads + limits.processes);
        let mut process =
            SandboxedProcess { child, pid, reaper, bot, first, own_world, several, most_threads, memory: None, cgroup };
        if let Some(limit) = self.script.limits.memory_mib {
            process.limit_memory(limit).map_err(|error| {
                process.kill();
                let _ = process.reap();
                Refused::io(Step::Start, "the watch over its memory", &error)
            })?;
        }
        Ok(process)
    }

    /// Reads the answer, which ends when the program is executed or will not be.
    fn read_answer(&self, until: Instant, timeout: Duration) -> Result<String, Refused> {
        let failed = |e: Errno| Refused::new(Step::Start, "reading the answer", Cause::Errno(e));
        let (_, pipe) =
            self.child.as_ref().ok_or_else(|| Refused::other(Step::Start, "the start was confirmed twice"))?;
        let mut answer = Vec::new();
        while answer.len() < ANSWER {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Refused::new(Step::Start, "", Cause::NoAnswer(timeout)));
            }
            match poll(&mut [PollFd::new(&pipe, PollFlags::IN)], Some(&timespec(left))) {
                Ok(0) | Err(Errno::INTR) => continue,
                Ok(_) => {}
                Err(e) => return Err(failed(e)),
            }
            let mut part = [0; 512];
            match rustix::io::read(pipe, &mut part) {
                Ok(0) => break,
                Ok(length) => answer.extend_from_slice(&part[..length]),
                Err(Errno::INTR) => {}
                Err(e) => return Err(failed(e)),
            }
        }
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// Finds out why the process has ended without an answer.
    fn end(&mut self, until: Instant, timeout: Duration) -> Refused {
        let left = until.saturating_duration_since(Instant::now());
        let cause = match self.child.as_mut().map(|(child, _)| child.wait_for(left)) {
            Some(Ok(Some(status))) => Cause::of_status(status),
            Some(Ok(None)) => Cause::NoAnswer(timeout),
            Some(Err(error)) => Cause::of_io(&error),
            None => Cause::Other("the start was confirmed twice".into()),
        };
        Refused::new(Step::Start, "", cause)
    }
}

/// A start that was not confirmed leaves no process behind.
impl Drop for Starting {
    fn drop(&mut self) {
        let Some((child, _)) = &mut self.child else { return };
        if self.script.level < Isolation::Full {
            // A process that is asked in vain may have been stopped.
            child.signal(END);
            child.signal(Signal::CONT);
            if child.wait_for(timeout()).is_ok_and(|ended| ended.is_some()) {
                return;
            }
        }
        let _ = kill_process_group(child.pid(), Signal::KILL);
        child.signal(Signal::KILL);
        let _ = child.wait_for(KILLED);
    }
}

/// Converts a time for `poll`.
pub(crate) fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() }
}
