//! What attacks are aimed at, and the proof from outside that nothing has happened to it: a bot's own word is not
//! enough.

use crate::{CANARY, Facts, canary::SECRET};
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

/// How long the canary may take for an answer on a busy machine, in milliseconds.
const PATIENCE_MS: i32 = 20_000;
/// Where bots of the whole machine can leave files.
const COMMON: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/run/lock"];

/// What the key is. It must never be seen anywhere else.
pub(crate) const KEY: &str = "agon-selftest-key-3c4f19a07e5b";

/// A set of victims. They go with it.
#[derive(Debug)]
pub(crate) struct Victims {
    facts: Facts,
    canary: Child,
    ask: Option<ChildStdin>,
    hear: BufReader<ChildStdout>,
    /// How the system treats the canary.
    treatment: Vec<String>,
    /// Every file of the folder with what is in it.
    files: BTreeMap<PathBuf, Vec<u8>>,
    tcp: TcpListener,
    udp: UdpSocket,
    stream: UnixListener,
    letters: UnixDatagram,
    #[cfg(target_os = "linux")]
    hidden: UnixListener,
    /// An open file of ours that every child inherits unless somebody closes it.
    _open: fs::File,
}

impl Victims {
    /// Sets them up in a new folder; `program` becomes the canary.
    pub(crate) fn new(program: &Path) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().canonicalize()?.join(format!("agon-selftest-{number}"));
        let mut facts = Facts { marker: format!("agon-planted-{number}"), folder, ..Facts::default() };
        furnish(&facts)?;

        let mut canary = Command::new(program)
            .args([CANARY, "a-secret-on-a-command-line"])
            .env_clear()
            .env("SECRET", "a secret in an environment")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(ask), Some(hear)) = (canary.stdin.take(), canary.stdout.take()) else {
            return Err(io::Error::other("the canary has no pipes"));
        };
        let mut hear = BufReader::new(hear);
        let mut line = String::new();
        hear.read_line(&mut line)?;
        facts.address = line.trim().parse().map_err(|_| io::Error::other("the canary does not sing"))?;
        facts.canary = canary.id() as i32;
        facts.driver = std::process::id() as i32;

        let (tcp, udp) = (TcpListener::bind(("127.0.0.1", 0))?, UdpSocket::bind(("127.0.0.1", 0))?);
        let (stream, letters) = (UnixListener::bind(facts.socket())?, UnixDatagram::bind(facts.letterbox())?);
        #[cfg(target_os = "linux")]
        let hidden = {
            use std::os::{linux::net::SocketAddrExt, unix::net::SocketAddr};
            UnixListener::bind_addr(&SocketAddr::from_abstract_name(facts.marker.as_bytes())?)?
        };
        tcp.set_nonblocking(true)?;
        udp.set_nonblocking(true)?;
        stream.set_nonblocking(true)?;
        letters.set_nonblocking(true)?;
        #[cfg(target_os = "linux")]
        hidden.set_nonblocking(true)?;
        (facts.tcp, facts.udp) = (tcp.local_addr()?.port(), udp.local_addr()?.port());

        let open = fs::File::open(facts.key())?;
        // SAFETY: numbers alone. The file stays open in every program that we start.
        unsafe { libc::fcntl(open.as_raw_fd(), libc::F_SETFD, 0) };
        let files = contents(&facts.folder)?;
        let treatment = treatment(facts.canary);
        Ok(Self {
            facts,
            canary,
            ask: Some(ask),
            hear,
            treatment,
            files,
            tcp,
            udp,
            stream,
            letters,
            #[cfg(target_os = "linux")]
            hidden,
            _open: open,
        })
    }

    /// What a well-informed attacker knows about them, for the match of this marker.
    pub(crate) fn facts(&self, row: &str) -> Facts {
        Facts { row: row.to_owned(), ..self.facts.clone() }
    }

    /// What has happened to them; empty if nothing has.
    pub(crate) fn harm(&mut self) -> Vec<String> {
        let mut harm = Vec::new();
        match self.song() {
            Some(SECRET) => {}
            Some(_) => harm.push("the canary's memory was changed".to_owned()),
            None => harm.push("the canary does not answer".to_owned()),
        }
        for (was, is) in self.treatment.iter().zip(treatment(self.facts.canary)) {
            if *was != is {
                harm.push(format!("the canary's `{was}` is now `{is}`"));
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
            Err(error) => harm.push(format!("the folder of the victims: {error}")),
        }
        harm.extend(planted(&self.facts.marker).map(|path| format!("`{}` was left behind", path.display())));
        self.contacted(&mut harm);
        harm.extend(segments(self.facts.canary));
        harm
    }

    /// Whether anybody has called at one of the sockets.
    fn contacted(&self, harm: &mut Vec<String>) {
        let mut letter = [0; 16];
        if self.tcp.accept().is_ok() {
            harm.push("somebody came by TCP".to_owned());
        }
        if self.udp.recv(&mut letter).is_ok() {
            harm.push("somebody wrote by UDP".to_owned());
        }
        if self.stream.accept().is_ok() {
            harm.push("somebody came to the socket".to_owned());
        }
        if self.letters.recv(&mut letter).is_ok() {
            harm.push("somebody wrote to the letter box".to_owned());
        }
        #[cfg(target_os = "linux")]
        if self.hidden.accept().is_ok() {
            harm.push("somebody came to the abstract socket".to_owned());
        }
    }

    /// What the canary says its secret is.
    fn song(&mut self) -> Option<u64> {
        self.ask.as_mut()?.write_all(b"\n").ok()?;
        if !readable(self.hear.get_ref().as_raw_fd()) {
            return None;
        }
        let mut line = String::new();
        self.hear.read_line(&mut line).ok()?;
        line.trim().parse().ok()
    }
}

