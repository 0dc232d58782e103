//! The cache of imported and built bots. It has one folder for each content, so that no bot is built twice and no
//! outdated bot is played.

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

/// The version of the cache. Increase it when the same files and the same plan give another result.
const VERSION: u32 = 1;
/// The prefix of the names of incomplete folders.
const PART: &str = ".part-";

/// The cache, by its folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache(PathBuf);

/// The data that the cache stores beside a bot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The command that runs the bot, as in [`Run::Words`].
    pub run: Vec<String>,
    /// The duration of the build in milliseconds.
    pub took_ms: u64,
}

/// A bot in the cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Kept {
    /// The folder with the bot's files.
    pub folder: PathBuf,
    pub record: Record,
    /// The output of the build.
    pub log: Vec<u8>,
}

impl Cache {
    /// Returns the cache of the user: the folder `agon/bots` in `XDG_CACHE_HOME` or `~/.cache`.
    ///
    /// # Errors
    /// If neither `XDG_CACHE_HOME` nor `HOME` is an absolute path.
    pub fn of_user() -> Result<Self, Flaw> {
        let set = |name| env::var_os(name).map(PathBuf::from).filter(|path: &PathBuf| path.is_absolute());
        let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
        cache.map(|path| Self(path.join("agon/bots"))).ok_or_else(|| {
            Flaw::new("there is no folder for caches: neither XDG_CACHE_HOME nor HOME is set")
                .hint("set XDG_CACHE_HOME to a folder that can be written to")
        })
    }

    /// Returns the cache in this folder. The folder is created when it is needed.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// Returns the folder of the cache.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Creates a temporary folder in the cache.
    pub(crate) fn part(&self) -> Result<Part, Flaw> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = self.0.join(format!("{PART}{}-{number}", std::process::id()));
        let made = fs::create_dir_all(&self.0).and_then(|()| {
            self.sweep();
            // A process that had the same number may have left this folder.
            remove(&path)?;
            fs::create_dir(&path)
        });
        made.map_err(|why| unwritable(&path, &why))?;
        Ok(Part(path))
    }

    /// Removes the temporary folders of processes that were killed.
    fn sweep(&self) {
        for entry in fs::read_dir(&self.0).into_iter().flatten().filter_map(Result::ok) {
            if is_part(&entry.file_name()) && !is_at_work(&entry.file_name()) {
                // Another process may remove it at the same time.
                let _ = remove(&entry.path());
            }
        }
    }

    /// Returns the bot with this key, if the cache has it.
    pub(crate) fn find(&self, key: &str) -> Option<Kept> {
        let place = self.0.join(key);
        let record = serde_json::from_slice(&fs::read(place.join("build.json")).ok()?).ok()?;
        let folder = place.join("bot");
        folder.is_dir().then(|| Kept { folder, record, log: fs::read(place.join("log")).unwrap_or_default() })
    }

    /// Moves the folder `bot` into the cache, with this key. If another process was faster, returns the bot of that
    /// process.
    pub(crate) fn keep(&self, key: &str, part: &Part, bot: &Path, record: Record, log: &[u8]) -> Result<Kept, Flaw> {
        let entry = part.0.join("entry");
        let place = self.0.join(key);
        let written = || -> io::Result<()> {
            fs::create_dir(&entry)?;
            fs::rename(bot, entry.join("bot"))?;
            for folder in folders(&entry.join("bot"))? {
                // Independent of the umask: the bot may run as another user inside a sandbox.
                fs::set_permissions(folder, Permissions::from_mode(0o755))?;
            }
            fs::write(entry.join("build.json"), serde_json::to_vec_pretty(&record)?)?;
            fs::write(entry.join("log"), log)
        };
        written().map_err(|why| unwritable(&entry, &why))?;
        // Folders appear complete or not at all. A folder that cannot be read comes from an unknown version.
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

    /// Removes all bots from the cache, and the temporary folders of processes that were killed. Returns the number of
    /// removed bots.
    ///
    /// # Errors
    /// If a file or folder cannot be removed.
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
            // Move the folder away first, so that no process uses a partly removed bot.
            let part = self.part()?;
            let aside = part.0.join("old");
            let removed = fs::rename(&path, &aside).and_then(|()| remove(&aside));
            removed.map_err(|why| unwritable(&path, &why))?;
        }
        Ok(bots)
    }
}

/// Returns whether this is the name of an incomplete folder.
fn is_part(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(PART.as_bytes())
}

/// Returns whether the incomplete folder of this name belongs to a process that still runs.
fn is_at_work(name: &OsStr) -> bool {
    let pid = name.to_str().and_then(|name| name.strip_prefix(PART)?.split('-').next()?.parse().ok());
    let pid = pid.and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// An incomplete folder in the cache. It is removed on drop.
#[derive(Debug)]
pub(crate) struct Part(PathBuf);

impl Part {
    /// Creates a folder inside, to which only this user has access.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf, Flaw> {
        let path = self.0.join(name);
        let made = fs::create_dir(&path).and_then(|()| fs::set_permissions(&path, Permissions::from_mode(0o700)));
        made.map_err(|why| unwritable(&path, &why))?;
        Ok(path)
    }

    /// Returns the path of this name inside the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // A folder that cannot be removed stays in the cache, and `clean` tries again.
        let _ = remove(&self.0);
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

/// Removes a folder, even if a build has removed the permissions of folders in it.
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

/// Returns the key of a bot in the cache. It depends on every name, mode and byte of its files, on its plan, on the
/// tools, on the place of the build, and on the version of Agon.
pub(crate) fn key(tree: &Tree, plan: &Plan, place: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    // Each part follows its length, so that different lists never give the same bytes.
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
