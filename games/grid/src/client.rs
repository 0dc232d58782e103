//! The bot's half of the wire protocol: reads the judge's messages and writes orders.

use crate::{
    board::Board,
    dialogue::{Bytes, LONGEST_LINE},
    map::Rows,
    order::{Line, Order, lines},
    position::Position,
    view::View,
};
use agon_core::{Asked, Client, Seat};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::{fmt::Write, mem, str};

/// Reads the judge's messages and writes the bot's orders.
pub struct BotClient {
    me: Option<Seat>,
    energy: Option<u32>,
    rows: Rows,
    board: Board,
    /// Whether the message is complete, so that the next line begins another.
    complete: bool,
}

impl Default for BotClient {
    fn default() -> Self {
        Self { me: None, energy: None, rows: Rows::default(), board: Board::new(1, 1), complete: false }
    }
}

impl BotClient {
    /// Takes one line without its line end. Returns `true` if the message is complete.
    fn take(&mut self, line: &[u8]) -> Result<bool, String> {
        let shown = || line.escape_ascii().to_string();
        if let (Some(_), Some(_)) = (self.me, self.energy) {
            if line != b"." {
                let column = |bad: crate::map::BadRow| format!("`{}`, column {}: {}", shown(), bad.column, bad.what);
                return self.rows.row(line).map(|()| false).map_err(column);
            }
            let map = mem::take(&mut self.rows).finish().ok_or("the message has no map rows before `.`")?;
            self.board = map.board();
            return Ok(true);
        }
        let line = str::from_utf8(line).map_err(|_| format!("`{}` is not text", shown()))?;
        if self.me.is_none() {
            let seat = match line {
                "Y 1" => Seat::new(0),
                "Y 2" => Seat::new(1),
                _ => return Err(format!("expected `Y 1` or `Y 2`, found `{}`", shown())),
            };
            self.me = Some(seat);
        } else {
            let energy = line.strip_prefix("E ").and_then(|n| n.parse().ok());
            self.energy = Some(energy.ok_or_else(|| format!("expected `E budget`, found `{}`", shown()))?);
        }
        Ok(false)
    }
}

impl Client<Position> for BotClient {
    fn read(&mut self, input: &[u8], _out: &mut Vec<u8>) -> (usize, Asked) {
        let mut used = 0;
        while let Some(length) = input[used..].iter().position(|b| *b == b'\n') {
            // The header of the last message stays readable until the next message begins.
            let line = &input[used..used + length];
            if self.complete {
                (self.me, self.energy, self.complete) = (None, None, false);
            }
            used += length + 1;
            match self.take(line.strip_suffix(b"\r").unwrap_or(line)) {
                Ok(false) => {}
                Ok(true) => {
                    self.complete = true;
                    return (used, Asked::Decide);
                }
                Err(why) => return (used, Asked::Confused(why)),
            }
        }
        if input.len() - used > LONGEST_LINE {
            return (input.len(), Asked::Confused("a line is longer than 4096 bytes".into()));
        }
        (used, Asked::More)
    }

    fn view(&self) -> View<'_> {
        View { me: self.me.unwrap_or(Seat::new(0)), energy: self.energy.unwrap_or(0), board: &self.board }
    }

    fn write(&mut self, orders: &[Order], out: &mut Vec<u8>) {
        write_orders(orders, out);
        out.extend_from_slice(b".\n");
    }
}

/// Writes orders in their normal form, one per line.
pub(crate) fn write_orders(orders: &[Order], out: &mut Vec<u8>) {
    for line in lines(orders) {
        let _ = match line {
            Line::Capture { x, y } => writeln!(Bytes(out), "C {x} {y}"),
            Line::Say(text) => writeln!(Bytes(out), "S {text}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (BotClient, Vec<Asked>) {
        let mut client = BotClient::default();
        let (mut used, mut asked) = (0, Vec::new());
        loop {
            let (n, what) = client.read(&bytes[used..], &mut Vec::new());
            used += n;
            asked.push(what);
            if !matches!(asked.last(), Some(Asked::Decide)) {
                return (client, asked);
            }
        }
    }

    #[test]
    fn the_judge_message_of_the_specification() {
        let (client, asked) = read(b"Y 2\nE 1\n--1\n--1\n22-\n.\n");
        assert_eq!(asked, [Asked::Decide, Asked::More]);
        let view = client.view();
        assert_eq!((view.me, view.energy, view.other()), (Seat::new(1), 1, Seat::new(0)));
        assert_eq!(format!("{:?}", view.board), "Board(--1/--1/22-)");
    }

    #[test]
    fn orders_are_written_in_normal_form() {
        let mut orders = Vec::from([Order::capture(1, 2)]);
        orders.extend(Order::say("hello there"));
        orders.push(Order::capture(3, 3));
        let mut out = Vec::new();
        BotClient::default().write(&orders, &mut out);
        assert_eq!(out, b"C 1 2\nS hello there\nC 3 3\n.\n");
    }

    #[test]
    fn other_bytes_confuse_it() {
        for bad in ["X\n", "Y 3\n", "Y 1\nE x\n", "Y 1\nE 1\n-x\n", "Y 1\nE 1\n.\n", "Y 1\nE 1\n--\n-\n", "\u{ff}\n"] {
            assert!(matches!(read(bad.as_bytes()).1[..], [Asked::Confused(_)]), "{bad:?}");
        }
        assert!(matches!(read(&[b'-'; 5000]).1[..], [Asked::Confused(_)]));
        assert!(matches!(read(b"Y 1\nE 1\n-").1[..], [Asked::More]));
    }
}
