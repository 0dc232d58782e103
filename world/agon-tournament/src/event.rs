//! What a run tells while it works.

use agon_dispatch::Notice;
use agon_store::{Progress, RecordedResult};
use agon_tourney::Standings;
use std::sync::Arc;

/// What a run tells while it works. Texts may quote bots, so clean them before you show them.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum TournamentEvent {
    /// A match has begun.
    Start {
        /// The number of the worker that plays it, from 0. The match that it has played before is over, also if its
        /// result is still to be told.
        worker: usize,
        /// The number of the match.
        id: u64,
        /// The number of the bot in each seat, from 0.
        bots: Vec<u32>,
    },
    /// A match is over, and its result is on disk.
    Match {
        /// The number of the match.
        id: u64,
        /// The number of the bot in each seat, from 0.
        bots: Vec<u32>,
        /// The result.
        result: Arc<RecordedResult>,
    },
    /// The table has changed.
    Standing {
        /// The number of matches that are over.
        over: u64,
        /// The table.
        standings: Box<Standings>,
    },
    /// The host spoilt a match, which is played again.
    Spoilt {
        /// The number of the match.
        id: u64,
        /// What the host did.
        why: String,
        /// Whether the match was spoilt again and again, so that it is played again behind all others.
        last: bool,
    },
    /// A bot was withdrawn.
    Withdrawn {
        /// The number of the bot, from 0.
        bot: u32,
        /// The reason.
        why: String,
    },
    /// The files of a bot are not those that were prepared any more. Its matches wait for the next run, which makes a new
    /// version of it.
    Changed {
        /// The number of the bot, from 0.
        bot: u32,
        /// What has changed.
        why: String,
    },
    /// Something about workers on other machines.
    Workers(Notice),
    /// The run has ended.
    End {
        /// Whether every match is over.
        complete: bool,
        /// How far the tournament is.
        progress: Progress,
        /// The table.
        standings: Box<Standings>,
    },
}

impl TournamentEvent {
    /// Returns the name of the event: `start`, `match`, `standing`, `spoilt`, `withdrawn`, `changed`, `workers` or `end`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Start { .. } => "start",
            Self::Match { .. } => "match",
            Self::Standing { .. } => "standing",
            Self::Spoilt { .. } => "spoilt",
            Self::Withdrawn { .. } => "withdrawn",
            Self::Changed { .. } => "changed",
            Self::Workers(_) => "workers",
            Self::End { .. } => "end",
        }
    }
}
