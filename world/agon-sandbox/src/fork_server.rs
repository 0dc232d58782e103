//! The fork server: a helper program that runs once for each thread that starts programs in a sandbox. It is small, so
//! that making a copy of it is faster than loading a program, however much memory this process has.
//!
//! The copies are children of this process, not of the fork server. This process waits for them, and they die with the
//! thread that starts them.

use crate::{
    Cause, Refused, Step,
    child::{Child, wait_for_end},
    handshake::GREETING,
    helper::{self, WORD},
    start::{timeout, timespec},
};
use rustix::{
    cmsg_space,
    event::{PollFd, PollFlags, poll},
    fd::{AsFd, BorrowedFd, OwnedFd},
    io::{Errno, retry_on_intr},
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
    os::unix::process::{CommandExt, ExitStatusExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
    time::Instant,
};

/// The current program, even if its file was replaced after it had started.
const OURSELVES: &str = "/proc/self/exe";
static HELPER: OnceLock<PathBuf> = OnceLock::new();

thread_local! {
    static SERVER: RefCell<Option<ForkServer>> = const { RefCell::new(None) };
}

/// The cores that a thread may run on, with one bit for each.
pub(crate) type Cores = [u8; CpuSet::MAX_CPU / 8];

/// The pipes of a copy: stdin, stdout, stderr, and that of its answer.
pub(crate) const STREAMS: usize = 4;

/// Names the helper program: any program of this version whose `main` begins with [`helper`](crate::helper()). Use
/// this in programs whose `main` you cannot change, such as a test or a module of another language. Only the first
/// call has an effect. The named program is used even if the current program is a helper itself.
pub fn start_by(program: PathBuf) {
    let _ = HELPER.set(program);
}

/// The program to start as the helper.
fn program() -> Result<&'static Path, Refused> {
    match HELPER.get() {
        Some(named) => Ok(named),
        None if helper::is_called() => Ok(Path::new(OURSELVES)),
        None => Err(Refused::new(Step::Start, "", Cause::NoHelper)),
    }
}

/// Makes a new process, which waits for a script on its stdin. Returns it with the stream of its answer, which ends when the
/// program is executed, or when the process ends. This tries only once. If the host is short of something, the caller may try
/// again.
pub(crate) fn fork() -> Result<(Child, OwnedFd), Refused> {
    let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(failed);
    let [(their_stdin, stdin), (stdout, their_stdout), (stderr, their_stderr), (answer, their_answer)] =
        [pipe()?, pipe()?, pipe()?, pipe()?];
    let pid = copy(&[&their_stdin, &their_stdout, &their_stderr, &their_answer].map(AsFd::as_fd))?;
    Ok((Child::new(pid, stdin.into(), stdout.into(), stderr.into()), answer))
}

