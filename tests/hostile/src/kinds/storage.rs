//! Attacks on storage that others need: disk space, inodes, descriptors, pipes.

use super::limits;
use crate::{
    Attack,
    errno::{EACCES, EFBIG, ENOENT, EPERM, EROFS, Errno},
    kind::{End, ExpectedFault, Kind, Scenario, TOY},
};
use std::{
    ffi::CString,
    fs::{self, File},
    io::{self, Write},
    os::fd::AsRawFd,
    path::{Path, PathBuf},
};

const SCRATCH: u64 = limits::SCRATCH_MIB as u64;
const FILE: u64 = limits::FILE_MIB as u64;
const DESCRIPTORS: u64 = limits::DESCRIPTORS as u64;
/// The maximum number of files in a private folder. More files would use kernel memory that no limit counts.
const FILES: u64 = 65_536;
/// The sizes at which a bomb stops.
const STOP_AT_MIB: u64 = 4 * SCRATCH;
const STOP_AT_FILES: u64 = 2 * FILES;

const NOT_WRITABLE: &[End] = &[End::Refused(&[EACCES, EPERM, ENOENT, EROFS])];
/// The match is played alone, because private folders use memory of the host.
const ALONE: Scenario = Scenario { alone: true, ..TOY };
const MIB: usize = 1 << 20;

pub const KINDS: &[Kind] = &[
    Kind::attack(38, "full-pipes", "memory that no limit counts: full pipes", |attack| {
        let (mut pipes, mut bytes) = (Vec::new(), 0u64);
        let errno = loop {
            match pipe() {
                Ok((reader, writer)) => {
                    bytes += fill(&writer);
                    pipes.push((reader, writer));
                }
                Err(error) => break Errno::of(&error),
            }
            if bytes > 64 << 20 {
                return attack.succeeded("pipes", "64 MiB");
            }
        };
        drop(pipes);
        attack.stopped("pipes", bytes >> 20, errno);
    })
    .issue(4)
    .ends(&[End::Bounded(8, "MiB")]),
    Kind::attack(38, "large-pipes", "memory that no limit counts: pipes of a MiB", |attack| match pipe() {
        Ok((reader, _writer)) => {
            // SAFETY: numbers alone.
            let size = unsafe { libc::fcntl(reader.as_raw_fd(), libc::F_SETPIPE_SZ, 1 << 20) };
            attack.call("F_SETPIPE_SZ", size);
        }
        Err(error) => attack.refused("pipe", Errno::of(&error)),
    })
    .issue(4)
    .ends(&[End::Refused(&[EPERM])]),
    Kind::attack(39, "shared-memory-files", "memory that outlives a match: /dev/shm", |attack| {
        fill_folder(attack, Path::new("/dev/shm"));
    })
    .ends(NOT_WRITABLE),
    Kind::attack(39, "tmp-fill", "disks: /tmp until it is full", |attack| fill_folder(attack, Path::new("/tmp")))
        .scenario(ALONE)
        .ends(&[End::Bounded(SCRATCH, "MiB")])
        .restricted(NOT_WRITABLE),
    Kind::attack(39, "home-fill", "disks: the home until it is full", |attack| {
        fill_folder(attack, &own_home());
    })
    .scenario(ALONE)
    .ends(&[End::Bounded(SCRATCH, "MiB")])
    .restricted(NOT_WRITABLE),
    Kind::attack(39, "var-tmp-fill", "disks: other folders in which every user may write", |attack| {
        for place in ["/var/tmp", "/run", "/run/lock", "/var/lock", "/opt", "/usr"] {
            let path = Path::new(place).join(&attack.facts.marker);
            attack.io(place, File::create(path));
        }
    })
    .ends(NOT_WRITABLE),
    Kind::attack(40, "inode-flood", "disks: a very large number of empty files", |attack| {
        let folder = Path::new("/tmp");
        let mut made = 0;
        let errno = loop {
            match File::create(folder.join(format!("{}-{made}", attack.facts.marker))) {
                Ok(_) => made += 1,
                Err(error) => break Errno::of(&error),
            }
            if made == STOP_AT_FILES {
                return attack.succeeded("create", format!("{made} files"));
            }
        };
        if made == 0 { attack.refused("create", errno) } else { attack.stopped("create", made, errno) }
    })
    .scenario(ALONE)
    .ends(&[End::Bounded(FILES, "files")])
    .restricted(NOT_WRITABLE),
    Kind::attack(40, "file-just-in-limit", "disks: a file of exactly the maximum size", |attack| {
        if let Err(error) = write_file(&attack.facts.marker, FILE) {
            attack.refused("write", Errno::of(&error));
        }
    })
    .scenario(ALONE)
    .ends(&[End::Plays])
    .restricted(NOT_WRITABLE),
    Kind::attack(40, "file-just-over-limit", "disks: a file one MiB larger than the maximum", |attack| {
        attack.io("write", write_file(&attack.facts.marker, FILE + 1));
    })
    .scenario(ALONE)
    .ends(&[End::Fails(ExpectedFault::Dies("SIGXFSZ")), End::Refused(&[EFBIG])])
    .restricted(NOT_WRITABLE),
    Kind::attack(40, "sparse-file", "disks: a sparse file of one TiB", |attack| {
        ignore_file_size_signal();
        let path = Path::new("/tmp").join(&attack.facts.marker);
        let result = File::create(path).and_then(|file| file.set_len(1 << 40));
        attack.io("ftruncate", result);
    })
    .ends(&[End::Refused(&[EFBIG])])
    .restricted(NOT_WRITABLE),
    Kind::attack(41, "descriptors", "the table of open files", |attack| {
        let (mut kept, mut refused) = (Vec::new(), None);
        while refused.is_none() && kept.len() < 1 << 16 {
            // SAFETY: a number alone; a new descriptor or -1.
            match unsafe { libc::dup(0) } {
                -1 => refused = Some(Errno::last()),
                descriptor => kept.push(descriptor),
            }
        }
        kept.iter().for_each(|descriptor| {
            // SAFETY: ours, and closed once.
            unsafe { libc::close(*descriptor) };
        });
        match refused {
            Some(errno) => attack.stopped("dup", kept.len() as u64, errno),
            None => attack.succeeded("dup", "65536 descriptors"),
        }
    })
    .ends(&[End::Bounded(DESCRIPTORS, "descriptors")]),
    Kind::attack(42, "core-dump", "disks: the image of a crashed process", |attack| {
        let all = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: the kernel reads one `rlimit`.
        unsafe { libc::setrlimit(libc::RLIMIT_CORE, &all) };
        // The answer says nothing: the limit stays as it is without an error.
        let mut now = all;
        // SAFETY: the kernel writes one `rlimit`.
        unsafe { libc::getrlimit(libc::RLIMIT_CORE, &mut now) };
        if now.rlim_cur > 1 {
            attack.succeeded("setrlimit", format!("images of {} bytes", now.rlim_cur));
        }
        std::process::abort();
    })
    .ends(&[End::Fails(ExpectedFault::Dies("SIGABRT"))]),
];

