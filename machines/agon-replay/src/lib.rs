//! Replays: one header, one line a turn, one footer, as JSON Lines.
//!
//! A replay holds what was decided, never what came of it: positions are played again by the rules, and the
//! fingerprint of every turn says whether they come out the same. The header holds the whole
//! [`MatchSpec`](agon_spec::MatchSpec) with the map, so a replay needs nothing beside it. It can be read while it is
//! being written, and after it was cut off.
//!
//! The format is described for readers in other languages, with its versions, in `docs/replay.md`.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `line` | [`Header`], [`Line`], [`Cut`], [`Footer`]: what stands in each line |
//! | `tally` | [`Tally`]: faults and times, gathered as they happen |
//! | `ledger` | the faults of a replay, held against its turns |
//! | `writer` | [`Writer`]: from [`MatchEvent`](agon_referee::MatchEvent)s to lines |
//! | `reader` | [`Reader`], [`Replay`]: from lines to records, whatever the bytes |
//! | `verify` | [`verify()`]: plays a replay again |

mod ledger;
mod line;
mod reader;
mod tally;
mod verify;
mod writer;

pub use agon_spec::{Certificate, Cut, End, Footer, Header, SeatTime};
pub use line::{FORMAT_VERSION, Line};
pub use reader::{LINE_LIMIT, ReadError, Reader, Replay, SIZE_LIMIT};
pub use tally::Tally;
pub use verify::{Difference, Verified, VerifyError, verify};
pub use writer::{WRITE_LIMIT, Writer, write_replay};
