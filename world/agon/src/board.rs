//! Draws a [`Frame`] in a terminal. Every game describes its board as a display list, so one drawer serves all games.

mod legend;

use crate::clean::{clean, cut};
use agon_core::{Frame, Item, Shape};
use legend::{Kind, kind};
use std::collections::BTreeMap;

/// The space for a board, in columns and rows of the terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// The width in columns.
    pub columns: usize,
    /// The height in rows.
    pub rows: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { columns: 78, rows: 36 }
    }
}

/// What the terminal shows in one place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Glyph {
    c: char,
    /// The seat whose colour the place has. `None` if it belongs to no seat.
    seat: Option<u8>,
}

const BLANK: Glyph = Glyph { c: ' ', seat: None };
/// The maximum length of a bot's name beside the board, in characters.
const NAME_WIDTH: usize = 24;
/// The least width of a caption if several stand side by side, in columns.
const LEAST_CAPTION: usize = 24;
/// The least height of a board, in rows.
const LEAST_BOARD: usize = 4;
/// The maximum number of lines with places that several things share.
const LISTED: usize = 8;
/// The colours of the seats (256-colour palette). They can be told apart on dark and on light backgrounds.
const COLOURS: [u8; 8] = [33, 160, 34, 172, 135, 37, 199, 100];

struct Canvas<'a> {
    frame: &'a Frame,
    width: usize,
    height: usize,
    /// Columns and rows for each unit of the board.
    scale: [f32; 2],
    cells: Vec<Glyph>,
    /// The listed things in each place, in drawing order.
    things: BTreeMap<(usize, usize), Vec<&'a Item>>,
}

