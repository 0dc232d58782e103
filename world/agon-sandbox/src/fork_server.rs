//! This very program, started anew once for every thread that starts programs inside. It is small and stays so, and a
//! copy of it is there sooner than a program that has to be loaded; whatever the memory of this one is.
//!
//! What it makes are children of this process, not of it: they are waited for here, and die with this thread.

use crate::{child::Child, inside::WORD};
use rustix::{
    cmsg_space,
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

/// A new process that waits for its script.
pub(crate) fn fork() -> io::Result<Child> {
    let ask = |server: &RefCell<Option<ForkServer>>| {
        let mut server = server.borrow_mut();
        if let Some(known) = server.as_ref() {
            match known.fork() {
                Err(e) if is_gone(&e) => {}
                done => return done,
            }
        }
        // There is none yet, or somebody has killed it.
        server.insert(ForkServer::start()?).fork()
    };
    SERVER.try_with(ask).map_err(|_| io::Error::other("this thread is ending"))?
}

/// Whether an error says that nobody is at the other end.
fn is_gone(e: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    [BrokenPipe, ConnectionReset, UnexpectedEof].contains(&e.kind())
}

#[derive(Debug)]
struct ForkServer {
    process: std::process::Child,
    socket: OwnedFd,
}

impl ForkServer {
    fn start() -> io::Result<Self> {
        // Packets, so that a request and its pipes are one.
        let (socket, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        // Nothing here makes the standard library fork: what a start costs does not depend on our memory.
        let mut command = Command::new(HELPER.get().map_or(Path::new(OURSELVES), PathBuf::as_path));
        command.arg0("agon").arg(WORD).env_clear().process_group(0);
        command.stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self { process: command.spawn()?, socket })
    }

    fn fork(&self) -> io::Result<Child> {
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
        let mut answer = [0; 4];
        let (length, _) = retry_on_intr(|| recv(&self.socket, &mut answer, RecvFlags::empty()))?;
        if length < answer.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let number = i32::from_ne_bytes(answer);
        let pid = Pid::from_raw(number.max(0)).ok_or_else(|| io::Error::from_raw_os_error(-number))?;
        Ok(Child::new(pid, stdin.into(), stdout.into(), stderr.into()))
    }
}

/// It ends by itself when it has lost us. Here it is waited for.
impl Drop for ForkServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
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
