//! Starts a program in a sandbox. This is the part outside of the sandbox: it asks the helper program for the start
//! and waits for the answer.

use crate::{
    Cause, Confinement, RefusalKind, Refused, Step,
    cgroup::Group,
    child::Child,
    fork_server::{self, MOST_SCRIPT},
    freeze::Freezer,
    handshake::{Answer, limits_of_user},
    helper::END,
    image::Image,
    memory_watch::{Killing, MemoryWatch},
    privacy,
    script::{Script, ScriptLimits, ScriptWork},
    system,
    usage::Processes,
};
use agon_spec::Isolation;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::{AsRawFd, OwnedFd},
    io::{Errno, ioctl_fionbio},
    process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal},
};
use std::{
    ffi::OsString,
    io,
    path::{Component, Path, PathBuf},
    process::ExitStatus,
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

/// How long a process may take to end after it was killed.
const KILLED: Duration = Duration::from_secs(5);
/// How many bytes an empty pipe takes without a reader.
const PAGE: usize = 4096;
/// The longest line of an answer.
const LINE: usize = 4096;

/// A request to start a program in a sandbox.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartRequest {
    /// The absolute path of the file to execute.
    pub program: PathBuf,
    /// The arguments of the program. The first is its name.
    pub words: Vec<OsString>,
    /// All environment variables of the program.
    pub environment: Vec<(OsString, OsString)>,
    /// The absolute path of the working directory. If the program may not see this folder, it is empty in the sandbox.
    pub dir: PathBuf,
    /// What the program may see and use.
    pub confinement: Confinement,
}

/// A program whose sandbox is being set up. Several programs can be started before the first one is
/// [confirmed](Starting::confirm).
#[derive(Debug)]
pub struct Starting {
    script: Box<Script>,
    /// Taken when the program runs.
    child: Option<Child>,
    /// The pipe of the answer. `None` if that is the stdout of the child.
    answers: Option<OwnedFd>,
    group: Option<Group>,
    /// Whether this is the second try.
    again: bool,
}

/// A program in a sandbox. [`SandboxedProcess::kill`] kills it, and so does the end of the thread that has started it.
#[derive(Debug)]
pub struct SandboxedProcess {
    /// The child process that was started. It ends in the same way as the program, and has the program's three pipes.
    pub child: Child,
    /// The ID of the program's own process, as the host sees it.
    pub pid: i32,
    /// The ID of the process that reaps: all processes of the program are its descendants, and it is none of them.
    pub reaper: i32,
    /// A handle of the program's own process. `None` if the system had none left.
    bot: Option<Arc<OwnedFd>>,
    /// A handle of the process that reaps. `None` if the system had none left.
    pub(crate) first: Option<Arc<OwnedFd>>,
    /// Whether the end of the process that reaps kills all others, because it is the first of its namespace. If not, it
    /// has to be asked to kill them.
    own_world: bool,
    /// Whether it may be several processes at once.
    several: bool,
    /// Kills it if it uses too much memory. `None` if its memory is not limited.
    memory: Option<MemoryWatch>,
    /// The control groups of the program. `None` if it has none.
    group: Option<Group>,
}

/// Starts a program with three pipes. At [`Isolation::None`] it is not confined: it has the rights, the limits and the
/// open files of this process, and only its end is taken care of.
///
/// If the host is short of something, or if somebody has killed or stopped a process of the start, this or
/// [`Starting::confirm`] tries once more.
///
/// # Errors
/// The system cannot make a process for the program, or there is no helper program.
pub fn start(request: &StartRequest) -> Result<Starting, Refused> {
    begin(&script(request, false)?)
}

pub(crate) fn begin(script: &Script) -> Result<Starting, Refused> {
    match Starting::begin(script, false) {
        Err(refused) if refused.kind() == RefusalKind::Shortage => Starting::begin(script, true),
        started => started,
    }
}

