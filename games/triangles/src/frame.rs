//! What a viewer draws: the closed triangles, the segments, the points with their numbers and, as in the figure of the
//! specification, the segments that may still be drawn, when only a few are left.

use crate::{
    field::{LARGEST_COORDINATE, members},
    position::Position,
    segment::Segment,
};
use agon_core::{Ending, Frame, Game, ItemClass, Seat, Shape};
use alloc::{format, string::String, vec};

/// The largest number of open segments that are drawn; more would hide the board.
const MOST_OPEN: usize = 60;

const LEGEND: &[ItemClass] = &[
    ItemClass::new("segment", &["·· segment"]),
    ItemClass::new("last", &["·· last segment"]),
    ItemClass::new("open", &["·· segment that may be drawn"]),
    ItemClass::new("triangle", &["·· closed triangle"]),
    ItemClass::new("point", &["o point"]),
    ItemClass::new("number", &[]),
];

pub(crate) fn frame(position: &Position) -> Frame {
    let mut frame = Frame {
        low: [0.0, 0.0],
        high: [LARGEST_COORDINATE as f32 + 1.0; 2],
        y_up: true,
        cell: 0.0,
        items: vec![],
        captions: captions(position),
        title: title(position),
        legend: LEGEND,
    };
    triangles(position, &mut frame);
    if position.open_count() <= MOST_OPEN {
        for segment in position.open() {
            let pays = position.closes(segment).empty;
            let item = frame.add("open", line(position, segment));
            item.strength(0.3).tip(format!("segment {segment} may be drawn and pays {pays}"));
        }
    }
    for (k, (segment, made)) in position.drawn().iter().zip(position.made()).enumerate() {
        let last = k + 1 == position.drawn().len();
        let item = frame.add(if last { "last" } else { "segment" }, line(position, *segment)).of(made.by);
        match made.by {
            Some(seat) => item.tip(format!("segment {segment}, move {} by seat {seat}, paid {}", k + 1, made.gained)),
            None => item.tip(format!("segment {segment}, set up")),
        };
    }
    for (k, p) in position.points().iter().enumerate() {
        let at = [p.x as f32, p.y as f32];
        frame.add("point", Shape::Disc(at, 0.6)).tip(format!("point {} at {}, {}", k + 1, p.x, p.y));
        frame.add("number", Shape::Label([at[0] + 1.2, at[1] + 1.2], format!("{}", k + 1)));
    }
    frame
}

/// Adds each empty triangle of drawn segments, in the colour of the seat that closed it.
fn triangles(position: &Position, frame: &mut Frame) {
    let mut joined = [0; crate::field::MOST_POINTS];
    for (segment, made) in position.drawn().iter().zip(position.made()) {
        let (a, b) = segment.ends();
        for c in members(position.empty_thirds(a, b, joined[a] & joined[b])) {
            let corners = [a, b, c].map(|k| at(position, k));
            let item = frame.add("triangle", Shape::Polygon(corners.to_vec())).of(made.by).strength(0.5);
            let names = format!("triangle {} {} {}", a + 1, b + 1, c + 1);
            match made.by {
                Some(seat) => item.tip(format!("{names}, closed by seat {seat}")),
                None => item.tip(names),
            };
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

fn captions(position: &Position) -> vec::Vec<String> {
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
    vec![of(Seat::new(0)), of(Seat::new(1))]
}

fn title(position: &Position) -> String {
    let (drawn, all) = (position.drawn().len(), position.segments_in_all());
    match Position::standing(position).ending {
        Ending::Unfinished => format!("segment {drawn} of {all}, {} open", position.open_count()),
        ending => format!("segment {drawn} of {all}: {ending}"),
    }
}
