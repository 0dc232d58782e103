//! The bot's half of the wire protocol: for built-in bots behind a pipe, and for tests of the referee's half.

use crate::{
    Position,
    board::{Board, LightSet, MAX_LIGHTS, MAX_SIDE},
    json::{self, Text, Value},
    map::MAX_PLAYERS,
    order::{Form, Order},
    position::{Light, NOBODY},
    view::{Near, SIGHT, View, WINDOW},
    write::{write_int, write_text},
};
use agon_core::{Asked, Client, Seat, geometry::Point};
use alloc::{string::ToString, vec, vec::Vec};

/// The longest accepted line of a referee, in bytes. The start message of the largest island fits.
const LINE_LIMIT: usize = 1 << 20;

/// Keeps what the referee has sent to the bot.
#[derive(Debug)]
pub struct BotClient {
    name: Text,
    started: bool,
    scanned: usize,
    seat: Seat,
    players: usize,
    place: Point,
    score: i64,
    energy: i64,
    near: Near,
    keys: LightSet,
    board: Board,
    lights: Vec<Light>,
}

impl BotClient {
    /// Makes the client of a bot that gives its name as `name` and has not received anything.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            started: false,
            scanned: 0,
            seat: Seat::new(0),
            players: 0,
            place: Point::default(),
            score: 0,
            energy: 0,
            near: [[0; WINDOW]; WINDOW],
            keys: 0,
            board: Board::new(0, 0, Vec::new(), |_, _| false),
            lights: Vec::new(),
        }
    }

    /// Reads the start message. `None` if a part is missing, of the wrong type or out of range.
    fn start(&mut self, message: &Value) -> Option<()> {
        let seat = small(message.get("player_num")?, MAX_PLAYERS - 1)?;
        let players = small(message.get("player_count")?, MAX_PLAYERS)?;
        let place = point(message.get("position")?)?;
        let rows = message.get("map")?.list()?;
        let width = rows.first()?.list()?.len();
        if rows.len() > MAX_SIDE || width > MAX_SIDE {
            return None;
        }
        let mut land = vec![false; width * rows.len()];
        for (y, row) in rows.iter().enumerate() {
            let row = row.list().filter(|row| row.len() == width)?;
            for (x, cell) in row.iter().enumerate() {
                land[y * width + x] = truth(cell)?;
            }
        }
        let lights: Vec<Point> = message.get("lighthouses")?.list()?.iter().map(point).collect::<Option<_>>()?;
        let inside = |p: &Point| {
            (0..width as i32).contains(&p.x)
                && (0..rows.len() as i32).contains(&p.y)
                && land[p.y as usize * width + p.x as usize]
        };
        if lights.len() > MAX_LIGHTS || !lights.iter().all(inside) || !inside(&place) || seat >= players {
            return None;
        }
        self.lights = vec![Light::NEUTRAL; lights.len()];
        self.board = Board::new(width, rows.len(), lights, |x, y| land[y * width + x]);
        (self.seat, self.players, self.place) = (Seat::new(seat), players, place);
        self.started = true;
        Some(())
    }

    fn state(&mut self, message: &Value) -> Option<()> {
        let place = point(message.get("position")?).filter(|p| self.board.holds(*p))?;
        let near = window(message.get("view")?)?;
        let mut lights = vec![Light::NEUTRAL; self.lights.len()];
        let mut keys = 0;
        for told in message.get("lighthouses")?.list()? {
            let light = self.board.light_at(point(told.get("position")?)?)?;
            let mut links = told.get("connections")?.list()?.iter().map(|p| self.board.light_at(point(p)?));
            let owner = match told.get("owner")? {
                Value::Null | Value::Int(-1) => NOBODY,
                owner => small(owner, self.players - 1)? as u8,
            };
            lights[light] = Light {
                level: told.get("energy")?.int()?,
                links: links.try_fold(0, |set, light| Some(set | 1 << light?))?,
                owner,
            };
            keys |= LightSet::from(truth(told.get("have_key")?)?) << light;
        }
        (self.score, self.energy) = (message.get("score")?.int()?, message.get("energy")?.int()?);
        (self.place, self.near, self.keys, self.lights) = (place, near, keys, lights);
        Some(())
    }

    fn take(&mut self, line: &[u8], out: &mut Vec<u8>) -> Asked {
        let message = match json::read(line) {
            Ok(message) => message,
            Err(why) => return Asked::Confused(why.to_string()),
        };
        if message.get("success").is_some() {
            return Asked::Noted;
        }
        if message.get("player_num").is_some() {
            if self.start(&message).is_none() {
                return Asked::Confused("the start message lacks a part or has a wrong one".into());
            }
            out.extend(b"{\"name\": ");
            write_text(self.name.0.iter().copied(), out);
            out.extend(b"}\n");
            return Asked::Noted;
        }
        if self.started && self.state(&message).is_some() {
            Asked::Decide
        } else {
            Asked::Confused("the state message lacks a part, has a wrong one, or comes before the start message".into())
        }
    }
}

