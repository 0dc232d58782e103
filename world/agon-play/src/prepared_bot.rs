//! A bot that is ready to be started.

use crate::{BotError, BotSpec, ChangedBot, ContentHash, Covered, NamedBot, covered::CommandFiles, hash, wasm::Module};
use agon_build::{Language, OpenCache};
use agon_core::{Seat, Seed};
use agon_games::AnyGame;
use agon_referee::SeatKind;
use agon_run::{Environment, Launch, Program};
use agon_sandbox::Confinement;
use agon_spec::{Isolation, Limits};
use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// A bot that can be started any number of times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreparedBot {
    pub(crate) bot: NamedBot,
    pub(crate) hash: Option<ContentHash>,
    /// The files behind the hash, of a command. Of all other bots a copy plays.
    pub(crate) files: Option<CommandFiles>,
    /// `None` for a bot that runs in this process, and for a person.
    pub(crate) isolation: Option<Isolation>,
    pub(crate) sees_nothing: bool,
    pub(crate) start: Start,
    /// The language that its build found. `None` if it had none.
    pub(crate) language: Option<Language>,
    /// The memory limit in MiB that the organiser gave it, in place of that of the match.
    pub(crate) memory_mib: Option<u32>,
    /// The memory limit in MiB that the bot asks for. It can only lower that of the match.
    pub(crate) asks_mib: Option<u32>,
    /// The cache that has the bot's files. The files may be removed when it is dropped.
    pub(crate) _cache: Option<OpenCache>,
}

/// Adds environment variables to those that a program has. A new value replaces an old one.
pub(crate) fn add_variables(program: &mut Program, variables: impl IntoIterator<Item = (String, String)>) {
    let variables: Vec<(OsString, OsString)> =
        variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    if variables.is_empty() {
        return;
    }
    let mut all: Vec<(OsString, OsString)> = match &program.environment {
        Environment::Only(own) => own.clone(),
        // A sandbox has variables of its own.
        Environment::Inherit if program.sandbox.is_some() => Vec::new(),
        Environment::Inherit => std::env::vars_os().collect(),
    };
    all.retain(|(name, _)| !variables.iter().any(|(new, _)| name == new));
    all.extend(variables);
    program.environment = Environment::Only(all);
}

/// What a match starts for a bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    Builtin(&'static str),
    /// A program with its sandbox. Each match adds its own memory limit.
    Program(Program),
    /// A module. The second part is its host program with the files that it sees, if it runs in a sandbox. Each match
    /// gives the host the seed and the seat.
    Module(Module, Option<Program>),
    Human,
}

impl PreparedBot {
    /// Creates a built-in bot, which needs no preparation.
    ///
    /// # Errors
    /// If the game has no built-in bot of this name.
    pub fn builtin(game: &dyn AnyGame, name: &str) -> Result<Self, BotError> {
        let name = crate::builtin(game, name, "@")?;
        let bot = NamedBot {
            name: name.to_owned(),
            words: format!("@{name}"),
            spec: BotSpec::Builtin(name),
            is_named: false,
        };
        let hash = Some(hash::builtin(game.name(), name));
        Ok(Self {
            bot,
            hash,
            files: None,
            isolation: None,
            sees_nothing: false,
            start: Start::Builtin(name),
            language: None,
            memory_mib: None,
            asks_mib: None,
            _cache: None,
        })
    }

    /// Creates a person, whose decisions come through [`People`](crate::People).
    #[must_use]
    pub fn human(name: &str) -> Self {
        Self {
            bot: NamedBot::human(name),
            hash: None,
            files: None,
            isolation: None,
            sees_nothing: false,
            start: Start::Human,
            language: None,
            memory_mib: None,
            asks_mib: None,
            _cache: None,
        }
    }

    /// Returns the bot with its name and its words.
    #[must_use]
    pub fn bot(&self) -> &NamedBot {
        &self.bot
    }

    /// Returns the kind of the bot.
    #[must_use]
    pub fn spec(&self) -> &BotSpec {
        &self.bot.spec
    }

