//! The stdin of a bot. The number of bytes that a read returns depends only on the size that the bot asks for and on
//! the lines, never on the pieces in which they arrive through the pipe. So a bot that counts its reads gets the same
//! number on every machine.

use std::io;

/// The maximum number of bytes to read from outside in one call: the capacity of a pipe.
const PIECE: usize = 64 << 10;

/// The bytes that have arrived but that the bot has not read.
#[derive(Debug, Default)]
pub(crate) struct Input {
    bytes: Vec<u8>,
    at: usize,
    ended: bool,
    /// A buffer for reads from outside.
    piece: Vec<u8>,
}

impl Input {
    /// Returns whether the bot has read everything that has arrived, and the input has not ended.
    pub(crate) fn is_dry(&self) -> bool {
        self.at == self.bytes.len() && !self.ended
    }

    /// Returns at most `room` bytes, and at most the rest of a line. Returns nothing at the end of the input. Waits
    /// for the rest of a line: in every game, a prompt ends with a line end.
    ///
    /// `pull` reads bytes into its buffer and returns their number, 0 at the end.
    ///
    /// # Errors
    /// If `pull` fails.
    pub(crate) fn next(
        &mut self,
        room: usize,
        mut pull: impl FnMut(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<&[u8]> {
        // The number of bytes that contain no line end.
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
