//! From words to a bot that can be started: once a bot, for any number of matches.

use crate::{
    BotError, BotSpec, BuildIsolation, Cancel, ContentHash, Decision, Error, Event, Helper, IsolationChoice, NamedBot,
    Result, SandboxOptions, build, champion, hash, visible, wasm::Module,
};
use agon_build::{Prepared, Tools};
use agon_core::{Seat, Seed};
use agon_games::AnyGame;
use agon_referee::SeatKind;
use agon_run::{Launch, Program};
use agon_sandbox::Confinement;
use agon_spec::{Isolation, Limits};
use std::{path::Path, path::PathBuf};

/// Prepares bots, and keeps what was found out once for all of them: the level of isolation, the compilers.
#[derive(Debug)]
pub struct Preparer {
    helper: Helper,
    sandbox: SandboxOptions,
    cancel: Cancel,
    tools: Tools,
    decision: Option<Decision>,
}

/// A bot that can be started as often as is wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreparedBot {
    bot: NamedBot,
    hash: Option<ContentHash>,
    /// `None` for what runs in this process, and for people.
    isolation: Option<Isolation>,
    sees_nothing: bool,
    start: Start,
}

/// What is started.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Start {
    Builtin(&'static str),
    /// With the sandbox of every match, but for its memory.
    Program(Program),
    /// What plays it is told the seed and the seat.
    Module(Module, Option<Program>),
    Human,
}

impl Preparer {
    /// With these options; builds and waits end when `cancel` is used.
    #[must_use]
    pub fn new(helper: Helper, sandbox: SandboxOptions, cancel: Cancel) -> Self {
        Self { helper, sandbox, cancel, tools: Tools::here(), decision: None }
    }

    /// Makes a bot ready to be started: what must be built is built, and the level of isolation is tried out when the
    /// first bot needs one.
    ///
    /// # Errors
    /// It cannot be isolated as was asked for ([`SandboxError::NoHelper`](crate::SandboxError::NoHelper) if this program
    /// can start none inside), must not be shown what it would need, or cannot be built; or it was cancelled meanwhile.
    pub fn prepare(
        &mut self,
        game: &dyn AnyGame,
        bot: &NamedBot,
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<PreparedBot> {
        // That is nothing about this bot alone.
        let isolation = if bot.spec.is_process() { Some(self.decide()?.level) } else { None };
        let prepared = self.start(game, bot, isolation, events).map_err(|error| error.of(&bot.name))?;
        if self.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        Ok(prepared)
    }

    /// Takes in and builds the bot in a folder or an archive, unless that was done before.
    ///
    /// # Errors
    /// As [`Preparer::prepare`].
    pub fn build(&mut self, path: &Path, events: &mut dyn FnMut(Event<'_>)) -> Result<Prepared> {
        let isolation = self.build_isolation()?;
        build::build(path, isolation, &self.tools, &self.cancel, events)
    }

    /// What keeps builds from the host.
    ///
    /// # Errors
    /// As [`Preparer::prepare`].
    pub fn build_isolation(&mut self) -> Result<BuildIsolation> {
        let level = self.decide()?.level;
        Ok(BuildIsolation::of(self.sandbox.isolation, level))
    }

    /// The level of isolation that processes get, tried out the first time that it is asked for.
    ///
    /// # Errors
    /// As [`Preparer::prepare`].
    pub fn decide(&mut self) -> Result<&Decision> {
        let decision = match self.decision.take() {
            Some(known) => known,
            None => {
                if self.sandbox.isolation != IsolationChoice::Exactly(Isolation::None) {
                    self.helper.appoint()?;
                }
                let decision = self.sandbox.decide()?;
                self.sandbox.check_paths()?;
                decision
            }
        };
        Ok(self.decision.insert(decision))
    }

    /// What a user must know of how the bots that were prepared are isolated.
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
        let (hash, start) = match &bot.spec {
            BotSpec::Human => return Ok(PreparedBot::human(&bot.name)),
            BotSpec::Builtin(name) => (hash::builtin(game.name(), name), Start::Builtin(name)),
            BotSpec::Command(words) => {
                let hash = hash::command(words, &visible::here()?)?;
                (hash, Start::Program(self.command(Program::new(words), confinement)?))
            }
            BotSpec::Folder(path) | BotSpec::Archive(path) => {
                let mut built = self.build(path, events)?;
                let hash = hash::intake(&built.content, &built.words, &built.folder);
                built.read.push(built.folder.clone());
                let program = Program { dir: Some(built.folder), ..Program::new(built.words) };
                (hash, Start::Program(confined(program, &built.read, confinement)?))
            }
            BotSpec::Champion(path) => {
                let hash = hash::content("champion", path)?;
                let (program, read) = champion::program(path, &self.helper, &self.cancel)?;
                (hash, Start::Program(confined(program, &read, confinement)?))
            }
            BotSpec::Wasm(path) => {
                let hash = hash::content("wasm", path)?;
                let module = Module::compile(self.helper.file()?, path)?;
                // What it sees is found out once: it is the same in every seat.
                let seen = module.program(&Limits::default(), Seed(0), Seat::new(0));
                let seen = confined(seen, &module.reads(), confinement)?;
                (hash, Start::Module(module, Some(seen).filter(|program| program.sandbox.is_some())))
            }
        };
        Ok(PreparedBot { bot: bot.clone(), hash: Some(hash), isolation, sees_nothing, start })
    }

    /// A command line with what it sees.
    fn command(&self, program: Program, confinement: Option<Confinement>) -> Result<Program> {
        confinement.map_or(Ok(program.clone()), |it| visible::command(program, &self.sandbox, it))
    }
}

/// A program that reads what is named and its interpreter's own.
fn confined(program: Program, read: &[PathBuf], confinement: Option<Confinement>) -> Result<Program> {
    confinement.map_or(Ok(program.clone()), |it| visible::ready(program, read, it))
}

impl PreparedBot {
    /// A built-in bot, of which there is nothing to prepare.
    ///
    /// # Errors
    /// The game has none of this name.
    pub fn builtin(game: &dyn AnyGame, name: &str) -> Result<Self, BotError> {
        let name = crate::builtin(game, name, "@")?;
        let bot = NamedBot { name: name.to_owned(), words: format!("@{name}"), spec: BotSpec::Builtin(name) };
        let hash = Some(hash::builtin(game.name(), name));
        Ok(Self { bot, hash, isolation: None, sees_nothing: false, start: Start::Builtin(name) })
    }

