//! The lock that lets one process at a time write to a store.

use crate::{Result, StoreError};
use rustix::{
    fs::{FlockOperation, Mode, OFlags, flock},
    io::Errno,
};
use std::{
    fs::File,
    io::{Read, Seek, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// How long a store waits for its lock. The system takes a while to end a process that was just killed.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between two tries to take the lock.
const PAUSE: Duration = Duration::from_millis(20);

/// A lock on the file `STORE.lock`. The system takes it back when its owner ends, however it ends. The file stays and
/// holds the number of its last owner.
///
/// The store itself cannot carry the lock: if a process closes a file, it loses all of SQLite's locks on it.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "the lock ends when this is dropped")] File);

impl Lock {
    pub(super) fn take(store: &Path) -> Result<Self> {
        let until = Instant::now() + PATIENCE;
        Self::take_after(store, || {
            thread::sleep(PAUSE);
            Instant::now() < until
        })
    }

    /// Takes the lock as soon as it is free. `pause` is called while it is not, and returns whether to try again.
    fn take_after(store: &Path, mut pause: impl FnMut() -> bool) -> Result<Self> {
        let path = beside(store, ".lock");
        let failed = |why: Errno| StoreError::io("lock the store with", &path, &why.into());
        // `CLOEXEC`: no bot inherits the lock and keeps it.
        let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
        let mut file = File::from(rustix::fs::open(&path, flags, mode).map_err(failed)?);
        let locked = loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) if pause() => {}
                locked => break locked,
            }
        };
        match locked {
            Ok(()) => {
                // Only people read it: a store without it works as well, for example on a full disk.
                let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
                let _ = file.rewind();
                Ok(Self(file))
            }
            Err(Errno::WOULDBLOCK) => {
                let mut text = String::new();
                let _ = file.take(20).read_to_string(&mut text);
                Err(StoreError::InUse { path: store.to_owned(), owner: text.trim().parse().ok() })
            }
            Err(why) => Err(failed(why)),
        }
    }
}

/// Returns the name of a store's file with something added at its end.
pub(super) fn beside(store: &Path, end: &str) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(end);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_of_an_owner_that_is_ending_is_waited_for() {
        let store = std::env::temp_dir().join(format!("agon-lock-{}", std::process::id()));
        let mut owner = Some(Lock::take_after(&store, || false).expect("it is free"));
        assert!(matches!(Lock::take_after(&store, || false), Err(StoreError::InUse { .. })));
        let mut pauses = 0;
        let lock = Lock::take_after(&store, || {
            pauses += 1;
            if pauses == 2 {
                owner = None;
            }
            true
        });
        assert!(lock.is_ok() && pauses == 2);
        std::fs::remove_file(beside(&store, ".lock")).expect("it is ours");
    }
}
