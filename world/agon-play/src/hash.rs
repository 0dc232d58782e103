//! A hash that identifies a bot.

use crate::{CommandPart, CommandPath, Covered, bot_name::file_name, command_parts};
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fmt, fs, io,
    io::Read,
    path::{Path, PathBuf},
};

/// The maximum number of files that the hash covers in a folder that a command names.
const FILE_LIMIT: usize = 10_000;
/// The maximum number of bytes that the hash covers in one file, or in all files of a folder.
const BYTE_LIMIT: u64 = 256 << 20;

/// A SHA-256 hash. Its text is `sha256:` and 64 hexadecimal digits.
///
/// As the identity of a bot, it is the same on every machine, and different bots have different hashes:
///
/// | kind | what the hash covers |
/// | --- | --- |
/// | built-in | its name and the version of Agon |
/// | folder, archive | the names and bytes of its imported files, and the words that start it |
/// | command | its words, and the bytes of every file outside the system that they name, or the command inside of it |
/// | module | its bytes |
/// | champion | the names and bytes of its sources, or the bytes of its shared object |
///
/// The hash never covers the location of files, their times of change, their permissions, or the path of an
/// interpreter. For folders and archives, it does not cover the version of the interpreter either.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Computes the hash of these bytes. `sha256sum` prints the same digits.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub(crate) fn finished(digest: Sha256) -> Self {
        Self(digest.finalize().into())
    }

    /// Returns the 32 bytes of the hash.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Hashes a list of parts. Each part follows its kind and its length, so that two different lists never give the same
/// bytes.
pub(crate) struct Counter {
    digest: Sha256,
    /// The files and folders that were hashed.
    covered: Covered,
}

impl Counter {
    pub(crate) fn new(kind: &str) -> Self {
        let mut counter = Self { digest: Sha256::new(), covered: Covered::default() };
        counter.add("kind", kind.as_bytes());
        counter
    }

    pub(crate) fn add(&mut self, kind: &str, bytes: &[u8]) {
        for part in [kind.as_bytes(), bytes] {
            self.digest.update((part.len() as u64).to_le_bytes());
            self.digest.update(part);
        }
    }

    pub(crate) fn hash(self) -> ContentHash {
        ContentHash(self.digest.finalize().into())
    }

    /// Adds the bytes of a file.
    fn file(&mut self, path: &Path) -> io::Result<()> {
        let mut bytes = Sha256::new();
        let file = fs::File::open(path)?;
        self.covered.add_file(path, &file.metadata()?);
        io::copy(&mut file.take(BYTE_LIMIT), &mut Digesting(&mut bytes))?;
        self.add("file", &bytes.finalize());
        Ok(())
    }

    /// Adds the file at a path, or every file of the folder at that path with its name inside the folder.
    fn path(&mut self, path: &Path) -> io::Result<()> {
        self.covered.add(path);
        if path.is_file() {
            return self.file(path);
        }
        for file in files_of_folder(path)? {
            self.add("name", file.as_os_str().as_encoded_bytes());
            self.file(&path.join(&file))?;
        }
        Ok(())
    }
}

/// Returns the files of a folder that the hash covers, with their paths inside the folder.
pub(crate) fn files_of_folder(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(path, Path::new(""), FILE_LIMIT, &mut files);
    files.sort();
    let mut left = BYTE_LIMIT;
    for (i, file) in files.iter().enumerate() {
        left = left.saturating_sub(path.join(file).metadata()?.len());
        if left == 0 {
            files.truncate(i);
            break;
        }
    }
    Ok(files)
}

/// A writer that hashes all bytes that it receives.
struct Digesting<'a>(&'a mut Sha256);

impl io::Write for Digesting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Computes the hash of a built-in bot.
pub(crate) fn builtin(game: &str, name: &str) -> ContentHash {
    let mut counter = Counter::new("builtin");
    for part in [game, name, env!("CARGO_PKG_VERSION")] {
        counter.add("word", part.as_bytes());
    }
    counter.hash()
}

/// Computes the hash of a command that is started in `dir`, and returns what it covers. The hash is `None` if a file that
/// counts cannot be read, as with a program that others may only execute.
pub(crate) fn command(words: &[String], dir: &Path) -> (Option<ContentHash>, Covered) {
    let mut counter = Counter::new("command");
    let counted = count_command(words, dir, &mut counter);
    let covered = std::mem::take(&mut counter.covered);
    (counted.map(|()| counter.hash()), covered)
}

fn count_command(words: &[String], dir: &Path, counter: &mut Counter) -> Option<()> {
    // A wrapper, or the text of a shell, may name the same file in several ways.
    let mut counted = BTreeSet::new();
    for part in command_parts(words, dir) {
        match part {
            CommandPart::Program(word) => counter.add("program", file_name(&word).as_bytes()),
            // A folder that is only entered counts by its name.
            CommandPart::Word(word) | CommandPart::Entered(CommandPath { word, .. }) => {
                counter.add("word", word.as_bytes());
            }
            CommandPart::Option(name) => counter.add("option", name.as_bytes()),
            CommandPart::Path(named) => counter.path(&named.path()).ok()?,
            CommandPart::InText(named) | CommandPart::Module(named) => {
                if counted.insert(named.path()) {
                    counter.path(&named.path()).ok()?;
                }
            }
        }
    }
    Some(())
}

