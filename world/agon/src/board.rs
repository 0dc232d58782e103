//! Draws a [`Frame`] in a terminal. Every game describes its board as a display list, so one drawer serves all games.

mod canvas;
mod legend;
pub mod numbers;

use crate::clean::{clean, cut};
use agon_core::Frame;
use canvas::Canvas;

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

/// The maximum length of a bot's name beside the board, in characters.
const NAME_WIDTH: usize = 24;
/// The least width of a caption if several stand side by side, in columns.
const LEAST_CAPTION: usize = 24;
/// The least height of a board, in rows.
const LEAST_BOARD: usize = 4;
/// The colours of the seats (256-colour palette). They can be told apart on dark and on light backgrounds.
const COLOURS: [u8; 8] = [33, 160, 34, 172, 135, 37, 199, 100];

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
    use agon_core::{ItemClass, Key, Seat, Shape};

    const LEGEND: &[ItemClass] = &[
        ItemClass::new("player", &["@N player N"]).symbol('@').moving().listed(),
        ItemClass::new("lighthouse", &["LN lighthouse of N"]).symbol('L').listed(),
        ItemClass::new("planet", &["N:10 planet of N"]),
        ItemClass::new("fleet", &[">N:10 fleet of N"]).symbol('>').moving(),
        ItemClass::new("fleet-ships", &[]).symbol('>').moving(),
        ItemClass::new("empty", &["· empty"]).ground('·'),
        ItemClass::new("sea", &[]).ground(' '),
    ];

    /// The lines without the legend.
    fn board(frame: &Frame) -> String {
        let shown = render(frame, &[], Room::default(), false);
        shown.lines().filter(|line| !line.starts_with("legend:")).map(|line| format!("{line}\n")).collect()
    }

    fn grid() -> Frame {
        let mut frame = Frame { low: [-0.5, -0.5], high: [2.5, 1.5], cell: 1.0, ..Frame::default() };
        frame.title = "turn 1".into();
        frame.captions = vec!["score 3".into()];
        frame.add("land", Key::default(), Shape::Cell([0.0, 0.0]));
        frame.add("field", Key::default(), Shape::Cell([1.0, 0.0])).strength(0.3);
        frame.add("tile", Key::default(), Shape::Cell([2.0, 1.0])).of(Some(Seat::new(0)));
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
            frame.add("land", Key::default(), Shape::Cell([(i % 20) as f32, (i / 20) as f32]));
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
        frame.add("link", Key::default(), Shape::Line([-5.0, -5.0], [5.0, 5.0]));
        frame.add("planet", Key::default(), Shape::Disc([0.0, 0.0], 1.0)).of(Some(Seat::new(1)));
        frame.add("ships", Key::default(), Shape::Label([0.0, 0.0], "42".into()));
        frame.add("far", Key::default(), Shape::Disc([f32::NAN, f32::INFINITY], 1.0));
        frame.add("edge", Key::default(), Shape::Polygon(vec![[5.0, 5.0], [f32::MAX, -5.0]]));
        for (columns, rows) in [(0, 0), (1, 1), (20, 5), (200, 80)] {
            let shown = render(&frame, &[], Room { columns, rows }, false);
            let mut board = shown.lines().take_while(|line| !line.starts_with("legend:"));
            assert!(board.all(|line| line.chars().count() <= columns.max(4) + 1), "{shown}");
        }
        assert!(render(&frame, &[], Room::default(), false).contains("2:42"), "seat 2's disc, then its label");
    }

    /// Seats 1 and 2 stand on a lighthouse of seat 2, seat 3 stands alone.
    fn lighthouses() -> Frame {
        let mut frame = Frame { low: [-0.5, -0.5], high: [4.5, 0.5], cell: 1.0, legend: LEGEND, ..Frame::default() };
        for (x, seat) in [(1.0, Some(1)), (3.0, None)] {
            frame
                .add("lighthouse", Key::default(), Shape::Disc([x, 0.0], 0.4))
                .of(seat.map(Seat::new))
                .tip("a lighthouse");
        }
        for (seat, x) in [(0, 1.0), (1, 1.0), (2, 4.0)] {
            frame
                .add("player", Key::default(), Shape::Disc([x, 0.0], 0.2))
                .of(Some(Seat::new(seat)))
                .tip(format!("seat {}", seat + 1));
            frame
                .add("number", Key::default(), Shape::Label([x, 0.0], (seat + 1).to_string()))
                .of(Some(Seat::new(seat)));
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
        let mut frame = Frame { low: [0.0, 0.0], high: [20.0, 2.0], legend: LEGEND, ..Frame::default() };
        for (class, label, x) in [("planet", "ships", 2.0), ("fleet", "fleet-ships", 12.0)] {
            frame.add(class, Key::default(), Shape::Disc([x, 1.0], 0.2)).of(Some(Seat::new(0)));
            frame.add(label, Key::default(), Shape::Label([x, 1.0], "34".into())).of(Some(Seat::new(0)));
        }
        let shown = render(&frame, &[], Room::default(), false);
        assert!(shown.contains(" 1:34 ") && shown.contains(" >1:34"), "{shown}");
    }

    #[test]
    fn things_that_orders_name_show_their_numbers() {
        const NUMBERED: &[ItemClass] = &[
            ItemClass::new("planet", &[]).named(agon_core::Naming::Number(0)),
            ItemClass::new("ships", &[]),
            ItemClass::new("point", &[]).named(agon_core::Naming::Number(1)),
        ];
        let mut frame = Frame { low: [0.0, 0.0], high: [20.0, 2.0], legend: NUMBERED, ..Frame::default() };
        for (class, number, x, text) in [("planet", 7, 2.0, "34"), ("point", 4, 12.0, "5")] {
            frame.add(class, Key::new(1, number), Shape::Disc([x, 1.0], 0.2)).of(Some(Seat::new(0)));
            frame.add("ships", Key::new(2, number), Shape::Label([x, 1.0], text.into())).of(Some(Seat::new(0)));
        }
        let shown = render(&frame, &[], Room::default(), false);
        assert!(shown.contains(" 1:34#7 "), "{shown}");
        assert!(shown.contains(" 1:5\n"), "a label that is the number says it once: {shown}");
        let picture = crate::picture::svg(&frame, &[]);
        assert!(picture.contains(">#7</text>") && !picture.contains(">#5</text>"), "{picture}");
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
    fn a_cell_of_nobody_has_the_ground_of_its_class() {
        let mut frame = Frame { low: [-0.5, -0.5], high: [2.5, 0.5], cell: 1.0, legend: LEGEND, ..Frame::default() };
        for (x, class) in ["empty", "sea", "empty"].into_iter().enumerate() {
            frame.add(class, Key::default(), Shape::Cell([x as f32, 0.0]));
        }
        assert_eq!(render(&frame, &[], Room::default(), false), "·   ·\nlegend: · empty\n");
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
