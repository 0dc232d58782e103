//! This very program, started anew once for every thread that starts programs inside. It is small and stays so, and a
//! copy of it is there sooner than a program that has to be loaded; whatever the memory of this one is.
//!
//! What it makes are children of this process, not of it: they are waited for here, and die with this thread.

use crate::{child::Child, inside::WORD};
use rustix::{
    cmsg_space,
    event::{PollFd, PollFlags, Timespec, poll},
    fd::{AsFd, OwnedFd},
    io::retry_on_intr,
    net::{
        AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recv,
        sendmsg, socketpair,
    },
    pipe::{PipeFlags, pipe_with},
    process::Pid,
    thread::{CpuSet, sched_getaffinity},
};
use std::{
    cell::RefCell,
    io::{self, IoSlice},
    mem::MaybeUninit,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

/// This very program, also if its file was replaced meanwhile.
const OURSELVES: &str = "/proc/self/exe";
static HELPER: OnceLock<PathBuf> = OnceLock::new();

thread_local! {
    static SERVER: RefCell<Option<ForkServer>> = const { RefCell::new(None) };
}

/// The cores that a thread may run on, a bit each.
pub(crate) type Cores = [u8; CpuSet::MAX_CPU / 8];

/// Names the program that is started anew, for whoever uses this crate from a program whose `main` is not its own, as a
/// test or a module of another language. The first call counts.
pub fn start_by(program: PathBuf) {
    let _ = HELPER.set(program);
}

/// How long a server may take for an answer, which takes it less than a millisecond: one that is there, and each of those
/// that are started instead if it is gone or somebody has stopped it.
const PATIENCE: [Duration; 4] =
    [Duration::from_secs(2), Duration::from_secs(5), Duration::from_secs(5), Duration::from_secs(10)];

/// A new process that waits for its script.
pub(crate) fn fork() -> io::Result<Child> {
    let ask = |server: &RefCell<Option<ForkServer>>| {
        let mut server = server.borrow_mut();
        // What it makes are children of whoever has started it, as this process before it was forked.
        server.take_if(|server| server.owner != std::process::id());
        let mut last = Ok(None);
        for patience in PATIENCE {
            let known = match &mut *server {
                Some(known) => known,
                none => none.insert(ForkServer::start()?),
            };
            match known.fork(patience) {
                Err(e) if is_gone(&e) => last = Err(e),
                done => return done,
            }
            // Its answer could be taken for that to another question.
            *server = None;
        }
        last?.ok_or_else(|| io::ErrorKind::TimedOut.into())
    };
    SERVER.try_with(ask).map_err(|_| io::Error::other("this thread is ending"))?
}

/// Whether an error says that nobody is at the other end, or that nobody answers there.
fn is_gone(e: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, TimedOut, UnexpectedEof};
    [BrokenPipe, ConnectionReset, TimedOut, UnexpectedEof].contains(&e.kind())
}

#[derive(Debug)]
struct ForkServer {
    process: std::process::Child,
    socket: OwnedFd,
    /// Whose child it is.
    owner: u32,
}

impl ForkServer {
    fn start() -> io::Result<Self> {
        remember_children();
        // Packets, so that a request and its pipes are one.
        let (socket, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        // Nothing here makes the standard library fork: what a start costs does not depend on our memory.
        let mut command = Command::new(HELPER.get().map_or(Path::new(OURSELVES), PathBuf::as_path));
        command.arg0("agon").arg(WORD).env_clear().process_group(0);
        command.stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self { process: command.spawn()?, socket, owner: std::process::id() })
    }

    fn fork(&self, patience: Duration) -> io::Result<Child> {
        let ((their_stdin, stdin), (stdout, their_stdout), (stderr, their_stderr)) = {
            let pipe = || pipe_with(PipeFlags::CLOEXEC);
            (pipe()?, pipe()?, pipe()?)
        };
        let theirs = [their_stdin.as_fd(), their_stdout.as_fd(), their_stderr.as_fd()];
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
        let mut pipes = SendAncillaryBuffer::new(&mut space);
        pipes.push(SendAncillaryMessage::ScmRights(&theirs));
        // A match is kept on its cores by its thread, whose the server was once.
        let cores = cores()?;
        retry_on_intr(|| sendmsg(&self.socket, &[IoSlice::new(&cores)], &mut pipes, SendFlags::NOSIGNAL))?;
        self.wait_for_answer(patience)?;
        let mut answer = [0; 4];
        let (length, _) = retry_on_intr(|| recv(&self.socket, &mut answer, RecvFlags::empty()))?;
        if length < answer.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let number = i32::from_ne_bytes(answer);
        let pid = Pid::from_raw(number.max(0)).ok_or_else(|| io::Error::from_raw_os_error(-number))?;
        Ok(Child::new(pid, stdin.into(), stdout.into(), stderr.into()))
    }

    fn wait_for_answer(&self, patience: Duration) -> io::Result<()> {
        let until = Instant::now() + patience;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
            match poll(&mut [PollFd::new(&self.socket, PollFlags::IN)], Some(&timeout)) {
                Ok(0) if left.is_zero() => {
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "the process that makes copies of it is stopped",
                    ));
                }
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(e) => return Err(e.into()),
            }
        }
    }
}

/// It ends by itself when it has lost us. Here it is waited for.
impl Drop for ForkServer {
    fn drop(&mut self) {
        if self.owner == std::process::id() {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

/// Whoever has started this program may have told the system to forget its children: then nobody learns how a program has
/// ended, and its number may be another process's at once.
fn remember_children() {
    // SAFETY: zeroes are lawful for this structure, into which the kernel writes how it is; the default action takes no
    // pointer.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGCHLD, std::ptr::null(), &raw mut now) == 0 && now.sa_sigaction == libc::SIG_IGN {
            libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        }
    }
}

/// The cores that this thread may run on.
pub(crate) fn cores() -> io::Result<Cores> {
    let set = sched_getaffinity(None)?;
    let mut cores = [0; CpuSet::MAX_CPU / 8];
    for (eight, byte) in cores.iter_mut().enumerate() {
        *byte = (0..8).fold(0, |byte, bit| byte | u8::from(set.is_set(8 * eight + bit)) << bit);
    }
    Ok(cores)
}

/// As the system takes them.
pub(crate) fn core_set(cores: &Cores) -> CpuSet {
    let mut set = CpuSet::new();
    for core in (0..CpuSet::MAX_CPU).filter(|core| cores[core / 8] >> (core % 8) & 1 > 0) {
        set.set(core);
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_told_as_they_are() {
        let mut cores = [0; CpuSet::MAX_CPU / 8];
        (cores[0], cores[127]) = (0b1000_0010, 0b1000_0000);
        let set = core_set(&cores);
        assert!(set.is_set(1) && set.is_set(7) && set.is_set(1023) && set.count() == 3);
        let ours = sched_getaffinity(None).expect("a thread runs somewhere");
        assert_eq!(core_set(&super::cores().expect("the same")), ours);
    }
}
