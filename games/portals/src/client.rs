//! The bot's half of the text protocol: keeps the state that the referee sends, and writes a turn as lines.

use crate::{
    MAX_ROUNDS, MAX_SIDE, Order, Rules, View,
    chart::Chart,
    dialogue::Text,
    position::{NEUTRAL, Position},
};
use agon_core::{
    Asked, Client, RefusedCommand, Seat,
    geometry::{Point, pt},
    rules,
};
use alloc::{format, string::String, sync::Arc, vec::Vec};
use core::fmt::Write;

/// The longest accepted line of a referee, in bytes: an answer with all fields of a map full of portals fits.
const LONGEST_LINE: usize = 1 << 20;

/// The content of the greeting.
struct Terms {
    me: usize,
    rules: Rules,
    rounds: u32,
    side: i32,
    starts: [Point; 2],
}

/// The last state that the referee sent.
#[derive(Default)]
struct Told {
    /// Whether no `init`, `go` or `over` has come since.
    fresh: bool,
    round: u32,
    agents: Vec<(Point, i64, i32, i32)>,
    portals: Vec<(Point, i32, u8)>,
    links: Vec<[Point; 2]>,
    captured: Vec<Point>,
    neutralised: Vec<Point>,
    new_links: Vec<[Point; 2]>,
    new_shields: Vec<Point>,
}

impl Told {
    fn clear(&mut self) {
        self.fresh = false;
        self.round = 0;
        self.agents.clear();
        self.portals.clear();
        self.links.clear();
        self.captured.clear();
        self.neutralised.clear();
        self.new_links.clear();
        self.new_shields.clear();
    }
}

/// Reads the referee's lines and writes the bot's turns, for a bot that knows the board only from the protocol.
pub struct BotClient {
    terms: Terms,
    told: Told,
    position: Position,
}

impl Default for BotClient {
    fn default() -> Self {
        let terms = Terms { me: 0, rules: Rules::SPEC, rounds: 1, side: 1, starts: [pt(0, 0); 2] };
        let position = Position::new(Chart::new(1, terms.starts, Vec::new()), terms.rules, terms.rounds);
        Self { terms, told: Told::default(), position }
    }
}

impl BotClient {
    fn line(&mut self, line: &str, out: &mut Vec<u8>) -> Result<Asked, &'static str> {
        let mut words = Words(line.split_ascii_whitespace());
        let Some(verb) = words.0.next() else { return Ok(Asked::Noted) };
        let told = &mut self.told;
        match verb {
            "agon" => {
                if (words.0.next(), words.0.next()) != (Some("portals"), Some("1")) {
                    return Err("this is another protocol, or another version of it");
                }
            }
            "me" => self.terms.me = words.in_range(0, 1)? as usize,
            "rules" => self.terms.rules = rules::parse(words.0.next().unwrap_or("")).map_err(|_| "unknown rules")?,
            "rounds" => self.terms.rounds = words.in_range(1, MAX_ROUNDS as i32)? as u32,
            "side" => self.terms.side = words.in_range(1, MAX_SIDE)?,
            "start" => {
                let player = words.in_range(0, 1)? as usize;
                self.terms.starts[player] = words.point()?;
            }
            "turn" => {
                told.clear();
                told.fresh = true;
                told.round = words.in_range(1, MAX_ROUNDS as i32 + 1)? as u32;
            }
            "agent" => {
                if words.number()? != told.agents.len() as i64 {
                    return Err("the agents are out of order");
                }
                told.agents.push((words.point()?, words.number()?, words.small()?, words.small()?));
            }
            "portal" => {
                let portal = (words.point()?, words.in_range(-1, 1)?, words.in_range(0, 6)? as u8);
                bounded(&told.portals, (self.terms.side * self.terms.side) as usize)?;
                told.portals.push(portal);
            }
            "link" => {
                bounded(&told.links, 3 * told.portals.len())?;
                told.links.push([words.point()?, words.point()?]);
            }
            "captured" => {
                bounded(&told.captured, told.portals.len())?;
                told.captured.push(words.point()?);
            }
            "neutralised" => {
                bounded(&told.neutralised, told.portals.len())?;
                told.neutralised.push(words.point()?);
            }
            "newlink" => {
                bounded(&told.new_links, 3 * told.portals.len())?;
                told.new_links.push([words.point()?, words.point()?]);
            }
            "newshield" => {
                bounded(&told.new_shields, 6 * told.portals.len())?;
                told.new_shields.push(words.point()?);
            }
            // New fields follow from new links. The client does not wait for answers, because it writes only lawful
            // actions.
            "newfield" | "result" | "undone" | "=" => {}
            "init" => {
                let portals: Vec<Point> = told.portals.iter().map(|p| p.0).collect();
                let on_map = |p: &Point| (0..self.terms.side).contains(&p.x) && (0..self.terms.side).contains(&p.y);
                if !portals.iter().chain(&self.terms.starts).all(on_map) || !portals.is_sorted_by(|p, q| p < q) {
                    return Err("the portals are outside the map or out of order");
                }
                let chart = Chart::new(self.terms.side, self.terms.starts, portals);
                self.position = Position::new(chart, self.terms.rules, self.terms.rounds);
                self.restore(0)?;
                out.extend_from_slice(b"ready\n");
            }
            "go" => {
                self.restore(self.terms.me)?;
                return Ok(Asked::Decide);
            }
            "over" => {
                // The state is sent once more at the end of a match. No turn follows it.
                if self.told.fresh {
                    self.restore(0)?;
                }
                return Ok(Asked::Quit);
            }
            _ => return Err("the line is unknown"),
        }
        Ok(Asked::Noted)
    }

    /// Builds the position from the state, in the turn of `mover`.
    fn restore(&mut self, mover: usize) -> Result<(), &'static str> {
        let Self { terms, told, position } = self;
        told.fresh = false;
        let chart = Arc::clone(&position.chart);
        if told.round == 0 || told.agents.len() != 2 || told.portals.len() != chart.len() {
            return Err("the state is incomplete");
        }
        let id = |p: Point| chart.portal_at(p).ok_or("there is no portal on this cell");
        let short = |p: &Point| id(*p).map(|id| id as u16);
        position.web = crate::web::Web::new(chart.len());
        position.covers.fill(0);
        position.fields = 0;
        position.rounds = terms.rounds;
        position.ply = 2 * (told.round - 1) + mover as u32;
        position.begun = false;
        for (agent, (at, score, action_points, move_points)) in position.agents.iter_mut().zip(&told.agents) {
            if !chart.holds(*at) {
                return Err("an agent is outside the map");
            }
            (agent.at, agent.score, agent.income) = (*at, *score, 0);
            (agent.action_points, agent.move_points) = (*action_points, *move_points);
        }
        for (i, (at, owner, shields)) in told.portals.iter().enumerate() {
            if chart.at(i) != *at {
                return Err("the portals are not those of the greeting");
            }
            position.set_owner(i, if *owner < 0 { NEUTRAL } else { *owner as u8 });
            position.shields[i] = *shields;
        }
        for ends in &told.links {
            let [a, b] = [id(ends[0])?, id(ends[1])?];
            let owner = position.owners[a];
            if a == b || owner == NEUTRAL || owner != position.owners[b] || position.web.linked(a, b) {
                return Err("a link is impossible");
            }
            position.insert_link(a, b);
        }
        let chronicled = position.chronicled_for(terms.me);
        let history = &mut position.histories[chronicled];
        history.clear();
        for (list, points) in [
            (&mut history.captured, &told.captured),
            (&mut history.neutralised, &told.neutralised),
            (&mut history.shielded, &told.new_shields),
        ] {
            for p in points {
                list.push(short(p)?);
            }
        }
        for ends in &told.new_links {
            history.linked.push([short(&ends[0])?, short(&ends[1])?]);
        }
        Ok(())
    }
}

