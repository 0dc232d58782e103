//! What a bot is given of its stdin. How many bytes one read returns depends on what the bot asks for and on the lines
//! alone, never on how they came through the pipe: a bot that counts its reads counts the same on every machine.

use std::io;

/// How much is taken from outside at once: what a pipe holds.
const PIECE: usize = 64 << 10;

/// What has come and was not read yet.
#[derive(Debug, Default)]
pub(crate) struct Input {
    bytes: Vec<u8>,
    at: usize,
    ended: bool,
    /// Where a piece from outside comes in.
    piece: Vec<u8>,
}

impl Input {
    /// Whether the next read asks for more than the bot has been given.
    pub(crate) fn is_dry(&self) -> bool {
        self.at == self.bytes.len() && !self.ended
    }

    /// At most `room` bytes, and at most to the end of a line; nothing at the end of the input. Waits for the rest of a
    /// line: every prompt of every game ends with one.
    ///
    /// # Errors
    /// Those of `pull`, which fills its buffer and returns how many bytes it got, 0 at the end.
    pub(crate) fn next(
        &mut self,
        room: usize,
        mut pull: impl FnMut(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<&[u8]> {
        // Up to where there is no end of a line.
        let mut seen = 0;
        let size = loop {
            let held = &self.bytes[self.at..];
            let within = &held[..held.len().min(room)];
            if let Some(end) = within[seen..].iter().position(|b| *b == b'\n') {
                break seen + end + 1;
            }
            if within.len() == room || self.ended {
                break within.len();
            }
            seen = within.len();
            self.fill(&mut pull)?;
        };
        let from = self.at;
        self.at += size;
        Ok(&self.bytes[from..self.at])
    }

    fn fill(&mut self, pull: &mut impl FnMut(&mut [u8]) -> io::Result<usize>) -> io::Result<()> {
        self.bytes.drain(..self.at);
        self.at = 0;
        self.piece.resize(PIECE, 0);
        let got = pull(&mut self.piece)?;
        self.bytes.extend_from_slice(&self.piece[..got]);
        self.ended = got == 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What reads of this room return if the text comes in these pieces.
    fn reads(pieces: &[&str], room: usize) -> Vec<String> {
        let mut pieces = pieces.iter();
        let mut input = Input::default();
        let mut seen = Vec::new();
        loop {
            let got = input.next(room, |into| {
                let piece = pieces.next().map_or(&[][..], |piece| piece.as_bytes());
                into[..piece.len()].copy_from_slice(piece);
                Ok(piece.len())
            });
            match got.expect("it does not fail") {
                [] => return seen,
                bytes => seen.push(String::from_utf8(bytes.to_vec()).expect("ASCII")),
            }
        }
    }

    #[test]
    fn reads_return_lines_however_they_came() {
        for pieces in [&["one\ntwo\nthree"][..], &["on", "e\nt", "wo\n", "thr", "ee"], &["one\n", "two\nthree"]] {
            assert_eq!(reads(pieces, 100), ["one\n", "two\n", "three"]);
            assert_eq!(reads(pieces, 3), ["one", "\n", "two", "\n", "thr", "ee"]);
            assert_eq!(reads(pieces, 4), ["one\n", "two\n", "thre", "e"]);
        }
    }

    #[test]
    fn it_is_dry_when_all_that_came_was_read() {
        let mut input = Input::default();
        let mut pull = |into: &mut [u8]| {
            into[..4].copy_from_slice(b"a\nb\n");
            Ok(4)
        };
        assert!(input.is_dry());
        assert_eq!(input.next(10, &mut pull).expect("a line"), b"a\n");
        assert!(!input.is_dry());
        assert_eq!(input.next(10, &mut pull).expect("a line"), b"b\n");
        assert!(input.is_dry());
        assert_eq!(input.next(10, |_| Ok(0)).expect("the end"), b"");
        assert!(!input.is_dry(), "nothing more can come");
    }
}
