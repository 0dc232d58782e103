//! The contest's replay text (specification "Replay format"): reading and writing.
//!
//! Each record is `W`, the map, `O 1`, orders, `O 2`, orders, `.`. The first record of a file is the map at the start
//! of the match, without orders. Each further record is the map *after* a turn, with the orders that led to it (G27).
//! An empty list of orders is written as one empty line; a reader accepts it without that line.

use crate::{
    board::Board,
    client::write_orders,
    dialogue::{LONGEST_LINE, Wish, order},
    map::{self, Map, Rows},
    order::Order,
};
use agon_core::{Flaw, Seat};
use alloc::{format, vec::Vec};

/// One record of a replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The map after the turn.
    pub map: Map,
    /// The orders that led to it.
    pub orders: [Vec<Order>; 2],
}

/// Appends the record of a map and the orders that led to it.
pub fn write_record(board: &Board, orders: [&[Order]; 2], out: &mut Vec<u8>) {
    out.extend_from_slice(b"W\n");
    for y in 0..board.height() {
        out.extend((0..board.width()).map(|x| map::symbol(board.owner(x, y)) as u8));
        out.push(b'\n');
    }
    for (header, orders) in [&b"O 1\n"[..], b"O 2\n"].into_iter().zip(orders) {
        out.extend_from_slice(header);
        write_orders(orders, out);
        if orders.is_empty() {
            out.push(b'\n');
        }
    }
    out.extend_from_slice(b".\n");
}

/// Reads a whole replay: the map of the first record, and the records of the turns after it.
///
/// # Errors
/// The first flaw, with its line.
pub fn read(text: &[u8]) -> Result<(Map, Vec<Record>), Flaw> {
    let mut records = Records::new(text).collect::<Result<Vec<_>, _>>()?;
    if records.is_empty() {
        return Err(Flaw::new("the replay has no records").at(1, 1).hint("a record starts with the line `W`"));
    }
    let start = records.remove(0);
    if start.orders.iter().any(|o| !o.is_empty()) {
        return Err(Flaw::new("the first record of the replay has orders")
            .at(1, 1)
            .hint("the first record holds the map before the first turn; the start of the file may be missing"));
    }
    Ok((start.map, records))
}

/// Reads records one by one, so that a match can be watched while it is written. After a flaw the iterator ends.
pub struct Records<'a> {
    rest: &'a [u8],
    /// The number of the next line, counted from 1.
    line: usize,
    size: Option<(u16, u16)>,
    failed: bool,
}

impl<'a> Records<'a> {
    /// Reads the text of a replay.
    #[must_use]
    pub fn new(text: &'a [u8]) -> Self {
        Self { rest: text, line: 1, size: None, failed: false }
    }

    fn next_line(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|b| *b == b'\n');
        let line = &self.rest[..end.unwrap_or(self.rest.len())];
        self.rest = end.map_or(&[], |end| &self.rest[end + 1..]);
        self.line += 1;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    fn expect(&mut self, what: &'static str) -> Result<(), Flaw> {
        match self.next_line() {
            Some(line) if line == what.as_bytes() => Ok(()),
            Some(line) => Err(self.unlike(line, what)),
            None => Err(self.cut_off(what)),
        }
    }

    fn unlike(&self, line: &[u8], what: &str) -> Flaw {
        let shown = &line[..line.len().min(40)];
        Flaw::new(format!("expected `{what}`, found `{}`", shown.escape_ascii())).spanning(
            self.line - 1,
            1,
            line.len().min(LONGEST_LINE),
        )
    }

    fn cut_off(&self, what: &str) -> Flaw {
        Flaw::new(format!("the record ends before `{what}`"))
            .at(self.line, 1)
            .hint("the end of the file may be missing")
    }

