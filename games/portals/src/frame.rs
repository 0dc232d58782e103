//! What a viewer draws: fields, links, portals, agents. And what it tells of a turn.

use crate::{Event, Order, Position, listing::triangles};
use agon_core::{Frame, Incident, ItemClass, Key, Naming, Seat, Shape, Weight, geometry::Point};
use alloc::{format, string::String, vec::Vec};

const LEGEND: &[ItemClass] = &[
    ItemClass::new("agent", &["@N agent of N"]).symbol('@').moving().listed().named(Naming::Place).values(&[
        "score",
        "action points",
        "movement points",
    ]),
    ItemClass::new("portal", &["PN portal of N", "P neutral"])
        .symbol('P')
        .listed()
        .named(Naming::Place)
        .values(&["shields"]),
    ItemClass::new("shield", &["SN portal of N with shields"]).symbol('S'),
    ItemClass::new("link", &["·· link"]).values(&["shields of its ends"]),
    ItemClass::new("field", &["·· edge of a field"]).values(&["points a turn"]),
];

/// The names of the numbers of a seat.
pub(crate) const SERIES: &[&str] = &["score", "points a turn", "portals", "links"];

/// The kinds of keys.
const PORTAL: u8 = 1;
const SHIELD: u8 = 2;
const LINK: u8 = 3;
const FIELD: u8 = 4;
const AGENT: u8 = 5;

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
            let key = Key::new(FIELD, corners.iter().fold(0, |number, id| number << 14 | *id as u64));
            let item = frame.add("field", key, Shape::Polygon([a, b, c].map(at).to_vec()));
            item.of(owner).strength(0.25).values(&[points as f64]);
        }
    }
    for ends in position.web.links() {
        let [a, b] = ends.map(|id| chart.at(id));
        let item = frame.add("link", link(ends), Shape::Line(at(a), at(b)));
        let shields: u32 = ends.iter().map(|id| u32::from(position.shields[*id])).sum();
        item.of(Position::seat_of(position.owners[ends[0]])).values(&[f64::from(shields)]);
    }
    for (id, p) in chart.portals().iter().enumerate() {
        let (owner, shields) = (Position::seat_of(position.owners[id]), position.shields[id]);
        let item = frame.add("portal", Key::new(PORTAL, id as u64), Shape::Disc(at(*p), 0.32));
        item.of(owner).values(&[f64::from(shields)]);
        if shields > 0 {
            frame.add("shield", Key::new(SHIELD, id as u64), Shape::Label(at(*p), format!("{shields}"))).of(owner);
        }
    }
    for (player, agent) in position.agents.iter().enumerate() {
        let (action, movement) = position.points(player);
        let item = frame.add("agent", Key::new(AGENT, player as u64), Shape::Cell(at(agent.at)));
        item.of(Some(Seat::new(player))).strength(0.8);
        item.values(&[agent.score as f64, f64::from(action), f64::from(movement)]);
    }
    frame.captions = (0..2).map(|player| caption(position, player)).collect();
    frame
}

/// Returns the key of a link between two portals.
fn link([a, b]: [usize; 2]) -> Key {
    Key::new(LINK, (a.min(b) << 14 | a.max(b)) as u64)
}

/// Returns the number of portals and of links of a player.
fn holdings(position: &Position, player: usize) -> (usize, usize) {
    let portals = position.owners.iter().filter(|o| usize::from(**o) == player).count();
    let links = position.web.links().filter(|ends| usize::from(position.owners[ends[0]]) == player).count();
    (portals, links)
}

fn caption(position: &Position, player: usize) -> String {
    let agent = &position.agents[player];
    let (portals, links) = holdings(position, player);
    let dead = if agent.alive { "" } else { ", dead" };
    format!("score {}, {portals} portals, {links} links, {} a turn{dead}", agent.score, agent.income)
}

/// Appends the numbers of a seat.
pub(crate) fn measure(position: &Position, seat: Seat, out: &mut Vec<f64>) {
    let agent = &position.agents[seat.index() & 1];
    let (portals, links) = holdings(position, seat.index() & 1);
    out.extend([agent.score as f64, agent.income as f64, portals as f64, links as f64]);
}

/// Tells an event.
pub(crate) fn tell(position: &Position, event: &Event) -> Incident {
    let chart = &position.chart;
    let number = |p: Point| chart.portals().iter().position(|portal| *portal == p);
    let portal = |p: Point| number(p).map(|id| Key::new(PORTAL, id as u64));
    match *event {
        Event::Acted { seat, action } => {
            let at = position.agents[seat.index() & 1].at;
            let agent = Key::new(AGENT, seat.index() as u64);
            let here = |kind, weight, what: &str| {
                let text = format!("seat {seat} {what} portal ({}, {})", at.x, at.y);
                Incident::new(kind, weight, Some(seat), text).about(portal(at))
            };
            match action {
                Order::Move(to) => {
                    let text = format!("the agent of seat {seat} moves to ({}, {})", to.x, to.y);
                    Incident::new("moved", Weight::Other, Some(seat), text).about([agent])
                }
                Order::Turbo => {
                    let text = format!("seat {seat} buys a movement point");
                    Incident::new("turbo", Weight::Other, Some(seat), text).about([agent])
                }
                Order::Capture => here("captured", Weight::Gain, "captures"),
                Order::Neutralise => here("neutralised", Weight::Gain, "neutralises"),
                Order::Shield => here("shielded", Weight::Other, "shields"),
                Order::Link(to) => {
                    let ends = number(at).zip(number(to)).map(|(a, b)| link([a, b]));
                    let text = format!("seat {seat} links ({}, {}) and ({}, {})", at.x, at.y, to.x, to.y);
                    Incident::new("linked", Weight::Gain, Some(seat), text).about(ends)
                }
            }
        }
        Event::Died { seat } => {
            Incident::new("died", Weight::Loss, Some(seat), format!("the champion of seat {seat} is dead"))
        }
        Event::Scored { seat, gained, score } => {
            let text = format!("seat {seat} gets {gained} points and has {score}");
            Incident::new("scored", Weight::Other, Some(seat), text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Contest, Seed, Setup, Terms};
    use alloc::string::ToString;

    #[test]
    fn a_frame_has_every_portal_and_agent_once() {
        let map = Position::generate(Position::INFO.map_kinds[0].name, Seed(3), 2).unwrap();
        let terms = Terms { rules: Default::default(), seats: 2, limit: Some(3) };
        let position = Position::from_map(map, &terms).unwrap();
        let frame = frame(&position);
        let portals = frame.items.iter().filter(|item| item.class == "portal").count();
        assert_eq!((portals, frame.items.len()), (position.chart.len(), position.chart.len() + 2));
        let agent = frame.facts(Key::new(AGENT, 1));
        assert_eq!(agent[1], ("owner", "seat 2".to_string()));
        assert_eq!(agent[2], ("score", "0".to_string()));
    }
}
