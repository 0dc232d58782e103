//! The places of a terminal on which the items of a frame are drawn.

use super::{Room, legend, numbers::Numbers, paint, seat_mark};
use agon_core::{Frame, Item, ItemClass, Shape};
use std::collections::BTreeMap;

/// What the terminal shows in one place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Glyph {
    c: char,
    /// The seat whose colour the place has. `None` if it belongs to no seat.
    seat: Option<u8>,
}

const BLANK: Glyph = Glyph { c: ' ', seat: None };
/// The maximum number of lines with places that several things share.
const LISTED: usize = 8;

/// A board while it is drawn.
pub struct Canvas<'a> {
    frame: &'a Frame,
    width: usize,
    height: usize,
    /// Columns and rows for each unit of the board.
    scale: [f32; 2],
    cells: Vec<Glyph>,
    /// The listed things in each place, in drawing order.
    things: BTreeMap<(usize, usize), Vec<&'a Item>>,
    numbers: Numbers,
}

impl<'a> Canvas<'a> {
    /// Returns `None` if the frame has nothing to draw.
    pub fn new(frame: &'a Frame, room: Room) -> Option<Self> {
        let span = [frame.high[0] - frame.low[0], frame.high[1] - frame.low[1]];
        if frame.items.is_empty() || !span.iter().all(|s| s.is_finite() && *s >= 0.0) {
            return None;
        }
        let (columns, rows) = (room.columns.max(4) as f32, room.rows.max(2) as f32);
        // A place in a terminal is twice as high as it is wide, so a unit takes two columns and one row.
        let fit = (columns / (2.0 * span[0].max(0.001))).min(rows / span[1].max(0.001));
        let cells = frame.cell > 0.0 && frame.cell.is_finite();
        let scale = if cells { fit.min(1.0 / frame.cell) } else { fit };
        let scale = [scale * 2.0, scale];
        // A board without cells also has points on its border.
        let [width, height] = [0, 1].map(|i| {
            let most = if i == 0 { columns } else { rows };
            (span[i] * scale[i]).ceil().clamp(1.0, most) as usize + usize::from(!cells)
        });
        let (cells, numbers) = (vec![BLANK; width * height], Numbers::of(frame));
        Some(Self { frame, width, height, scale, cells, things: BTreeMap::new(), numbers })
    }

    /// Returns the column and the row of a point, or `None` if the point is outside.
    fn place(&self, point: [f32; 2]) -> Option<(usize, usize)> {
        let x = (point[0] - self.frame.low[0]) * self.scale[0];
        let dy = if self.frame.y_up { self.frame.high[1] - point[1] } else { point[1] - self.frame.low[1] };
        let y = dy * self.scale[1];
        let inside = x >= 0.0 && y >= 0.0 && (x as usize) < self.width && (y as usize) < self.height;
        inside.then_some((x as usize, y as usize))
    }

    fn put(&mut self, x: usize, y: usize, c: char, seat: Option<u8>) {
        if x < self.width && y < self.height {
            self.cells[y * self.width + x] = Glyph { c, seat };
        }
    }

