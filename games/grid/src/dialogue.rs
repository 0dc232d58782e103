//! The referee's half of the wire protocol (specification "Player communication").
//!
//! The judge writes `Y id`, `E budget`, the rows of the map and `.`. The bot answers with lines `C x y` and a last
//! line `.`.

use crate::{
    map,
    order::{MOST_CHARACTERS, Order},
    position::Position,
    rules::{ClosedInput, LineEnds, Rules},
    view::View,
};
use agon_core::{Dialogue, Line, Lines, Nonsense, Remaining, Said};
use alloc::vec::Vec;
use core::{fmt::Write, str};

/// The longest accepted line, in bytes. Without this limit, blanks and leading zeros could make a line of any length.
pub const LONGEST_LINE: usize = 4096;

/// The largest number of chat messages in one turn. The judge had no limit; without one a bot could fill the memory.
pub const MOST_MESSAGES: u32 = 1024;

/// Writes the judge's messages to one bot and reads its orders.
pub struct RefereeDialogue {
    rules: Rules,
    /// The orders of this turn so far. They count only when the turn is complete: if a bot breaks down before its `.`,
    /// none of them counts (G18).
    heard: Vec<Order>,
    captures: u32,
    messages: u32,
    /// Whether a chat message of this turn is longer than any lawful one.
    overlong: bool,
}

impl RefereeDialogue {
    /// Starts the dialogue with a bot of a match with this rule set.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self { rules, heard: Vec::new(), captures: 0, messages: 0, overlong: false }
    }

    fn forget(&mut self) {
        self.heard.clear();
        (self.captures, self.messages, self.overlong) = (0, 0, false);
    }

    fn is_dot(&self, line: &[u8]) -> bool {
        line == b"." || (line == b".\r" && self.rules.line_ends == LineEnds::Any)
    }

    /// Takes one line that does not end the turn. `Err` says why the line is nonsense.
    fn take(&mut self, line: &[u8], energy: u32) -> Result<(), &'static str> {
        match order(line, self.rules.chat)? {
            Wish::Capture(order) => {
                self.captures = self.captures.saturating_add(1);
                // One capture more than the budget is unlawful already; further ones would only fill the memory.
                if self.captures <= energy.saturating_add(1) {
                    self.heard.push(order);
                }
            }
            Wish::Say(text) => {
                self.messages += 1;
                if self.messages > MOST_MESSAGES {
                    return Err("more than 1024 messages of chat in one turn");
                }
                // One overlong message is unlawful already; further ones would only fill the memory.
                if !self.overlong {
                    self.heard.extend(Order::say(text));
                }
                self.overlong |= text.chars().count() > MOST_CHARACTERS as usize;
            }
        }
        Ok(())
    }
}

impl Dialogue<Position> for RefereeDialogue {
    fn greet(&mut self, _view: View<'_>, _clock: Remaining, _out: &mut Vec<u8>) -> Said {
        Said::Ready
    }

    fn prompt(&mut self, view: View<'_>, _clock: Remaining, out: &mut Vec<u8>) {
        self.forget();
        write_message(view, out);
    }

    fn hear(
        &mut self,
        view: View<'_>,
        _clock: Remaining,
        input: &[u8],
        end: bool,
        orders: &mut Vec<Order>,
        _out: &mut Vec<u8>,
    ) -> (usize, Said) {
        let mut lines = Lines::new(input, LONGEST_LINE);
        while let Some(next) = lines.next() {
            let (line, taken) = match next {
                Line::Complete(line) if self.is_dot(line) => {
                    orders.append(&mut self.heard);
                    self.forget();
                    return (lines.used(), Said::Decision);
                }
                Line::Complete(line) => (line, self.take(line, view.energy)),
                Line::TooLong(line) => (line, Err("longer than 4096 bytes")),
            };
            if let Err(why) = taken {
                self.forget();
                return (lines.used(), Said::Nonsense(Nonsense::new(line, why)));
            }
        }
        // A last `.` without its line feed still ends the turn. If nothing follows, that is a fault of the next turn
        // (2.3).
        if end && self.is_dot(lines.rest()) {
            orders.append(&mut self.heard);
            self.forget();
            return (input.len(), Said::Decision);
        }
        (lines.used(), Said::More)
    }

