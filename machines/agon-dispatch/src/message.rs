//! Everything that passes between the dispatcher and others.

use crate::Notice;
use agon_spec::{
    WorkerAnswer, WorkerBeat, WorkerBeaten, WorkerCheck, WorkerChecked, WorkerClaim, WorkerClaimed, WorkerError,
    WorkerErrorCode, WorkerFinding, WorkerGiveBack, WorkerLease, WorkerReady, WorkerRegister, WorkerRegistered,
    WorkerRelease, WorkerReport, WorkerReported, WorkerSettled,
};

/// What the dispatcher learns.
#[derive(Clone, PartialEq, Debug)]
pub enum In {
    /// A worker asks.
    Asked {
        /// Where the answer goes. No two requests have the same number.
        asker: u64,
        /// The instance that the worker names. It is empty for [`Request::Register`], whose document has it.
        instance: String,
        /// What it asks.
        request: Request,
    },
    /// Nobody waits for the answer to this request any more.
    Hung {
        /// The number of the request.
        asker: u64,
    },
    /// The load answers [`Do::Want`], once for each.
    Given {
        /// The number of the request, as it was wanted.
        asker: u64,
        /// Matches that nobody else has. There may be fewer than were wanted, or none: then [`In::More`] follows when there
        /// may be some.
        leases: Vec<WorkerLease>,
        /// Results of others that the worker is to check. If they do not reach it, or it does not answer, the load gives them to
        /// somebody else: the dispatcher forgets them.
        checks: Vec<WorkerCheck>,
        /// The first matches that were left out because the worker has not all of their bots ready.
        passed: Vec<Passed>,
    },
    /// The load has matches again.
    More,
    /// The load answers [`Do::Store`]: these results are on disk, or it is known what became of them.
    Settled(Vec<WorkerAnswer>),
    /// The load answers [`Do::Adopt`].
    Adopted {
        /// The number of the worker.
        worker: u32,
        /// Those of its matches that still count, and that it has from now on.
        leases: Vec<WorkerLease>,
        /// The tokens that mean nothing.
        strange: Vec<u64>,
    },
    /// These leases are over, because the matches are, or do not count.
    Ended(Vec<u64>),
    /// No more matches are wanted from workers of this name, whether they are here or come later.
    PutAside {
        /// The name that they give themselves.
        name: String,
        /// Why.
        why: String,
    },
    /// The run ends before the tournament does. Results are still taken, but nothing more is handed out.
    Closing,
    /// Every match is over.
    Finished,
    /// Time goes by. It should come ten times a second.
    Tick,
}

/// A match that a worker could not be given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passed {
    /// The number of the match.
    pub id: u64,
    /// The numbers of its bots.
    pub bots: Vec<u32>,
}

/// What a worker asks.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "each is the document of the same name")]
pub enum Request {
    Register(WorkerRegister),
    Ready(WorkerReady),
    Claim(WorkerClaim),
    Beat(WorkerBeat),
    Report(WorkerReport),
    Checked(WorkerChecked),
    Release(WorkerRelease),
    GiveBack(WorkerGiveBack),
    Leave,
}

/// What others are to do.
#[derive(Clone, PartialEq, Debug)]
pub enum Do {
    /// Answer a request.
    Answer {
        /// The number of the request.
        asker: u64,
        /// The answer.
        answer: Result<Answer, Refusal>,
    },
    /// The load notes a worker, which is new or has changed.
    Meet {
        /// The number of the worker.
        worker: u32,
        /// What it says of itself.
        about: Box<WorkerRegister>,
    },
    /// The load hands out matches for a worker: [`In::Given`].
    Want {
        /// The number of the request.
        asker: u64,
        /// The number of the worker.
        worker: u32,
        /// How many matches, at most.
        count: usize,
        /// The bots that it has not ready: none of their matches.
        without: Vec<u32>,
    },
    /// The load stores a result, if its match is still open, and answers [`In::Settled`]. It checks that the token is of a lease of
    /// this match if the dispatcher does not know it.
    Store {
        /// The number of the worker.
        worker: u32,
        /// The result.
        settled: WorkerSettled,
        /// Whether the dispatcher knows the lease, and that it is of this match.
        known: bool,
    },
    /// The load takes what a worker has found about results of others.
    Checked {
        /// The number of the worker.
        worker: u32,
        /// What it has found. Nothing of it is believed where it accuses somebody.
        findings: Vec<WorkerFinding>,
    },
    /// The load prolongs these leases by [`Settings::lease_ms`](crate::Settings::lease_ms).
    Extend(Vec<u64>),
    /// The load looks whether these leases of an earlier run still count: [`In::Adopted`].
    Adopt {
        /// The number of the worker.
        worker: u32,
        /// The tokens.
        tokens: Vec<u64>,
    },
    /// The load takes a match back whose attempt has failed.
    GiveBack {
        /// The token of its lease.
        token: u64,
        /// Whether it ended because nothing was heard of the worker.
        silent: bool,
        /// Why.
        why: String,
    },
    /// The load takes matches back that were not played.
    Release(Vec<u64>),
    /// The load ends a match as spoilt, because it has cost one worker after another.
    Spoil {
        /// The token of its last lease.
        token: u64,
        /// The number of the match.
        id: u64,
        /// Why.
        why: String,
    },
    /// The organiser is told.
    Tell(Notice),
}

/// An answer to a worker.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "each is the document of the same name")]
pub enum Answer {
    Registered(WorkerRegistered),
    Claimed(WorkerClaimed),
    Beaten(WorkerBeaten),
    Reported(WorkerReported),
    Noted,
}

/// Why a request is not answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// What the worker is told.
    pub error: WorkerError,
    /// After how many seconds it may ask again.
    pub retry_after_s: Option<u32>,
}

impl Refusal {
    /// Makes a refusal.
    #[must_use]
    pub fn new(code: WorkerErrorCode, message: impl Into<String>) -> Self {
        Self { error: WorkerError { code, message: message.into(), hint: None }, retry_after_s: None }
    }

    /// Adds what a person may do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.error.hint = Some(hint.into());
        self
    }

    /// Adds after how many seconds the worker may ask again. `chance` spreads workers that were refused together over that much
    /// time again.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32, chance: u64) -> Self {
        let spread = u64::from(seconds) + 1;
        self.retry_after_s = Some(seconds.saturating_add((mixed(chance) % spread) as u32));
        self
    }
}

/// Mixes the bits of a number (the finaliser of SplitMix64), so that numbers that follow each other are spread.
fn mixed(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
