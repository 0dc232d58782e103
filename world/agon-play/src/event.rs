//! The events of preparations and matches, in one stream.

use agon_build::{Language, Plan};
use agon_core::Seat;
use agon_referee::{Denial, MatchEvent};
use agon_run::Chunk;
use std::path::Path;

/// An event of a preparation or a match.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// It was chosen what of a bot's files is built and played.
    Planned {
        /// The bot's folder or archive.
        bot: &'a Path,
        /// What was chosen, and why.
        plan: &'a Plan,
    },
    /// A build begins.
    Building {
        /// The bot's folder or archive.
        bot: &'a Path,
        /// The bot's language, if it is known.
        language: Option<Language>,
    },
    /// A build has written output.
    BuildLog {
        /// The bot's folder or archive.
        bot: &'a Path,
        /// The bytes as the build wrote them. A piece may end anywhere, even inside a character.
        bytes: &'a [u8],
    },
    /// A result in the cache is not used, because it may have been changed; or a bot may miss something, such as a
    /// package.
    Warning {
        /// The bot's folder, archive or shared object.
        bot: &'a Path,
        /// The reason, and what happens instead. It is not cleaned for a terminal.
        text: &'a str,
    },
    /// A step of a match.
    Match(&'a MatchEvent),
    /// A bot has read or written bytes. Only the streams that [`PlayOptions::listen`](crate::PlayOptions) selects are
    /// reported.
    Chunk(&'a Chunk<'a>),
    /// The match awaits a decision of a person.
    Asked {
        /// The seat of the person.
        seat: Seat,
    },
    /// The match has denied a request of a person.
    Denied {
        /// The seat whose decision was denied. `None` if the request was an undo or an edit of the position.
        seat: Option<Seat>,
        /// The reason, for the person who asked.
        why: &'a Denial,
    },
}
