//! All that a caller may want to hear of, in one stream.

use agon_build::Language;
use agon_core::Seat;
use agon_referee::{Denial, MatchEvent};
use agon_run::Chunk;
use std::path::Path;

/// Something that happened while bots were prepared or a match was played.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A build begins.
    Building {
        /// The bot's folder or archive.
        bot: &'a Path,
        /// Its language, if that is known.
        language: Option<Language>,
    },
    /// A build writes this.
    BuildLog {
        /// The bot's folder or archive.
        bot: &'a Path,
        /// As it was, cut wherever the system cut it.
        bytes: &'a [u8],
    },
    /// A step of a match.
    Match(&'a MatchEvent),
    /// A bot has read or written something; only what was asked for with [`PlayOptions::listen`](crate::PlayOptions).
    Chunk(&'a Chunk<'a>),
    /// A person is asked for a decision.
    Asked {
        /// Whose turn it is.
        seat: Seat,
    },
    /// What a person asked for cannot be done.
    Denied {
        /// Who decided, or `None` if it was an undo or another position.
        seat: Option<Seat>,
        /// The reason, for the person who asked.
        why: &'a Denial,
    },
}
