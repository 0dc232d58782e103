//! The inside: this program, started anew, makes a place in which nothing can be harmed, and becomes the bot in it.
//!
//! It is started by `posix_spawn`, so that what it costs does not grow with the memory of whoever runs the match, and
//! it has one thread, so that it may `fork`. It stays, and every program gets a copy of it: see `serve`. The script of a
//! program comes on stdin; one line on stdout says how it went, and from then on the three pipes are the bot's.

mod calls;
mod init;
mod landlock;
mod limits;
mod namespaces;
mod privileges;
mod root;
mod seccomp;
mod serve;
mod trap_door;

use crate::{script::Script, tree};
use agon_spec::Isolation;
use rustix::{
    fd::{AsFd, BorrowedFd},
    io::Errno,
    process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal},
};
use std::{fs::File, io::Write, mem::ManuallyDrop, os::fd::FromRawFd, path::Path};

pub(crate) use landlock::version as landlock_version;

/// The first and only word of a program that is started as the inside.
pub(crate) const WORD: &str = "inside-sandbox";

/// The exit code of an inside that could not be made; what it could not do is in its line.
const UNMADE: i32 = 125;
/// The exit code of a program that the system refused at the last moment, as shells have it.
const NOT_EXECUTED: i32 = 127;

/// This process, if it was started to become a bot in a sandbox.
#[derive(Debug)]
pub struct Inside(());

/// What could not be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failed {
    pub step: &'static str,
    pub why: String,
}

impl Failed {
    pub(crate) fn new(step: &'static str, why: impl Into<String>) -> Self {
        Self { step, why: why.into() }
    }
}

impl Inside {
    /// Whether this process was started for that: asked first of all in `main`.
    #[must_use]
    pub fn asked_for() -> Option<Self> {
        let mut words = std::env::args_os().skip(1);
        (words.next()? == WORD && words.next().is_none()).then_some(Self(()))
    }

    /// Makes a new process for every program that is to be started; each becomes the program, or what watches over it.
    /// Never returns.
    pub fn run(self) -> ! {
        serve::serve();
        match enter() {
            Ok(never) => match never {},
            Err(failed) => report(&failed),
        }
    }
}

/// Says what failed, and ends.
fn report(failed: &Failed) -> ! {
    let why = failed.why.replace('\n', " ");
    let _ = say(&format!("failed {}: {why}\n", failed.step));
    exit(UNMADE)
}

/// Ends without running anything that was registered for a normal end, as a fork must.
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: takes no pointer and does not return.
    unsafe { libc::_exit(code) }
}

/// Writes the one line to whoever started this.
fn say(line: &str) -> std::io::Result<()> {
    // SAFETY: nothing else in this program owns this descriptor, and the file is not closed.
    let mut stdout = ManuallyDrop::new(unsafe { File::from_raw_fd(1) });
    stdout.write_all(line.as_bytes())
}

fn enter() -> Result<std::convert::Infallible, Failed> {
    close_all_but_pipes();
    // SAFETY: nothing else in this program owns this descriptor, and the file is not closed.
    let stdin = ManuallyDrop::new(unsafe { File::from_raw_fd(0) });
    let script = Script::read(&mut &*stdin).map_err(|e| Failed::new("script", e.to_string()))?;
    die_with(script.parent)?;
    join(&script.cgroups)?;
    match script.level {
        Isolation::Full => namespaces::enter(&script),
        Isolation::Restricted | Isolation::None => become_bot(&script, Surroundings::host(script.level)),
    }
}

/// Dies when the process dies that it was started by, which may have happened by now.
pub(crate) fn die_with(parent: u32) -> Result<(), Failed> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|e| Failed::new("parent", e.to_string()))?;
    if getppid().map_or(0, Pid::as_raw_pid) == parent as i32 {
        Ok(())
    } else {
        Err(Failed::new("parent", "the match has ended"))
    }
}

/// Descriptors that somebody forgot to close must not become a bot's.
fn close_all_but_pipes() {
    // SAFETY: the runtime has opened nothing but the first three, and nothing here has yet.
    unsafe { libc::syscall(libc::SYS_close_range, 3u32, u32::MAX, 0u32) };
}

/// Joins cgroups that were made for this bot.
fn join(groups: &[std::path::PathBuf]) -> Result<(), Failed> {
    for group in groups {
        std::fs::write(group.join("cgroup.procs"), "0")
            .map_err(|e| Failed::new("cgroup", format!("`{}`: {e}", group.display())))?;
    }
    Ok(())
}

/// Where a process is that becomes the bot.
#[derive(Debug)]
pub(crate) struct Surroundings {
    /// The user to become, where that is another one.
    pub user: Option<u32>,
    /// Whether the processes of this user are this bot's alone.
    pub counted: bool,
    /// The host's `/proc`, from inside a namespace.
    pub host_proc: Option<rustix::fd::OwnedFd>,
    /// The number of the process that reaps, as the host has it.
    pub init: i32,
    /// What to wait for before anything is executed.
    pub gate: Option<rustix::fd::OwnedFd>,
}

impl Surroundings {
    /// No namespaces.
    fn host(level: Isolation) -> Self {
        let user = if level > Isolation::None { unused_user() } else { None };
        Self { user, counted: user.is_some(), host_proc: None, init: 0, gate: None }
    }
}

