//! Prepares bots: turns a user's words into a bot that can be started, once for any number of matches.

use crate::{
    BotError, BotSpec, BuildIsolation, Cancel, ContentHash, Decision, Error, Event, Helper, IsolationChoice, NamedBot,
    Result, SandboxOptions, build,
    champion::{self, Champion},
    hash, interpreted, visible,
    wasm::Module,
};
use agon_build::{Language, OpenCache, Prepared, Tools};
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

/// Prepares bots. Determines the level of isolation and the available compilers once for all of them.
#[derive(Debug)]
pub struct Preparer {
    helper: Helper,
    sandbox: SandboxOptions,
    cancel: Cancel,
    tools: Tools,
    decision: Option<Decision>,
    /// The warnings that were passed on.
    told: Vec<String>,
}

/// A bot that can be started any number of times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreparedBot {
    bot: NamedBot,
    hash: Option<ContentHash>,
    /// `None` for a bot that runs in this process, and for a person.
    isolation: Option<Isolation>,
    sees_nothing: bool,
    start: Start,
    /// The language that its build found. `None` if it had none.
    language: Option<Language>,
    /// The memory limit in MiB that the organiser gave it, in place of that of the match.
    memory_mib: Option<u32>,
    /// The memory limit in MiB that the bot asks for. It can only lower that of the match.
    asks_mib: Option<u32>,
    /// The cache that has the bot's files. The files may be removed when it is dropped.
    _cache: Option<OpenCache>,
}

/// What a match starts for a bot.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Start {
    Builtin(&'static str),
    /// A program with its sandbox. Each match adds its own memory limit.
    Program(Program),
    /// A module. The second part is its host program with the files that it sees, if it runs in a sandbox. Each match
    /// gives the host the seed and the seat.
    Module(Module, Option<Program>),
    Human,
}

impl Preparer {
    /// Creates a preparer with these options. Builds and waits end when `cancel` is used.
    #[must_use]
    pub fn new(helper: Helper, sandbox: SandboxOptions, cancel: Cancel) -> Self {
        Self { helper, sandbox, cancel, tools: Tools::here(), decision: None, told: Vec::new() }
    }