    fn class(&self, item: &Item) -> &'static ItemClass {
        legend::class(self.frame, item)
    }

    /// Whether a cell has room for a symbol and the mark of a seat.
    fn has_pairs(&self) -> bool {
        self.frame.cell > 0.0 && self.scale[0] * self.frame.cell >= 2.0
    }

    /// Returns where the symbol of a thing stands: in the left column of its cell.
    fn symbol_place(&self, at: [f32; 2]) -> Option<(usize, usize)> {
        let left = if self.has_pairs() { 0.45 * self.frame.cell } else { 0.0 };
        self.place([at[0] - left, at[1]])
    }

    /// Draws a thing: its symbol, then the mark of its seat.
    fn thing(&mut self, at: [f32; 2], item: &'a Item, class: &ItemClass) {
        let Some((x, y)) = self.symbol_place(at) else { return };
        let seat = item.seat.map(|s| s.index() as u8);
        if class.is_listed {
            self.things.entry((x, y)).or_default().push(item);
        }
        let mark = seat.map(seat_mark);
        match (class.symbol, mark) {
            (Some(symbol), _) if self.has_pairs() => {
                self.put(x, y, symbol, seat);
                self.put(x + 1, y, mark.unwrap_or(' '), seat);
            }
            // There is room for one of the two. What moves shows what it is, and what stays shows whose it is.
            (Some(symbol), Some(mark)) => self.put(x, y, if class.moves { symbol } else { mark }, seat),
            (Some(symbol), None) => self.put(x, y, symbol, seat),
            (None, mark) => self.put(x, y, mark.unwrap_or('o'), seat),
        }
    }

    /// Marks the places with several things that move.
    pub fn mark_crowds(&mut self) {
        let crowds =
            self.things.iter().filter(|(_, items)| items.iter().filter(|item| self.class(item).moves).count() > 1);
        let crowds: Vec<(usize, usize)> = crowds.map(|(place, _)| *place).collect();
        let right = usize::from(self.has_pairs());
        for (x, y) in crowds {
            self.put(x + right, y, '+', None);
        }
    }

    /// Returns lines with the places in which a thing covers another one, for example `(5, 19) L2 @1 @3`.
    pub fn shared_places(&self, room: Room) -> Vec<String> {
        let mut places: Vec<([f32; 2], Vec<&Item>)> = Vec::new();
        // Things of different cells may share a place of a narrow board.
        for item in self.things.values().flatten() {
            let (Shape::Cell(at) | Shape::Disc(at, _)) = item.shape else { continue };
            match places.iter_mut().find(|(place, _)| *place == at) {
                Some((_, items)) => items.push(item),
                None => places.push((at, vec![item])),
            }
        }
        let text = |(at, items): &([f32; 2], Vec<&Item>)| {
            let name = |item: &&Item| {
                let mark = item.seat.map_or_else(String::new, |seat| seat_mark(seat.index() as u8).to_string());
                self.class(item).symbol.map_or_else(|| mark.clone(), |symbol| format!("{symbol}{mark}"))
            };
            format!("({}, {}) {}", at[0], at[1], items.iter().map(name).collect::<Vec<_>>().join(" "))
        };
        let shared: Vec<String> = places.iter().filter(|(_, items)| items.len() > 1).map(text).collect();
        let mut lines = legend::wrapped("shared:", &shared, room.columns);
        let most = (room.rows / 4).clamp(1, LISTED);
        if lines.len() > most {
            lines.truncate(most);
            lines[most - 1].push_str(" …");
        }
        lines
    }

    /// Draws an item over those before it.
    pub fn paint(&mut self, item: &'a Item) {
        let seat = item.seat.map(|s| s.index() as u8);
        let class = self.class(item);
        match &item.shape {
            Shape::Cell(at) if class.symbol.is_some() => self.thing(*at, item, class),
            Shape::Cell(at) => {
                // A mark is drawn in the left column of its cell. Ground fills all columns of the cell.
                let left = [at[0] - 0.45 * self.frame.cell, at[1]];
                let right = (at[0] + 0.45 * self.frame.cell - self.frame.low[0]) * self.scale[0];
                if let Some((x, y)) = self.place(left) {
                    let c = cell_glyph(item, class);
                    self.put(x, y, c, seat);
                    let end = if "▓▒░".contains(c) { (right as usize).min(self.width) } else { x };
                    for x in x + 1..=end {
                        self.put(x, y, c, seat);
                    }
                }
            }
            Shape::Disc(at, _) => self.thing(*at, item, class),
            Shape::Line(from, to) => self.line(*from, *to, seat),
            Shape::Polygon(corners) => {
                for (i, from) in corners.iter().enumerate() {
                    self.line(*from, corners[(i + 1) % corners.len()], seat);
                }
            }
            // On a board of cells a text would hide the cells beside it.
            Shape::Label(at, _) if self.frame.cell > 0.0 => {
                if let (Some(symbol), Some((x, y)), true) = (class.symbol, self.symbol_place(*at), self.has_pairs()) {
                    self.put(x, y, symbol, seat);
                }
            }
            Shape::Label(at, text) => {
                if let Some((x, y)) = self.place(*at) {
                    // A label is drawn to the right of its point, so that a disc at the point stays visible. A label
                    // that only repeats the number on the disc replaces it.
                    let below = self.cells[y * self.width + x].c;
                    let over = " ·░▒▓".contains(below) || text.starts_with(below) && text.chars().count() == 1;
                    let number = self.numbers.beside(*at, text).filter(|_| class.symbol.is_none()).unwrap_or_default();
                    let text = match (class.symbol, seat.map(seat_mark)) {
                        (Some(symbol), Some(mark)) => format!("{symbol}{mark}:{text}"),
                        _ if over => format!("{text}{number}"),
                        _ => format!("{below}:{text}{number}"),
                    };
                    for (i, c) in text.chars().enumerate() {
                        self.put(x + i, y, if c.is_control() { '?' } else { c }, seat);
                    }
                }
            }
        }
    }

    /// Puts a dot in every blank place that the segment passes. Other places stay as they are, so lines never hide
    /// things.
    fn line(&mut self, from: [f32; 2], to: [f32; 2], seat: Option<u8>) {
        let span = ((to[0] - from[0]) * self.scale[0]).abs().max(((to[1] - from[1]) * self.scale[1]).abs());
        let steps = if span.is_finite() { (span.ceil() as usize).clamp(1, 4 * (self.width + self.height)) } else { 1 };
        for i in 0..=steps {
            let t = i as f32 / steps as f32;
            let at = [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t];
            if let Some((x, y)) = self.place(at)
                && self.cells[y * self.width + x].c == ' '
            {
                self.put(x, y, '·', seat);
            }
        }
    }

    /// Appends the lines of the board.
    pub fn write(&self, out: &mut String, colour: bool) {
        for row in self.cells.chunks(self.width) {
            let end = row.iter().rposition(|g| g.c != ' ').map_or(0, |i| i + 1);
            for run in row[..end].chunk_by(|a, b| a.seat == b.seat) {
                let text: String = run.iter().map(|g| g.c).collect();
                out.push_str(&paint(&text, run[0].seat, colour));
            }
            out.push('\n');
        }
    }
}

/// Returns the mark of a cell: the mark of its seat, or else its ground or a shade for its strength.
fn cell_glyph(item: &Item, class: &ItemClass) -> char {
    match (item.seat, class.ground) {
        (Some(seat), _) => seat_mark(seat.index() as u8),
        (None, Some(ground)) => ground,
        _ if item.strength < 0.125 => '·',
        _ if item.strength < 0.5 => '░',
        _ if item.strength < 0.875 => '▒',
        _ => '▓',
    }
}
