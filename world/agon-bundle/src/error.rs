//! Why a bundle cannot be written, read or unpacked.

use crate::BundleHash;
use std::{io, path::PathBuf};
use thiserror::Error;

/// Why a bundle cannot be written, read or unpacked. The texts may quote names of files, but have no control characters.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The bytes are no bundle in the canonical form.
    #[error("`{entry}` {why}: this is no bundle that Agon has written, so fetch it again")]
    Refused {
        /// The entry that is wrong, or a word for the part of the bundle.
        entry: String,
        /// What is wrong with it.
        why: String,
    },
    /// The bundle is another one than was asked for.
    #[error("the bundle has the hash {found} in place of {wanted}: fetch it again")]
    OtherBundle {
        /// The hash that was asked for.
        wanted: BundleHash,
        /// The hash of the bytes.
        found: BundleHash,
    },
    /// A file has changed since the bundle was planned.
    #[error("`{0}` has changed since the bundle was planned: leave the files of bots alone while they are packed")]
    Changed(String),
    /// A file of the bot cannot be read.
    #[error("cannot read `{}`: {source}", .path.display())]
    Source {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// There is another file where one of the bundle belongs.
    #[error("`{0}` is there already, and differs: unpack into another folder")]
    Differs(String),
    /// A file cannot be written.
    #[error("cannot write `{}`: {source}", .path.display())]
    Unpack {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The bot's folder can no longer be taken.
    #[error("{0}")]
    Taken(agon_core::Flaw),
    /// The stream of the bundle cannot be read or written.
    #[error("{0}")]
    Stream(#[source] io::Error),
}

impl BundleError {
    pub(crate) fn refused(entry: &[u8], why: impl Into<String>) -> Self {
        Self::Refused { entry: shown(entry), why: why.into() }
    }
}

/// An error of a stream may have come from a layer below that has its own message.
impl From<io::Error> for BundleError {
    fn from(why: io::Error) -> Self {
        match why.downcast::<Self>() {
            Ok(own) => own,
            Err(why) => Self::Stream(why),
        }
    }
}

/// A layer above only knows streams.
impl From<BundleError> for io::Error {
    fn from(why: BundleError) -> Self {
        match why {
            BundleError::Stream(why) => why,
            why => Self::other(why),
        }
    }
}

/// Formats a name for a message: on one line, and shortened if it is long.
pub(crate) fn shown(raw: &[u8]) -> String {
    const MOST: usize = 100;
    let text = String::from_utf8_lossy(raw);
    let escaped: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().count() > MOST { format!("{escaped}…") } else { escaped }
}
