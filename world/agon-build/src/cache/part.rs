//! Incomplete folders. The process that fills one holds a lock on it, so that others can tell it from one that a killed
//! process has left behind. That works across containers, where numbers of processes mean nothing.

use super::{remove, unwritable};
use agon_core::Flaw;
use rustix::{
    fd::OwnedFd,
    fs::{FlockOperation, Mode, OFlags, flock, fstat, lstat},
    io::Errno,
};
use std::{
    fs::{self, DirBuilder, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

/// The number of attempts to create a folder with a new name.
const ATTEMPTS: u32 = 1000;

/// An incomplete folder in the cache. It is removed on drop.
#[derive(Debug)]
pub struct Part {
    path: PathBuf,
    _lock: OwnedFd,
}

impl Part {
    /// Creates a folder in `folder`. Its name begins with `prefix`.
    pub(super) fn new(folder: &Path, prefix: &str, mode: u32) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        for _ in 0..ATTEMPTS {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("{prefix}{}-{number}", std::process::id()));
            match DirBuilder::new().mode(mode).create(&path) {
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            // Before it was locked, another process may have removed it as one that was left behind.
            if let Lock::Ours(lock) | Lock::Unsupported(lock) = lock(&path)?
                && is_there(&lock, &path)
            {
                return Ok(Self { path, _lock: lock });
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Returns the path of the folder.
    pub(super) fn root(&self) -> &Path {
        &self.path
    }

    /// Creates a folder inside, to which only this user has access.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn folder(&self, name: &str) -> Result<PathBuf, Flaw> {
        let path = self.path.join(name);
        let made = fs::create_dir(&path).and_then(|()| fs::set_permissions(&path, Permissions::from_mode(0o700)));
        made.map_err(|why| unwritable(&path, &why))?;
        Ok(path)
    }

    /// Returns the path of this name inside the folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // A folder that cannot be removed stays, and the next process tries again.
        let _ = remove(&self.path);
    }
}

/// Removes the folders whose names begin with `prefix` and that no process has locked.
pub(super) fn sweep(folder: &Path, prefix: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        if !entry.file_name().as_encoded_bytes().starts_with(prefix.as_bytes()) {
            continue;
        }
        let path = entry.path();
        if let Ok(Lock::Ours(lock)) = lock(&path)
            && is_there(&lock, &path)
        {
            let _ = remove(&path);
        }
    }
}

/// The result of an attempt to lock a folder.
enum Lock {
    /// This process has the lock until the folder is closed.
    Ours(OwnedFd),
    /// Another process has the lock, or the folder is gone.
    Others,
    /// The file system has no locks for folders, as NFS. Nobody removes such a folder but its process.
    Unsupported(OwnedFd),
}

/// Locks a folder.
fn lock(path: &Path) -> io::Result<Lock> {
    // Programs that this process starts do not inherit the lock.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(folder) => folder,
        Err(Errno::NOENT) => return Ok(Lock::Others),
        Err(why) => return Err(why.into()),
    };
    Ok(match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Lock::Ours(folder),
        Err(Errno::WOULDBLOCK) => Lock::Others,
        Err(_) => Lock::Unsupported(folder),
    })
}

/// Returns whether the opened folder is still at this path.
fn is_there(folder: &OwnedFd, path: &Path) -> bool {
    match (fstat(folder), lstat(path)) {
        (Ok(open), Ok(there)) => (open.st_dev, open.st_ino) == (there.st_dev, there.st_ino),
        _ => false,
    }
}
