//! Files that a match writes while bots can read them. A transcript has the opponent's answer before all have answered,
//! and the header of a replay has the seed.

use crate::{Error, PreparedBot, Withheld};
use agon_sandbox::{Confinement, system_places};
use std::{
    fmt, fs,
    os::unix::fs::{FileTypeExt, MetadataExt},
    path::{Path, PathBuf},
};

/// The maximum number of links that are followed to the end of a path, as in the Linux kernel.
const LINKS: usize = 40;

/// What a bot can read of a file during a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exposure {
    /// Nothing.
    Hidden,
    /// The file, because the bot sees this file or folder.
    Shown(PathBuf),
    /// Everything that its user can read, because the bot has no sandbox.
    Unconfined,
}

/// A file that is written for a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchFile {
    /// The replay.
    Replay,
    /// The folder of the replays of a series.
    Replays,
    /// The transcript.
    Transcript,
    /// The store of a test, which has the seeds and the results of its matches.
    Store,
    /// What stdout leads to.
    Stdout,
    /// What stderr leads to.
    Stderr,
}

/// A bot of the match can read a file that is written for the match.
#[derive(Debug, thiserror::Error)]
#[error("{file} `{}`: {bot} could read it while it plays, because it sees `{}`", .path.display(), .shown.display())]
pub struct Exposed {
    /// What the file is.
    pub file: MatchFile,
    /// The path of the file.
    pub path: PathBuf,
    /// The name of the bot.
    pub bot: String,
    /// The file or folder that the bot sees.
    pub shown: PathBuf,
    /// A path for the same file that no bot of the match can read. `None` if none was found.
    pub instead: Option<PathBuf>,
}

impl fmt::Display for MatchFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Replay => "replay",
            Self::Replays => "replays",
            Self::Transcript => "transcript",
            Self::Store => "store",
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        })
    }
}

impl MatchFile {
    /// Returns whether the file is a stream that this program did not open itself.
    #[must_use]
    pub fn is_stream(self) -> bool {
        matches!(self, Self::Stdout | Self::Stderr)
    }

    /// Checks that no bot in a sandbox can read the file at `path`, which need not exist. A bot without a sandbox is no
    /// error: it can read everything, wherever it is written.
    ///
    /// # Errors
    /// If one of the bots sees the file.
    pub fn check(self, path: &Path, bots: &[PreparedBot]) -> Result<(), Exposed> {
        let Some(place) = Place::of(path) else { return Ok(()) };
        for bot in bots {
            if let Exposure::Shown(shown) = bot.exposure_of(&place) {
                let (path, bot) = (path.to_owned(), bot.bot().name.clone());
                return Err(Exposed { file: self, path, bot, shown, instead: place.elsewhere(bots) });
            }
        }
        Ok(())
    }
}

impl MatchFile {
    /// Returns a place for the file where no bot of the match sees it, if one of them could read it at `path`.
    ///
    /// # Errors
    /// If the file could not be written at `path`, or there is no place that all bots do not see.
    pub fn withhold(self, path: &Path, bots: &[PreparedBot]) -> Result<Option<Withheld>, Error> {
        let Err(exposed) = self.check(path, bots) else { return Ok(None) };
        let doing = match self {
            Self::Transcript => "write the transcript",
            _ => "write the replay",
        };
        let there = destination(path).unwrap_or_else(|| path.to_owned());
        match Withheld::new(doing, there, bots)? {
            Some(withheld) => Ok(Some(withheld)),
            None => Err(exposed.into()),
        }
    }
}

impl Exposed {
    /// Returns a hint on where to write the file.
    #[must_use]
    pub fn hint(&self) -> String {
        let rule = "write it where no bot of the match can read it";
        let Some(path) = &self.instead else { return rule.to_owned() };
        let path = path.to_string_lossy();
        let path = shlex::try_quote(&path).unwrap_or_default();
        match self.file {
            MatchFile::Replay | MatchFile::Replays | MatchFile::Transcript | MatchFile::Store => {
                format!("{rule}, as with `--{} {path}`", self.file)
            }
            MatchFile::Stdout => format!("{rule}, as with `> {path}`"),
            MatchFile::Stderr => format!("{rule}, as with `2> {path}`"),
        }
    }
}

impl PreparedBot {
    /// Returns what the bot can read of the file at `path`, which need not exist. A pipe without a name and a device are
    /// hidden.
    #[must_use]
    pub fn exposure(&self, path: &Path) -> Exposure {
        Place::of(path).map_or(Exposure::Hidden, |place| self.exposure_of(&place))
    }

    fn exposure_of(&self, place: &Place) -> Exposure {
        match self.confinement() {
            None if self.is_unconfined() => Exposure::Unconfined,
            None => Exposure::Hidden,
            Some(confinement) => place.shown_by(confinement).map_or(Exposure::Hidden, Exposure::Shown),
        }
    }
}

/// A file or folder by its device and number, whatever its name is.
type Identity = (u64, u64);

/// Where a file is or will be.
struct Place {
    /// The absolute path. No component that exists is a link.
    path: PathBuf,
    /// The file and the folders around it, as far as they exist.
    identities: Vec<Identity>,
    /// The identity of a file that has other names. One of them may be in a folder that a bot sees.
    linked: Option<Identity>,
}

