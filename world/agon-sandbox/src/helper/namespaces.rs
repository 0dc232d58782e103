//! Namespaces of users, processes, mounts, networks, queues, host names and control groups.

use super::{ProcessContext, begin, cgroup, end_answer, exit, host_pid, init, root};
use crate::{Refused, Step, script::Script};
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{Mode, OFlags},
    io::{dup2, retry_on_intr},
    pipe::{PipeFlags, pipe_with},
    process::{Pid, WaitOptions, getegid, geteuid, waitpid},
    thread::{UnshareFlags, unshare_unsafe},
};
use std::{
    convert::Infallible,
    mem::ManuallyDrop,
    os::fd::{FromRawFd, RawFd},
};

/// The ID of the user in a new user namespace.
const USER: u32 = 1000;

/// Makes the namespaces and starts their first process, which reaps. This process stays outside and ends as the bot
/// ended.
pub(crate) fn enter(script: &Script) -> Result<Infallible, Refused> {
    // The network namespace is made later: it takes the kernel as long as all the others together. That of control groups is made
    // later, too: its root is the group of the process that makes it.
    let all = UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    // Root needs no user namespace. It gives the bot an unused user ID instead.
    let unused = super::unused_user();
    if unused.is_none() {
        enter_new_users()?;
    }
    begin(Step::Namespaces)?;
    // SAFETY: none of these flags splits the table of descriptors or memory.
    unsafe { unshare_unsafe(all) }.map_err(Refused::call(Step::Namespaces, ""))?;

    begin(Step::Pipes)?;
    let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(Refused::call(Step::Pipes, "a pipe"));
    let (ended, tell) = pipe()?;
    let (alive, life) = pipe()?;
    // The file is opened before the other process makes the root. From then on this path would name a file in that
    // root.
    let nothing = nothing().map_err(Refused::call(Step::Pipes, "`/dev/null`"))?;
    match cgroup::fork_into_second_version(&script.cgroups)? {
        None => {
            drop((ended, life, nothing));
            inside(script, unused, &alive, &tell)
        }
        Some(init) => {
            drop((tell, alive));
            exit(stay_behind(init, &ended, &nothing))
        }
    }
}

/// Moves this process into a user namespace of its own, if the host allows that. The kernel then counts threads and pending signals
/// for this bot alone, although its user also has other processes. Returns whether it is there.
pub(crate) fn try_new_users() -> bool {
    match new_users() {
        Ok(()) => true,
        // Without a map, its user has no name there, and is the same for the kernel.
        Err(refused) => refused.what.ends_with("_map") || refused.what == "setgroups",
    }
}

/// Moves this process into a new user namespace, in which its user has the ID [`USER`], and nobody else is known.
fn enter_new_users() -> Result<(), Refused> {
    begin(Step::Users)?;
    new_users()
}

fn new_users() -> Result<(), Refused> {
    let (uid, gid) = (geteuid(), getegid());
    // The user namespace is made in a call of its own, so that a refusal names the right step.
    // SAFETY: this flag does not split the table of descriptors or memory.
    unsafe { unshare_unsafe(UnshareFlags::NEWUSER) }.map_err(Refused::call(Step::Users, ""))?;
    let map = |file: &str, text: String| {
        std::fs::write(format!("/proc/self/{file}"), text).map_err(|e| Refused::io(Step::Users, file, &e))
    };
    map("setgroups", "deny".into())?;
    map("uid_map", format!("{USER} {} 1", uid.as_raw()))?;
    map("gid_map", format!("{USER} {} 1", gid.as_raw()))
}

/// The first process of the namespaces: it makes the root, starts the bot and reaps. `unused` is the bot's user if root starts the
/// bot, and there is no user namespace.
fn inside(script: &Script, unused: Option<u32>, alive: &OwnedFd, tell_end: &OwnedFd) -> Result<Infallible, Refused> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(Refused::call(Step::Parent, "setting the parent-death signal"))?;
    if init::has_ended(alive) {
        exit(0);
    }
    // SAFETY: this flag does not split the table of descriptors or memory.
    unsafe { unshare_unsafe(UnshareFlags::NEWCGROUP) }.map_err(Refused::call(Step::Namespaces, "control groups"))?;
    begin(Step::Proc)?;
    let host_proc = rustix::fs::open("/proc", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        .map_err(Refused::call(Step::Proc, "the host's `/proc`"))?;
    let own = host_pid(Some(host_proc.as_fd()))?;
    begin(Step::Network)?;
    // SAFETY: this flag does not split the table of descriptors or memory.
    unsafe { unshare_unsafe(UnshareFlags::NEWNET) }.map_err(Refused::call(Step::Network, ""))?;
    let _ = rustix::system::sethostname(b"agon");
    root::make(script, unused.unwrap_or(USER), unused.is_some())?;
    if script.limits.processes > 1 {
        init::obey()?;
    }
    // From here on the bot runs in these namespaces, and must not read anything of this process.
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .map_err(Refused::call(Step::Proc, "hiding the first process"))?;
    let place = ProcessContext { user: unused, counted: true, host_proc: Some(host_proc), init: own, keeper: None };
    match fork()? {
        None => super::become_bot(script, &place),
        Some(bot) => {
            drop(place);
            end_answer();
            init::reap(bot, script.work.as_ref(), tell_end)
        }
    }
}

/// Waits outside of the namespaces for their first process, and returns the exit code with which to end as the bot
/// ended.
fn stay_behind(init: Pid, ended: &OwnedFd, nothing: &OwnedFd) -> i32 {
    end_answer();
    replace(&[0, 1, 2], nothing);
    let mut status = [0; size_of::<i32>()];
    let read = retry_on_intr(|| rustix::io::read(ended, &mut status));
    let _ = waitpid(Some(init), WaitOptions::empty());
    // If the first process was killed, and the bot with it, there is no status.
    let has_status = read.is_ok_and(|got| got == status.len());
    init::end_as(if has_status { i32::from_ne_bytes(status) } else { libc::SIGKILL })
}

/// Replaces pipes by `/dev/null`, so that the other end sees when the bot closes them.
pub(crate) fn let_go(pipes: &[RawFd]) {
    if let Ok(nothing) = nothing() {
        replace(pipes, &nothing);
    }
}

fn nothing() -> rustix::io::Result<OwnedFd> {
    rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
}

fn replace(pipes: &[RawFd], nothing: &OwnedFd) {
    for pipe in pipes {
        // SAFETY: nothing else in this program owns the first three descriptors, and they stay open.
        let mut pipe = ManuallyDrop::new(unsafe { OwnedFd::from_raw_fd(*pipe) });
        let _ = dup2(nothing, &mut pipe);
    }
}

/// Forks this process. Returns the ID of the new process, and `None` in the new process.
pub(crate) fn fork() -> Result<Option<Pid>, Refused> {
    begin(Step::Fork)?;
    // SAFETY: this program has one thread, so that the new process may do everything.
    match unsafe { libc::fork() } {
        -1 => Err(Refused::io(Step::Fork, "", &std::io::Error::last_os_error())),
        0 => Ok(None),
        child => Ok(Pid::from_raw(child)),
    }
}