/// Sets up a sandbox and ends it again, without a second try.
pub(crate) fn trial(request: &StartRequest) -> Result<(), Refused> {
    let mut process = Starting::begin(&script(request, true)?, true)?.confirm()?;
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

/// Whether only a control group can enforce the limits. A single process with its own user is limited by its rlimits
/// alone. That is preferred, because joining a group takes the kernel up to ten milliseconds.
fn needs_group(script: &Script) -> bool {
    let own_user = script.level == Isolation::Full || rustix::process::geteuid().is_root();
    script.level > Isolation::None && (script.limits.processes > 1 || !own_user)
}

impl Starting {
    fn begin(script: &Script, again: bool) -> Result<Self, Refused> {
        let mut script = Box::new(Script {
            #[cfg(feature = "faults")]
            fault: crate::faults::take(false),
            ..script.clone()
        });
        let free = script.is_free();
        if free {
            let image = Image::encode(&script);
            let bare = Script { words: Vec::new(), environment: Vec::new(), ..(*script).clone() };
            let request = [bare.encode(), image].concat();
            let fits = request.len() <= MOST_SCRIPT;
            let (child, answers) = fork_server::fork(free, if fits { &request } else { &[] })?;
            let starting = Self { script, child: Some(child), answers, group: None, again };
            if !fits {
                starting.send(&starting.script.encode())?;
            }
            return Ok(starting);
        }
        let (child, answers) = fork_server::fork(free, &[])?;
        // The group is made while the new process starts.
        let group = if needs_group(&script) { Group::new(&script.limits) } else { None };
        script.cgroups = group.as_ref().map_or_else(Vec::new, |group| group.folders.clone());
        let starting = Self { script, child: Some(child), answers, group, again };
        starting.send(&starting.script.encode())?;
        Ok(starting)
    }

    /// Sends the script. A pipe takes a page at once, but who reads the rest may have been stopped.
    fn send(&self, mut bytes: &[u8]) -> Result<(), Refused> {
        let failed = |e: Errno| Refused::new(Step::Start, "sending the script", Cause::Errno(e));
        let Some(stdin) = self.child.as_ref().and_then(|child| child.stdin.as_ref()) else { return Ok(()) };
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
            Err(refused) if refused.kind() == RefusalKind::Shortage && !self.again => {
                let script = self.script.clone();
                // No process of the first try is left when the second one begins.
                drop(self);
                Self::begin(&script, true)?.confirm()
            }
            answer => answer,
        }
    }

    fn answer(&mut self) -> Result<SandboxedProcess, Refused> {
        let timeout = if self.script.work.is_some() { TIMEOUT_OF_WORK } else { self::timeout() };
        let until = Instant::now() + timeout;
        let answer = match &self.answers {
            Some(answers) => whole_answer(answers, until, timeout)?,
            None => self.line(until, timeout)?,
        };
        let Some(answer) = answer else { return Err(self.end(until, timeout)) };
        let answer = String::from_utf8_lossy(&answer).into_owned();
        // If the system refuses to execute a program that is not confined, a second line says so.
        match Answer::decode(
            answer.lines().last().unwrap_or_default(),
            &self.script.program,
            self.script.interpreted.as_deref(),
        ) {
            Some(Answer::Ready { pid, init }) => self.arrived(pid, init),
            Some(Answer::Refused(refused)) => Err(refused.with_limit(&limits_of_user())),
            None => Err(Refused::new(Step::Start, "", Cause::Protocol(answer))),
        }
    }

    fn arrived(&mut self, pid: i32, init: i32) -> Result<SandboxedProcess, Refused> {
        let child = self.child.take().ok_or_else(|| Refused::other(Step::Start, "the start was confirmed twice"))?;
        let group = self.group.take();
        let ours = child.pid().as_raw_pid();
        let own_world = self.script.level == Isolation::Full;
        let (reaper, first) = if own_world { (init, handle(init, Some(ours))) } else { (ours, handle(ours, None)) };
        let (bot, first) = (handle(pid, Some(reaper)).map(Arc::new), first.map(Arc::new));
        let several = self.script.is_free() || self.script.limits.processes > 1;
        let mut process = SandboxedProcess { child, pid, reaper, bot, first, own_world, several, memory: None, group };
        if let Some(limit) = self.script.limits.memory_mib {
            process.limit_memory(limit).map_err(|error| {
                process.kill();
                let _ = process.reap();
                Refused::io(Step::Start, "the watch over its memory", &error)
            })?;
        }
        Ok(process)
    }

    /// Reads the line of the answer byte by byte, because what follows it is the program's output. `None` if the
    /// stream ends before the line does.
    fn line(&self, until: Instant, timeout: Duration) -> Result<Option<Vec<u8>>, Refused> {
        let pipe = self.child.as_ref().and_then(|child| child.stdout.as_ref());
        let pipe = pipe.ok_or_else(|| Refused::other(Step::Start, "the new process has no stdout"))?;
        let mut line = Vec::new();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Refused::new(Step::Start, "", Cause::NoAnswer(timeout)));
            }
            match poll(&mut [PollFd::new(&pipe, PollFlags::IN)], Some(&timespec(left))) {
                Ok(0) | Err(Errno::INTR) => continue,
                Ok(_) => {}
                Err(e) => return Err(Refused::new(Step::Start, "reading the answer", Cause::Errno(e))),
            }
            let mut byte = [0];
            match rustix::io::read(pipe, &mut byte) {
                Ok(1) if byte[0] == b'\n' => return Ok(Some(line)),
                Ok(1) => line.push(byte[0]),
                Ok(_) => return Ok(None),
                Err(Errno::INTR) => {}
                Err(e) => return Err(Refused::new(Step::Start, "reading the answer", Cause::Errno(e))),
            }
            if line.len() > LINE {
                let line = String::from_utf8_lossy(&line).into_owned();
                return Err(Refused::new(Step::Start, "", Cause::Protocol(line)));
            }
        }
    }

    /// Finds out why the process has closed its stdout without an answer.
    fn end(&mut self, until: Instant, timeout: Duration) -> Refused {
        let left = until.saturating_duration_since(Instant::now());
        let cause = match self.child.as_mut().map(|child| child.wait_for(left)) {
            Some(Ok(Some(status))) => Cause::of_status(status),
            Some(Ok(None)) => Cause::NoAnswer(timeout),
            Some(Err(error)) => Cause::of_io(&error),
            None => Cause::Other("the start was confirmed twice".into()),
        };
        Refused::new(Step::Start, "", cause)
    }
}

