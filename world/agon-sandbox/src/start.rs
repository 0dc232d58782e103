//! The outside: a program is started inside, and says whether it got there.

use crate::{
    Confinement,
    cgroup::Group,
    child::Child,
    fork_server,
    script::{Script, ScriptLimits, ScriptWork},
    system,
};
use agon_spec::Isolation;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal},
};
use std::{
    ffi::{OsStr, OsString},
    fmt,
    io::{self, Read, Write},
    path::{Component, Path, PathBuf},
    time::{Duration, Instant},
};

/// How long the inside may take to be made. It takes milliseconds; a machine that swaps takes longer.
const PATIENCE: Duration = Duration::from_secs(20);
/// The longest line of an inside.
const LINE: usize = 4096;

/// A program that shall be started inside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
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

/// Why nothing was started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// What could not be done, as `namespaces`, `landlock`, `program`.
    pub step: String,
    /// Why, a lower-case fragment.
    pub why: String,
}

impl Refused {
    pub(crate) fn new(step: impl Into<String>, why: impl Into<String>) -> Self {
        Self { step: step.into(), why: why.into() }
    }

    /// Whether the program is at fault rather than the sandbox: it is not there, or cannot be executed.
    #[must_use]
    pub fn is_of_program(&self) -> bool {
        self.step == "program"
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_of_program() { f.write_str(&self.why) } else { write!(f, "{}: {}", self.step, self.why) }
    }
}

impl std::error::Error for Refused {}

/// A program that is on its way inside. Several may be, before the first is [confirmed](Starting::confirm).
#[derive(Debug)]
pub struct Starting {
    /// Taken when it has got there.
    child: Option<Child>,
    group: Option<Group>,
}

/// A program inside. It dies when [`Inmate::kill`] is called, and when the thread ends that has started it.
#[derive(Debug)]
pub struct Inmate {
    /// The process that was started; it ends as the program ends, and has its three pipes.
    pub child: Child,
    /// The number of the program's own process, as the host has it.
    pub pid: i32,
    /// The number of the process that reaps inside: all others inside are below it. `None` where there is none; then
    /// all are below `pid`.
    pub reaper: Option<i32>,
    /// The program's own process.
    pub(crate) bot: Option<OwnedFd>,
    /// The process whose end is the end of every process inside; `None` where there is none.
    init: Option<OwnedFd>,
    /// Its control groups, where the host has them.
    group: Option<Group>,
}

/// Starts a program with three pipes.
///
/// # Errors
/// If this program cannot be started anew.
pub fn start(order: &Order) -> Result<Starting, Refused> {
    begin(&script(order, false))
}

pub(crate) fn begin(script: &Script) -> Result<Starting, Refused> {
    let failed = |e: io::Error| Refused::new("start", format!("this program cannot be started anew: {e}"));
    let mut child = fork_server::fork().map_err(failed)?;
    // Made while the other process begins.
    let group = if needs_group(script) { Group::new(&script.limits) } else { None };
    let folders = group.as_ref().map_or_else(Vec::new, |group| group.folders.clone());
    let script = Script { cgroups: folders, ..script.clone() };
    let written = child.stdin.as_mut().map_or(Ok(()), |stdin| stdin.write_all(&script.encode()));
    let starting = Starting { child: Some(child), group };
    // If it has ended already, it has said why.
    match written {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(failed(e)),
        _ => Ok(starting),
    }
}

/// Whether only a control group can keep the limits. A single process keeps them by itself, where its user is its own;
/// joining a group takes the kernel up to ten milliseconds.
fn needs_group(script: &Script) -> bool {
    let own_user = script.level == Isolation::Full || rustix::process::geteuid().is_root();
    script.level > Isolation::None && (script.limits.processes > 1 || !own_user)
}

impl Starting {
    /// Waits until the program has been executed.
    ///
    /// # Errors
    /// What of the inside could not be made; then nothing is left of it.
    pub fn confirm(mut self) -> Result<Inmate, Refused> {
        let line = self.line();
        let words = line.as_ref().ok().and_then(|line| line.strip_prefix("ready "));
        let numbers = words.and_then(|words| words.split_once(' '));
        let number = |text: &str| text.parse::<i32>().ok();
        if let Some((Some(pid), Some(init))) = numbers.map(|(pid, init)| (number(pid), number(init))) {
            let reaper = Some(init).filter(|init| *init > 0);
            if let Some(child) = self.child.take() {
                let group = self.group.take();
                let ours = child.pid().as_raw_pid();
                let bot = if pid == ours { handle(pid, None) } else { handle(pid, Some(init)) };
                return Ok(Inmate { child, pid, reaper, bot, init: handle(init, Some(ours)), group });
            }
        }
        let told = line.as_ref().ok().and_then(|line| line.strip_prefix("failed "));
        Err(match (told.and_then(|told| told.split_once(": ")), line.as_ref()) {
            (Some((step, why)), _) => Refused::new(step, why),
            (None, Err(why)) => Refused::new("start", why),
            (None, Ok(line)) => Refused::new("start", format!("the inside said `{}`", line.escape_default())),
        })
    }

    /// The one line of the inside, read byte by byte: what follows is the program's.
    fn line(&mut self) -> Result<String, String> {
        let stdout = self.child.as_mut().and_then(|child| child.stdout.as_mut()).ok_or("there is no pipe")?;
        let until = Instant::now() + PATIENCE;
        let mut line = Vec::new();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err("the inside did not answer in time".into());
            }
            let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
            match poll(&mut [PollFd::new(stdout, PollFlags::IN)], Some(&timeout)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                Ok(_) => {}
                Err(e) => return Err(e.to_string()),
            }
            let mut byte = [0];
            match stdout.read(&mut byte) {
                Ok(1) if byte[0] == b'\n' => return Ok(String::from_utf8_lossy(&line).into_owned()),
                Ok(1) if line.len() < LINE => line.push(byte[0]),
                Ok(1) => return Err("the inside does not end its line".into()),
                Ok(_) => return Err("the inside has ended without a word".into()),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e.to_string()),
            }
        }
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
            let _ = child.wait();
        }
    }
}

impl Inmate {
    /// Kills every process inside, also those that have left every group and session.
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
    }
}

/// All that the inside is told.
pub(crate) fn script(order: &Order, trial: bool) -> Script {
    let limits = &order.confinement;
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
        program: order.program.clone(),
        words: order.words.clone(),
        environment: order.environment.clone(),
        dir: order.dir.clone(),
        shown,
        links,
        folders,
        cgroups: Vec::new(),
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
