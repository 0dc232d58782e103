//! The fork server: makes copies of this process for whoever has started it, each a child of that and not of this one.

use super::{exit, seccomp};
#[cfg(feature = "faults")]
use crate::faults;
use crate::{
    fork_server::{Cores, core_set, cores},
    handshake::GREETING,
};
use rustix::{
    cmsg_space,
    fd::{AsRawFd, BorrowedFd, OwnedFd},
    io::{Errno, retry_on_intr},
    net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recvmsg, send},
    thread::sched_setaffinity,
};
use std::{io::IoSliceMut, mem::MaybeUninit};

/// Who asks, and for what.
struct Request {
    cores: Cores,
    pipes: Vec<OwnedFd>,
}

/// Returns in every new process, which has its three pipes and no more. Ends this one when nobody can ask any more.
pub(crate) fn serve() {
    plain_process();
    seccomp::prepare();
    let socket = socket();
    #[cfg(feature = "faults")]
    let _ = faults::meet(faults::Point::Greeting);
    // Whoever has started this trusts no answer before it.
    if retry_on_intr(|| send(socket, GREETING, SendFlags::NOSIGNAL)).is_err() {
        exit(1);
    }
    let own = cores().ok();
    while let Some(request) = Request::receive(socket) {
        let answer = match sibling() {
            Ok(None) => {
                #[cfg(feature = "faults")]
                let _ = faults::meet(faults::Point::Copied);
                // Without its cores it would play on others' time.
                let placed = own == Some(request.cores) || sched_setaffinity(None, &core_set(&request.cores)).is_ok();
                if !placed || !request.become_ours() {
                    exit(1);
                }
                return;
            }
            Ok(Some(pid)) => pid,
            Err(e) => -e.raw_os_error(),
        };
        // From here on it hears the end of a pipe who has the other one, and nobody keeps it open.
        drop(request);
        let _ = retry_on_intr(|| send(socket, &answer.to_ne_bytes(), SendFlags::NOSIGNAL));
    }
    exit(0)
}

/// To whoever asks.
fn socket() -> BorrowedFd<'static> {
    // SAFETY: the socket is stdin, which this program closes only in a copy of it, which does not use the socket.
    unsafe { BorrowedFd::borrow_raw(0) }
}

impl Request {
    /// `None` at the end.
    fn receive(socket: BorrowedFd<'_>) -> Option<Self> {
        let mut cores = [0; size_of::<Cores>()];
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut into = [IoSliceMut::new(&mut cores)];
        let got = retry_on_intr(|| recvmsg(socket, &mut into, &mut control, RecvFlags::CMSG_CLOEXEC)).ok()?;
        let pipes = control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(pipes) => Some(pipes.collect::<Vec<_>>()),
            _ => None,
        });
        let pipes = pipes.filter(|pipes| pipes.len() == 3 && got.bytes == cores.len())?;
        Some(Self { cores, pipes })
    }

    /// Makes the pipes the first three descriptors of this process, a leader of its group.
    fn become_ours(self) -> bool {
        let mut ready = rustix::process::setpgid(None, None).is_ok();
        for (number, pipe) in (0..).zip(&self.pipes) {
            // SAFETY: takes no pointers; nothing in this program owns the first three descriptors.
            ready &= unsafe { libc::dup2(pipe.as_raw_fd(), number) } == number;
        }
        ready
    }
}

/// A copy of this process that is a child of its parent. `None` in the copy.
fn sibling() -> Result<Option<i32>, Errno> {
    #[cfg(feature = "faults")]
    faults::meet(faults::Point::Copying)?;
    // The exit signal of such a copy is that of this process.
    let flags = libc::CLONE_PARENT | libc::SIGCHLD;
    // SAFETY: this program has one thread, so that the new process may do everything; it goes on with a copy of this
    // stack, and no pointer is given.
    match unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) } {
        -1 => Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::AGAIN)),
        0 => Ok(None),
        child => Ok(Some(child as i32)),
    }
}

/// What every program expects of a start: signals, a mask for files. And first in line when memory ends.
fn plain_process() {
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
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    // No folder is kept busy by it.
    let _ = rustix::process::chdir("/");
}