impl Place {
    /// Finds the place of a file. Returns `None` if no other program can open the file by a name, or if it cannot be
    /// created.
    fn of(file: &Path) -> Option<Self> {
        let path = destination(file)?;
        let about = fs::metadata(&path).ok();
        let kind = about.as_ref().map(fs::Metadata::file_type);
        if kind.is_some_and(|kind| !kind.is_file() && !kind.is_fifo() && !kind.is_dir()) {
            return None;
        }
        let identities = path.ancestors().filter_map(identity).collect();
        let linked = about.filter(|about| !about.is_dir() && about.nlink() > 1).map(|it| (it.dev(), it.ino()));
        Some(Self { path, identities, linked })
    }

    /// Returns the file or folder by which a program in this sandbox can read the place.
    fn shown_by(&self, confinement: &Confinement) -> Option<PathBuf> {
        let real = |path: &Path| path.canonicalize().ok();
        let of_user: Vec<PathBuf> = confinement.read.iter().filter_map(|path| real(path)).collect();
        // A folder may have several paths, because it can be mounted in several places.
        let is_around = |shown: &PathBuf| identity(shown).is_some_and(|id| self.identities.contains(&id));
        let shown = of_user.iter().cloned().chain(system_places().filter_map(real)).find(is_around);
        shown.or_else(|| of_user.into_iter().find(|shown| self.linked.is_some_and(|id| contains(shown, id))))
    }

    /// Returns a path with the same file name in a folder that can be written and that no bot can read: in the nearest
    /// folder around the place, or else in the folder for temporary files.
    fn elsewhere(&self, bots: &[PreparedBot]) -> Option<PathBuf> {
        let name = self.path.file_name()?;
        let around = self.path.ancestors().skip(1).filter(|folder| folder.parent().is_some()).map(Path::to_owned);
        around.chain([std::env::temp_dir()]).map(|folder| folder.join(name)).find(|path| {
            let writable = path.parent().is_some_and(|it| rustix::fs::access(it, rustix::fs::Access::WRITE_OK).is_ok());
            // A file that is there may be precious.
            let free = fs::symlink_metadata(path).is_err();
            let hidden = |place: Place| bots.iter().all(|bot| !matches!(bot.exposure_of(&place), Exposure::Shown(_)));
            writable && free && Self::of(path).is_some_and(hidden)
        })
    }
}

/// Returns the absolute path of a file that exists or will be created, without links. A link to nothing is followed,
/// because a file is created where it leads.
fn destination(file: &Path) -> Option<PathBuf> {
    let mut path = std::path::absolute(file).ok()?;
    for _ in 0..LINKS {
        if let Ok(real) = path.canonicalize() {
            return Some(real);
        }
        let folder = path.parent()?.canonicalize().ok()?;
        match fs::read_link(&path) {
            // An absolute target replaces the folder.
            Ok(target) => path = folder.join(target),
            Err(_) => return Some(folder.join(path.file_name()?)),
        }
    }
    None
}

fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|about| (about.dev(), about.ino()))
}

/// Returns whether a folder contains a file with this identity, at any depth. Follows no links.
fn contains(folder: &Path, file: Identity) -> bool {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(about) = entry.metadata() else { continue };
            if about.is_dir() {
                folders.push(entry.path());
            } else if (about.dev(), about.ino()) == file {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_spec::Isolation;
    use std::os::unix::fs::symlink;

    struct Ground(PathBuf);

    impl Ground {
        /// Makes a folder that a bot sees, and one that it does not see.
        fn new(name: &str) -> Self {
            let top = std::env::temp_dir().join(format!("agon-exposure-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&top);
            for folder in ["bots/book", "out"] {
                fs::create_dir_all(top.join(folder)).expect("a folder");
            }
            Self(top.canonicalize().expect("it is there"))
        }

        fn at(&self, name: &str) -> PathBuf {
            self.0.join(name)
        }

        fn is_shown(&self, name: &str) -> bool {
            let read = vec![self.at("bots"), self.at("nothing")];
            let confinement = Confinement { read, ..Confinement::new(Isolation::Full) };
            Place::of(&self.at(name)).is_some_and(|place| place.shown_by(&confinement).is_some())
        }
    }

    impl Drop for Ground {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_is_where_it_will_be_whatever_its_path() {
        let ground = Ground::new("paths");
        fs::write(ground.at("bots/there"), "x").expect("a file");
        symlink("../bots", ground.at("out/folder")).expect("a link");
        symlink("folder/new", ground.at("out/file")).expect("a link");
        symlink("file", ground.at("out/twice")).expect("a link");
        symlink("loop", ground.at("out/loop")).expect("a link");
        symlink("../out/away", ground.at("bots/away")).expect("a link");
        for shown in
            ["bots/new", "bots/there", "bots/book/new", "out/../bots/new", "out/folder/new", "out/file", "out/twice"]
        {
            assert!(ground.is_shown(shown), "{shown}");
        }
        for hidden in ["out/new", "bots.jsonl", "bots/../new", "bots/away", "out/loop", "bots/no/folder"] {
            assert!(!ground.is_shown(hidden), "{hidden}");
        }
        assert!(ground.is_shown("../../../../../../../../usr/new"), "everybody sees the system");
    }

    #[test]
    fn a_file_with_another_name_in_the_folder_of_a_bot_is_shown() {
        let ground = Ground::new("names");
        fs::write(ground.at("out/file"), "x").expect("a file");
        fs::hard_link(ground.at("out/file"), ground.at("out/again")).expect("a name");
        assert!(!ground.is_shown("out/file"), "the other name is hidden too");
        fs::hard_link(ground.at("out/file"), ground.at("bots/book/again")).expect("a name");
        assert!(ground.is_shown("out/file"));
    }

    #[test]
    fn files_that_no_name_reads_are_hidden() {
        assert!(Place::of(Path::new("/dev/null")).is_none());
        assert!(Place::of(Path::new("")).is_none());
    }
}
