//! A world of its own: users, processes, mounts, network, queues, a host name, cgroups.

use super::{Failed, Surroundings, call, exit, host_pid, init, root};
use crate::script::Script;
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{Mode, OFlags},
    io::dup2,
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
pub(crate) fn enter(script: &Script) -> Result<Infallible, Failed> {
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
    let flags = if as_root { all } else { all | UnshareFlags::NEWUSER };
    // SAFETY: none of these flags splits the table of descriptors or memory.
    unsafe { unshare_unsafe(flags) }.map_err(|e| Failed::new("namespaces", words(e)))?;
    let user = unused.unwrap_or(USER);
    if !as_root {
        let map = |file: &str, text: String| {
            std::fs::write(format!("/proc/self/{file}"), text).map_err(|e| Failed::new("users", format!("{file}: {e}")))
        };
        map("setgroups", "deny".into())?;
        map("uid_map", format!("{USER} {} 1", uid.as_raw()))?;
        map("gid_map", format!("{USER} {} 1", gid.as_raw()))?;
    }

    let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(call("pipes", "a pipe"));
    let (ended, tell) = pipe()?;
    let (alive, life) = pipe()?;
    // Before the other process makes its root: from then on the same path would name a file in it.
    let nothing = nothing().map_err(call("pipes", "`/dev/null`"))?;
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
) -> Result<Infallible, Failed> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(call("parent", "its death"))?;
    if init::has_ended(alive) {
        exit(0);
    }
    let host_proc = rustix::fs::open("/proc", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        .map_err(call("proc", "the host's"))?;
    let own = host_pid(Some(host_proc.as_fd()))?;
    let (made, make) = pipe_with(PipeFlags::CLOEXEC).map_err(call("pipes", "a pipe"))?;
    match fork()? {
        None => {
            drop(make);
            enter_root(&made)?;
            let user = as_root.then_some(user);
            let place = Surroundings { user, counted: true, host_proc: Some(host_proc), init: own, gate: Some(made) };
            super::become_bot(script, place)
        }
        Some(bot) => {
            drop((host_proc, made));
            let tell = |bytes: &[u8]| rustix::io::write(&make, bytes).map_err(call("pipes", "a pipe"));
            root::make(script, user, as_root)?;
            // The other one goes on, up to its gate.
            tell(&root_number()?.to_ne_bytes())?;
            let _ = rustix::system::sethostname(b"agon");
            root::let_go_of_host()?;
            // From here on something else runs in its world, which must not even look at it.
            rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
                .map_err(call("proc", "hiding the first process"))?;
            tell(GATE_OPEN)?;
            drop(make);
            init::reap(bot, script.work.as_ref(), tell_end)
        }
    }
}

/// The process that becomes the bot makes its network while the other one makes the root, which then is its root as
/// well: whoever was in the old one is moved. The host is still in it, for a moment in which nothing but this program
/// runs there.
fn enter_root(made: &OwnedFd) -> Result<(), Failed> {
    // SAFETY: this flag does not split the table of descriptors or memory.
    unsafe { unshare_unsafe(UnshareFlags::NEWNET) }.map_err(|e| Failed::new("namespaces", words(e)))?;
    let mut number = [0; 8];
    // A number is shorter than what a pipe ever splits. Without one the root was not made, and the other one says why.
    match rustix::io::read(made, &mut number) {
        Ok(length) if length == number.len() => {}
        _ => exit(0),
    }
    // Also the working directory is of the new root, and nothing of the host is left.
    rustix::process::chdir("/").map_err(call("root", "the new root"))?;
    if root_number()? == u64::from_ne_bytes(number) {
        Ok(())
    } else {
        Err(Failed::new("root", "the bot has not come into it"))
    }
}

/// What says that nothing of the host is left in the root.
const GATE_OPEN: &[u8] = b"g";

/// Waits until the program may be executed. That the host goes takes the kernel a while, in which this process has given
/// up what it must not have.
pub(crate) fn wait_at(gate: &OwnedFd) -> Result<(), Failed> {
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
        Err(Failed::new("folder", format!("the working directory is below `{}`, which is taken", root::HOST)))
    }
}

/// Of the file system that is the root.
fn root_number() -> Result<u64, Failed> {
    rustix::fs::stat("/").map(|about| about.st_dev).map_err(call("root", "the new root"))
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
fn fork() -> Result<Option<Pid>, Failed> {
    // SAFETY: this program has one thread, so that the new process may do everything.
    match unsafe { libc::fork() } {
        -1 => Err(Failed::new("fork", std::io::Error::last_os_error().to_string())),
        0 => Ok(None),
        child => Ok(Pid::from_raw(child)),
    }
}

/// Why a host does not let a user have namespaces, in words that lead to the way out.
fn words(e: rustix::io::Errno) -> String {
    match e {
        rustix::io::Errno::NOSPC => "the host allows no user namespaces (user.max_user_namespaces is 0)".into(),
        rustix::io::Errno::PERM => "the host does not allow them to this user (AppArmor or a container's rules)".into(),
        rustix::io::Errno::INVAL => "this kernel does not have all of them".into(),
        e => e.to_string(),
    }
}
