//! Where bots are kept that were taken in and built: a folder for each content, so that nothing is built twice and
//! nothing stale is played.

use crate::{Plan, Run, intake::Tree};
use agon_core::Flaw;
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};
use std::{
    env,
    ffi::OsStr,
    fs::{self, Permissions},
    io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

/// Changes with everything that changes what is made of the same files and the same plan.
const VERSION: u32 = 1;
/// What the name of a folder begins with that is not complete.
const PART: &str = ".part-";

/// The folder of all bots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache(PathBuf);

/// What is written beside a bot that is kept.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The command that plays it, as in [`Run::Words`].
    pub run: Vec<String>,
    /// How long the build took, in milliseconds.
    pub took_ms: u64,
}

/// A bot that is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Kept {
    /// Its files.
    pub folder: PathBuf,
    pub record: Record,
    /// What its build wrote.
    pub log: Vec<u8>,
}

impl Cache {
    /// `agon/bots` in `XDG_CACHE_HOME` or `~/.cache`.
    ///
    /// # Errors
    /// The environment names no folder for caches.
    pub fn of_user() -> Result<Self, Flaw> {
        let set = |name| env::var_os(name).map(PathBuf::from).filter(|path: &PathBuf| path.is_absolute());
        let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
        cache.map(|path| Self(path.join("agon/bots"))).ok_or_else(|| {
            Flaw::new("there is no folder for caches: neither XDG_CACHE_HOME nor HOME is set")
                .hint("set XDG_CACHE_HOME to a folder that can be written to")
        })
    }

    /// The cache in this folder, which is made when it is needed.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// A new folder in it, which is removed again.
    pub(crate) fn part(&self) -> Result<Part, Flaw> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = self.0.join(format!("{PART}{}-{number}", std::process::id()));
        let made = fs::create_dir_all(&self.0).and_then(|()| {
            self.sweep();
            // Of a process of the same number that has gone.
            remove(&path)?;
            fs::create_dir(&path)
        });
        made.map_err(|why| unwritable(&path, &why))?;
        Ok(Part(path))
    }

    /// Removes what processes have left behind that were killed.
    fn sweep(&self) {
        for entry in fs::read_dir(&self.0).into_iter().flatten().filter_map(Result::ok) {
            if is_part(&entry.file_name()) && !is_at_work(&entry.file_name()) {
                // Another process may be at it as well.
                let _ = remove(&entry.path());
            }
        }
    }

    /// The bot that is kept under this key.
    pub(crate) fn find(&self, key: &str) -> Option<Kept> {
        let place = self.0.join(key);
        let record = serde_json::from_slice(&fs::read(place.join("build.json")).ok()?).ok()?;
        let folder = place.join("bot");
        folder.is_dir().then(|| Kept { folder, record, log: fs::read(place.join("log")).unwrap_or_default() })
    }

    /// Keeps what lies in `bot` under this key. If another process was faster, what it has kept is returned.
    pub(crate) fn keep(&self, key: &str, part: &Part, bot: &Path, record: Record, log: &[u8]) -> Result<Kept, Flaw> {
        let entry = part.0.join("entry");
        let place = self.0.join(key);
        let written = || -> io::Result<()> {
            fs::create_dir(&entry)?;
            fs::rename(bot, entry.join("bot"))?;
            for folder in folders(&entry.join("bot"))? {
                // Whatever the umask: who plays it inside a sandbox may be another user.
                fs::set_permissions(folder, Permissions::from_mode(0o755))?;
            }
            fs::write(entry.join("build.json"), serde_json::to_vec_pretty(&record)?)?;
            fs::write(entry.join("log"), log)
        };
        written().map_err(|why| unwritable(&entry, &why))?;
        // A folder is there whole or not at all. What cannot be read is of a version that we do not know.
        if place.exists() && self.find(key).is_none() {
            remove(&place).map_err(|why| unwritable(&place, &why))?;
        }
        if let Err(why) = fs::rename(&entry, &place)
            && self.find(key).is_none()
        {
            return Err(unwritable(&place, &why));
        }
        self.find(key).ok_or_else(|| unwritable(&place, &io::Error::from(io::ErrorKind::NotFound)))
    }

    /// Removes every bot that is kept, and what processes have left behind that were killed. Returns how many bots it
    /// were.
    ///
    /// # Errors
    /// Something cannot be removed.
    pub fn clean(&self) -> Result<usize, Flaw> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(why) => return Err(unwritable(&self.0, &why)),
        };
        self.sweep();
        let mut bots = 0;
        for entry in entries.filter_map(Result::ok) {
            let (name, path) = (entry.file_name(), entry.path());
            if is_part(&name) {
                continue;
            }
            bots += 1;
            // First out of sight, so that nobody plays half of it.
            let part = self.part()?;
            let aside = part.0.join("old");
            let removed = fs::rename(&path, &aside).and_then(|()| remove(&aside));
            removed.map_err(|why| unwritable(&path, &why))?;
        }
        Ok(bots)
    }
}

