//! The private folder of a worker.
//!
//! ```text
//! agon/worker/               in XDG_CACHE_HOME or ~/.cache
//!   bundles/HASH             bots, for all workers of this user
//!   SERVER/1/                a worker of this server: SERVER is a hash of its address
//!     lock                   held by its process
//!     instance               what the server knows this worker by
//!     outbox/                results that are not acknowledged yet
//!     begun/TOKEN            matches that are being played
//!     field/                 the tournament's folder, made anew
//! ```

use crate::{
    ServerAddress,
    error::WorkerFailure,
    outbox::{Outbox, hex},
};
use agon_build::Cache;
use rustix::{
    fs::{FlockOperation, Mode, OFlags, flock},
    process::geteuid,
};
use sha2::{Digest as _, Sha256};
use std::{
    fs::{self, DirBuilder, File},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
    path::{Path, PathBuf},
};

/// So many workers of one server have a place on one machine.
const PLACES: u32 = 1_024;

/// The folder of a worker, which no other process uses.
#[derive(Debug)]
pub(crate) struct Place {
    folder: PathBuf,
    bundles: PathBuf,
    /// The system takes it back when the process ends, however it ends.
    _lock: File,
}

impl Place {
    /// Takes the first free place of a worker of this server, in the user's cache.
    ///
    /// # Errors
    /// If there is none that only this user can use.
    pub(crate) fn take(address: &ServerAddress) -> Result<(Self, Outbox), WorkerFailure> {
        let cache = Cache::of_user_for("worker").map_err(WorkerFailure::NoPlace)?;
        Self::take_in(cache.folder(), address)
    }

    /// Does the same in this folder.
    pub(crate) fn take_in(base: &Path, address: &ServerAddress) -> Result<(Self, Outbox), WorkerFailure> {
        let made = |path: &Path| private_folder(path).map_err(|why| WorkerFailure::file("use the folder", path, why));
        if let Some(parent) = base.parent() {
            fs::create_dir_all(parent).map_err(|why| WorkerFailure::file("make the folder", parent, why))?;
        }
        let name = &hex(&Sha256::digest(address.to_string()))[..16];
        let (bundles, of_server) = (base.join("bundles"), base.join(name));
        for folder in [base, &bundles, &of_server] {
            made(folder)?;
        }
        let mut free = (1..=PLACES).map(|number| of_server.join(number.to_string())).filter_map(|folder| {
            let locked = made(&folder).and_then(|()| {
                lock(&folder.join("lock")).map_err(|why| WorkerFailure::file("lock", &folder.join("lock"), why))
            });
            locked.map(|lock| lock.map(|lock| (folder, lock))).transpose()
        });
        let (folder, lock) = free.next().unwrap_or_else(|| {
            let why = io::Error::other("too many workers have a place there");
            Err(WorkerFailure::file("use the folder", &of_server, why))
        })?;
        let place = Self { folder, bundles, _lock: lock };
        for name in ["outbox", "begun"] {
            made(&place.folder.join(name))?;
        }
        let open = |folder: &Path| {
            let folder = folder.join("outbox");
            Outbox::open(&folder).map_err(|why| WorkerFailure::file("use the folder", &folder, why))
        };
        let mut outbox = open(&place.folder)?;
        // What workers have left that were killed and not started again is reported, too.
        for number in 1..=PLACES {
            let other = of_server.join(number.to_string());
            if !other.exists() {
                break;
            }
            if other == place.folder || !other.join("outbox").exists() {
                continue;
            }
            let Ok(Some(_lock)) = self::lock(&other.join("lock")) else { continue };
            let taken = open(&other).map(|mut left| outbox.take_from(&mut left));
            taken?.map_err(|why| WorkerFailure::file("move the results in", &other, why))?;
        }
        Ok((place, outbox))
    }

    /// Returns what the server knows this worker by. A worker that was killed comes back as the same one, and gives back what it
    /// had.
    ///
    /// # Errors
    /// If it can neither be read nor drawn.
    pub(crate) fn instance(&self) -> Result<String, WorkerFailure> {
        let path = self.folder.join("instance");
        let known = fs::read_to_string(&path).ok().filter(|text| {
            text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        });
        if let Some(known) = known {
            return Ok(known);
        }
        let mut drawn = [0; 16];
        getrandom::fill(&mut drawn).map_err(|why| WorkerFailure::System(io::Error::other(why.to_string())))?;
        let drawn = hex(&drawn);
        let part = self.folder.join("instance.part");
        let written = || {
            let mut file = File::create(&part)?;
            file.write_all(drawn.as_bytes())?;
            file.sync_all()?;
            fs::rename(&part, &path)
        };
        written().map_err(|why| WorkerFailure::file("write", &path, why))?;
        Ok(drawn)
    }

