//! Bots as folders and archives: where they are built, and why they cannot be.

use crate::{Cancel, Error, Event, IsolationChoice, Result, Tier, sandbox::RETRY_HINT};
use agon_build::{
    BuildEnvironment, Cache, News, Preparation, PrepareError, Prepared, Tools, Unsandboxed,
    intake::{Kind, Submission},
};
use agon_core::Flaw;
use agon_sandbox::Refused;
use agon_spec::Isolation;
use std::path::{Path, PathBuf};

/// What keeps the build of a bot from the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuildIsolation {
    /// A sandbox of this level.
    Sandbox(Isolation),
    /// None works here: what must be built is refused.
    Unavailable,
    /// The user does without one.
    Waived,
}

/// Why a bot cannot be taken in or built.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// There is no place to keep it in.
    #[error("{0}")]
    Cache(#[source] Flaw),
    /// What lies there is no bot that can be taken, or this machine cannot build it.
    #[error("the bot `{}`: {flaw}", .bot.display())]
    Refused {
        /// Where it lies.
        bot: PathBuf,
        /// What is wrong.
        #[source]
        flaw: Flaw,
    },
    /// Its `agon.toml`.
    #[error("{name}: {flaw}")]
    Manifest {
        /// Where it lies, for people.
        name: String,
        /// All of it.
        text: Vec<u8>,
        /// What is wrong with it and where.
        #[source]
        flaw: Flaw,
    },
    /// Its build has failed.
    #[error("the bot `{}`: {flaw}", .bot.display())]
    Failed {
        /// Where it lies.
        bot: PathBuf,
        /// What ended it.
        #[source]
        flaw: Flaw,
        /// What it wrote.
        log: Vec<u8>,
    },
    /// What lies there is no champion that can be played.
    #[error("{0}")]
    Champion(#[source] Flaw),
    /// A champion cannot be made of its sources; the text may have many lines, those of the compiler.
    #[error("{0}")]
    ChampionFailed(#[source] Flaw),
    /// The sandbox that keeps its build cannot be made.
    #[error("{what}: {refused}")]
    Sandbox {
        /// Of which bot, in words.
        what: String,
        /// Why not.
        #[source]
        refused: Refused,
    },
    /// A module that cannot be played.
    #[cfg(feature = "wasm")]
    #[error("`{}`: {source}", .module.display())]
    Module {
        /// The file.
        module: PathBuf,
        /// Why not.
        source: agon_wasi::ModuleError,
    },
    /// This build has nothing that plays modules.
    #[error("`{}`: this build of agon plays no WASM", .0.display())]
    NoWasm(PathBuf),
}

impl BuildError {
    /// Whose affair it is.
    #[must_use]
    pub fn tier(&self) -> Tier {
        match self {
            Self::Failed { .. } | Self::ChampionFailed(_) => Tier::Bot,
            Self::Sandbox { .. } => Tier::Isolation,
            _ => Tier::User,
        }
    }

    /// The way out, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Cache(flaw)
            | Self::Refused { flaw, .. }
            | Self::Manifest { flaw, .. }
            | Self::Failed { flaw, .. }
            | Self::Champion(flaw)
            | Self::ChampionFailed(flaw) => flaw.hint.clone(),
            Self::Sandbox { refused, .. } => Some(refused.remedy().unwrap_or(RETRY_HINT).to_owned()),
            #[cfg(feature = "wasm")]
            Self::Module { source, .. } => Some(source.hint.clone()).filter(|hint| !hint.is_empty()),
            Self::NoWasm(_) => {
                Some("the released one does, and so does `cargo install --path world/agon --features wasm`".to_owned())
            }
        }
    }
}

impl BuildIsolation {
    /// What follows from a choice and the level that was decided on: to do without a sandbox must be chosen.
    #[must_use]
    pub fn of(choice: IsolationChoice, level: Isolation) -> Self {
        match (choice, level) {
            (IsolationChoice::Exactly(Isolation::None), _) => Self::Waived,
            (_, Isolation::None) => Self::Unavailable,
            (_, level) => Self::Sandbox(level),
        }
    }

    /// The level that a build has.
    #[must_use]
    pub fn level(self) -> Isolation {
        match self {
            Self::Sandbox(level) => level,
            Self::Unavailable | Self::Waived => Isolation::None,
        }
    }

    /// Where builds run.
    fn place(self) -> Option<Box<dyn BuildEnvironment>> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Sandbox(level) => Some(Box::new(agon_build::Sandboxed { level })),
            Self::Waived => Some(Box::new(Unsandboxed)),
            _ => None,
        }
    }
}

/// Takes in and builds the bot at `path`, unless that was done before.
pub(crate) fn build(
    path: &Path,
    isolation: BuildIsolation,
    tools: &Tools,
    cancel: &Cancel,
    events: &mut dyn FnMut(Event<'_>),
) -> Result<Prepared> {
    let bot = || path.to_owned();
    let Some(kind) = Kind::of(path) else {
        // It was there when its words were read.
        let flaw = Flaw::new("it is no longer there");
        return Err(BuildError::Refused { bot: bot(), flaw }.into());
    };
    let refused = |flaw| BuildError::Refused { bot: bot(), flaw };
    let submission = Submission::open(path, kind).map_err(refused)?;
    if isolation != BuildIsolation::Waived {
        may_be_taken(&submission)?;
    }
    let cache = Cache::of_user().map_err(BuildError::Cache)?;
    let place = isolation.place();
    let mut news = |news: News<'_>| match news {
        News::Building(language) => events(Event::Building { bot: path, language }),
        News::Log(bytes) => events(Event::BuildLog { bot: path, bytes }),
    };
    let cancelled = || cancel.is_cancelled();
    let mut preparation =
        Preparation { cache: &cache, tools, environment: place.as_deref(), cancel: &cancelled, news: &mut news };
    agon_build::prepare(&submission, &mut preparation).map_err(|why| match why {
        PrepareError::Flaw(flaw) => BuildError::Refused { bot: bot(), flaw }.into(),
        PrepareError::Manifest(text, flaw) => {
            let name = format!("{}: {}", path.display(), agon_build::Manifest::FILE);
            BuildError::Manifest { name, text, flaw }.into()
        }
        PrepareError::Failed(flaw, log) => BuildError::Failed { bot: bot(), flaw, log }.into(),
        PrepareError::Sandbox(refused) => {
            let what = format!("the bot `{}`: the sandbox for its build cannot be made", path.display());
            BuildError::Sandbox { what, refused: refused.0 }.into()
        }
        PrepareError::Cancelled => Error::Cancelled,
    })
}

/// Everything in a folder is copied to where the bot plays, and it can read that.
#[cfg(target_os = "linux")]
fn may_be_taken(submission: &Submission) -> Result<()> {
    if submission.kind() != Kind::Folder {
        return Ok(());
    }
    // By the name that the user knows, and as what was opened: another folder may lie there by now.
    let taken = [submission.path(), &submission.place()].into_iter().try_for_each(agon_sandbox::may_be_shown);
    taken.map_err(|why| crate::SandboxError::NotShown { what: "the bot: ", why }.into())
}

/// There is no sandbox on this system.
#[cfg(not(target_os = "linux"))]
fn may_be_taken(_: &Submission) -> Result<()> {
    Ok(())
}
