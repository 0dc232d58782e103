//! The cache of imported and built bots. It has one folder for each content, so that no bot is built twice and no
//! outdated bot is played.
//!
//! A bot in the cache runs with all rights of a bot, and at `--sandbox none` with all rights of the user. So the cache uses
//! nothing that another user could have written: it does not trust a folder to which others can write, and it compares each
//! entry with a record of its files.
//!
//! | file | what it defines |
//! | --- | --- |
//! | `key` | [`KeyHasher`]: the name of an entry |
//! | `entry` | [`Kept`]: the files of an entry, and whether they are unchanged |
//! | `ownership` | whether a folder belongs to the user alone |
//! | `part` | [`Part`]: an incomplete folder |
//! | `private` | a temporary cache, for a user whose own cache cannot be trusted |

mod entry;
mod key;
mod ownership;
mod part;
mod private;

pub(crate) use key::key;
pub use {
    entry::{Kept, Record},
    key::KeyHasher,
    part::Part,
};

use agon_core::Flaw;
use agon_sandbox::{Shortage, TemporaryFolder, remove_tree};
use entry::Unusable;
use private::PrivateFolder;
use rustix::process::geteuid;
use std::{
    env,
    ffi::OsStr,
    fs::{self, DirBuilder, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

/// The prefix of the names of incomplete folders.
const PART: &str = ".part-";

/// The cache, by its folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache {
    folder: PathBuf,
    /// The number of folders at the end of the path that Agon creates and nothing else uses.
    own: usize,
}

/// A cache that is ready for use: only this user can write to it.
#[derive(Clone, Debug)]
pub struct OpenCache {
    folder: PathBuf,
    /// The temporary folder around it, if it is a temporary cache.
    private: Option<Arc<PrivateFolder>>,
}

impl PartialEq for OpenCache {
    fn eq(&self, other: &Self) -> bool {
        self.folder == other.folder
    }
}

impl Eq for OpenCache {}

impl Cache {
    /// Returns the cache of the user: the folder `agon/bots` in `XDG_CACHE_HOME` or `~/.cache`.
    ///
    /// # Errors
    /// If neither `XDG_CACHE_HOME` nor `HOME` is an absolute path.
    pub fn of_user() -> Result<Self, Flaw> {
        Self::of_user_for("bots")
    }

    /// Returns the cache with this name: the folder `agon/NAME` in `XDG_CACHE_HOME` or `~/.cache`.
    ///
    /// # Errors
    /// If neither `XDG_CACHE_HOME` nor `HOME` is an absolute path.
    pub fn of_user_for(name: &str) -> Result<Self, Flaw> {
        let set = |name| env::var_os(name).map(PathBuf::from).filter(|path: &PathBuf| path.is_absolute());
        let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
        cache.map(|path| Self { folder: path.join("agon").join(name), own: 2 }).ok_or_else(|| {
            Flaw::new("there is no folder for caches: neither XDG_CACHE_HOME nor HOME is set")
                .hint("set XDG_CACHE_HOME to a folder that can be written to")
        })
    }

    /// Returns the cache in this folder. The folder is created when it is needed.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), own: 1 }
    }

    /// Returns the folder of the cache.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates the folder if it is missing, and checks that only this user can write to it. If others can, returns a
    /// temporary cache instead, which is removed with its last clone, and calls `warn`.
    ///
    /// # Errors
    /// If no folder can be created.
    pub fn open(&self, warn: &mut dyn FnMut(String)) -> Result<OpenCache, Flaw> {
        match self.make(warn).map_err(|why| unwritable(&self.folder, &why))? {
            Ok(folder) => Ok(OpenCache { folder, private: None }),
            Err(why) => {
                let private = PrivateFolder::of_process()?;
                let folder = private.path().join(self.folder.file_name().unwrap_or(OsStr::new("bots")));
                let made = private_folder(&folder);
                made.map_err(|why| unwritable(&folder, &why))?;
                warn(format!(
                    "the cache `{}` is not used because {why}: bots are built again in `{}`, which is removed at the end",
                    self.folder.display(),
                    folder.display()
                ));
                Ok(OpenCache { folder, private: Some(private) })
            }
        }
    }

    /// Creates the folder and returns its path without links. Returns the reason if others can decide what is in it.
    fn make(&self, warn: &mut dyn FnMut(String)) -> io::Result<Result<PathBuf, String>> {
        let (real, rest) = ownership::existing(&self.folder)?;
        let folder = real.join(&rest);
        // If the user has made a link to another folder, Agon must not change that folder's permissions.
        let tail =
            |path: &Path| path.components().rev().take(self.own).map(|c| c.as_os_str().to_owned()).collect::<Vec<_>>();
        let own = if tail(&folder) == tail(&self.folder) { self.own } else { 0 };
        let own: Vec<&Path> = folder.ancestors().take(own).collect();
        let outside = own.last().and_then(|top| top.parent()).unwrap_or(&folder);
        let around = if real.starts_with(outside) { outside } else { &real };
        if let Some(why) = ownership::others_decide(around)? {
            return Ok(Err(why));
        }
        let mut open = false;
        private_folder(&folder)?;
        for path in own.iter().rev() {
            let about = fs::symlink_metadata(path)?;
            // With a common umask, earlier versions made it writable for the group.
            if about.is_dir() && ownership::is_only_writable(&about) {
                warn(format!("other users could write to `{}`: everything in the cache is removed", path.display()));
                fs::set_permissions(path, Permissions::from_mode(about.mode() & 0o7755))?;
                open = true;
            }
        }
        if let Some(why) = ownership::others_decide(&folder)? {
            return Ok(Err(why));
        }
        let about = fs::symlink_metadata(&folder)?;
        if let Some(why) = ownership::not_ours(&folder, &about) {
            return Ok(Err(why));
        }
        if open {
            empty(&folder)?;
        }
        Ok(Ok(folder))
    }

    /// Removes all bots from the cache, and the temporary folders of processes that were killed. Returns the number of
    /// removed bots.
    ///
    /// # Errors
    /// If a file or folder cannot be removed.
    pub fn clean(&self) -> Result<usize, Flaw> {
        match self.folder.symlink_metadata() {
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(why) => return Err(unwritable(&self.folder, &why)),
            Ok(_) => {}
        }
        // Agon keeps nothing in a folder that it does not trust.
        let Ok(folder) = self.make(&mut |_| {}).map_err(|why| unwritable(&self.folder, &why))? else { return Ok(0) };
        TemporaryFolder::sweep(&folder, PART);
        empty(&folder).map_err(|why| unwritable(&folder, &why))
    }
}

