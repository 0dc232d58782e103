//! `champion:PATH`: a champion of the Prologin 2015 final as a bot. It is played by this very program, started anew.

use crate::{
    bot_spec::Program,
    clean::{clean, clean_lines},
    error::{Error, Result, reason},
    exit::Exit,
    sandbox::level_here,
};
use agon_champion::{Language, Source};
use agon_core::Flaw;
use agon_games::AnyGame;
use std::{
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

/// What a champion as a bot begins with.
pub const PREFIX: &str = "champion:";

/// How long `partie_fin` may take: as long as every callback.
pub const LAST_CALL: Duration = Duration::from_millis(1500);

/// The first word of this program when it is started anew for a champion. No command: no help mentions it.
const HOST: &str = "champion-host";

/// What is started for `champion:PATH`. A folder with sources in C or C++ is built first, if that was not done before.
///
/// # Errors
/// A game that has no champions, nothing to play at `path`, sources that do not compile, or no interpreter.
pub fn command(game: &dyn AnyGame, path: &str) -> Result<Program> {
    if game.name() != agon_champion::GAME {
        return Err(Error::user(format!("{} has no champions", game.title()))
            .hint(format!("`champion:` is for the game `{}`", agon_champion::GAME)));
    }
    if path.is_empty() {
        return Err(Error::user("`champion:` names no champion")
            .hint("write the folder with its sources or its `.so` behind it, as `champion:my/folder`"));
    }
    let path = Path::new(path);
    let played = if path.is_dir() {
        let source = Source::find(path).map_err(flawed)?;
        match source.language {
            Language::C | Language::Cpp => agon_champion::build(&source, level_here()?).map_err(unbuilt)?.library,
            Language::Python => {
                agon_champion::check_python(&source, level_here()?).map_err(unbuilt)?;
                let python = agon_champion::python_command(path).map_err(flawed)?;
                return Ok(Program::Ready { program: agon_run::Program::new(python.words), read: python.read });
            }
        }
    } else if path.is_file() {
        path.to_owned()
    } else {
        return Err(Error::user(format!("there is no champion `{}`", clean(&path.display().to_string())))
            .hint("`champion:` takes a folder with sources, or a `.so` made by `agon champion build`"));
    };
    let ourselves = std::env::current_exe()
        .map_err(|why| Error::user(format!("cannot find the program that runs: {}", reason(&why))))?;
    let played = std::path::absolute(&played).unwrap_or(played);
    let words = [ourselves.clone(), HOST.into(), played.clone()];
    Ok(Program::Ready { program: agon_run::Program::new(words), read: vec![ourselves, played] })
}

/// The process of a champion.
#[derive(Debug)]
pub struct Host {
    /// The shared object.
    played: PathBuf,
}

impl Host {
    /// The host that this process was started as, if it was.
    pub fn asked_for() -> Option<Self> {
        let mut words = std::env::args_os().skip(1);
        if words.next()? != HOST {
            return None;
        }
        words.next().map(|path| Self { played: path.into() })
    }

    /// Plays one match, with the referee on stdin and stdout.
    pub fn run(self) -> Exit {
        match agon_champion::play_library(&self.played) {
            Ok(()) => Exit::Done,
            Err(why) => {
                let _ = writeln!(std::io::stderr(), "error: {why}");
                Exit::User
            }
        }
    }
}

/// What a champion is called that was given no name: its folder or file.
pub fn name(path: &str) -> String {
    let path = Path::new(path);
    // `.` and `..` have names, too.
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let named = if whole.is_dir() { whole.file_name() } else { whole.file_stem() };
    named.unwrap_or_default().to_string_lossy().into_owned()
}

/// A champion that cannot be made from its sources.
fn unbuilt(flaw: Flaw) -> Error {
    flawed(flaw).exit(Exit::NotStarted)
}

/// A flaw of a champion: what a compiler says has many lines.
pub fn flawed(flaw: Flaw) -> Error {
    let error = Error::user(clean_lines(&flaw.what).trim_end().to_owned());
    match flaw.hint {
        Some(hint) => error.hint(clean(&hint)),
        None => error,
    }
}
