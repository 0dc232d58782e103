//! Answers in the frame of the Go Text Protocol: `=` or `?`, text, an empty line.

use agon_core::{Line, Lines, Nonsense};
use alloc::vec::Vec;

/// The longest accepted answer, and the longest accepted line of one, in bytes.
pub(crate) const LONGEST_ANSWER: usize = 16 * 1024;

/// A complete answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Answer {
    /// Whether the answer starts with `=`. If `false`, it starts with `?`.
    pub(crate) good: bool,
    /// The text after the sign, without comments and control characters. Its lines are joined by blanks.
    pub(crate) text: Vec<u8>,
}

/// Joins lines to answers. How the bytes are split makes no difference.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    begun: Option<Answer>,
}

impl Answers {
    /// Reads from the start of `input`. Returns the number of bytes used and, if it is complete, the answer.
    ///
    /// An answer ends at an empty line. Only at the end of the output does it end without one (point T21): if it ended
    /// any earlier, the outcome would depend on how the bytes were split.
    ///
    /// # Errors
    /// If the first line starts with none of `=`, `?` and `#`, or the answer is too long.
    pub(crate) fn read(&mut self, input: &[u8], end: bool) -> (usize, Result<Option<Answer>, Nonsense>) {
        let mut lines = Lines::new(input, LONGEST_ANSWER - 1).ending(end);
        while let Some(next) = lines.next() {
            let line = match next {
                Line::Complete(line) => line,
                Line::TooLong(line) => return (input.len(), Err(Nonsense::new(line, "a line that does not end"))),
            };
            match self.line(line) {
                Ok(Some(answer)) => return (lines.used(), Ok(Some(answer))),
                Ok(None) => {}
                Err(why) => return (lines.used(), Err(Nonsense::new(line, why))),
            }
        }
        (lines.used(), Ok(if end { self.begun.take() } else { None }))
    }

    /// Takes one line. Returns the answer if this line ends it.
    fn line(&mut self, line: &[u8]) -> Result<Option<Answer>, &'static str> {
        let clean: Vec<u8> = cleaned(line).collect();
        let blank = clean.iter().all(|b| *b == b' ');
        // Before an answer, controllers skip blank lines; within an answer, a blank line is its end.
        if blank {
            return Ok(self.begun.take());
        }
        let text = clean.trim_ascii_start();
        let (answer, text) = match (self.begun.as_mut(), text.split_first()) {
            (Some(answer), _) => {
                answer.text.push(b' ');
                (answer, text)
            }
            (None, Some((b'#', _))) => return Ok(None),
            (None, Some((sign @ (b'=' | b'?'), text))) => {
                (self.begun.insert(Answer { good: *sign == b'=', text: Vec::new() }), text)
            }
            (None, _) => return Err("an answer starts with `=` or `?`"),
        };
        answer.text.extend(text.iter().take_while(|b| **b != b'#'));
        if answer.text.len() > LONGEST_ANSWER {
            return Err("an answer that does not end");
        }
        Ok(None)
    }
}

/// A line without control characters and with tabs turned into blanks.
pub(crate) fn cleaned(line: &[u8]) -> impl Iterator<Item = u8> {
    line.iter().map(|b| if *b == b'\t' { b' ' } else { *b }).filter(|b| *b >= b' ' && *b != 0x7f)
}

/// The whole numbers of a text, at most `N` of them. `None` if the text holds anything else.
pub(crate) fn integers<const N: usize>(text: &[u8]) -> Option<[i32; N]> {
    let mut words = text.split(|b| *b == b' ').filter(|w| !w.is_empty());
    let mut numbers = [0; N];
    for slot in &mut numbers {
        *slot = core::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    }
    words.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// All answers of an output that is fed in pieces of `size` bytes.
    fn heard(bytes: &[u8], size: usize) -> Vec<Result<(bool, Vec<u8>), ()>> {
        let (mut answers, mut held, mut found) = (Answers::default(), Vec::new(), Vec::new());
        let mut pieces = bytes.chunks(size).peekable();
        while let Some(piece) = pieces.next() {
            held.extend_from_slice(piece);
            let end = pieces.peek().is_none();
            loop {
                let (used, answer) = answers.read(&held, end);
                held.drain(..used);
                match answer {
                    Ok(Some(a)) => found.push(Ok((a.good, a.text.trim_ascii().to_vec()))),
                    Ok(None) => break,
                    Err(_) => {
                        found.push(Err(()));
                        return found;
                    }
                }
            }
        }
        found
    }

    #[test]
    fn answers_are_found_however_bytes_are_split() {
        let bytes = b"\n\n# hello\n=\n\n?unknown command\r\n\r\n= 3\t7 # good\n\n\x01=\n4\n 5\n\n\n\n=8 9";
        let all = vec![
            Ok((true, b"".to_vec())),
            Ok((false, b"unknown command".to_vec())),
            Ok((true, b"3 7".to_vec())),
            Ok((true, b"4 5".to_vec())),
            Ok((true, b"8 9".to_vec())),
        ];
        for size in [1, 2, 3, 5, bytes.len()] {
            assert_eq!(heard(bytes, size), all, "in pieces of {size}");
        }
    }

    #[test]
    fn a_text_that_is_no_answer_is_an_error() {
        for bytes in [&b"3 7\n\n"[..], b"hello\n", &[b'='; 2 * LONGEST_ANSWER], &b"=\n#\n".repeat(LONGEST_ANSWER)] {
            assert_eq!(heard(bytes, 1000), [Err(())]);
        }
    }

    #[test]
    fn only_whole_numbers_count() {
        assert_eq!(integers(b" 3  7 "), Some([3, 7]));
        for text in ["", "3", "3 7 9", "3 x", "3.0 7", "99999999999 1", "\u{661} 2"] {
            assert_eq!(integers::<2>(text.as_bytes()), None, "{text}");
        }
    }
}