impl Client<Position> for BotClient {
    fn read(&mut self, input: &[u8], out: &mut Vec<u8>) -> (usize, Asked) {
        let known = self.scanned.min(input.len());
        let Some(end) = input[known..].iter().position(|b| *b == b'\n') else {
            self.scanned = input.len();
            if input.len() > LINE_LIMIT {
                return (input.len(), Asked::Confused("a line without an end".into()));
            }
            return (0, Asked::More);
        };
        self.scanned = 0;
        let used = known + end + 1;
        (used, self.take(&input[..used], out))
    }

    fn view(&self) -> View<'_> {
        View {
            seat: self.seat,
            players: self.players,
            place: self.place,
            score: self.score,
            energy: self.energy,
            near: self.near,
            keys: self.keys,
            board: &self.board,
            lights: &self.lights,
            round: 0,
        }
    }

    fn write(&mut self, orders: &[Order], out: &mut Vec<u8>) {
        write_order(orders.first().copied().unwrap_or(Order::Pass), out);
    }
}

/// Writes a command as in the specification's examples. A malformed command gets the flaw that it stands for.
pub(crate) fn write_order(order: Order, out: &mut Vec<u8>) {
    let command = match order {
        Order::Pass => "pass",
        Order::Move(..) | Order::Malformed(Form::MoveWithoutDelta | Form::DeltaTooFar) => "move",
        Order::Attack(_) | Order::Malformed(Form::AttackWithoutEnergy) => "attack",
        Order::Malformed(Form::UnknownCommand) => "unknown",
        Order::Connect(_) | Order::Malformed(Form::NoDestination | Form::NotAPair | Form::NoSuchPlace) => "connect",
    };
    out.extend(b"{\"command\": \"");
    out.extend(command.bytes());
    out.push(b'"');
    let mut put = |key: &str, number: i64| {
        out.extend(key.bytes());
        write_int(number, out);
    };
    match order {
        Order::Move(dx, dy) => {
            put(", \"x\": ", dx.into());
            put(", \"y\": ", dy.into());
        }
        Order::Attack(energy) => put(", \"energy\": ", energy),
        Order::Connect(to) => {
            put(", \"destination\": [", to.x.into());
            put(", ", to.y.into());
            out.push(b']');
        }
        Order::Malformed(Form::DeltaTooFar) => out.extend(b", \"x\": 2, \"y\": 2"),
        Order::Malformed(Form::NotAPair) => out.extend(b", \"destination\": null"),
        Order::Malformed(Form::NoSuchPlace) => out.extend(b", \"destination\": []"),
        _ => {}
    }
    out.extend(b"}\n");
}

fn small(value: &Value, most: usize) -> Option<usize> {
    usize::try_from(value.int()?).ok().filter(|n| *n <= most)
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(b) => Some(*b),
        Value::Int(i) => Some(*i != 0),
        _ => None,
    }
}

fn point(value: &Value) -> Option<Point> {
    let [x, y] = value.list()? else { return None };
    Some(Point { x: i32::try_from(x.int()?).ok()?, y: i32::try_from(y.int()?).ok()? })
}

/// Specification "Turno": bots must accept a view of another size if it is square with an odd side and the bot in the
/// middle. Of a larger view only the middle is used. Around a smaller one the cells are out of sight.
fn window(value: &Value) -> Option<Near> {
    let mut near = [[-1; WINDOW]; WINDOW];
    let rows = value.list().filter(|rows| rows.len() % 2 == 1)?;
    let (first, skipped) = (SIGHT.saturating_sub(rows.len() / 2), (rows.len() / 2).saturating_sub(SIGHT));
    for (y, told) in rows.iter().enumerate() {
        let told = told.list().filter(|cells| cells.len() == rows.len())?;
        let row = y.checked_sub(skipped).and_then(|y| near.get_mut(first + y));
        let cells = told.iter().skip(skipped).map(|energy| i8::try_from(energy.int()?).ok());
        for (cell, energy) in row.into_iter().flat_map(|row| &mut row[first..]).zip(cells) {
            *cell = energy?;
        }
    }
    Some(near)
}
