//! How a bot failed, with the details for people. The game decides what follows for the match, and it sees only the
//! [`Failure`].

use crate::{JsonText, TimeRecord, shape::SeatNumber};
use agon_core::{
    Failure, Seat,
    clock::{print_duration, print_rounded},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// A fault with its seat and turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FaultRecord {
    /// The seat of the bot.
    #[schemars(with = "SeatNumber")]
    pub seat: Seat,
    /// The turn of the fault, counted from 1. It is 0 for the greeting.
    pub ply: u32,
    /// The round of the fault, if the game counts rounds. Replays do not have it, because it follows from the turns.
    #[serde(skip)]
    pub round: Option<u32>,
    /// How the bot failed.
    pub fault: Fault,
}

/// How a bot failed. The texts may quote the bot, so clean them before you show them on a terminal or a page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fault {
    /// The program could not be started. The match has no result.
    NeverStarted {
        /// The reason, in the words of the system.
        reason: String,
    },
    /// The bot had not completed its decision or its greeting when the time was up.
    Late {
        /// The time limit in microseconds: the limit of the turn, or the rest of the bank.
        limit_us: u64,
        /// The number of bytes of an incomplete answer.
        heard: u64,
        /// Whether the bot had not read its whole prompt.
        unread: bool,
        /// Where the time went. The key is missing if that is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<TimeRecord>,
    },
    /// The process ended before its decision was complete.
    Crashed {
        /// How the process ended.
        exit: Exit,
        /// The last lines of its stderr.
        stderr: String,
        /// The most memory that it was seen to use, in MiB, if it perhaps ended for lack of memory.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        memory_mib: Option<u64>,
    },
    /// The process is still running but has closed its output, so it cannot decide.
    ClosedOutput,
    /// The process is still running but has closed its input, so the referee cannot ask it.
    ClosedInput,
    /// The bot wrote something that the protocol does not allow.
    Nonsense {
        /// The start of the line that breaks the protocol.
        line: String,
        /// What is wrong with the line.
        why: String,
    },
    /// The rules refused an order, and the seat failed for it.
    Unlawful {
        /// The index of the order in the decision, counted from 0.
        index: u32,
        /// The order, in the form that a replay has. `null` if an order is missing.
        order: JsonText,
        /// Why the rules refused it, in the game's words.
        why: String,
    },
    /// The bot wrote a line or a message that is longer than any lawful one.
    LongLine {
        /// The length of the longest lawful line, in bytes.
        limit: u64,
    },
    /// The bot wrote more output than the referee keeps unread.
    Flood {
        /// The limit of unread output, in bytes.
        limit: u64,
    },
    /// The bot used more memory than its limit and was killed, or it gave up close to its limit and said so.
    OutOfMemory {
        /// The memory limit in MiB.
        limit_mib: u64,
        /// The most memory that it was seen to use, in MiB, if it gave up below its limit. The key is missing if it was killed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        used_mib: Option<u64>,
    },
}

impl Fault {
    /// The name of [`Fault::NeverStarted`].
    pub const NEVER_STARTED: &str = "never started";

    /// Returns the failure that the rules see.
    #[must_use]
    pub fn failure(&self) -> Failure {
        match self {
            Self::Late { .. } => Failure::Late,
            Self::Nonsense { .. } | Self::LongLine { .. } | Self::Flood { .. } => Failure::Nonsense,
            Self::Unlawful { index, .. } => Failure::Unlawful(*index),
            Self::NeverStarted { .. }
            | Self::Crashed { .. }
            | Self::ClosedOutput
            | Self::ClosedInput
            | Self::OutOfMemory { .. } => Failure::Gone,
        }
    }

