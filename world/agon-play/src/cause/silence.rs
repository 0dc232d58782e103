//! The cause of a bot's silence: it has read everything and waits, but its answer has not arrived as a whole.

use super::{EMPTY_LINE, Failure, Guess, place::quote};
use agon_languages::{Entry, Flush};
use agon_spec::FaultCause;

/// The bot is late, has read everything and waits.
pub(super) fn waiting(failure: &Failure<'_>) -> Guess {
    let heard = failure.pending();
    if !failure.words.is_answer || heard.is_empty() {
        let arrived = if failure.words.is_answer { "nothing of its last answer" } else { "nothing" };
        return nothing_heard(failure, arrived);
    }
    let shown = quote(heard);
    if heard.ends_with(b"\r") || (heard.contains(&b'\r') && !heard.contains(&b'\n')) {
        let what = format!("its answer `{shown}` has a carriage return (`\\r`) in place of the end of a line");
        return Guess::new(FaultCause::LineEnds, what, "end each line with `\\n`");
    }
    let missing = if heard.ends_with(b"\n") { failure.decision_end } else { "the end of the line" };
    let what = format!("`{shown}` arrived and the bot waits for input, but {missing} is missing");
    let hint = match failure.language {
        _ if failure.decision_end == EMPTY_LINE => "an empty line ends each answer".to_owned(),
        _ if heard.ends_with(b"\n") => format!("a decision ends with {}, also if it is empty", failure.decision_end),
        Some(Entry { title, flush: Flush::By { statement, .. }, .. }) => {
            format!("end it with `\\n`, and flush; in {title}: {statement}")
        }
        _ => "end it with `\\n`, and flush".to_owned(),
    };
    Guess::new(FaultCause::NoEndOfAnswer, what, hint)
}

/// The bot waits for input and has not begun its answer: that is in a buffer, or the bot reads too much. `arrived` says what is
/// missing.
fn nothing_heard(failure: &Failure<'_>, arrived: &str) -> Guess {
    let hint = match failure.language {
        Some(Entry { title, flush: Flush::Needless, .. }) => {
            format!("the referee waits for its answer first; {title} writes at once, so nothing is in a buffer")
        }
        Some(Entry { title, flush: Flush::By { statement, .. }, .. }) if failure.flushes => {
            format!("the referee waits for its answer first; if one is not flushed, in {title}: {statement}")
        }
        language => {
            let flush = match language {
                Some(Entry { title, flush: Flush::By { statement, .. }, .. }) => {
                    format!("in {title}, after each answer: {statement}")
                }
                _ => "in C `fflush(stdout);`, in C++ `std::cout << std::flush;`, after each answer".to_owned(),
            };
            let what = format!(
                "{arrived} arrived, and it waits for input; perhaps its answer is still in a buffer: did you forget to flush?"
            );
            return Guess::new(FaultCause::NoFlush, what, format!("{flush}; if it does, it reads a line too many"));
        }
    };
    let what = format!("{arrived} arrived, and it waits for input; perhaps it reads a line too many before it answers");
    Guess::new(FaultCause::ExtraRead, what, hint)
}