/// Whether a folder is one that is not complete.
fn is_part(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(PART.as_bytes())
}

/// Whether a folder belongs to a process that still runs.
fn is_at_work(name: &OsStr) -> bool {
    let pid = name.to_str().and_then(|name| name.strip_prefix(PART)?.split('-').next()?.parse().ok());
    let pid = pid.and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// A folder in the cache that is not complete. It is removed at the end.
#[derive(Debug)]
pub(crate) struct Part(PathBuf);

impl Part {
    /// A new folder in it, for us alone.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf, Flaw> {
        let path = self.0.join(name);
        let made = fs::create_dir(&path).and_then(|()| fs::set_permissions(&path, Permissions::from_mode(0o700)));
        made.map_err(|why| unwritable(&path, &why))?;
        Ok(path)
    }

    /// The path of something in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // What cannot be removed lies in a cache, and `clean` tries again.
        let _ = remove(&self.0);
    }
}

/// A folder and every folder in it, the outer ones first.
fn folders(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = vec![path.to_owned()];
    let mut at = 0;
    while let Some(folder) = found.get(at).cloned() {
        at += 1;
        // Entered before it is read: a build may have taken the rights to it away.
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

/// Removes a folder also if a build has taken the rights away from folders in it.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(why) if why.kind() == io::ErrorKind::PermissionDenied => {
            folders(path)?;
            fs::remove_dir_all(path)
        }
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// What a bot is kept under: it changes with every name, mode and byte of its files, with what is done with them, with
/// the tools, with where that is done, and with us.
pub(crate) fn key(tree: &Tree, plan: &Plan, place: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    // Each part with its length in front: no two lists give the same bytes.
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    add(env!("CARGO_PKG_VERSION").as_bytes());
    add(&VERSION.to_le_bytes());
    add(place.as_bytes());
    add(plan.script().as_bytes());
    let (kind, words) = match &plan.run {
        Run::Words(words) => ("words", words),
        Run::Made(names) => ("made", names),
    };
    add(kind.as_bytes());
    let count = |n: usize| (n as u64).to_le_bytes();
    add(&count(words.len()));
    words.iter().for_each(|word| add(word.as_bytes()));
    add(&count(plan.environment.len()));
    plan.environment.iter().for_each(|(name, value)| add(format!("{name}={value}").as_bytes()));
    add(&count(plan.tools.len()));
    plan.tools.iter().for_each(|tool| add(tool.stamp().as_bytes()));
    for (name, entry) in tree.files() {
        add(name.as_bytes());
        add(&[u8::from(entry.executable)]);
        add(&entry.hash);
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

fn unwritable(path: &Path, why: &io::Error) -> Flaw {
    Flaw::new(format!("cannot write `{}`: {why}", path.display()))
        .hint("bots are kept in XDG_CACHE_HOME, else in ~/.cache: it must be possible to write there")
}
