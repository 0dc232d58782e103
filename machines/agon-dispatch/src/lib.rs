//! Hands the matches of a tournament to workers on other machines.
//!
//! Messages go in ([`In`], each with its instant), and instructions come out ([`Do`]). This crate uses no socket, no store, no
//! thread and no clock, so a worker that is silent for an hour is one row in a table of tests. Between the two sides that it
//! serves stands the [`Dispatcher`]: workers, whose requests come as the documents of [`agon_spec`], and the *load*, which knows
//! the matches that are to be played, and the store.
//!
//! ```text
//! worker ── Request ──► Dispatcher ── Want, Store, GiveBack, Release, Spoil, Extend, Adopt ──► load ─► store
//! worker ◄── Answer ──  Dispatcher ◄── Given, Settled, Ended, Adopted, More, Finished ──────── load ◄─ schedule
//! ```
//!
//! | module | what it defines |
//! | --- | --- |
//! | `message` | [`In`], [`Do`], [`Request`], [`Answer`], [`Refusal`]: everything that passes between the dispatcher and others |
//! | `notice` | [`Notice`]: what the organiser is told |
//! | `settings` | [`Settings`]: times and bounds |
//! | `dispatcher` | [`Dispatcher`]: takes messages one by one |
//! | `worker` | one worker: its bots, its pace, its share of requests |
//! | `registering` | workers that come, are ready, leave |
//! | `claims` | requests for matches, and how they wait |
//! | `alone` | matches that were lost with a worker: they are played alone, and end as spoilt if they kill one worker after another |
//! | `leases` | the matches that workers have, and when they have them no more |
//! | `beats` | signs of life |
//! | `reports` | results on their way to the store |
//! | `recent` | what was answered a short time ago |
//! | `passed` | matches that nobody can play |
//! | `state` | [`WorkerState`]: what a status shows of a worker |
//!
//! # Decisions
//!
//! * A lease has a token that its load has made unguessable, and whoever names it may report its result: a worker that was
//!   killed starts again with another instance and still has the results of the first.
//! * A result is never refused because it is late. The load knows whether the match is still open.
//! * A worker that is lost has used one attempt of each match that it had. Such matches are played alone, so that the one that
//!   killed the worker is found within two more attempts, and the others are not suspected with it.

mod alone;
mod beats;
mod claims;
mod dispatcher;
mod leases;
mod message;
mod notice;
mod passed;
mod recent;
mod registering;
mod reports;
mod settings;
mod state;
mod worker;

pub use dispatcher::Dispatcher;
pub use message::{Answer, Do, In, Passed, Refusal, Request};
pub use notice::Notice;
pub use reports::MOST_RESULTS;
pub use settings::{Processors, Settings};
pub use state::{WorkerPresence, WorkerState};
