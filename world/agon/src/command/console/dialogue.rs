//! What goes through the pipes of bots, as text for people.

use agon_core::Seat;
use serde::Serialize;
use std::{collections::BTreeMap, time::Duration};

/// The direction of a piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// To the bot.
    To,
    /// From the bot: its stdout.
    From,
    /// From the bot: its stderr.
    Stderr,
    /// What has happened to its process, in our words.
    Note,
}

/// A piece of the dialogue with a bot. It may begin or end within a line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Piece {
    /// The seat of the bot, counted from 1.
    pub seat: u8,
    /// The number of the start of its process in this seat.
    pub run: u32,
    /// The time since the session began, in microseconds.
    pub at_us: u64,
    pub way: Way,
    /// The bytes, with those that are not UTF-8 replaced.
    pub text: String,
}

impl Piece {
    fn new(seat: Seat, run: u32, at: Duration, way: Way, text: String) -> Self {
        Self { seat: seat.number(), run, at_us: at.as_micros() as u64, way, text }
    }

    /// Returns what has happened to a process, in our words.
    pub fn note(seat: Seat, run: u32, at: Duration, text: String) -> Self {
        Self::new(seat, run, at, Way::Note, text)
    }
}

/// The dialogue with all bots.
#[derive(Default)]
pub struct Dialogue {
    /// The bytes at the ends of streams that begin a character.
    unfinished: BTreeMap<(u8, Way), (u32, Vec<u8>)>,
}

impl Dialogue {
    /// Returns bytes as a piece. `None` if they are less than a character.
    pub fn piece(&mut self, seat: Seat, run: u32, way: Way, at: Duration, bytes: &[u8]) -> Option<Piece> {
        let (of, rest) = self.unfinished.entry((seat.number(), way)).or_default();
        if *of != run {
            (*of, *rest) = (run, Vec::new());
        }
        rest.extend_from_slice(bytes);
        let mut text = String::new();
        let mut chunks = rest.utf8_chunks().peekable();
        let mut left = Vec::new();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let wrong = chunk.invalid();
            if chunks.peek().is_none() && begins_a_character(wrong) {
                left = wrong.to_vec();
            } else if !wrong.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        *rest = left;
        (!text.is_empty()).then(|| Piece::new(seat, run, at, way, text))
    }
}

/// Returns whether more bytes may make these a character.
fn begins_a_character(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|why| why.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_whole_however_the_bytes_come() {
        let text = "aé€😀z";
        for cut in 0..=text.len() {
            let mut dialogue = Dialogue::default();
            let (one, other) = text.as_bytes().split_at(cut);
            let said = [one, other].map(|part| dialogue.piece(Seat::new(0), 1, Way::From, Duration::ZERO, part));
            let whole: String = said.into_iter().flatten().map(|piece| piece.text).collect();
            assert_eq!(whole, text, "cut after {cut}");
        }
    }

    #[test]
    fn wrong_bytes_are_replaced_and_those_of_an_earlier_process_forgotten() {
        let mut dialogue = Dialogue::default();
        let mut say = |run, bytes: &[u8]| {
            dialogue.piece(Seat::new(1), run, Way::Stderr, Duration::from_millis(2), bytes).map(|piece| piece.text)
        };
        assert_eq!(say(1, b"a\xffb\xc3").as_deref(), Some("a\u{fffd}b"));
        assert_eq!(say(2, b"\xa9x").as_deref(), Some("\u{fffd}x"));
        assert_eq!(say(2, b"\xe2\x82"), None);
        assert_eq!(say(2, b"\xac").as_deref(), Some("€"));
    }
}
