//! The bot's half of the wire protocol: reads state texts and writes orders.

use crate::{
    arrivals::Arrivals,
    chart::Chart,
    dialogue::push_number,
    map::{Fleet, Line, MAX_PLANETS, Planet, parse_line},
    order::Order,
    position::Position,
    view::View,
};
use agon_core::{Asked, Client};
use alloc::{format, string::ToString, vec::Vec};

/// Reads what [`RefereeDialogue`](crate::dialogue::RefereeDialogue) writes, and also comments and blank lines
/// (specification "Bot I/O": "unlikely", but "I wouldn't rely on it").
#[derive(Debug, Default)]
pub struct BotClient {
    /// The planets that have been read of the next state.
    planets: Vec<Planet>,
    fleets: Vec<Fleet>,
    state: State,
}

/// The last complete state.
#[derive(Debug, Default)]
struct State {
    chart: Chart,
    owner: Vec<i32>,
    ships: Vec<i32>,
    arrivals: Arrivals,
    fleets: Vec<Fleet>,
}

impl Client<Position> for BotClient {
    fn read(&mut self, input: &[u8], _out: &mut Vec<u8>) -> (usize, Asked) {
        let mut used = 0;
        while let Some(length) = input[used..].iter().position(|b| *b == b'\n') {
            let line = &input[used..used + length];
            used += length + 1;
            match parse_line(line, 1) {
                Ok(Line::Planet(_)) if self.planets.len() == MAX_PLANETS => {
                    return (used, Asked::Confused(format!("the state has more than {MAX_PLANETS} planets")));
                }
                Ok(Line::Planet(planet)) => self.planets.push(planet),
                Ok(Line::Fleet(fleet)) => self.fleets.push(fleet),
                Ok(Line::Other) => {}
                Ok(Line::Go) => {
                    let known = |id: u16| usize::from(id) < self.planets.len();
                    if !self.fleets.iter().all(|f| known(f.source) && known(f.destination)) {
                        return (used, Asked::Confused("the state has a fleet between unknown planets".to_string()));
                    }
                    self.state.take(&mut self.planets, &mut self.fleets);
                    return (used, Asked::Decide);
                }
                Err(flaw) => return (used, Asked::Confused(flaw.to_string())),
            }
        }
        (used, Asked::More)
    }

    fn view(&self) -> View<'_> {
        let State { chart, owner, ships, arrivals, fleets } = &self.state;
        View::of_client(chart, owner, ships, arrivals, fleets)
    }

    fn write(&mut self, orders: &[Order], out: &mut Vec<u8>) {
        for order in orders {
            push_number(out, order.source);
            out.push(b' ');
            push_number(out, order.destination);
            out.push(b' ');
            push_number(out, order.ships);
            out.push(b'\n');
        }
        out.extend_from_slice(b"go\n");
    }
}

impl State {
    /// Takes over what was read, and empties it.
    fn take(&mut self, planets: &mut Vec<Planet>, fleets: &mut Vec<Fleet>) {
        if !self.shows(planets) {
            self.chart = Chart::new(planets.iter().map(|p| (&p.x, &p.y, p.growth)));
            self.arrivals = Arrivals::new(planets.len(), self.chart.longest_trip());
        }
        self.owner.clear();
        self.ships.clear();
        for planet in planets.drain(..) {
            self.owner.push(planet.owner.into());
            self.ships.push(planet.ships);
        }
        self.arrivals.clear();
        self.fleets.clear();
        for fleet in fleets.drain(..) {
            self.arrivals.add(usize::from(fleet.owner - 1), fleet.destination.into(), fleet.ships, fleet.remaining);
            self.fleets.push(fleet);
        }
    }

    /// Whether the chart is of these planets. If it is, it need not be made again for the rest of the game.
    fn shows(&self, planets: &[Planet]) -> bool {
        self.chart.len() == planets.len()
            && planets.iter().enumerate().all(|(id, p)| {
                let text = self.chart.text(id).split_once(' ');
                text == Some((p.x.text(), p.y.text())) && self.chart.growth(id) == p.growth
            })
    }
}
