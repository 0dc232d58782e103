//! Champions of the Prologin 2015 final as bots.

use crate::{BuildError, Cancel, Error, Helper, Result, helper, sandbox::strongest};
use agon_champion::{ChampionError, Language, Source};
use agon_run::Program;
use std::path::{Path, PathBuf};

/// Returns the program that plays the champion at `path`, and the files that this program reads. Sources in C or C++
/// are built first, unless the cache already has the result.
///
/// # Errors
/// If there is no champion at `path`, its sources do not compile, its interpreter is missing, or `cancel` was used.
pub(crate) fn program(path: &Path, helper: &Helper, cancel: &Cancel) -> Result<(Program, Vec<PathBuf>)> {
    let library = if path.is_dir() {
        let source = Source::find(path).map_err(BuildError::Champion)?;
        // The compiler or interpreter runs at the strongest level that works here, whatever level the match has.
        helper.appoint()?;
        let level = strongest()?.level;
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let cancelled = || cancel.is_cancelled();
        match source.language {
            Language::C | Language::Cpp => agon_champion::build(&source, level, &cancelled)?.library,
            Language::Python => {
                agon_champion::check_python(&source, level, &cancelled)?;
                let python = agon_champion::python_command(path).map_err(BuildError::Champion)?;
                return Ok((Program::new(python.words), python.read));
            }
        }
    } else {
        path.to_owned()
    };
    let host = helper.file()?;
    let library = std::path::absolute(&library).unwrap_or(library);
    let words = [host.clone(), helper::CHAMPION.into(), library.clone()];
    Ok((Program::new(words), vec![host, library]))
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
