//! The errors of this crate, and who can fix each of them.
//!
//! Messages quote the text of users and bots unchanged. Clean a message before you show it on a terminal.

use crate::{
    BotError, BuildError, ChangedBot, Exposed, MapError, NoGame, Part, ReplayError, SandboxError, Shortage, TermsError,
    sandbox::RETRY_HINT,
};
use agon_core::Flaw;
use agon_run::StartError;
#[cfg(target_os = "linux")]
use agon_sandbox::VisibilityError;
use std::{io, path::PathBuf};

/// The result type of most functions in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Words do not name a bot.
    #[error(transparent)]
    Bot(#[from] BotError),
    /// There is no such game.
    #[error(transparent)]
    Game(#[from] NoGame),
    /// A setting of the match is not valid.
    #[error(transparent)]
    Terms(#[from] TermsError),
    /// A map cannot be read or played.
    #[error(transparent)]
    Map(#[from] MapError),
    /// Bots cannot be isolated as requested.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A bot cannot be imported or built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A replay cannot be read or written.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A bot of the match could read a file that is written while it plays.
    #[error(transparent)]
    Exposed(#[from] Exposed),
    /// A bot is another one than the one that was prepared.
    #[error(transparent)]
    Changed(#[from] ChangedBot),
    /// An error about one bot of several.
    #[error("{bot}: {source}")]
    Of {
        /// The name of the bot.
        bot: String,
        /// What is wrong with the bot.
        source: Box<Error>,
    },
    /// The description of a match is not valid. It may come from a document.
    #[error("{0}")]
    Spec(#[source] Flaw),
    /// The system refuses a resource that every match needs.
    #[error("cannot run the match: {}", system_words(.0))]
    Run(#[source] io::Error),
    /// The host does not start bots, whatever they are.
    #[error("no bot can be started: {0}")]
    Start(#[source] StartError),
    /// Something failed because the host was short of something.
    #[error("{what}")]
    Lacking {
        /// What failed, with the system's reason.
        what: String,
        /// What the host was short of.
        shortage: Shortage,
    },
    /// The host is short of something that a match needs.
    #[error("the host is short of {0}")]
    Short(Shortage),
    /// The work was cancelled.
    #[error("interrupted")]
    Cancelled,
}

/// A file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} `{}`: {}", .path.display(), system_words(.source))]
pub struct FileError {
    /// The failed action, as in `read the map`.
    pub doing: &'static str,
    /// The file.
    pub path: PathBuf,
    /// The error that the system reported.
    pub source: io::Error,
}

/// Who can fix an error. A command line derives its exit code from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Tier {
    /// The user: words, a map or a file are not valid.
    User,
    /// The user, who named no bot to play.
    Nothing,
    /// The author of the bot, which cannot be built or started.
    Bot,
    /// The administrator of the host, which does not support the requested isolation.
    Isolation,
    /// The administrator of the host, which refuses something else.
    Host,
    /// No one: the work was cancelled.
    Cancelled,
}

/// A text with an error, to be shown as a line with a caret under the place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Excerpt<'a> {
    /// The name of the text's source.
    pub name: &'a str,
    /// The whole text.
    pub text: &'a [u8],
    /// What is wrong in the text, and where.
    pub flaw: &'a Flaw,
}

impl Error {
    /// Returns who can fix the problem.
    #[must_use]
    pub fn tier(&self) -> Tier {
        if self.shortage().is_some() {
            return Tier::Host;
        }
        match self {
            Self::Bot(_)
            | Self::Game(_)
            | Self::Map(_)
            | Self::Replay(_)
            | Self::File(_)
            | Self::Exposed(_)
            | Self::Changed(_)
            | Self::Spec(_) => Tier::User,
            Self::Terms(error) => error.tier(),
            Self::Sandbox(error) => error.tier(),
            Self::Build(error) => error.tier(),
            Self::Of { source, .. } => source.tier(),
            Self::Run(_) | Self::Start(_) | Self::Short(_) | Self::Lacking { .. } => Tier::Host,
            Self::Cancelled => Tier::Cancelled,
        }
    }

    /// Returns what the host is short of, if that is the problem.
    #[must_use]
    pub fn shortage(&self) -> Option<Shortage> {
        match self {
            Self::Short(shortage) | Self::Lacking { shortage, .. } => Some(*shortage),
            Self::Of { source, .. } => source.shortage(),
            // It says itself what the host does not let it do.
            Self::Sandbox(_) => None,
            error => Shortage::among_causes(error),
        }
    }

    /// Blames the host for what looks like a flaw of the bot, if something was missed for a shortage since so much
    /// [was](Shortage::missed): a full disk, or an interpreter that could not be asked.
    pub(crate) fn if_missed(self, before: u64) -> Self {
        if self.tier() != Tier::User || Shortage::missed() == before {
            return self;
        }
        Self::Lacking { what: self.to_string(), shortage: Shortage::last_missed() }
    }

    /// Returns a hint on how to fix the problem, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        if let Some(shortage) = self.shortage() {
            return Some(shortage_hint(shortage).to_owned());
        }
        match self {
            Self::Bot(error) => error.hint(),
            Self::Game(error) => Some(error.hint()),
            Self::Terms(error) => error.hint(),
            Self::Map(error) => error.hint(),
            Self::Sandbox(error) => error.hint(),
            Self::Build(error) => error.hint(),
            Self::Replay(error) => error.hint(),
            Self::Exposed(error) => Some(error.hint()),
            Self::Changed(changed) => Some(changed.hint()),
            Self::Of { source, .. } => source.hint(),
            Self::Spec(flaw) => flaw.hint.as_deref().map(str::to_owned),
            Self::Start(error) => error.refused().map(|_| RETRY_HINT.to_owned()),
            Self::File(_) | Self::Run(_) | Self::Short(_) | Self::Lacking { .. } | Self::Cancelled => None,
        }
    }

    /// Returns whether the error is about an option of `agon`. The message then begins with the name of the option,
    /// without dashes.
    #[must_use]
    pub fn is_of_option(&self) -> bool {
        match self {
            Self::Terms(error) => !matches!(error.part, Part::Bots { .. }),
            Self::Sandbox(error) => error.is_of_option(),
            Self::Exposed(error) => !error.file.is_stream(),
            _ => false,
        }
    }

    /// Returns the text that contains the error, if the error is about a text.
    #[must_use]
    pub fn excerpt(&self) -> Option<Excerpt<'_>> {
        match self {
            Self::Map(MapError::Flawed { name, text, flaw })
            | Self::Build(BuildError::Manifest { name, text, flaw }) => Some(Excerpt { name, text, flaw }),
            Self::Of { source, .. } => source.excerpt(),
            _ => None,
        }
    }

    /// Adds the name of the bot that the error is about, unless the message already names it. A cancellation is about
    /// no bot and stays as it is.
    #[must_use]
    pub fn of(self, bot: &str) -> Self {
        match self {
            Self::Cancelled | Self::Build(BuildError::Champion(_) | BuildError::ChampionFailed(_)) => self,
            source => Self::Of { bot: bot.to_owned(), source: Box::new(source) },
        }
    }
}

#[cfg(target_os = "linux")]
impl From<VisibilityError> for Error {
    fn from(why: VisibilityError) -> Self {
        Self::Sandbox(SandboxError::NotShown { what: "", why })
    }
}

/// Returns what to do about a shortage, as a lower-case fragment.
#[must_use]
pub fn shortage_hint(shortage: Shortage) -> &'static str {
    match shortage {
        Shortage::OpenFiles => {
            "nobody has lost; raise the limit of open files (`ulimit -n`), or play fewer matches at once"
        }
        Shortage::Processes => {
            "nobody has lost; raise the limit of processes (`ulimit -u`, or that of the container), or play fewer matches at once"
        }
        Shortage::Memory => "nobody has lost; close other programs, or play fewer matches at once",
        Shortage::Space => {
            "nobody has lost; make room on the disk, let TMPDIR and XDG_CACHE_HOME name folders on another one, or raise the limit \
             of a file's size (`ulimit -f`)"
        }
    }
}

/// Returns the system's text for an error as a lower-case fragment, without the error number.
#[must_use]
pub fn system_words(why: &io::Error) -> String {
    let text = why.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    #[test]
    fn words_of_the_system_are_fragments() {
        assert_eq!(system_words(&io::Error::from_raw_os_error(2)), "no such file or directory");
    }

    #[test]
    fn a_cause_is_not_lost_in_words() {
        let source = io::Error::from_raw_os_error(2);
        let error = Error::File(FileError { doing: "read the map", path: "m".into(), source }).of("me");
        assert_eq!(error.to_string(), "me: cannot read the map `m`: no such file or directory");
        assert_eq!(error.tier(), Tier::User);
        let of_file = error.source().and_then(|source| source.source()).expect("the system's");
        let cause = of_file.downcast_ref::<io::Error>().expect("an error of the system");
        assert_eq!(cause.raw_os_error(), Some(2));
        assert!(matches!(Error::Cancelled.of("me"), Error::Cancelled));
    }
}