/// Returns the title, the board, the legend and the captions as lines. The room is that of the board alone. `names` are
/// the names of the seats; it is empty if no match is played.
pub fn render(frame: &Frame, names: &[&str], room: Room, colour: bool) -> String {
    let mut out = String::new();
    if !frame.title.is_empty() {
        out.push_str(&frame.title);
        out.push('\n');
    }
    if let Some(mut canvas) = Canvas::new(frame, room) {
        for item in &frame.items {
            canvas.paint(item);
        }
        canvas.mark_crowds();
        canvas.write(&mut out, colour);
        for line in canvas.shared_places(room).into_iter().chain(legend::lines(frame, room.columns)) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    for (i, text) in captions(frame, names).iter().enumerate() {
        out.push_str(&paint(text, Some(i as u8), colour));
        out.push('\n');
    }
    out
}

/// Returns the same lines for a terminal of this size. Captions that do not fit below each other stand side by side and
/// may be cut.
pub fn render_within(frame: &Frame, names: &[&str], room: Room, colour: bool) -> String {
    let captions = captions(frame, names);
    let most = (room.rows / 3).max(2);
    let columns = captions.len().div_ceil(most).clamp(1, (room.columns / LEAST_CAPTION).max(1));
    let (lines, width) = (captions.len().div_ceil(columns), room.columns / columns);
    let bare = Frame { captions: Vec::new(), ..frame.clone() };
    let wanted = room.rows.saturating_sub(lines);
    let mut rows = wanted.max(LEAST_BOARD);
    // How many lines the list of shared places and the legend need is known only afterwards.
    let board = loop {
        let board: Vec<String> = render(&bare, &[], Room { rows, ..room }, colour).lines().map(str::to_owned).collect();
        let over = board.len().saturating_sub(wanted);
        if over == 0 || rows <= LEAST_BOARD {
            break board;
        }
        rows = rows.saturating_sub(over).max(LEAST_BOARD);
    };
    let mut out = String::new();
    for line in board {
        // A board fits, but a tooltip or a legend may not.
        let long = !line.contains('\x1b') && line.chars().count() > room.columns;
        out.push_str(&if long { cut(&line, room.columns) } else { line });
        out.push('\n');
    }
    for line in 0..lines {
        for (i, text) in captions.iter().enumerate().skip(line).step_by(lines.max(1)) {
            let text = cut(text, width.saturating_sub(2).max(1));
            let last = i + lines >= captions.len();
            let pad = if last { 0 } else { width.saturating_sub(text.chars().count()) };
            out.push_str(&paint(&text, Some(i as u8), colour));
            out.push_str(&" ".repeat(pad));
        }
        out.push('\n');
    }
    out
}

/// Returns the caption of each seat with its mark and its name.
fn captions(frame: &Frame, names: &[&str]) -> Vec<String> {
    let names: Vec<String> = names.iter().map(|name| cut(&clean(name), NAME_WIDTH)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let caption = |(i, caption): (usize, &String)| {
        let name = names.get(i).map_or_else(String::new, |name| format!("{name:<width$}  "));
        format!("{} {name}{caption}", seat_mark(i as u8))
    };
    frame.captions.iter().enumerate().map(caption).collect()
}

impl<'a> Canvas<'a> {
    /// Returns `None` if the frame has nothing to draw.
    fn new(frame: &'a Frame, room: Room) -> Option<Self> {
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
        Some(Self { frame, width, height, scale, cells: vec![BLANK; width * height], things: BTreeMap::new() })
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
    fn thing(&mut self, at: [f32; 2], item: &'a Item, kind: Kind) {
        let Some((x, y)) = self.symbol_place(at) else { return };
        let seat = item.seat.map(|s| s.index() as u8);
        if kind.listed {
            self.things.entry((x, y)).or_default().push(item);
        }
        let mark = seat.map(seat_mark);
        match (kind.symbol, mark) {
            (Some(symbol), _) if self.has_pairs() => {
                self.put(x, y, symbol, seat);
                self.put(x + 1, y, mark.unwrap_or(' '), seat);
            }
            // There is room for one of the two. What moves shows what it is, and what stays shows whose it is.
            (Some(symbol), Some(mark)) => self.put(x, y, if kind.moves { symbol } else { mark }, seat),
            (Some(symbol), None) => self.put(x, y, symbol, seat),
            (None, mark) => self.put(x, y, mark.unwrap_or('o'), seat),
        }
    }

    /// Marks the places with several things that move.
    fn mark_crowds(&mut self) {
        let crowds = self.things.iter().filter(|(_, items)| items.iter().filter(|item| kind(item).moves).count() > 1);
        let crowds: Vec<(usize, usize)> = crowds.map(|(place, _)| *place).collect();
        let right = usize::from(self.has_pairs());
        for (x, y) in crowds {
            self.put(x + right, y, '+', None);
        }
    }

    /// Returns lines with the places in which a thing covers another one, for example `(5, 19) L2 @1 @3`.
    fn shared_places(&self, room: Room) -> Vec<String> {
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
                kind(item).symbol.map_or_else(|| mark.clone(), |symbol| format!("{symbol}{mark}"))
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

    fn paint(&mut self, item: &'a Item) {
        let seat = item.seat.map(|s| s.index() as u8);
        let kind = kind(item);
        match &item.shape {
            Shape::Cell(at) if kind.symbol.is_some() => self.thing(*at, item, kind),
            Shape::Cell(at) => {
                // A mark is drawn in the left column of its cell. Ground fills all columns of the cell.
                let left = [at[0] - 0.45 * self.frame.cell, at[1]];
                let right = (at[0] + 0.45 * self.frame.cell - self.frame.low[0]) * self.scale[0];
                if let Some((x, y)) = self.place(left) {
                    let c = cell_glyph(item);
                    self.put(x, y, c, seat);
                    let end = if "▓▒░".contains(c) { (right as usize).min(self.width) } else { x };
                    for x in x + 1..=end {
                        self.put(x, y, c, seat);
                    }
                }
            }
            Shape::Disc(at, _) => self.thing(*at, item, kind),
            Shape::Line(from, to) => self.line(*from, *to, seat),
            Shape::Polygon(corners) => {
                for (i, from) in corners.iter().enumerate() {
                    self.line(*from, corners[(i + 1) % corners.len()], seat);
                }
            }
            // On a board of cells a text would hide the cells beside it.
            Shape::Label(at, _) if self.frame.cell > 0.0 => {
                if let (Some(symbol), Some((x, y)), true) = (kind.symbol, self.symbol_place(*at), self.has_pairs()) {
                    self.put(x, y, symbol, seat);
                }
            }
            Shape::Label(at, text) => {
                if let Some((x, y)) = self.place(*at) {
                    // A label is drawn to the right of its point, so that a disc at the point stays visible. A label
                    // that only repeats the number on the disc replaces it.
                    let below = self.cells[y * self.width + x].c;
                    let over = " ·░▒▓".contains(below) || text.starts_with(below) && text.chars().count() == 1;
                    let text = match (kind.symbol, seat.map(seat_mark)) {
                        (Some(symbol), Some(mark)) => format!("{symbol}{mark}:{text}"),
                        _ if over => text.clone(),
                        _ => format!("{below}:{text}"),
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

    fn write(&self, out: &mut String, colour: bool) {
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

/// Returns the mark of a cell: the mark of its seat, or else a shade for its class and strength.
fn cell_glyph(item: &Item) -> char {
    match (item.class, item.seat) {
        ("sea", _) => ' ',
        (_, Some(seat)) => seat_mark(seat.index() as u8),
        ("empty", _) => '·',
        _ if item.strength < 0.125 => '·',
        _ if item.strength < 0.5 => '░',
        _ if item.strength < 0.875 => '▒',
        _ => '▓',
    }
}

/// Returns the mark of a seat: `1` to `9`, then `a` to `w`. With it, a board can be read without colours.
fn seat_mark(seat: u8) -> char {
    char::from_digit(u32::from(seat) + 1, 36).unwrap_or('?')
}

fn paint(text: &str, seat: Option<u8>, colour: bool) -> String {
    match seat {
        Some(seat) if colour => format!("\x1b[38;5;{}m{text}\x1b[0m", COLOURS[usize::from(seat) % COLOURS.len()]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Seat;

    /// The lines without the legend.
    fn board(frame: &Frame) -> String {
        let shown = render(frame, &[], Room::default(), false);
        shown.lines().filter(|line| !line.starts_with("legend:")).map(|line| format!("{line}\n")).collect()
    }

    fn grid() -> Frame {
        let mut frame = Frame { low: [-0.5, -0.5], high: [2.5, 1.5], cell: 1.0, ..Frame::default() };
        frame.title = "turn 1".into();
        frame.captions = vec!["score 3".into()];
        frame.add("land", Shape::Cell([0.0, 0.0]));
        frame.add("field", Shape::Cell([1.0, 0.0])).strength(0.3);
        frame.add("tile", Shape::Cell([2.0, 1.0])).of(Some(Seat::new(0)));
        frame
    }

    #[test]
    fn cells_are_two_columns_wide() {
        assert_eq!(board(&grid()), "turn 1\n▓▓░░\n    1\n1 score 3\n");
    }

    #[test]
    fn ground_has_no_gaps_in_any_room() {
        let mut frame = Frame { low: [-0.5, -0.5], high: [19.5, 9.5], cell: 1.0, ..Frame::default() };
        for i in 0..200 {
            frame.add("land", Shape::Cell([(i % 20) as f32, (i / 20) as f32]));
        }
        for columns in 20..50 {
            let shown = render(&frame, &[], Room { columns, rows: 50 }, false);
            let mut board = shown.lines().filter(|line| !line.starts_with("legend:"));
            assert!(board.all(|line| line.chars().all(|c| c == '▓')), "{columns}:\n{shown}");
        }
    }

    #[test]
    fn y_may_grow_upwards() {
        let frame = Frame { y_up: true, ..grid() };
        assert_eq!(board(&frame), "turn 1\n    1\n▓▓░░\n1 score 3\n");
    }

    #[test]
    fn points_and_labels_fit_any_room() {
        let mut frame = Frame { low: [-5.0, -5.0], high: [5.0, 5.0], ..Frame::default() };
        frame.add("link", Shape::Line([-5.0, -5.0], [5.0, 5.0]));
        frame.add("planet", Shape::Disc([0.0, 0.0], 1.0)).of(Some(Seat::new(1)));
        frame.add("ships", Shape::Label([0.0, 0.0], "42".into()));
        frame.add("far", Shape::Disc([f32::NAN, f32::INFINITY], 1.0));
        frame.add("edge", Shape::Polygon(vec![[5.0, 5.0], [f32::MAX, -5.0]]));
        for (columns, rows) in [(0, 0), (1, 1), (20, 5), (200, 80)] {
            let shown = render(&frame, &[], Room { columns, rows }, false);
            let mut board = shown.lines().take_while(|line| !line.starts_with("legend:"));
            assert!(board.all(|line| line.chars().count() <= columns.max(4) + 1), "{shown}");
        }
        assert!(render(&frame, &[], Room::default(), false).contains("2:42"), "seat 2's disc, then its label");
    }

    /// Seats 1 and 2 stand on a lighthouse of seat 2, seat 3 stands alone.
    fn lighthouses() -> Frame {
        let mut frame = Frame { low: [-0.5, -0.5], high: [4.5, 0.5], cell: 1.0, ..Frame::default() };
        for (x, seat) in [(1.0, Some(1)), (3.0, None)] {
            frame.add("lighthouse", Shape::Disc([x, 0.0], 0.4)).of(seat.map(Seat::new)).tip("a lighthouse");
        }
        for (seat, x) in [(0, 1.0), (1, 1.0), (2, 4.0)] {
            frame.add("player", Shape::Disc([x, 0.0], 0.2)).of(Some(Seat::new(seat))).tip(format!("seat {}", seat + 1));
            frame.add("number", Shape::Label([x, 0.0], (seat + 1).to_string())).of(Some(Seat::new(seat)));
        }
        frame
    }

    #[test]
    fn a_player_never_looks_like_what_it_owns() {
        let mut frame = lighthouses();
        let shown = render(&frame, &[], Room::default(), false);
        assert!(shown.starts_with("  @+  L @3\nshared: (1, 0) L2 @1 @2\nlegend: @N player N"), "{shown}");
        frame.items.retain(|item| item.class == "lighthouse");
        assert!(render(&frame, &[], Room::default(), false).starts_with("  L2  L\n"));
    }

    #[test]
    fn a_narrow_board_shows_that_there_are_players() {
        let shown = render(&lighthouses(), &[], Room { columns: 5, rows: 5 }, false);
        assert!(shown.starts_with(" + L@\n"), "{shown}");
    }

    #[test]
    fn a_fleet_differs_from_a_planet() {
        let mut frame = Frame { low: [0.0, 0.0], high: [20.0, 2.0], ..Frame::default() };
        for (class, label, x) in [("planet", "ships", 2.0), ("fleet", "fleet-ships", 12.0)] {
            frame.add(class, Shape::Disc([x, 1.0], 0.2)).of(Some(Seat::new(0)));
            frame.add(label, Shape::Label([x, 1.0], "34".into())).of(Some(Seat::new(0)));
        }
        let shown = render(&frame, &[], Room::default(), false);
        assert!(shown.contains(" 1:34 ") && shown.contains(" >1:34"), "{shown}");
    }

    #[test]
    fn twenty_four_seats_fit_a_terminal() {
        let captions: Vec<String> = (0..24).map(|i| format!("score {i} (+{i} a round), energy 1000{i}")).collect();
        let names: Vec<String> = (0..24).map(|i| format!("a bot with a name {i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for (columns, rows) in [(79, 20), (120, 30), (200, 60)] {
            let frame = Frame { captions: captions.clone(), ..lighthouses() };
            let shown = render_within(&frame, &names, Room { columns, rows }, false);
            assert!(shown.lines().all(|line| line.chars().count() <= columns), "{shown}");
            assert!(shown.lines().count() <= rows, "{columns} x {rows}:\n{shown}");
            for seat in 0..24 {
                assert!(shown.contains(&format!("{} a bot", seat_mark(seat))), "{shown}");
            }
        }
    }

    #[test]
    fn captions_name_who_plays() {
        let frame = Frame { captions: vec!["score 3".into(), "score 12".into()], ..Frame::default() };
        let shown = render(&frame, &["me", "evil\x1b[2J"], Room::default(), false);
        assert_eq!(shown, "1 me           score 3\n2 evil\\x1b[2J  score 12\n");
    }

    #[test]
    fn colours_are_only_there_when_asked_for() {
        assert!(render(&grid(), &[], Room::default(), true).contains("\x1b[38;5;33m1\x1b[0m"));
        assert!(!render(&grid(), &[], Room::default(), false).contains('\x1b'));
    }
}