impl OpenCache {
    /// Returns the folder of the cache.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns whether this is a temporary cache.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.private.is_some()
    }

    /// Creates a temporary folder in the cache.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn part(&self) -> Result<Part, Flaw> {
        TemporaryFolder::sweep(&self.folder, PART);
        Part::new(&self.folder, PART, 0o755).map_err(|why| unwritable(&self.folder, &why))
    }

    /// Returns the bot with this key, if the cache has it. Removes the bot and calls `warn` with the reason if it was changed,
    /// or if `fits` returns false for its record.
    pub fn find(&self, key: &str, fits: &dyn Fn(&Record) -> bool, warn: &mut dyn FnMut(String)) -> Option<Kept> {
        let place = self.folder.join(key);
        let why = match entry::examine(&place, key, warn) {
            Ok(kept) if fits(&kept.record) => return Some(kept),
            Ok(_) => format!("the record in `{}` was changed", place.display()),
            Err(Unusable::Missing) => return None,
            Err(Unusable::Changed(why)) => why,
        };
        warn(format!("a bot in the cache is not used and is built again: {why}"));
        // If it cannot be removed, `keep` will fail with the reason.
        let _ = discard(&place);
        None
    }

    /// Moves the folder `bot` into the cache, with this key. If another process was faster, returns the bot of that
    /// process.
    ///
    /// # Errors
    /// If the cache cannot be written.
    pub fn keep(&self, key: &str, part: &Part, bot: &Path, record: Record, log: &[u8]) -> Result<Kept, Flaw> {
        let new = part.path("entry");
        let (place, run) = (self.folder.join(key), record.run.clone());
        let written = fs::create_dir(&new)
            .and_then(|()| fs::rename(bot, new.join(entry::BOT)))
            .and_then(|()| entry::complete(&new, key, record, log));
        written.map_err(|why| unwritable(&new, &why))?;
        let kept = || entry::examine(&place, key, &mut |_| {});
        // Entries appear complete or not at all.
        let is_other = match kept() {
            Ok(kept) => kept.record.run != run,
            Err(Unusable::Missing) => false,
            Err(Unusable::Changed(_)) => true,
        };
        if is_other {
            discard(&place).map_err(|why| unwritable(&place, &why))?;
        }
        let moved = fs::rename(&new, &place);
        kept().map_err(|why| match (why, moved) {
            (Unusable::Changed(why), _) => unwritable(&place, &io::Error::other(why)),
            (Unusable::Missing, Err(why)) => unwritable(&place, &why),
            (Unusable::Missing, Ok(())) => unwritable(&place, &io::ErrorKind::NotFound.into()),
        })
    }
}

/// Returns the permissions of a folder of the cache. Bots that root starts run as other users and must reach their files.
pub(crate) fn folder_mode() -> u32 {
    if geteuid().is_root() { 0o711 } else { 0o700 }
}

/// Creates a folder and those around it, unless they exist.
fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(folder_mode()).recursive(true).create(path)
}

/// Removes all entries. Returns their number.
fn empty(folder: &Path) -> io::Result<usize> {
    let mut entries = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(PART.as_bytes()) {
            discard(&entry.path())?;
            entries += 1;
        }
    }
    Ok(entries)
}

/// Removes an entry. Moves it away first, so that no process uses a partly removed bot.
fn discard(place: &Path) -> io::Result<()> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let folder = place.parent().unwrap_or(Path::new("/"));
    let aside = loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let aside = folder.join(format!("{PART}old-{}-{number}", std::process::id()));
        if aside.symlink_metadata().is_err() {
            break aside;
        }
    };
    match fs::rename(place, &aside) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(why) => Err(why),
        Ok(()) => {
            // Files of another user may be impossible to remove, but nobody uses them under this name.
            let removed = remove_tree(&aside);
            if aside.symlink_metadata().is_ok_and(|about| about.uid() != geteuid().as_raw()) { Ok(()) } else { removed }
        }
    }
}

fn unwritable(path: &Path, why: &io::Error) -> Flaw {
    Shortage::note_error(why);
    Flaw::new(format!("cannot write `{}`: {why}", path.display()))
        .hint("bots are kept in XDG_CACHE_HOME, else in ~/.cache: it must be possible to write there")
}
