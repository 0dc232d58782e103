//! What displays, replays and live watchers consume: one enum of events, and the record of a turn from which the turn
//! can be played again.

use crate::{
    Fault, FaultRecord, JsonList, MatchSpec, TimeRecord,
    shape::{FailureShape, SeatNumber, StandingShape, shape},
};
use agon_core::{Failure, Seat, Standing};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{borrow::Cow, fmt, str::FromStr};

/// Something that happened in a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum MatchEvent {
    /// The match begins: the first event.
    Started {
        /// Everything that decides it beside the answers.
        spec: Box<MatchSpec>,
        /// Of the first position.
        fingerprint: Mark,
    },
    /// A seat has answered its greeting, or needs none.
    Greeted {
        /// The seat.
        #[schemars(with = "SeatNumber")]
        seat: Seat,
        /// How long that took, in microseconds.
        wall_us: u64,
    },
    /// A turn was played.
    Ply(PlyRecord),
    /// A bot has failed.
    Fault(FaultRecord),
    /// Turns were taken back.
    Rewound {
        /// How many turns have been played now.
        ply: u32,
        /// Of the position now.
        fingerprint: Mark,
    },
    /// The position was replaced by another one.
    Edited {
        /// It, as a map file.
        map: String,
        /// Of the position now.
        fingerprint: Mark,
    },
    /// The match has ended: the last event.
    Finished {
        /// Scores, places and why it ended.
        #[schemars(with = "StandingShape")]
        standing: Standing,
        /// How many turns were played.
        plies: u32,
    },
    /// The match was broken off without a result: the last event.
    Aborted {
        /// The fault that broke it off; missing if somebody asked for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<FaultRecord>,
        /// How many turns were played.
        plies: u32,
    },
}

/// One turn: what was decided and what came of it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct PlyRecord {
    /// Counted from 1.
    pub ply: u32,
    /// The round by the rules, where the game counts any. Not in a replay: who plays it again knows.
    #[serde(skip)]
    pub round: Option<u32>,
    /// One for each awaited seat, ascending by seat.
    pub entries: Vec<EntryRecord>,
    /// What a watcher may be told of the turn; only if everything is recorded.
    #[serde(default, skip_serializing_if = "JsonList::is_empty")]
    pub events: JsonList,
    /// Of the position after the turn.
    pub fingerprint: Mark,
    /// How the match stands after the turn; only if everything is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<StandingShape>")]
    pub standing: Option<Standing>,
}

/// What one seat brought to a turn. `orders` and `failure` are all that is needed to play the turn again.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EntryRecord {
    /// The seat.
    #[schemars(with = "SeatNumber")]
    pub seat: Seat,
    /// All orders that were heard, also unlawful ones.
    pub orders: JsonList,
    /// How it failed, as the rules were told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<FailureShape>")]
    pub failure: Option<Failure>,
    /// Why the rules refused an order, in the game's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// From the end of the write of the prompt to the last byte of the decision, in microseconds.
    pub wall_us: u64,
    /// Whether that was beyond the soft limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub soft_late: bool,
    /// CPU time that the bot's processes used for it, in microseconds, where that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// The least wall time in which so much can be computed on the cores that the bot may use, in microseconds;
    /// missing: `cpu_us`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_us: Option<u64>,
    /// How long the bot could have run but did not get a core, in microseconds, where that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runnable_us: Option<u64>,
    /// How much too late the referee itself looked, in microseconds; part of `wall_us`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_us: Option<u64>,
    /// How much of `wall_us` was not charged because the host had taken it, in microseconds; by the policy `fair` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_us: Option<u64>,
    /// Whether it was waiting for a core at the end, nobody knows since when: then that is no part of `runnable_us`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waiting: bool,
    /// CPU time that the bot's processes used since its last turn although they were stopped, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_turn_us: Option<u64>,
}

impl PlyRecord {
    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn weight(&self) -> usize {
        let entry =
            |e: &EntryRecord| size_of::<EntryRecord>() + e.orders.weight() + e.refusal.as_ref().map_or(0, String::len);
        size_of::<Self>() + self.entries.iter().map(entry).sum::<usize>() + self.events.weight()
    }
}

impl EntryRecord {
    /// An entry of a seat that brought nothing.
    #[must_use]
    pub fn new(seat: Seat) -> Self {
        Self {
            seat,
            orders: JsonList::default(),
            failure: None,
            refusal: None,
            wall_us: 0,
            soft_late: false,
            cpu_us: None,
            busy_us: None,
            runnable_us: None,
            lag_us: None,
            given_us: None,
            waiting: false,
            off_turn_us: None,
        }
    }

    /// Where the time of the decision went.
    #[must_use]
    pub fn time(&self) -> TimeRecord {
        let Self { wall_us, cpu_us, busy_us, runnable_us, lag_us, given_us, waiting, .. } = *self;
        TimeRecord { wall_us, cpu_us, busy_us, runnable_us, lag_us, given_us, waiting }
    }
}

impl From<FaultRecord> for MatchEvent {
    fn from(record: FaultRecord) -> Self {
        Self::Fault(record)
    }
}

impl MatchEvent {
    /// The fault, if this is one.
    #[must_use]
    pub fn fault(&self) -> Option<(Seat, &Fault)> {
        match self {
            Self::Fault(record) => Some((record.seat, &record.fault)),
            _ => None,
        }
    }
}

/// A position's fingerprint, written as 16 hexadecimal digits (a JSON number would lose bits in many readers).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Mark(pub u64);

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for Mark {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lawful = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let value = if lawful { u64::from_str_radix(text, 16).ok() } else { None };
        value.map(Self).ok_or("a fingerprint is 16 hexadecimal digits")
    }
}

shape!(
    Mark as "Fingerprint": {
        "type": "string",
        "pattern": "^[0-9a-f]{16}$",
        "description": "A number of 64 bits that stands for a position, as 16 hexadecimal digits. Equal positions of \
                        a game have equal fingerprints on every platform.",
    }
);

impl Serialize for Mark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Mark {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}
