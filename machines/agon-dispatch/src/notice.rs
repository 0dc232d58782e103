//! What the organiser is told of workers.

/// The longest reason in the words of a worker, in bytes.
const LONGEST_REASON: usize = 4_000;

/// Something that the organiser should know. Names, reasons and texts come from workers: clean them before you show them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Notice {
    /// A worker has come.
    Came {
        /// Its number.
        worker: u32,
        /// Its name.
        name: String,
        /// How many matches it plays at the same time.
        cores: u32,
    },
    /// A worker has left, or was silent for so long that its matches are played elsewhere.
    Gone {
        /// Its name.
        name: String,
        /// How many matches it had.
        held: usize,
        /// Whether it was silent, and may come back.
        silent: bool,
    },
    /// A worker that was silent is there again.
    Back {
        /// Its name.
        name: String,
    },
    /// A bot does not start on this worker. Its matches go to others.
    BotFails {
        /// The name of the worker.
        name: String,
        /// The number of the bot.
        bot: u32,
        /// Why, in the words of the worker.
        why: String,
    },
    /// A match was lost with its worker, or given back.
    Lost {
        /// The number of the match.
        id: u64,
        /// Why.
        why: String,
    },
    /// A match is left that no worker which is there can play, because none has all of its bots ready.
    Nobody {
        /// The number of the match.
        id: u64,
        /// The numbers of its bots.
        bots: Vec<u32>,
    },
    /// A worker has lied, or its machine is not to be trusted. It gets no more matches, and those that it has played are played again.
    PutAside {
        /// Its name.
        name: String,
        /// Why.
        why: String,
    },
    /// Bots do on the machine that leads what they do nowhere else.
    StandsOut {
        /// Its name.
        name: String,
        /// What they do.
        why: String,
    },
    /// The result of a worker could not be checked.
    Unchecked {
        /// The number of the match.
        id: u64,
        /// Why.
        why: String,
    },
    /// There has been no worker for long, and nobody else plays.
    NoWorker,
}

/// Cuts a reason in the words of a worker at the end of a character, if it is too long to be kept and shown.
pub(crate) fn reason(mut why: String) -> String {
    if why.len() > LONGEST_REASON {
        why.truncate(why.floor_char_boundary(LONGEST_REASON));
        why.push('…');
    }
    why
}
