//! The referee's half of the wire protocol, in the order of the specification's "Protocolo": each line is one JSON
//! object, and the referee speaks first.
//!
//! ```text
//! << {"player_num": 0, "player_count": 2, "position": [1, 2], "map": [[0, 0, …], …], "lighthouses": [[1, 1], …]}
//! >> {"name": "TroloBot"}
//! << {"position": [1, 3], "score": 36, "energy": 66, "view": [[-1, …], …], "lighthouses": [{"position": [1, 1],
//!     "owner": 0, "energy": 30, "connections": [[1, 3]], "have_key": false}, …]}          (on one line)
//! >> {"command": "move", "x": -1, "y": 1}
//! << {"success": true}
//! ```
//!
//! Messages have the form that Python's `json` gives them, with the keys in the engine's order, because there are bots
//! that search for text instead of reading JSON.

use crate::{
    Position,
    board::members,
    json::{self, Text, Value},
    order::{Form, Order, Refusal},
    repr::repr,
    rules::Neutral,
    view::View,
    write::{write_int, write_text},
};
use agon_core::{
    Dialogue, GREETING_NAME, Line, Lines, Nonsense, Refused, Remaining, RuleValue, Said,
    geometry::{Point, pt},
};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};

/// The longest accepted line of a bot, in bytes. The longest lawful command has about 50.
pub const LINE_LIMIT: usize = 64 * 1024;

/// Writes the referee's messages to one seat and reads its commands.
#[derive(Debug)]
pub struct RefereeDialogue {
    neutral: Neutral,
    greeted: bool,
    /// The last unknown command as Python prints it. The answer to the command repeats it.
    unknown: Text,
    /// The name in the bot's greeting.
    bot_name: Option<String>,
}

impl RefereeDialogue {
    /// Makes a dialogue that has not begun.
    #[must_use]
    pub fn new(neutral: Neutral) -> Self {
        Self { neutral, greeted: false, unknown: Text::default(), bot_name: None }
    }

    /// The next line with its line end. `None` if it is not complete.
    fn line(input: &[u8]) -> Option<Result<&[u8], Nonsense>> {
        let mut lines = Lines::new(input, LINE_LIMIT - 1);
        Some(match lines.next()? {
            Line::Complete(_) => Ok(&input[..lines.used()]),
            Line::TooLong(line) => {
                Err(Nonsense::new(line, alloc::format!("the line is longer than {LINE_LIMIT} bytes")))
            }
        })
    }
}

impl Dialogue<Position> for RefereeDialogue {
    /// Sends the start message of specification "Inicio del juego".
    fn greet(&mut self, view: View<'_>, _clock: Remaining, out: &mut Vec<u8>) -> Said {
        self.greeted = false;
        let board = view.board;
        out.extend(b"{\"player_num\": ");
        write_int(view.seat.index() as i64, out);
        out.extend(b", \"player_count\": ");
        write_int(view.players as i64, out);
        out.extend(b", \"position\": ");
        write_point(view.place, out);
        out.extend(b", \"map\": ");
        write_list(0..board.height(), out, |y, out| {
            write_list(0..board.width(), out, |x, out| {
                out.push(b'0' + u8::from(board.site(board.cell(x, y)).land));
            });
        });
        out.extend(b", \"lighthouses\": ");
        write_list(board.lights().iter(), out, |p, out| write_point(*p, out));
        out.extend(b"}\n");
        Said::More
    }

    /// Sends the state message of specification "Turno".
    fn prompt(&mut self, view: View<'_>, _clock: Remaining, out: &mut Vec<u8>) {
        self.greeted = true;
        out.extend(b"{\"position\": ");
        write_point(view.place, out);
        out.extend(b", \"score\": ");
        write_int(view.score, out);
        out.extend(b", \"energy\": ");
        write_int(view.energy, out);
        out.extend(b", \"view\": ");
        write_list(view.near.iter(), out, |row, out| {
            write_list(row.iter(), out, |energy, out| write_int(i64::from(*energy), out));
        });
        out.extend(b", \"lighthouses\": ");
        write_list(0..view.lights(), out, |light, out| {
            out.extend(b"{\"position\": ");
            write_point(view.board.lights()[light], out);
            out.extend(b", \"owner\": ");
            match view.owner(light) {
                Some(seat) => write_int(seat.index() as i64, out),
                None => out.extend(self.neutral.name().bytes()),
            }
            out.extend(b", \"energy\": ");
            write_int(view.light_energy(light), out);
            out.extend(b", \"connections\": ");
            write_list(members(view.links(light)), out, |other, out| write_point(view.board.lights()[other], out));
            out.extend(b", \"have_key\": ");
            out.extend(if view.has_key(light) { &b"true"[..] } else { b"false" });
            out.push(b'}');
        });
        out.extend(b"}\n");
    }

