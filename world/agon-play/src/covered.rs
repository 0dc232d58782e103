//! The files behind the hash of a command, so that what plays is what was hashed. Commands play the files of their user,
//! which may change at any time; of all other bots Agon plays a copy.

use crate::{ContentHash, hash};
use std::{
    collections::BTreeSet,
    fs::{self, Metadata},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// The most names that [`CommandFiles::left_out`] returns.
const NAMES: usize = 1000;

/// What the system tells of one version of a file. Whoever writes to a file or replaces it changes that: the time of the last
/// change of a file's metadata cannot be set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// The files and folders that a hash covers, and what the system told of each file when it was hashed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Covered {
    roots: Vec<PathBuf>,
    files: Vec<(PathBuf, Option<Stamp>)>,
}

/// The files behind a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CommandFiles {
    words: Vec<String>,
    dir: PathBuf,
    hash: Option<ContentHash>,
    covered: Covered,
}

/// A file of a bot is not the one that was hashed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{bot} has changed since it was prepared: `{}`", .file.display())]
pub struct ChangedBot {
    /// The name of the bot.
    pub bot: String,
    /// The file.
    pub file: PathBuf,
    /// Whether the bot has another hash now. If not, its file was written or replaced meanwhile, and is the same again.
    pub is_another: bool,
}

impl From<&Metadata> for Stamp {
    fn from(about: &Metadata) -> Self {
        Self {
            device: about.dev(),
            inode: about.ino(),
            size: about.size(),
            modified: (about.mtime(), about.mtime_nsec()),
            changed: (about.ctime(), about.ctime_nsec()),
        }
    }
}

impl Covered {
    /// Adds a file or a folder that a command names.
    pub(crate) fn add(&mut self, root: &Path) {
        self.roots.push(root.to_owned());
    }

    /// Adds a file that is hashed, with its metadata.
    pub(crate) fn add_file(&mut self, file: &Path, about: &Metadata) {
        self.files.push((file.to_owned(), Some(about.into())));
    }

    /// Looks at the same files and folders as they are now.
    fn now(&self) -> Self {
        let stamp = |file: PathBuf| {
            let about = fs::metadata(&file).ok();
            (file, about.as_ref().map(Stamp::from))
        };
        let files = self.roots.iter().flat_map(|root| {
            if root.is_dir() {
                let files = hash::files_of_folder(root).unwrap_or_default();
                files.into_iter().map(|file| root.join(file)).collect()
            } else if root.is_file() || !root.exists() {
                vec![root.clone()]
            } else {
                // A device or a pipe has no bytes of its own.
                Vec::new()
            }
        });
        Self { roots: self.roots.clone(), files: files.map(stamp).collect() }
    }

    /// Returns the first file that differs.
    fn difference<'a>(&'a self, other: &'a Self) -> Option<&'a Path> {
        let all = |of: &Self| of.files.len();
        let at = (0..all(self).max(all(other))).find(|at| self.files.get(*at) != other.files.get(*at))?;
        self.files.get(at).or_else(|| other.files.get(at)).map(|(file, _)| &**file)
    }
}

impl CommandFiles {
    /// Computes the hash of a command that is started in `dir`, and notes the files behind it.
    pub(crate) fn of(words: &[String], dir: &Path) -> Self {
        let (hash, mut covered) = hash::command(words, dir);
        if hash.is_none() {
            // Not all were hashed.
            covered = covered.now();
        }
        Self { words: words.to_vec(), dir: dir.to_owned(), hash, covered }
    }

    /// The hash of the command. `None` if a file cannot be read.
    pub(crate) fn hash(&self) -> Option<ContentHash> {
        self.hash
    }

    /// Looks at the files as they are now.
    pub(crate) fn now(&self) -> Covered {
        self.covered.now()
    }

    /// Returns what has changed since `before`, an earlier [look](Self::now). `None` if nothing has.
    pub(crate) fn changed_since(&self, before: &Covered, bot: &str) -> Option<ChangedBot> {
        let now = self.now();
        let file = before.difference(&now)?.to_owned();
        Some(ChangedBot { bot: bot.to_owned(), file, is_another: self.is_another(&now) })
    }

    /// Returns what has changed since the files were hashed, if the command has another hash now.
    pub(crate) fn changed(&self, bot: &str) -> Option<ChangedBot> {
        self.changed_since(&self.covered, bot).filter(|changed| changed.is_another)
    }

    fn is_another(&self, now: &Covered) -> bool {
        if self.covered.difference(now).is_none() {
            return false;
        }
        // A file that was only touched, or copied over itself, is the same bot.
        self.hash.is_none() || hash::command(&self.words, &self.dir).0 != self.hash
    }

    /// Returns the files that the hash covers.
    pub(crate) fn hashed(&self) -> impl Iterator<Item = &Path> {
        self.covered.files.iter().map(|(file, _)| &**file)
    }

