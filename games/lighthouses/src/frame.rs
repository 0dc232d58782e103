//! What a viewer draws of a position, and what it tells of a turn. A viewer with the eyes of one player gets what that player
//! sees: the island, the energy around it, and the lighthouses.

use crate::{
    board::{Board, CELL_CAP, LightSet, above, members, triangles},
    order::Event,
    position::Position,
    view::{SIGHT, View},
};
use agon_core::{Codes, Frame, Game, Grid, Incident, ItemClass, Key, Naming, Seat, Shape, Weight, geometry::Point};
use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

const LEGEND: &[ItemClass] = &[
    ItemClass::new("player", &["@N player N"])
        .symbol('@')
        .moving()
        .listed()
        .named(Naming::Place)
        .values(&["score", "energy", "keys"]),
    ItemClass::new("number", &[]),
    ItemClass::new("lighthouse", &["LN lighthouse of N", "L neutral"])
        .symbol('L')
        .listed()
        .named(Naming::Place)
        .values(&["energy", "connections"]),
    ItemClass::new("land", &["·░▒▓ more energy"]),
    ItemClass::new("sea", &[]).ground(' '),
    ItemClass::new("connection", &["·· connection"]),
    ItemClass::new("triangle", &["·· triangle"]).values(&["cells"]),
];

/// The names of the numbers of a seat.
pub(crate) const SERIES: &[&str] = &["score", "points a round", "energy", "lighthouses"];

/// The kinds of keys.
const PLAYER: u8 = 1;
const NUMBER: u8 = 2;
const LIGHT: u8 = 3;
const CONNECTION: u8 = 4;
const TRIANGLE: u8 = 5;

/// What a viewer draws of all lighthouses.
struct Lights<'a> {
    board: &'a Board,
    owner: &'a dyn Fn(usize) -> Option<Seat>,
    energy: &'a dyn Fn(usize) -> i64,
    links: &'a dyn Fn(usize) -> LightSet,
}

/// Draws cells by their energy, triangles, connections, lighthouses and players. Rows are numbered upwards.
pub(crate) fn frame(pos: &Position) -> Frame {
    let lights = Lights {
        board: pos.board(),
        owner: &|light| pos.owner(light),
        energy: &|light| pos.light_energy(light),
        links: &|light| pos.links(light),
    };
    let energy = |p| pos.cell_energy(p) as i16;
    let mut frame = island(&lights, (pos.round(), pos.limit()), energy);
    for seat in (0..pos.seats()).map(Seat::new) {
        let out = if pos.gone().contains(seat) { ", bot out" } else { "" };
        let (score, energy, rate) = (pos.score(seat), pos.energy(seat), pos.rate(seat));
        player(
            &mut frame,
            seat,
            pos.place(seat),
            [score as f64, energy as f64, f64::from(pos.keys(seat).count_ones())],
        );
        frame.captions.push(format!("score {score} (+{rate} a round), energy {energy}{out}"));
    }
    frame
}

/// Draws what one player sees in a round of so many.
pub(crate) fn seen(view: View<'_>, rounds: (u32, u32)) -> Frame {
    let lights = Lights {
        board: view.board,
        owner: &|light| view.owner(light),
        energy: &|light| view.light_energy(light),
        links: &|light| view.links(light),
    };
    let reach = SIGHT as i32;
    let near = |p: Point| {
        let [dx, dy] = [p.x - view.place.x + reach, p.y - view.place.y + reach].map(|d| usize::try_from(d).ok());
        let cell = dy.and_then(|dy| view.near.get(dy)).zip(dx).and_then(|(row, dx)| row.get(dx));
        cell.map_or(-1, |energy| i16::from(*energy))
    };
    let mut frame = island(&lights, rounds, near);
    let numbers = [view.score as f64, view.energy as f64, f64::from(view.keys.count_ones())];
    player(&mut frame, view.seat, view.place, numbers);
    frame.captions = vec![String::new(); view.players];
    frame.captions[view.seat.index()] = format!("score {}, energy {}", view.score, view.energy);
    frame
}

