//! Bots in folders and archives: where they are built, and why a build fails.

use crate::{Cancel, Error, Event, IsolationChoice, Result, Shortage, Tier, sandbox::RETRY_HINT};
use agon_build::{
    BuildEnvironment, Cache, News, Preparation, PrepareError, Prepared, Tools, Unsandboxed, Verdict,
    intake::{Kind, SourceTree, Submission},
};
use agon_core::Flaw;
use agon_sandbox::Refused;
use agon_spec::Isolation;
use std::path::{Path, PathBuf};

/// How the build of a bot is isolated from the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuildIsolation {
    /// A sandbox of this level.
    Sandbox(Isolation),
    /// No sandbox works on this machine. A bot that needs a build is refused.
    Unavailable,
    /// The user has chosen to build without a sandbox.
    Waived,
}

/// Why a bot cannot be imported or built.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The cache for built bots cannot be used.
    #[error("{0}")]
    Cache(#[source] Flaw),
    /// The folder or archive is not a bot that Agon can import, or this machine cannot build it.
    #[error("the bot `{}`: {flaw}", .bot.display())]
    Refused {
        /// The bot's folder or archive.
        bot: PathBuf,
        /// What is wrong.
        #[source]
        flaw: Flaw,
    },
    /// Nothing tells in which file the bot starts.
    #[error("the bot `{}`: {flaw}", .bot.display())]
    Ambiguous {
        /// The bot's folder or archive.
        bot: PathBuf,
        /// What is not clear.
        #[source]
        flaw: Flaw,
        /// The files in which it may start, the best guess first.
        candidates: Vec<String>,
    },
    /// The bot's `agon.toml` has an error.
    #[error("{name}: {flaw}")]
    Manifest {
        /// The name of the file, for messages.
        name: String,
        /// The content of the file.
        text: Vec<u8>,
        /// What is wrong in the file, and where.
        #[source]
        flaw: Flaw,
    },
    /// The build failed.
    #[error("the bot `{}`: {flaw}", .bot.display())]
    Failed {
        /// The bot's folder or archive.
        bot: PathBuf,
        /// Why the build ended.
        #[source]
        flaw: Flaw,
        /// The output of the build.
        log: Vec<u8>,
    },
    /// The path does not hold a champion that Agon can play.
    #[error("{0}")]
    Champion(#[source] Flaw),
    /// The sources of a champion do not compile. The text contains the messages of the compiler and may have many
    /// lines.
    #[error("{0}")]
    ChampionFailed(#[source] Flaw),
    /// The sandbox for the build cannot be set up.
    #[error("{what}: {refused}")]
    Sandbox {
        /// Which bot is concerned, in words.
        what: String,
        /// Why the sandbox cannot be set up.
        #[source]
        refused: Refused,
    },
    /// A WASM module cannot be played.
    #[cfg(feature = "wasm")]
    #[error("`{}`: {source}", .module.display())]
    Module {
        /// The file of the module.
        module: PathBuf,
        /// Why the module cannot be played.
        source: agon_wasi::ModuleError,
    },
    /// This build of Agon cannot play WASM modules.
    #[error("`{}`: this build of agon cannot play WASM modules", .0.display())]
    NoWasm(PathBuf),
}

impl BuildError {
    /// Returns who can fix the problem.
    #[must_use]
    pub fn tier(&self) -> Tier {
        match self {
            Self::Failed { .. } | Self::Ambiguous { .. } | Self::ChampionFailed(_) => Tier::Bot,
            Self::Sandbox { .. } => Tier::Isolation,
            _ => Tier::User,
        }
    }

    /// Returns a hint on how to fix the problem, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Cache(flaw)
            | Self::Refused { flaw, .. }
            | Self::Ambiguous { flaw, .. }
            | Self::Manifest { flaw, .. }
            | Self::Failed { flaw, .. }
            | Self::Champion(flaw)
            | Self::ChampionFailed(flaw) => flaw.hint.as_deref().map(str::to_owned),
            Self::Sandbox { refused, .. } => Some(refused.remedy().unwrap_or(RETRY_HINT).to_owned()),
            #[cfg(feature = "wasm")]
            Self::Module { source, .. } => Some(source.hint.clone()).filter(|hint| !hint.is_empty()),
            Self::NoWasm(_) => Some(
                "use a released agon, or build it with `cargo install --path world/agon --features wasm`".to_owned(),
            ),
        }
    }
}

impl BuildIsolation {
    /// Derives the isolation of builds from the user's choice and the level in use. A build runs without a sandbox
    /// only if the user has explicitly chosen the level `none`.
    #[must_use]
    pub fn of(choice: IsolationChoice, level: Isolation) -> Self {
        match (choice, level) {
            (IsolationChoice::Exactly(Isolation::None), _) => Self::Waived,
            (_, Isolation::None) => Self::Unavailable,
            (_, level) => Self::Sandbox(level),
        }
    }

