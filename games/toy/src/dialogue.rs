//! The referee's half of the wire protocol.

use crate::{Order, Position, View};
use agon_core::{DialectOption, Dialogue, Line, Lines, Nonsense, Refused, Remaining, Said};
use alloc::{string::String, vec::Vec};

/// The protocol options that each seat may set.
pub(crate) const DIALECT: &[DialectOption] = &[DialectOption {
    name: "confirm",
    about: "whether the referee answers each number with `yes` or `no`",
    values: &["no", "yes"],
}];

/// The referee's half of the protocol for one seat.
#[derive(Debug)]
pub struct RefereeDialogue {
    confirm: bool,
    greeted: bool,
}

impl RefereeDialogue {
    /// Starts a dialogue with these options, each a name with its value.
    #[must_use]
    pub fn new(dialect: &[(String, String)]) -> Self {
        Self { confirm: dialect.iter().any(|(name, value)| name == "confirm" && value == "yes"), greeted: false }
    }
}

impl Dialogue<Position> for RefereeDialogue {
    fn greet(&mut self, view: View, _clock: Remaining, out: &mut Vec<u8>) -> Said {
        out.extend_from_slice(if view.last_wins { b"toy wins\n" } else { b"toy loses\n" });
        Said::More
    }

    fn prompt(&mut self, view: View, _clock: Remaining, out: &mut Vec<u8>) {
        self.greeted = true;
        out.extend_from_slice(b"heap ");
        put_number(view.stones, out);
        out.push(b' ');
        put_number(view.most, out);
        out.push(b'\n');
    }

    fn hear(
        &mut self,
        _view: View,
        _clock: Remaining,
        input: &[u8],
        _end: bool,
        orders: &mut Vec<Order>,
        _out: &mut Vec<u8>,
    ) -> (usize, Said) {
        // A line without its end is not an answer, even when the output has ended.
        let mut lines = Lines::new(input, usize::MAX);
        let Some(Line::Complete(line)) = lines.next() else { return (0, Said::More) };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let said = if self.greeted {
            match line.strip_prefix(b"take ").and_then(number) {
                Some(stones) => {
                    orders.push(Order(stones));
                    Said::Decision
                }
                None => Said::Nonsense(Nonsense::new(line, "not `take` and a number")),
            }
        } else if line == b"ok" {
            self.greeted = true;
            Said::Ready
        } else {
            Said::Nonsense(Nonsense::new(line, "not `ok`"))
        };
        (lines.used(), said)
    }

    fn verdict(&mut self, _view: View, verdict: Result<(), Refused<Position>>, out: &mut Vec<u8>) {
        if self.confirm {
            out.extend_from_slice(if verdict.is_ok() { b"yes\n" } else { b"no\n" });
        }
    }

    fn farewell(&mut self, _view: View, out: &mut Vec<u8>) {
        out.extend_from_slice(b"end\n");
    }
}

/// Reads a number of one to nine ASCII digits.
pub(crate) fn number(text: &[u8]) -> Option<u32> {
    let lawful = (1..=9).contains(&text.len()) && text.iter().all(u8::is_ascii_digit);
    lawful.then(|| text.iter().fold(0, |n, digit| n * 10 + u32::from(digit - b'0')))
}

/// Appends a number in decimal digits. It allocates nothing if `out` has room.
pub(crate) fn put_number(mut n: u32, out: &mut Vec<u8>) {
    let mut digits = [0; 10];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    const VIEW: View = View { stones: 9_999_999, most: 99, last_wins: true };

    #[test]
    fn the_longest_prompt_is_16_bytes() {
        let mut out = vec![];
        RefereeDialogue::new(&[]).prompt(VIEW, Remaining::default(), &mut out);
        assert_eq!(out, b"heap 9999999 99\n");
        assert_eq!(out.len(), 16);
    }

    #[test]
    fn only_the_protocol_is_understood() {
        for (line, expected) in [
            (&b"take 2\n"[..], Some(2)),
            (b"take 2\r\n", Some(2)),
            (b"take 0\n", Some(0)),
            (b"take  2\n", None),
            (b"take -1\n", None),
            (b"take 2 \n", None),
            (b"take 1000000000\n", None),
            (b"take \xd9\xa3\n", None),
            (b"ok\n", None),
            (b"\n", None),
        ] {
            let (mut dialogue, mut out, mut orders) = (RefereeDialogue::new(&[]), vec![], vec![]);
            dialogue.prompt(VIEW, Remaining::default(), &mut out);
            let (used, said) = dialogue.hear(VIEW, Remaining::default(), line, false, &mut orders, &mut out);
            assert_eq!(used, line.len());
            assert_eq!(said == Said::Decision, expected.is_some(), "{line:?}");
            assert_eq!(orders.first().map(|take| take.0), expected, "{line:?}");
        }
    }
}
