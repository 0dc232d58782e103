//! What a viewer draws: the closed triangles, the segments, the points with their numbers and, as in the figure of the
//! specification, the segments that may still be drawn, when only a few are left. And what it tells of a turn.

use crate::{
    field::{LARGEST_COORDINATE, members},
    order::Event,
    position::Position,
    segment::Segment,
};
use agon_core::{Ending, Frame, Game, Incident, ItemClass, Key, Naming, Seat, Shape, Weight, sort_few};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

/// The largest number of open segments that are drawn; more would hide the board.
const MOST_OPEN: usize = 60;

const LEGEND: &[ItemClass] = &[
    ItemClass::new("segment", &["·· segment"]).values(MADE),
    ItemClass::new("last", &["·· last segment"]).called("segment").values(MADE),
    ItemClass::new("open", &["·· segment that may be drawn"]).called("possible segment").values(&[
        "from point",
        "to point",
        "pays",
    ]),
    ItemClass::new("triangle", &["·· closed triangle"]).values(CORNERS),
    ItemClass::new("point", &["o point"]).named(Naming::Number(1)).values(&["x", "y"]).fixed(),
    ItemClass::new("number", &[]).fixed(),
];

/// The numbers of a segment: its ends, the move that drew it, and the points that it paid. A segment that was set up has no
/// move.
const MADE: &[&str] = &["from point", "to point", "move", "paid"];

/// The numbers of a triangle.
const CORNERS: &[&str] = &["corner", "second corner", "third corner"];

/// The names of the numbers of a seat.
pub(crate) const SERIES: &[&str] = &["triangles", "segments"];

/// The kinds of keys.
const SEGMENT: u8 = 1;
const OPEN: u8 = 2;
const TRIANGLE: u8 = 3;
const POINT: u8 = 4;
const NUMBER: u8 = 5;

pub(crate) fn frame(position: &Position) -> Frame {
    let mut frame = Frame {
        low: [0.0, 0.0],
        high: [LARGEST_COORDINATE as f32 + 1.0; 2],
        y_up: true,
        cell: 0.0,
        items: Vec::new(),
        grids: Vec::new(),
        captions: captions(position),
        title: title(position),
        legend: LEGEND,
    };
    triangles(position, &mut frame);
    if position.open_count() <= MOST_OPEN {
        for segment in position.open() {
            let pays = position.closes(segment).empty;
            let item = frame.add("open", key(OPEN, segment), line(position, segment));
            item.strength(0.3).values(&[segment.i.into(), segment.j.into(), pays.into()]);
        }
    }
    for (k, (segment, made)) in position.drawn().iter().zip(position.made()).enumerate() {
        let last = k + 1 == position.drawn().len();
        let class = if last { "last" } else { "segment" };
        let item = frame.add(class, key(SEGMENT, *segment), line(position, *segment)).of(made.by);
        let number = if made.by.is_some() { k as f64 + 1.0 } else { f64::NAN };
        item.values(&[f64::from(segment.i), f64::from(segment.j), number, f64::from(made.gained)]);
    }
    for (k, p) in position.points().iter().enumerate() {
        let at = [p.x as f32, p.y as f32];
        let item = frame.add("point", Key::new(POINT, k as u64), Shape::Disc(at, 0.6));
        item.values(&[f64::from(p.x), f64::from(p.y)]);
        let label = Shape::Label([at[0] + 1.2, at[1] + 1.2], (k + 1).to_string());
        frame.add("number", Key::new(NUMBER, k as u64), label);
    }
    frame
}

/// Returns the key of a segment: its two ends.
fn key(kind: u8, segment: Segment) -> Key {
    let (a, b) = segment.ends();
    Key::new(kind, (a << 8 | b) as u64)
}