/// Asks the fork server of this thread for a copy that has these descriptors. A server that has failed is replaced by the next
/// call.
fn copy(theirs: &[BorrowedFd<'_>; STREAMS]) -> Result<Pid, Refused> {
    let ask = |server: &RefCell<Option<ForkServer>>| {
        let mut server = server.borrow_mut();
        // The server makes children of the process that has started it. After a fork that is another process.
        server.take_if(|server| server.owner != std::process::id());
        let known = match &mut *server {
            Some(known) => known,
            none => none.insert(ForkServer::start(program()?)?),
        };
        let copied = known.copy(theirs);
        if copied.is_err() {
            // A late answer of this server could be taken for the answer to another request.
            *server = None;
        }
        copied
    };
    SERVER.try_with(ask).map_err(|_| Refused::other(Step::Start, "this thread is ending"))?
}

#[derive(Debug)]
struct ForkServer {
    process: std::process::Child,
    socket: OwnedFd,
    /// The file that was started.
    program: PathBuf,
    /// Whether it has identified itself as a helper.
    greeted: bool,
    /// The ID of the process that has started it.
    owner: u32,
}

fn failed(errno: Errno) -> Refused {
    Refused::new(Step::Start, "", Cause::Errno(errno))
}

impl ForkServer {
    fn start(program: &Path) -> Result<Self, Refused> {
        remember_children();
        // Sockets that carry packets, so that a request and its pipes arrive together.
        let (socket, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).map_err(failed)?;
        // None of these settings makes the standard library fork, so that the cost of a start does not depend on our
        // memory.
        let mut command = Command::new(program);
        command.arg0("agon").arg(WORD).env_clear().process_group(0);
        #[cfg(feature = "faults")]
        {
            let (point, fault) = crate::faults::take(true);
            command.args([point.to_string(), fault.to_string()]);
        }
        command.stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().map_err(Refused::about(Step::Start, program))?;
        Ok(Self { process, socket, program: program.to_owned(), greeted: false, owner: std::process::id() })
    }

    /// Sends a request: the cores of this thread, which may have changed since it started the server, and the pipes of the copy.
    fn copy(&mut self, theirs: &[BorrowedFd<'_>; STREAMS]) -> Result<Pid, Refused> {
        let until = Instant::now() + timeout();
        let cores = cores().map_err(|e| Refused::io(Step::Start, "reading the cores of this thread", &e))?;
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(STREAMS))];
        let mut pipes = SendAncillaryBuffer::new(&mut space);
        pipes.push(SendAncillaryMessage::ScmRights(theirs));
        let request = [IoSlice::new(&cores)];
        match retry_on_intr(|| sendmsg(&self.socket, &request, &mut pipes, SendFlags::NOSIGNAL)) {
            Ok(_) => {}
            Err(Errno::PIPE | Errno::CONNRESET) => return Err(self.lost()),
            Err(errno) => return Err(failed(errno)),
        }
        // Its first message must be the greeting. Until then it has received nothing from us but empty pipes.
        if !self.greeted {
            let mut greeting = [0; 128];
            let length = self.receive(&mut greeting, until)?;
            if greeting[..length] != *GREETING {
                return Err(self.not_helper());
            }
            self.greeted = true;
        }
        let mut answer = [0; 4];
        if self.receive(&mut answer, until)? < answer.len() {
            return Err(Refused::new(Step::Start, "", Cause::Protocol("an incomplete process ID".into())));
        }
        let number = i32::from_ne_bytes(answer);
        let pid = Pid::from_raw(number.max(0)).filter(|_| number > 0);
        pid.ok_or_else(|| failed(Errno::from_raw_os_error(number.saturating_neg().max(1))))
    }

    /// Receives one packet, and waits for it until an instant. Returns its length.
    fn receive(&mut self, into: &mut [u8], until: Instant) -> Result<usize, Refused> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match poll(&mut [PollFd::new(&self.socket, PollFlags::IN)], Some(&timespec(left))) {
                Ok(0) if left.is_zero() => {
                    return Err(Refused::new(Step::Start, "the helper program", Cause::NoAnswer(timeout())));
                }
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => break,
                Err(errno) => return Err(failed(errno)),
            }
        }
        match retry_on_intr(|| recv(&self.socket, &mut *into, RecvFlags::empty())) {
            Ok((_, 0)) | Err(Errno::CONNRESET) => Err(self.lost()),
            Ok((_, length)) => Ok(length.min(into.len())),
            Err(errno) => Err(failed(errno)),
        }
    }

    /// Finds out why the server has closed the connection.
    fn lost(&mut self) -> Refused {
        wait_for_end(Pid::from_child(&self.process), timeout());
        let cause = match self.process.try_wait() {
            Ok(Some(status)) if status.signal().is_none() && !self.greeted => return self.not_helper(),
            Ok(Some(status)) => Cause::of_status(status),
            Ok(None) => Cause::NoAnswer(timeout()),
            Err(error) => Cause::of_io(&error),
        };
        Refused::new(Step::Start, "the helper program", cause)
    }

    fn not_helper(&self) -> Refused {
        Refused::new(Step::Start, "", Cause::NotHelper(self.program.clone()))
    }
}

/// Kills the server and waits for its end. If this process dies first, the server ends by itself.
impl Drop for ForkServer {
    fn drop(&mut self) {
        if self.owner == std::process::id() {
            let _ = self.process.kill();
            wait_for_end(Pid::from_child(&self.process), timeout());
            let _ = self.process.try_wait();
        }
    }
}

/// Restores the default handling of SIGCHLD if it is ignored, which a program inherits from its parent. While it is
/// ignored, the system discards how children end, and may give their IDs to other processes immediately.
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

/// Reads the cores that this thread may run on.
pub(crate) fn cores() -> io::Result<Cores> {
    let set = sched_getaffinity(None)?;
    let mut cores = [0; CpuSet::MAX_CPU / 8];
    for (eight, byte) in cores.iter_mut().enumerate() {
        *byte = (0..8).fold(0, |byte, bit| byte | u8::from(set.is_set(8 * eight + bit)) << bit);
    }
    Ok(cores)
}

/// Converts cores to the form that the system takes.
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
