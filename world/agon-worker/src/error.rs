//! Why a worker ends without being asked to.

use agon_spec::WorkerError;
use agon_tournament::TournamentError;
use std::{io, path::PathBuf};

/// Why a worker cannot go on. Messages may quote the server or bots, so clean them before you show them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerFailure {
    /// What answers at the address is no server of Agon.
    #[error("`{address}` leads no tournament: {why}")]
    Stranger {
        /// The address.
        address: String,
        /// What answers there.
        why: String,
    },
    /// The server was away for long, and nothing on this worker depends on its return.
    #[error("`{address}` was away for {minutes} minutes: {why}")]
    Gone {
        /// The address.
        address: String,
        /// What was wrong with the last request.
        why: String,
        /// For how long no request had an answer.
        minutes: u64,
    },
    /// The server takes another key.
    #[error("the server refuses the key: {}", .0.message)]
    WrongKey(WorkerError),
    /// The server has another version of Agon.
    #[error("the server has another version: {}", .0.message)]
    OtherVersion(WorkerError),
    /// The organiser wants no more matches from this worker.
    #[error("the organiser has put this worker aside: {}", .0.message)]
    PutAside(WorkerError),
    /// The server refuses a request for another reason.
    #[error("the server refuses `{request}`: {}", .error.message)]
    Refused {
        /// The name of the request.
        request: &'static str,
        /// What the server says.
        error: WorkerError,
    },
    /// What the server has sent of the tournament cannot be used.
    #[error("the tournament cannot be played here: {0}")]
    Field(String),
    /// The tournament would do on this machine what its owner has not allowed.
    #[error("the server asks for more than this worker allows: {}", .0.what)]
    NotAllowed(agon_core::Flaw),
    /// The bots or the maps of the tournament cannot be used.
    #[error(transparent)]
    Tournament(#[from] TournamentError),
    /// A file or a folder of the worker cannot be used.
    #[error("cannot {doing} `{}`: {}", .path.display(), agon_play::system_words(.source))]
    File {
        /// What failed, for example `write`.
        doing: &'static str,
        /// The file or the folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// There is no place for the worker's files.
    #[error("{0}")]
    NoPlace(agon_core::Flaw),
    /// The system starts no thread, or has no more descriptors.
    #[error("cannot play: {}", agon_play::system_words(.0))]
    System(#[source] io::Error),
}

impl WorkerFailure {
    /// Returns the way out, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Stranger { .. } => Some("give the address that `agon tournament run --listen` has told".to_owned()),
            Self::Gone { .. } => Some("start it again when the tournament is led again".to_owned()),
            Self::WrongKey(error) => Some(error.hint.clone().unwrap_or_else(|| {
                "copy the file with the key again from the machine that leads the tournament".to_owned()
            })),
            Self::OtherVersion(error) => Some(
                error.hint.clone().unwrap_or_else(|| "install the same version of Agon on all machines".to_owned()),
            ),
            Self::PutAside(error) | Self::Refused { error, .. } => error.hint.clone(),
            Self::Tournament(why) => why.hint(),
            Self::NoPlace(flaw) | Self::NotAllowed(flaw) => flaw.hint.as_deref().map(str::to_owned),
            Self::File { .. } => {
                Some("the files of workers are in XDG_CACHE_HOME, else in ~/.cache: there must be room".to_owned())
            }
            Self::Field(_) | Self::System(_) => None,
        }
    }

    pub(crate) fn file(doing: &'static str, path: &std::path::Path, source: io::Error) -> Self {
        Self::File { doing, path: path.to_owned(), source }
    }
}
