//! The outside: a program is started in a sandbox, and says whether it got there.

use crate::{
    Cause, Confinement, RefusalKind, Refused, Step,
    cgroup::Group,
    child::Child,
    fork_server, freeze,
    handshake::{Answer, limits_of_user},
    script::{Script, ScriptLimits, ScriptWork},
    system,
};
use agon_spec::Isolation;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    io::Errno,
    process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal},
};
use std::{
    ffi::{OsStr, OsString},
    io::{self, Read, Write},
    path::{Component, Path, PathBuf},
    process::ExitStatus,
    time::{Duration, Instant},
};

/// How long each answer of a start may take. It takes milliseconds.
const TIMEOUT: Duration = Duration::from_secs(2);
/// The same where a job's files are copied first.
const TIMEOUT_OF_WORK: Duration = Duration::from_secs(60);
/// How long an answer may take, which tests make shorter.
pub(crate) fn timeout() -> Duration {
    #[cfg(feature = "faults")]
    return crate::faults::timeout(TIMEOUT);
    #[cfg(not(feature = "faults"))]
    TIMEOUT
}

/// How long a process may take to end after it was killed.
const KILLED: Duration = Duration::from_secs(5);
/// The longest line of an answer.
const LINE: usize = 4096;

/// A program that is to be started in a sandbox.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartRequest {
    /// The file to execute, absolute.
    pub program: PathBuf,
    /// Its arguments, the first being its name.
    pub words: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Where it starts, absolute. Inside, a folder that it may not see is there and empty.
    pub dir: PathBuf,
    /// What it may see and use.
    pub confinement: Confinement,
}

/// A program on its way into a sandbox. Several may be, before the first is [confirmed](Starting::confirm).
#[derive(Debug)]
pub struct Starting {
    script: Box<Script>,
    /// Taken when it has got there.
    child: Option<Child>,
    group: Option<Group>,
    /// Whether this is the second try.
    again: bool,
}

/// A program in a sandbox. It dies when [`SandboxedProcess::kill`] is called, and when the thread ends that has started
/// it.
#[derive(Debug)]
pub struct SandboxedProcess {
    /// The process that was started; it ends as the program ends, and has its three pipes.
    pub child: Child,
    /// The number of the program's own process, as the host has it.
    pub pid: i32,
    /// The number of the process that reaps in the sandbox: all others there are below it. `None` where there is none;
    /// then all are below `pid`.
    pub reaper: Option<i32>,
    /// The program's own process.
    pub(crate) bot: Option<OwnedFd>,
    /// The process whose end is the end of every process in the sandbox; `None` where there is none.
    init: Option<OwnedFd>,
    /// Whether it may be several processes at once.
    several: bool,
    /// Its control groups, where the host has them.
    group: Option<Group>,
}

/// Starts a program with three pipes. A start that fails for want of something, or because somebody has killed or stopped
/// a process of it, is tried once more, here or in [`Starting::confirm`].
///
/// # Errors
/// If no process can be made for it.
pub fn start(request: &StartRequest) -> Result<Starting, Refused> {
    begin(&script(request, false))
}

pub(crate) fn begin(script: &Script) -> Result<Starting, Refused> {
    match Starting::begin(script, false) {
        Err(refused) if refused.kind() == RefusalKind::Shortage => Starting::begin(script, true),
        started => started,
    }
}

