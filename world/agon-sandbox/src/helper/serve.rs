//! The fork server's loop: it makes copies of this process on request. Each copy is a child of the process that has
//! started this one.

use super::{ANSWER, exit};
#[cfg(feature = "faults")]
use crate::faults;
use crate::{
    fork_server::{Cores, STREAMS, core_set, cores},
    handshake::GREETING,
};
use rustix::{
    cmsg_space,
    fd::{AsRawFd, BorrowedFd, OwnedFd},
    fs::Mode,
    io::{Errno, retry_on_intr},
    net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recvmsg, send},
    thread::sched_setaffinity,
};
use std::{io::IoSliceMut, mem::MaybeUninit, os::fd::IntoRawFd, sync::atomic::Ordering};

/// A request for a copy: the cores that the new process may run on, and its pipes.
struct Request {
    cores: Cores,
    pipes: Vec<OwnedFd>,
}

/// Returns in every new process, with the mode of the user for new files. The server itself never returns: it ends when the
/// process that has started it closes the socket.
pub(crate) fn serve() -> Mode {
    let umask = plain_process();
    let socket = socket();
    #[cfg(feature = "faults")]
    let _ = faults::meet(faults::Point::Greeting);
    // The process that has started this one accepts no answer before the greeting.
    if retry_on_intr(|| send(socket, GREETING, SendFlags::NOSIGNAL)).is_err() {
        exit(1);
    }
    let mut own = cores().ok();
    while let Some(request) = Request::receive(socket) {
        // What this process does for a match takes no time of others, and its copies need not move.
        if own != Some(request.cores) && sched_setaffinity(None, &core_set(&request.cores)).is_ok() {
            own = Some(request.cores);
        }
        let answer = match sibling() {
            Ok(None) => {
                #[cfg(feature = "faults")]
                let _ = faults::meet(faults::Point::Copied);
                // On other cores, the bot would use the time of other matches.
                let is_placed = own == Some(request.cores) && rustix::process::setpgid(None, None).is_ok();
                if !is_placed || !request.join_streams() {
                    exit(1);
                }
                return umask;
            }
            Ok(Some(pid)) => pid,
            Err(e) => -e.raw_os_error(),
        };
        // The server closes its copies of the pipes. Otherwise the ends of these pipes would never be seen.
        drop(request);
        let _ = retry_on_intr(|| send(socket, &answer.to_ne_bytes(), SendFlags::NOSIGNAL));
    }
    exit(0)
}

/// The socket to the process that has started this one.
fn socket() -> BorrowedFd<'static> {
    // SAFETY: the socket is stdin, which this program closes only in a copy of it, which does not use the socket.
    unsafe { BorrowedFd::borrow_raw(0) }
}

impl Request {
    /// Receives the next request. `None` at the end of the connection or if the request is not valid.
    fn receive(socket: BorrowedFd<'_>) -> Option<Self> {
        let mut cores = [0; size_of::<Cores>()];
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(STREAMS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut into = [IoSliceMut::new(&mut cores)];
        let got = retry_on_intr(|| recvmsg(socket, &mut into, &mut control, RecvFlags::CMSG_CLOEXEC)).ok()?;
        let pipes = control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(pipes) => Some(pipes.collect::<Vec<_>>()),
            _ => None,
        });
        let pipes = pipes.filter(|pipes| pipes.len() == STREAMS && got.bytes == size_of::<Cores>())?;
        Some(Self { cores, pipes })
    }

    /// Makes the pipes the first descriptors of this process, and notes that of the answer, which the kernel closes when it executes
    /// the program.
    fn join_streams(mut self) -> bool {
        let answer = self.pipes.pop().map_or(-1, IntoRawFd::into_raw_fd);
        ANSWER.store(answer, Ordering::Relaxed);
        // None of the pipes has such a number, because the server keeps its first three descriptors open.
        (0..).zip(&self.pipes).all(|(number, pipe)| {
            // SAFETY: takes no pointers; nothing in this program owns the first three descriptors.
            unsafe { libc::dup2(pipe.as_raw_fd(), number) == number }
        })
    }
}

/// Makes a copy of this process that is a child of its parent. Returns the ID of the copy, and `None` in the copy.
fn sibling() -> Result<Option<i32>, Errno> {
    #[cfg(feature = "faults")]
    faults::meet(faults::Point::Copying)?;
    // A copy that is made in this way has the exit signal of this process.
    let flags = libc::CLONE_PARENT | libc::SIGCHLD;
    // SAFETY: this program has one thread, so that the new process may do everything; it goes on with a copy of this
    // stack, and no pointer is given.
    match unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) } {
        -1 => Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::AGAIN)),
        0 => Ok(None),
        child => Ok(Some(child as i32)),
    }
}

/// Sets what every program expects at its start: default handling of signals and the usual umask. Also makes this
/// process the first to be killed if the host runs out of memory. Returns the umask of the user.
fn plain_process() -> Mode {
    for signal in 1..=64 {
        // SAFETY: the default action is valid for every signal; those that have no other are refused.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: an empty set is made before it is used, and the old one is not asked for.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
    let umask = rustix::process::umask(Mode::from_raw_mode(0o022));
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    // The process must not keep any folder of the host busy.
    let _ = rustix::process::chdir("/");
    umask
}
