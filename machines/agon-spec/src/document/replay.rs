//! What `agon replay show`, `verify` and `ask` print.

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
    /// The turns, in their order.
    pub plies: Vec<PlyRecord>,
    /// What happened beside the turns, in its order.
    pub events: Vec<MatchEvent>,
    /// Where turns were left out because there was too much of them; `null` if none were.
    pub cut: Option<Cut>,
    /// The last line of the replay; `null` if it was cut off before that.
    pub footer: Option<Footer>,
    /// Whether the replay was cut off, so that it has no footer.
    pub cut_off: bool,
}

/// A recorded match after one of its turns.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct PlyDocument {
    /// How many turns have been played; 0 is the start.
    pub ply: u32,
    /// The turn as it was recorded; `null` at the start.
    pub record: Option<PlyRecord>,
    /// How the match stands.
    #[schemars(with = "StandingShape")]
    pub standing: Standing,
    /// The fingerprint of the position.
    pub fingerprint: Mark,
    /// The position as a map of the game.
    pub map: String,
    /// The position, drawn.
    #[schemars(with = "FrameShape")]
    pub frame: Frame,
}

/// Where the time of every decision of a recorded match went.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TimeDocument {
    /// Whether the replay says where the time went. If not, only wall times are known.
    pub certified: bool,
    /// The sums, one for each seat.
    pub seats: Vec<SeatSum>,
    /// The answers, in their order.
    pub answers: Vec<AnswerTime>,
}

/// The sums of one seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeatSum {
    /// The name of the bot.
    pub name: String,
    /// What counted as its time: `wall`, `fair` or `cpu`.
    pub policy: String,
    /// Where its time went in all; `null` where that is not known.
    pub certificate: Option<Certificate>,
}

/// Where the time of one answer went.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AnswerTime {
    /// The turn, counted from 1; 0 is the greeting.
    pub ply: u32,
    /// The seat that answered.
    #[schemars(with = "SeatNumber")]
    pub seat: Seat,
    /// How long the answer took, in microseconds.
    pub wall_us: u64,
    /// The limit, in microseconds; `null` if there was none.
    pub limit_us: Option<u64>,
    /// The CPU time of all processes of the bot, in microseconds.
    pub cpu_us: Option<u64>,
    /// The least wall time in which so much can be computed on the cores that the bot may use, in microseconds.
    pub busy_us: Option<u64>,
    /// How long the bot could have run but did not get a core, in microseconds.
    pub runnable_us: Option<u64>,
    /// How much too late the referee itself looked, in microseconds.
    pub lag_us: Option<u64>,
    /// How long the bot slept or waited for something else than a core, in microseconds.
    pub idle_us: Option<u64>,
    /// How much was not charged because the host had taken it, in microseconds.
    pub given_us: Option<u64>,
    /// Whether the bot was waiting for a core at the end. How long it had waited is not known.
    pub waiting: bool,
    /// The CPU time that the bot used before its turn although it was stopped, in microseconds.
    pub off_turn_us: Option<u64>,
    /// Whether the answer was too late.
    pub late: bool,
    /// Whether it was beyond the soft limit.
    pub soft_late: bool,
    /// All this in words.
    pub text: String,
}

/// Whether a recorded match reproduces. The keys from `plies` to `left_out` are `null` if it does not.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct VerifyDocument {
    /// The file.
    pub replay: String,
    /// Whether every turn and the result are reproduced.
    pub reproduces: bool,
    /// How many turns were played again.
    pub plies: Option<u32>,
    /// The fingerprint of the last position.
    pub fingerprint: Option<Mark>,
    /// How the match stands at the last position.
    #[schemars(with = "Option<StandingShape>")]
    pub standing: Option<Standing>,
    /// Whether the replay was cut off, so that it has no result.
    pub cut_off: Option<bool>,
    /// Whether the match was broken off, so that it has no result.
    pub aborted: Option<bool>,
    /// Whether later turns were left out because there was too much of them.
    pub left_out: Option<bool>,
    /// The first difference; `null` if it reproduces.
    pub difference: Option<DifferenceDocument>,
}

/// A difference between what was recorded and what the rules make of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DifferenceDocument {
    /// The turn, counted from 1; 0 before the first.
    pub ply: u32,
    /// What differs, in words.
    pub text: String,
}

/// What a bot decides in a recorded position, beside what was decided then.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AskDocument {
    /// The file.
    pub replay: String,
    /// The turn, counted from 1.
    pub ply: u32,
    /// The seat that is asked.
    pub seat: u8,
    /// What it is asked, one character for each byte.
    pub prompt: String,
    /// What was decided then.
    pub then: RecordedAnswer,
    /// What the bot decides now.
    pub now: PresentAnswer,
    /// Whether both are the same orders.
    pub same: bool,
    /// The first earlier turn in which the bot decided otherwise than was recorded; `null` if there is none.
    pub strayed: Option<u32>,
}

/// A recorded decision.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecordedAnswer {
    /// The orders.
    pub orders: JsonList,
    /// How the seat failed; `null` if it did not.
    #[schemars(with = "Option<FailureShape>")]
    pub failure: Option<Failure>,
    /// How long the answer took, in microseconds.
    pub wall_us: u64,
}

/// A decision that was made just now.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PresentAnswer {
    /// What the bot wrote, one character for each byte.
    pub said: String,
    /// What was said by either side after the prompt, in its order.
    pub exchange: Vec<ExchangePiece>,
    /// The orders.
    pub orders: JsonList,
    /// Why the rules refuse them; `null` if they do not.
    pub refusal: Option<String>,
    /// How long the answer took, in microseconds.
    pub wall_us: u64,
}

/// What one side said at a stretch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExchangePiece {
    /// `out` for what the bot wrote, `in` for what it was told.
    pub stream: String,
    /// The bytes, one character for each.
    pub bytes: String,
}