    /// Returns the level at which builds run.
    #[must_use]
    pub fn level(self) -> Isolation {
        match self {
            Self::Sandbox(level) => level,
            Self::Unavailable | Self::Waived => Isolation::None,
        }
    }

    /// Returns the environment in which builds run. `None` if builds are refused.
    fn place(self) -> Option<Box<dyn BuildEnvironment>> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Sandbox(level) => Some(Box::new(agon_build::Sandboxed { level })),
            Self::Waived => Some(Box::new(Unsandboxed)),
            _ => None,
        }
    }
}

/// Returns the error for a folder, an archive or a module that is not there.
pub(crate) fn missing(path: &Path, what: &str) -> BuildError {
    let flaw = Flaw::new(format!("there is no such {what}"))
        .hint("check the path: it begins in the folder in which you type the command, or in that of the tournament");
    BuildError::Refused { bot: path.to_owned(), flaw }
}

/// Imports and builds the bot at `path`, which starts in `main` if that is named, unless the cache already has it. `judge` looks at its
/// files and says whether it is to be.
pub(crate) fn build(
    (path, main): (&Path, Option<&str>),
    isolation: BuildIsolation,
    tools: &Tools,
    judge: &dyn Fn(&SourceTree) -> Verdict,
    cancel: &Cancel,
    events: &mut dyn FnMut(Event<'_>),
) -> Result<Prepared> {
    let missed = Shortage::missed();
    let built = build_now((path, main), isolation, tools, judge, cancel, events);
    built.map_err(|error| error.if_missed(missed))
}

fn build_now(
    (path, main): (&Path, Option<&str>),
    isolation: BuildIsolation,
    tools: &Tools,
    judge: &dyn Fn(&SourceTree) -> Verdict,
    cancel: &Cancel,
    events: &mut dyn FnMut(Event<'_>),
) -> Result<Prepared> {
    let bot = || path.to_owned();
    let Some(kind) = Kind::of(path) else {
        // The path existed when the bot's words were parsed.
        let flaw = Flaw::new("its folder or archive no longer exists");
        return Err(BuildError::Refused { bot: bot(), flaw }.into());
    };
    let refused = |flaw| BuildError::Refused { bot: bot(), flaw };
    let submission = Submission::open(path, kind).map_err(refused)?.starting_in(main.map(str::to_owned));
    if isolation != BuildIsolation::Waived {
        may_be_taken(&submission)?;
    }
    let cache = Cache::of_user().map_err(BuildError::Cache)?;
    let place = isolation.place();
    let mut news = |news: News<'_>| match news {
        News::Planned(plan) => events(Event::Planned { bot: path, plan }),
        News::Building(language) => events(Event::Building { bot: path, language }),
        News::Log(bytes) => events(Event::BuildLog { bot: path, bytes }),
        News::Warning(text) => events(Event::Warning { bot: path, text }),
    };
    let cancelled = || cancel.is_cancelled();
    let mut preparation =
        Preparation { cache: &cache, tools, environment: place.as_deref(), judge, cancel: &cancelled, news: &mut news };
    agon_build::prepare(&submission, &mut preparation).map_err(|why| match why {
        PrepareError::Flaw(flaw) => BuildError::Refused { bot: bot(), flaw }.into(),
        PrepareError::Refused(flaw) => BuildError::ChampionFailed(flaw).into(),
        PrepareError::Ambiguous(flaw, candidates) => BuildError::Ambiguous { bot: bot(), flaw, candidates }.into(),
        PrepareError::Manifest(text, flaw) => {
            let name = format!("{}: {}", path.display(), agon_build::Manifest::FILE);
            BuildError::Manifest { name, text, flaw }.into()
        }
        PrepareError::Failed(flaw, log) => BuildError::Failed { bot: bot(), flaw, log }.into(),
        PrepareError::Sandbox(refused) => {
            let what = format!("the bot `{}`: the sandbox for its build cannot be set up", path.display());
            BuildError::Sandbox { what, refused: refused.0 }.into()
        }
        PrepareError::Cancelled => Error::Cancelled,
    })
}

/// Checks that the bot may read the folder: the import copies all of it to the place where the bot runs.
#[cfg(target_os = "linux")]
pub(crate) fn may_be_taken(submission: &Submission) -> Result<()> {
    if submission.kind() != Kind::Folder {
        return Ok(());
    }
    // Check the path that the user wrote and the path of the opened folder: another folder may be there by now.
    let taken = [submission.path(), &submission.place()].into_iter().try_for_each(agon_sandbox::may_be_shown);
    taken.map_err(|why| crate::SandboxError::NotShown { what: "the bot: ", why }.into())
}

/// Allows every folder: this system has no sandbox.
#[cfg(not(target_os = "linux"))]
pub(crate) fn may_be_taken(_: &Submission) -> Result<()> {
    Ok(())
}
