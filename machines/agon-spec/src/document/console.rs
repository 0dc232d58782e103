//! The documents of `agon console`.

use crate::{
    JsonList, Mark, PlyRecord,
    shape::{FrameShape, SeatNumber, StateTree},
};
use agon_core::{Frame, Seat, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer to one command of a console, with the state after it.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ConsoleDocument {
    /// The first word of the command.
    pub command: String,
    /// Whether the command was carried out.
    pub ok: bool,
    /// Why the command was not carried out. `null` if it was.
    pub error: Option<ConsoleError>,
    /// The number of turns since the start, or since the position was edited.
    pub ply: u32,
    /// The round of the next turn. The key is missing if the game counts no rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The fingerprint of the position.
    pub fingerprint: Mark,
    /// The seats that decide next, in order. The list is empty after the end.
    #[schemars(with = "Vec<SeatNumber>")]
    pub awaiting: Vec<Seat>,
    /// Whether the match has ended by the rules.
    pub over: bool,
    /// The number of the current branch, counted from 1.
    pub branch: u32,
    /// How many turns and edits can be taken back.
    pub undo: u32,
    /// How many turns and edits can be played again.
    pub redo: u32,
    /// The first word of another command that still waits for bots, for a file or for a program. `null` if none does.
    pub waiting: Option<String>,
    /// Whether the clocks go on as soon as somebody decides by them. If not, they stand until somebody plays. The key is missing
    /// without clocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clocks_run: Option<bool>,
    /// The seats, in order.
    pub seats: Vec<ConsoleSeat>,
    /// The turns that the command played, or that it went through forwards, after those that a clock has ended since the last
    /// answer. The key is missing if there were none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<PlyRecord>,
    /// What a bot answered to `ask` or `raw`. The key is missing for other commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<ConsoleAnswer>,
    /// All branches, for `branch` without a number. The key is missing for other commands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<ConsoleBranch>,
    /// The position as a map, for `show map`. The key is missing for other commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<String>,
    /// The session as a replay, for `show replay`. The key is missing for other commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// The picture of the position, for `show`. The key is missing for other commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<FrameShape>")]
    pub frame: Option<Frame>,
    /// The file that was written or read. The key is missing for other commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What the position has and its map cannot say, for `show map` and `save map`. The key is missing if nothing was left
    /// out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// What the position has beyond its map, for `show state`. The key is missing for other commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<StateTree>")]
    pub state: Option<State>,
    /// What of the position did not fit the changed map, for `edit`, and begins anew. The key is missing if everything fits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub begun_anew: Vec<String>,
    /// What each command looks like and does, for `help`. The key is missing for other commands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub help: Vec<String>,
}

/// Why a command was not carried out, and where it is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConsoleError {
    /// What is wrong.
    pub text: String,
    /// The line, counted from 1. `null` if the error has no single place.
    pub line: Option<u32>,
    /// The column in characters, counted from 1. `null` if the error has no single place.
    pub column: Option<u32>,
    /// The length in characters. `null` if the error has no single place.
    pub length: Option<u32>,
    /// The text in which the place is.
    #[serde(rename = "in")]
    pub text_of: ConsoleText,
    /// The path of the item that is wrong, for an error in what a position has beyond its map. The key is missing for other
    /// errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// The way out. `null` if there is no short one.
    pub hint: Option<String>,
}

/// The text in which an error has its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConsoleText {
    /// The line of the command.
    Command,
    /// The map that the command made or loaded.
    Map,
    /// What the position has beyond its map. The error has the path of the item.
    State,
}

/// A seat of a console.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConsoleSeat {
    /// The name, which no other seat has.
    pub name: String,
    /// The bot as the user named it, for example `@random` or `human`.
    pub bot: String,
    /// Whether the seat can be asked.
    pub state: ConsoleSeatState,
    /// Why the bot is dead or out of step. The key is missing in other states. It may quote the bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How a program is brought to a position that it has not reached by its own turns: `setup`, `stateless` or
    /// `replayed`. `null` if the seat has no program.
    pub into_step: Option<String>,
    /// Whether the seat knows the position, or needs no knowledge of it. If not, it is brought there when it is asked.
    pub in_step: bool,
    /// Whether the seat has decided in the turn that is being played, or has failed in it.
    pub decided: bool,
    /// The clock of the seat. The key is missing if the session has no clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ConsoleClock>,
}

/// The clock of a seat of a console.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConsoleClock {
    /// How long the seat may still take for its decision, in microseconds: what is left of the turn or of the bank, whichever
    /// is less. If the seat does not decide now, it is that of its next decision. `null` if neither has a limit.
    pub left_us: Option<u64>,
    /// What is left in the bank, in microseconds. The key is missing if the clock has no bank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank_us: Option<u64>,
    /// Whether the clock runs now.
    pub runs: bool,
}

/// Whether a seat of a console can be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConsoleSeatState {
    /// The bot waits for a question.
    Ready,
    /// The bot has a question, or is being started or brought into step.
    Thinking,
    /// The bot could not be brought to the position. The command `anyway` lets it play on.
    OutOfStep,
    /// The process of the bot has ended, or never started. The command `restart` starts it anew.
    Dead,
    /// A person decides.
    Human,
}

/// What a bot answered without its answer being played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConsoleAnswer {
    /// The seat of the bot.
    #[schemars(with = "SeatNumber")]
    pub seat: Seat,
    /// The orders that the bot decided on, for `ask`. `null` for `raw`, and if there was no decision.
    pub orders: Option<JsonList>,
    /// Why the rules refuse the orders, in the game's words. `null` if they do not.
    pub refusal: Option<String>,
    /// The output that came in answer to `raw`, with bytes that are not UTF-8 replaced. `null` for `ask`.
    pub text: Option<String>,
    /// Whether the answer was complete when the time for it was up: a decision, or whole lines.
    pub complete: bool,
    /// The time from the question to the answer, in microseconds.
    pub wall_us: u64,
}

/// A line of play of a console.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConsoleBranch {
    /// The number of the branch, counted from 1 in the order in which the branches began.
    pub branch: u32,
    /// The number of turns at its end, since the start or since the position was edited.
    pub ply: u32,
    /// The fingerprint of the position at its end.
    pub fingerprint: Mark,
    /// Whether the console is on this branch.
    pub current: bool,
}
