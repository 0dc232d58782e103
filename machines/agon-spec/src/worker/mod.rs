//! The documents between a tournament and the workers on other machines that play its matches.
//!
//! A worker speaks HTTP/1.1 with JSON. It sends `Authorization: Bearer KEY` with each request, and [`WORKER_HEADER`] with each
//! one but the first. Every answer that is an error is a [`WorkerErrorDocument`]; those with the status 429 or 503 have the
//! header `Retry-After`, in seconds. Bodies have no key `schema`: the version of all documents is in the path.
//!
//! | request | body | answer |
//! | --- | --- | --- |
//! | `POST /worker/1/register` | [`WorkerRegister`] | [`WorkerRegistered`] |
//! | `GET /worker/1/field` | | [`WorkerField`] |
//! | `GET /worker/1/bundle/HASH?from=BYTE` | | the bytes of a bot's bundle, from this one on |
//! | `GET /worker/1/blob/HASH` | | the bytes of a map, or of a replay that is to be checked |
//! | `POST /worker/1/ready` | [`WorkerReady`] | [`WorkerNoted`] |
//! | `POST /worker/1/claim` | [`WorkerClaim`] | [`WorkerClaimed`] |
//! | `POST /worker/1/beat` | [`WorkerBeat`] | [`WorkerBeaten`] |
//! | `PUT /worker/1/blob/HASH` | the bytes of a replay or a log | [`WorkerNoted`] |
//! | `POST /worker/1/report` | [`WorkerReport`] | [`WorkerReported`] |
//! | `POST /worker/1/checked` | [`WorkerChecked`] | [`WorkerNoted`] |
//! | `POST /worker/1/release` | [`WorkerRelease`] | [`WorkerNoted`] |
//! | `POST /worker/1/give-back` | [`WorkerGiveBack`] | [`WorkerNoted`] |
//! | `POST /worker/1/leave` | [`WorkerLeave`] | [`WorkerNoted`] |
//!
//! Every request may be repeated: it then has the answer that the first one had, or one that says the same.

mod check;
mod error;
mod field;
mod lease;
mod register;
mod report;

pub use check::{WorkerCheck, WorkerChecked, WorkerFinding, WorkerFound, WorkerMatchEnd};
pub use error::{WorkerError, WorkerErrorCode, WorkerErrorDocument};
pub use field::{WorkerField, WorkerFieldBot, WorkerFieldMap, WorkerReady, WorkerReadyBot, WorkerReplays};
pub use lease::{
    WorkerBeat, WorkerBeaten, WorkerClaim, WorkerClaimed, WorkerGiveBack, WorkerHeld, WorkerLease, WorkerLeave,
    WorkerMatch, WorkerNoted, WorkerRelease,
};
pub use register::{WorkerMachine, WorkerRegister, WorkerRegistered, WorkerTool, WorkerTournament};
pub use report::{
    WorkerAnswer, WorkerEnding, WorkerFault, WorkerOutcome, WorkerRefusals, WorkerReport, WorkerReported, WorkerResult,
    WorkerSeat, WorkerSettled,
};

/// The version of the requests of workers, which is part of their paths. It changes when a key is removed or changes its meaning.
pub const WORKER_VERSION: u32 = 1;

/// What the path of each request of a worker begins with.
pub const WORKER_PATH: &str = "/worker/1";

/// The header with which a worker names itself in each request after the first: its [`instance`](WorkerRegister::instance).
/// A server that does not know the instance answers [`WorkerErrorCode::UnknownWorker`]: then the worker registers again.
pub const WORKER_HEADER: &str = "Agon-Worker";

/// For how long a claim may wait for matches, in milliseconds. A longer wait is cut down to it.
pub const WORKER_WAIT_MS: u32 = 20_000;

/// The most matches that one claim gives. More is cut down to it.
pub const WORKER_MOST: u32 = 512;

/// The size of a document of a worker, in bytes, above which it is refused.
pub const WORKER_DOCUMENT_LIMIT: usize = 4 << 20;

/// The size of a replay or a log, in bytes, above which it is refused.
pub const WORKER_BLOB_LIMIT: usize = 64 << 20;