    /// Returns the same bot with another name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.bot.name);
        self
    }

    /// Returns the same bot with these environment variables beside those that it has. Built-in bots and modules have none.
    #[must_use]
    pub fn with_variables(mut self, variables: &BTreeMap<String, String>) -> Self {
        if let Start::Program(program) = &mut self.start {
            add_variables(program, variables.clone());
        }
        self
    }

    /// Returns the same bot with a memory limit of its own in MiB, in place of that of the match and of its `agon.toml`.
    #[must_use]
    pub fn with_memory(mut self, memory_mib: Option<u32>) -> Self {
        self.memory_mib = memory_mib;
        self
    }

    /// Returns its memory limit in MiB in a match with this limit: what the organiser gave it, or else what it asks for, if
    /// that is less than the limit of the match. `None` if the limit of the match applies.
    pub(crate) fn memory_mib(&self, of_match: Option<u32>) -> Option<u32> {
        let asked = self.asks_mib.filter(|asked| of_match.is_none_or(|most| *asked < most));
        self.memory_mib.or(asked).filter(|mib| of_match != Some(*mib))
    }

    /// Returns the [hash](crate::ContentHash) that identifies the bot. `None` for a person, and if a file of the bot
    /// cannot be read.
    #[must_use]
    pub fn hash(&self) -> Option<ContentHash> {
        self.hash
    }

    /// Returns whether the other bot is started from the same files, by the same words but for their locations, and with the
    /// same environment. Built-in bots and people have no files.
    #[must_use]
    pub fn is_copy_of(&self, other: &Self) -> bool {
        let environment = |bot: &Self| bot.program().map(|program| program.environment.clone());
        let has_files = !matches!(self.start, Start::Builtin(_) | Start::Human);
        has_files && self.hash.is_some() && self.hash == other.hash && environment(self) == environment(other)
    }

    /// Checks that the bot is the one that was prepared. Returns a look at its files, for [`PreparedBot::changed_since`].
    ///
    /// # Errors
    /// If it has another hash now.
    pub(crate) fn check_unchanged(&self) -> Result<Option<Covered>, ChangedBot> {
        let Some(files) = &self.files else { return Ok(None) };
        match files.changed(&self.bot.name) {
            Some(changed) => Err(changed),
            None => Ok(Some(files.now())),
        }
    }

    /// Returns what has changed of the bot's files since an earlier look.
    pub(crate) fn changed_since(&self, before: Option<&Covered>) -> Option<ChangedBot> {
        self.files.as_ref()?.changed_since(before?, &self.bot.name)
    }

    /// Returns the files that its hash covers. Empty for bots of which Agon plays a copy, and for a command that names no file
    /// of its user.
    #[must_use]
    pub fn hashed_files(&self) -> Vec<PathBuf> {
        self.files.iter().flat_map(|files| files.hashed().map(Path::to_owned)).collect()
    }

    /// Returns files that the bot may use although its hash does not cover them, because its command names only others in
    /// their folder. Empty for bots of which Agon plays a copy.
    #[must_use]
    pub fn files_beside_hash(&self) -> Vec<PathBuf> {
        self.files.as_ref().map_or_else(Vec::new, CommandFiles::left_out)
    }

    /// Returns the level of isolation. `None` for a bot that runs in this process, and for a person.
    #[must_use]
    pub fn isolation(&self) -> Option<Isolation> {
        self.isolation
    }

    /// Returns whether the bot sees no file of its user, because its words name none.
    #[must_use]
    pub fn sees_nothing(&self) -> bool {
        self.sees_nothing
    }

    /// Returns the bot's sandbox. `None` if the bot has none or needs none, and if its program is not there, so that the
    /// bot cannot be started.
    pub(crate) fn confinement(&self) -> Option<&Confinement> {
        match &self.start {
            Start::Program(program) | Start::Module(_, Some(program)) => {
                let found = program.file.clone().or_else(|| program.find().ok());
                let there = found.is_some_and(|file| file.exists());
                program.sandbox.as_ref().filter(|_| there)
            }
            Start::Module(_, None) | Start::Builtin(_) | Start::Human => None,
        }
    }

    /// Returns the language that its build found.
    pub(crate) fn language(&self) -> Option<Language> {
        self.language
    }

    /// Returns the program that is started for it. `None` if it runs in this process or inside a host.
    pub(crate) fn program(&self) -> Option<&Program> {
        match &self.start {
            Start::Program(program) => Some(program),
            _ => None,
        }
    }

    /// Returns whether the bot can do whatever its user can. A module without a sandbox still cannot open a file.
    pub(crate) fn is_unconfined(&self) -> bool {
        matches!(&self.start, Start::Program(program) if program.sandbox.is_none())
    }

    /// Returns the kind of seat that the bot takes.
    #[must_use]
    pub fn seat_kind(&self) -> SeatKind {
        match self.start {
            Start::Builtin(name) => SeatKind::Builtin(name),
            Start::Program(_) | Start::Module(..) => SeatKind::Process,
            Start::Human => SeatKind::Human,
        }
    }

    /// Returns what a match with this seed starts for the bot in `seat`. `limits` are those of the seat.
    #[must_use]
    pub fn launch(&self, limits: &Limits, seed: Seed, seat: Seat) -> Launch {
        let mut program = match &self.start {
            Start::Human => return Launch::Human,
            Start::Builtin(_) => return Launch::Builtin,
            Start::Program(program) => program.clone(),
            Start::Module(module, seen) => {
                let program = module.program(limits, seed, seat);
                let seen = seen.as_ref();
                Program {
                    file: seen.and_then(|seen| seen.file.clone()),
                    sandbox: seen.and_then(|seen| seen.sandbox.clone()),
                    ..program
                }
            }
        };
        let host = program.host.unwrap_or_default();
        if let Some(confinement) = &mut program.sandbox {
            confinement.memory_mib = limits.memory_mib.map(|mib| mib.saturating_add(host.spare_mib));
            confinement.reserved_mib = confinement.reserved_mib.saturating_add(host.reserved_mib);
        }
        Launch::Program(program)
    }
}
