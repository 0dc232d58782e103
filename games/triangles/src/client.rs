//! The bot's half of the wire protocol, for the built-in bots when they talk over pipes.

use crate::{
    answer::cleaned,
    field::{LARGEST_COORDINATE, MOST_POINTS, MOST_SEGMENTS},
    order::Order,
    position::{Position, refusal},
    segment::Segment,
    view::View,
};
use agon_core::{
    Asked, Client,
    geometry::{Point, pt},
};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

/// The longest accepted line of a referee, in bytes; `set_points` with 100 points needs less than 800.
const LONGEST_COMMAND: usize = 64 * 1024;

/// The commands of the protocol. The built-in bots know all of them, as `list_commands` answers.
pub(crate) const COMMANDS: &[&str] = &[
    "gen_move",
    "known_command",
    "list_commands",
    "name",
    "play",
    "protocol_version",
    "quit",
    "set_points",
    "time_left",
    "version",
];

/// Answers the referee's commands and keeps a board from them.
#[derive(Clone, Debug, Default)]
pub struct BotClient {
    name: String,
    points: Vec<Point>,
    drawn: Vec<Segment>,
    /// The id of the `gen_move` that is not answered yet.
    id: String,
}

impl BotClient {
    /// Makes the client of a bot that gives its name as `name`.
    #[must_use]
    pub fn new(name: &str) -> Self {
        // A name of several lines would break the frame of the answer.
        Self { name: name.chars().filter(|c| !c.is_control()).collect(), ..Self::default() }
    }

    /// Executes a command. `Ok` is the text of an answer with `=`, `Err` that of an answer with `?`.
    fn obey(&mut self, command: &str, arguments: &[&str]) -> Result<String, &'static str> {
        match command {
            "set_points" => {
                self.points = configuration(arguments).ok_or("syntax error")?;
                self.drawn.clear();
                Ok(String::new())
            }
            "play" => {
                let [i, j] = arguments else { return Err("syntax error") };
                let (Ok(i), Ok(j)) = (i.parse(), j.parse()) else { return Err("syntax error") };
                if self.draw(Order(i, j)) { Ok(String::new()) } else { Err("illegal move") }
            }
            // The built-in bots are limited by work, not by time.
            "time_left" => Ok(String::new()),
            "protocol_version" => Ok("2".into()),
            "name" => Ok(self.name.clone()),
            "version" => Ok(env!("CARGO_PKG_VERSION").into()),
            "known_command" => Ok(arguments.first().is_some_and(|c| COMMANDS.contains(c)).to_string()),
            "list_commands" => Ok(COMMANDS.join("\n")),
            _ => Err("unknown command"),
        }
    }

    fn draw(&mut self, order: Order) -> bool {
        let lawful = self.drawn.len() < MOST_SEGMENTS && refusal(&self.points, &self.drawn, order).is_none();
        if lawful {
            // An order that is not refused names two points, so both numbers fit.
            self.drawn.push(Segment { i: order.0 as u8, j: order.1 as u8 });
        }
        lawful
    }

    fn command(&mut self, line: &[u8], out: &mut Vec<u8>) -> Option<Asked> {
        let clean: Vec<u8> = cleaned(line).take_while(|b| *b != b'#').collect();
        let text = String::from_utf8_lossy(&clean);
        let mut words = text.split(' ').filter(|w| !w.is_empty()).peekable();
        let id = words.next_if(|w| w.bytes().all(|b| b.is_ascii_digit())).unwrap_or_default().to_string();
        let command = words.next()?;
        if command == "gen_move" {
            self.id = id;
            return Some(Asked::Decide);
        }
        if command == "quit" {
            answer('=', &id, "", out);
            return Some(Asked::Quit);
        }
        match self.obey(command, &words.collect::<Vec<_>>()) {
            Ok(text) => answer('=', &id, &text, out),
            Err(text) => answer('?', &id, text, out),
        }
        Some(Asked::Noted)
    }
}

impl Client<Position> for BotClient {
    fn read(&mut self, input: &[u8], out: &mut Vec<u8>) -> (usize, Asked) {
        let mut used = 0;
        loop {
            let rest = &input[used..];
            let Some(length) = rest.iter().position(|b| *b == b'\n') else {
                let too_long = rest.len() > LONGEST_COMMAND;
                return (used, if too_long { Asked::Confused("a line that does not end".into()) } else { Asked::More });
            };
            used += length + 1;
            // Specification "Składnia poleceń": empty lines are to be ignored.
            if let Some(asked) = self.command(&rest[..length], out) {
                return (used, asked);
            }
        }
    }

    fn view(&self) -> View<'_> {
        View { points: &self.points, drawn: &self.drawn }
    }

    fn write(&mut self, orders: &[Order], out: &mut Vec<u8>) {
        let id = core::mem::take(&mut self.id);
        match orders.first() {
            Some(order) => {
                self.draw(*order);
                answer('=', &id, &format!("{} {}", order.0, order.1), out);
            }
            None => answer('?', &id, "no segment can be drawn", out),
        }
    }
}

/// Writes one answer and the empty line that ends it.
fn answer(sign: char, id: &str, text: &str, out: &mut Vec<u8>) {
    let blank = if text.is_empty() { "" } else { " " };
    out.extend_from_slice(format!("{sign}{id}{blank}{text}\n\n").as_bytes());
}

/// Reads the points that follow `set_points`.
fn configuration(arguments: &[&str]) -> Option<Vec<Point>> {
    let (count, rest) = arguments.split_first()?;
    let count: usize = count.parse().ok().filter(|n| (1..=MOST_POINTS).contains(n))?;
    let numbers: Vec<i32> = rest.iter().map(|w| w.parse().ok()).collect::<Option<_>>()?;
    let points: Vec<Point> = numbers.chunks_exact(2).map(|xy| pt(xy[0], xy[1])).collect();
    let on_board = |v: &i32| (1..=LARGEST_COORDINATE).contains(v);
    let different = points.iter().enumerate().all(|(k, p)| !points[..k].contains(p));
    (numbers.len() == 2 * count && numbers.iter().all(on_board) && different).then_some(points)
}
