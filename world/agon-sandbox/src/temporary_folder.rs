//! Temporary folders. The process that uses one holds a lock on it, so that others can tell it from one that a killed
//! process has left behind. That works across containers, where numbers of processes mean nothing.

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

/// A temporary folder. It is removed on drop. If its process is killed before that, the next [sweep](Self::sweep)
/// removes it.
#[derive(Debug)]
pub struct TemporaryFolder {
    path: PathBuf,
    _lock: OwnedFd,
}

impl TemporaryFolder {
    /// Creates a folder with this mode in `folder`. Its name begins with `prefix`.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn new(folder: &Path, prefix: &str, mode: u32) -> io::Result<Self> {
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

    /// The path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folders in `folder` whose names begin with `prefix` and that no process has locked.
    pub fn sweep(folder: &Path, prefix: &str) {
        for (path, _lock) in unused(folder, prefix) {
            let _ = remove_tree(&path);
        }
    }

    /// Returns the folders in `folder` whose names begin with `prefix` and that no process has locked: processes that
    /// used them were killed.
    #[must_use]
    pub fn left_behind(folder: &Path, prefix: &str) -> Vec<PathBuf> {
        unused(folder, prefix).map(|(path, _lock)| path).collect()
    }

    /// Lets the folder stay when this process ends. For others it is then [left behind](Self::left_behind).
    pub fn keep(self) {
        // The lock ends with the process.
        std::mem::forget(self);
    }
}

/// Returns the folders whose names begin with `prefix` and that no process has locked, each with a lock.
fn unused(folder: &Path, prefix: &str) -> impl Iterator<Item = (PathBuf, OwnedFd)> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let named = entries.filter(move |entry| entry.file_name().as_encoded_bytes().starts_with(prefix.as_bytes()));
    named.filter_map(|entry| {
        let path = entry.path();
        match lock(&path) {
            Ok(Lock::Ours(lock)) if is_there(&lock, &path) => Some((path, lock)),
            _ => None,
        }
    })
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed stays, and the next process tries again.
        let _ = remove_tree(&self.path);
    }
}

/// Removes a file or a folder, even if a build has removed the permissions of folders in it. Nothing may change it
/// meanwhile.
///
/// # Errors
/// If something in it cannot be removed. It is no error if it does not exist.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(about) if !about.is_dir() => fs::remove_file(path),
        _ => fs::remove_dir_all(path),
    };
    match removed {
        Err(why) if why.kind() == io::ErrorKind::PermissionDenied => {
            folders(path)?;
            fs::remove_dir_all(path)
        }
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Returns a folder and all folders below it, outer ones first. Gives this user access to all of them.
fn folders(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = vec![path.to_owned()];
    let mut at = 0;
    while let Some(folder) = found.get(at).cloned() {
        at += 1;
        // A build may have removed the permissions of the folder.
        fs::set_permissions(&folder, Permissions::from_mode(0o700))?;
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                found.push(entry.path());
            }
        }
    }
    Ok(found)
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

/// Whether the opened folder is still at this path.
fn is_there(folder: &OwnedFd, path: &Path) -> bool {
    match (fstat(folder), lstat(path)) {
        (Ok(open), Ok(there)) => (open.st_dev, open.st_ino) == (there.st_dev, there.st_ino),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_has_locked_is_swept_away() {
        let top = std::env::temp_dir().join(format!("agon-temporary-{}", std::process::id()));
        let _ = remove_tree(&top);
        fs::create_dir_all(top.join("x-left/closed/inner")).expect("a folder");
        fs::create_dir(top.join("y-other")).expect("a folder");
        // As a build can leave it.
        fs::set_permissions(top.join("x-left/closed"), Permissions::from_mode(0o000)).expect("it is ours");
        let used = TemporaryFolder::new(&top, "x-", 0o755).expect("a folder");
        TemporaryFolder::sweep(&top, "x-");
        assert!(used.path().exists() && top.join("y-other").exists() && !top.join("x-left").exists());
        fs::create_dir(top.join("x-again")).expect("a folder");
        assert_eq!(TemporaryFolder::left_behind(&top, "x-"), [top.join("x-again")]);
        let path = used.path().to_owned();
        drop(used);
        assert!(!path.exists());
        remove_tree(&top).expect("it is ours");
        remove_tree(&top).expect("it is gone already");
    }
}
