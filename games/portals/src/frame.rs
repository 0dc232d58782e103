//! What a viewer draws: fields, links, portals, agents.

use crate::{Position, listing::triangles};
use agon_core::{Frame, ItemClass, Seat, Shape, geometry::Point};
use alloc::format;

const LEGEND: &[ItemClass] = &[
    ItemClass::new("agent", &["@N agent of N"]).symbol('@').moving().listed(),
    ItemClass::new("portal", &["PN portal of N", "P neutral"]).symbol('P').listed(),
    ItemClass::new("shield", &["SN portal of N with shields"]).symbol('S'),
    ItemClass::new("link", &["·· link"]),
    ItemClass::new("field", &["·· edge of a field"]),
];

pub(crate) fn frame(position: &Position) -> Frame {
    let chart = &position.chart;
    let at = |p: Point| [p.x as f32, p.y as f32];
    let edge = chart.side() as f32 - 0.5;
    let round = position.round().min(position.rounds);
    let mut frame = Frame {
        low: [-0.5, -0.5],
        high: [edge, edge],
        y_up: false,
        cell: 1.0,
        title: format!("round {round} of {}", position.rounds),
        legend: LEGEND,
        ..Frame::default()
    };
    if position.fields > 0 {
        for corners in triangles(&position.web, chart.len()) {
            let owner = Position::seat_of(position.owners[corners[0]]);
            let [a, b, c] = corners.map(|id| chart.at(id));
            let points = crate::geometry::triangle_score(a, b, c);
            // Nested fields are painted over each other: faint, so that layers show.
            let item = frame.add("field", Shape::Polygon([a, b, c].map(at).to_vec()));
            item.of(owner).strength(0.25).tip(format!("field, {points} points a turn"));
        }
    }
    for ends in position.web.links() {
        let [a, b] = ends.map(|id| chart.at(id));
        let item = frame.add("link", Shape::Line(at(a), at(b)));
        item.of(Position::seat_of(position.owners[ends[0]])).tip(format!("link {} {} to {} {}", a.x, a.y, b.x, b.y));
    }
    for (id, p) in chart.portals().iter().enumerate() {
        let (owner, shields) = (Position::seat_of(position.owners[id]), position.shields[id]);
        let whose = match owner {
            Some(seat) => format!("of seat {seat}, {shields} shields"),
            None => "neutral".into(),
        };
        frame.add("portal", Shape::Disc(at(*p), 0.32)).of(owner).tip(format!("portal {} {}, {whose}", p.x, p.y));
        if shields > 0 {
            frame.add("shield", Shape::Label(at(*p), format!("{shields}"))).of(owner);
        }
    }
    for (player, agent) in position.agents.iter().enumerate() {
        let seat = Seat::new(player);
        let tip = format!("agent of seat {seat} at {} {}", agent.at.x, agent.at.y);
        frame.add("agent", Shape::Cell(at(agent.at))).of(Some(seat)).strength(0.8).tip(tip);
    }
    frame.captions = (0..2).map(|player| caption(position, player)).collect();
    frame
}

fn caption(position: &Position, player: usize) -> alloc::string::String {
    let agent = &position.agents[player];
    let portals = position.owners.iter().filter(|o| usize::from(**o) == player).count();
    let links = position.web.links().filter(|ends| usize::from(position.owners[ends[0]]) == player).count();
    let dead = if agent.alive { "" } else { ", dead" };
    format!("score {}, {portals} portals, {links} links, {} a turn{dead}", agent.score, agent.income)
}
