//! Map files: how they are read and written, and what makes a map playable.
//!
//! ```text
//! #######      # sea
//! #!0  !#      ! lighthouse
//! #  ####        (a space) land
//! # 1  !#      any other character: the start of a player
//! #######
//! ```
//!
//! The last line of a file is row 0: (0, 0) is the lower left cell, as in the specification's "El Mapa". Starts are
//! ordered by their characters, then by x and y. If every cell of the border is an `X`, as in the specification's
//! drawings, each `X` of the file is sea.

use crate::board::{Board, MAX_LIGHTS, MAX_SIDE, STEPS};
use agon_core::{
    Flaw,
    geometry::{Point, pt},
    text::counted,
};
use alloc::{format, string::String, vec, vec::Vec};

/// The largest number of players of a match.
pub const MAX_PLAYERS: usize = 24;

/// What one cell of a map is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tile {
    /// A cell outside the island.
    Sea,
    /// A cell of the island.
    Land,
    /// Land with a lighthouse on it.
    Lighthouse,
    /// Land where a player may start. The character decides the order of the starts.
    Start(char),
}

impl Tile {
    /// The character that stands for the tile in a map file.
    #[must_use]
    pub const fn symbol(self) -> char {
        match self {
            Self::Sea => '#',
            Self::Land => ' ',
            Self::Lighthouse => '!',
            Self::Start(c) => c,
        }
    }

    const fn from_symbol(c: char) -> Self {
        match c {
            '#' => Self::Sea,
            ' ' => Self::Land,
            '!' => Self::Lighthouse,
            c => Self::Start(c),
        }
    }

    /// Whether the cell belongs to the island.
    #[must_use]
    pub const fn is_land(self) -> bool {
        !matches!(self, Self::Sea)
    }
}

/// A map: the tiles of a rectangle, playable or not (see [`Map::check`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map {
    width: usize,
    height: usize,
    tiles: Vec<Tile>,
}

impl Map {
    /// Makes a map that is all sea.
    ///
    /// # Panics
    /// If a side is 0 or longer than [`MAX_SIDE`].
    #[must_use]
    pub fn sea(width: usize, height: usize) -> Self {
        assert!((1..=MAX_SIDE).contains(&width) && (1..=MAX_SIDE).contains(&height), "the sides must be from 1 to 256");
        Self { width, height, tiles: vec![Tile::Sea; width * height] }
    }

    /// The number of columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The tile at column x and row y, counted from the lower left.
    ///
    /// # Panics
    /// If the cell is outside the map.
    #[must_use]
    pub fn tile(&self, x: usize, y: usize) -> Tile {
        assert!(x < self.width, "the cell must be on the map");
        self.tiles[y * self.width + x]
    }

    /// Sets the tile of a cell.
    ///
    /// # Panics
    /// If the cell is outside the map, or a start has a character that a map file cannot hold or that means another
    /// tile.
    pub fn put(&mut self, x: usize, y: usize, tile: Tile) {
        assert!(x < self.width, "the cell must be on the map");
        assert!(
            !matches!(tile, Tile::Start(c) if c.is_control() || "#! ".contains(c)),
            "a start needs a character of its own"
        );
        self.tiles[y * self.width + x] = tile;
    }

    /// Reads the tiles of a map: any rectangle of characters. [`Map::check`] finds out whether it can be played.
    ///
    /// # Errors
    /// If the bytes are not UTF-8, have control characters, make rows of different width or no cell at all, or a side
    /// is too long.
    pub fn read(text: &[u8]) -> Result<Self, Flaw> {
        let text = core::str::from_utf8(text).map_err(|e| not_utf8(text, e.valid_up_to()))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let body = text.strip_suffix('\n').unwrap_or(text);
        let mut rows: Vec<&str> = body.split('\n').map(|row| row.strip_suffix('\r').unwrap_or(row)).collect();
        drop_blank_end(&mut rows);
        let height = rows.len();
        if height > MAX_SIDE {
            return Err(
                Flaw::new(format!("the map has {height} rows, but at most {MAX_SIDE} are allowed")).at(MAX_SIDE + 1, 1)
            );
        }
        let width = rows[0].chars().count();
        if width > MAX_SIDE {
            let what = format!("the map has {width} columns, but at most {MAX_SIDE} are allowed");
            return Err(Flaw::new(what).at(1, MAX_SIDE + 1));
        }
        for (i, row) in rows.iter().enumerate() {
            check_row(row, i + 1, width)?;
        }
        if width == 0 {
            return Err(Flaw::new("the map is empty").at(1, 1));
        }
        let mut map = Self::sea(width, height);
        for (i, row) in rows.iter().enumerate() {
            let y = height - 1 - i;
            for (x, c) in row.chars().enumerate() {
                map.tiles[y * width + x] = Tile::from_symbol(c);
            }
        }
        map.drown_crosses();
        Ok(map)
    }

