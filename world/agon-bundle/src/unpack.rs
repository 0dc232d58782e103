//! Makes files of a bundle.

use crate::{BundleError, BundleHash, BundleReader, Entry, Limits};
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{Mode, OFlags, mkdirat, openat},
    io::Errno,
};
use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// The bytes that are copied at once. Zeros are not written if they fill as many.
const PORTION: usize = 64 << 10;

/// What was unpacked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unpacked {
    /// The number of files in the bundle.
    pub files: usize,
    /// The size of the bundle in bytes.
    pub size: u64,
}

/// Unpacks the bundle with this hash from a stream into a folder, which exists.
///
/// Bundles of several bots may share files, so a file that is there already stays, and must have the same mode and bytes. No file
/// is overwritten, and no link is followed. Whatever the umask is, files get the mode 644 or 755, and folders get 755. A file
/// whose bytes are zeros may have holes in place of them.
///
/// If this fails, the files that it has made are removed. Folders stay.
///
/// # Errors
/// If the stream has another bundle or none in the canonical form, a file is there that differs, or a file cannot be
/// written.
pub fn unpack(stream: &mut dyn Read, hash: BundleHash, into: &Path) -> Result<Unpacked, BundleError> {
    let mut made = Made { root: into, files: Vec::new() };
    let unpacked = made.unpack(stream, hash);
    if unpacked.is_err() {
        made.remove();
    }
    unpacked
}

/// The files that were made.
struct Made<'a> {
    root: &'a Path,
    files: Vec<String>,
}

impl Made<'_> {
    fn unpack(&mut self, stream: &mut dyn Read, wanted: BundleHash) -> Result<Unpacked, BundleError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(self.root, flags, Mode::empty());
        let root = root.map_err(|why| unwritable(self.root.to_owned(), why.into()))?;
        let mut reader = BundleReader::new(stream, Limits::default());
        let (mut portion, mut files) = (vec![0; PORTION], 0);
        while let Some(entry) = reader.next_entry()? {
            files += 1;
            let failed = |why: io::Error| unwritable(self.root.join(&entry.path), why);
            let (folder, name) = enter(&root, &entry.path).map_err(failed)?;
            match create(&folder, name, entry.executable).map_err(failed)? {
                Some(file) => {
                    self.files.push(entry.path.clone());
                    write(&mut reader, file, &mut portion, &|why| unwritable(self.root.join(&entry.path), why))?;
                }
                None => {
                    let file = open(&folder, name).map_err(failed)?;
                    compare(&mut reader, file, &entry, &mut portion)?;
                }
            }
        }
        let (found, size) = reader.finish();
        if found == wanted { Ok(Unpacked { files, size }) } else { Err(BundleError::OtherBundle { wanted, found }) }
    }

    fn remove(&self) {
        for file in &self.files {
            // The error that led here is the one that helps.
            let _ = fs::remove_file(self.root.join(file));
        }
    }
}

/// Makes and enters the folders of a path. Returns the last one, and the name of the file.
fn enter<'p>(root: &OwnedFd, path: &'p str) -> io::Result<(OwnedFd, &'p str)> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut folder = root.try_clone()?;
    for part in folders.split('/').filter(|part| !part.is_empty()) {
        let mode = Mode::from_raw_mode(0o755);
        let is_new = match mkdirat(&folder, part, mode) {
            Ok(()) => true,
            Err(Errno::EXIST) => false,
            Err(why) => return Err(why.into()),
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let next = openat(&folder, part, flags, Mode::empty())?;
        if is_new {
            // Whatever the umask is.
            rustix::fs::fchmod(&next, mode)?;
        }
        folder = next;
    }
    Ok((folder, name))
}

/// Creates a file. `None` if there is something of its name.
fn create(folder: &OwnedFd, name: &str, executable: bool) -> io::Result<Option<File>> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(if executable { 0o755 } else { 0o644 });
    match openat(folder, name, flags, mode) {
        Err(Errno::EXIST) => Ok(None),
        Err(why) => Err(why.into()),
        Ok(file) => {
            rustix::fs::fchmod(file.as_fd(), mode)?;
            Ok(Some(file.into()))
        }
    }
}

/// Opens a file that is there already.
fn open(folder: &OwnedFd, name: &str) -> io::Result<File> {
    // A pipe would make us wait for its other end.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::empty())?.into())
}

/// Writes the data of an entry into a new file.
fn write(
    reader: &mut BundleReader<impl Read>,
    mut file: File,
    portion: &mut [u8],
    failed: &dyn Fn(io::Error) -> BundleError,
) -> Result<(), BundleError> {
    const ZEROS: &[u8] = &[0; PORTION];
    let mut size = 0;
    loop {
        let n = fill(reader, portion)?;
        if n == 0 {
            return file.set_len(size).map_err(failed);
        }
        size += n as u64;
        let written = if portion[..n] == ZEROS[..n] {
            file.seek(SeekFrom::Start(size)).map(drop)
        } else {
            file.write_all(&portion[..n])
        };
        written.map_err(failed)?;
    }
}

/// Compares the data of an entry with a file that is there already.
fn compare(
    reader: &mut BundleReader<impl Read>,
    mut file: File,
    entry: &Entry,
    portion: &mut [u8],
) -> Result<(), BundleError> {
    let differs = || BundleError::Differs(crate::error::shown(entry.path.as_bytes()));
    let unreadable = |source| BundleError::Source { path: PathBuf::from(&entry.path), source };
    let about = file.metadata().map_err(unreadable)?;
    let mode = if entry.executable { 0o755 } else { 0o644 };
    if !about.is_file() || about.len() != entry.size || about.permissions().mode() & 0o7777 != mode {
        return Err(differs());
    }
    let mut other = vec![0; portion.len()];
    loop {
        let n = fill(reader, portion)?;
        if n == 0 {
            return Ok(());
        }
        file.read_exact(&mut other[..n]).map_err(|_| differs())?;
        if portion[..n] != other[..n] {
            return Err(differs());
        }
    }
}

/// Reads until the portion is full or the data ends. Returns the number of bytes.
fn fill(reader: &mut BundleReader<impl Read>, portion: &mut [u8]) -> Result<usize, BundleError> {
    let mut filled = 0;
    while filled < portion.len() {
        match reader.read_data(&mut portion[filled..])? {
            0 => break,
            n => filled += n,
        }
    }
    Ok(filled)
}

fn unwritable(path: PathBuf, source: io::Error) -> BundleError {
    BundleError::Unpack { path, source }
}
