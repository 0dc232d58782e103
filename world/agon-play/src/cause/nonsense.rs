//! The cause of a line that no game understands, as far as the line shows it: text for people, or another way to write an
//! answer.

use super::{Failure, Guess};
use agon_referee::LastWords;
use agon_spec::FaultCause;

/// The bot wrote a line that is no protocol.
pub(super) fn spoken(failure: &Failure<'_>, line: &str) -> Option<Guess> {
    const MARK: &str = "\u{feff}";
    let LastWords { heard, told, .. } = failure.words;
    let is_json = told.trim_ascii_start().starts_with(b"{");
    if line.starts_with(MARK) || heard.starts_with(MARK.as_bytes()) {
        let what = "its output begins with a byte order mark (BOM), the invisible bytes EF BB BF";
        return Some(Guess::new(
            FaultCause::Bom,
            what,
            "write UTF-8 without a BOM, for example `utf-8` and not `utf-8-sig`",
        ));
    }
    let trimmed = line.trim();
    if trimmed.is_empty() {
        let hint = "print nothing but answers to stdout, and no empty line among them";
        return Some(Guess::new(FaultCause::Prose, "it wrote an empty line, where an answer belongs", hint));
    }
    if is_json && trimmed.starts_with(['{', '[']) && trimmed.contains('\'') && !trimmed.contains('"') {
        let what = "it wrote single quotes, but strings in JSON have double quotes";
        let hint = "use a JSON library; in Python `json.dumps(x)` in place of `str(x)`";
        return Some(Guess::new(FaultCause::Quotes, what, hint));
    }
    if line.trim_end_matches('\r').contains('\r') {
        let what = "it ends its lines with a carriage return (`\\r`) alone";
        return Some(Guess::new(FaultCause::LineEnds, what, "end each line with `\\n`"));
    }
    let of_java =
        ["OpenJDK", "Java HotSpot", "Picked up", "NOTE: Picked"].iter().any(|start| trimmed.starts_with(start));
    if of_java {
        let what = "a note of the Java virtual machine is on its stdout, where only answers belong";
        return Some(Guess::new(FaultCause::Prose, what, "start it as `java -XX:+DisplayVMOutputToStderr …`"));
    }
    if is_prose(trimmed) {
        let what = "it wrote text for people to its stdout, where only answers belong";
        return Some(Guess::new(FaultCause::Prose, what, TO_STDERR));
    }
    let is_debug = is_lone_word(trimmed, failure.decision_end) || is_value(trimmed, is_json);
    is_debug.then(perhaps_prose)
}

/// Whether a line is a single value, as programs print it for their authors. Answers of some games are objects of JSON.
fn is_value(line: &str, is_json: bool) -> bool {
    let is_number = line.parse::<f64>().is_ok();
    let is_list = (line.starts_with('[') && line.ends_with(']')) || (line.starts_with('(') && line.ends_with(')'));
    is_number || is_list || (!is_json && line.starts_with('{') && line.ends_with('}'))
}

const TO_STDERR: &str = "debug output belongs on stderr; `--stderr` shows it while the match is played";

/// The guess about a line that may also be a mistake in an answer.
pub(super) fn perhaps_prose() -> Guess {
    let what = "perhaps it wrote text for people to its stdout, where only answers belong";
    Guess::new(FaultCause::Prose, what, TO_STDERR)
}

/// Whether a line is written for people: its first word is one, and another word or a colon follows.
fn is_prose(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let Some(first) = words.next().filter(|_| begins_with_word(line)) else { return false };
    first.ends_with([':', '=']) || line.starts_with("Traceback") || words.any(is_word)
}

/// Whether a line is one word that is not an attempt to end the decision, as `Go` or `goo` for ``the line `go` ``.
fn is_lone_word(line: &str, decision_end: &str) -> bool {
    let letters: String = line.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
    let end = decision_end.split('`').nth(1).unwrap_or_default();
    begins_with_word(line) && !line.contains(char::is_whitespace) && strsim::levenshtein(&letters, end) > 1
}

pub(super) fn begins_with_word(line: &str) -> bool {
    !line.starts_with(['{', '[', '=', '?']) && line.split_whitespace().next().is_some_and(is_word)
}

fn is_word(word: &str) -> bool {
    word.chars().filter(|c| c.is_alphabetic()).count() >= 2 && !word.contains(|c: char| c.is_ascii_digit())
}