/// Reads the answer of a program that is not confined, when the pipe for it was closed by the execution of the program.
/// `None` if there is none.
fn whole_answer(pipe: &OwnedFd, until: Instant, timeout: Duration) -> Result<Option<Vec<u8>>, Refused> {
    let failed = |e: Errno| Refused::new(Step::Start, "reading the answer", Cause::Errno(e));
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Refused::new(Step::Start, "", Cause::NoAnswer(timeout)));
        }
        // The end of the pipe is reported unasked.
        match poll(&mut [PollFd::new(pipe, PollFlags::empty())], Some(&timespec(left))) {
            Ok(0) | Err(Errno::INTR) => continue,
            Ok(_) => break,
            Err(e) => return Err(failed(e)),
        }
    }
    let mut answer = vec![0; LINE];
    let mut length = 0;
    while length < answer.len() {
        match rustix::io::read(pipe, &mut answer[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(Errno::INTR) => {}
            Err(e) => return Err(failed(e)),
        }
    }
    answer.truncate(length);
    Ok(Some(answer).filter(|answer| !answer.is_empty()))
}

/// Opens a handle of a descendant of this process. The process may have ended, and its ID may belong to another
/// process by now. That process has a different parent, so `parent` is compared. `parent` is `None` for a child of
/// this process, which keeps its ID until it is waited for.
pub(crate) fn handle(pid: i32, parent: Option<i32>) -> Option<OwnedFd> {
    let handle = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
    let is_it = parent.is_none_or(|parent| parent_by(&handle).or_else(|| parent_of(pid)) == Some(parent));
    is_it.then_some(handle)
}

/// The present parent of a process, by its handle. `None` if the process is gone, or before Linux 6.13.
fn parent_by(handle: &OwnedFd) -> Option<i32> {
    /// `PIDFD_GET_INFO` for the structure in its first version.
    const GET_INFO: u32 = 3 << 30 | (size_of::<Info>() as u32) << 16 | 0xff << 8 | 11;
    // `struct pidfd_info` in its first version.
    #[repr(C)]
    #[derive(Default)]
    struct Info {
        mask: u64,
        control_group: u64,
        process: u32,
        thread_group: u32,
        parent: u32,
        users_and_groups: [u32; 8],
        exit_code: i32,
    }
    const { assert!(size_of::<Info>() == 64) };
    let mut info = Info::default();
    // SAFETY: the kernel writes a structure of the size that the request has.
    let done = unsafe { libc::ioctl(handle.as_raw_fd(), GET_INFO as _, &raw mut info) };
    i32::try_from(info.parent).ok().filter(|parent| done == 0 && *parent > 0)
}

/// Whether the process of a handle has not ended.
pub(crate) fn runs(process: &OwnedFd) -> bool {
    let at_once = timespec(Duration::ZERO);
    poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&at_once)).is_ok_and(|ended| ended == 0)
}

