//! An entry of the cache: the files of a bot, and a record of them by which a change is noticed.

use super::ownership::not_ours;
use agon_sandbox::{Shortage, remove_tree};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, Permissions},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

/// The name of the folder with the files of the bot.
pub(super) const BOT: &str = "bot";
/// The name of the record.
const RECORD: &str = "build.json";
/// The name of the file with the output of the build.
const LOG: &str = "log";
/// A folder that interpreters write beside modules if they can.
const LEFT_BY_INTERPRETERS: &str = "__pycache__";
/// The largest record that is read, in bytes.
const RECORD_LIMIT: u64 = 64 << 20;

/// The data that the cache stores beside a bot.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// The command that runs the bot, as in [`Run::Words`](crate::Run::Words).
    pub run: Vec<String>,
    /// The duration of the build in milliseconds.
    pub took_ms: u64,
}

/// A bot in the cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    /// The folder with the bot's files.
    pub folder: PathBuf,
    /// The data beside them.
    pub record: Record,
    /// The output of the build.
    pub log: Vec<u8>,
}

/// The content of the record.
#[derive(Serialize, Deserialize)]
struct Written {
    /// The key. Without it, one entry could take the place of another.
    key: String,
    #[serde(flatten)]
    record: Record,
    /// Every file, by its escaped path.
    files: BTreeMap<String, Made>,
    /// Every folder, by its escaped path.
    folders: BTreeSet<String>,
    /// The BLAKE3 hash of the output of the build.
    log: String,
}

/// A file as it was when the entry was written.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Made {
    executable: bool,
    /// The BLAKE3 hash of the bytes.
    blake3: String,
}

/// Why an entry cannot be used.
#[derive(Debug)]
pub(super) enum Unusable {
    /// There is none.
    Missing,
    /// It was changed, or others could have changed it, for this reason.
    Changed(String),
}

impl From<io::Error> for Unusable {
    fn from(why: io::Error) -> Self {
        Shortage::note_error(&why);
        Self::Changed(format!("it cannot be read: {why}"))
    }
}

/// Writes the record and the log of a new entry, which has the files of the bot. Sets the permissions of the files.
pub(super) fn complete(entry: &Path, key: &str, record: Record, log: &[u8]) -> io::Result<()> {
    let (mut files, mut folders) = (BTreeMap::new(), BTreeSet::new());
    for (name, about) in all(&entry.join(BOT), true)? {
        let path = entry.join(BOT).join(&name);
        if about.is_dir() {
            // Independent of the umask: the bot may run as another user inside a sandbox.
            fs::set_permissions(&path, Permissions::from_mode(0o755))?;
            folders.insert(escaped(&name));
        } else if about.is_file() {
            let executable = about.mode() & 0o111 != 0;
            fs::set_permissions(&path, Permissions::from_mode(if executable { 0o755 } else { 0o644 }))?;
            files.insert(escaped(&name), Made { executable, blake3: hash(&path)? });
        } else {
            return Err(io::Error::other(format!("`{}` is neither a file nor a folder", name.display())));
        }
    }
    let log_hash = blake3::hash(log).to_string();
    let written = Written { key: key.to_owned(), record, files, folders, log: log_hash };
    let write = |name: &str, bytes: &[u8]| {
        let path = entry.join(name);
        fs::write(&path, bytes)?;
        fs::set_permissions(&path, Permissions::from_mode(0o644))
    };
    write(RECORD, &serde_json::to_vec(&written)?)?;
    write(LOG, log)?;
    fs::set_permissions(entry, Permissions::from_mode(0o755))
}

/// Returns the bot in the folder `entry`, if the user alone can have written it and it is unchanged. Removes what was added
/// to it, and calls `tell`.
pub(super) fn examine(entry: &Path, key: &str, tell: &mut dyn FnMut(String)) -> Result<Kept, Unusable> {
    let about = match fs::symlink_metadata(entry) {
        Ok(about) => about,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Err(Unusable::Missing),
        Err(why) => return Err(why.into()),
    };
    let ours =
        |path: &Path, about: &fs::Metadata| not_ours(path, about).map_or(Ok(()), |why| Err(Unusable::Changed(why)));
    ours(entry, &about)?;
    let changed = |path: &Path| Unusable::Changed(format!("`{}` was changed", path.display()));
    if !about.is_dir() {
        return Err(changed(entry));
    }
    let folder = entry.join(BOT);
    for path in [&folder, &entry.join(RECORD), &entry.join(LOG)] {
        let about = fs::symlink_metadata(path).map_err(|_| changed(path))?;
        ours(path, &about)?;
        if about.is_symlink() || about.is_dir() != (*path == folder) {
            return Err(changed(path));
        }
    }
    if fs::symlink_metadata(entry.join(RECORD))?.len() > RECORD_LIMIT {
        return Err(changed(&entry.join(RECORD)));
    }
    let written: Written =
        serde_json::from_slice(&read(&entry.join(RECORD))?).map_err(|_| changed(&entry.join(RECORD)))?;
    let log = read(&entry.join(LOG))?;
    if written.key != key || blake3::hash(&log).to_string() != written.log {
        return Err(changed(entry));
    }
    let (mut there, mut added) = (0, Vec::new());
    for (name, about) in all(&folder, false)? {
        let path = folder.join(&name);
        ours(&path, &about)?;
        if about.is_dir() {
            if !written.folders.contains(&escaped(&name)) {
                added.push(path);
            }
            continue;
        }
        match written.files.get(&escaped(&name)) {
            None => added.push(path),
            Some(made) => {
                let executable = about.mode() & 0o111 != 0;
                let is_plain = about.is_file() && about.mode() & 0o7000 == 0;
                if !is_plain || (Made { executable, blake3: hash(&path)? }) != *made {
                    return Err(changed(&path));
                }
                there += 1;
            }
        }
    }
    if there != written.files.len() {
        return Err(Unusable::Changed(format!("files of `{}` are missing", folder.display())));
    }
    for path in added {
        let is_cache = path.components().any(|part| part.as_os_str() == LEFT_BY_INTERPRETERS);
        // It is gone if the folder around it was added, too.
        let was_there = path.symlink_metadata().is_ok();
        remove_tree(&path)?;
        if was_there && !is_cache {
            tell(format!("`{}` was added to a bot in the cache and is removed", path.display()));
        }
    }
    Ok(Kept { folder, record: written.record, log })
}

/// Returns a folder and everything in it, outer ones first, by paths relative to it. With `enter`, gives this user access to
/// all folders: a build may have removed it.
fn all(root: &Path, enter: bool) -> io::Result<Vec<(PathBuf, fs::Metadata)>> {
    let mut found = vec![(PathBuf::new(), fs::symlink_metadata(root)?)];
    let mut at = 0;
    while let Some((within, about)) = found.get(at).cloned() {
        at += 1;
        if !about.is_dir() {
            continue;
        }
        let folder = root.join(&within);
        if enter {
            fs::set_permissions(&folder, Permissions::from_mode(0o700))?;
        }
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            found.push((within.join(entry.file_name()), entry.metadata()?));
        }
    }
    Ok(found)
}

/// Returns a path as text. Different paths give different texts.
fn escaped(name: &Path) -> String {
    name.as_os_str().as_encoded_bytes().escape_ascii().to_string()
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut open(path)?, &mut bytes)?;
    Ok(bytes)
}

fn hash(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut open(path)?, &mut hasher)?;
    Ok(hasher.finalize().to_string())
}

/// Opens a file, but no link and nothing that blocks.
fn open(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    fs::OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)
}
