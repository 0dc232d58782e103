//! What pages are told of the dialogue: what is said from now on, and the end of what was said to those that connect later.

use super::super::dialogue::Piece;
use std::{collections::VecDeque, mem, time::Duration};

/// How much of the dialogue a page gets that connects later, in bytes.
const KEPT: usize = 1 << 20;
/// The time between two messages about the dialogue. A bot that floods would make a message of every line, and pages would be
/// seconds behind.
const PAUSE: Duration = Duration::from_millis(20);

/// The dialogue as pages know it.
#[derive(Default)]
pub struct Pieces {
    /// What pages have not been told.
    fresh: Vec<Piece>,
    /// When pages may be told more.
    next: Duration,
    kept: VecDeque<Piece>,
    kept_bytes: usize,
    /// How many bytes before that are no longer kept.
    pub forgotten: usize,
}

impl Pieces {
    pub fn add(&mut self, piece: Piece) {
        self.fresh.push(piece);
    }

    /// Returns when pages are to be told more. `None` if there is nothing more.
    pub fn due(&self) -> Option<Duration> {
        (!self.fresh.is_empty()).then_some(self.next)
    }

    /// Returns what pages are to be told now. With `at_once` that is everything.
    pub fn take(&mut self, now: Duration, at_once: bool) -> Vec<Piece> {
        if !at_once && now < self.next {
            return Vec::new();
        }
        let fresh = mem::take(&mut self.fresh);
        if !fresh.is_empty() {
            self.next = now + PAUSE;
        }
        fresh
    }

    /// Keeps what pages were told.
    pub fn keep(&mut self, told: Vec<Piece>) {
        for piece in told {
            self.kept_bytes += piece.text.len();
            self.kept.push_back(piece);
        }
        while self.kept_bytes > KEPT
            && let Some(oldest) = self.kept.pop_front()
        {
            self.kept_bytes -= oldest.text.len();
            self.forgotten += oldest.text.len();
        }
    }

    pub fn kept(&self) -> Vec<&Piece> {
        self.kept.iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Seat;

    fn piece(text: &str) -> Piece {
        Piece::note(Seat::new(0), 1, Duration::ZERO, text.to_owned())
    }

    #[test]
    fn a_flood_is_few_messages_and_a_single_line_is_told_at_once() {
        let mut pieces = Pieces::default();
        let mut messages = Vec::new();
        for i in 0..1000 {
            let now = Duration::from_millis(i);
            pieces.add(piece("x"));
            messages.extend(Some(pieces.take(now, false).len()).filter(|count| *count > 0));
        }
        assert_eq!(messages[..2], [1, 20], "the first line is told at once, and those of 20 ms together");
        assert_eq!(messages.len(), 50);
        assert_eq!(pieces.due(), Some(Duration::from_millis(1000)));
        assert_eq!(pieces.take(Duration::from_millis(999), true).len(), 19, "before an answer all is told");
        assert_eq!((pieces.due(), pieces.take(Duration::from_secs(2), false).len()), (None, 0));
        pieces.add(piece("y"));
        assert_eq!(pieces.take(Duration::from_secs(2), false).len(), 1);
    }

    #[test]
    fn the_end_of_what_was_told_is_kept() {
        let mut pieces = Pieces::default();
        let third = "x".repeat(KEPT / 3);
        (0..4).for_each(|_| pieces.keep(vec![piece(&third)]));
        assert_eq!((pieces.kept().len(), pieces.forgotten), (3, third.len()));
    }
}