/// The present parent of a process.
fn parent_of(pid: i32) -> Option<i32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the process may contain any byte. A letter and the ID of the parent follow it.
    text.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

/// A start that was not confirmed leaves no process behind.
impl Drop for Starting {
    fn drop(&mut self) {
        let Some(child) = &mut self.child else { return };
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

impl SandboxedProcess {
    /// Kills every process in the sandbox, including those that have left their group and session.
    pub fn kill(&self) {
        if self.own_world {
            match &self.first {
                // The process that waits for the first process reaps it, and then ends by itself.
                Some(init) => drop(pidfd_send_signal(init, Signal::KILL)),
                None => drop(kill_process_group(self.child.pid(), Signal::KILL)),
            }
            return;
        }
        if let Some(group) = &self.group {
            group.kill();
        }
        self.kill_bot();
        match &self.first {
            Some(keeper) => drop(pidfd_send_signal(keeper, END)),
            None => self.child.signal(END),
        }
    }

    /// Kills the program and its group, without the help of any other process.
    fn kill_bot(&self) {
        // While the program runs, no other group has its number.
        if let (Some(bot), Some(group)) = (self.bot.as_ref().filter(|bot| runs(bot)), Pid::from_raw(self.pid)) {
            let _ = kill_process_group(group, Signal::KILL);
            let _ = pidfd_send_signal(bot, Signal::KILL);
        }
    }

    /// Limits the memory of a program whose [confinement](Confinement::memory_mib) does not limit it, in MiB. If the program
    /// uses more, it is killed.
    ///
    /// # Errors
    /// The system starts no thread for the watch.
    pub fn limit_memory(&mut self, limit_mib: u32) -> io::Result<()> {
        // Several processes are found when they are counted and killed.
        let processes = if self.several { Processes::tree(self.reaper, false) } else { Processes::one(self.pid) };
        let bot = self.bot.clone().filter(|_| !self.several);
        let first = self.first.clone();
        let killing = Killing {
            bot,
            control_group: self.group.as_ref().and_then(Group::killing_file),
            first: first.map(|first| (first, if self.own_world { Signal::KILL } else { END })),
            group: None,
        };
        let group = if self.several { self.group.as_ref().and_then(Group::memory_file) } else { None };
        self.memory = Some(MemoryWatch::new(processes, group, killing, limit_mib)?);
        Ok(())
    }

    /// The watch over its memory. `None` if its [memory](Confinement::memory_mib) is not limited.
    #[must_use]
    pub fn memory(&self) -> Option<&MemoryWatch> {
        self.memory.as_ref()
    }

    /// Waits until the program has ended, and returns how. Call this after the program was [killed](Self::kill) or has
    /// closed its pipes. The wait is bounded: if the process that reports the end does not answer, for example because
    /// somebody has stopped it, it is killed too.
    ///
    /// # Errors
    /// Something else has waited for the process, or it cannot be killed.
    pub fn reap(&mut self) -> io::Result<ExitStatus> {
        // From then on its IDs may belong to other processes.
        if let Some(memory) = &self.memory {
            memory.end();
        }
        if let Some(ended) = self.child.wait_for(KILLED)? {
            return Ok(ended);
        }
        self.child.signal(Signal::KILL);
        if !self.own_world {
            self.kill_bot();
        }
        self.child.wait_for(KILLED)?.ok_or_else(|| io::ErrorKind::TimedOut.into())
    }

    /// Whether the program was killed because it used more [memory](Confinement::memory_mib) than it may, or the kernel
    /// has killed a process of its control group for that.
    #[must_use]
    pub fn ran_out_of_memory(&self) -> bool {
        self.memory.as_ref().is_some_and(MemoryWatch::is_exceeded)
            || self.group.as_ref().is_some_and(Group::ran_out_of_memory)
    }

    /// Returns the CPU time of all its processes, including those that have ended. `None` if no control group counts it.
    #[must_use]
    pub fn cpu_time(&self) -> Option<Duration> {
        self.group.as_ref()?.cpu_time()
    }

    /// Whether the program may start processes of its own.
    #[must_use]
    pub fn may_be_several(&self) -> bool {
        self.several
    }

    /// Returns what stops the program and lets it continue. It outlives the program, and then does nothing.
    #[must_use]
    pub fn freezer(&self) -> Freezer {
        Freezer {
            bot: self.bot.clone(),
            first: self.first.clone().filter(|_| self.several && self.own_world),
            reaper: self.first.clone(),
            group: self.group.as_ref().and_then(Group::freezing_file),
        }
    }
}

/// Converts a time for `poll`.
pub(crate) fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() }
}

