//! The cause of a fault for people, in three lines.

use crate::clean::{clean, cut};
use agon_play::Cause;
use agon_tournament::words;

/// The longest line, in characters.
const WIDTH: usize = 240;
/// What the second and the third line begin with, below the `hint: ` before the first.
const MARGIN: &str = "\n      ";

/// Returns what went wrong with the bot `name`, where in the conversation, and what its author can do.
pub fn lines(name: &str, cause: &Cause) -> String {
    let line = |text: &str| cut(&clean(text), WIDTH);
    let what = line(&cause.what);
    let hint = line(&cause.hint);
    format!("{}: {what}{MARGIN}{}{MARGIN}{hint}", clean(name), line(&cause.place))
}

/// Returns the first and the last of these lines as one, for documents.
pub fn short(cause: &Cause) -> String {
    words::joined(&clean(&cause.what), &clean(&cause.hint))
}
