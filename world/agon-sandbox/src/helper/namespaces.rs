//! Namespaces: users, processes, mounts, network, queues, a host name, cgroups.

use super::{ProcessContext, begin, exit, host_pid, init, root};
use crate::{Refused, Step, script::Script};
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{Mode, OFlags},
    io::{Errno, dup2},
    pipe::{PipeFlags, pipe_with},
    process::{Pid, getegid, geteuid},
    thread::{UnshareFlags, unshare_unsafe},
};
use std::{
    convert::Infallible,
    fs::File,
    io::Read,
    mem::ManuallyDrop,
    os::fd::{FromRawFd, RawFd},
};

/// The number of the user inside, where the kernel lets an ordinary user have users of its own.
const USER: u32 = 1000;

/// Makes the namespaces, starts the process that reaps in them, and stays behind to tell how the bot ended.
pub(crate) fn enter(script: &Script) -> Result<Infallible, Refused> {
    let (uid, gid) = (geteuid(), getegid());
    // The network comes later: it takes the kernel as long as all the others.
    let all = UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    // Root needs no namespace of users, and gives its bot a user of its own instead.
    let unused = super::unused_user();
    let as_root = unused.is_some();
    let user = unused.unwrap_or(USER);
    if !as_root {
        begin(Step::Users)?;
        // By itself, so that whoever is refused it learns which one it was.
        // SAFETY: this flag does not split the table of descriptors or memory.
        unsafe { unshare_unsafe(UnshareFlags::NEWUSER) }.map_err(Refused::call(Step::Users, ""))?;
        let map = |file: &str, text: String| {
            std::fs::write(format!("/proc/self/{file}"), text).map_err(|e| Refused::io(Step::Users, file, &e))
        };
        map("setgroups", "deny".into())?;
        map("uid_map", format!("{USER} {} 1", uid.as_raw()))?;
        map("gid_map", format!("{USER} {} 1", gid.as_raw()))?;
    }
    begin(Step::Namespaces)?;
    // SAFETY: none of these flags splits the table of descriptors or memory.
    unsafe { unshare_unsafe(all) }.map_err(Refused::call(Step::Namespaces, ""))?;

    begin(Step::Pipes)?;
    let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(Refused::call(Step::Pipes, "a pipe"));
    let (ended, tell) = pipe()?;
    let (alive, life) = pipe()?;
    // Before the other process makes its root: from then on the same path would name a file in it.
    let nothing = nothing().map_err(Refused::call(Step::Pipes, "`/dev/null`"))?;
    match fork()? {
        None => {
            drop((ended, life, nothing));
            inside(script, &alive, &tell, user, as_root)
        }
        Some(init) => {
            drop((tell, alive));
            let code = stay_behind(init, ended, &nothing);
            drop(life);
            exit(code)
        }
    }
}

/// The process that reaps: makes the root, starts the bot.
fn inside(
    script: &Script,
    alive: &OwnedFd,
    tell_end: &OwnedFd,
    user: u32,
    as_root: bool,
) -> Result<Infallible, Refused> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(Refused::call(Step::Parent, "its death"))?;
    if init::has_ended(alive) {
        exit(0);
    }
    begin(Step::Proc)?;
    let host_proc = rustix::fs::open("/proc", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        .map_err(Refused::call(Step::Proc, "the host's"))?;
    let own = host_pid(Some(host_proc.as_fd()))?;
    let (made, make) = pipe_with(PipeFlags::CLOEXEC).map_err(Refused::call(Step::Pipes, "a pipe"))?;
    match fork()? {
        None => {
            drop(make);
            enter_root(&made)?;
            let user = as_root.then_some(user);
            let place = ProcessContext { user, counted: true, host_proc: Some(host_proc), init: own, gate: Some(made) };
            super::become_bot(script, place)
        }
        Some(bot) => {
            drop((host_proc, made));
            root::make(script, user, as_root)?;
            let work = script.work.as_ref();
            if script.limits.processes > 1 {
                init::obey()?;
            }
            // The other one goes on, up to its gate. If it is gone, how it ended is the reason.
            match rustix::io::write(&make, &root_number()?.to_ne_bytes()) {
                Err(Errno::PIPE) => return init::reap(bot, None, tell_end),
                written => written.map_err(Refused::call(Step::Pipes, "a pipe"))?,
            };
            let _ = rustix::system::sethostname(b"agon");
            root::let_go_of_host()?;
            // From here on something else runs in its world, which must not even look at it.
            rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
                .map_err(Refused::call(Step::Proc, "hiding the first process"))?;
            match rustix::io::write(&make, GATE_OPEN) {
                Err(Errno::PIPE) => return init::reap(bot, None, tell_end),
                written => written.map_err(Refused::call(Step::Pipes, "a pipe"))?,
            };
            drop(make);
            init::reap(bot, work, tell_end)
        }
    }
}