    /// A person, who decides by [`People`](crate::People).
    #[must_use]
    pub fn human(name: &str) -> Self {
        Self { bot: NamedBot::human(name), hash: None, isolation: None, sees_nothing: false, start: Start::Human }
    }

    /// Its name and words.
    #[must_use]
    pub fn bot(&self) -> &NamedBot {
        &self.bot
    }

    /// What plays.
    #[must_use]
    pub fn spec(&self) -> &BotSpec {
        &self.bot.spec
    }

    /// The same bot under another name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.bot.name);
        self
    }

    /// What it is, as a number: see the [table](crate::ContentHash). `None` for a person.
    #[must_use]
    pub fn hash(&self) -> Option<ContentHash> {
        self.hash
    }

    /// How it is isolated; `None` for what runs in this process, and for people.
    #[must_use]
    pub fn isolation(&self) -> Option<Isolation> {
        self.isolation
    }

    /// Whether it sees no file of its user, as its words name none.
    #[must_use]
    pub fn sees_nothing(&self) -> bool {
        self.sees_nothing
    }

    /// Who decides in its seat.
    #[must_use]
    pub fn seat_kind(&self) -> SeatKind {
        match self.start {
            Start::Builtin(name) => SeatKind::Builtin(name),
            Start::Program(_) | Start::Module(..) => SeatKind::Process,
            Start::Human => SeatKind::Human,
        }
    }

    /// What is started for it in a seat of a match.
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
        let spare = program.host.map_or(0, |host| host.spare_mib);
        if let Some(confinement) = &mut program.sandbox {
            confinement.memory_mib = limits.memory_mib.map(|mib| mib.saturating_add(spare));
        }
        Launch::Program(program)
    }
}