    /// Returns a short name for tables, for example `late`, `crashed` or `closed its output`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NeverStarted { .. } => Self::NEVER_STARTED,
            Self::Late { .. } => "late",
            Self::Crashed { .. } => "crashed",
            Self::ClosedOutput => "closed its output",
            Self::ClosedInput => "closed its input",
            Self::Nonsense { .. } => "nonsense",
            Self::Unlawful { .. } => "unlawful",
            Self::LongLine { .. } => "line too long",
            Self::Flood { .. } => "flood",
            Self::OutOfMemory { .. } => "out of memory",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverStarted { reason } => write!(f, "never started: {reason}"),
            Self::Late { limit_us, heard, unread, time } => {
                // The rest of a bank is rarely a round number.
                let print = if limit_us.is_multiple_of(1_000) { print_duration } else { print_rounded };
                write!(f, "late: no complete answer within {}", print(Duration::from_micros(*limit_us)))?;
                match (*unread, *heard) {
                    (true, _) => f.write_str(", it had not read its prompt")?,
                    (false, 0) => f.write_str(", nothing arrived")?,
                    (false, 1) => f.write_str(", 1 byte arrived")?,
                    (false, n) => write!(f, ", {n} bytes arrived")?,
                }
                match time {
                    Some(time) if time.is_measured() => write!(f, "; {time}"),
                    _ => Ok(()),
                }
            }
            Self::Crashed { exit: Exit::Code(0), .. } => f.write_str("ended with exit code 0 before it had answered"),
            Self::Crashed { exit: Exit::Stopped(why), .. } => write!(f, "stopped: {why}"),
            Self::Crashed { exit, memory_mib: None, .. } => write!(f, "crashed: {exit}"),
            Self::Crashed { exit, memory_mib: Some(mib), .. } => {
                write!(f, "crashed: {exit}; perhaps it ran out of memory, it used {mib} MiB")
            }
            Self::ClosedOutput => f.write_str("closed its output without ending"),
            Self::ClosedInput => f.write_str("closed its input without ending"),
            Self::Nonsense { line, why } if line.trim().is_empty() => write!(f, "nonsense: an empty line: {why}"),
            Self::Nonsense { line, why } => write!(f, "nonsense: `{line}`: {why}"),
            Self::Unlawful { order, why, .. } if order.as_str() == "null" => write!(f, "unlawful: {why}"),
            Self::Unlawful { order, why, .. } => write!(f, "unlawful: {}: {why}", order.as_str()),
            Self::LongLine { limit } => write!(f, "wrote a line of more than {limit} bytes"),
            Self::Flood { limit } => write!(f, "wrote more than {limit} bytes beyond its answers"),
            Self::OutOfMemory { limit_mib, used_mib: None } => write!(f, "used more than {limit_mib} MiB of memory"),
            Self::OutOfMemory { limit_mib, used_mib: Some(used) } => {
                write!(f, "ran out of memory: it gave up with {used} of {limit_mib} MiB in use")
            }
        }
    }
}

/// Returns the name of a turn for people: `turn 39`, or `round 20, turn 39` if the game counts rounds and the round is
/// another number.
#[must_use]
pub fn turn_name(ply: u32, round: Option<u32>) -> String {
    match round {
        Some(round) if round != ply => format!("round {round}, turn {ply}"),
        _ => format!("turn {ply}"),
    }
}

impl fmt::Display for FaultRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ply {
            0 => write!(f, "seat {} in the greeting: {}", self.seat, self.fault),
            ply => write!(f, "seat {} in {}: {}", self.seat, turn_name(ply, self.round), self.fault),
        }
    }
}

/// How a process ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// The process exited with this exit code.
    Code(i32),
    /// A signal with this name killed the process.
    Signal(String),
    /// The program that runs a WASM module stopped it for this reason. Such a module has no process of its own.
    Stopped(String),
    /// The system did not report how the process ended.
    Unknown,
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(name) => write!(f, "{name}"),
            Self::Stopped(why) => write!(f, "{why}"),
            Self::Unknown => f.write_str("the system gave no reason"),
        }
    }
}
