//! Champions of the Prologin 2015 final as bots.

use crate::{
    BuildError, BuildIsolation, Cancel, ContentHash, Error, Helper, Result, build::may_be_taken, hash, helper,
    sandbox::strongest,
};
use agon_build::{
    OpenCache,
    intake::{Kind, Submission},
};
use agon_champion::{ChampionError, Language, Library, Taken};
use agon_run::Program;
use std::path::{Path, PathBuf};

/// A champion that can be started.
pub(crate) struct Champion {
    /// The program that plays it.
    pub program: Program,
    /// The files that this program reads.
    pub read: Vec<PathBuf>,
    /// The hash of its sources, or of its shared object. `None` if a file cannot be read.
    pub hash: Option<ContentHash>,
    /// The cache that has its files.
    pub cache: OpenCache,
}

impl Champion {
    /// Prepares the champion at `path`. Copies it first: only the copy is hashed, built and played. Sources in C or C++ are
    /// built unless the cache already has the result.
    ///
    /// # Errors
    /// If there is no champion at `path`, its sources do not compile, its interpreter is missing, or `cancel` was used.
    pub(crate) fn prepare(
        path: &Path,
        isolation: BuildIsolation,
        helper: &Helper,
        cancel: &Cancel,
        warn: &mut dyn FnMut(String),
    ) -> Result<Self> {
        if !path.is_dir() {
            let submission = Submission::open(path, Kind::File).map_err(BuildError::Champion)?;
            let library = Library::of(&submission, warn).map_err(BuildError::Champion)?;
            let hash = hash::library(&library.path);
            return Self::library(library.path, hash, library.cache, helper);
        }
        let submission = agon_champion::open_folder(path).map_err(BuildError::Champion)?;
        if isolation != BuildIsolation::Waived {
            may_be_taken(&submission)?;
        }
        let taken = Taken::of(&submission, warn).map_err(BuildError::Champion)?;
        let hash = hash::champion(&taken.source().folder, taken.files());
        // The compiler or interpreter runs at the strongest level that works here, whatever level the match has.
        helper.appoint()?;
        let level = strongest()?.level;
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let cancelled = || cancel.is_cancelled();
        match taken.source().language {
            Language::C | Language::Cpp => {
                let built = agon_champion::build(&taken, level, &cancelled, warn)?;
                Self::library(built.library, hash, built.cache, helper)
            }
            Language::Python => {
                agon_champion::check_python(&taken, level, &cancelled)?;
                let python = agon_champion::python_command(&taken, warn).map_err(BuildError::Champion)?;
                Ok(Self { program: Program::new(python.words), read: python.read, hash, cache: python.cache })
            }
        }
    }

    /// Returns the champion in a shared object.
    fn library(library: PathBuf, hash: Option<ContentHash>, cache: OpenCache, helper: &Helper) -> Result<Self> {
        let host = helper.file()?;
        let words = [host.clone(), helper::CHAMPION.into(), library.clone()];
        Ok(Self { program: Program::new(words), read: vec![host, library], hash, cache })
    }
}

/// What is wrong with the champion itself fails its build.
impl From<ChampionError> for Error {
    fn from(why: ChampionError) -> Self {
        match why {
            ChampionError::Flaw(flaw) => BuildError::ChampionFailed(flaw).into(),
            ChampionError::Sandbox(refused) => {
                BuildError::Sandbox { what: "cannot set up the sandbox for the compiler".into(), refused }.into()
            }
            ChampionError::Cancelled => Self::Cancelled,
        }
    }
}
