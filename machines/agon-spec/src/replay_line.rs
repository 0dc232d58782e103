//! The lines of a replay other than turns and events.

use crate::{EntryRecord, FaultRecord, Mark, MatchEvent, MatchSpec, PlyRecord, SpoiltRecord, shape::StandingShape};
use agon_core::Standing;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The first line of a replay.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Header {
    /// The version of the format. This is the first key of the file, so every replay begins with `{"agon":`.
    pub agon: u32,
    /// The version of the program that wrote the replay, for people.
    #[serde(default)]
    pub engine: String,
    /// The fingerprint of the first position.
    pub fingerprint: Mark,
    /// The description of the match.
    #[serde(flatten)]
    pub spec: MatchSpec,
}

/// A line that says that later turns and events were left out, because the replay became too large.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename = "cut")]
pub struct Cut {
    /// The number of turns before this line.
    pub plies: u32,
    /// The number of bytes before this line.
    pub bytes: u64,
}

/// The last line of a replay.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Footer {
    /// Whether the match has a result.
    pub end: End,
    /// The scores, the places and why the match ended. The key is missing if the match was aborted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<StandingShape>")]
    pub standing: Option<Standing>,
    /// Describes how the host spoilt the match. Missing if the match ended for another reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spoilt: Option<SpoiltRecord>,
    /// The number of turns in the match.
    pub plies: u32,
    /// Every fault, in the order in which the referee noticed them.
    #[serde(default)]
    pub faults: Vec<FaultRecord>,
    /// How long the decisions of each seat took.
    #[serde(default)]
    pub times: Vec<SeatTime>,
}

/// Whether a match has a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The match ended with a result.
    Finished,
    /// The match ended without a result: it was interrupted, the host spoilt it, or a bot never started.
    Aborted,
}

/// Statistics of how long the decisions of one seat took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SeatTime {
    /// The number of decisions.
    pub count: u64,
    /// The number of decisions that exceeded the soft limit.
    pub soft_late: u64,
    /// The median time, in microseconds.
    pub p50_us: u64,
    /// The time that 99 % of the decisions did not exceed, in microseconds.
    pub p99_us: u64,
    /// The longest time, in microseconds.
    pub max_us: u64,
    /// The sum of all times, in microseconds.
    pub total_us: u64,
    /// Where the time went. The key is missing in replays of version 1 and of other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
}

/// Where the time of one seat's decisions went, summed over the decisions for which counters were read. The referee
/// reads no counters for quick answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Certificate {
    /// The number of decisions for which counters were read.
    pub measured: u64,
    /// The CPU time of all processes of the bot, in microseconds.
    pub cpu_us: u64,
    /// How long the bot was ready to run but had no core, in microseconds.
    pub runnable_us: u64,
    /// How long the system held the whole bot in waits that nothing interrupts, in microseconds.
    pub blocked_us: u64,
    /// How late the referee looked, in microseconds.
    pub lag_us: u64,
    /// The time that the bot was not charged because the host took it, in microseconds.
    pub given_us: u64,
    /// The number of turns in which the clock gave back at least one millisecond.
    pub given_turns: u64,
    /// The CPU time that the bot used between turns although it must not, in microseconds.
    pub off_turn_us: u64,
    /// Whether `cpu_us` may be too little, because the bot may have had children that ended uncounted.
    pub partial: bool,
}

impl Certificate {
    /// Adds one decision.
    pub fn add(&mut self, entry: &EntryRecord) {
        self.measured += u64::from(entry.cpu_us.is_some());
        self.partial |= entry.partial;
        self.given_turns += u64::from(entry.given_us.is_some_and(|given| given >= 1000));
        let sums = [
            (&mut self.cpu_us, entry.cpu_us),
            (&mut self.runnable_us, entry.runnable_us),
            (&mut self.blocked_us, entry.blocked_us),
            (&mut self.lag_us, entry.lag_us),
            (&mut self.given_us, entry.given_us),
            (&mut self.off_turn_us, entry.off_turn_us),
        ];
        for (sum, more) in sums {
            *sum = sum.saturating_add(more.unwrap_or(0));
        }
    }
}

/// Any line of a replay except the first.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum ReplayLine {
    /// A turn.
    Ply(PlyRecord),
    /// The place where later turns were left out.
    Cut(Cut),
    /// Another event of the match.
    Event(MatchEvent),
    /// The last line.
    Footer(Footer),
}