/// Makes the script for the helper. `trial` only sets up the sandbox and executes no program.
///
/// # Errors
/// A path now leads to a file or folder that a bot may not see.
pub(crate) fn script(request: &StartRequest, trial: bool) -> Result<Script, Refused> {
    let limits = &request.confinement;
    let mut shown = Vec::new();
    let mut links = Vec::new();
    let mut folders = Vec::new();
    let homes = if limits.read.is_empty() { Vec::new() } else { privacy::homes() };
    for path in &limits.read {
        let Ok(real) = path.canonicalize() else { continue };
        // The path may now lead to another place than when it was checked first. From here on it contains no links, and
        // the helper follows none when it opens it.
        privacy::is_open(path, &real, &homes).map_err(|why| Refused::other(Step::Folder, why.what))?;
        let name = plain(path, &mut folders);
        if real != name && !system::is_system(&name) {
            links.push((name, real.clone()));
        }
        if !system::is_system(&real) && !shown.contains(&real) {
            shown.push(real);
        }
    }
    // A folder must come before its contents.
    shown.sort();
    let work = limits.work.as_ref().map(|work| ScriptWork {
        from: work.from.canonicalize().unwrap_or_else(|_| work.from.clone()),
        at: work.at.clone(),
        mib: work.mib,
        keep_mib: 0,
        keep_files: 0,
    });
    Ok(Script {
        level: limits.level,
        parent: std::process::id(),
        trial,
        program: request.program.clone(),
        interpreted: limits.script.clone(),
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
            reserved_mib: limits.reserved_mib,
            processes: limits.processes,
            threads: limits.threads,
            open_files: limits.open_files,
            file_mib: limits.file_mib,
            scratch_mib: limits.scratch_mib,
        },
        work,
    })
}

/// Removes `..` from a path. The folders before each `..` must exist in the sandbox for the path to work, so they are
/// added to `folders`.
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

/// The environment variables of a program in a sandbox. They depend only on the confinement.
///
/// They are `PATH`, `HOME`, `LANG` and `TMPDIR`. If memory is limited, they also have the size of the heap for Java and .NET,
/// because these runtimes would otherwise reserve a share of the host's memory. A script may start them, so every program
/// gets these variables.
#[must_use]
pub fn environment(confinement: &Confinement) -> Vec<(OsString, OsString)> {
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
        // The rest is for everything outside of the heap: threads, code, the runtime itself. The serial collector needs the
        // least of it. What the virtual machine says about itself belongs on stderr: on stdout it would be an answer.
        let heap = u64::from(mib) / 2;
        let java = format!("-XX:+UseSerialGC -Xmx{heap}m -XX:-UsePerfData -XX:+DisplayVMOutputToStderr");
        all.push(("JDK_JAVA_OPTIONS".into(), java.into()));
        all.push(("DOTNET_GCHeapHardLimit".into(), format!("{:#x}", heap << 20).into()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_now_leads_to_a_closed_folder_is_refused() {
        let link = std::env::temp_dir().join(format!("agon-start-{}", std::process::id()));
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink("/", &link).expect("a link");
        let confinement = Confinement { read: vec![link.clone()], ..Confinement::new(Isolation::Full) };
        let program = PathBuf::from("/bin/true");
        let dir = PathBuf::from("/");
        let request = StartRequest { program, words: Vec::new(), environment: Vec::new(), dir, confinement };
        let refused = script(&request, false).expect_err("it leads to everything");
        assert_eq!(refused.step, Step::Folder);
        std::fs::remove_file(&link).expect("it is ours");
    }

    #[test]
    fn a_number_that_is_somebody_elses_gives_no_handle() {
        let us = std::process::id() as i32;
        let mut child = std::process::Command::new("sleep").arg("100").spawn().expect("a program of every system");
        let pid = child.id() as i32;
        assert_eq!(parent_of(pid), Some(us));
        let known = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).expect("it runs");
        assert!(parent_by(&known).is_none_or(|parent| parent == us));
        assert!(handle(pid, Some(us)).is_some() && handle(pid, None).is_some());
        assert!(handle(pid, Some(us + 1)).is_none() && handle(0, None).is_none());
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
        assert!(handle(pid, Some(us)).is_none() && parent_by(&known).is_none());
    }
}
