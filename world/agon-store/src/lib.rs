//! Keeps what a tournament has played. A result is on disk before anybody is shown it.
//!
//! ```
//! use agon_store::{Completion, MatchQueue, PlannedMatch, RecordedResult, RecordedSeat, Records, Registry, Report, Sqlite};
//! # let folder = std::env::temp_dir().join(format!("agon-store-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let path = folder.join("cup.agon");
//!
//! let store = Sqlite::open(&path)?;
//! store.enqueue(vec![PlannedMatch { id: 1, bots: vec![0, 1], ..PlannedMatch::default() }]).wait()?;
//!
//! // A worker takes a match, plays it, and reports its result.
//! let worker = store.add_worker("my-pc", "{}", 0);
//! store.hurry();
//! let lease = store.claim(worker.wait()?, 1, 0, 60_000)?.remove(0);
//! let seat = |place| RecordedSeat { place, ..RecordedSeat::default() };
//! let result = RecordedResult { seats: vec![seat(1), seat(2)], ..RecordedResult::default() };
//! let report = Report { id: lease.planned.id, token: Some(lease.token), result: result.into(), blobs: Vec::new() };
//! let ticket = store.complete(report);
//!
//! // The ticket is due when the result is on disk. Only then may it be shown.
//! assert_eq!(ticket.wait()?, Completion::Stored);
//! assert_eq!(store.progress()?.finished, 1);
//! # drop(store);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what it defines |
//! | --- | --- |
//! | `record` | [`PlannedMatch`], [`RecordedResult`], [`StoredMatch`]: matches and their results |
//! | `attempt` | [`Attempt`]: how a match was played in vain |
//! | `worker` | [`StoredWorker`]: the machines that play |
//! | `bot` | [`StoredBot`], [`BotVersion`]: bots and their versions |
//! | `decision` | [`Decision`], [`EarlierResult`]: decisions of the organiser that change what is stored |
//! | `event` | [`StoredEvent`]: what happened beside the matches |
//! | `blob` | [`Blob`], [`BlobHash`]: replays and logs, named by their content |
//! | `artefact` | [`Artefact`]: what is too large for one blob |
//! | `queue` | [`MatchQueue`], [`BlobStore`], [`Records`], [`Registry`]: what every back end can do |
//! | `boxed` | [`OpenStore`], [`StoreReader`]: stores of any back end |
//! | `ticket` | [`Ticket`]: a write that is on its way to the disk |
//! | `transfer` | [`Part`]: a tournament on its way from one store to another |
//! | `audit` | [`audit`](audit()): whether a store is whole |
//! | `claims` | [`Claims`]: who has claimed which match, for back ends |
//! | `backend` | what a back end keeps in memory while it writes |
//! | `memory` | [`Memory`]: a back end that keeps nothing |
//! | `sqlite` | [`Sqlite`], [`SqliteReader`]: a back end in one file |
//! | `error` | [`StoreError`]: why a store cannot be used |
//! | `conformance` | the tests that every back end must pass (feature `conformance`) |
//!
//! The store knows bots and maps by number and does not know the rules of any game or tournament. Times are data: a
//! caller passes them in, and nothing depends on whether they are true.
//!
//! Another crate can be a back end, too: it implements the four traits, answers with [`Ticket::new`], and shows with
//! `conformance` that it does what they say.

mod artefact;
mod attempt;
mod audit;
pub mod backend;
pub mod bench;
mod blob;
mod bot;
mod boxed;
mod claims;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod decision;
mod error;
mod event;
mod memory;
mod queue;
mod record;
mod sqlite;
mod ticket;
mod transfer;
mod worker;

pub use artefact::Artefact;
pub use attempt::{Attempt, AttemptEnd};
pub use audit::{Audit, audit};
pub use blob::{Blob, BlobHash};
pub use bot::{BotTotals, BotVersion, StoredBot};
pub use boxed::{OpenStore, StoreReader};
pub use claims::{Claims, first_token};
pub use decision::{BotChange, Decision, EarlierResult};
pub use error::{Result, StoreError};
pub use event::{EventKind, StoredEvent};
pub use memory::Memory;
pub use queue::{BlobStore, MatchQueue, Records, Registry, Store};
pub use record::{
    Claim, Completion, Ending, FileVersion, Lease, MatchState, PlannedMatch, Progress, RecordedFault, RecordedRefusals,
    RecordedResult, RecordedSeat, Report, Snapshot, StoredMap, StoredMatch,
};
pub use sqlite::{SCHEMA, Sqlite, SqliteReader, files_of_store, move_aside};
pub use ticket::Ticket;
pub use transfer::{Copied, Part, TakePart};
pub use worker::StoredWorker;
