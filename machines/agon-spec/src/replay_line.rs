//! What stands in the lines of a replay beside its turns and events.

use crate::{EntryRecord, FaultRecord, Mark, MatchEvent, MatchSpec, PlyRecord, shape::StandingShape};
use agon_core::Standing;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The first line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Header {
    /// The version of the format. The first key of the file, so that `{"agon":` tells a replay.
    pub agon: u32,
    /// The version of the program that wrote it, for people.
    #[serde(default)]
    pub engine: String,
    /// Of the first position.
    pub fingerprint: Mark,
    /// Everything that decides the match beside what the bots answered.
    #[serde(flatten)]
    pub spec: MatchSpec,
}

/// Where a replay would have become larger than it may: turns and events behind it are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename = "cut")]
pub struct Cut {
    /// How many turns had been played when it was cut.
    pub plies: u32,
    /// How many bytes there are before this line.
    pub bytes: u64,
}

/// The last line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Footer {
    /// Whether there is a result.
    pub end: End,
    /// Scores, places and why it ended; missing if the match was broken off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<StandingShape>")]
    pub standing: Option<Standing>,
    /// How many turns were played.
    pub plies: u32,
    /// Every fault, in the order in which they were noticed.
    #[serde(default)]
    pub faults: Vec<FaultRecord>,
    /// How long the decisions of each seat took.
    #[serde(default)]
    pub times: Vec<SeatTime>,
}

/// How a match ended, as a footer says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// With a result.
    Finished,
    /// Without one: it was interrupted, or a bot never started.
    Aborted,
}

/// How long the decisions of one seat took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SeatTime {
    /// How many decisions.
    pub count: u64,
    /// How many of them were beyond the soft limit.
    pub soft_late: u64,
    /// The time in microseconds that half of them did not exceed.
    pub p50_us: u64,
    /// The time in microseconds that 99 of 100 did not exceed.
    pub p99_us: u64,
    /// The longest in microseconds.
    pub max_us: u64,
    /// All of them together in microseconds.
    pub total_us: u64,
    /// What counters said of them; missing in replays of version 1 and of other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
}

/// Where the time of one seat's decisions went, summed over those for which counters were read: all that did not come
/// at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Certificate {
    /// For how many decisions counters were read.
    pub measured: u64,
    /// CPU time of all processes of the bot in microseconds.
    pub cpu_us: u64,
    /// How long the bot could have run but did not get a core, in microseconds.
    pub runnable_us: u64,
    /// How much too late the referee itself looked, in microseconds.
    pub lag_us: u64,
    /// How much was given back, in microseconds.
    pub given_us: u64,
    /// In how many turns at least a millisecond was given back.
    pub given_turns: u64,
    /// CPU time in microseconds that was used between turns by a bot that was stopped there.
    pub off_turn_us: u64,
}

impl Certificate {
    /// Takes in one decision.
    pub fn add(&mut self, entry: &EntryRecord) {
        self.measured += u64::from(entry.cpu_us.is_some());
        self.given_turns += u64::from(entry.given_us.is_some_and(|given| given >= 1000));
        let sums = [
            (&mut self.cpu_us, entry.cpu_us),
            (&mut self.runnable_us, entry.runnable_us),
            (&mut self.lag_us, entry.lag_us),
            (&mut self.given_us, entry.given_us),
            (&mut self.off_turn_us, entry.off_turn_us),
        ];
        for (sum, more) in sums {
            *sum = sum.saturating_add(more.unwrap_or(0));
        }
    }
}

/// Any line of a replay but the first.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum ReplayLine {
    /// A turn.
    Ply(PlyRecord),
    /// Where later turns were left out.
    Cut(Cut),
    /// Something else that happened.
    Event(MatchEvent),
    /// The last line.
    Footer(Footer),
}