    /// One line is the answer; the line after it is the next answer (L25).
    fn hear(
        &mut self,
        _view: View<'_>,
        _clock: Remaining,
        input: &[u8],
        _end: bool,
        orders: &mut Vec<Order>,
        _out: &mut Vec<u8>,
    ) -> (usize, Said) {
        let line = match Self::line(input) {
            None => return (0, Said::More),
            Some(Err(nonsense)) => return (input.len(), Said::Nonsense(nonsense)),
            Some(Ok(line)) => line,
        };
        let said = match (json::read(line), self.greeted) {
            (Err(why), _) => Said::Nonsense(Nonsense::new(line, why.to_string())),
            (Ok(value), false) => match value.get("name") {
                Some(Value::Text(name)) => {
                    let characters = name.0.iter().take(GREETING_NAME);
                    // Text of Python may have halves of characters.
                    let characters = characters.map(|c| char::from_u32(*c).unwrap_or(char::REPLACEMENT_CHARACTER));
                    self.bot_name = Some(characters.collect());
                    self.greeted = true;
                    Said::Ready
                }
                _ => Said::Nonsense(Nonsense::new(line, "not an object with a string `name`")),
            },
            (Ok(value), true) => match value.get("command") {
                None => Said::Nonsense(Nonsense::new(line, "not an object with a `command`")),
                Some(command) => {
                    let order = interpret(command, &value);
                    if order == Order::Malformed(Form::UnknownCommand) {
                        self.unknown = repr(command);
                    }
                    orders.push(order);
                    Said::Decision
                }
            },
        };
        (line.len(), said)
    }

    fn bot_name(&self) -> Option<&str> {
        self.bot_name.as_deref()
    }

    /// Specification "Turno": "El motor del juego contesta con el resultado de la operación".
    fn verdict(&mut self, _view: View<'_>, verdict: Result<(), Refused<Position>>, out: &mut Vec<u8>) {
        let Err(refused) = verdict else {
            out.extend(b"{\"success\": true}\n");
            return;
        };
        out.extend(b"{\"success\": false, \"message\": ");
        let words = refused.why.words().chars().map(u32::from);
        let unknown = if refused.why == Refusal::UnknownCommand { &self.unknown.0[..] } else { &[] };
        write_text(words.chain(unknown.iter().copied()), out);
        out.extend(b"}\n");
    }
}

/// The order that a command stands for, lawful or not.
fn interpret(command: &Value, whole: &Value) -> Order {
    let Value::Text(word) = command else {
        return Order::Malformed(Form::UnknownCommand);
    };
    if word.is("pass") {
        Order::Pass
    } else if word.is("move") {
        let (Some(x), Some(y)) = (whole.get("x"), whole.get("y")) else {
            return Order::Malformed(Form::MoveWithoutDelta);
        };
        match (delta(x), delta(y)) {
            (Some(dx), Some(dy)) => Order::Move(dx, dy),
            _ => Order::Malformed(Form::DeltaTooFar),
        }
    } else if word.is("attack") {
        match whole.get("energy") {
            Some(Value::Int(energy)) => Order::Attack(*energy),
            // More than any player has, or less than nothing: the limits of an i64 have the same effect.
            Some(Value::BigInt(digits)) => Order::Attack(if digits.starts_with('-') { i64::MIN } else { i64::MAX }),
            Some(Value::Bool(one)) => Order::Attack(i64::from(*one)),
            _ => Order::Malformed(Form::AttackWithoutEnergy),
        }
    } else if word.is("connect") {
        whole.get("destination").map_or(Order::Malformed(Form::NoDestination), destination)
    } else {
        Order::Malformed(Form::UnknownCommand)
    }
}

/// Reads a number as Python compares it: `True` and `1.0` equal 1 (L13).
fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Int(i) => Some(*i),
        Value::Bool(one) => Some(i64::from(*one)),
        Value::Float(x) if (-1e9..=1e9).contains(x) && *x == (*x as i64) as f64 => Some(*x as i64),
        _ => None,
    }
}

fn delta(value: &Value) -> Option<i8> {
    integer(value).filter(|i| (-1..=1).contains(i)).map(|i| i as i8)
}

/// Reads a destination. The engine turns it into a tuple and looks it up in a dictionary. Numbers, `null` and booleans
/// cannot become a tuple; a tuple with lists or objects inside cannot be looked up. A string or an object becomes a
/// tuple that is not a cell.
fn destination(value: &Value) -> Order {
    let items = match value {
        Value::List(items) => &items[..],
        Value::Text(_) | Value::Object(_) => return Order::Malformed(Form::NoSuchPlace),
        _ => return Order::Malformed(Form::NotAPair),
    };
    if items.iter().any(|i| matches!(i, Value::List(_) | Value::Object(_))) {
        return Order::Malformed(Form::NotAPair);
    }
    let coordinate = |v: &Value| integer(v).and_then(|i| i32::try_from(i).ok());
    match items {
        [x, y] => match (coordinate(x), coordinate(y)) {
            (Some(x), Some(y)) => Order::Connect(pt(x, y)),
            _ => Order::Malformed(Form::NoSuchPlace),
        },
        _ => Order::Malformed(Form::NoSuchPlace),
    }
}

fn write_point(p: Point, out: &mut Vec<u8>) {
    out.push(b'[');
    write_int(i64::from(p.x), out);
    out.extend(b", ");
    write_int(i64::from(p.y), out);
    out.push(b']');
}

fn write_list<T>(items: impl Iterator<Item = T>, out: &mut Vec<u8>, mut each: impl FnMut(T, &mut Vec<u8>)) {
    out.push(b'[');
    for (i, item) in items.enumerate() {
        if i > 0 {
            out.extend(b", ");
        }
        each(item, out);
    }
    out.push(b']');
}
