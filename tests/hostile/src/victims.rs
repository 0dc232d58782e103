//! The victims of attacks, and the check from outside that none of them was harmed. The report of a bot does not prove
//! that.

use crate::{Facts, VICTIM, victim_process::SECRET};
use std::{
    collections::BTreeMap,
    fs,
    io::{self, BufRead, BufReader, Write},
    net::{TcpListener, UdpSocket},
    os::{
        fd::{AsRawFd, RawFd},
        unix::{
            fs::symlink,
            net::{UnixDatagram, UnixListener},
        },
    },
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

/// The maximum time for an answer of the victim process, even on a busy machine, in milliseconds.
const ANSWER_TIMEOUT_MS: i32 = 20_000;
/// The folders in which every user may create files.
const SHARED_FOLDERS: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/run/lock"];

/// The content of the key file. It must not appear anywhere else.
pub(crate) const KEY: &str = "agon-selftest-key-3c4f19a07e5b";

/// A set of victims. Dropping it ends the process and removes the files.
#[derive(Debug)]
pub(crate) struct Victims {
    facts: Facts,
    process: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// The scheduling and the limits of the process before any attack.
    settings: Vec<String>,
    /// The content of every file of the folder before any attack.
    files: BTreeMap<PathBuf, Vec<u8>>,
    tcp: TcpListener,
    udp: UdpSocket,
    stream: UnixListener,
    datagram: UnixDatagram,
    #[cfg(target_os = "linux")]
    abstract_socket: UnixListener,
    /// A file that every child process inherits open unless it is closed.
    _inheritable: fs::File,
}

impl Victims {
    /// Creates a folder with files, the sockets, and the process, which runs `program`.
    pub(crate) fn new(program: &Path) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().canonicalize()?.join(format!("agon-selftest-{number}"));
        let mut facts = Facts { marker: format!("agon-left-{number}"), folder, ..Facts::default() };
        create_files(&facts)?;

        let mut process = Command::new(program)
            .args([VICTIM, "a-secret-on-a-command-line"])
            .env_clear()
            .env("SECRET", "a secret in an environment")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(requests), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::Error::other("the victim process has no pipes"));
        };
        let mut answers = BufReader::new(answers);
        let mut line = String::new();
        answers.read_line(&mut line)?;
        facts.address =
            line.trim().parse().map_err(|_| io::Error::other("the victim process does not print an address"))?;
        facts.victim = process.id() as i32;
        facts.driver = std::process::id() as i32;

        let (tcp, udp) = (TcpListener::bind(("127.0.0.1", 0))?, UdpSocket::bind(("127.0.0.1", 0))?);
        let stream = UnixListener::bind(facts.stream_socket())?;
        let datagram = UnixDatagram::bind(facts.datagram_socket())?;
        #[cfg(target_os = "linux")]
        let abstract_socket = {
            use std::os::{linux::net::SocketAddrExt, unix::net::SocketAddr};
            UnixListener::bind_addr(&SocketAddr::from_abstract_name(facts.marker.as_bytes())?)?
        };
        tcp.set_nonblocking(true)?;
        udp.set_nonblocking(true)?;
        stream.set_nonblocking(true)?;
        datagram.set_nonblocking(true)?;
        #[cfg(target_os = "linux")]
        abstract_socket.set_nonblocking(true)?;
        (facts.tcp, facts.udp) = (tcp.local_addr()?.port(), udp.local_addr()?.port());

        let inheritable = fs::File::open(facts.key())?;
        // SAFETY: numbers alone. The file stays open in every program that we start.
        unsafe { libc::fcntl(inheritable.as_raw_fd(), libc::F_SETFD, 0) };
        let files = contents(&facts.folder)?;
        let settings = process_settings(facts.victim);
        Ok(Self {
            facts,
            process,
            requests: Some(requests),
            answers,
            settings,
            files,
            tcp,
            udp,
            stream,
            datagram,
            #[cfg(target_os = "linux")]
            abstract_socket,
            _inheritable: inheritable,
        })
    }

    /// Returns what a well-informed attacker knows about the victims, for the match with this marker.
    pub(crate) fn facts(&self, row: &str) -> Facts {
        Facts { row: row.to_owned(), ..self.facts.clone() }
    }

    /// Returns what was done to the victims. The list is empty if they were not harmed.
    pub(crate) fn harm(&mut self) -> Vec<String> {
        let mut harm = Vec::new();
        match self.read_secret() {
            Some(SECRET) => {}
            Some(_) => harm.push("the memory of the victim process was changed".to_owned()),
            None => harm.push("the victim process does not answer".to_owned()),
        }
        for (was, is) in self.settings.iter().zip(process_settings(self.facts.victim)) {
            if *was != is {
                harm.push(format!("the victim process had `{was}` and now has `{is}`"));
            }
        }
        match contents(&self.facts.folder) {
            Ok(files) if files == self.files => {}
            Ok(files) => {
                let differs = |path: &&PathBuf| files.get(*path) != self.files.get(*path);
                let paths: Vec<String> =
                    files.keys().chain(self.files.keys()).filter(differs).map(|p| p.display().to_string()).collect();
                harm.push(format!("files were changed: {}", paths.join(", ")));
            }
            Err(error) => harm.push(format!("the folder of the victims cannot be read: {error}")),
        }
        harm.extend(left_files(&self.facts.marker).map(|path| format!("`{}` was left behind", path.display())));
        self.contacted(&mut harm);
        harm.extend(left_ipc_objects(self.facts.victim));
        harm
    }

    /// Adds every socket that received a connection or data.
    fn contacted(&self, harm: &mut Vec<String>) {
        let mut buffer = [0; 16];
        if self.tcp.accept().is_ok() {
            harm.push("the TCP port was connected to".to_owned());
        }
        if self.udp.recv(&mut buffer).is_ok() {
            harm.push("the UDP port received a packet".to_owned());
        }
        if self.stream.accept().is_ok() {
            harm.push("the Unix stream socket was connected to".to_owned());
        }
        if self.datagram.recv(&mut buffer).is_ok() {
            harm.push("the Unix datagram socket received a packet".to_owned());
        }
        #[cfg(target_os = "linux")]
        if self.abstract_socket.accept().is_ok() {
            harm.push("the abstract socket was connected to".to_owned());
        }
    }

    /// Asks the process for its secret. Returns `None` if it does not answer.
    fn read_secret(&mut self) -> Option<u64> {
        self.requests.as_mut()?.write_all(b"\n").ok()?;
        if !readable(self.answers.get_ref().as_raw_fd()) {
            return None;
        }
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        line.trim().parse().ok()
    }
}

