//! The cache of built champions. It has one folder for each content, so that no champion is built twice and no outdated
//! champion is played.

use crate::source::Source;
use agon_core::{Fingerprint, Flaw};
use std::{
    env, fs,
    io::Read,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

/// The maximum number of files of a champion.
const FILE_LIMIT: usize = 10_000;
/// The maximum size of all files of a champion together, in bytes.
const SIZE_LIMIT: u64 = 256 << 20;

/// Returns the folder of the cache: `agon/champions` in `XDG_CACHE_HOME` or `~/.cache`.
///
/// # Errors
/// If neither `XDG_CACHE_HOME` nor `HOME` is an absolute path.
pub fn root() -> Result<PathBuf, Flaw> {
    let set = |name| env::var_os(name).map(PathBuf::from).filter(|path: &PathBuf| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    cache.map(|path| path.join("agon/champions")).ok_or_else(|| {
        Flaw::new("there is no folder for caches: neither XDG_CACHE_HOME nor HOME is set")
            .hint("set XDG_CACHE_HOME to a folder that can be written to")
    })
}

/// Returns an ending for the name of an incomplete file or folder. It is unique, because two threads of one process may
/// create the same file or folder.
pub fn part() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}.part", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Returns the folder for the result of these sources. It depends on every byte of every file, and on `recipe`, which
/// contains everything else that affects the result.
///
/// # Errors
/// If a file cannot be read, or the champion has too many or too large files.
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
        // Read at most one byte more than the limit.
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

/// Returns the files of a champion, relative to its folder and in order. Skips hidden files and the output of tools.
///
/// # Errors
/// If a folder cannot be read, or the champion has too many files.
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
        // A link to a folder could form a loop and is skipped. A link to a file counts as the file.
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
