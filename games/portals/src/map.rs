//! Map files: two starts, then a square of `X` (portal) and `.` (specification "Format de la carte").
//!
//! Any white space separates words, as in the original: line ends, blank lines and indentation have no meaning, and
//! the text after the last row is ignored. In the original, a missing row is a copy of the last one; here it is an
//! error.

use crate::{MAX_SIDE, Position, Rules, chart::Chart};
use agon_core::{
    Flaw, Flawed, Terms,
    geometry::{Point, pt},
};
use alloc::{boxed::Box, format, string::String, vec::Vec};
use core::fmt::Write;

/// A map, lawful or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map {
    /// The number of cells on a side. It is 30 in the contest.
    pub side: i32,
    /// Where the two agents start.
    pub starts: [Point; 2],
    /// The cells of the portals, in the order of x, then y.
    pub portals: Vec<Point>,
}

/// A word of the file and where it starts.
struct Word<'a> {
    text: &'a [u8],
    line: usize,
    column: usize,
}

/// The words of a text, with their lines and columns (in characters).
struct Words<'a> {
    rest: &'a [u8],
    line: usize,
    column: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<Word<'a>> {
        while let [first, rest @ ..] = self.rest {
            match first {
                b'\n' => (self.line, self.column) = (self.line + 1, 1),
                b if is_space(*b) => self.column += 1,
                _ => break,
            }
            self.rest = rest;
        }
        let length = self.rest.iter().position(|b| is_space(*b)).unwrap_or(self.rest.len());
        if length == 0 {
            return None;
        }
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        let word = Word { text, line: self.line, column: self.column };
        self.column += characters(text);
        Some(word)
    }
}

fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// The number of characters that these bytes are. Continuation bytes of UTF-8 do not count.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|b| **b & 0xc0 != 0x80).count()
}

/// The beginning of a word, for a message.
fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(80)]).chars().take(20).filter(|c| !c.is_control()).collect()
}

const FORM: &str = "write two lines `x y` with the starts, then as many rows of `X` and `.` as a row has cells";

/// Reads a map file.
pub(crate) fn parse(text: &[u8]) -> Result<Map, Flaw> {
    let mut words = Words { rest: text, line: 1, column: 1 };
    let mut numbers = Vec::with_capacity(4);
    for what in ["x of the first start", "y of the first start", "x of the second start", "y of the second start"] {
        let Some(word) = words.next() else {
            return Err(Flaw::new(format!("the map ends before the {what}")).at(words.line, words.column).hint(FORM));
        };
        let number = core::str::from_utf8(word.text).ok().and_then(|t| t.parse::<i32>().ok());
        let Some(number) = number else {
            let flaw = Flaw::new(format!("expected the {what}, found `{}`, which is not a number", shown(word.text)));
            return Err(flaw.spanning(word.line, word.column, characters(word.text)).hint(FORM));
        };
        numbers.push((number, word));
    }
    let mut portals = Vec::new();
    let mut side = 0;
    let mut y = 0;
    while y == 0 || y < side {
        let Some(word) = words.next() else {
            let flaw = match y {
                0 => Flaw::new("the map has no rows"),
                _ => Flaw::new(format!("the map has {y} rows, but its first row has {side} cells")),
            };
            return Err(flaw.at(words.line, words.column).hint("write as many rows as a row has cells"));
        };
        if y == 0 {
            side = row_length(&word)?;
        }
        read_row(&word, y, side, &mut portals)?;
        y += 1;
    }
    for (number, word) in &numbers {
        if !(0..side).contains(number) {
            return Err(Flaw::new(format!("the start lies outside the map of {side} by {side} cells"))
                .spanning(word.line, word.column, word.text.len())
                .hint(format!("x and y must be from 0 to {}", side - 1)));
        }
    }
    portals.sort_unstable();
    let start = |i: usize| pt(numbers[i].0, numbers[i + 1].0);
    Ok(Map { side, starts: [start(0), start(2)], portals })
}

fn row_length(word: &Word<'_>) -> Result<i32, Flaw> {
    let cells = characters(word.text);
    if cells > MAX_SIDE as usize {
        return Err(Flaw::new(format!("the first row has {cells} cells, but at most {MAX_SIDE} are allowed"))
            .at(word.line, word.column + MAX_SIDE as usize));
    }
    Ok(cells as i32)
}

fn read_row(word: &Word<'_>, y: i32, side: i32, portals: &mut Vec<Point>) -> Result<(), Flaw> {
    for (x, cell) in word.text.iter().enumerate().take(side as usize) {
        match cell {
            b'X' => portals.push(pt(x as i32, y)),
            b'.' => {}
            _ => {
                // All cells before it are single bytes, so the index is the column.
                let rest = String::from_utf8_lossy(&word.text[x..word.text.len().min(x + 4)]).into_owned();
                let odd = rest.chars().next().unwrap_or('?');
                return Err(Flaw::new(format!("`{}` is not a cell", odd.escape_debug()))
                    .at(word.line, word.column + x)
                    .hint("write `X` for a portal and `.` for a cell without one"));
            }
        }
    }
    let cells = characters(word.text);
    if cells == side as usize {
        return Ok(());
    }
    let column = word.column + cells.min(side as usize);
    Err(Flaw::new(format!("row {} has {cells} cells, but the first row has {side}", y + 1)).at(word.line, column))
}

/// Writes a map file.
pub(crate) fn print(map: &Map) -> String {
    let mut text = String::new();
    for start in map.starts {
        let _ = writeln!(text, "{} {}", start.x, start.y);
    }
    let side = map.side.clamp(0, MAX_SIDE) as usize;
    let mut cells = alloc::vec![b'.'; side * side];
    for p in &map.portals {
        if let (Ok(x), Ok(y)) = (usize::try_from(p.x), usize::try_from(p.y))
            && x < side
            && y < side
        {
            cells[y * side + x] = b'X';
        }
    }
    for row in cells.chunks(side.max(1)) {
        text.extend(row.iter().map(|c| char::from(*c)));
        text.push('\n');
    }
    text
}

