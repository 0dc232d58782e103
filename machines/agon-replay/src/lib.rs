//! Replays as JSON Lines: a header, one line for each turn, and a footer.
//!
//! A replay holds decisions, not positions. A reader plays the decisions again by the rules, and the fingerprint of
//! every turn shows whether the positions are the same. The header holds the whole [`MatchSpec`](agon_spec::MatchSpec)
//! with the map, so a replay is complete in itself. It can be read while it is being written, and also if its end is
//! cut off.
//!
//! `docs/replay.md` describes the format and its versions for programs in other languages.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `line` | [`Header`], [`Line`], [`Cut`], [`Footer`]: the content of each line |
//! | `objects` | reads a line as a record |
//! | `tally` | [`Tally`]: collects faults and times as they happen |
//! | `ledger` | checks the faults of a replay against its turns |
//! | `writer` | [`Writer`]: turns [`MatchEvent`](agon_referee::MatchEvent)s into lines |
//! | `reader` | [`Reader`], [`Replay`]: turn lines into records, and refuse bad bytes |
//! | `stderr` | [`without_stderr`]: a replay for others than the author of a bot |
//! | `play` | [`LineOfPlay`]: the turns that count |
//! | `rework` | [`Rework`]: what a replay may ask for beside its turns |
//! | `verify` | [`verify()`]: plays a replay again |

mod ledger;
mod line;
mod objects;
mod play;
mod reader;
mod rework;
mod stderr;
mod tally;
mod verify;
mod writer;

pub use agon_spec::{Certificate, Cut, End, Footer, Header, SeatTime};
pub use line::{FORMAT_VERSION, Line, STATE_LIMIT};
pub use play::LineOfPlay;
pub use reader::{HELD_LIMIT, LINE_LIMIT, ReadError, Reader, Replay, SIZE_LIMIT};
pub use rework::Rework;
pub use stderr::without_stderr;
pub use tally::Tally;
pub use verify::{Difference, StepwiseVerification, Verified, VerifyError, verify};
pub use writer::{WRITE_LIMIT, Writer, write_replay};
