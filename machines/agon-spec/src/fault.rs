//! How a bot failed, in words for people. What a failure does to the match is decided by the game, which is told no
//! more than [`Failure`].

use crate::{TimeRecord, shape::SeatNumber};
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
    /// The turn in which it was noticed, counted from 1; 0 in the greeting.
    pub ply: u32,
    /// The round by the rules in which that was, where the game counts any. Not in a replay: who plays it again knows.
    #[serde(skip)]
    pub round: Option<u32>,
    /// What happened.
    pub fault: Fault,
}

/// How a bot failed. Its texts may quote what a bot wrote: clean them before they reach a terminal or a page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fault {
    /// The program could not be started: no result.
    NeverStarted {
        /// In the words of the system.
        reason: String,
    },
    /// No complete decision (or greeting) when the time was up.
    Late {
        /// The limit in microseconds: of the move, or what was left of the bank.
        limit_us: u64,
        /// How many bytes of an incomplete answer had been heard.
        heard: u64,
        /// Whether the bot had not even read its prompt.
        unread: bool,
        /// Where the time went; missing where that is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<TimeRecord>,
    },
    /// The process ended before its decision was complete.
    Crashed {
        /// How it ended.
        exit: Exit,
        /// The last lines of its stderr.
        stderr: String,
    },
    /// The process lives but has closed its output, so that no decision can follow.
    ClosedOutput,
    /// The process lives but has closed its input, so that it cannot be asked.
    ClosedInput,
    /// Bytes that are not of the protocol.
    Nonsense {
        /// The offending line, cut.
        line: String,
        /// What is wrong with it.
        why: String,
    },
    /// An order that the rules refuse, with a penalty that costs the seat.
    Unlawful {
        /// Index of the order in the decision, from 0.
        index: u32,
        /// The order as in the replay; `null` if one is missing.
        order: serde_json::Value,
        /// Why, in the game's words.
        why: String,
    },
    /// A single line or message that is longer than any lawful one.
    LongLine {
        /// The longest lawful one in bytes.
        limit: u64,
    },
    /// More output than the referee keeps unread.
    Flood {
        /// How much that is, in bytes.
        limit: u64,
    },
    /// Killed for using more memory than allowed.
    OutOfMemory {
        /// The limit in MiB.
        limit_mib: u64,
    },
}

impl Fault {
    /// What the rules are told.
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

    /// One or two words for a table: `late`, `crashed`, `unlawful`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NeverStarted { .. } => "never started",
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
                // What is left of a bank is no round number.
                let print = if limit_us.is_multiple_of(1_000) { print_duration } else { print_rounded };
                write!(f, "late: no whole answer within {}", print(Duration::from_micros(*limit_us)))?;
                match (*unread, *heard) {
                    (true, _) => f.write_str(", it had not read what it was asked")?,
                    (false, 0) => f.write_str(", nothing was heard")?,
                    (false, 1) => f.write_str(", 1 byte was heard")?,
                    (false, n) => write!(f, ", {n} bytes were heard")?,
                }
                match time {
                    Some(time) if time.is_measured() => write!(f, "; {time}"),
                    _ => Ok(()),
                }
            }
            Self::Crashed { exit: Exit::Code(0), .. } => f.write_str("ended with exit code 0 before it had answered"),
            Self::Crashed { exit: Exit::Stopped(why), .. } => write!(f, "stopped: {why}"),
            Self::Crashed { exit, .. } => write!(f, "crashed: {exit}"),
            Self::ClosedOutput => f.write_str("closed its output without ending"),
            Self::ClosedInput => f.write_str("closed its input without ending"),
            Self::Nonsense { line, why } => write!(f, "nonsense: `{line}`: {why}"),
            Self::Unlawful { order: serde_json::Value::Null, why, .. } => write!(f, "unlawful: {why}"),
            Self::Unlawful { order, why, .. } => write!(f, "unlawful: {order}: {why}"),
            Self::LongLine { limit } => write!(f, "wrote a line of more than {limit} bytes"),
            Self::Flood { limit } => write!(f, "wrote more than {limit} bytes that nobody had asked for"),
            Self::OutOfMemory { limit_mib } => write!(f, "used more than {limit_mib} MiB of memory"),
        }
    }
}

/// A turn as people are told of it: `turn 39`, or `round 20, turn 39` where the game counts rounds and that is another
/// number.
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
    /// By itself, with this exit code.
    Code(i32),
    /// Killed by a signal.
    Signal(String),
    /// By the program that runs it, for this reason: a module in WASM has no process of its own.
    Stopped(String),
    /// The system did not say.
    Unknown,
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(name) => write!(f, "{name}"),
            Self::Stopped(why) => write!(f, "{why}"),
            Self::Unknown => f.write_str("for a reason that the system did not tell"),
        }
    }
}
