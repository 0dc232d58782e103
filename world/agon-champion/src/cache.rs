//! Where built champions are kept: a folder of the user's cache for each content, so that nothing is built twice and
//! nothing stale is played.

use crate::source::Source;
use agon_core::{Fingerprint, Flaw};
use std::{
    env, fs,
    io::Read,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

/// The most files of a champion.
const FILE_LIMIT: usize = 10_000;
/// The most that they hold, in bytes.
const SIZE_LIMIT: u64 = 256 << 20;

/// The folder for all champions: `agon/champions` in `XDG_CACHE_HOME` or `~/.cache`.
///
/// # Errors
/// The environment names no folder for caches.
pub fn root() -> Result<PathBuf, Flaw> {
    let set = |name| env::var_os(name).map(PathBuf::from).filter(|path: &PathBuf| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    cache.map(|path| path.join("agon/champions")).ok_or_else(|| {
        Flaw::new("there is no folder for caches: neither XDG_CACHE_HOME nor HOME is set")
            .hint("set XDG_CACHE_HOME to a folder that can be written to")
    })
}

/// How the name of something ends that is not whole yet. Two threads of one process may make the same thing.
pub fn part() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}.part", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The folder for this champion as it is now. It changes with every byte of every file and with everything else that the
/// result depends on, which is `recipe`.
///
/// # Errors
/// A file cannot be read, or there is more than a champion can have.
pub fn place(source: &Source, recipe: &[&str]) -> Result<PathBuf, Flaw> {
    let files = files(&source.folder)?;
    let mut numbers = [Fingerprint::new(), Fingerprint::new()];
    let mut mix = |bytes: &[u8]| {
        numbers[0].bytes(bytes);
        numbers[1].u64(1).bytes(bytes);
    };
    mix(env!("CARGO_PKG_VERSION").as_bytes());
    recipe.iter().for_each(|part| mix(part.as_bytes()));
    let mut size = 0;
    for file in files {
        let path = source.folder.join(&file);
        let mut bytes = Vec::new();
        // One byte more than there may be: what is too much is not read.
        let read = fs::File::open(&path).and_then(|file| file.take(SIZE_LIMIT - size + 1).read_to_end(&mut bytes));
        size += read.map_err(|why| Flaw::new(format!("cannot read `{}`: {why}", path.display())))? as u64;
        if size > SIZE_LIMIT {
            let folder = source.folder.display();
            return Err(Flaw::new(format!("`{folder}` holds more than {} MiB", SIZE_LIMIT >> 20))
                .hint("a champion's folder holds its sources alone"));
        }
        mix(file.as_os_str().as_encoded_bytes());
        mix(&bytes);
    }
    let [a, b] = numbers.map(|f| f.finish());
    Ok(root()?.join(format!("{a:016x}{b:016x}")))
}

/// The files that a champion is made of, by their paths in its folder, in order: all but what is hidden and what tools
/// leave behind.
///
/// # Errors
/// A folder cannot be read, or there are more files than a champion can have.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, Flaw> {
    let mut files = Vec::new();
    collect(folder, Path::new(""), &mut files)?;
    files.sort();
    Ok(files)
}

fn collect(folder: &Path, within: &Path, files: &mut Vec<PathBuf>) -> Result<(), Flaw> {
    let path = folder.join(within);
    let failed = |why: std::io::Error| Flaw::new(format!("cannot read the folder `{}`: {why}", path.display()));
    for entry in fs::read_dir(&path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (name, kind) = (entry.file_name(), entry.file_type().map_err(failed)?);
        let hidden = name.as_encoded_bytes().starts_with(b".") || name == "__pycache__";
        let built = Path::new(&name).extension().is_some_and(|end| end == "o" || end == "so" || end == "pyc");
        if hidden || built {
            continue;
        }
        // A link to a folder could lead round in circles; one to a file counts as the file.
        if kind.is_dir() {
            collect(folder, &within.join(name), files)?;
        } else if entry.path().is_file() {
            files.push(within.join(name));
        }
        if files.len() > FILE_LIMIT {
            return Err(Flaw::new(format!("`{}` holds more than {FILE_LIMIT} files", folder.display()))
                .hint("a champion's folder holds its sources alone"));
        }
    }
    Ok(())
}
