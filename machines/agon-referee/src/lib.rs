//! The referee: a pure machine between rules and bytes.
//!
//! Events go in ([`In`], each with its instant), orders to the world come out ([`Do`]). There is no thread, no socket
//! and no clock in here: time is data, so that every timeout is a test without sleeping, and the same machine runs
//! under threads, in a browser and in a fuzzer. Read [`message`](In) first: it is all that passes between the referee
//! and whoever runs it.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `message` | [`In`], [`Do`]: all that passes between a machine and its runner |
//! | `any_referee` | [`AnyReferee`], what a runner sees of a match of any game; [`SeatKind`], [`Settings`] |
//! | `open` | [`open()`]: from a [`MatchSpec`](agon_spec::MatchSpec) to a machine |
//! | `referee` | [`TypedReferee`]: the machine of one game; `seat_state` is one seat of it, `wire` the bytes of that seat |
//! | `ply` | one turn: who is asked, what they brought, what the rules make of it |
//! | `hearing`, `deciders` | how decisions come: from processes; from built-in bots and people |
//! | `change` | undo and edit |
//! | `denial` | [`Denial`]: why something that a person asked for cannot be done |
//! | `timekeeper` | one seat's clock: limits, bank, deadline, what is given back |
//! | `usage` | [`Usage`]: what counters say about the time of an answer |
//! | `times` | [`Times`]: how long decisions took, without an allocation |
//! | `position` | [`AnyPosition`]: looked at, played on by hand, taken back |
//! | `rerun` | [`AnyRerun`]: plays recorded turns again, compares fingerprints, goes to any turn |
//! | `mismatch` | [`Mismatch`]: where a record and the rules disagree |
//! | `step` | [`Step`]: the parts of a turn, shown one after the other |
//! | `snapshots` | positions kept on the way, for going back |
#![cfg_attr(feature = "laws", doc = "| [`laws`] | what holds for every game, as a generic test |")]

mod any_referee;
mod change;
mod deciders;
mod denial;
mod hearing;
#[cfg(feature = "laws")]
pub mod laws;
mod message;
mod mismatch;
mod open;
mod ply;
mod position;
mod referee;
mod rerun;
mod seat_state;
mod snapshots;
mod step;
mod timekeeper;
mod times;
mod usage;
mod wire;

// What a machine records.
pub use agon_spec::{
    EntryRecord, Exit, Fault, FaultRecord, JsonList, Mark, MatchEvent, PlyRecord, TimeRecord, turn_name,
};
pub use any_referee::{AnyReferee, Recording, SeatKind, Settings};
pub use denial::Denial;
pub use message::{Do, In};
pub use mismatch::{Mismatch, SeekError};
pub use open::{first_words, open, open_from, position, starting_position};
pub use position::{AnyPosition, ApplyError, Decision, RefusedOrder, Turn, TypedPosition};
pub use referee::TypedReferee;
pub use rerun::{AnyRerun, TypedRerun};
pub use step::Step;
pub use times::Times;
pub use usage::{Question, TreeUsage, Usage};
