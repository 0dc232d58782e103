//! Splits the bytes of a wire protocol into lines.

/// An iterator over the complete lines at the start of a seat's bytes. The lines come without their line feeds.
///
/// [`Dialogue::hear`](crate::Dialogue::hear) gets the same bytes again until it uses them, each time with more bytes
/// after them. `Lines` therefore leaves an incomplete line alone, and the outcome does not depend on how the bytes were
/// split.
///
/// ```
/// use agon_core::{Line, Lines};
///
/// let mut lines = Lines::new(b"go\nsto", 80);
/// assert_eq!(lines.next(), Some(Line::Complete(b"go")));
/// assert_eq!((lines.next(), lines.used()), (None, 3));
/// assert_eq!(lines.rest(), b"sto");
/// ```
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    input: &'a [u8],
    used: usize,
    longest: usize,
    end: bool,
}

/// One step of [`Lines`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line<'a> {
    /// A line without its line feed. If a carriage return precedes the line feed, the line keeps it.
    Complete(&'a [u8]),
    /// The start of a line that is longer than allowed. Its bytes do not count as used.
    TooLong(&'a [u8]),
}

impl<'a> Lines<'a> {
    /// Creates an iterator over the lines of `input`. A line may have at most `longest` bytes, without its line feed.
    #[must_use]
    pub fn new(input: &'a [u8], longest: usize) -> Self {
        Self { input, used: 0, longest, end: false }
    }

    /// Says with `end` that no more bytes will follow. Bytes after the last line feed then count as a line, too.
    #[must_use]
    pub fn ending(self, end: bool) -> Self {
        Self { end, ..self }
    }

    /// Returns how many bytes the lines so far take, with their line feeds.
    #[must_use]
    pub fn used(&self) -> usize {
        self.used
    }

    /// Returns the bytes after the lines so far.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        &self.input[self.used..]
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    #[inline]
    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.rest();
        // One more byte: the line feed after a line of `longest` bytes.
        let looked_at = &rest[..rest.len().min(self.longest.saturating_add(1))];
        if let Some(length) = looked_at.iter().position(|b| *b == b'\n') {
            self.used += length + 1;
            return Some(Line::Complete(&rest[..length]));
        }
        if rest.len() > self.longest {
            return Some(Line::TooLong(rest));
        }
        if self.end && !rest.is_empty() {
            self.used = self.input.len();
            return Some(Line::Complete(rest));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn complete(lines: &mut Lines<'_>) -> Vec<Vec<u8>> {
        let text = |line| match line {
            Line::Complete(line) => Some(line.to_vec()),
            Line::TooLong(_) => None,
        };
        lines.map_while(text).collect()
    }

    #[test]
    fn only_complete_lines_are_given_before_the_end() {
        let mut lines = Lines::new(b"a\n\nb\r\nc", 9);
        assert_eq!(complete(&mut lines), [&b"a"[..], b"", b"b\r"]);
        assert_eq!((lines.used(), lines.rest()), (6, &b"c"[..]));
        let mut lines = Lines::new(b"a\nc", 9).ending(true);
        assert_eq!(complete(&mut lines), [b"a", b"c"]);
        assert_eq!((lines.used(), lines.next()), (3, None));
        assert_eq!(Lines::new(b"", 9).ending(true).next(), None);
    }

    #[test]
    fn a_line_may_be_as_long_as_is_said_and_no_longer() {
        assert_eq!(Lines::new(b"abc\n", 3).next(), Some(Line::Complete(b"abc")));
        assert_eq!(Lines::new(b"abc", 3).next(), None);
        for long in [&b"abcd"[..], b"abcd\n"] {
            let mut lines = Lines::new(long, 3);
            assert_eq!((lines.next(), lines.used()), (Some(Line::TooLong(long)), 0));
        }
        assert_eq!(Lines::new(b"abcd\n", usize::MAX).next(), Some(Line::Complete(b"abcd")));
    }

    #[test]
    fn lines_do_not_depend_on_how_bytes_arrive() {
        let text = b"one\ntwo\n\nthree\nfour";
        let whole = complete(&mut Lines::new(text, 9));
        let (mut split, mut used) = (Vec::new(), 0);
        for arrived in 0..=text.len() {
            let mut lines = Lines::new(&text[used..arrived], 9);
            split.append(&mut complete(&mut lines));
            used += lines.used();
        }
        assert_eq!(split, whole);
    }
}
