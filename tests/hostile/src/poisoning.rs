//! Lets a kind attack what Agon keeps or writes, and checks what an honest user gets afterwards.

use crate::{
    AGON, Facts, Kind,
    comparison::Comparison,
    kind::{Behaviour, End},
    submission::{Folder, forbidden_file},
};
use agon_spec::Isolation;
use serde_json::Value;
use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// What poisons contain. No result for an honest user may contain it.
pub(crate) const POISON: &str = "agon-selftest-poison-51c7";

/// What a kind has at hand: the program, a folder of its own, and the cache that it shares with an honest user.
pub struct Poisoning<'a> {
    program: &'a Path,
    level: Isolation,
    facts: &'a Facts,
    folder: Folder,
}

impl Poisoning<'_> {
    /// What is known of the victims.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        self.facts
    }

    /// Makes a folder.
    ///
    /// # Errors
    /// The system's.
    pub fn folder(&self, name: &str) -> io::Result<PathBuf> {
        self.folder.made(name)
    }

    /// The cache.
    #[must_use]
    pub fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// Builds a bot, which must succeed. Returns the document and the warnings.
    ///
    /// # Errors
    /// It was not built, or the system's.
    pub fn build(&self, bot: &Path) -> io::Result<(Value, String)> {
        let output = self.run(["build".as_ref(), bot.as_os_str(), "--format".as_ref(), "json".as_ref()], true)?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let document = serde_json::from_slice(&output.stdout).map_err(|_| io::Error::other(said.clone()))?;
        Ok((document, said))
    }

    /// Builds a bot, whatever comes of it.
    ///
    /// # Errors
    /// The system's.
    pub fn submit(&self, bot: &Path) -> io::Result<()> {
        self.run(["build".as_ref(), bot.as_os_str()], true).map(drop)
    }

    /// Plays a match with a champion, whatever comes of it.
    ///
    /// # Errors
    /// The system's.
    pub fn play_champion(&self, folder: &Path) -> io::Result<()> {
        let bot = format!("champion:{}", folder.display());
        let words = ["match", "portals", &bot, "@random", "--seed", "1", "--rounds", "1"];
        self.run(words.map(OsStr::new), true).map(drop)
    }

    /// Builds a champion, which must succeed. Returns its shared object.
    ///
    /// # Errors
    /// It was not built, or the system's.
    pub fn build_champion(&self, folder: &Path) -> io::Result<Vec<u8>> {
        let output = self.run(["champion".as_ref(), "build".as_ref(), folder.as_os_str()], false)?;
        if !output.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        std::fs::read(String::from_utf8_lossy(&output.stdout).trim())
    }

    /// Plays a match, whatever comes of it. `words` follow `agon match`.
    ///
    /// # Errors
    /// The system's.
    pub fn play<'w>(&self, words: impl IntoIterator<Item = &'w OsStr>) -> io::Result<Output> {
        self.run([OsStr::new("match")].into_iter().chain(words), true)
    }

    fn run<'w>(&self, words: impl IntoIterator<Item = &'w OsStr>, sandbox: bool) -> io::Result<Output> {
        let mut command = Command::new(self.program);
        command.arg(AGON).args(words).env("XDG_CACHE_HOME", self.cache()).stdin(Stdio::null());
        command.env("XDG_STATE_HOME", self.folder.path().join("state"));
        if sandbox {
            command.args(["--sandbox", self.level.name()]);
        }
        command.output()
    }
}

/// Whether these bytes contain the poison.
pub(crate) fn has_poison(bytes: &[u8]) -> bool {
    bytes.windows(POISON.len()).any(|part| part == POISON.as_bytes())
}

/// Lets a kind attack a new cache, and compares the result with its model.
pub(crate) fn poison(program: &Path, level: Isolation, kind: &Kind, facts: &Facts) -> io::Result<Comparison> {
    let Behaviour::Poisoning(attack) = kind.behaviour else {
        return Ok(Comparison::wrong("the kind poisons nothing"));
    };
    let poisoning = Poisoning { program, level, facts, folder: Folder::new(&facts.row)? };
    poisoning.folder("cache")?;
    let harm = match attack(&poisoning) {
        Ok(harm) => harm,
        Err(error) => return Ok(Comparison::wrong(format!("the honest user got nothing: {error}"))),
    };
    if let Some(harm) = harm {
        return Ok(Comparison::wrong(harm));
    }
    if let Some(path) = forbidden_file(&poisoning.cache())? {
        return Ok(Comparison::wrong(format!("kept `{}`", path.display())));
    }
    // The kind has checked that nothing else came of it.
    let end = kind.ends_at(level).first().unwrap_or(&End::Unpoisoned);
    Ok(Comparison { ok: true, seen: end.to_string() })
}
