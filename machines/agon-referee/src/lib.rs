//! The referee: a pure machine between rules and bytes.
//!
//! Events go in ([`In`], each with its instant), and instructions for the runner come out ([`Do`]). This crate uses no
//! thread, no socket and no clock. Time is data, so tests of timeouts need not sleep, and the same machine runs under
//! threads, in a browser and in a fuzzer. Read [`message`](In) first: it has everything that passes between the referee
//! and its runner.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `message` | [`In`], [`Do`]: everything that passes between a machine and its runner |
//! | `any_referee` | [`AnyReferee`], what a runner sees of a match of any game; [`SeatKind`], [`Settings`] |
//! | `open` | [`open()`]: creates a machine from a [`MatchSpec`](agon_spec::MatchSpec) |
//! | `referee` | [`TypedReferee`]: the machine of one game; `seat_state` is one seat of it, `wire` the bytes of that seat |
//! | `kept` | turns that are recorded only if a bot fails |
//! | `ply` | one turn: asks the seats, judges their orders, and plays the turn |
//! | `hearing` | reads the output of processes: answers, silence, the end of output |
//! | `deciders` | takes the decisions of built-in bots and people |
//! | `change` | undo and edit |
//! | `denial` | [`Denial`]: why the referee denies what a person asks for |
//! | `timekeeper` | [`Timekeeper`], one seat's clock: limits, bank, deadline, and the time that it gives back |
//! | `answer_time` | what of the time of an answer is charged, what is given back, and what spoils the match |
//! | `usage` | [`Usage`]: what counters say about the time of an answer |
//! | `times` | [`Times`]: how long decisions took, in a fixed amount of memory |
//! | `board` | [`Board`]: a position without its types, to look at |
//! | `branch` | [`Branch`]: plays turns by hand from a position, and takes them back |
//! | `rerun` | [`Rerun`]: plays recorded turns again, compares fingerprints, goes to any turn |
//! | `mismatch` | [`Mismatch`]: where a record and the rules disagree |
//! | `last_words` | [`LastWords`]: the end of the conversation with a bot that has failed |
//! | `step` | [`Step`]: one part of a turn, for viewers |
//! | `snapshots` | snapshots of positions, for going back |
#![cfg_attr(feature = "laws", doc = "| [`laws`] | laws that hold for every game, as a generic test |")]

mod answer_time;
mod any_referee;
mod board;
mod branch;
mod change;
mod deciders;
mod denial;
mod hearing;
mod kept;
mod last_words;
#[cfg(feature = "laws")]
pub mod laws;
mod message;
mod mismatch;
mod open;
mod ply;
mod referee;
mod rerun;
mod seat_state;
mod snapshots;
mod step;
mod timekeeper;
mod times;
mod usage;
mod wire;

// The types of the records that a machine makes.
pub use agon_spec::{
    EntryRecord, Exit, Fault, FaultRecord, JsonList, Mark, MatchEvent, PlyRecord, SpoiltRecord, TimeRecord, turn_name,
};
pub use any_referee::{AnyReferee, Recording, SeatKind, Settings};
pub use board::Board;
pub use branch::{ApplyError, Branch, Decision, RefusedOrder, Turn};
pub use denial::Denial;
pub use last_words::LastWords;
pub use message::{Do, In};
pub use mismatch::{Mismatch, SeekError};
pub use open::{first_words, open, open_from, position, starting_position};
pub use referee::TypedReferee;
pub use rerun::Rerun;
pub use step::Step;
pub use timekeeper::{Budget, Spent, Timekeeper};
pub use times::{TimeUsed, Times};
pub use usage::{Question, TreeUsage, Usage};
