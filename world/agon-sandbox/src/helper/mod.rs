//! The helper program: it makes a sandbox and becomes the bot in it.
//!
//! `posix_spawn` starts it, so that the cost does not grow with the memory of the process that runs the match. It has
//! one thread, so that it may `fork`. It keeps running, and every program starts as a copy of it: see `serve`. The
//! script of a program arrives on stdin. The answer has a pipe of its own, which the kernel closes when it executes the program.
//!
//! | module | what it does |
//! | --- | --- |
//! | `serve` | the fork server: makes copies of this process |
//! | `namespaces`, `root` | at `full`: namespaces, and a root with nothing of the host |
//! | `cgroup` | moves processes into control groups |
//! | `system_files` | the files that every root has of the system |
//! | `site` | makes folders, files and mounts in a root |
//! | `shown` | opens what a bot may see of the host |
//! | `init` | at `full`: the first process of these namespaces |
//! | `keeper` | at the other levels: the process that ends everything |
//! | `limits`, `privileges` | limits of resources, users and capabilities |
//! | `landlock` | files, ports and signals |
//! | `seccomp`, `calls` | the filter of system calls, and the list of the calls that it refuses |
//! | `permits` | the options of calls that the filter permits |
//! | `bpf` | programs for the machine in the kernel that filters calls |
//! | `exec` | checks that the program can be executed, and executes it |

mod bpf;
mod calls;
mod cgroup;
mod exec;
mod init;
mod keeper;
mod landlock;
mod limits;
mod namespaces;
mod permits;
mod privileges;
mod root;
mod seccomp;
mod serve;
mod shown;
mod site;
mod system_files;

use crate::{ProgramError, Refused, Step, handshake::Answer, script::Script, tree};
use agon_spec::Isolation;
use rustix::{
    fd::{AsFd, BorrowedFd},
    fs::Mode,
    process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal},
};
use std::{
    convert::Infallible,
    fs::File,
    io::{self, Write},
    mem::ManuallyDrop,
    os::fd::FromRawFd,
    sync::atomic::{AtomicBool, AtomicI32, Ordering},
};

pub(crate) use {keeper::END, landlock::version as landlock_version};

/// The first argument of a program that is started as the helper.
pub(crate) const WORD: &str = "sandbox-helper";
/// Whether `main` of this program begins with [`helper`]. Only then may it be started again as the helper.
static CALLED: AtomicBool = AtomicBool::new(false);

/// The exit code if the program is not executed. The answer has the reason.
const REFUSED: i32 = 125;
/// The descriptor of the pipe for the answer.
static ANSWER: AtomicI32 = AtomicI32::new(-1);

/// Runs the helper if this process was started as one. Call this first in `main`.
///
/// In a process that was started as the helper of a sandbox, this never returns. In any other process it returns
/// immediately, and from then on this program may be started again as the helper.
pub fn helper() {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == WORD) {
        #[cfg(feature = "faults")]
        if let (Some(point), Some(fault)) = (words.next(), words.next()) {
            let number = |word: std::ffi::OsString| word.to_str().and_then(|word| word.parse().ok()).unwrap_or(0);
            crate::faults::note(number(point), number(fault));
        }
        run();
    }
    CALLED.store(true, Ordering::Relaxed);
}

/// Whether this program has called [`helper`].
pub(crate) fn is_called() -> bool {
    CALLED.load(Ordering::Relaxed)
}

/// Makes a new process for each request. Each new process becomes the program, or a process that watches over it.
fn run() -> ! {
    let umask = serve::serve();
    match enter(umask) {
        Ok(never) => match never {},
        Err(refused) => report(refused),
    }
}

/// Reports a refusal and ends this process.
pub(crate) fn report(refused: Refused) -> ! {
    let _ = say(Answer::Refused(refused).encode().as_bytes());
    exit(REFUSED)
}

/// Ends this process without running exit handlers, as a forked process must.
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: takes no pointer and does not return.
    unsafe { libc::_exit(code) }
}

/// Writes the answer to the process that asked for the start.
fn say(answer: &[u8]) -> io::Result<()> {
    // SAFETY: nothing else in this program owns the descriptor, and the file is not closed.
    let mut pipe = ManuallyDrop::new(unsafe { File::from_raw_fd(ANSWER.load(Ordering::Relaxed)) });
    pipe.write_all(answer)
}

/// Ends the answer as far as it comes from this process, which does not become the program.
fn end_answer() {
    // SAFETY: nothing else in this program owns the descriptor, and this process uses it no more.
    unsafe { rustix::io::close(ANSWER.load(Ordering::Relaxed)) };
}

