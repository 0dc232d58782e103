//! Plays the matches of a tournament that another machine leads.
//!
//! A worker asks a server for matches over HTTP ([`agon_spec::WORKER_PATH`]), plays them on its own cores in its own sandbox, and
//! reports their results. It never sees the store of the tournament. [`work()`] does all of it, and tells what it does as
//! [`WorkerEvent`]s.
//!
//! # What is never lost
//!
//! A result is on the disk of the worker before it is reported, and stays there until the server has said that it is on its own. A
//! worker that is killed comes back as the same one, reports what it had played, and gives back what it was playing. Every request
//! may be repeated: a server that is away is asked again, more and more seldom, until it answers.
//!
//! # What is never trusted
//!
//! The bytes of a bot are those that their hash names. The file of a tournament makes no sandbox weaker than the owner of the
//! worker allows, and lets no bot see other files of the machine. Names of maps lead nowhere but into the tournament's folder. No answer is
//! read that is too large, and no redirect is followed, which could send the key elsewhere. Texts from the server are to be cleaned
//! before they are shown.
//!
//! # Threads
//!
//! One thread leads. One plays for each match at the same time, one writes results to the disk, one claims matches, one reports
//! results, and one gives signs of life: none of them waits for another one's answer. What they share is in `shop`.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `address`, `key` | [`ServerAddress`], [`WorkerKey`]: where the server is, and how a worker shows that it may ask |
//! | `work` | [`work()`], [`WorkerOptions`], [`WorkerEnd`]: a worker from its start to its end |
//! | `lead`, `readying`, `parting` | the thread that leads: it says when matches begin, gets ready for them, and says goodbye |
//! | `event`, `error` | [`WorkerEvent`], [`WorkerFailure`]: what it tells, and why it cannot go on |
//! | `clock`, `backoff` | [`Clock`], [`pause`]: time as data, and how long to wait before a request is repeated |
//! | `client`, `trouble` | one request, and what can go wrong with it |
//! | `link` | requests that are repeated until they have an answer |
//! | `place` | the worker's private folder |
//! | `bundle_cache`, `map_name`, `field_folder` | the tournament's folder, made anew from what the server has |
//! | `consent` | what the server may ask of this worker |
//! | `desk` | [`WorkerCounts`]: the matches that the worker has, as a value |
//! | `outbox` | results on disk that are not acknowledged yet |
//! | `convert` | matches and results as they are sent |
//! | `shop`, `threads`, `requests` | what the threads share, and what each of them does |

mod address;
mod backoff;
mod bundle_cache;
mod client;
mod clock;
mod consent;
mod convert;
mod desk;
mod error;
mod event;
mod field_folder;
mod key;
mod lead;
mod link;
mod map_name;
mod outbox;
mod parting;
mod place;
mod readying;
mod requests;
#[cfg(test)]
mod scratch;
mod shop;
mod threads;
mod trouble;
mod work;

pub use address::{AddressError, ServerAddress};
pub use backoff::pause;
pub use clock::{Clock, SystemClock};
pub use desk::WorkerCounts;
pub use error::WorkerFailure;
pub use event::WorkerEvent;
pub use key::{KeyError, WorkerKey};
pub use work::{WorkerEnd, WorkerOptions, work};