impl Drop for Victims {
    fn drop(&mut self) {
        // The process ends at the end of its input, unless an attack has stopped it.
        self.requests = None;
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.facts.folder);
        for path in left_files(&self.facts.marker) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Creates the folder of the victims.
fn create_files(facts: &Facts) -> io::Result<()> {
    fs::create_dir_all(facts.home().join(".ssh"))?;
    fs::create_dir_all(facts.opponent())?;
    fs::create_dir_all(facts.own())?;
    fs::write(facts.key(), KEY)?;
    fs::write(facts.opponent().join("bot.py"), "print('the best idea of the season')")?;
    let own = facts.own();
    fs::write(own.join("bot.txt"), "weights")?;
    symlink("/etc/shadow", own.join("shadow"))?;
    symlink("../home/.ssh/id_secret", own.join("key"))?;
    symlink("..", own.join("folder"))
}

/// Returns the rights and the content of every file below a folder. For links and sockets it returns only the rights.
fn contents(folder: &Path) -> io::Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            found.extend(contents(&entry.path())?);
        }
        let mut about = format!("{:?} ", entry.metadata()?.permissions()).into_bytes();
        if kind.is_file() {
            about.extend(fs::read(entry.path())?);
        }
        found.insert(entry.path(), about);
    }
    Ok(found)
}

