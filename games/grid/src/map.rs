//! Map files: a rectangle of `-`, `1` and `2`, as the judge sends it.

use crate::board::{Board, MOST_SIDE};
use agon_core::{Flaw, Seat};
use alloc::{format, string::String, vec, vec::Vec};

/// A map: which player owns which tile at the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map {
    width: u16,
    height: u16,
    /// The owners of the tiles, row by row from the top left.
    tiles: Vec<Option<Seat>>,
}

impl Map {
    /// Makes an empty map.
    ///
    /// # Panics
    /// If a side is 0 or above [`MOST_SIDE`].
    #[must_use]
    pub fn empty(width: u16, height: u16) -> Self {
        assert!((1..=MOST_SIDE).contains(&width) && (1..=MOST_SIDE).contains(&height), "a side has 1 to 256 tiles");
        Self { width, height, tiles: vec![None; usize::from(width) * usize::from(height)] }
    }

    /// The number of columns.
    #[must_use]
    pub fn width(&self) -> u16 {
        self.width
    }

    /// The number of rows.
    #[must_use]
    pub fn height(&self) -> u16 {
        self.height
    }

    /// The owner of a tile. `None` if the tile is empty or outside the map.
    #[must_use]
    pub fn owner(&self, x: u16, y: u16) -> Option<Seat> {
        self.index(x, y).and_then(|i| self.tiles[i])
    }

    /// Gives a tile to a player, or makes it empty. Does nothing outside the map.
    pub fn give(&mut self, x: u16, y: u16, owner: Option<Seat>) {
        if let Some(i) = self.index(x, y) {
            self.tiles[i] = owner;
        }
    }

    /// The number of tiles that `seat` owns.
    #[must_use]
    pub fn count(&self, seat: Seat) -> usize {
        self.tiles.iter().filter(|t| **t == Some(seat)).count()
    }

    /// Checks whether a match can start from this map.
    ///
    /// # Errors
    /// If the map has a single tile, or a player owns none: the match would be over before it starts.
    pub fn validate(&self) -> Result<(), Flaw> {
        self.check_size()?;
        self.check_owners()
    }

    /// Checks whether the map has room for two players.
    pub(crate) fn check_size(&self) -> Result<(), Flaw> {
        if self.tiles.len() < 2 {
            return Err(Flaw::new("the map has a single tile").at(1, 1).hint("two players need at least two tiles"));
        }
        Ok(())
    }

    /// Checks whether both players own tiles.
    pub(crate) fn check_owners(&self) -> Result<(), Flaw> {
        for seat in [Seat::new(0), Seat::new(1)] {
            if self.count(seat) == 0 {
                return Err(Flaw::new(format!("player {seat} owns no tile"))
                    .hint(format!("write `{seat}` where the player starts")));
            }
        }
        Ok(())
    }

    /// Reads rows of `-`, `1` and `2`. Drops a CR before the end of a line. Skips empty lines and lines that start
    /// with `#` before and after the rows.
    ///
    /// # Errors
    /// The first flaw, with its line and column.
    pub fn parse(text: &[u8]) -> Result<Self, Flaw> {
        let mut map = Rows::default();
        for (i, line) in text.split(|b| *b == b'\n').enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() || line.starts_with(b"#") {
                map.gap = map.height > 0;
                continue;
            }
            if map.gap {
                return Err(Flaw::new("a row comes after the end of the map")
                    .at(i + 1, 1)
                    .hint("remove the lines between the rows"));
            }
            map.row(line).map_err(|wrong| wrong.at_line(i + 1))?;
        }
        map.finish().ok_or_else(|| {
            Flaw::new("the map has no rows").at(1, 1).hint("write rows of `-`, `1` and `2`, such as `1--` and `--2`")
        })
    }

    /// Writes the rows, each with a line feed at its end.
    #[must_use]
    pub fn print(&self) -> String {
        let mut text = String::with_capacity(self.tiles.len() + usize::from(self.height));
        for row in self.tiles.chunks(usize::from(self.width)) {
            text.extend(row.iter().map(|tile| symbol(*tile)));
            text.push('\n');
        }
        text
    }

    /// The map that shows the tiles of a board.
    #[must_use]
    pub fn of(board: &Board) -> Self {
        let mut map = Self::empty(board.width(), board.height());
        for y in 0..map.height {
            for x in 0..map.width {
                map.give(x, y, board.owner(x, y));
            }
        }
        map
    }

    /// Makes a board with these tiles.
    #[must_use]
    pub fn board(&self) -> Board {
        let mut board = Board::new(self.width, self.height);
        for y in 0..self.height {
            for x in 0..self.width {
                board.give(x, y, self.owner(x, y));
            }
        }
        board
    }

    fn index(&self, x: u16, y: u16) -> Option<usize> {
        (x < self.width && y < self.height).then(|| usize::from(y) * usize::from(self.width) + usize::from(x))
    }
}

