//! Commands that start in a folder of their own.

use crate::{BotSpec, Error, NamedBot, Result};
use agon_core::Flaw;
use agon_games::AnyGame;
use agon_run::Program;
use std::path::Path;

impl NamedBot {
    /// Parses a command that starts in this folder, from which the paths among its words begin.
    ///
    /// # Errors
    /// If the text names no command, if there is no such folder, or if what the command names is not there.
    pub fn starting_in(game: &dyn AnyGame, text: &str, dir: &Path) -> Result<Self> {
        let BotSpec::Command(words) = Self::parse(game, text)?.spec else {
            return Err(wrong("`dir` is where a command starts, but its `run` is none"));
        };
        let shown = dir.display();
        if !dir.is_dir() {
            return Err(wrong(format!("there is no folder `{shown}`, its `dir`")));
        }
        let absolute = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
        let program = Program { dir: Some(absolute), ..Program::new(&words) };
        if let Err(why) = program.check() {
            return Err(wrong(format!("in its `dir`: {why}")));
        }
        let dir = dir.to_string_lossy();
        let quoted = shlex::try_quote(&dir).unwrap_or_else(|_| dir.as_ref().into());
        let bot = Self::parse(game, &format!("env -C {quoted} {text}"))?;
        match bot.spec.missing_file() {
            Some(file) => Err(wrong(format!("there is no file `{file}` in `{shown}`, its `dir`"))),
            None => Ok(bot),
        }
    }
}

fn wrong(what: impl Into<String>) -> Error {
    let hint = "`dir` is a path from the folder of the tournament, and the words of `run` are paths from `dir`";
    Error::Spec(Flaw::new(what).hint(hint))
}