/// Draws the island and its lighthouses. `energy` returns the energy of a cell of the island, or -1 if the viewer does not
/// see it.
fn island(lights: &Lights<'_>, (round, limit): (u32, u32), energy: impl Fn(Point) -> i16) -> Frame {
    let board = lights.board;
    let (width, height) = (board.width(), board.height());
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let is_land = |(x, y): (usize, usize)| board.site(board.cell(x, y)).land;
    let layer = |name, codes, is_fixed, cells| Grid {
        name,
        width: width as u32,
        height: height as u32,
        cells,
        codes,
        is_fixed,
    };
    let land = places.clone().map(|place| i16::from(is_land(place))).collect();
    let amount = |(x, y)| if is_land((x, y)) { energy(Point { x: x as i32, y: y as i32 }) } else { -1 };
    let mut frame = Frame {
        low: [-0.5, -0.5],
        high: [width as f32 - 0.5, height as f32 - 0.5],
        y_up: true,
        cell: 1.0,
        grids: vec![
            layer("ground", Codes::Classes(&["sea", "land"]), true, land),
            layer("energy", Codes::Amounts(CELL_CAP as i16), false, places.map(amount).collect()),
        ],
        title: format!("round {} of {limit}", (round + 1).min(limit)),
        legend: LEGEND,
        ..Frame::default()
    };
    lights.draw(&mut frame);
    frame
}

impl Lights<'_> {
    fn draw(&self, frame: &mut Frame) {
        let place = |light: usize| at(self.board.lights()[light]);
        let count = self.board.lights().len();
        for corners @ [a, b, c] in triangles(count, self.links) {
            let key = Key::new(TRIANGLE, ((a << 8 | b) << 8 | c) as u64);
            let item = frame.add("triangle", key, Shape::Polygon(corners.map(place).into()));
            item.of((self.owner)(a)).values(&[f64::from(self.board.area(a, b, c))]);
        }
        for a in 0..count {
            for b in members((self.links)(a) & above(a)) {
                frame.add("connection", connection(a, b), Shape::Line(place(a), place(b))).of((self.owner)(a));
            }
        }
        for light in 0..count {
            let item = frame.add("lighthouse", Key::new(LIGHT, light as u64), Shape::Disc(place(light), 0.4));
            let connections = (self.links)(light).count_ones();
            item.of((self.owner)(light)).values(&[(self.energy)(light) as f64, f64::from(connections)]);
        }
    }
}

fn player(frame: &mut Frame, seat: Seat, place: Point, numbers: [f64; 3]) {
    let index = seat.index() as u64;
    frame.add("player", Key::new(PLAYER, index), Shape::Disc(at(place), 0.25)).of(Some(seat)).values(&numbers);
    frame.add("number", Key::new(NUMBER, index), Shape::Label(at(place), seat.to_string())).of(Some(seat));
}

fn connection(a: usize, b: usize) -> Key {
    Key::new(CONNECTION, (a.min(b) << 8 | a.max(b)) as u64)
}

fn at(p: Point) -> [f32; 2] {
    [p.x as f32, p.y as f32]
}

/// Appends the numbers of a seat.
pub(crate) fn measure(pos: &Position, seat: Seat, out: &mut Vec<f64>) {
    out.extend([pos.score(seat), pos.rate(seat), pos.energy(seat)].map(|n| n as f64));
    out.push(owned(pos, seat));
}

/// Appends those numbers of a seat that another player knows: everybody sees the lighthouses.
pub(crate) fn measure_known(pos: &Position, seat: Seat, out: &mut Vec<f64>) {
    out.extend([f64::NAN, f64::NAN, f64::NAN, owned(pos, seat)]);
}

fn owned(pos: &Position, seat: Seat) -> f64 {
    (0..pos.board().lights().len()).filter(|light| pos.owner(*light) == Some(seat)).count() as f64
}

