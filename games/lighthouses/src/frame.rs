//! What a viewer draws of a position.

use crate::{
    board::{CELL_CAP, members},
    position::Position,
};
use agon_core::{Frame, Game, ItemClass, Seat, Shape, geometry::Point};
use alloc::{format, string::ToString, vec};

const LEGEND: &[ItemClass] = &[
    ItemClass::new("player", &["@N player N"]).symbol('@').moving().listed(),
    ItemClass::new("number", &[]),
    ItemClass::new("lighthouse", &["LN lighthouse of N", "L neutral"]).symbol('L').listed(),
    ItemClass::new("land", &["·░▒▓ more energy"]),
    ItemClass::new("sea", &[]).ground(' '),
    ItemClass::new("connection", &["·· connection"]),
    ItemClass::new("triangle", &["·· triangle"]),
];

/// Draws cells by their energy, triangles, connections, lighthouses and players. Rows are numbered upwards.
pub(crate) fn frame(pos: &Position) -> Frame {
    let board = pos.board();
    let mut frame = Frame {
        low: [-0.5, -0.5],
        high: [board.width() as f32 - 0.5, board.height() as f32 - 0.5],
        y_up: true,
        cell: 1.0,
        legend: LEGEND,
        ..Frame::default()
    };
    draw_cells(pos, &mut frame);
    for (corners, cells) in pos.triangles() {
        let points = corners.map(|i| at(board.lights()[i]));
        let tip = format!("triangle of {cells} cells");
        frame.add("triangle", Shape::Polygon(vec![points[0], points[1], points[2]])).of(pos.owner(corners[0])).tip(tip);
    }
    for (i, &p) in board.lights().iter().enumerate() {
        for j in members(pos.links(i)).filter(|j| *j > i) {
            frame.add("connection", Shape::Line(at(p), at(board.lights()[j]))).of(pos.owner(i));
        }
    }
    for (i, &p) in board.lights().iter().enumerate() {
        let energy = pos.light_energy(i);
        let tip = match pos.owner(i) {
            Some(seat) => format!("lighthouse ({}, {}) of seat {seat}, energy {energy}", p.x, p.y),
            None => format!("lighthouse ({}, {}), neutral", p.x, p.y),
        };
        frame.add("lighthouse", Shape::Disc(at(p), 0.4)).of(pos.owner(i)).tip(tip);
    }
    draw_players(pos, &mut frame);
    frame.title = format!("round {} of {}", (pos.round() + 1).min(pos.limit()), pos.limit());
    frame
}

fn draw_cells(pos: &Position, frame: &mut Frame) {
    let board = pos.board();
    for y in 0..board.height() {
        for x in 0..board.width() {
            let p = Point { x: x as i32, y: y as i32 };
            if board.site(board.cell(x, y)).land {
                let energy = pos.cell_energy(p);
                let item = frame.add("land", Shape::Cell(at(p))).strength(energy as f32 / CELL_CAP as f32);
                item.tip(format!("({x}, {y}), energy {energy}"));
            } else {
                frame.add("sea", Shape::Cell(at(p)));
            }
        }
    }
}

fn draw_players(pos: &Position, frame: &mut Frame) {
    for seat in (0..pos.seats()).map(Seat::new) {
        let p = pos.place(seat);
        let out = if pos.gone().contains(seat) { ", bot out" } else { "" };
        let (score, energy, rate) = (pos.score(seat), pos.energy(seat), pos.rate(seat));
        let tip = format!("seat {seat} at ({}, {}), energy {energy}{out}", p.x, p.y);
        frame.add("player", Shape::Disc(at(p), 0.25)).of(Some(seat)).tip(tip);
        frame.add("number", Shape::Label(at(p), seat.to_string())).of(Some(seat));
        frame.captions.push(format!("score {score} (+{rate} a round), energy {energy}{out}"));
    }
}

fn at(p: Point) -> [f32; 2] {
    [p.x as f32, p.y as f32]
}