/// The character of a tile (specification "Judge message format").
pub(crate) fn symbol(tile: Option<Seat>) -> char {
    match tile.map(Seat::index) {
        None => '-',
        Some(0) => '1',
        Some(_) => '2',
    }
}

/// A flaw in a row and its column, counted from 1.
pub(crate) struct BadRow {
    pub(crate) what: String,
    pub(crate) column: usize,
    hint: &'static str,
}

impl BadRow {
    pub(crate) fn at_line(self, line: usize) -> Flaw {
        Flaw::new(self.what).at(line, self.column).hint(self.hint)
    }
}

/// Collects the rows of a map as they are read.
#[derive(Default)]
pub(crate) struct Rows {
    width: u16,
    height: u16,
    tiles: Vec<Option<Seat>>,
    gap: bool,
}

impl Rows {
    /// Takes one row without its line end.
    pub(crate) fn row(&mut self, line: &[u8]) -> Result<(), BadRow> {
        let bad = |what, column, hint| Err(BadRow { what, column, hint });
        if self.height == MOST_SIDE {
            return bad(format!("the map has more than {MOST_SIDE} rows"), 1, "the largest map is 256x256");
        }
        if line.len() > usize::from(MOST_SIDE) {
            let column = usize::from(MOST_SIDE) + 1;
            return bad(format!("the row has more than {MOST_SIDE} tiles"), column, "the largest map is 256x256");
        }
        let start = self.tiles.len();
        for (i, byte) in line.iter().enumerate() {
            let tile = match byte {
                b'-' => None,
                b'1' => Some(Seat::new(0)),
                b'2' => Some(Seat::new(1)),
                other => {
                    self.tiles.truncate(start);
                    let what = format!("`{}` is not a tile", other.escape_ascii());
                    return bad(what, i + 1, "a tile is `-`, `1` or `2`");
                }
            };
            self.tiles.push(tile);
        }
        if self.height == 0 {
            self.width = line.len() as u16;
        } else if line.len() != usize::from(self.width) {
            self.tiles.truncate(start);
            let what = format!("the row has {} tiles, but the rows before it have {}", line.len(), self.width);
            return bad(
                what,
                line.len().min(usize::from(self.width)) + 1,
                "all rows of a map must have the same length",
            );
        }
        self.height += 1;
        Ok(())
    }

    /// The map that the rows make. `None` if there were no rows.
    pub(crate) fn finish(self) -> Option<Map> {
        (self.width > 0).then_some(Map { width: self.width, height: self.height, tiles: self.tiles })
    }

    /// Whether no row has been read.
    pub(crate) fn is_empty(&self) -> bool {
        self.height == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flaw(text: &str) -> (String, Option<(u32, u32)>) {
        let flaw = Map::parse(text.as_bytes()).and_then(|m| m.validate()).unwrap_err();
        (flaw.what, flaw.place.map(|p| (p.line, p.column)))
    }

    #[test]
    fn the_map_of_the_specifications_judge_message() {
        let map = Map::parse(b"--1\n--1\n22-\n").unwrap();
        assert_eq!((map.width(), map.height()), (3, 3));
        assert_eq!(map.owner(2, 0), Some(Seat::new(0)), "x is the column, counted from the left (G1)");
        assert_eq!(map.owner(0, 2), Some(Seat::new(1)));
        assert_eq!(map.owner(0, 0), None);
        assert_eq!(map.print(), "--1\n--1\n22-\n");
        assert_eq!(Map::of(&map.board()), map);
    }

    #[test]
    fn rectangles_comments_and_line_ends() {
        let map = Map::parse(b"# two corners\r\n\n1----\r\n----2\r\n\n# end").unwrap();
        assert_eq!(map.print(), "1----\n----2\n");
    }

    #[test]
    fn flaws_have_their_place() {
        assert_eq!(flaw("1-\n-x\n"), ("`x` is not a tile".into(), Some((2, 2))));
        assert_eq!(flaw("1-\n-\u{e9}\n").1, Some((2, 2)));
        assert_eq!(flaw("1--\n-2\n"), ("the row has 2 tiles, but the rows before it have 3".into(), Some((2, 3))));
        assert_eq!(flaw("1-\n-2-\n").1, Some((2, 3)));
        assert_eq!(flaw("1-\n\n-2\n"), ("a row comes after the end of the map".into(), Some((3, 1))));
        assert_eq!(flaw(""), ("the map has no rows".into(), Some((1, 1))));
        assert_eq!(flaw("1").0, "the map has a single tile");
        assert_eq!(flaw("--\n2-").0, "player 1 owns no tile");
        assert_eq!(flaw(&"-".repeat(257)).1, Some((1, 257)));
        assert_eq!(flaw(&"-\n".repeat(257)).1, Some((257, 1)));
    }
}