/// Makes the position at the start of a match.
pub(crate) fn build(map: Map, terms: &Terms<Rules>) -> Result<Position, Box<Flawed<Map>>> {
    match flaw(&map, terms) {
        Some(flaw) => Err(Box::new(Flawed { map, flaw })),
        None => {
            let mut portals = map.portals;
            portals.sort_unstable();
            let chart = Chart::new(map.side, map.starts, portals);
            Ok(Position::new(chart, terms.rules, terms.limit.unwrap_or(crate::ROUNDS)))
        }
    }
}

fn flaw(map: &Map, terms: &Terms<Rules>) -> Option<Flaw> {
    if terms.seats != 2 {
        return Some(Flaw::new(format!("Portals is for two seats, not {}", terms.seats)));
    }
    let rounds = terms.limit.unwrap_or(crate::ROUNDS);
    if !(1..=crate::MAX_ROUNDS).contains(&rounds) {
        return Some(Flaw::new(format!("a match has 1 to {} rounds, not {rounds}", crate::MAX_ROUNDS)));
    }
    let side = map.side;
    if !(1..=MAX_SIDE).contains(&side) {
        return Some(Flaw::new(format!("a map has 1 to {MAX_SIDE} cells on a side, not {side}")));
    }
    let on_map = |p: &Point| (0..side).contains(&p.x) && (0..side).contains(&p.y);
    if let Some(start) = map.starts.iter().find(|p| !on_map(p)) {
        return Some(Flaw::new(format!("the start {} {} lies outside the map", start.x, start.y)));
    }
    if let Some(portal) = map.portals.iter().find(|p| !on_map(p)) {
        return Some(Flaw::new(format!("the portal at {} {} lies outside the map", portal.x, portal.y)));
    }
    let mut sorted = map.portals.clone();
    sorted.sort_unstable();
    let twice = sorted.windows(2).find(|w| w[0] == w[1])?;
    Some(Flaw::new(format!("two portals stand at {} {}", twice[0].x, twice[0].y)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn place(text: &str) -> (u32, u32) {
        let flaw = parse(text.as_bytes()).expect_err("it is flawed");
        flaw.place.map(|p| (p.line, p.column)).expect("a flaw of a text has a place")
    }

    #[test]
    fn rows_are_y_and_columns_x() {
        let map = parse(b"0 1\n2 2\n.X.\n...\nX..\n").unwrap();
        assert_eq!(map.side, 3);
        assert_eq!(map.starts, [pt(0, 1), pt(2, 2)]);
        assert_eq!(map.portals, [pt(0, 2), pt(1, 0)]);
        assert_eq!(print(&map), "0 1\n2 2\n.X.\n...\nX..\n");
    }

    #[test]
    fn any_white_space_separates_and_the_end_is_not_read() {
        let map = parse(b"0 1 2\r\n 2\r\n\r\n  .X. ... X.. and a remark").unwrap();
        assert_eq!(map, parse(b"0 1\n2 2\n.X.\n...\nX..").unwrap());
    }

    #[test]
    fn flaws_have_a_line_and_a_column() {
        assert_eq!(place("0 1\n2 x\n"), (2, 3));
        assert_eq!(place("0 1\n2 2\n.X.\n..o\nX..\n"), (4, 3));
        assert_eq!(place("0 1\n2 2\n.X.\n..é\nX..\n"), (4, 3));
        assert_eq!(place("0 1\n2 2\n.X.\n..\nX..\n"), (4, 3));
        assert_eq!(place("0 1\n2 2\n.X.\n....\nX..\n"), (4, 4));
        assert_eq!(place("0 1\n2 2\n.X.\n...\n"), (5, 1));
        assert_eq!(place("0 1\n2 3\n.X.\n...\n...\n"), (2, 3));
        assert_eq!(place("0 -1\n2 2\n.X.\n...\n...\n"), (1, 3));
        assert_eq!(place("0 1"), (1, 4));
        assert_eq!(place("0 1\n2 2\n"), (3, 1));
    }

    #[test]
    fn fewer_rows_than_cells_is_an_error_and_no_copy_of_the_last_row() {
        let flaw = parse(b"0 0\n0 0\n....\n....\n....\n").unwrap_err();
        assert_eq!(flaw.what.to_string(), "the map has 3 rows, but its first row has 4 cells");
    }

    #[test]
    fn drawings_that_no_file_can_hold_are_refused_with_a_reason() {
        let terms = Terms { rules: Rules::SPEC, seats: 2, limit: None };
        let good = Map { side: 3, starts: [pt(0, 0), pt(2, 2)], portals: alloc::vec![pt(1, 1), pt(0, 1)] };
        assert!(build(good.clone(), &terms).is_ok());
        let bad = |change: &dyn Fn(&mut Map)| {
            let mut map = good.clone();
            change(&mut map);
            assert!(build(map, &terms).is_err());
        };
        bad(&|d| d.side = 0);
        bad(&|d| d.side = 1000);
        bad(&|d| d.starts[1] = pt(3, 0));
        bad(&|d| d.portals.push(pt(0, 3)));
        bad(&|d| d.portals.push(pt(1, 1)));
        assert!(build(good.clone(), &Terms { seats: 3, ..terms.clone() }).is_err());
        assert!(build(good.clone(), &Terms { limit: Some(0), ..terms.clone() }).is_err());
        assert!(build(good, &Terms { limit: Some(u32::MAX), ..terms }).is_err());
    }
}