/// Makes a sandbox and leaves it again. One try.
pub(crate) fn trial(request: &StartRequest) -> Result<(), Refused> {
    let mut process = Starting::begin(&script(request, true), true)?.confirm()?;
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

/// Whether only a control group can keep the limits. A single process keeps them by itself, where its user is its own;
/// joining a group takes the kernel up to ten milliseconds.
fn needs_group(script: &Script) -> bool {
    let own_user = script.level == Isolation::Full || rustix::process::geteuid().is_root();
    script.level > Isolation::None && (script.limits.processes > 1 || !own_user)
}

impl Starting {
    fn begin(script: &Script, again: bool) -> Result<Self, Refused> {
        let mut child = fork_server::fork()?;
        // Made while the other process begins.
        let group = if needs_group(script) { Group::new(&script.limits) } else { None };
        let folders = group.as_ref().map_or_else(Vec::new, |group| group.folders.clone());
        let script = Box::new(Script {
            cgroups: folders,
            #[cfg(feature = "faults")]
            fault: crate::faults::take(false),
            ..script.clone()
        });
        let written = child.stdin.as_mut().map_or(Ok(()), |stdin| stdin.write_all(&script.encode()));
        let starting = Self { script, child: Some(child), group, again };
        // If it has ended already, it has said why.
        match written {
            Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(Refused::io(Step::Start, "its script", &e)),
            _ => Ok(starting),
        }
    }

    /// Waits until the program has been executed.
    ///
    /// # Errors
    /// What of the sandbox could not be made; then nothing is left of it.
    pub fn confirm(mut self) -> Result<SandboxedProcess, Refused> {
        match self.answer() {
            Err(refused) if refused.kind() == RefusalKind::Shortage && !self.again => {
                let script = self.script.clone();
                // Nothing of the first try is left when the second one begins.
                drop(self);
                Self::begin(&script, true)?.confirm()
            }
            answer => answer,
        }
    }

    fn answer(&mut self) -> Result<SandboxedProcess, Refused> {
        let timeout = if self.script.work.is_some() { TIMEOUT_OF_WORK } else { self::timeout() };
        let until = Instant::now() + timeout;
        let Some(line) = self.line(until, timeout)? else { return Err(self.end(until, timeout)) };
        let line = String::from_utf8_lossy(&line).into_owned();
        match Answer::decode(&line, &self.script.program) {
            Some(Answer::Ready { pid, init }) => self.arrived(pid, init),
            Some(Answer::Refused(refused)) => Err(refused.with_limit(&limits_of_user())),
            None => Err(Refused::new(Step::Start, "", Cause::Protocol(line))),
        }
    }

    fn arrived(&mut self, pid: i32, init: i32) -> Result<SandboxedProcess, Refused> {
        let reaper = Some(init).filter(|init| *init > 0);
        let child = self.child.take().ok_or_else(|| Refused::other(Step::Start, "it was confirmed before"))?;
        let group = self.group.take();
        let ours = child.pid().as_raw_pid();
        let bot = if pid == ours { handle(pid, None) } else { handle(pid, Some(init)) };
        let several = self.script.limits.processes > 1;
        Ok(SandboxedProcess { child, pid, reaper, bot, init: handle(init, Some(ours)), several, group })
    }

    /// The one line of the answer, read byte by byte: what follows is the program's. `None` if there is none and will
    /// not be.
    fn line(&mut self, until: Instant, timeout: Duration) -> Result<Option<Vec<u8>>, Refused> {
        let stdout = self.child.as_mut().and_then(|child| child.stdout.as_mut());
        let stdout = stdout.ok_or_else(|| Refused::other(Step::Start, "there is no pipe"))?;
        let mut line = Vec::new();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Refused::new(Step::Start, "", Cause::NoAnswer(timeout)));
            }
            match poll(&mut [PollFd::new(stdout, PollFlags::IN)], Some(&timespec(left))) {
                Ok(0) | Err(Errno::INTR) => continue,
                Ok(_) => {}
                Err(e) => return Err(Refused::new(Step::Start, "its answer", Cause::Errno(e))),
            }
            let mut byte = [0];
            match stdout.read(&mut byte) {
                Ok(1) if byte[0] == b'\n' => return Ok(Some(line)),
                Ok(1) => line.push(byte[0]),
                Ok(_) => return Ok(None),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Refused::io(Step::Start, "its answer", &e)),
            }
            if line.len() > LINE {
                let line = String::from_utf8_lossy(&line).into_owned();
                return Err(Refused::new(Step::Start, "", Cause::Protocol(line)));
            }
        }
    }

    /// Why it has closed its stdout without an answer.
    fn end(&mut self, until: Instant, timeout: Duration) -> Refused {
        let left = until.saturating_duration_since(Instant::now());
        let cause = match self.child.as_mut().map(|child| child.wait_for(left)) {
            Some(Ok(Some(status))) => Cause::of_status(status),
            Some(Ok(None)) => Cause::NoAnswer(timeout),
            Some(Err(error)) => Cause::of_io(&error),
            None => Cause::Other("it was confirmed before".into()),
        };
        Refused::new(Step::Start, "", cause)
    }
}

/// A handle of a process below ours. It may have ended by now, and its number may be somebody else's: then its parent is
/// another one. `parent` is `None` for a child of this process, whose number is its own until it is waited for.
fn handle(pid: i32, parent: Option<i32>) -> Option<OwnedFd> {
    let handle = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
    let is_it = parent.is_none_or(|parent| parent_of(pid) == Some(parent));
    is_it.then_some(handle)
}

/// The parent of a process, as the kernel has it now.
fn parent_of(pid: i32) -> Option<i32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Its name may have anything in it; behind that come a letter and the number.
    text.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

/// Nothing is left of one that did not get there.
impl Drop for Starting {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = kill_process_group(child.pid(), Signal::KILL);
            let _ = kill_process(child.pid(), Signal::KILL);
            let _ = child.wait_for(KILLED);
        }
    }
}

impl SandboxedProcess {
    /// Kills every process in the sandbox, also those that have left every group and session.
    pub fn kill(&self) {
        if self.init.is_none()
            && let Some(group) = &self.group
        {
            group.kill();
        }
        match &self.init {
            // Whoever waits for it reaps it and ends by itself.
            Some(init) => drop(pidfd_send_signal(init, Signal::KILL)),
            None => {
                let _ = kill_process_group(self.child.pid(), Signal::KILL);
            }
        }
    }

    /// Waits until it has ended after it was [killed](Self::kill), or closed its pipes: how it did. Not for ever: if
    /// somebody has stopped the process that is to tell it, that is killed as well.
    ///
    /// # Errors
    /// If somebody else has waited for it, or it cannot be killed.
    pub fn reap(&mut self) -> io::Result<ExitStatus> {
        if let Some(ended) = self.child.wait_for(KILLED)? {
            return Ok(ended);
        }
        let _ = kill_process(self.child.pid(), Signal::KILL);
        self.child.wait_for(KILLED)?.ok_or_else(|| io::ErrorKind::TimedOut.into())
    }