    /// Turns each `X` into sea if the border is drawn with it: specification "El Mapa" draws the sea with `X`, which
    /// the contest's files use for a start.
    fn drown_crosses(&mut self) {
        const CROSS: Tile = Tile::Start('X');
        if self.border().all(|(x, y)| self.tile(x, y) == CROSS) {
            for tile in self.tiles.iter_mut().filter(|t| **t == CROSS) {
                *tile = Tile::Sea;
            }
        }
    }

    /// Writes the map as a map file.
    #[must_use]
    pub fn print(&self) -> String {
        let mut text = String::with_capacity((self.width + 1) * self.height);
        for y in (0..self.height).rev() {
            text.extend((0..self.width).map(|x| self.tile(x, y).symbol()));
            text.push('\n');
        }
        text
    }

    /// The cells of the lighthouses: bottom row to top row, left to right. This is their order on the wire.
    #[must_use]
    pub fn lighthouses(&self) -> Vec<Point> {
        let tiles = self.tiles.iter().enumerate();
        tiles.filter(|(_, t)| **t == Tile::Lighthouse).map(|(i, _)| self.point(i)).collect()
    }

    /// The cells of the starts. The first player's comes first.
    #[must_use]
    pub fn starts(&self) -> Vec<Point> {
        let mut starts: Vec<(char, Point)> = (self.tiles.iter().enumerate())
            .filter_map(|(i, t)| if let Tile::Start(c) = t { Some((*c, self.point(i))) } else { None })
            .collect();
        starts.sort_unstable();
        starts.into_iter().map(|(_, p)| p).collect()
    }

    /// Checks whether a match with this number of players can be played on this map.
    ///
    /// # Errors
    /// The first flaw, with the line and column of the file that [`Map::print`] writes: land at the border, an island
    /// in several parts, too few starts, or too many lighthouses.
    pub fn check(&self, players: usize) -> Result<(), Flaw> {
        // Specification "El Mapa": "las casillas del borde del mapa no formarán parte del área jugable".
        let open = self.border().filter(|&(x, y)| self.tile(x, y).is_land());
        if let Some((x, y)) = open.min_by_key(|&(x, y)| (self.height - y, x)) {
            return Err(self
                .at(Flaw::new("the border of the map must not be part of the island"), x, y)
                .hint("write `#`"));
        }
        self.check_connected()?;
        let lights = self.lighthouses();
        if let Some(p) = lights.get(MAX_LIGHTS) {
            let what = format!("the map has {} lighthouses, but at most {MAX_LIGHTS} are allowed", lights.len());
            return Err(self.at(Flaw::new(what), p.x as usize, p.y as usize));
        }
        let starts = self.starts().len();
        if starts < players {
            let what = format!("the map has {}, but {players} players need one each", counted(starts, "start"));
            return Err(Flaw::new(what).at(1, 1).hint("mark more cells with letters or digits, or seat fewer bots"));
        }
        Ok(())
    }