/// Tells an event.
pub(crate) fn tell(pos: &Position, event: &Event) -> Option<Incident> {
    use Weight::{Gain, Loss, Other};
    let number = |p: Point| pos.board().light_at(p);
    let light = |p: Point| number(p).map(|light| Key::new(LIGHT, light as u64));
    let walker = |seat: Seat| [Key::new(PLAYER, seat.index() as u64)];
    let told = |kind, weight, seat, text: String| Incident::new(kind, weight, Some(seat), text);
    Some(match *event {
        Event::RoundBegins { .. } | Event::Collected { energy: 0, .. } | Event::Scored { points: 0, .. } => {
            return None;
        }
        Event::KeyTaken { seat, lighthouse: p } => {
            let text = format!("seat {seat} takes the key of lighthouse ({}, {})", p.x, p.y);
            told("key-taken", Other, seat, text).about(light(p)).private()
        }
        Event::Collected { seat, energy } => {
            let text = format!("seat {seat} collects {energy} energy");
            told("collected", Other, seat, text).about(walker(seat)).private()
        }
        Event::WentOut { lighthouse: p, owner } => {
            let text = format!("lighthouse ({}, {}) of seat {owner} goes out", p.x, p.y);
            told("went-out", Loss, owner, text).about(light(p))
        }
        Event::Moved { seat, to } => {
            let text = format!("seat {seat} moves to ({}, {})", to.x, to.y);
            told("moved", Other, seat, text).about(walker(seat)).private()
        }
        Event::Recharged { seat, lighthouse: p, energy } => {
            let text = format!("seat {seat} gives {energy} energy to lighthouse ({}, {})", p.x, p.y);
            told("recharged", Other, seat, text).about(light(p)).private()
        }
        Event::Attacked { seat, lighthouse: p, energy } => {
            let text = format!("seat {seat} takes {energy} energy from lighthouse ({}, {})", p.x, p.y);
            told("attacked", Other, seat, text).about(light(p)).private()
        }
        Event::Neutralised { lighthouse: p, owner } => {
            let text = format!("lighthouse ({}, {}) of seat {owner} becomes neutral", p.x, p.y);
            told("neutralised", Loss, owner, text).about(light(p))
        }
        Event::Captured { seat, lighthouse: p, from } => {
            let from = from.map_or_else(String::new, |from| format!(" from seat {from}"));
            let text = format!("seat {seat} captures lighthouse ({}, {}){from}", p.x, p.y);
            told("captured", Gain, seat, text).about(light(p))
        }
        Event::Connected { seat, origin: p, destination: q } => {
            let text = format!("seat {seat} connects ({}, {}) and ({}, {})", p.x, p.y, q.x, q.y);
            told("connected", Gain, seat, text).about(number(p).zip(number(q)).map(|(a, b)| connection(a, b)))
        }
        Event::Lit { seat, corners, cells } => {
            let text = format!("seat {seat} closes a triangle of {cells} cells");
            told("triangle", Gain, seat, text).about(corners.into_iter().filter_map(light))
        }
        Event::Severed { lighthouse: p, connections } => {
            let text = format!("lighthouse ({}, {}) loses {connections} connections", p.x, p.y);
            Incident::new("severed", Other, None, text).about(light(p))
        }
        Event::Out { seat } => told("out", Loss, seat, format!("the bot of seat {seat} is out")).private(),
        Event::Scored { seat, points } => {
            told("scored", Other, seat, format!("seat {seat} gets {points} points")).private()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Contest, Seed, Setup, Terms};

    fn position() -> Position {
        let map = Position::generate("island", Seed(5), 3).unwrap();
        let terms = Terms { rules: agon_core::rules::parse("spec").unwrap(), seats: 3, limit: Some(20) };
        Position::from_map(map, &terms).unwrap()
    }

    #[test]
    fn a_player_sees_only_itself_and_the_energy_around_it() {
        let pos = position();
        let (all, one) = (frame(&pos), pos.frame_of(Seat::new(1)));
        let players = |frame: &Frame| frame.items.iter().filter(|item| item.class == "player").count();
        assert_eq!((players(&all), players(&one)), (3, 1));
        let [whole, part] = [&all, &one].map(|frame| &frame.grids[1]);
        let known: Vec<usize> = (0..part.cells.len()).filter(|cell| part.cells[*cell] >= 0).collect();
        assert!(!known.is_empty() && known.len() <= 37, "{}", known.len());
        assert!(known.iter().all(|cell| part.cells[*cell] == whole.cells[*cell]));
        assert!(one.captions[0].is_empty() && one.captions[1].starts_with("score "));
        assert_eq!(one.grids[0], all.grids[0], "everybody knows the island");
        let mut numbers = Vec::new();
        pos.measure_known(Seat::new(1), Seat::new(0), &mut numbers);
        assert!(numbers[..3].iter().all(|n| n.is_nan()) && numbers[3] == 0.0, "{numbers:?}");
    }

    #[test]
    fn cells_are_spelled_out_with_their_energy() {
        let spelled = frame(&position()).spelled_out();
        let land = spelled.items.iter().find(|item| item.class == "land").unwrap();
        let Shape::Cell([x, y]) = land.shape else { panic!("{land:?}") };
        let energy = position().cell_energy(Point { x: x as i32, y: y as i32 });
        assert_eq!(land.tip, format!("cell ({x}, {y}), ground land, energy {energy}"));
        assert!(spelled.items.iter().any(|item| item.class == "sea"));
        assert!(spelled.items.iter().all(|item| item.class != "sea" || item.tip.is_empty()));
    }
}