/// The process that becomes the bot makes its network while the other one makes the root, which then is its root as
/// well: whoever was in the old one is moved. The host is still in it, for a moment in which nothing but this program
/// runs there.
fn enter_root(made: &OwnedFd) -> Result<(), Refused> {
    begin(Step::Network)?;
    // SAFETY: this flag does not split the table of descriptors or memory.
    unsafe { unshare_unsafe(UnshareFlags::NEWNET) }.map_err(Refused::call(Step::Network, ""))?;
    let mut number = [0; 8];
    // A number is shorter than what a pipe ever splits. Without one the root was not made, and the other one says why.
    match rustix::io::read(made, &mut number) {
        Ok(length) if length == number.len() => {}
        _ => exit(0),
    }
    // Also the working directory is of the new root, and nothing of the host is left.
    rustix::process::chdir("/").map_err(Refused::call(Step::Root, "the new root"))?;
    if root_number()? == u64::from_ne_bytes(number) {
        Ok(())
    } else {
        Err(Refused::other(Step::Root, "the bot has not come into it"))
    }
}

/// What says that nothing of the host is left in the root.
const GATE_OPEN: &[u8] = b"g";

/// Waits until the program may be executed. That the host goes takes the kernel a while, in which this process has given
/// up what it must not have.
pub(crate) fn wait_at(gate: &OwnedFd) -> Result<(), Refused> {
    let mut word = [0; GATE_OPEN.len()];
    // Without it the other process has failed, and says why.
    if rustix::io::read(gate, &mut word) != Ok(word.len()) || word != GATE_OPEN {
        exit(0);
    }
    // Whoever has gone to a folder that was the host's has a way back to it. The kernel has no path for that place now.
    let here = rustix::process::getcwd(Vec::new());
    if here.is_ok_and(|here| here.as_bytes().starts_with(b"/")) {
        Ok(())
    } else {
        Err(Refused::other(Step::Folder, format!("the working directory is below `{}`, which is taken", root::HOST)))
    }
}

/// Of the file system that is the root.
fn root_number() -> Result<u64, Refused> {
    rustix::fs::stat("/").map(|about| about.st_dev).map_err(Refused::call(Step::Root, "the new root"))
}

/// Outside of the namespaces: waits for the process that reaps, and ends as the bot did.
fn stay_behind(init: Pid, ended: OwnedFd, nothing: &OwnedFd) -> i32 {
    replace(&[0, 1, 2], nothing);
    let mut status = Vec::new();
    let _ = File::from(ended).read_to_end(&mut status);
    let _ = rustix::process::waitpid(Some(init), rustix::process::WaitOptions::empty());
    match status.first_chunk() {
        Some(status) => init::end_as(i32::from_ne_bytes(*status)),
        // It was killed, and the bot with it.
        None => init::end_as(libc::SIGKILL),
    }
}

/// Puts nothing where pipes were, so that the other end sees it when the bot closes them.
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

/// `None` in the new process.
fn fork() -> Result<Option<Pid>, Refused> {
    begin(Step::Fork)?;
    // SAFETY: this program has one thread, so that the new process may do everything.
    match unsafe { libc::fork() } {
        -1 => Err(Refused::io(Step::Fork, "", &std::io::Error::last_os_error())),
        0 => Ok(None),
        child => Ok(Pid::from_raw(child)),
    }
}