    /// Checks that the island is connected. Specification "El Mapa": "todas las casillas de la isla estarán conectadas
    /// entre sí"; players also move diagonally.
    fn check_connected(&self) -> Result<(), Flaw> {
        let mut reached = vec![false; self.tiles.len()];
        let mut parts = self.rows_from_the_top().filter(|&i| self.tiles[i].is_land());
        let Some(first) = parts.next() else {
            return Err(Flaw::new("the map has no island")
                .at(1, 1)
                .hint("write a space for land and `!` for a lighthouse"));
        };
        reached[first] = true;
        let mut open = vec![first];
        while let Some(i) = open.pop() {
            let p = self.point(i);
            for (dx, dy) in STEPS {
                let (x, y) = (p.x + i32::from(dx), p.y + i32::from(dy));
                if x < 0 || y < 0 || x >= self.width as i32 || y >= self.height as i32 {
                    continue;
                }
                let j = y as usize * self.width + x as usize;
                if self.tiles[j].is_land() && !core::mem::replace(&mut reached[j], true) {
                    open.push(j);
                }
            }
        }
        match parts.find(|&i| !reached[i]) {
            None => Ok(()),
            Some(i) => {
                let p = self.point(i);
                let flaw = Flaw::new("this cell cannot be reached from the rest of the island");
                Err(self.at(flaw, p.x as usize, p.y as usize).hint("connect it, at least diagonally, or write `#`"))
            }
        }
    }

    /// The board of this map.
    #[must_use]
    pub fn board(&self) -> Board {
        Board::new(self.width, self.height, self.lighthouses(), |x, y| self.tile(x, y).is_land())
    }

    fn rows_from_the_top(&self) -> impl Iterator<Item = usize> {
        let width = self.width;
        (0..self.height).rev().flat_map(move |y| y * width..(y + 1) * width)
    }

    fn border(&self) -> impl Iterator<Item = (usize, usize)> {
        let (w, h) = (self.width, self.height);
        (0..w).flat_map(move |x| [(x, 0), (x, h - 1)]).chain((0..h).flat_map(move |y| [(0, y), (w - 1, y)]))
    }

    fn point(&self, index: usize) -> Point {
        pt((index % self.width) as i32, (index / self.width) as i32)
    }

    fn at(&self, flaw: Flaw, x: usize, y: usize) -> Flaw {
        flaw.at(self.height - y, x + 1)
    }
}

/// Removes lines at the end that are empty, or have nothing but blanks and another width than the map. Editors leave such
/// lines, and they would be a row 0.
fn drop_blank_end(rows: &mut Vec<&str>) {
    let width = rows[0].chars().count();
    let is_blank = |row: &&str| row.trim().is_empty() && row.chars().count() != width;
    while rows.len() > 1 && rows.last().is_some_and(is_blank) {
        rows.pop();
    }
}

fn check_row(row: &str, line: usize, width: usize) -> Result<(), Flaw> {
    if let Some((i, c)) = row.chars().enumerate().find(|(_, c)| c.is_control()) {
        let what = if c == '\t' { "a tab".into() } else { format!("the control character U+{:04X}", c as u32) };
        return Err(Flaw::new(format!("{what} in the map"))
            .at(line, i + 1)
            .hint("write a space for land and `#` for sea"));
    }
    let columns = row.chars().count();
    if columns == width {
        return Ok(());
    }
    let flaw = Flaw::new(format!("all rows must have the same width: this one has {columns} cells, the first {width}"));
    Err(flaw.at(line, columns.min(width) + 1))
}

