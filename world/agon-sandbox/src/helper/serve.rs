//! The fork server's loop: it makes copies of this process on request. Each copy is a child of the process that has
//! started this one.

use super::{
    answer_on, exit, limits, namespaces,
    networks::{Network, Networks},
    prepared, seccomp,
    system_files::System,
};
#[cfg(feature = "faults")]
use crate::faults;
use crate::{
    fork_server::{Cores, MOST_SCRIPT, core_set, cores},
    handshake::GREETING,
    image::Image,
    script::Script,
};
use rustix::{
    cmsg_space,
    fd::{AsRawFd, BorrowedFd, OwnedFd},
    fs::Mode,
    io::{Errno, retry_on_intr},
    net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recvmsg, send},
    thread::sched_setaffinity,
};
use std::{
    io::{self, IoSliceMut},
    mem::MaybeUninit,
};

/// A request for a copy, or to a keeper: the cores that the new process may run on, its three pipes and that of the answer (a keeper
/// answers on its socket) or the socket of a new keeper, whether it will be in a network namespace, and its script, if that is not on its stdin.
pub(crate) struct Request {
    pub cores: Cores,
    pub descriptors: Vec<OwnedFd>,
    own_network: bool,
    pub script: Option<Box<Scripted>>,
}

/// A script that came with the request.
pub(crate) struct Scripted {
    pub script: io::Result<Script>,
    /// The script itself has no words and variables.
    pub image: Option<Image>,
}

impl Scripted {
    fn read(mut bytes: &[u8]) -> Self {
        let script = Script::read(&mut bytes);
        match Image::decode(bytes) {
            Some(image) => Self { script, image: Some(image) },
            None => Self { script: Err(io::ErrorKind::InvalidData.into()), image: None },
        }
    }
}

/// What a new process is for.
pub(crate) enum Copied {
    /// It becomes a program in a sandbox, in this network namespace, or in the host's if there is none. The script is on its
    /// stdin if it did not come with the request.
    Program(Option<Network>, Option<Box<Scripted>>),
    /// It keeps programs that are not confined, which are asked for on this socket. The mode is that of the user for new
    /// files.
    Keeper(OwnedFd, Mode),
}

/// Returns in every new process. The server itself never returns: it ends when the process that has started it closes
/// the socket.
pub(crate) fn serve() -> Copied {
    let umask = plain_process();
    namespaces::prepare_stacks();
    let socket = socket();
    #[cfg(feature = "faults")]
    let _ = faults::meet(faults::Point::Greeting);
    // The process that has started this one accepts no answer before the greeting.
    if retry_on_intr(|| send(socket, GREETING, SendFlags::NOSIGNAL)).is_err() {
        exit(1);
    }
    let mut own = cores().ok();
    let mut networks = None;
    let mut buffer = Request::buffer();
    while let Some(mut request) = Request::receive(socket, &mut buffer) {
        // What this process does for a match takes no time of others, and its copies need not move.
        if own != Some(request.cores) && sched_setaffinity(None, &core_set(&request.cores)).is_ok() {
            own = Some(request.cores);
        }
        let own_network = request.own_network;
        let network = networks.iter_mut().flatten().next().filter(|_| own_network).and_then(Networks::take);
        let answer = match sibling() {
            Ok(None) => {
                #[cfg(feature = "faults")]
                let _ = faults::meet(faults::Point::Copied);
                // On other cores, the bot would use the time of other matches.
                if own != Some(request.cores) || rustix::process::setpgid(None, None).is_err() {
                    exit(1);
                }
                if request.is_for_keeper()
                    && let Some(socket) = request.descriptors.pop()
                {
                    return Copied::Keeper(socket, umask);
                }
                if !request.join_streams() {
                    exit(1);
                }
                if let Some(answer) = request.descriptors.get(3) {
                    answer_on(answer.as_raw_fd());
                }
                let network = network.and_then(|number| networks.flatten()?.enter(number));
                let script = request.script.take();
                // The new copy closes the other pipes when it closes all that it does not use.
                std::mem::forget((request, buffer));
                return Copied::Program(network, script);
            }
            Ok(Some(pid)) => pid,
            Err(e) => {
                if let (Some(networks), Some(number)) = (networks.iter_mut().flatten().next(), network) {
                    networks.put_back(number);
                }
                -e.raw_os_error()
            }
        };
        let is_for_keeper = request.is_for_keeper();
        // The server closes its copies of the pipes. Otherwise the ends of these pipes would never be seen.
        drop(request);
        let _ = retry_on_intr(|| send(socket, &answer.to_ne_bytes(), SendFlags::NOSIGNAL));
        if !is_for_keeper {
            prepare();
        }
        // The first program makes a network for itself, and does not wait for this either.
        if own_network {
            networks.get_or_insert_with(Networks::new);
        }
    }
    exit(0)
}

/// Makes in advance what all programs in a sandbox need. The first copy makes it for itself, and does not wait for this.
fn prepare() {
    seccomp::prepare();
    prepared::prepare(System::prepare());
    limits::prepare();
}

/// The socket to the process that has started this one.
fn socket() -> BorrowedFd<'static> {
    // SAFETY: the socket is stdin, which this program closes only in a copy of it, which does not use the socket.
    unsafe { BorrowedFd::borrow_raw(0) }
}

impl Request {
    /// The space for one request.
    pub(crate) fn buffer() -> Vec<u8> {
        vec![0; size_of::<Cores>() + 1 + MOST_SCRIPT]
    }

    fn is_for_keeper(&self) -> bool {
        self.descriptors.len() == 1
    }

    /// Receives the next request. `None` at the end of the connection or if the request is not valid.
    pub(crate) fn receive(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> Option<Self> {
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(4))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut into = [IoSliceMut::new(buffer)];
        let got = retry_on_intr(|| recvmsg(socket, &mut into, &mut control, RecvFlags::CMSG_CLOEXEC)).ok()?;
        let descriptors = control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors.collect::<Vec<_>>()),
            _ => None,
        });
        let descriptors = descriptors.filter(|descriptors| matches!(descriptors.len(), 1 | 3 | 4))?;
        let (cores, rest) = buffer.get(..got.bytes)?.split_first_chunk()?;
        let (own_network, script) = rest.split_first()?;
        let script = Some(script).filter(|script| !script.is_empty()).map(|bytes| Box::new(Scripted::read(bytes)));
        Some(Self { cores: *cores, descriptors, own_network: *own_network > 0, script })
    }

    /// Makes the pipes the first three descriptors of this process. Returns whether they are.
    pub(crate) fn join_streams(&self) -> bool {
        (0..3).zip(&self.descriptors).all(|(number, pipe)| {
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