/// Every step begins with this call, in which tests inject their faults.
#[cfg(feature = "faults")]
pub(crate) use crate::faults::step as begin;
/// Every step begins with this call, in which tests inject their faults.
#[cfg(not(feature = "faults"))]
#[inline(always)]
pub(crate) fn begin(_: Step) -> Result<(), Refused> {
    Ok(())
}

/// Becomes the program of the script, or a process that watches over it. `umask` is the mode of the user for new files.
fn enter(umask: Mode) -> Result<Infallible, Refused> {
    let script = script()?;
    if script.is_free() {
        rustix::process::umask(umask);
    } else {
        close_all_but_pipes();
    }
    match script.level {
        Isolation::Full => {
            die_with(script.parent)?;
            cgroup::join_first_version(&script.cgroups)?;
            namespaces::enter(&script)
        }
        Isolation::Restricted | Isolation::None => keeper::enter(&script),
    }
}

/// Reads the script on stdin, which is the first step of a start.
fn script() -> Result<Script, Refused> {
    // SAFETY: nothing else in this program owns the descriptor, and the file is not closed.
    let stdin = ManuallyDrop::new(unsafe { File::from_raw_fd(0) });
    let script = Script::read(&mut &*stdin).map_err(|e| Refused::io(Step::Script, "", &e))?;
    #[cfg(feature = "faults")]
    crate::faults::note(script.fault.0, script.fault.1);
    begin(Step::Script)?;
    Ok(script)
}

/// Makes the system kill this process when its parent dies. Refuses if the parent has died already.
pub(crate) fn die_with(parent: u32) -> Result<(), Refused> {
    end_with(parent, Signal::KILL)
}

/// Makes the system send this process a signal when its parent dies. Refuses if the parent has died already.
pub(crate) fn end_with(parent: u32, signal: Signal) -> Result<(), Refused> {
    begin(Step::Parent)?;
    set_parent_process_death_signal(Some(signal))
        .map_err(Refused::call(Step::Parent, "setting the parent-death signal"))?;
    if getppid().map_or(0, Pid::as_raw_pid) == parent as i32 {
        Ok(())
    } else {
        Err(Refused::other(Step::Parent, "the process that asked for the start has ended"))
    }
}

/// Closes every descriptor but the pipes, so that a bot inherits none that another part of the program left open.
fn close_all_but_pipes() {
    let answer = ANSWER.load(Ordering::Relaxed).unsigned_abs();
    for (first, last) in [(3, answer.saturating_sub(1)), (answer + 1, u32::MAX)] {
        // An empty range is refused, and closes nothing.
        // SAFETY: what the runtime and the fork server have opened is used no more.
        unsafe { libc::syscall(libc::SYS_close_range, first, last, 0u32) };
    }
}

/// Closes every descriptor.
fn close_all() {
    // SAFETY: the keeper uses none that is open, and what other parts of the program open later is closed by them.
    unsafe { libc::syscall(libc::SYS_close_range, 0u32, u32::MAX, 0u32) };
}

/// The surroundings of a process that becomes the bot.
#[derive(Debug)]
pub(crate) struct ProcessContext {
    /// The user to become. `None` keeps the present one.
    pub user: Option<u32>,
    /// Whether all processes of this user belong to this bot.
    pub counted: bool,
    /// The host's `/proc`, for use in a namespace. `None` outside of namespaces.
    pub host_proc: Option<rustix::fd::OwnedFd>,
    /// The ID of the first process of the sandbox, as the host sees it. 0 if there is none.
    pub init: i32,
    /// The ID of the parent of this process, whose end ends it. `None` in namespaces, which end with their first
    /// process.
    pub keeper: Option<u32>,
}

impl ProcessContext {
    /// A process of the host. A bot of an ordinary user gets a user namespace, if the host allows that.
    fn host(script: &Script, keeper: u32) -> Self {
        let user = if script.level > Isolation::None { unused_user() } else { None };
        let is_bot = script.level > Isolation::None && script.work.is_none();
        let counted = user.is_some() || is_bot && namespaces::try_new_users();
        Self { user, counted, host_proc: None, init: 0, keeper: Some(keeper) }
    }
}

/// An unused user ID for a bot that root starts, derived from the process ID. `None` for an ordinary user, and for
/// root in a container that has only some of the host's users: that root is an ordinary user of the host.
pub(crate) fn unused_user() -> Option<u32> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let user = 0x4000_0000 + getpid().as_raw_pid().unsigned_abs();
    // The maps of users and of groups.
    let knows = |map: &str| maps(&std::fs::read_to_string(map).unwrap_or_default(), user);
    ["/proc/self/uid_map", "/proc/self/gid_map"].into_iter().all(knows).then_some(user)
}