    /// Whether the kernel has killed a process of it because its [memory](Confinement::memory_mib) was used up. Only a
    /// control group knows that.
    #[must_use]
    pub fn ran_out_of_memory(&self) -> bool {
        self.group.as_ref().is_some_and(Group::ran_out_of_memory)
    }

    /// Stops the program, or lets it go on. Nothing inside can make a stopped process go on.
    pub fn freeze(&self, frozen: bool) {
        // The processes that watch over it are in its group and have nothing to do meanwhile.
        if self.group.as_ref().is_some_and(|group| group.freeze(frozen)) {
            return;
        }
        let signal = if frozen { Signal::STOP } else { Signal::CONT };
        if let Some(bot) = &self.bot {
            let _ = pidfd_send_signal(bot, signal);
        }
        if let Some(init) = self.init.as_ref().filter(|_| self.several) {
            let _ = freeze::order(init, frozen);
        }
    }
}

/// As a wait of the system takes it.
pub(crate) fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() }
}

/// All that the helper is told.
pub(crate) fn script(request: &StartRequest, trial: bool) -> Script {
    let limits = &request.confinement;
    let mut shown = Vec::new();
    let mut links = Vec::new();
    let mut folders = Vec::new();
    for path in &limits.read {
        let Ok(real) = path.canonicalize() else { continue };
        let name = plain(path, &mut folders);
        if real != name && !system::is_system(&name) {
            links.push((name, real.clone()));
        }
        if !system::is_system(&real) && !shown.contains(&real) {
            shown.push(real);
        }
    }
    // A folder before what is in it.
    shown.sort();
    let work = limits.work.as_ref().map(|work| ScriptWork {
        from: work.from.canonicalize().unwrap_or_else(|_| work.from.clone()),
        at: work.at.clone(),
        mib: work.mib,
        keep_mib: 0,
        keep_files: 0,
    });
    Script {
        level: limits.level,
        parent: std::process::id(),
        trial,
        program: request.program.clone(),
        words: request.words.clone(),
        environment: request.environment.clone(),
        dir: request.dir.clone(),
        shown,
        links,
        folders,
        cgroups: Vec::new(),
        #[cfg(feature = "faults")]
        fault: (0, 0),
        limits: ScriptLimits {
            memory_mib: limits.memory_mib,
            processes: limits.processes,
            threads: limits.threads,
            open_files: limits.open_files,
            file_mib: limits.file_mib,
            scratch_mib: limits.scratch_mib,
        },
        work,
    }
}

/// A path without `..`. What stands before one must be there for whoever goes that way, and is noted.
fn plain(path: &Path, folders: &mut Vec<PathBuf>) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            folders.push(plain.clone());
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

/// The environment of a program inside: the same for every bot of a match that is run by the same kind of program.
///
/// These are `PATH`, `HOME`, `LANG` and `TMPDIR`, and what a runtime must know of its limits: Java and .NET would
/// reserve a share of the host's memory else.
#[must_use]
pub fn environment(confinement: &Confinement, program: &Path) -> Vec<(OsString, OsString)> {
    let own = confinement.search.iter().map(|folder| folder.as_os_str().to_owned());
    let usual = ["/usr/local/bin", "/usr/bin", "/bin"].map(OsString::from);
    let search = std::env::join_paths(own.chain(usual)).unwrap_or_else(|_| "/usr/bin:/bin".into());
    let (home, scratch) = if confinement.level == Isolation::Full { (system::HOME, "/tmp") } else { ("/", "/") };
    let mut all: Vec<(OsString, OsString)> = vec![
        ("PATH".into(), search),
        ("HOME".into(), home.into()),
        ("LANG".into(), "C.UTF-8".into()),
        ("TMPDIR".into(), scratch.into()),
    ];
    if let Some(mib) = confinement.memory_mib {
        // The rest is for what is not on the heap: threads, code, the runtime itself.
        let heap = u64::from(mib) * 7 / 10;
        match program.file_name().and_then(OsStr::to_str) {
            Some("java") => {
                all.push(("JDK_JAVA_OPTIONS".into(), format!("-Xmx{heap}m -XX:-UsePerfData").into()));
            }
            Some("dotnet") => all.push(("DOTNET_GCHeapHardLimit".into(), format!("{:#x}", heap << 20).into())),
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_somebody_elses_gives_no_handle() {
        let us = std::process::id() as i32;
        let mut child = std::process::Command::new("sleep").arg("100").spawn().expect("a program of every system");
        let pid = child.id() as i32;
        assert_eq!(parent_of(pid), Some(us));
        assert!(handle(pid, Some(us)).is_some() && handle(pid, None).is_some());
        assert!(handle(pid, Some(us + 1)).is_none() && handle(0, None).is_none());
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
        assert!(handle(pid, Some(us)).is_none());
    }
}
