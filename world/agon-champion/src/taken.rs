//! Copies of champions. A champion is copied before anything of it is looked at, so that what is hashed is also what is
//! built and played.

use crate::{
    chosen_python::interpreter_of,
    main_file::without_main,
    source::{Language, Source},
};
use agon_build::{
    Cache, Kept, KeyHasher, Manifest, OpenCache, Part, PrepareError, Record,
    intake::{Kind, Limits, SourceTree, Submission},
};
use agon_core::Flaw;
use std::path::{Path, PathBuf};

/// The name of the folder with the champion's files inside the working folder of the compilers. In their output, the path
/// of the user's folder replaces it, so nothing else must have this name.
pub(crate) const SOURCES: &str = "agon-champion-sources";

/// A copy of a champion's folder, removed on drop.
#[derive(Debug)]
pub struct Taken {
    pub(crate) source: Source,
    pub(crate) manifest: Manifest,
    pub(crate) tree: SourceTree,
    pub(crate) part: Part,
    pub(crate) cache: OpenCache,
}

/// A copy of a champion's shared object, in the cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Library {
    /// The path of the copy. The file may be removed when [`cache`](Self::cache) is dropped.
    pub path: PathBuf,
    /// The cache that has the copy.
    pub cache: OpenCache,
}

/// Returns the user's cache of champions: `agon/champions` in `XDG_CACHE_HOME` or `~/.cache`.
///
/// # Errors
/// If neither `XDG_CACHE_HOME` nor `HOME` is an absolute path.
pub fn cache() -> Result<Cache, Flaw> {
    Cache::of_user_for("champions")
}

/// Opens a champion's folder, or an archive with one.
///
/// # Errors
/// If there is neither at this path, or it cannot be read.
pub fn open_folder(folder: &Path) -> Result<Submission, Flaw> {
    if let Some(kind @ Kind::Archive(_)) = Kind::of(folder) {
        return Submission::open(folder, kind);
    }
    if !folder.is_dir() {
        return Err(Flaw::new(format!("there is no folder `{}`", folder.display()))
            .hint("name the folder that holds the champion's sources"));
    }
    Submission::open(folder, Kind::Folder)
}

impl Taken {
    /// Copies a champion's folder and looks into the copy. `warn` is called if the cache cannot be used, and
    /// if `run` in `agon.toml` is of another bot.
    ///
    /// # Errors
    /// If a file is refused, there is no champion in the folder, or the copy cannot be written.
    pub fn of(submission: &Submission, warn: &mut dyn FnMut(String)) -> Result<Self, Flaw> {
        let is_folder = submission.kind() == Kind::Folder;
        if let Some(flaw) = without_main(submission.path()).filter(|_| is_folder) {
            return Err(flaw);
        }
        let cache = cache()?.open(warn)?;
        let part = cache.part()?;
        let copied = part.folder("copied")?;
        let mut tree = submission.take(&copied, Limits::default()).map_err(|flaw| of(submission, flaw))?;
        part.folder("work")?;
        // The sources of an archive may be in a folder of it.
        tree.move_to(&part.path(&format!("work/{SOURCES}")))?;
        let source = Source::find_in(tree.root(), submission.path())?;
        let manifest = Manifest::of(&tree).map_err(|why| of(submission, unreadable(why)))?;
        let is_of_champion = |run: &Vec<String>| interpreter_of(run, source.language, source.main).is_some();
        if manifest.run.as_ref().is_some_and(|run| !is_of_champion(run)) {
            let how = if source.language == Language::Python { " by a Python" } else { ", which is no program" };
            warn(format!(
                "`{}`: `run` does not start `{}`{how}, so the champion is played without it",
                Manifest::FILE,
                source.main
            ));
        }
        // A library that was written into the folder must not make the champion another one. Python could load it.
        if source.language != Language::Python {
            tree.retain(|name| !Path::new(name).extension().is_some_and(|end| end == "o" || end == "so"))?;
        }
        Ok(Self { source, manifest, tree, part, cache })
    }

    /// Returns what was found in the copy.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the memory limit in MiB for which the champion asks in its `agon.toml`. `None` if it asks for none.
    #[must_use]
    pub fn play_memory_mib(&self) -> Option<u32> {
        self.manifest.play_memory_mib
    }

    /// Returns the path of every file, relative to the folder of the copy.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.tree.files().map(|(name, _)| name)
    }

    /// Returns the working folder of the compilers, which has the champion's files in [`SOURCES`].
    pub(crate) fn work(&self) -> PathBuf {
        self.part.path("work")
    }

    /// Moves the folder `files` into the cache, with this key.
    pub(crate) fn keep(&self, key: &str, files: &Path, record: Record, log: &[u8]) -> Result<Kept, Flaw> {
        self.cache.keep(key, &self.part, files, record, log)
    }
}

impl Library {
    /// Copies a shared object into the cache. `warn` is called if the cache cannot be used.
    ///
    /// # Errors
    /// If it cannot be read, is too large, or cannot be copied.
    pub fn of(submission: &Submission, warn: &mut dyn FnMut(String)) -> Result<Self, Flaw> {
        let cache = cache()?.open(warn)?;
        let part = cache.part()?;
        let taken = submission.take(&part.folder("library")?, Limits::default());
        let tree = taken.map_err(|flaw| of(submission, flaw))?;
        let mut key = KeyHasher::new("champion library");
        key.tree(&tree);
        let key = key.finish();
        let kept = match cache.find(&key, &|_| true, warn) {
            Some(kept) => kept,
            None => cache.keep(&key, &part, tree.root(), Record::default(), &[])?,
        };
        let name = submission.path().file_name().unwrap_or_default();
        Ok(Self { path: kept.folder.join(name), cache })
    }
}

/// Returns what is wrong with an `agon.toml`, and where.
fn unreadable(why: PrepareError) -> Flaw {
    match why {
        PrepareError::Manifest(_, flaw) => {
            let what = format!("`{}`: {flaw}", Manifest::FILE);
            Flaw { what, place: None, ..flaw }
        }
        PrepareError::Flaw(flaw) => flaw,
        other => Flaw::new(other.to_string()),
    }
}

/// Names the champion in a flaw of one of its files.
fn of(submission: &Submission, mut flaw: Flaw) -> Flaw {
    flaw.what = format!("the champion `{}`: {}", submission.path().display(), flaw.what);
    flaw
}
