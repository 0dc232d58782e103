//! Network namespaces that are used again. To make one and to remove it takes the kernel longer than the rest of a start.
//!
//! A bot cannot open a socket with a name, and cannot change its network, so that it leaves nothing in a namespace. At no
//! time do two bots share one.
//!
//! An ordinary user has rights over a network only in the user namespace that it was made in, and none over those around. So all
//! networks belong to one user namespace of the fork server, and each bot gets one of its own within that.

use super::{
    namespaces::{close_here, do_elsewhere, enter_new_users},
    unused_user,
};
use rustix::{
    fd::{AsFd, AsRawFd, OwnedFd},
    fs::{Mode, OFlags},
    io::{self, retry_on_intr},
    net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socketpair},
    thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe},
};

/// The most namespaces that one fork server remembers. No match has as many bots.
const MOST: usize = 64;

/// The network namespaces of a fork server.
pub(crate) struct Networks {
    maker: Maker,
    /// All namespaces that were made. Their places are their numbers.
    made: Vec<OwnedFd>,
    /// The numbers of those that no process is in.
    free: Vec<u8>,
    /// Where the numbers of namespaces arrive whose processes have ended.
    given_back: OwnedFd,
    /// The other end, for the copies of the fork server.
    give_back: OwnedFd,
}

/// Who makes network namespaces.
enum Maker {
    /// Root, who then returns to the network of the fork server.
    Root { host: OwnedFd },
    /// An ordinary user, in a user namespace that all of them belong to.
    User { users: OwnedFd },
}

/// The network namespace that a copy of the fork server is in.
pub(crate) struct Network {
    number: u8,
    give_back: OwnedFd,
}

impl Networks {
    /// `None` if none can be made here. Then each bot tries it once more, and says why.
    pub(crate) fn new() -> Option<Self> {
        let maker = Maker::new()?;
        let (given_back, give_back) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).ok()?;
        Some(Self { maker, made: Vec::new(), free: Vec::new(), given_back, give_back })
    }

    /// Takes the number of a namespace that no process is in. `None` if there is none and none can be made.
    pub(crate) fn take(&mut self) -> Option<u8> {
        let mut number = [0];
        while retry_on_intr(|| recv(&self.given_back, &mut number, RecvFlags::DONTWAIT)).is_ok_and(|got| got.0 > 0) {
            self.free.push(number[0]);
        }
        if let Some(number) = self.free.pop() {
            return Some(number);
        }
        // Who was killed gives nothing back. Bots that still run keep their namespaces without this process.
        if self.made.len() == MOST {
            *self = Self::new()?;
        }
        self.make()
    }

    /// Takes back a number that no process was started for.
    pub(crate) fn put_back(&mut self, number: u8) {
        self.free.push(number);
    }

    fn make(&mut self) -> Option<u8> {
        let number = u8::try_from(self.made.len()).ok()?;
        let made = self.maker.make()?;
        self.made.push(made);
        Some(number)
    }

    /// Moves this process, which is a copy of the fork server, into a namespace.
    pub(crate) fn enter(self, number: u8) -> Option<Network> {
        let made = self.made.get(usize::from(number))?;
        self.maker.enter(made).ok()?;
        Some(Network { number, give_back: self.give_back })
    }
}

impl Maker {
    fn new() -> Option<Self> {
        if unused_user().is_some() {
            return Some(Self::Root { host: current(NETWORK).ok()? });
        }
        let mut users = None;
        do_elsewhere(|| users = enter_new_users().ok().and_then(|()| current(USERS).ok()));
        Some(Self::User { users: users? })
    }

    fn make(&self) -> Option<OwnedFd> {
        // SAFETY: this flag does not split the table of descriptors or memory.
        let unshared = || unsafe { unshare_unsafe(UnshareFlags::NEWNET) };
        match self {
            Self::Root { host } => {
                unshared().ok()?;
                let made = current(NETWORK);
                // What the user starts without a sandbox has the host's network.
                if enter(host, LinkNameSpaceType::Network).is_err() {
                    super::exit(1);
                }
                made.ok()
            }
            Self::User { users } => {
                // Nobody returns from a user namespace.
                let mut made = None;
                do_elsewhere(|| {
                    let inside = enter(users, LinkNameSpaceType::User).and_then(|()| unshared());
                    made = inside.and_then(|()| current(NETWORK)).ok();
                });
                made
            }
        }
    }

    /// Moves this process into a network.
    fn enter(&self, network: &OwnedFd) -> io::Result<()> {
        if let Self::User { users } = self {
            enter(users, LinkNameSpaceType::User)?;
        }
        enter(network, LinkNameSpaceType::Network)
    }
}

impl Network {
    /// Says that no process is in the namespace any more but this one, which makes no use of it.
    pub(crate) fn give_back(&self) {
        // If the fork server has ended, nobody needs to know.
        let _ = retry_on_intr(|| send(&self.give_back, &[self.number], SendFlags::NOSIGNAL));
    }

    /// Closes the descriptor in this process only.
    pub(crate) fn close_here(&self) {
        close_here(&self.give_back);
    }

    /// The number of its descriptor.
    pub(crate) fn descriptor(&self) -> u32 {
        self.give_back.as_raw_fd().unsigned_abs()
    }
}

const NETWORK: &str = "/proc/self/ns/net";
const USERS: &str = "/proc/self/ns/user";

/// A handle of a namespace of this process.
fn current(place: &str) -> io::Result<OwnedFd> {
    rustix::fs::open(place, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
}

fn enter(namespace: &OwnedFd, kind: LinkNameSpaceType) -> io::Result<()> {
    move_into_link_name_space(namespace.as_fd(), Some(kind))
}