    /// Forgets what the server knows this worker by. It has left, so its next process is another worker.
    pub(crate) fn forget_instance(&self) {
        // If it stays, the server takes the next process for this one, which has nothing left to give back.
        let _ = fs::remove_file(self.folder.join("instance"));
    }

    /// Returns the folder in which the tournament's is made anew.
    pub(crate) fn field(&self) -> PathBuf {
        self.folder.join("field")
    }

    /// Returns the file for a bundle that is still being fetched.
    pub(crate) fn part(&self) -> PathBuf {
        self.folder.join("bundle.part")
    }

    /// Returns the folder with the bundles of all workers of this user.
    pub(crate) fn bundles(&self) -> &Path {
        &self.bundles
    }

    /// Notes that a match is being played, or that it is no more.
    pub(crate) fn mark(&self, token: u64, begun: bool) {
        let path = self.folder.join("begun").join(token.to_string());
        // Without the note, a match that was begun is given back as if it was not. That is all.
        let _ = if begun { File::create(path).map(drop) } else { fs::remove_file(path) };
    }

    /// Returns the matches that an earlier process was playing when it was killed.
    pub(crate) fn begun(&self) -> Vec<u64> {
        let entries = fs::read_dir(self.folder.join("begun")).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
    }
}

/// Takes a lock. `None` if another process has it.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file.into())),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(why) => Err(why.into()),
    }
}

/// Makes a folder to which only this user has access, or checks that the one that is there is so.
fn private_folder(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(why) if why.kind() != io::ErrorKind::AlreadyExists => return Err(why),
        _ => {}
    }
    let about = fs::symlink_metadata(path)?;
    if about.is_dir() && about.uid() == geteuid().as_raw() && about.mode() & 0o077 == 0 {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "only this user may own it and have access to it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::os::unix::fs::PermissionsExt as _;

    fn take(scratch: &Scratch) -> (Place, Outbox) {
        let address = ServerAddress::parse("http://127.0.0.1:1").expect("an address");
        Place::take_in(&scratch.path().join("worker"), &address).expect("a folder of our own")
    }

    #[test]
    fn two_workers_on_one_machine_have_a_place_each() {
        let scratch = Scratch::new("place");
        let (first, _) = take(&scratch);
        let (second, _) = take(&scratch);
        assert_ne!(first.folder, second.folder);
        assert_eq!(first.bundles, second.bundles);
        assert_ne!(first.instance().expect("drawn"), second.instance().expect("drawn"));
        let (folder, instance) = (first.folder.clone(), first.instance().expect("kept"));
        drop(first);
        let (again, _) = take(&scratch);
        assert_eq!((&again.folder, again.instance().expect("kept")), (&folder, instance.clone()), "the same worker");
        again.forget_instance();
        assert_ne!(again.instance().expect("drawn"), instance);
        let mode = fs::metadata(&folder).expect("it is there").mode() & 0o777;
        assert_eq!(mode, 0o700);
    }

    #[test]
    fn a_folder_that_others_can_enter_is_refused() {
        let scratch = Scratch::new("place");
        let base = scratch.path().join("worker");
        fs::create_dir(&base).expect("a folder");
        fs::set_permissions(&base, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let address = ServerAddress::parse("http://127.0.0.1:1").expect("an address");
        let refused = Place::take_in(&base, &address).expect_err("others can enter it");
        assert!(refused.to_string().contains("only this user"), "{refused}");
    }

    #[test]
    fn matches_that_were_begun_are_known_to_the_next_process() {
        let scratch = Scratch::new("place");
        let (place, _) = take(&scratch);
        [4, 5, 6].into_iter().for_each(|token| place.mark(token, true));
        place.mark(5, false);
        drop(place);
        let mut begun = take(&scratch).0.begun();
        begun.sort_unstable();
        assert_eq!(begun, [4, 6]);
    }
}