/// Adds each empty triangle of drawn segments, in the colour of the seat that closed it.
fn triangles(position: &Position, frame: &mut Frame) {
    let mut joined = [0; crate::field::MOST_POINTS];
    for (segment, made) in position.drawn().iter().zip(position.made()) {
        let (a, b) = segment.ends();
        for c in members(position.empty_thirds(a, b, joined[a] & joined[b])) {
            let corners = [a, b, c].map(|k| at(position, k));
            let mut ends = [a, b, c];
            sort_few(&mut ends);
            let key = Key::new(TRIANGLE, ends.iter().fold(0, |number, end| number << 8 | *end as u64));
            let item = frame.add("triangle", key, Shape::Polygon(corners.to_vec()));
            item.of(made.by).strength(0.5).values(&ends.map(|end| end as f64 + 1.0));
        }
        joined[a] |= 1 << b;
        joined[b] |= 1 << a;
    }
}

fn at(position: &Position, k: usize) -> [f32; 2] {
    let p = position.points()[k];
    [p.x as f32, p.y as f32]
}

fn line(position: &Position, segment: Segment) -> Shape {
    let (a, b) = segment.ends();
    Shape::Line(at(position, a), at(position, b))
}

fn captions(position: &Position) -> Vec<String> {
    let of = |seat: Seat| {
        let score = position.scores()[seat.index()];
        let unit = if score == 1 { "triangle" } else { "triangles" };
        let state = match () {
            () if position.out().contains(seat) => ", out",
            () if !position.over() && position.to_move() == seat => ", to move",
            () => "",
        };
        format!("{score} {unit}{state}")
    };
    [0, 1].map(|seat| of(Seat::new(seat))).into()
}

fn title(position: &Position) -> String {
    let (drawn, all) = (position.drawn().len(), position.segments_in_all());
    match Position::standing(position).ending {
        Ending::Unfinished => format!("segment {drawn} of {all}, {} open", position.open_count()),
        ending => format!("segment {drawn} of {all}: {ending}"),
    }
}

/// Appends the numbers of a seat.
pub(crate) fn measure(position: &Position, seat: Seat, out: &mut Vec<f64>) {
    let segments = position.made().iter().filter(|made| made.by == Some(seat)).count();
    out.extend([f64::from(position.scores()[seat.index() & 1]), segments as f64]);
}

/// Tells an event.
pub(crate) fn tell(event: &Event) -> Incident {
    match *event {
        Event::Drawn { seat, segment, gained } => {
            let (kind, weight) = if gained > 0 { ("closed", Weight::Gain) } else { ("drawn", Weight::Other) };
            let text = match gained {
                0 => format!("seat {seat} draws segment {segment}"),
                1 => format!("seat {seat} draws segment {segment} and closes a triangle"),
                _ => format!("seat {seat} draws segment {segment} and closes {gained} triangles"),
            };
            Incident::new(kind, weight, Some(seat), text).about([key(SEGMENT, segment)])
        }
        Event::Out { seat } => Incident::new("out", Weight::Loss, Some(seat), format!("the bot of seat {seat} is out")),
        Event::Forfeited { seat } => {
            Incident::new("forfeited", Weight::Loss, Some(seat), format!("seat {seat} forfeits"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Contest, Joint, Setup, Terms, judge};

    #[test]
    fn segments_are_told_with_their_ends_and_what_they_pay() {
        let map = Position::parse_map(b"set_points 4 1 1 9 1 9 9 1 9\nplay 1 2\nplay 2 3\n").unwrap();
        let terms = Terms { rules: agon_core::rules::parse("spec").unwrap(), seats: 2, limit: None };
        let mut position = Position::from_map(map, &terms).unwrap();
        let (entry, refused) = judge(&position, position.to_move(), &[crate::Order(3, 4)], None, &mut ());
        assert_eq!(refused.map(|refused| refused.why), None);
        position.resolve(Joint::new(&[entry]), &mut (), &mut ());
        let frame = frame(&position).spelled_out();
        let tips = |class: &str| -> Vec<&str> {
            frame.items.iter().filter(|item| item.class == class).map(|item| item.tip.as_str()).collect()
        };
        let (last, mut open) = (tips("last"), tips("open"));
        open.sort_unstable();
        assert_eq!(last, ["segment, owner seat 1, from point 3, to point 4, move 3, paid 0"]);
        assert_eq!(
            open,
            [
                "possible segment, from point 1, to point 3, pays 1",
                "possible segment, from point 1, to point 4, pays 0",
                "possible segment, from point 2, to point 4, pays 1",
            ]
        );
    }
}