/// A user that nobody is, for a bot that is started by root: one for every process number. `None` for an ordinary user,
/// and for the root of a container that has only some of the host's users: who is no more than an ordinary user of it.
pub(crate) fn unused_user() -> Option<u32> {
    let user = 0x4000_0000 + getpid().as_raw_pid().unsigned_abs();
    let exists = |map: &str| std::fs::read_to_string(map).is_ok_and(|map| maps(&map, user));
    let root = rustix::process::geteuid().is_root();
    (root && exists("/proc/self/uid_map") && exists("/proc/self/gid_map")).then_some(user)
}

/// Whether a user is in one of the ranges of a map: its first number inside, its first outside, its length.
fn maps(map: &str, user: u32) -> bool {
    map.lines().any(|line| {
        let mut numbers = line.split_whitespace().filter_map(|number| number.parse::<u32>().ok());
        let (Some(first), _, Some(length)) = (numbers.next(), numbers.next(), numbers.next()) else { return false };
        user >= first && user - first < length
    })
}

/// Gives everything up that a bot must not have, and executes it.
pub(crate) fn become_bot(script: &Script, place: Surroundings) -> Result<std::convert::Infallible, Failed> {
    let full = script.level == Isolation::Full;
    if full {
        // A group of its own. No session: the kernel schedules sessions against each other, which makes every exchange
        // with a bot in another one dearer, and there is no terminal inside to keep it from.
        rustix::process::setpgid(None, None).map_err(|e| Failed::new("group", e.to_string()))?;
    }
    if let Some(work) = script.work.as_ref().filter(|_| full) {
        rustix::process::chdir(&work.at).map_err(|e| Failed::new("work", format!("`{}`: {e}", work.at.display())))?;
    } else {
        rustix::process::chdir(&script.dir)
            .map_err(|e| Failed::new("folder", format!("`{}`: {e}", script.dir.display())))?;
    }
    let pid = host_pid(place.host_proc.as_ref().map(AsFd::as_fd))?;
    limits::set(script, place.counted)?;
    if let Some(user) = place.user {
        if let Some(work) = script.work.as_ref().filter(|_| !full) {
            tree::give(&work.at, user).map_err(about("work", &work.at))?;
        }
        privileges::become_user(user)?;
    }
    if script.level > Isolation::None {
        privileges::drop_all()?;
    }
    // Changing the user has cleared it.
    if !full {
        die_with(script.parent)?;
    }
    trap_door::check(&script.program)?;
    if script.level > Isolation::None {
        let signals_scoped = full || landlock::scopes_signals();
        landlock::shut(script)?;
        let children = script.limits.processes > 1;
        let own_pid = getpid().as_raw_pid().unsigned_abs();
        // A build writes to its copy of a folder, also what its files may be used for.
        let among_hosts_files = !full && script.work.is_none();
        let how = seccomp::Strictness { own_pid, children, signals_scoped, stay_in_group: !full, among_hosts_files };
        seccomp::refuse(how).map_err(|why| Failed::new("seccomp", why))?;
    }
    if let Some(gate) = place.gate {
        namespaces::wait_at(&gate)?;
    }
    let ready = format!("ready {pid} {}\n", place.init);
    if say(&ready).is_err() {
        exit(UNMADE);
    }
    if script.trial {
        exit(0);
    }
    if script.work.is_some() {
        // Of a job only its files go home; all that it says is its log.
        say_on_stderr()?;
    }
    let error = trap_door::execute(script);
    // Too late for the line on stdout, which may be the bot's by now.
    let _ = writeln!(std::io::stderr(), "cannot execute `{}`: {error}", script.program.display());
    exit(NOT_EXECUTED)
}

/// Makes stdout another name of stderr.
fn say_on_stderr() -> Result<(), Failed> {
    // SAFETY: takes no pointers; both descriptors are open and nothing in this program owns them.
    match unsafe { libc::dup2(2, 1) } {
        -1 => Err(Failed::new("pipes", std::io::Error::last_os_error().to_string())),
        _ => Ok(()),
    }
}

/// The number of this process as the host has it.
pub(crate) fn host_pid(host_proc: Option<BorrowedFd<'_>>) -> Result<i32, Failed> {
    let Some(proc) = host_proc else { return Ok(getpid().as_raw_pid()) };
    let name = rustix::fs::readlinkat(proc, "self", Vec::new())
        .map_err(|e| Failed::new("proc", format!("the host's: {e}")))?;
    let number = name.to_str().ok().and_then(|name| name.parse().ok());
    number.ok_or_else(|| Failed::new("proc", "the host's does not know this process"))
}

/// The words for an error about a path.
pub(crate) fn about(step: &'static str, path: &Path) -> impl Fn(std::io::Error) -> Failed {
    move |e| Failed::new(step, format!("`{}`: {e}", path.display()))
}

/// The words for an error of a call.
pub(crate) fn call(step: &'static str, what: &str) -> impl Fn(Errno) -> Failed {
    move |e| Failed::new(step, format!("{what}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::maps;

    #[test]
    fn a_user_is_looked_for_in_every_range() {
        assert!(maps("         0          0 4294967295\n", 0x4000_0007));
        assert!(!maps("0 1000 1\n", 0x4000_0007));
        assert!(!maps("0 1000 1\n1 100000 65536\n", 0x4000_0007));
        assert!(maps("0 1000 1\n1 100000 65536\n", 65536) && !maps("0 1000 1\n1 100000 65536\n", 65537));
        assert!(!maps("", 0) && !maps("0 0", 0));
    }
}
