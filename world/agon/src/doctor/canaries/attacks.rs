//! The attacks. Each is harmless even if it succeeds, and leaves its process as it was as long as it does not.

use super::{
    marked,
    targets::{Facts, SHARED_FOLDERS, says_anything},
};
use rustix::{
    fd::BorrowedFd,
    fs::{CWD, FileType, MemfdFlags, Mode, memfd_create, mknodat},
    io::{Errno, fcntl_getfd},
    process::{Pid, PidfdFlags, Resource, Rlimit, chroot, getrlimit, nice, pidfd_open, setrlimit, test_kill_process},
    system::{sethostname, uname},
    thread::{CpuSet, sched_setaffinity},
    time::{ClockId, clock_gettime, clock_settime},
};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write},
    net::{TcpStream, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixStream},
    },
    path::{Path, PathBuf},
    process::Command,
};

/// An attack. It got through if what it returns is no error.
pub struct Attack {
    /// One of the aims of the report.
    pub aim: &'static str,
    /// What it does.
    pub name: &'static str,
    /// Whether only root can do that outside a sandbox.
    #[cfg(test)]
    pub needs_root: bool,
    /// Attempts it.
    pub make: fn(&Facts) -> io::Result<()>,
}

const fn attack(aim: &'static str, name: &'static str, make: fn(&Facts) -> io::Result<()>) -> Attack {
    Attack {
        aim,
        name,
        #[cfg(test)]
        needs_root: false,
        make,
    }
}

const fn attack_of_root(aim: &'static str, name: &'static str, make: fn(&Facts) -> io::Result<()>) -> Attack {
    Attack {
        aim,
        name,
        #[cfg(test)]
        needs_root: true,
        make,
    }
}

/// Every attack, in the order in which they are made.
pub const ATTACKS: &[Attack] = &[
    attack_of_root("clocks and cores", "raises its priority", |_| Ok(nice(-5).map(drop)?)),
    attack_of_root("clocks and cores", "sets the clock", |_| {
        Ok(clock_settime(ClockId::Realtime, clock_gettime(ClockId::Realtime))?)
    }),
    attack("clocks and cores", "chooses its cores", |_| {
        let mut all = CpuSet::new();
        (0..CpuSet::MAX_CPU).for_each(|core| all.set(core));
        Ok(sched_setaffinity(None, &all)?)
    }),
    attack("clocks and cores", "starts another program", |_| Command::new("/bin/true").status().map(drop)),
    attack("memory and room", "writes to folders that all share", |facts| {
        any(SHARED_FOLDERS.map(|folder| fs::write(marked(folder, &facts.marker()), "full")))
    }),
    attack("memory and room", "makes files in memory", |_| Ok(memfd_create("canary", MemfdFlags::empty()).map(drop)?)),
    attack_of_root("memory and room", "raises its limits", |_| {
        any([Resource::Nofile, Resource::Fsize].map(|resource| match getrlimit(resource) {
            Rlimit { current, maximum: Some(most) } => {
                Ok(setrlimit(resource, Rlimit { current, maximum: Some(most.saturating_add(1)) })?)
            }
            // There is no limit.
            _ => Ok(()),
        }))
    }),
    attack("files and secrets", "reads a key", |facts| open(facts.key())),
    attack("files and secrets", "reads a key past its root", |facts| {
        let inside = facts.key().strip_prefix("/").map(Path::to_owned).unwrap_or_default();
        any(["/proc/1/root", "/proc/self/root/../../..", "../../../../.."]
            .map(|root| open(Path::new(root).join(&inside)))
            .into_iter()
            .chain([open(facts.key())]))
    }),
    attack("files and secrets", "changes a key", |facts| {
        OpenOptions::new().append(true).open(facts.key())?.write_all(b"changed")
    }),
    attack("files and secrets", "reads another bot", |facts| open(facts.opponent())),
    attack_of_root("files and secrets", "reads passwords", |_| open("/etc/shadow")),
    attack("files and secrets", "reads an environment", |facts| says_anything(&of_process(facts.victim, "environ"))),
    attack("files and secrets", "reads a command line", |facts| says_anything(&of_process(facts.victim, "cmdline"))),
    attack("other processes", "signals another process", |facts| signal(facts.victim)),
    attack("other processes", "signals the referee", |facts| signal(facts.doctor)),
    attack("other processes", "opens the memory of a process", |facts| open(of_process(facts.victim, "mem"))),
    attack("other processes", "holds another process", |facts| {
        let victim = Pid::from_raw(facts.victim).ok_or(Errno::SRCH)?;
        Ok(pidfd_open(victim, PidfdFlags::empty()).map(drop)?)
    }),
    attack("descriptors", "finds an open file", |_| {
        let is_open = |number: i32| {
            // SAFETY: the number is only asked about, and whoever owns it keeps it.
            let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
            fcntl_getfd(descriptor).is_ok()
        };
        if (3..4096).any(is_open) { Ok(()) } else { Err(Errno::BADF.into()) }
    }),
    attack("network", "connects to a TCP port", |facts| TcpStream::connect(("127.0.0.1", facts.tcp)).map(drop)),
    attack("network", "sends a UDP packet", |facts| {
        UdpSocket::bind(("127.0.0.1", 0))?.send_to(b"x", ("127.0.0.1", facts.udp)).map(drop)
    }),
    attack("network", "connects to a socket file", |facts| UnixStream::connect(facts.socket()).map(drop)),
    attack("network", "connects to an abstract socket", |facts| {
        let name = SocketAddr::from_abstract_name(facts.marker().as_bytes())?;
        UnixStream::connect_addr(&name).map(drop)
    }),
    attack_of_root("kernel and privileges", "makes a device", |_| {
        // The device of /dev/null.
        Ok(mknodat(CWD, "null", FileType::CharacterDevice, Mode::RUSR, rustix::fs::makedev(1, 3))?)
    }),
    attack_of_root("kernel and privileges", "opens the machine's memory", |_| {
        any(["/dev/mem", "/dev/kmsg", "/proc/kcore"].map(open))
    }),
    attack_of_root("kernel and privileges", "changes settings of the kernel", |_| {
        any(["/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches"]
            .map(|path| OpenOptions::new().write(true).open(path).map(drop)))
    }),
    attack_of_root("kernel and privileges", "names the machine", |_| Ok(sethostname(uname().nodename().to_bytes())?)),
    attack_of_root("kernel and privileges", "changes its root", |_| Ok(chroot("/")?)),
];

/// Makes all attacks. Returns the name and the result of each.
pub fn make(facts: &Facts) -> impl Iterator<Item = (&'static str, io::Result<()>)> {
    ATTACKS.iter().map(|attack| (attack.name, (attack.make)(facts)))
}

/// Returns the first success, or else the last error.
fn any(attempts: impl IntoIterator<Item = io::Result<()>>) -> io::Result<()> {
    attempts.into_iter().reduce(|first, next| first.or(next)).unwrap_or(Err(ErrorKind::NotFound.into()))
}

fn open(path: impl AsRef<Path>) -> io::Result<()> {
    File::open(path).map(drop)
}

fn of_process(number: i32, file: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{number}/{file}"))
}

/// Asks whether the process could be sent a signal, and sends none.
fn signal(number: i32) -> io::Result<()> {
    Ok(test_kill_process(Pid::from_raw(number).ok_or(Errno::SRCH)?)?)
}
