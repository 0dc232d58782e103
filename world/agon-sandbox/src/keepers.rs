//! Keepers of programs that are not confined. A keeper is a child of this process: a copy of the fork server, which starts
//! one program after the other and ends whatever each of them leaves.
//!
//! Each thread has keepers of its own, as it has a fork server of its own: they end with the thread.

use crate::{
    Cause, Refused, Step,
    child::{Child, wait_for_end},
    fork_server::{failed, fork_keeper, receive, send_request, three_pipes},
    process_handle::handle,
    start::{timeout, timespec},
};
use rustix::{
    event::{PollFd, PollFlags, poll},
    fd::{AsFd, OwnedFd},
    io::Errno,
    net::{RecvFlags, Shutdown, recv, shutdown},
    process::{Pid, WaitOptions, waitpid},
};
use std::{
    cell::RefCell,
    collections::VecDeque,
    io,
    os::unix::process::ExitStatusExt,
    process::ExitStatus,
    sync::Arc,
    thread::ThreadId,
    time::{Duration, Instant},
};

thread_local! {
    /// The keepers of this thread that keep no program now. There are never more than programs that ran at once.
    static IDLE: RefCell<VecDeque<Keeper>> = const { RefCell::new(VecDeque::new()) };
}

/// A process that keeps a program, or waits for the next one.
#[derive(Debug)]
pub(crate) struct Keeper {
    pid: Pid,
    /// `None` if the system had no descriptor left.
    handle: Option<Arc<OwnedFd>>,
    /// Carries requests to the keeper, and its answers.
    socket: Arc<OwnedFd>,
    state: State,
    /// The thread and the process that have started it.
    owner: (ThreadId, u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// It has no program, or has reported the end of its program.
    Idle,
    /// It was asked for a program, and its answer was not read.
    Asked,
    /// It keeps a program.
    Keeps,
    /// It has ended and was waited for.
    Ended,
}

/// Asks a keeper to start a program. It answers on its socket. If `fresh`, no keeper that has kept another program is asked.
pub(crate) fn start(script: &[u8], fresh: bool) -> Result<Child, Refused> {
    let mut keeper = idle(fresh).map_or_else(Keeper::new, Ok)?;
    let [(their_stdin, stdin), (stdout, their_stdout), (stderr, their_stderr)] = three_pipes()?;
    let theirs = [their_stdin.as_fd(), their_stdout.as_fd(), their_stderr.as_fd()];
    match send_request(&keeper.socket, &theirs, false, script)? {
        Ok(()) => {
            keeper.state = State::Asked;
            Ok(Child::kept(keeper, stdin.into(), stdout.into(), stderr.into()))
        }
        Err(Errno::PIPE | Errno::CONNRESET) => Err(keeper.lost()),
        Err(errno) => Err(failed(errno)),
    }
}

/// Takes the keeper that has been idle for longest, so that each seat of the next match gets the one of the last match.
fn idle(fresh: bool) -> Option<Keeper> {
    let take = |idle: &RefCell<VecDeque<Keeper>>| {
        let mut idle = idle.borrow_mut();
        if fresh {
            idle.clear();
        }
        // After a fork, the keepers are children of another process.
        idle.retain(Keeper::is_ours);
        idle.pop_front()
    };
    IDLE.try_with(take).ok().flatten()
}

impl Keeper {
    fn new() -> Result<Self, Refused> {
        let (pid, socket) = fork_keeper()?;
        Ok(Self {
            pid,
            handle: handle(pid.as_raw_pid(), None).map(Arc::new),
            socket: Arc::new(socket),
            state: State::Idle,
            owner: (std::thread::current().id(), std::process::id()),
        })
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    pub(crate) fn handle(&self) -> Option<Arc<OwnedFd>> {
        self.handle.clone()
    }

    /// Readable when the program has ended.
    pub(crate) fn socket(&self) -> &Arc<OwnedFd> {
        &self.socket
    }

    fn is_ours(&self) -> bool {
        self.owner.1 == std::process::id()
    }

    /// Receives the answer to a start. Returns its length, and 0 if the keeper has ended.
    pub(crate) fn answer(&mut self, into: &mut [u8], until: Instant) -> Result<usize, Refused> {
        let length = receive(&self.socket, into, until, "")?;
        self.state = State::Keeps;
        Ok(length)
    }

    /// Whether the program has ended, and nothing of it is left.
    pub(crate) fn has_reported(&self) -> bool {
        match self.state {
            State::Idle | State::Ended => true,
            State::Asked => false,
            State::Keeps => {
                let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
                recv(&self.socket, &mut [0_u8; 4], flags).is_ok_and(|(_, length)| length > 0)
            }
        }
    }

    /// Receives how the program has ended, and waits for that for at most `time`. If the keeper itself has ended, this is how
    /// it did. `None` if the program still runs.
    pub(crate) fn status(&mut self, time: Option<Duration>) -> io::Result<Option<ExitStatus>> {
        let until = time.map(|time| Instant::now() + time);
        let mut status = [0_u8; 4];
        loop {
            match recv(&self.socket, &mut status, RecvFlags::DONTWAIT) {
                // The caller has given up before the answer came.
                Ok((1.., _)) if self.state == State::Asked => self.state = State::Keeps,
                Ok((4, _)) => {
                    self.state = State::Idle;
                    return Ok(Some(ExitStatus::from_raw(i32::from_ne_bytes(status))));
                }
                Ok(_) | Err(Errno::CONNRESET) => return self.wait_for_itself(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    let left = until.map(|until| until.saturating_duration_since(Instant::now()));
                    if left.is_some_and(|left| left.is_zero()) {
                        return Ok(None);
                    }
                    let left = left.map(timespec);
                    let _ = poll(&mut [PollFd::new(&self.socket, PollFlags::IN)], left.as_ref());
                }
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// Waits until the keeper has ended, which has closed its socket.
    fn wait_for_itself(&mut self) -> io::Result<Option<ExitStatus>> {
        wait_for_end(self.pid, timeout());
        let ended = waitpid(Some(self.pid), WaitOptions::NOHANG)?;
        if ended.is_some() {
            self.state = State::Ended;
        }
        Ok(ended.map(|(_, status)| ExitStatus::from_raw(status.as_raw())))
    }

    /// Finds out why the keeper has closed the connection before it was asked.
    fn lost(&mut self) -> Refused {
        let cause = match self.wait_for_itself() {
            Ok(Some(status)) => Cause::of_status(status),
            Ok(None) => Cause::NoAnswer(timeout()),
            Err(error) => Cause::of_io(&error),
        };
        Refused::new(Step::Start, "", cause)
    }

    /// Lets the keeper wait for the next program of its thread, if it keeps none.
    pub(crate) fn rest(self) {
        if self.state == State::Idle && self.is_ours() && self.owner.0 == std::thread::current().id() {
            let _ = IDLE.try_with(|idle| idle.borrow_mut().push_back(self));
        }
    }
}

/// Ends a keeper that keeps no program, and waits for its end. One that keeps a program ends with it.
impl Drop for Keeper {
    fn drop(&mut self) {
        if self.state == State::Idle && self.is_ours() {
            // Other descriptors of this socket may be open.
            let _ = shutdown(&self.socket, Shutdown::Both);
            let _ = self.wait_for_itself();
        }
    }
}
