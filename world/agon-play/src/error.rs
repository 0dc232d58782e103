//! Why something cannot be done, and whose affair that is.
//!
//! Texts quote what users and bots wrote as it was: whoever shows them on a terminal cleans them.

use crate::{BotError, BuildError, MapError, NoGame, Part, ReplayError, SandboxError, TermsError};
use agon_core::Flaw;
#[cfg(target_os = "linux")]
use agon_sandbox::VisibilityError;
use std::{
    io,
    path::{Path, PathBuf},
};

/// What most functions of this crate give.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Words name no bot.
    #[error(transparent)]
    Bot(#[from] BotError),
    /// There is no such game.
    #[error(transparent)]
    Game(#[from] NoGame),
    /// What a match was to be played by cannot be taken.
    #[error(transparent)]
    Terms(#[from] TermsError),
    /// A map cannot be read or played.
    #[error(transparent)]
    Map(#[from] MapError),
    /// Bots cannot be isolated as was asked for.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A bot cannot be taken in or built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A replay cannot be read or written.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// About one bot of several.
    #[error("{bot}: {source}")]
    Of {
        /// Its name.
        bot: String,
        /// What is wrong with it.
        source: Box<Error>,
    },
    /// A description of a match is no match, as one from a document may be.
    #[error("{0}")]
    Spec(#[source] Flaw),
    /// The system refuses what every match needs.
    #[error("cannot run the match: {}", system_words(.0))]
    Run(#[source] io::Error),
    /// Somebody has cancelled.
    #[error("interrupted")]
    Cancelled,
}

/// A file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} `{}`: {}", .path.display(), system_words(.source))]
pub struct FileError {
    /// As `read the map`.
    pub doing: &'static str,
    /// The file.
    pub path: PathBuf,
    /// The answer of the system.
    pub source: io::Error,
}

/// Whose affair an error is: what a command line makes its exit code of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Tier {
    /// The user's: words, a map or a file that cannot be taken.
    User,
    /// The user's, who has named nothing to play.
    Nothing,
    /// The bot's, which cannot be built or started.
    Bot,
    /// The host's, which does not have the isolation that was asked for.
    Isolation,
    /// The host's, which refuses something else.
    Host,
    /// Nobody's: it was interrupted.
    Cancelled,
}

/// A text in which something is wrong, for a line with a caret under the place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Excerpt<'a> {
    /// Where the text came from.
    pub name: &'a str,
    /// All of it.
    pub text: &'a [u8],
    /// What is wrong with it and where.
    pub flaw: &'a Flaw,
}

impl Error {
    /// Whose affair it is.
    #[must_use]
    pub fn tier(&self) -> Tier {
        match self {
            Self::Bot(_) | Self::Game(_) | Self::Map(_) | Self::Replay(_) | Self::File(_) | Self::Spec(_) => Tier::User,
            Self::Terms(error) => error.tier(),
            Self::Sandbox(error) => error.tier(),
            Self::Build(error) => error.tier(),
            Self::Of { source, .. } => source.tier(),
            Self::Run(_) => Tier::Host,
            Self::Cancelled => Tier::Cancelled,
        }
    }

    /// The way out, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Bot(error) => error.hint(),
            Self::Game(error) => Some(error.hint()),
            Self::Terms(error) => error.hint(),
            Self::Map(error) => error.hint(),
            Self::Sandbox(error) => error.hint(),
            Self::Build(error) => error.hint(),
            Self::Replay(error) => error.hint(),
            Self::Of { source, .. } => source.hint(),
            Self::Spec(flaw) => flaw.hint.clone(),
            Self::File(_) | Self::Run(_) | Self::Cancelled => None,
        }
    }

    /// Whether it is about an option of `agon`: then its text begins with the name of that, without dashes.
    #[must_use]
    pub fn is_of_option(&self) -> bool {
        match self {
            Self::Terms(error) => !matches!(error.part, Part::Bots { .. }),
            Self::Sandbox(error) => error.is_of_option(),
            _ => false,
        }
    }

    /// The text in which something is wrong, if it is about one.
    #[must_use]
    pub fn excerpt(&self) -> Option<Excerpt<'_>> {
        match self {
            Self::Map(MapError::Flawed { name, text, flaw })
            | Self::Build(BuildError::Manifest { name, text, flaw }) => Some(Excerpt { name, text, flaw }),
            Self::Of { source, .. } => source.excerpt(),
            _ => None,
        }
    }

    /// With the name of the bot that it is about, where its text does not say that. An interruption is about none.
    #[must_use]
    pub fn of(self, bot: &str) -> Self {
        match self {
            Self::Cancelled | Self::Build(BuildError::Champion(_) | BuildError::ChampionFailed(_)) => self,
            source => Self::Of { bot: bot.to_owned(), source: Box::new(source) },
        }
    }

    pub(crate) fn file(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self::File(FileError { doing, path: path.to_owned(), source })
    }
}

#[cfg(target_os = "linux")]
impl From<VisibilityError> for Error {
    fn from(why: VisibilityError) -> Self {
        Self::Sandbox(SandboxError::NotShown { what: "", why })
    }
}

/// The words of the system for an error, without its number and as a lower-case fragment.
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
        let error = Error::file("read the map", Path::new("m"), io::Error::from_raw_os_error(2)).of("me");
        assert_eq!(error.to_string(), "me: cannot read the map `m`: no such file or directory");
        assert_eq!(error.tier(), Tier::User);
        let of_file = error.source().and_then(|source| source.source()).expect("the system's");
        let cause = of_file.downcast_ref::<io::Error>().expect("an error of the system");
        assert_eq!(cause.raw_os_error(), Some(2));
        assert!(matches!(Error::Cancelled.of("me"), Error::Cancelled));
    }
}