fn not_utf8(text: &[u8], valid: usize) -> Flaw {
    let head = core::str::from_utf8(&text[..valid]).unwrap_or_default();
    let line = head.matches('\n').count() + 1;
    let column = head.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Flaw::new("the map is not UTF-8 text").at(line, column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    /// The map of the specification's start message, as its engine reads it.
    const EXAMPLE: &str = "#####\n#!!##\n#0 ##\n#! !#\n#####\n";

    fn flaw(text: &str, players: usize) -> String {
        match Map::read(text.as_bytes()).and_then(|map| map.check(players)) {
            Ok(()) => String::from("playable"),
            Err(flaw) => flaw.to_string(),
        }
    }

    #[test]
    fn the_last_line_is_row_0() {
        let map = Map::read(EXAMPLE.as_bytes()).unwrap();
        assert_eq!((map.width(), map.height()), (5, 5));
        assert_eq!(map.starts(), [pt(1, 2)]);
        assert_eq!(map.lighthouses(), [pt(1, 1), pt(3, 1), pt(1, 3), pt(2, 3)]);
        assert_eq!(map.print(), EXAMPLE);
        assert_eq!(map.check(1), Ok(()));
    }

    #[test]
    fn starts_are_ordered_by_character_then_by_place() {
        let map = Map::read(b"######\n#bA1##\n#1 0##\n######\n").unwrap();
        assert_eq!(map.starts(), [pt(3, 1), pt(1, 1), pt(3, 2), pt(2, 2), pt(1, 2)]);
    }

    #[test]
    fn the_specifications_drawing_with_crosses_is_read() {
        let text = "XXXXXXXXXXXX\nXXXX       X\nX      XX  X\nXX  X     XX\nXX  XXXX  XX\nXX        XX\nXXXXXXXXXXXX\n";
        let map = Map::read(text.as_bytes()).unwrap();
        assert_eq!(map.print(), text.replace('X', "#"));
        assert_eq!(map.check(0), Ok(()));
        // If the border has any other character, an X is a start, as in the contest's files.
        assert_eq!(Map::read(b"###\n#X#\n###").unwrap().starts(), [pt(1, 1)]);
    }

    #[test]
    fn carriage_returns_and_a_missing_last_newline_are_fine() {
        let unix = Map::read(EXAMPLE.as_bytes()).unwrap();
        assert_eq!(Map::read(EXAMPLE.replace('\n', "\r\n").as_bytes()).unwrap(), unix);
        assert_eq!(Map::read(EXAMPLE.trim_end().as_bytes()).unwrap(), unix);
    }

    #[test]
    fn blank_lines_at_the_end_are_no_rows() {
        let unix = Map::read(EXAMPLE.as_bytes()).unwrap();
        for end in ["\n", "\n\n\n", "\r\n", "\r\n\r\n", " \n", "  ", "\t\n", " \r\n \r\n\n", "        \n", "\r"] {
            for text in [EXAMPLE.into(), EXAMPLE.replace('\n', "\r\n")] {
                let text = text + end;
                assert_eq!(Map::read(text.as_bytes()).as_ref(), Ok(&unix), "{text:?}");
            }
        }
        for empty in ["", "\n", "\n\n", "\r\n"] {
            assert!(flaw(empty, 0).starts_with("line 1, column 1: the map is empty"), "{empty:?}");
        }
    }

    #[test]
    fn flaws_name_line_and_column() {
        assert!(flaw("####\n#0#\n####\n", 1).starts_with("line 2, column 4: all rows must have the same width"));
        assert!(flaw("###\n\n#0#\n###\n", 1).starts_with("line 2, column 1: all rows"), "a blank line is a row");
        assert!(flaw("###\n#0#\n###\n   \n", 1).starts_with("line 4, column 1: the border"), "it has the right width");
        assert!(flaw("###\n#\t#\n###\n", 1).starts_with("line 2, column 2: a tab"));
        assert!(flaw("###\n#0 \n###\n", 1).starts_with("line 2, column 3: the border"));
        assert!(flaw("#####\n#0# #\n#####\n", 1).starts_with("line 2, column 4: this cell cannot be reached"));
        assert!(flaw("###\n#0#\n###\n", 2).contains("1 start, but 2 players"));
        assert!(flaw("", 0).starts_with("line 1, column 1: the map is empty"));
        assert!(flaw("###\n###\n###\n", 0).contains("no island"));
        assert_eq!(flaw("####\n#0##\n##1#\n####\n", 2), "playable", "a diagonal connects");
    }

    #[test]
    fn too_large_and_unreadable_maps_are_flaws() {
        assert!(flaw(&"#\n".repeat(300), 0).contains("300 rows"));
        assert!(flaw(&"#".repeat(300), 0).contains("300 columns"));
        let flaw = Map::read(b"###\n#\xff#\n###\n").unwrap_err();
        assert_eq!((flaw.place.unwrap().line, flaw.place.unwrap().column), (2, 2));
        let side = 30;
        let mut map = Map::sea(side, side);
        (1..side - 1).for_each(|y| (1..side - 1).for_each(|x| map.put(x, y, Tile::Lighthouse)));
        assert!(map.check(0).unwrap_err().what.contains("784 lighthouses, but at most 128 are allowed"));
    }
}