/// Computes the hash of an imported bot: `content` is the hash of its files, and `words` start it in `folder`.
pub(crate) fn intake(content: &[u8; 32], words: &[OsString], folder: &Path) -> ContentHash {
    let mut counter = Counter::new("intake");
    counter.add("content", content);
    for (i, word) in words.iter().enumerate() {
        let path = Path::new(word);
        // The locations of the cache and of the interpreter do not count.
        let plain = match path.strip_prefix(folder) {
            Ok(own) => own.as_os_str(),
            Err(_) if i == 0 => interpreter(path),
            Err(_) => word,
        };
        counter.add("word", plain.as_encoded_bytes());
    }
    counter.hash()
}

/// Returns the name of an interpreter without its version: `python` for `/opt/v3/bin/python3.12`.
fn interpreter(path: &Path) -> &OsStr {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let plain = name.to_str().map(|name| name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
    plain.filter(|plain| !plain.is_empty()).map_or(name, OsStr::new)
}

/// Computes the hash of a module. `None` if it cannot be read.
#[cfg(feature = "wasm")]
pub(crate) fn module(path: &Path) -> Option<ContentHash> {
    let mut counter = Counter::new("wasm");
    counter.file(path).ok()?;
    Some(counter.hash())
}

/// Computes the hash of a champion's copy: of the files with these names in its folder. `None` if one of them cannot be
/// read.
pub(crate) fn champion<'a>(folder: &Path, names: impl Iterator<Item = &'a str>) -> Option<ContentHash> {
    let mut counter = Counter::new("champion");
    // Sort by the parts of the paths, which gives another order than the paths as text.
    let mut names: Vec<&Path> = names.map(Path::new).collect();
    names.sort();
    for name in names {
        counter.add("name", name.as_os_str().as_encoded_bytes());
        counter.file(&folder.join(name)).ok()?;
    }
    Some(counter.hash())
}

/// Computes the hash of a champion that is a shared object. `None` if it cannot be read.
pub(crate) fn library(path: &Path) -> Option<ContentHash> {
    let mut counter = Counter::new("champion");
    counter.file(path).ok()?;
    Some(counter.hash())
}