    fn reposition(&mut self) {
        self.forget();
    }

    fn must_be_told(&self) -> bool {
        self.rules.closed_input == ClosedInput::Fault
    }
}

/// Writes the judge's message of one turn.
pub(crate) fn write_message(view: View<'_>, out: &mut Vec<u8>) {
    let _ = write!(Bytes(out), "Y {}\nE {}\n", view.me, view.energy);
    for y in 0..view.board.height() {
        out.extend((0..view.board.width()).map(|x| map::symbol(view.board.owner(x, y)) as u8));
        out.push(b'\n');
    }
    out.extend_from_slice(b".\n");
}

/// Lets `write!` append to bytes.
pub(crate) struct Bytes<'a>(pub(crate) &'a mut Vec<u8>);

impl Write for Bytes<'_> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

/// The meaning of one line of a bot.
pub(crate) enum Wish<'a> {
    Capture(Order),
    Say(&'a str),
}

/// Reads one line without its line feed (specification "Order format"; the judge defines the exact grammar).
///
/// A capture begins with `C` and a blank; two numbers in decimal digits follow, with any white space around them.
/// Where the rule set has chat, a message begins with `S` and a blank; at least one character follows.
pub(crate) fn order(line: &[u8], chat: bool) -> Result<Wish<'_>, &'static str> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if let Some(rest) = line.strip_prefix(b"C ") {
        let mut numbers = rest.split(|b| b.is_ascii_whitespace() || *b == 0x0b).filter(|token| !token.is_empty());
        return match (numbers.next(), numbers.next(), numbers.next()) {
            (Some(x), Some(y), None) => match (number(x), number(y)) {
                (Some(x), Some(y)) => Ok(Wish::Capture(Order::capture(x, y))),
                _ => Err("a coordinate is a whole number of decimal digits"),
            },
            _ => Err("`C` needs two numbers"),
        };
    }
    match line.strip_prefix(b"S ") {
        Some(text) if chat => match str::from_utf8(text) {
            Ok("") => Err("`S` needs a text"),
            Ok(text) => Ok(Wish::Say(text)),
            Err(_) => Err("the text is not UTF-8"),
        },
        _ if chat => Err("not `C x y`, `S text` or `.`"),
        _ => Err("not `C x y` or `.`"),
    }
}

