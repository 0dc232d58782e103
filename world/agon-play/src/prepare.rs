//! Prepares bots: turns a user's words into a bot that can be started, once for any number of matches.

use crate::{
    BotSpec, BuildIsolation, Cancel, Decision, Error, Event, Helper, IsolationChoice, NamedBot, PreparedBot, Result,
    SandboxOptions, Shortage, Variable, build,
    champion::{self, Champion},
    covered::CommandFiles,
    hash, interpreted,
    prepared_bot::{Start, add_variables},
    visible,
    wasm::Module,
};
use agon_build::{Prepared, Tools, Verdict, intake::SourceTree};
use agon_core::{Seat, Seed};
use agon_games::AnyGame;
use agon_run::Program;
use agon_sandbox::Confinement;
use agon_spec::{Isolation, Limits};
use std::path::{Path, PathBuf};

/// Prepares bots. Determines the level of isolation and the available compilers once for all of them.
#[derive(Debug)]
pub struct Preparer {
    helper: Helper,
    sandbox: SandboxOptions,
    cancel: Cancel,
    tools: Tools,
    decision: Option<Decision>,
    main: Option<String>,
    /// The warnings that were passed on.
    told: Vec<String>,
}

impl Preparer {
    /// Creates a preparer with these options. Builds and waits end when `cancel` is used.
    #[must_use]
    pub fn new(helper: Helper, sandbox: SandboxOptions, cancel: Cancel) -> Self {
        Self { helper, sandbox, cancel, tools: Tools::here(), decision: None, main: None, told: Vec::new() }
    }

    /// Lets bots in folders and archives start in this file. `None` is what their own files say.
    #[must_use]
    pub fn starting_in(self, main: Option<String>) -> Self {
        Self { main, ..self }
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
        let missed = Shortage::missed();
        let prepared = self.start(game, bot, isolation, events);
        let prepared = prepared.map_err(|error| error.if_missed(missed).of(&bot.name))?;
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
        self.build_if(path, &|_| Verdict::Accepted, events)
    }

    /// Builds as [`Preparer::build`] does, if `judge` accepts the imported files.
    fn build_if(
        &mut self,
        path: &Path,
        judge: &dyn Fn(&SourceTree) -> Verdict,
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<Prepared> {
        let isolation = self.build_isolation()?;
        let told = &mut self.told;
        let mut once = |event: Event<'_>| {
            if is_new(&event, told) {
                events(event);
            }
        };
        build::build((path, self.main.as_deref()), isolation, &self.tools, judge, &self.cancel, &mut once)
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
        let (mut cache, mut files) = (None, None);
        let (mut asks_mib, mut language) = (None, None);
        let (hash, start) = match &bot.spec {
            BotSpec::Human => return Ok(PreparedBot::human(&bot.name)),
            BotSpec::Builtin(name) => (Some(hash::builtin(game.name(), name)), Start::Builtin(name)),
            BotSpec::Command(words) => {
                if let Some(what) = bot.spec.missing_input() {
                    return Err(build::missing(Path::new(&words[0]), what).into());
                }
                let here = visible::here()?;
                if game.info().champions {
                    champion::refuse_as_program(words, &here)?;
                }
                let found = files.insert(CommandFiles::of(words, &here));
                let program = interpreting(Program::new(words), &here);
                (found.hash(), Start::Program(self.command(program, confinement)?))
            }
            BotSpec::Folder(path) | BotSpec::Archive(path) => {
                let may_be_champion = game.info().champions && matches!(bot.spec, BotSpec::Archive(_));
                let judge = |tree: &SourceTree| match may_be_champion
                    .then(|| champion::flaw_of_archive(path, tree))
                    .flatten()
                {
                    Some(flaw) => Verdict::Refused(flaw),
                    None => Verdict::Accepted,
                };
                let mut built = self.build_if(path, &judge, events)?;
                (asks_mib, language) = (built.memory_mib, built.plan.language);
                cache = Some(built.cache);
                let hash = Some(hash::intake(&built.content, &built.words, &built.folder));
                built.read.push(built.folder.clone());
                let program = interpreting(Program::new(built.words), &built.folder);
                let program = Program { dir: Some(built.folder), ..program };
                let mut program = confined(program, &built.read, confinement)?;
                if let Some(confinement) = &mut program.sandbox {
                    confinement.search.extend(built.search);
                }
                add_variables(&mut program, built.environment);
                (hash, Start::Program(program))
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
                let found = (&self.helper, &self.tools);
                let champion = Champion::prepare(path, isolation, found, &self.cancel, &mut warn)?;
                (cache, asks_mib) = (Some(champion.cache), champion.asks_mib);
                let mut program = confined(champion.program, &champion.read, confinement)?;
                if let Some(confinement) = &mut program.sandbox {
                    confinement.search.extend(champion.search);
                }
                add_variables(&mut program, champion.environment);
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
        let bot_of_match = PreparedBot {
            bot: bot.clone(),
            hash,
            files,
            isolation,
            sees_nothing,
            start,
            language,
            memory_mib: None,
            asks_mib,
            _cache: cache,
        };
        Ok(bot_of_match.with_variables(&Variable::map(&self.sandbox.variables)))
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