fn own_home() -> PathBuf {
    std::env::var_os("HOME").map_or_else(|| "/nonexistent".into(), PathBuf::from)
}

/// Both ends of a new pipe. The writing end does not block.
fn pipe() -> io::Result<(File, File)> {
    let (reader, writer) = io::pipe()?;
    // SAFETY: numbers alone.
    unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    Ok((File::from(std::os::fd::OwnedFd::from(reader)), File::from(std::os::fd::OwnedFd::from(writer))))
}

/// Fills a pipe and returns the number of bytes that fit.
fn fill(mut writer: &File) -> u64 {
    let mut bytes = 0;
    while let Ok(written @ 1..) = writer.write(&[0; 4096]) {
        bytes += written as u64;
    }
    bytes
}

/// Fills a folder with files of one MiB.
fn fill_folder(attack: &mut Attack<'_>, folder: &Path) {
    let path = |at: u64| folder.join(format!("{}-{at}", attack.facts.marker));
    let (mut written, mut errno) = (0, None);
    while errno.is_none() && written < STOP_AT_MIB {
        match fs::write(path(written), vec![7u8; MIB]) {
            Ok(()) => written += 1,
            Err(error) => errno = Some(Errno::of(&error)),
        }
    }
    let paths: Vec<PathBuf> = (0..=written).map(path).collect();
    for path in paths {
        let _ = fs::remove_file(path);
    }
    match errno {
        None => attack.succeeded("write", format!("{written} MiB")),
        Some(errno) if written == 0 => attack.refused("write", errno),
        Some(errno) => attack.stopped("write", written, errno),
    }
}

/// Writes one file of this many MiB, and removes it.
fn write_file(marker: &str, mib: u64) -> io::Result<()> {
    let path = Path::new("/tmp").join(marker);
    let mut file = File::create(&path)?;
    let part = vec![7u8; MIB];
    let written = (0..mib).try_for_each(|_| file.write_all(&part));
    let _ = fs::remove_file(path);
    written
}

fn ignore_file_size_signal() {
    // SAFETY: ignoring a signal runs no code of ours.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Returns a path in the form that the C library takes.
pub(crate) fn c_path(path: &Path) -> CString {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes()).unwrap_or_default()
}
