//! The events of a match, for displays, replays and live watchers. The record of a turn is enough to play it again.

use crate::{
    Fault, FaultRecord, JsonList, MatchSpec, RefusedRecord, TimeRecord,
    shape::{FailureShape, SeatNumber, StandingShape, StateTree, shape},
};
use agon_core::{Failure, Seat, Standing, State};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{borrow::Cow, fmt, str::FromStr};

/// Something that happened in a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum MatchEvent {
    /// The match begins. This is the first event.
    Started {
        /// The description of the match.
        spec: Box<MatchSpec>,
        /// The fingerprint of the first position.
        fingerprint: Mark,
    },
    /// A bot has answered its greeting, or its protocol has no greeting to answer.
    Greeted {
        /// The seat of the bot.
        #[schemars(with = "SeatNumber")]
        seat: Seat,
        /// How long the greeting took, in microseconds.
        wall_us: u64,
        /// The name that the bot has given itself, at most 64 characters of it. The key is missing if the protocol of
        /// the game has no such name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// A turn was played.
    Ply(PlyRecord),
    /// A bot has failed.
    Fault(FaultRecord),
    /// Turns were taken back.
    Rewound {
        /// The number of turns that are left.
        ply: u32,
        /// The fingerprint of the new position.
        fingerprint: Mark,
    },
    /// The position was replaced by another one. Turns count from 1 again.
    Edited {
        /// The new position as a map file.
        map: String,
        /// What the new position has beyond the map. The key is missing if the map is everything.
        #[serde(default, skip_serializing_if = "State::is_empty")]
        #[schemars(with = "StateTree")]
        state: State,
        /// The fingerprint of the new position.
        fingerprint: Mark,
    },
    /// The match has ended by the rules. This is the last event.
    Finished {
        /// The scores, the places and why the match ended.
        #[schemars(with = "StandingShape")]
        standing: Standing,
        /// The number of turns in the match.
        plies: u32,
    },
    /// The match was aborted without a result. This is the last event.
    Aborted {
        /// The fault that ended the match. The key is missing if no bot failed, for example if a user interrupted the
        /// match.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<FaultRecord>,
        /// Describes how the host spoilt the match. Missing if the match ended for another reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spoilt: Option<SpoiltRecord>,
        /// The number of turns in the match.
        plies: u32,
    },
}

/// How the host spoilt a match: the time of a bot ran out, but for at least its whole limit other programs kept the
/// bot or the referee from a core.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SpoiltRecord {
    /// The seat whose bot was kept from a core.
    #[schemars(with = "SeatNumber")]
    pub seat: Seat,
    /// The turn in which that happened, counted from 1. 0 means the greeting.
    pub ply: u32,
    /// The bot's limit for this answer, in microseconds.
    pub limit_us: u64,
    /// The time from the end of the prompt until the referee gave up, in microseconds.
    pub wall_us: u64,
    /// The least wall time that the bot needed for what it computed, in microseconds. It is never more than `limit_us`,
    /// and the sum with `runnable_us` is never more than `wall_us`.
    pub busy_us: u64,
    /// How long the bot was ready to run while others used the cores, in microseconds. Together with `lag_us` it is at
    /// least `limit_us`.
    pub runnable_us: u64,
    /// How much too late the referee itself looked at the bot, in microseconds.
    pub lag_us: u64,
}

/// One turn: the decisions and their results.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct PlyRecord {
    /// The number of the turn, counted from 1.
    pub ply: u32,
    /// The round of the turn, if the game counts rounds. Replays do not have it, because it follows from the turns.
    #[serde(skip)]
    pub round: Option<u32>,
    /// The decisions of the awaited seats, in ascending order of seats.
    pub entries: Vec<EntryRecord>,
    /// The events of the turn that watchers may see. Replays do not have this key, because the events follow from the
    /// decisions.
    #[serde(default, skip_serializing_if = "JsonList::is_empty")]
    pub events: JsonList,
    /// The fingerprint of the position after the turn.
    pub fingerprint: Mark,
    /// The standing after the turn. Replays do not have this key, because the standing follows from the decisions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<StandingShape>")]
    pub standing: Option<Standing>,
}