    /// Prepares a bot. Builds the bot if it needs a build. Tries out the level of isolation for the first bot that
    /// needs one.
    ///
    /// # Errors
    /// If the bot cannot be isolated as requested, must not see the files that it needs, or cannot be built; or if the
    /// work was cancelled. The error is [`SandboxError::NoHelper`](crate::SandboxError::NoHelper) if no helper can
    /// start bots in a sandbox.
    pub fn prepare(
        &mut self,
        game: &dyn AnyGame,
        bot: &NamedBot,
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<PreparedBot> {
        // This error is not about one bot, so it gets no bot's name.
        let isolation = if bot.spec.is_process() { Some(self.decide()?.level) } else { None };
        let prepared = self.start(game, bot, isolation, events).map_err(|error| error.of(&bot.name))?;
        if self.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        Ok(prepared)
    }

    /// Imports and builds the bot in a folder or an archive, unless the cache already has it.
    ///
    /// # Errors
    /// The same as those of [`Preparer::prepare`].
    pub fn build(&mut self, path: &Path, events: &mut dyn FnMut(Event<'_>)) -> Result<Prepared> {
        let isolation = self.build_isolation()?;
        let told = &mut self.told;
        let mut once = |event: Event<'_>| {
            if is_new(&event, told) {
                events(event);
            }
        };
        build::build(path, isolation, &self.tools, &self.cancel, &mut once)
    }

    /// Returns how builds are isolated from the host.
    ///
    /// # Errors
    /// The same as those of [`Preparer::decide`].
    pub fn build_isolation(&mut self) -> Result<BuildIsolation> {
        let level = self.decide()?.level;
        Ok(BuildIsolation::of(self.sandbox.isolation, level))
    }

    /// Returns the level of isolation of bots that are processes. The first call tries it out.
    ///
    /// # Errors
    /// If the requested level does not work here, there is no helper, or a path that bots are to see is refused.
    pub fn decide(&mut self) -> Result<&Decision> {
        let decision = match self.decision.take() {
            Some(known) => known,
            None => {
                // Without a sandbox, the helper only ends what bots leave behind.
                let appointed = self.helper.appoint();
                if self.sandbox.isolation != IsolationChoice::Exactly(Isolation::None) {
                    appointed?;
                }
                let decision = self.sandbox.decide()?;
                self.sandbox.check_paths()?;
                decision
            }
        };
        Ok(self.decision.insert(decision))
    }

    /// Returns what the user must know about the isolation of the prepared bots.
    #[must_use]
    pub fn warning(&self) -> Option<&str> {
        self.decision.as_ref().and_then(|decision| decision.warning.as_deref())
    }

    fn start(
        &mut self,
        game: &dyn AnyGame,
        bot: &NamedBot,
        isolation: Option<Isolation>,
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<PreparedBot> {
        let confinement = isolation.and_then(|level| self.sandbox.confinement(level));
        let sees_nothing = confinement.is_some() && visible::shows_nothing(&bot.spec, &self.sandbox);
        let mut cache = None;
        let (mut asks_mib, mut language) = (None, None);
        let (hash, start) = match &bot.spec {
            BotSpec::Human => return Ok(PreparedBot::human(&bot.name)),
            BotSpec::Builtin(name) => (Some(hash::builtin(game.name(), name)), Start::Builtin(name)),
            BotSpec::Command(words) => {
                let here = visible::here()?;
                let hash = hash::command(words, &here);
                let program = interpreting(Program::new(words), &here);
                (hash, Start::Program(self.command(program, confinement)?))
            }
            BotSpec::Folder(path) | BotSpec::Archive(path) => {
                let mut built = self.build(path, events)?;
                (asks_mib, language) = (built.memory_mib, built.plan.language);
                cache = Some(built.cache);
                let hash = Some(hash::intake(&built.content, &built.words, &built.folder));
                built.read.push(built.folder.clone());
                let program = interpreting(Program::new(built.words), &built.folder);
                let program = Program { dir: Some(built.folder), ..program };
                (hash, Start::Program(confined(program, &built.read, confinement)?))
            }
            BotSpec::Champion(path) => {
                let isolation = self.build_isolation()?;
                let told = &mut self.told;
                let mut warn = |text: String| {
                    let event = Event::Warning { bot: path, text: &text };
                    if is_new(&event, told) {
                        events(event);
                    }
                };
                let champion = Champion::prepare(path, isolation, &self.helper, &self.cancel, &mut warn)?;
                cache = Some(champion.cache);
                let program = confined(champion.program, &champion.read, confinement)?;
                champion::try_to_load(&program, path, &self.cancel)?;
                (champion.hash, Start::Program(program))
            }
            BotSpec::Wasm(path) => {
                let told = &mut self.told;
                let mut warn = |text: String| {
                    let event = Event::Warning { bot: path, text: &text };
                    if is_new(&event, told) {
                        events(event);
                    }
                };
                let module = Module::compile(self.helper.file()?, path, &mut warn)?;
                let hash = module.hash();
                // Determine once what the host program sees: it is the same in every seat.
                let seen = module.program(&Limits::default(), Seed(0), Seat::new(0));
                let seen = confined(seen, &module.reads(), confinement)?;
                (hash, Start::Module(module, Some(seen).filter(|program| program.sandbox.is_some())))
            }
        };
        Ok(PreparedBot {
            bot: bot.clone(),
            hash,
            isolation,
            sees_nothing,
            start,
            language,
            memory_mib: None,
            asks_mib,
            _cache: cache,
        })
    }

    /// Adds to a command the files that it sees, if it runs in a sandbox.
    fn command(&self, program: Program, confinement: Option<Confinement>) -> Result<Program> {
        confinement.map_or(Ok(program.clone()), |it| visible::command(program, &self.sandbox, it))
    }
}

/// Returns whether an event is to be passed on. Bots share the warnings about their cache, so each is passed on once.
fn is_new(event: &Event<'_>, told: &mut Vec<String>) -> bool {
    let Event::Warning { text, .. } = event else { return true };
    let known = told.iter().any(|known| known == text);
    if !known {
        told.push((*text).to_owned());
    }
    !known
}

/// Adds to a program the file that it interprets, if it is an interpreter that starts in `dir`.
fn interpreting(program: Program, dir: &Path) -> Program {
    Program { script: interpreted::file(&program.words, dir), ..program }
}

/// Adds to a program the files in `read` and those of its interpreter, if it runs in a sandbox.
fn confined(program: Program, read: &[PathBuf], confinement: Option<Confinement>) -> Result<Program> {
    confinement.map_or(Ok(program.clone()), |it| visible::ready(program, read, it))
}

impl PreparedBot {
    /// Creates a built-in bot, which needs no preparation.
    ///
    /// # Errors
    /// If the game has no built-in bot of this name.
    pub fn builtin(game: &dyn AnyGame, name: &str) -> Result<Self, BotError> {
        let name = crate::builtin(game, name, "@")?;
        let bot = NamedBot { name: name.to_owned(), words: format!("@{name}"), spec: BotSpec::Builtin(name) };
        let hash = Some(hash::builtin(game.name(), name));
        Ok(Self {
            bot,
            hash,
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
        if let Start::Program(program) = &mut self.start
            && !variables.is_empty()
        {
            let mut all: Vec<(OsString, OsString)> = match &program.environment {
                Environment::Only(own) => own.clone(),
                // A sandbox has variables of its own.
                Environment::Inherit if program.sandbox.is_some() => Vec::new(),
                Environment::Inherit => std::env::vars_os().collect(),
            };
            all.retain(|(name, _)| !variables.keys().any(|new| name == new.as_str()));
            all.extend(variables.iter().map(|(name, value)| (name.into(), value.into())));
            program.environment = Environment::Only(all);
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