/// Returns the files that an attack has left in the shared folders.
fn left_files(marker: &str) -> impl Iterator<Item = PathBuf> {
    let entries = SHARED_FOLDERS.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let begins = |entry: &fs::DirEntry| entry.file_name().to_str().is_some_and(|name| name.starts_with(marker));
    entries.filter(begins).map(|entry| entry.path()).collect::<Vec<_>>().into_iter()
}

/// Returns the segments, queues and semaphores of System V that an attack has left. Attacks create them with a known
/// key.
fn left_ipc_objects(victim: i32) -> Vec<String> {
    let key = (victim + 0x4147_0000).to_string();
    let has = |kind: &str| {
        let list = fs::read_to_string(format!("/proc/sysvipc/{kind}")).unwrap_or_default();
        list.lines().any(|line| line.split_whitespace().next() == Some(&key))
    };
    ["shm", "sem", "msg"]
        .iter()
        .filter(|kind| has(kind))
        .map(|kind| format!("System V `{kind}` was left behind"))
        .collect()
}

/// Returns the scheduling and the limits of a process, which other processes could change.
#[cfg(target_os = "linux")]
fn process_settings(process: i32) -> Vec<String> {
    // SAFETY: zeroes are a lawful set of cores.
    let mut cores: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes one set; the other calls take numbers alone.
    let (policy, priority) = unsafe {
        libc::sched_getaffinity(process, size_of::<libc::cpu_set_t>(), &mut cores);
        (libc::sched_getscheduler(process), libc::getpriority(libc::PRIO_PROCESS, process as u32))
    };
    // SAFETY: the set was written.
    let cores = unsafe { libc::CPU_COUNT(&cores) };
    let limits = fs::read_to_string(format!("/proc/{process}/limits")).unwrap_or_default();
    let mut settings = vec![format!("scheduling {policy}"), format!("priority {priority}"), format!("{cores} cores")];
    settings.extend(limits.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")));
    settings
}

#[cfg(not(target_os = "linux"))]
fn process_settings(_process: i32) -> Vec<String> {
    Vec::new()
}

/// Waits until the descriptor can be read. Returns `false` when the time is over.
fn readable(descriptor: RawFd) -> bool {
    let mut poll = libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
    // SAFETY: the kernel reads and writes one `pollfd`.
    unsafe { libc::poll(&mut poll, 1, ANSWER_TIMEOUT_MS) == 1 }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn changed_files_and_left_files_are_found() {
        let folder = std::env::temp_dir().join(format!("agon-victims-{}", std::process::id()));
        let facts =
            Facts { folder: folder.clone(), marker: format!("agon-mark-{}", std::process::id()), ..Facts::default() };
        create_files(&facts).unwrap();
        let before = contents(&folder).unwrap();
        assert!(before.contains_key(&facts.key()) && before.contains_key(&facts.own().join("shadow")));
        assert_eq!(contents(&folder).unwrap(), before);
        fs::write(facts.key(), "another").unwrap();
        assert_ne!(contents(&folder).unwrap(), before);
        fs::remove_dir_all(&folder).unwrap();

        assert_eq!(left_files(&facts.marker).count(), 0);
        let left = Path::new("/tmp").join(format!("{}-7", facts.marker));
        fs::write(&left, "").unwrap();
        assert!(left_files(&facts.marker).eq([left.clone()]));
        fs::remove_file(left).unwrap();
    }

    #[test]
    fn the_settings_of_a_process_are_read() {
        let ours = process_settings(std::process::id() as i32);
        assert!(ours.len() > 10 && ours.contains(&"scheduling 0".to_owned()), "{ours:?}");
    }
}