/// Reads a number of any length. A number that does not fit 64 bits becomes the largest one that does, which is
/// outside every map.
fn number(token: &[u8]) -> Option<u64> {
    token
        .iter()
        .try_fold(0u64, |n, b| b.is_ascii_digit().then(|| n.saturating_mul(10).saturating_add(u64::from(b - b'0'))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::Map;
    use agon_core::{Game, Seat};
    use alloc::string::String;

    fn game(rows: &str, rules: Rules) -> Position {
        Position::resume(&Map::parse(rows.as_bytes()).unwrap(), rules, 0, 200)
    }

    /// Feeds these bytes and returns the last outcome, the orders, and the number of bytes that are left.
    fn heard(rules: Rules, bytes: &[u8], end: bool) -> (Said, Vec<Order>, usize) {
        let game = game("--1\n--1\n22-", rules);
        let mut dialogue = RefereeDialogue::new(rules);
        let mut orders = Vec::new();
        let view = game.view(Seat::new(1));
        let (used, said) = dialogue.hear(view, Remaining::default(), bytes, end, &mut orders, &mut Vec::new());
        (said, orders, bytes.len() - used)
    }

    fn lawful(line: &str, chat: bool) -> bool {
        order(line.as_bytes(), chat).is_ok()
    }

    #[test]
    fn the_judge_message_of_the_specification() {
        // The `E 1` of the message fits only the judge's rounding: N is 1 (G2).
        let mut out = Vec::new();
        let game = game("--1\n--1\n22-", Rules::ORIGINAL);
        let view = game.view(Seat::new(1));
        let mut dialogue = RefereeDialogue::new(Rules::ORIGINAL);
        assert_eq!(dialogue.greet(view, Remaining::default(), &mut out), Said::Ready);
        dialogue.prompt(view, Remaining::default(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "Y 2\nE 1\n--1\n--1\n22-\n.\n");
    }

    #[test]
    fn the_order_message_of_the_specification() {
        let (said, orders, left) = heard(Rules::SPEC, b"C 1 2\nC 3 3\n.\nC 0 0\n", false);
        assert_eq!((said, left), (Said::Decision, 6), "what follows the dot stays for the next turn");
        assert_eq!(orders, [Order::capture(1, 2), Order::capture(3, 3)]);
    }

    #[test]
    fn lines_that_are_orders() {
        for line in ["C 1 0", "C  3   4 ", "C 03 004", "C 3 4\r", "C 3\t4", "C  \t3 4", "C 99999999999999999999999 1"] {
            assert!(lawful(line, false), "{line:?}");
        }
    }

    #[test]
    fn lines_that_are_not_orders() {
        let bad = [
            " C 1 0", "C\t1 0", "c 0 1", "C +1 0", "C -1 0", "C 1.0 0", "C 0x1 0", "C 1 0 #", "C 1 0 0", "C 1", "C ",
            "C", "", ". ", "..", "MOVE 1 2", "C 1 ٣", "C 1_0 0",
        ];
        for line in bad {
            assert!(!lawful(line, false) && !lawful(line, true), "{line:?}");
        }
    }

    #[test]
    fn chat_is_an_order_only_where_the_rule_set_knows_it() {
        assert!(lawful("S hello", true) && !lawful("S hello", false));
        assert!(!lawful("S", true) && !lawful("S ", true) && !lawful("s hello", true));
        let (said, orders, _) = heard(Rules::ORIGINAL, b"S hello there\n.\n", false);
        assert_eq!(said, Said::Decision);
        assert_eq!(orders, Order::say("hello there").collect::<Vec<_>>());
    }

    #[test]
    fn coordinates_never_wrap() {
        let (_, orders, _) = heard(Rules::SPEC, b"C 18446744073709551616 65536\n.\n", false);
        assert_eq!(orders, [Order::Capture { x: u16::MAX, y: u16::MAX }]);
    }

    #[test]
    fn a_carriage_return_before_the_end_of_the_dot() {
        assert_eq!(heard(Rules::SPEC, b"C 0 1\r\n.\r\n", false).0, Said::Decision);
        assert!(matches!(heard(Rules::ORIGINAL, b"C 0 1\r\n.\r\n", false).0, Said::Nonsense(_)));
    }

    #[test]
    fn a_dot_without_its_line_end_counts_when_nothing_follows() {
        assert_eq!(heard(Rules::SPEC, b"C 0 1\n.", false).0, Said::More);
        let (said, orders, left) = heard(Rules::SPEC, b"C 0 1\n.", true);
        assert_eq!((said, orders.len(), left), (Said::Decision, 1, 0));
        assert_eq!(heard(Rules::SPEC, b"C 0 1\n", true), (Said::More, Vec::new(), 0));
    }

    #[test]
    fn nothing_grows_without_bound() {
        let (said, orders, _) = heard(Rules::SPEC, &[&b"C 0 0\n".repeat(5000)[..], b".\n"].concat(), false);
        assert_eq!((said, orders.len()), (Said::Decision, 3), "one above the energy of 2 is enough to be refused");
        let chat = [&b"S x\n".repeat(5000)[..], b".\n"].concat();
        assert!(matches!(heard(Rules::ORIGINAL, &chat, false).0, Said::Nonsense(_)));
        assert!(matches!(heard(Rules::SPEC, &[b'C'; LONGEST_LINE + 1], false).0, Said::Nonsense(_)));
        assert_eq!(heard(Rules::SPEC, &[b'C'; LONGEST_LINE], false).0, Said::More);
    }
}