fn bounded<T>(list: &[T], most: usize) -> Result<(), &'static str> {
    if list.len() < most { Ok(()) } else { Err("there are more of these than a match can have") }
}

struct Words<'w>(core::str::SplitAsciiWhitespace<'w>);

impl Words<'_> {
    fn number(&mut self) -> Result<i64, &'static str> {
        self.0.next().and_then(|w| w.parse().ok()).ok_or("a number is expected")
    }

    fn small(&mut self) -> Result<i32, &'static str> {
        i32::try_from(self.number()?).map_err(|_| "a number is too large")
    }

    fn in_range(&mut self, low: i32, high: i32) -> Result<i32, &'static str> {
        let number = self.small()?;
        if (low..=high).contains(&number) { Ok(number) } else { Err("a number is out of its range") }
    }

    fn point(&mut self) -> Result<Point, &'static str> {
        Ok(pt(self.small()?, self.small()?))
    }
}

impl Client<Position> for BotClient {
    fn read(&mut self, input: &[u8], out: &mut Vec<u8>) -> (usize, Asked) {
        let Some(length) = input.iter().position(|b| *b == b'\n') else {
            if input.len() > LONGEST_LINE {
                return (0, Asked::Confused("a line does not end".into()));
            }
            return (0, Asked::More);
        };
        let asked = match core::str::from_utf8(&input[..length]) {
            Ok(line) => self.line(line, out).unwrap_or_else(|why| Asked::Confused(confusion(line, why))),
            Err(_) => Asked::Confused("a line is not text".into()),
        };
        (length + 1, asked)
    }

    fn view(&self) -> View<'_> {
        View::new(&self.position, Seat::new(self.terms.me))
    }

    fn write(&mut self, orders: &[Order], out: &mut Vec<u8>) {
        let mut text = Text(out);
        for action in orders {
            write_action(*action, &mut text);
        }
        let _ = writeln!(text, "end");
    }
}

/// Appends the lines that tell a referee which actions the client's own rules refused. They belong before the lines of
/// the turn.
pub fn write_refused(refused: &[RefusedCommand<Order>], out: &mut Vec<u8>) {
    let mut text = Text(out);
    for RefusedCommand { after, order, code, times, .. } in refused {
        let _ = write!(text, "refused {code} {} {after}", (*times).min(i32::MAX as u32));
        match order {
            Some(action) => {
                let _ = text.write_str(" ");
                write_action(*action, &mut text);
            }
            None => {
                let _ = text.write_str("\n");
            }
        }
    }
}

fn write_action(action: Order, text: &mut Text<'_>) {
    let _ = match action {
        Order::Move(p) => writeln!(text, "move {} {}", p.x, p.y),
        Order::Turbo => writeln!(text, "turbo"),
        Order::Capture => writeln!(text, "capture"),
        Order::Link(p) => writeln!(text, "link {} {}", p.x, p.y),
        Order::Neutralise => writeln!(text, "neutralise"),
        Order::Shield => writeln!(text, "shield"),
    };
}

fn confusion(line: &str, why: &str) -> String {
    format!("{why}: `{}`", line.chars().take(80).collect::<String>())
}