/// Collects the files of a folder. Skips hidden files, the caches of interpreters, and what cannot be read.
///
/// Stops after `most` files, which are the same ones wherever the folder lies.
fn collect(folder: &Path, within: &Path, most: usize, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        fs::read_dir(folder.join(within)).into_iter().flatten().filter_map(io::Result::ok).collect();
    entries.sort_unstable_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else { continue };
        if name.as_encoded_bytes().starts_with(b".") || name == "__pycache__" || files.len() >= most {
            continue;
        }
        // A link to a folder could form a loop and is skipped. A link to a file counts as the file.
        if kind.is_dir() {
            collect(folder, &within.join(name), most, files);
        } else if entry.path().is_file() {
            files.push(within.join(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that is removed at the end of the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("agon-hash-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).expect("a folder");
            Self(path)
        }

        fn write(&self, name: &str, text: &str) -> String {
            let path = self.0.join(name);
            fs::write(&path, text).expect("a file");
            path.display().to_string()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn of(words: &[&str], dir: &Path) -> ContentHash {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        command(&words, dir).0.expect("the files can be read")
    }

    #[test]
    fn it_is_written_as_sha256sum_has_it() {
        let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(ContentHash::of(b"abc").to_string(), abc);
    }

    #[test]
    fn files_named_by_a_command_count_and_their_place_does_not() {
        let (here, there) = (Folder::new("here"), Folder::new("there"));
        let (mine, same) = (here.write("bot.py", "print(1)"), there.write("other.py", "print(1)"));
        let first = of(&["python3", &mine, "-v"], &here.0);
        assert_eq!(first, of(&["/usr/bin/python3", &same, "-v"], &there.0), "another place");
        assert_eq!(of(&["env"], &here.0), of(&["/usr/bin/env"], &here.0), "a program of the system");
        assert_eq!(first, of(&["python3", "bot.py", "-v"], &here.0), "another way to name it");
        assert_ne!(first, of(&["python3", "bot.py"], &here.0), "other words");
        assert_ne!(first, of(&["python2", "bot.py", "-v"], &here.0), "another program");
        here.write("bot.py", "print(2)");
        assert_ne!(first, of(&["python3", "bot.py", "-v"], &here.0), "other bytes");
        let module = of(&["python3", "-m", "bot"], &here.0);
        here.write("bot.py", "print(3)");
        assert_ne!(module, of(&["python3", "-m", "bot"], &here.0), "a module is a file, too");
    }

    #[test]
    fn files_that_a_wrapper_or_a_shell_starts_count() {
        let here = Folder::new("inner");
        fs::create_dir(here.0.join("bots")).expect("a folder");
        for (command, own) in [
            (&["timeout", "100", "python3", "-m", "bot"][..], "bot.py"),
            (&["timeout", "-s", "KILL", "100", "python3", "-u", "bots/bot.py"], "bots/bot.py"),
            (&["env", "A=1", "python3", "-um", "bots.bot"], "bots/bot.py"),
            (&["sh", "-c", "exec python3 -m bot"], "bot.py"),
            (&["sh", "-c", "exec python3 bots/bot.py"], "bots/bot.py"),
            (&["sh", "-c", "cd bots 2>/dev/null && exec python3 bot.py"], "bots/bot.py"),
            (&["sh", "-c", "cd bots && cd .. && exec python3 bot.py"], "bot.py"),
            (&["sh", "-c", "cd bots; exec timeout 9 python3 -m bot"], "bots/bot.py"),
            (&["sh", "-c", "env -C bots python3 bot.py"], "bots/bot.py"),
            (&["env", "-C", "bots", "python3", "bot.py"], "bots/bot.py"),
            (&["timeout", "9", "env", "--chdir=bots", "A=1", "python3", "bot.py"], "bots/bot.py"),
            (&["env", "-Cbots", "nice", "python3", "./bot.py"], "bots/bot.py"),
            (&["env", "-C", "bots", "env", "-C", "..", "python3", "bot.py"], "bot.py"),
            (&["timeout", "9", "sh", "-c", "A=1 python3 --book=bots/bot.py"], "bots/bot.py"),
        ] {
            ["bot.py", "bots/bot.py"].iter().for_each(|name| drop(here.write(name, "print(1)")));
            let first = of(command, &here.0);
            for name in ["bot.py", "bots/bot.py", "log", "bots/log"] {
                here.write(name, "print(2)");
                assert_eq!(of(command, &here.0) != first, name == own, "{command:?} and {name}");
                here.write(name, "print(1)");
            }
            ["log", "bots/log"].iter().for_each(|name| fs::remove_file(here.0.join(name)).expect("it is there"));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_bot_that_cannot_be_read_has_none() {
        let here = Folder::new("unreadable");
        // Not even root can read from the start of it.
        std::os::unix::fs::symlink("/proc/self/mem", here.0.join("secret")).expect("a link");
        assert_eq!(command(&["./bot".into(), here.0.display().to_string()], &here.0).0, None);
        assert_eq!(command(&[here.0.join("secret").display().to_string()], &here.0).0, None);
        assert_eq!(library(&here.0.join("secret")), None);
    }

    #[test]
    fn a_champion_counts_by_names_and_bytes() {
        let here = Folder::new("champion");
        fs::create_dir(here.0.join("a")).expect("a folder");
        for name in ["a/b", "a.c", "z"] {
            here.write(name, name);
        }
        let of = |names: &[&str]| champion(&here.0, names.iter().copied()).expect("they can be read");
        let first = of(&["a.c", "a/b", "z"]);
        // The value that every earlier version gives, which sorts by folders.
        let mut counter = Counter::new("champion");
        counter.path(&here.0).expect("it can be read");
        assert_eq!(first, counter.hash());
        assert_ne!(of(&["a.c", "a/b"]), first);
        here.write("z", "Z");
        assert_ne!(of(&["a.c", "a/b", "z"]), first);
    }

    #[test]
    fn the_same_files_of_too_many_count_everywhere() {
        let first = |folder: &Folder, names: [&str; 4]| {
            names.into_iter().for_each(|name| drop(folder.write(name, "")));
            let mut files = Vec::new();
            collect(&folder.0, Path::new(""), 2, &mut files);
            files
        };
        let (here, there) = (Folder::new("few-here"), Folder::new("few-there"));
        assert_eq!(first(&here, ["a", "b", "c", "d"]), ["a", "b"].map(PathBuf::from));
        assert_eq!(first(&there, ["d", "c", "b", "a"]), ["a", "b"].map(PathBuf::from));
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let dir = Path::new("/");
        assert_ne!(of(&["x", "ab", "c"], dir), of(&["x", "a", "bc"], dir));
        assert_ne!(builtin("grid", "random"), builtin("toy", "random"));
        let content = [7; 32];
        let kept = |folder: &str| intake(&content, &[OsString::from(format!("{folder}/bot"))], Path::new(folder));
        assert_eq!(kept("/cache/a"), kept("/cache/b"));
        let by = |python: &str| intake(&content, &[python.into(), "bot.py".into()], Path::new("/cache/a"));
        assert_eq!(by("/usr/bin/python3"), by("/opt/v3/python3.12"));
        assert_ne!(by("/usr/bin/python3"), by("/usr/bin/node"));
    }
}