    /// Returns files that the bot may use although the hash does not cover them: the others in the folders of those that it
    /// covers.
    pub(crate) fn left_out(&self) -> Vec<PathBuf> {
        let hashed: BTreeSet<&Path> = self.hashed().collect();
        let folders: BTreeSet<&Path> = self.hashed().filter_map(Path::parent).collect();
        let within = |folder: &&Path| !self.covered.roots.iter().any(|root| root.is_dir() && folder.starts_with(root));
        let all = folders.into_iter().filter(within).flat_map(|folder| {
            let files = hash::files_of_folder(folder).unwrap_or_default();
            files.into_iter().map(|file| folder.join(file)).collect::<Vec<_>>()
        });
        let others: BTreeSet<PathBuf> = all.filter(|file| !hashed.contains(&**file)).take(NAMES).collect();
        others.into_iter().collect()
    }
}

impl ChangedBot {
    /// Returns a hint on how to keep a bot as it is.
    #[must_use]
    pub fn hint(&self) -> String {
        "leave its files alone while it plays, or name its folder in place of a command: Agon then plays a copy"
            .to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::File, time::SystemTime};

    struct Ground(PathBuf);

    impl Ground {
        fn new(name: &str) -> Self {
            let top = std::env::temp_dir().join(format!("agon-covered-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&top);
            fs::create_dir_all(top.join("book")).expect("a folder");
            let ground = Self(top);
            for name in ["bot.py", "helper.py", "book/a", "book/b"] {
                ground.write(name, "1");
            }
            ground
        }

        fn write(&self, name: &str, text: &str) {
            fs::write(self.0.join(name), text).expect("a file");
        }

        fn files(&self) -> CommandFiles {
            CommandFiles::of(&["python3", "bot.py", "book"].map(str::to_owned), &self.0)
        }
    }

    impl Drop for Ground {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn every_change_of_what_was_hashed_is_seen() {
        type Change = fn(&Ground);
        /// The file that is told, and whether it is another one.
        type Told = Option<(&'static str, bool)>;
        let changes: [(&str, Change, Told); 10] = [
            ("nothing", |_| (), None),
            ("another file", |it| it.write("helper.py", "2"), None),
            ("other bytes", |it| it.write("bot.py", "2"), Some(("bot.py", true))),
            ("the same bytes", |it| it.write("bot.py", "1"), Some(("bot.py", false))),
            (
                "another file in its place",
                |it| {
                    it.write("new", "2");
                    fs::rename(it.0.join("new"), it.0.join("bot.py")).expect("it is there");
                },
                Some(("bot.py", true)),
            ),
            ("no file", |it| fs::remove_file(it.0.join("bot.py")).expect("it is there"), Some(("bot.py", true))),
            ("a file of the folder", |it| it.write("book/b", "2"), Some(("book/b", true))),
            ("a new file in the folder", |it| it.write("book/c", ""), Some(("book/c", true))),
            (
                "other bytes with the same length and time",
                |it| {
                    let time = fs::metadata(it.0.join("bot.py")).and_then(|about| about.modified()).expect("a time");
                    it.write("bot.py", "2");
                    let file = File::options().write(true).open(it.0.join("bot.py")).expect("it is there");
                    file.set_modified(time).expect("it can be set");
                },
                Some(("bot.py", true)),
            ),
            (
                "only touched",
                |it| {
                    let file = File::options().write(true).open(it.0.join("book/a")).expect("it is there");
                    file.set_modified(SystemTime::UNIX_EPOCH).expect("it can be set");
                },
                Some(("book/a", false)),
            ),
        ];
        for (name, change, expected) in changes {
            let ground = Ground::new("changes");
            let files = ground.files();
            let before = files.now();
            assert_eq!(files.covered, before, "what was hashed is what is there");
            // Times of files have steps, which two changes may share. The number of the file has none.
            let copy = ground.0.join("copy");
            fs::write(&copy, "").expect("a file");
            change(&ground);
            let changed = files.changed_since(&before, "me");
            let found =
                changed.as_ref().map(|it| (it.file.strip_prefix(&ground.0).expect("it is there"), it.is_another));
            assert_eq!(found, expected.map(|(file, is_another)| (Path::new(file), is_another)), "{name}");
            assert_eq!(files.changed("me").is_some(), expected.is_some_and(|(_, is_another)| is_another), "{name}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn files_that_cannot_be_hashed_have_not_changed() {
        let ground = Ground::new("unreadable");
        // Not even root can read from the start of it.
        std::os::unix::fs::symlink("/proc/self/mem", ground.0.join("secret")).expect("a link");
        for words in [["./secret", "bot.py"], ["./bot.py", "secret"], ["./bot.py", "/dev/null"]] {
            let files = CommandFiles::of(&words.map(str::to_owned), &ground.0);
            assert_eq!(files.changed("me"), None, "{words:?}");
        }
    }

    #[test]
    fn files_that_the_hash_leaves_out_are_named() {
        let ground = Ground::new("left-out");
        let named = |files: &CommandFiles| -> Vec<String> {
            let inside = |file: PathBuf| file.strip_prefix(&ground.0).expect("it is there").display().to_string();
            files.left_out().into_iter().map(inside).collect()
        };
        assert_eq!(named(&ground.files()), ["helper.py"]);
        let whole = CommandFiles::of(&["./bot.py", "."].map(str::to_owned), &ground.0);
        assert_eq!(named(&whole), [] as [&str; 0], "the folder is covered");
    }
}