    fn record(&mut self) -> Result<Record, Flaw> {
        self.expect("W")?;
        let mut rows = Rows::default();
        loop {
            match self.next_line() {
                Some(b"O 1") if !rows.is_empty() => break,
                Some(line) if line.starts_with(b"O") => return Err(self.unlike(line, "a row of the map")),
                Some(line) => rows.row(line).map_err(|bad| bad.at_line(self.line - 1))?,
                None => return Err(self.cut_off("O 1")),
            }
        }
        let first = self.orders(b"O 2", "O 2")?;
        let second = self.orders(b".", ".")?;
        let map = rows.finish().ok_or_else(|| Flaw::new("the record has no map").at(self.line - 1, 1))?;
        let size = (map.width(), map.height());
        if *self.size.get_or_insert(size) != size {
            return Err(Flaw::new("the map is not as large as the one in the first record").at(self.line - 1, 1));
        }
        Ok(Record { map, orders: [first, second] })
    }

    /// Reads the orders up to the line `end`.
    fn orders(&mut self, end: &[u8], name: &'static str) -> Result<Vec<Order>, Flaw> {
        let mut orders = Vec::new();
        loop {
            match self.next_line() {
                Some(line) if line == end => return Ok(orders),
                Some(b"") => {}
                Some(line) if line.len() > LONGEST_LINE => return Err(self.unlike(line, "an order")),
                Some(line) => match order(line, true) {
                    Ok(Wish::Capture(order)) => orders.push(order),
                    Ok(Wish::Say(text)) => orders.extend(Order::say(text)),
                    Err(why) => return Err(self.unlike(line, "an order").hint(why)),
                },
                None => return Err(self.cut_off(name)),
            }
        }
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Record, Flaw>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.rest.is_empty() {
            return None;
        }
        let record = self.record();
        self.failed = record.is_err();
        Some(record)
    }
}

/// The orders of one player in a record.
impl core::ops::Index<Seat> for Record {
    type Output = Vec<Order>;

    fn index(&self, seat: Seat) -> &Vec<Order> {
        &self.orders[seat.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    /// The example of the specification: the map after the first turn and the orders that led to it (G27).
    const EXAMPLE: &str = "W\n11--------\n1---------\n----------\n----------\n----------\n----------\n----------\n\
                           ----------\n---------2\n--------22\nO 1\nC 0 1\nC 1 0\nO 2\nC 8 9\nC 9 8\n.\n";

    #[test]
    fn the_example_of_the_specification_both_ways() {
        let record = Records::new(EXAMPLE.as_bytes()).next().unwrap().unwrap();
        assert_eq!(record[Seat::new(0)], [Order::capture(0, 1), Order::capture(1, 0)]);
        assert_eq!(record[Seat::new(1)], [Order::capture(8, 9), Order::capture(9, 8)]);
        let mut out = Vec::new();
        let [one, two] = &record.orders;
        write_record(&record.map.board(), [one, two], &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), EXAMPLE);
    }

    #[test]
    fn an_empty_list_is_an_empty_line_or_nothing() {
        let start = "W\n1-\n-2\nO 1\n\nO 2\n\n.\n";
        let short = "W\n1-\n-2\nO 1\nO 2\n.\n";
        assert_eq!(read(start.as_bytes()), read(short.as_bytes()));
        let (map, turns) = read(start.as_bytes()).unwrap();
        assert!(turns.is_empty());
        let mut out = Vec::new();
        write_record(&map.board(), [&[], &[]], &mut out);
        assert_eq!(out, start.as_bytes());
    }

    #[test]
    fn flaws_name_the_line() {
        let start = "W\n1-\n-2\nO 1\n\nO 2\n\n.\n";
        for (text, line) in [
            ("X\n", 1),
            ("W\nO 1\n", 2),
            ("W\n1x\n", 2),
            ("W\n1-\n-\n", 3),
            ("W\n1-\n-2\nO 2\n", 4),
            ("W\n1-\n-2\nO 1\nD 1 1\n", 5),
            ("W\n1-\n-2\nO 1\nO 2\n", 6),
            ("W\n1-\n-2\nO 1\nO 2\nC 1 0\n.\n", 1),
            ("", 1),
        ] {
            assert_eq!(read(text.as_bytes()).unwrap_err().place.unwrap().line, line, "{text:?}");
        }
        let other_size = [start, "W\n1-2\nO 1\nO 2\n.\n"].concat();
        assert!(read(other_size.as_bytes()).unwrap_err().what.contains("not as large"));
    }
}