impl Drop for Victims {
    fn drop(&mut self) {
        // The end of its input is its end; it may have been stopped.
        self.ask = None;
        let _ = self.canary.kill();
        let _ = self.canary.wait();
        let _ = fs::remove_dir_all(&self.facts.folder);
        for path in planted(&self.facts.marker) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Makes the folder of the victims.
fn furnish(facts: &Facts) -> io::Result<()> {
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

/// Every file below a folder with what is in it; links and sockets by their kind alone.
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

/// What an attack has left in places where everybody may write.
fn planted(marker: &str) -> impl Iterator<Item = PathBuf> {
    let entries = COMMON.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let begins = |entry: &fs::DirEntry| entry.file_name().to_str().is_some_and(|name| name.starts_with(marker));
    entries.filter(begins).map(|entry| entry.path()).collect::<Vec<_>>().into_iter()
}

/// Segments, queues and semaphores that an attack has made, by the key that it uses.
fn segments(canary: i32) -> Vec<String> {
    let key = (canary + 0x4147_0000).to_string();
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

/// How the system treats a process: what others could change about it.
#[cfg(target_os = "linux")]
fn treatment(process: i32) -> Vec<String> {
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
    let mut treatment = vec![format!("scheduling {policy}"), format!("priority {priority}"), format!("{cores} cores")];
    treatment.extend(limits.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")));
    treatment
}

#[cfg(not(target_os = "linux"))]
fn treatment(_process: i32) -> Vec<String> {
    Vec::new()
}

/// Whether something can be read before anybody's patience ends.
fn readable(descriptor: RawFd) -> bool {
    let mut poll = libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
    // SAFETY: the kernel reads and writes one `pollfd`.
    unsafe { libc::poll(&mut poll, 1, PATIENCE_MS) == 1 }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn changed_files_and_left_behind_ones_are_seen() {
        let folder = std::env::temp_dir().join(format!("agon-victims-{}", std::process::id()));
        let facts =
            Facts { folder: folder.clone(), marker: format!("agon-mark-{}", std::process::id()), ..Facts::default() };
        furnish(&facts).unwrap();
        let before = contents(&folder).unwrap();
        assert!(before.contains_key(&facts.key()) && before.contains_key(&facts.own().join("shadow")));
        assert_eq!(contents(&folder).unwrap(), before);
        fs::write(facts.key(), "another").unwrap();
        assert_ne!(contents(&folder).unwrap(), before);
        fs::remove_dir_all(&folder).unwrap();

        assert_eq!(planted(&facts.marker).count(), 0);
        let left = Path::new("/tmp").join(format!("{}-7", facts.marker));
        fs::write(&left, "").unwrap();
        assert!(planted(&facts.marker).eq([left.clone()]));
        fs::remove_file(left).unwrap();
    }

    #[test]
    fn how_a_process_is_treated_is_told() {
        let ours = treatment(std::process::id() as i32);
        assert!(ours.len() > 10 && ours.contains(&"scheduling 0".to_owned()), "{ours:?}");
    }
}
