//! What a worker tells while it works.

use crate::desk::WorkerCounts;
use agon_play::Room;
use agon_spec::{WorkerOutcome, WorkerTournament};
use agon_store::RecordedResult;
use std::path::PathBuf;

/// What a worker tells while it works. Texts may quote the server or bots, so clean them before you show them.
#[derive(Debug)]
#[non_exhaustive]
pub enum WorkerEvent<'a> {
    /// The server cannot be reached, or asks for patience. The worker asks again until it answers.
    Away {
        /// What is wrong.
        why: String,
    },
    /// The server answers again.
    Back,
    /// The server knows this worker.
    Registered {
        /// The number of the worker, from 1.
        worker: u32,
        /// The tournament that it plays.
        tournament: WorkerTournament,
    },
    /// A bot is being fetched.
    Fetching {
        /// The name of the bot.
        bot: String,
        /// The bytes that are there.
        there: u64,
        /// The size of the whole, in bytes.
        size: u64,
    },
    /// A bot is being prepared.
    Preparing(agon_play::Event<'a>),
    /// The host has no room for as many matches at once as there are cores.
    Room {
        /// How many matches there would be.
        wanted: usize,
        /// How many there are, and why.
        room: Room,
    },
    /// A bot is started to see whether it can be.
    Starting {
        /// The name of the bot.
        bot: String,
    },
    /// The bots are ready.
    Ready {
        /// How many bots play here.
        bots: usize,
        /// The others, each with the reason.
        broken: Vec<(String, String)>,
        /// What the user must know about the isolation of the bots.
        warning: Option<String>,
        /// How many matches are played at the same time.
        at_once: usize,
    },
    /// A match has begun.
    Start {
        /// The number of the thread that plays it, from 0.
        thread: usize,
        /// The number of the match.
        id: u64,
        /// The number of the bot in each seat, from 0.
        bots: Vec<u32>,
    },
    /// A match is over. Its result is still to be kept and reported.
    Match {
        /// The number of the match.
        id: u64,
        /// The number of the bot in each seat, from 0.
        bots: Vec<u32>,
        /// The result.
        result: Box<RecordedResult>,
    },
    /// The server has answered to a result.
    Answered {
        /// The number of the match.
        id: u64,
        /// What became of it.
        outcome: WorkerOutcome,
    },
    /// A result of another worker was checked. Only the server is told what was found.
    Checked {
        /// The number of the match.
        id: u64,
    },
    /// A match could not be played here and is given back.
    GivenBack {
        /// The number of the match. `None` if an earlier process had it.
        id: Option<u64>,
        /// Why it could not be played.
        why: String,
    },
    /// The server has taken matches back: they were with this worker for too long without a sign of life, or do not count any more.
    Lost {
        /// How many.
        matches: usize,
    },
    /// A bot that could be started cannot be any more.
    Broken {
        /// The name of the bot.
        bot: String,
        /// The reason.
        why: String,
    },
    /// A replay or a log was too large to be sent. The result counts without it.
    TooLarge {
        /// The number of the match.
        id: u64,
    },
    /// Results cannot be kept on disk. The worker tries again, and claims no matches meanwhile.
    Unkept {
        /// The reason.
        why: String,
    },
    /// A file with results is damaged, and was put aside.
    Damaged {
        /// Where it is now.
        path: PathBuf,
    },
    /// The tournament's file or its bots have changed: the folder is made anew when the running matches have ended.
    Edition,
    /// The tournament has no more matches.
    Finished,
    /// Time passes: how many matches are where.
    Tick(WorkerCounts),
}

impl WorkerEvent<'_> {
    /// Returns the name of the event, as in `--format json-lines`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Away { .. } => "away",
            Self::Back => "back",
            Self::Registered { .. } => "registered",
            Self::Fetching { .. } => "fetching",
            Self::Preparing(_) => "preparing",
            Self::Room { .. } => "room",
            Self::Starting { .. } => "starting",
            Self::Ready { .. } => "ready",
            Self::Start { .. } => "start",
            Self::Match { .. } => "match",
            Self::Answered { .. } => "answered",
            Self::Checked { .. } => "checked",
            Self::GivenBack { .. } => "given_back",
            Self::Lost { .. } => "lost",
            Self::Broken { .. } => "broken",
            Self::TooLarge { .. } => "too_large",
            Self::Unkept { .. } => "unkept",
            Self::Damaged { .. } => "damaged",
            Self::Edition => "edition",
            Self::Finished => "finished",
            Self::Tick(_) => "tick",
        }
    }
}