/// Whether a user is in one of the ranges of a map. Each line of a map has the first ID inside, the first ID outside
/// and the length of a range.
fn maps(map: &str, user: u32) -> bool {
    map.lines().any(|line| {
        let mut numbers = line.split_whitespace().filter_map(|number| number.parse::<u32>().ok());
        let (Some(first), _, Some(length)) = (numbers.next(), numbers.next(), numbers.next()) else { return false };
        user >= first && user - first < length
    })
}

/// Gives up everything that a bot must not have, and executes the bot.
pub(crate) fn become_bot(script: &Script, place: &ProcessContext) -> Result<Infallible, Refused> {
    let full = script.level == Isolation::Full;
    // The kernel divides a core between sessions first. In one of its own, a bot with sixty threads gets no more of the core
    // than the referee.
    begin(Step::Group)?;
    rustix::process::setsid().map_err(Refused::call(Step::Group, ""))?;
    begin(Step::Folder)?;
    if let Some(work) = script.work.as_ref().filter(|_| full) {
        rustix::process::chdir(&work.at).map_err(|e| Refused::about(Step::Work, &work.at)(e.into()))?;
    } else {
        rustix::process::chdir(&script.dir).map_err(|e| Refused::about(Step::Folder, &script.dir)(e.into()))?;
    }
    let pid = host_pid(place.host_proc.as_ref().map(AsFd::as_fd))?;
    if script.is_free() {
        limits::set_of_user(script)?;
    } else {
        limits::set(script, place.counted)?;
    }
    if let Some(user) = place.user {
        if let Some(work) = script.work.as_ref().filter(|_| !full) {
            tree::give(&work.at, user).map_err(Refused::about(Step::Work, &work.at))?;
        }
        privileges::become_user(user)?;
    }
    // The change of the user has cleared the parent-death signal.
    if let Some(keeper) = place.keeper {
        die_with(keeper)?;
    }
    if script.level > Isolation::None {
        privileges::drop_all()?;
    }
    begin(Step::Program)?;
    if script.is_free() {
        ProgramError::check_first_line(&script.program).map_err(Refused::of_program)?;
    } else {
        exec::check(&script.program).map_err(Refused::of_program)?;
    }
    if script.level > Isolation::None {
        let signals_scoped = full || landlock::scopes_signals();
        landlock::restrict(script)?;
        if let Some(file) = &script.interpreted {
            begin(Step::Interpreted)?;
            ProgramError::check_script(file).map_err(Refused::of_script)?;
        }
        let children = script.limits.processes > 1;
        let own_pid = getpid().as_raw_pid().unsigned_abs();
        // A build writes to its copy of a folder, and also changes the modes of its files.
        let among_hosts_files = !full && script.work.is_none();
        let stay_in_session = script.work.is_none();
        let how = seccomp::FilterOptions {
            own_pid,
            children,
            signals_scoped,
            stay_in_group: !full,
            stay_in_session,
            among_hosts_files,
        };
        begin(Step::Seccomp)?;
        seccomp::install(how).map_err(|cause| Refused::new(Step::Seccomp, "", cause))?;
    }
    if say(Answer::Ready { pid, init: place.init }.encode().as_bytes()).is_err() {
        exit(REFUSED);
    }
    if script.trial {
        #[cfg(feature = "faults")]
        let _ = crate::faults::meet(crate::faults::Point::Ready);
        exit(0);
    }
    if script.work.is_some() {
        // Only the files of a job go to stdout. Its output joins stderr in the log.
        say_on_stderr()?;
    }
    Err(Refused::of_program(exec::execute(script)))
}

/// Makes stdout a duplicate of stderr.
fn say_on_stderr() -> Result<(), Refused> {
    // SAFETY: takes no pointers; both descriptors are open and nothing in this program owns them.
    match unsafe { libc::dup2(2, 1) } {
        -1 => Err(Refused::io(Step::Pipes, "joining stdout and stderr", &io::Error::last_os_error())),
        _ => Ok(()),
    }
}

/// The ID of this process, as the host sees it.
pub(crate) fn host_pid(host_proc: Option<BorrowedFd<'_>>) -> Result<i32, Refused> {
    let Some(proc) = host_proc else { return Ok(getpid().as_raw_pid()) };
    let name =
        rustix::fs::readlinkat(proc, "self", Vec::new()).map_err(Refused::call(Step::Proc, "the host's `/proc`"))?;
    let number = name.to_str().ok().and_then(|name| name.parse().ok());
    number.ok_or_else(|| Refused::other(Step::Proc, "the host's `/proc` does not list this process"))
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
