//! What the attacks of the doctor aim at, and the check from outside that nothing of it was harmed.

use super::marked;
use rustix::io::{FdFlags, fcntl_setfd};
use std::{
    ffi::{OsStr, OsString},
    fs,
    io::{self, ErrorKind},
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::{
            ffi::OsStrExt,
            net::{SocketAddr, UnixListener},
        },
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// What the key says.
const KEY: &str = "agon-doctor-key-81d2c6e40f9a";
/// Folders in which every user may create files.
pub const SHARED_FOLDERS: [&str; 2] = ["/var/tmp", "/dev/shm"];

/// What an attacker knows about the targets, which is all that there is to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The folder of the targets.
    pub folder: PathBuf,
    /// The number of the process that is a target.
    pub victim: i32,
    /// The number of the doctor's process.
    pub doctor: i32,
    /// The TCP port on which the doctor listens.
    pub tcp: u16,
    /// The UDP port on which the doctor listens.
    pub udp: u16,
}

impl Facts {
    /// A word that belongs to this run of the doctor alone.
    pub fn marker(&self) -> String {
        format!("agon-doctor-{}-{}", self.doctor, self.victim)
    }

    /// The path of a key in a user's home.
    pub fn key(&self) -> PathBuf {
        self.folder.join("home/.ssh/id_secret")
    }

    /// The path of the program of another bot.
    pub fn opponent(&self) -> PathBuf {
        self.folder.join("opponent/bot.py")
    }

    /// The path of a stream socket.
    pub fn socket(&self) -> PathBuf {
        self.folder.join("stream.sock")
    }

    /// Returns the words that [`Facts::read`] reads.
    pub fn words(&self) -> impl Iterator<Item = OsString> + use<> {
        let numbers = [self.victim.to_string(), self.doctor.to_string(), self.tcp.to_string(), self.udp.to_string()];
        [self.folder.clone().into_os_string()].into_iter().chain(numbers.map(OsString::from))
    }

    /// Reads the words of a command line.
    pub fn read(words: &[OsString]) -> Option<Self> {
        let [folder, numbers @ ..] = words else { return None };
        let numbers: Vec<i32> = numbers.iter().map(|word| word.to_str()?.parse().ok()).collect::<Option<_>>()?;
        let [victim, doctor, tcp, udp] = numbers[..] else { return None };
        let port = |number: i32| u16::try_from(number).ok();
        Some(Self { folder: folder.into(), victim, doctor, tcp: port(tcp)?, udp: port(udp)? })
    }
}

/// The targets. Dropping them ends the process and removes the files.
pub struct Targets {
    facts: Facts,
    victim: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    stream: UnixListener,
    abstract_socket: UnixListener,
    /// A file that every program inherits open, unless somebody closes it.
    _inheritable: fs::File,
    folder: agon_sandbox::TemporaryFolder,
}

impl Targets {
    /// Makes the files and sockets, and starts the process, which must live until its stdin ends.
    pub fn new(mut victim: Command) -> io::Result<Self> {
        let temporary = std::env::temp_dir().canonicalize()?;
        let folder = agon_sandbox::TemporaryFolder::new(&temporary, "agon-doctor-", 0o755)?;
        let victim = victim
            .env_clear()
            .env("SECRET", "a secret in an environment")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let number = |id: u32| i32::try_from(id).map_err(|_| io::Error::from(ErrorKind::InvalidData));
        let (tcp, udp) = (TcpListener::bind(("127.0.0.1", 0))?, UdpSocket::bind(("127.0.0.1", 0))?);
        let facts = Facts {
            folder: folder.path().to_owned(),
            victim: number(victim.id())?,
            doctor: number(std::process::id())?,
            tcp: tcp.local_addr()?.port(),
            udp: udp.local_addr()?.port(),
        };
        for part in ["home/.ssh", "opponent", "own"] {
            fs::create_dir_all(folder.path().join(part))?;
        }
        fs::write(facts.key(), KEY)?;
        fs::write(facts.opponent(), "print('the best idea of the season')")?;
        let stream = UnixListener::bind(facts.socket())?;
        let name = SocketAddr::from_abstract_name(facts.marker().as_bytes())?;
        let abstract_socket = UnixListener::bind_addr(&name)?;
        tcp.set_nonblocking(true)?;
        udp.set_nonblocking(true)?;
        stream.set_nonblocking(true)?;
        abstract_socket.set_nonblocking(true)?;
        let inheritable = fs::File::open(facts.key())?;
        fcntl_setfd(&inheritable, FdFlags::empty())?;
        Ok(Self { facts, victim, tcp, udp, stream, abstract_socket, _inheritable: inheritable, folder })
    }

    /// Returns what an attacker knows.
    pub fn facts(&self) -> Facts {
        self.facts.clone()
    }

    /// The folder of the attacker itself.
    pub fn own(&self) -> PathBuf {
        self.folder.path().join("own")
    }

    /// The path of a folder that is not there yet.
    pub fn unused(&self) -> PathBuf {
        self.folder.path().join("unused")
    }

    /// Returns what was done to the targets. It is nothing if they were not harmed.
    pub fn harm(&mut self) -> Vec<String> {
        let mut harm = Vec::new();
        let mut check = |is_harmed: bool, what: &str| {
            if is_harmed {
                harm.push(what.to_owned());
            }
        };
        check(!matches!(self.victim.try_wait(), Ok(None)), "a process of another program was ended");
        check(fs::read(self.facts.key()).ok().as_deref() != Some(KEY.as_bytes()), "a key in a home was changed");
        check(self.tcp.accept().is_ok(), "a TCP port was connected to");
        check(self.udp.recv(&mut [0]).is_ok(), "a UDP port received a packet");
        check(self.stream.accept().is_ok(), "a stream socket was connected to");
        check(self.abstract_socket.accept().is_ok(), "an abstract socket was connected to");
        for folder in SHARED_FOLDERS {
            let left = marked(folder, &self.facts.marker());
            if fs::remove_file(&left).is_ok() {
                harm.push(format!("`{}` was left behind", left.display()));
            }
        }
        harm
    }
}

impl Drop for Targets {
    fn drop(&mut self) {
        // Both fail only if the process has ended before.
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

/// Whether the environment or command line of a process, as its file in /proc, can be read.
pub fn says_anything(path: &Path) -> io::Result<()> {
    let bytes = fs::read(path)?;
    if OsStr::from_bytes(&bytes).is_empty() { Err(ErrorKind::NotFound.into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_as_they_are_written() {
        let facts = Facts { folder: "/tmp/a b".into(), victim: 12, doctor: 3, tcp: 65_535, udp: 9 };
        let words: Vec<OsString> = facts.words().collect();
        assert_eq!(Facts::read(&words), Some(facts));
        assert_eq!(Facts::read(&words[..3]), None);
        let wrong: Vec<OsString> = ["/tmp", "1", "2", "70000", "1"].map(OsString::from).to_vec();
        assert_eq!(Facts::read(&wrong), None);
    }
}
