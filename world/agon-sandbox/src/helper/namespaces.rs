//! Namespaces of users, processes, mounts, networks, queues, host names and control groups.

use super::{ProcessContext, begin, close_answer, exit, groups, host_pid, init, networks::Network, report, root};
use crate::{Refused, Step, image::Image, script::Script, stack};
use rustix::{
    fd::{AsFd, AsRawFd, OwnedFd},
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
    sync::atomic::{AtomicPtr, Ordering},
};

/// The ID of the user in a new user namespace.
const USER: u32 = 1000;

/// What is known about a bot's namespaces before its first process starts.
struct Namespaces {
    /// The bot's user ID.
    user: u32,
    /// Whether root starts the bot, and there is no user namespace.
    as_root: bool,
    /// Whether this process is already in the bot's network namespace.
    has_network: bool,
}

/// Makes the namespaces and starts their first process, which reaps. This process stays outside and ends as the bot
/// ended.
pub(crate) fn enter(script: &Script, image: &Image, network: Option<Network>) -> Result<Infallible, Refused> {
    // A network namespace that is not used again is made later: it takes the kernel as long as all the others together.
    // That of control groups is made later, too: its root is the group of whoever makes it.
    let all = UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    // Root needs no user namespace. It gives the bot an unused user ID instead.
    let unused = super::unused_user();
    let as_root = unused.is_some();
    let user = unused.unwrap_or(USER);
    if !as_root {
        begin(Step::Users)?;
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
    let namespaces = Namespaces { user, as_root, has_network: network.is_some() };
    let mut first = || {
        [&ended, &life, &nothing].into_iter().for_each(close_here);
        if let Some(network) = &network {
            network.close_here();
        }
        inside((script, image), &alive, &tell, &namespaces)
    };
    let mut work: Work<'_>;
    let in_group = script.cgroups.iter().any(|group| groups::is_second_version(group));
    let init = if in_group || script.work.is_some() {
        match groups::fork_into_second_version(&script.cgroups)? {
            None => super::must_not_return(first()),
            Some(init) => init,
        }
    } else {
        work = &mut first;
        // SAFETY: this process ends before this function returns. Until the first process has ended, it only waits.
        unsafe { fork_beside(&raw mut work)? }
    };
    // The first process may use the same variables, so that none of them is dropped.
    [&tell, &alive].into_iter().for_each(close_here);
    close_answer();
    exit(stay_behind(init, &ended, &nothing, network.as_ref()))
}

/// Moves this process into a new user namespace, in which its user has the ID [`USER`], and nobody else is known.
pub(super) fn enter_new_users() -> Result<(), Refused> {
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

/// Closes a descriptor of this process. Another process that shares this memory has its own, and goes on using it.
pub(crate) fn close_here(descriptor: &OwnedFd) {
    // SAFETY: this process does not use the descriptor any more, and ends without closing it again.
    unsafe { rustix::io::close(descriptor.as_raw_fd()) };
}

/// The first process of the namespaces: it makes the root, starts the bot and reaps.
fn inside(
    (script, image): (&Script, &Image),
    alive: &OwnedFd,
    tell_end: &OwnedFd,
    &Namespaces { user, as_root, has_network }: &Namespaces,
) -> Result<Infallible, Refused> {
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
    if !has_network {
        // SAFETY: this flag does not split the table of descriptors or memory.
        unsafe { unshare_unsafe(UnshareFlags::NEWNET) }.map_err(Refused::call(Step::Network, ""))?;
    }
    let _ = rustix::system::sethostname(b"agon");
    root::make(script, user, as_root)?;
    if script.limits.processes > 1 {
        init::obey()?;
    }
    // From here on the bot runs in these namespaces, and must not read anything of this process.
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .map_err(Refused::call(Step::Proc, "hiding the first process"))?;
    let place = ProcessContext {
        user: as_root.then_some(user),
        counted: true,
        host_proc: Some(host_proc),
        init: own,
        keeper: None,
    };
    // This process goes on when the bot is executed, or has ended before that.
    let bot = fork_within(&mut || super::become_bot(script, image, &place))?;
    drop(place);
    close_answer();
    init::reap(bot, script.work.as_ref(), tell_end)
}

/// Waits outside of the namespaces for their first process, and returns the exit code with which to end as the bot
/// ended. That process may use the same memory, so until it has ended, this one asks for none and calls the system without the C
/// library, which notes errors in memory.
fn stay_behind(init: Pid, ended: &OwnedFd, nothing: &OwnedFd, network: Option<&Network>) -> i32 {
    replace(&[0, 1, 2], nothing);
    let mut status = [0; size_of::<i32>()];
    let read = retry_on_intr(|| rustix::io::read(ended, &mut status));
    let waited = waitpid(Some(init), WaitOptions::empty());
    // The first process of the namespaces ends after all others.
    if let Some(network) = network.filter(|_| waited.is_ok()) {
        network.give_back();
    }
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

/// What a process within the memory of its parent does. It never returns.
type Work<'a> = &'a mut dyn FnMut() -> Result<Infallible, Refused>;

/// The ends of the stacks of such processes: of one that executes a program, and of one that goes on. All copies of this
/// process have them, so that none has to map memory for them.
static STACKS: [AtomicPtr<u8>; 2] = [const { AtomicPtr::new(std::ptr::null_mut()) }; 2];

/// Reserves the stacks for [`fork_within`] and [`fork_beside`], for this process and all its copies.
pub(crate) fn prepare_stacks() {
    for end in &STACKS {
        // Without the memory, no process is started.
        end.store(stack::reserve(), Ordering::Relaxed);
    }
}

/// Starts a process within the memory of this one, which waits until that process has executed a program or has ended.
/// Returns its ID. Copying the memory of this process and giving the copy back takes longer than everything else here.
pub(crate) fn fork_within(mut before: Work<'_>) -> Result<Pid, Refused> {
    begin(Step::Fork)?;
    // SAFETY: this process waits until the work is done.
    unsafe { clone(&raw mut before, &STACKS[0], libc::CLONE_VFORK) }
}

/// Lets another process within the memory of this one do something, and waits until it has ended. What it has opened, this process
/// has, too. If there is no such process, nothing is done.
pub(super) fn do_elsewhere(mut work: impl FnMut()) {
    let mut before: Work<'_> = &mut || {
        work();
        exit(0)
    };
    // SAFETY: this process waits until the work is done.
    if let Ok(child) = unsafe { clone(&raw mut before, &STACKS[0], libc::CLONE_VFORK | libc::CLONE_FILES) } {
        let _ = retry_on_intr(|| waitpid(Some(child), WaitOptions::empty()));
    }
}

/// Starts a process within the memory of this one, which goes on, too. Returns its ID.
///
/// # Safety
///
/// The work, the reference to it and all that it uses must stay in place until this process ends. This process must not change
/// them, use the memory allocator or anything else of the C library that writes to memory while the new process runs.
unsafe fn fork_beside(work: *mut Work<'_>) -> Result<Pid, Refused> {
    begin(Step::Fork)?;
    // SAFETY: as above.
    unsafe { clone(work, &STACKS[1], 0) }
}

/// # Safety
///
/// Nothing else may use the work or the stack as long as the new process is within this memory.
unsafe fn clone(work: *mut Work<'_>, stack: &AtomicPtr<u8>, flags: libc::c_int) -> Result<Pid, Refused> {
    extern "C" fn run(work: *mut libc::c_void) -> libc::c_int {
        // SAFETY: the pointer is that of the work.
        match unsafe { (*work.cast::<Work<'_>>())() } {
            Ok(never) => match never {},
            Err(refused) => report(refused),
        }
    }
    let end = stack.load(Ordering::Relaxed);
    let flags = flags | libc::CLONE_VM | libc::SIGCHLD;
    // SAFETY: the stack grows down from its end, which is aligned. The new process never returns from `run`, and this program has
    // one thread.
    match unsafe { libc::clone(run, end.cast(), flags, work.cast()) } {
        -1 => Err(Refused::io(Step::Fork, "", &std::io::Error::last_os_error())),
        child => Pid::from_raw(child).ok_or_else(|| Refused::other(Step::Fork, "the new process has no ID")),
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