/// The decision of one seat in a turn. `orders` and `failure` are enough to play the turn again.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EntryRecord {
    /// The seat that decides.
    #[schemars(with = "SeatNumber")]
    pub seat: Seat,
    /// All orders of the seat, including unlawful ones.
    pub orders: JsonList,
    /// How the seat failed, as far as it matters to the rules. The key is missing if it did not fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<FailureShape>")]
    pub failure: Option<Failure>,
    /// Why the rules refused an order, in the game's words. The key is missing if they refused none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// The same reason without the values of the order. The key is missing if `refusal` has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mistake: Option<String>,
    /// The commands of this turn that the protocol refused at once, in order. They are not among `orders`. The key is
    /// missing if there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedRecord>,
    /// The wall time between the end of the prompt's write and the last byte of the decision, in microseconds.
    pub wall_us: u64,
    /// Whether the decision exceeded the soft limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub soft_late: bool,
    /// The CPU time of all processes of the bot, in microseconds. The key is missing if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// The least wall time in which the bot can use this much CPU time on its cores, in microseconds. If the key is
    /// missing, it equals `cpu_us`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_us: Option<u64>,
    /// How long the bot was ready to run but had no core, in microseconds. The key is missing if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runnable_us: Option<u64>,
    /// How long the system held the whole bot in waits that nothing interrupts, in microseconds. The key is missing if it
    /// did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_us: Option<u64>,
    /// How late the referee looked, in microseconds. This time is a part of `wall_us`. The key is missing if the
    /// referee was not late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_us: Option<u64>,
    /// The part of `wall_us` that the bot was not charged because the host took it, in microseconds. Only the policy
    /// `fair` gives time back. The key is missing if there was no such time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_us: Option<u64>,
    /// Whether the bot was waiting for a core at the end. The length of that wait is not known and not a part of
    /// `runnable_us`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waiting: bool,
    /// Whether `cpu_us` may be too little, because the bot may have had children that ended uncounted. The key is missing
    /// if it is not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// The CPU time that the bot used since its last turn although it must not, in microseconds. The key is missing
    /// if there was no such time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_turn_us: Option<u64>,
}

impl PlyRecord {
    /// Returns approximately how many bytes of memory the record takes.
    #[must_use]
    pub fn weight(&self) -> usize {
        let entry = |e: &EntryRecord| {
            let texts = [&e.refusal, &e.mistake].into_iter().flatten().map(String::len).sum::<usize>();
            let refused = e.refused.iter().map(RefusedRecord::weight).sum::<usize>();
            size_of::<EntryRecord>() + e.orders.weight() + texts + refused
        };
        size_of::<Self>() + self.entries.iter().map(entry).sum::<usize>() + self.events.weight()
    }
}

impl EntryRecord {
    /// Creates an entry of a seat without orders and without a failure.
    #[must_use]
    pub fn new(seat: Seat) -> Self {
        Self {
            seat,
            orders: JsonList::default(),
            failure: None,
            refusal: None,
            mistake: None,
            refused: Vec::new(),
            wall_us: 0,
            soft_late: false,
            cpu_us: None,
            busy_us: None,
            runnable_us: None,
            blocked_us: None,
            lag_us: None,
            given_us: None,
            waiting: false,
            partial: false,
            off_turn_us: None,
        }
    }

    /// Returns where the time of the decision went.
    #[must_use]
    pub fn time(&self) -> TimeRecord {
        let Self { wall_us, cpu_us, busy_us, runnable_us, blocked_us, lag_us, given_us, waiting, partial, .. } = *self;
        TimeRecord { wall_us, cpu_us, busy_us, runnable_us, blocked_us, lag_us, given_us, waiting, partial }
    }
}

impl From<FaultRecord> for MatchEvent {
    fn from(record: FaultRecord) -> Self {
        Self::Fault(record)
    }
}

impl MatchEvent {
    /// Returns the fault and its seat if the event is a fault.
    #[must_use]
    pub fn fault(&self) -> Option<(Seat, &Fault)> {
        match self {
            Self::Fault(record) => Some((record.seat, &record.fault)),
            _ => None,
        }
    }
}

/// A position's fingerprint. Documents write it as 16 hexadecimal digits, because many readers of JSON round large
/// numbers.
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
        value.map(Self).ok_or("a fingerprint must have 16 hexadecimal digits")
    }
}

shape!(
    Mark as "Fingerprint": {
        "type": "string",
        "pattern": "^[0-9a-f]{16}$",
        "description": "The 64-bit hash of a position, as 16 hexadecimal digits. Equal positions of a game have equal \
                        fingerprints on every platform.",
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
