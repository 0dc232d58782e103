//! Attacks on room that others need: disks, numbers of files, descriptors, pipes.

use super::limits;
use crate::{
    Tries,
    errno::{EACCES, EFBIG, ENOENT, EPERM, EROFS, Errno},
    kind::{End, Failing, Kind, PATIENT, Stage},
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
/// More files than this in a private place are memory of the kernel that no limit counts.
const FILES: u64 = 65_536;
/// At these a bomb stops by itself.
const ENOUGH_MIB: u64 = 4 * SCRATCH;
const ENOUGH_FILES: u64 = 2 * FILES;

const NOWHERE: &[End] = &[End::Refused(&[EACCES, EPERM, ENOENT, EROFS])];
/// What is filled is memory of the host.
const ALONE: Stage = Stage { alone: true, ..PATIENT };
const MIB: usize = 1 << 20;

/// The kinds.
pub const KINDS: &[Kind] = &[
    Kind::tries(38, "pipe-hoard", "memory that no limit counts: full pipes", |tries| {
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
                return tries.succeeded("pipes", "64 MiB");
            }
        };
        drop(pipes);
        tries.stopped("pipes", bytes >> 20, errno);
    })
    .ends(&[End::Bounded(8, "MiB")]),
    Kind::tries(38, "large-pipes", "memory that no limit counts: pipes of a MiB", |tries| match pipe() {
        Ok((reader, _writer)) => {
            // SAFETY: numbers alone.
            let size = unsafe { libc::fcntl(reader.as_raw_fd(), libc::F_SETPIPE_SZ, 1 << 20) };
            tries.call("F_SETPIPE_SZ", size);
        }
        Err(error) => tries.refused("pipe", Errno::of(&error)),
    })
    .brief()
    .ends(&[End::Refused(&[EPERM])]),
    Kind::tries(39, "shared-memory-files", "memory that outlives a match: /dev/shm", |tries| {
        fill_folder(tries, Path::new("/dev/shm"));
    })
    .ends(NOWHERE),
    Kind::tries(39, "tmp-fill", "disks: /tmp until it is full", |tries| fill_folder(tries, Path::new("/tmp")))
        .on(ALONE)
        .ends(&[End::Bounded(SCRATCH, "MiB")])
        .restricted(NOWHERE),
    Kind::tries(39, "home-fill", "disks: the home until it is full", |tries| {
        fill_folder(tries, &own_home());
    })
    .on(ALONE)
    .ends(&[End::Bounded(SCRATCH, "MiB")])
    .restricted(NOWHERE),
    Kind::tries(39, "var-tmp-fill", "disks: other places where anybody may write", |tries| {
        for place in ["/var/tmp", "/run", "/run/lock", "/var/lock", "/opt", "/usr"] {
            let path = Path::new(place).join(&tries.facts.marker);
            tries.io(place, File::create(path));
        }
    })
    .brief()
    .ends(NOWHERE),
    Kind::tries(40, "inode-flood", "disks: empty files without number", |tries| {
        let folder = Path::new("/tmp");
        let mut made = 0;
        let errno = loop {
            match File::create(folder.join(format!("{}-{made}", tries.facts.marker))) {
                Ok(_) => made += 1,
                Err(error) => break Errno::of(&error),
            }
            if made == ENOUGH_FILES {
                return tries.succeeded("create", format!("{made} files"));
            }
        };
        if made == 0 { tries.refused("create", errno) } else { tries.stopped("create", made, errno) }
    })
    .on(ALONE)
    .ends(&[End::Bounded(FILES, "files")])
    .restricted(NOWHERE),
    Kind::tries(40, "file-just-in-limit", "disks: a file of exactly the largest size", |tries| {
        if let Err(error) = write_file(&tries.facts.marker, FILE) {
            tries.refused("write", Errno::of(&error));
        }
    })
    .on(ALONE)
    .ends(&[End::Plays])
    .restricted(NOWHERE),
    Kind::tries(40, "file-just-over-limit", "disks: a file of a MiB more", |tries| {
        tries.io("write", write_file(&tries.facts.marker, FILE + 1));
    })
    .on(ALONE)
    .ends(&[End::Fails(Failing::Dies("SIGXFSZ")), End::Refused(&[EFBIG])])
    .restricted(NOWHERE),
    Kind::tries(40, "sparse-file", "disks: a file of a TiB of nothing", |tries| {
        ignore_file_size_signal();
        let path = Path::new("/tmp").join(&tries.facts.marker);
        let result = File::create(path).and_then(|file| file.set_len(1 << 40));
        tries.io("ftruncate", result);
    })
    .ends(&[End::Refused(&[EFBIG])])
    .restricted(NOWHERE),
    Kind::tries(41, "descriptors", "the table of open files", |tries| {
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
            Some(errno) => tries.stopped("dup", kept.len() as u64, errno),
            None => tries.succeeded("dup", "65536 descriptors"),
        }
    })
    .ends(&[End::Bounded(DESCRIPTORS, "descriptors")]),
    Kind::tries(42, "core-dump", "disks: the image of a crashed process", |tries| {
        let all = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: the kernel reads one `rlimit`.
        tries.call("setrlimit", unsafe { libc::setrlimit(libc::RLIMIT_CORE, &all) });
        std::process::abort();
    })
    .ends(&[End::Fails(Failing::Dies("SIGABRT"))]),
];

fn own_home() -> PathBuf {
    std::env::var_os("HOME").map_or_else(|| "/nonexistent".into(), PathBuf::from)
}

/// Both ends of a new pipe, the writing one without blocking.
fn pipe() -> io::Result<(File, File)> {
    let (reader, writer) = io::pipe()?;
    // SAFETY: numbers alone.
    unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    Ok((File::from(std::os::fd::OwnedFd::from(reader)), File::from(std::os::fd::OwnedFd::from(writer))))
}

/// How many bytes a pipe takes.
fn fill(mut writer: &File) -> u64 {
    let mut bytes = 0;
    while let Ok(written @ 1..) = writer.write(&[0; 4096]) {
        bytes += written as u64;
    }
    bytes
}

/// Fills a folder with files of a MiB.
fn fill_folder(tries: &mut Tries<'_>, folder: &Path) {
    let path = |at: u64| folder.join(format!("{}-{at}", tries.facts.marker));
    let (mut written, mut errno) = (0, None);
    while errno.is_none() && written < ENOUGH_MIB {
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
        None => tries.succeeded("write", format!("{written} MiB")),
        Some(errno) if written == 0 => tries.refused("write", errno),
        Some(errno) => tries.stopped("write", written, errno),
    }
}

/// One file of so many MiB, which is removed at the end.
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

/// A path for the C library.
pub(crate) fn c_path(path: &Path) -> CString {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes()).unwrap_or_default()
}
