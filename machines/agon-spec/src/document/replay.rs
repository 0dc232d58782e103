//! The documents of `agon replay show`, `verify` and `ask`.

use crate::{
    Certificate, Cut, Footer, Header, JsonList, Mark, MatchEvent, PlyRecord,
    shape::{FailureShape, FrameShape, SeatNumber, StandingShape},
};
use agon_core::{Failure, Frame, Seat, Standing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A whole replay as one document.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReplayDocument {
    /// The first line of the replay.
    pub header: Header,
    /// The turns, in order.
    pub plies: Vec<PlyRecord>,
    /// All other events of the match, in order.
    pub events: Vec<MatchEvent>,
    /// Where turns were left out because the replay became too large. `null` if no turns were left out.
    pub cut: Option<Cut>,
    /// The last line of the replay. `null` if the replay is cut off before it.
    pub footer: Option<Footer>,
    /// Whether the replay is cut off, so that it has no footer.
    pub cut_off: bool,
}

/// A recorded match after one of its turns.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct PlyDocument {
    /// The number of turns so far. 0 is the start.
    pub ply: u32,
    /// The record of the last turn. `null` at the start.
    pub record: Option<PlyRecord>,
    /// The standing after the turn.
    #[schemars(with = "StandingShape")]
    pub standing: Standing,
    /// The fingerprint of the position.
    pub fingerprint: Mark,
    /// The position as a map of the game.
    pub map: String,
    /// The picture of the position.
    #[schemars(with = "FrameShape")]
    pub frame: Frame,
}

/// Where the time of every decision of a recorded match went.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TimeDocument {
    /// Whether the replay says where the time went. Otherwise only wall times are known.
    pub certified: bool,
    /// The sums for each seat.
    pub seats: Vec<SeatSum>,
    /// The answers, in order.
    pub answers: Vec<AnswerTime>,
}

/// The sums of the times of one seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeatSum {
    /// The name of the bot.
    pub name: String,
    /// What counted as the bot's time: `wall`, `fair` or `cpu`.
    pub policy: String,
    /// Where the time of all decisions went. `null` if it was not measured.
    pub certificate: Option<Certificate>,
}

/// Where the time of one answer went.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AnswerTime {
    /// The turn, counted from 1. It is 0 for the greeting.
    pub ply: u32,
    /// The seat that answered.
    #[schemars(with = "SeatNumber")]
    pub seat: Seat,
    /// How long the answer took, in microseconds.
    pub wall_us: u64,
    /// The time limit, in microseconds. `null` if there was none.
    pub limit_us: Option<u64>,
    /// The CPU time of all processes of the bot, in microseconds. `null` if it was not measured.
    pub cpu_us: Option<u64>,
    /// The least wall time in which the bot can use this much CPU time on its cores, in microseconds. `null` if it was
    /// not measured.
    pub busy_us: Option<u64>,
    /// How long the bot was ready to run but had no core, in microseconds. `null` if it was not measured.
    pub runnable_us: Option<u64>,
    /// How long the system held the whole bot in waits that nothing interrupts, in microseconds. `null` if it did not or
    /// was not measured.
    pub blocked_us: Option<u64>,
    /// How late the referee looked, in microseconds. `null` if it was not late or was not measured.
    pub lag_us: Option<u64>,
    /// How long the bot slept or waited for something other than a core, in microseconds. `null` if it was not
    /// measured.
    pub idle_us: Option<u64>,
    /// The time that the bot was not charged because the host took it, in microseconds. `null` if there was none.
    pub given_us: Option<u64>,
    /// Whether the bot was waiting for a core at the end. The length of that wait is not known.
    pub waiting: bool,
    /// Whether `cpu_us` may be too little, because the bot may have had children that ended uncounted.
    pub partial: bool,
    /// The CPU time that the bot used before its turn although it must not, in microseconds. `null` if there was
    /// none.
    pub off_turn_us: Option<u64>,
    /// Whether the answer was too late.
    pub late: bool,
    /// Whether the answer exceeded the soft limit.
    pub soft_late: bool,
    /// A summary in words.
    pub text: String,
}

/// Whether a recorded match reproduces. The keys from `plies` to `left_out` are `null` if it does not.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct VerifyDocument {
    /// The file of the replay.
    pub replay: String,
    /// Whether every turn and the result reproduce.
    pub reproduces: bool,
    /// The number of turns that were played again.
    pub plies: Option<u32>,
    /// The fingerprint of the last position.
    pub fingerprint: Option<Mark>,
    /// The standing in the last position.
    #[schemars(with = "Option<StandingShape>")]
    pub standing: Option<Standing>,
    /// Whether the replay is cut off, so that it has no result.
    pub cut_off: Option<bool>,
    /// Whether the match was aborted, so that it has no result.
    pub aborted: Option<bool>,
    /// Whether later turns were left out because the replay became too large.
    pub left_out: Option<bool>,
    /// The first difference. `null` if the replay reproduces.
    pub difference: Option<DifferenceDocument>,
}

/// Whether several recorded matches reproduce.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct VerifySeveralDocument {
    /// Whether all of them reproduce. It is `false` if one cannot be read.
    pub reproduce: bool,
    /// The replays that could be read, in the order of the command line.
    pub replays: Vec<VerifyDocument>,
}

/// Where a page is served: of a recorded match, or of a console.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ViewDocument {
    /// The address of the page. Whoever knows it can open it, but only on this machine.
    pub url: String,
}

/// A difference between a replay and the rules.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DifferenceDocument {
    /// The turn, counted from 1. It is 0 for the first position.
    pub ply: u32,
    /// What differs, in words.
    pub text: String,
}

/// A bot's decision in a recorded position, and the recorded decision.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AskDocument {
    /// The file of the replay.
    pub replay: String,
    /// The turn, counted from 1.
    pub ply: u32,
    /// The seat that decides, counted from 1.
    pub seat: u8,
    /// The prompt for the bot, with one character for each byte.
    pub prompt: String,
    /// The recorded decision.
    pub then: RecordedAnswer,
    /// The decision that the bot made now.
    pub now: PresentAnswer,
    /// Whether the bot decided in the replay, too, and both decisions have the same orders.
    pub same: bool,
    /// The first earlier turn in which the bot's decision differed from the recorded one. `null` if there is none.
    pub strayed: Option<u32>,
}

/// A recorded decision.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecordedAnswer {
    /// The orders of the decision.
    pub orders: JsonList,
    /// How the seat failed. `null` if it did not fail.
    #[schemars(with = "Option<FailureShape>")]
    pub failure: Option<Failure>,
    /// How long the answer took, in microseconds.
    pub wall_us: u64,
}

/// A decision that the bot made now.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PresentAnswer {
    /// The output of the bot, with one character for each byte.
    pub said: String,
    /// The messages of both sides after the prompt, in order.
    pub exchange: Vec<ExchangePiece>,
    /// The orders of the decision.
    pub orders: JsonList,
    /// Why the rules refuse an order. `null` if all orders are lawful.
    pub refusal: Option<String>,
    /// How long the answer took, in microseconds.
    pub wall_us: u64,
}

/// A part of a conversation: bytes that one side wrote before the other side wrote again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExchangePiece {
    /// `out` for the output of the bot, `in` for messages to the bot.
    pub stream: String,
    /// The bytes, with one character for each byte.
    pub bytes: String,
}
