//! The place in the conversation where a bot failed, and what it said there.

use agon_core::text::cut;
use agon_referee::{Fault, FaultRecord, LastWords, turn_name};

/// The maximum number of characters that are quoted of a line.
const MOST: usize = 60;

/// Returns where in the conversation the bot failed.
///
/// `stderr` is the end of its stderr. Reports show that of a crash already.
pub(super) fn place(record: &FaultRecord, words: &LastWords, stderr: &str) -> String {
    let turn = match record.ply {
        0 => "in the greeting".to_owned(),
        ply => format!("in {}", turn_name(ply, record.round)),
    };
    let told = match last_line(&words.told) {
        Some(line) => format!("the last line told was `{line}`"),
        None => "nothing had been told".to_owned(),
    };
    let heard = match (&record.fault, last_line(&words.heard)) {
        (Fault::Nonsense { line, .. }, _) if line.trim().is_empty() => "an empty line was heard".to_owned(),
        (Fault::Nonsense { line, .. }, _) => format!("the last line heard `{}`", cut(line.trim_end(), MOST)),
        (_, Some(line)) if words.is_answer => format!("the last line heard `{line}`"),
        (_, Some(line)) => format!("the last line heard `{line}`, in its answer before"),
        (_, None) if words.heard.is_empty() => "nothing was heard".to_owned(),
        (_, None) => "only empty lines were heard".to_owned(),
    };
    // Every start of Java notes the options that the sandbox gives it.
    let is_note = |line: &String| line.starts_with("NOTE: Picked up") || line.starts_with("Picked up");
    let said = last_line(stderr.as_bytes()).filter(|line| !is_note(line));
    let said = said.filter(|_| !matches!(record.fault, Fault::Crashed { .. }));
    let said = said.map(|line| format!("; on stderr it wrote `{line}` last")).unwrap_or_default();
    format!("{turn} {told}, {heard}{said}")
}

/// Returns the last line that is not empty, shortened.
fn last_line(bytes: &[u8]) -> Option<String> {
    let line = bytes.split(|byte| *byte == b'\n').rev().find(|line| !line.trim_ascii().is_empty())?;
    Some(cut(&String::from_utf8_lossy(line), MOST))
}

/// Returns the last bytes with visible line ends, shortened.
pub(super) fn quote(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(MOST)..]).into_owned();
    let mark = if bytes.len() > MOST { "…" } else { "" };
    format!("{mark}{}", text.trim_start_matches('\u{fffd}').replace('\r', "\\r").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_quotes_both_sides() {
        let fault = Fault::ClosedOutput;
        let record = FaultRecord { seat: agon_core::Seat::new(0), ply: 3, round: None, fault };
        let words = LastWords { told: b"P 1\ngo\n".to_vec(), ..LastWords::default() };
        assert_eq!(place(&record, &words, ""), "in turn 3 the last line told was `go`, nothing was heard");
        let said = "in turn 3 the last line told was `go`, nothing was heard; on stderr it wrote `no move` last";
        assert_eq!(place(&record, &words, "thinking\nno move\n"), said);
        let words = LastWords { heard: b"1 2 3\n".to_vec(), ..words };
        let said = "in turn 3 the last line told was `go`, the last line heard `1 2 3`, in its answer before";
        assert_eq!(place(&record, &words, ""), said);
        let words = LastWords { heard: b"\n".to_vec(), ..words };
        assert!(place(&record, &words, "").ends_with("only empty lines were heard"));
    }
}
