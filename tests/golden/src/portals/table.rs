//! A recorded game that we play. Everything goes through the map parser, the dialogue of the seat whose turn it is,
//! `judge` and `resolve`, and each prompt goes through the client.

use super::Tally;
use agon_core::{
    Asked, Client, Contest, Dialogue, Failure, Game, Joint, Remaining, Said, Seat, Setup, Terms, geometry::Point,
    geometry::pt, judge,
};
use agon_portals::{Field, Link, Order, Position, Rules, Scratch};
use serde_json::{Value, json};

pub struct Table {
    game: Position,
    dialogues: Vec<Box<dyn Dialogue<Position>>>,
    clients: Vec<Box<dyn Client<Position>>>,
    scratch: Scratch,
    rounds: u64,
    /// Whether this recording already has a difference. Later differences would only repeat it.
    lost: bool,
}

impl Table {
    pub fn open(line: &Value, rules: Rules, tally: &mut Tally) -> Result<Self, String> {
        let text = map_text(line)?;
        let map = Position::parse_map(text.as_bytes()).map_err(|e| format!("the map: {e}"))?;
        let terms = Terms { rules, seats: 2, limit: None };
        let game = Position::from_map(map, &terms).map_err(|e| format!("the map: {}", e.flaw))?;
        let seats = [Seat::new(0), Seat::new(1)];
        let mut table = Self {
            dialogues: seats.iter().map(|seat| game.dialogue(*seat, &[])).collect(),
            clients: seats.iter().map(|_| Position::client("golden")).collect(),
            game,
            scratch: Scratch::default(),
            rounds: 0,
            lost: false,
        };
        if points(table.game.view(seats[0]).portals()) != line["portals"] {
            tally.mismatch(|| "the portals are in another order".into());
        }
        for seat in seats {
            table.greet(seat)?;
        }
        Ok(table)
    }

    fn greet(&mut self, seat: Seat) -> Result<(), String> {
        let (mut out, mut answer) = (Vec::new(), Vec::new());
        let view = self.game.view(seat);
        let dialogue = &mut self.dialogues[seat.index()];
        dialogue.greet(view, Remaining::default(), &mut out);
        read(&mut *self.clients[seat.index()], &out, &mut answer)?;
        out.clear();
        match dialogue.hear(view, Remaining::default(), &answer, false, &mut Vec::new(), &mut out) {
            (_, Said::Ready) => Ok(()),
            (_, said) => Err(format!("the greeting ends with {said:?}")),
        }
    }

    /// Plays the calls of one turn, valid and invalid ones, and its questions.
    pub fn calls(&mut self, line: &Value, events: &[Value], place: &str, tally: &mut Tally) -> Result<(), String> {
        let (mut said, mut expected) = (String::new(), Vec::new());
        for event in events {
            let (call, answer) = call(event).ok_or_else(|| format!("{place}: an unreadable call {event}"))?;
            said.push_str(&call);
            expected.push(answer);
        }
        let sent = line["sent"].as_u64().ok_or_else(|| format!("{place}: not said how many actions were sent"))?;
        let orders = self.turn(line, &said, &expected, None, place, tally)?;
        if orders != sent as usize {
            self.differ(tally, || format!("{place}: {orders} actions survive, {sent} were sent"));
        }
        Ok(())
    }

    /// Plays the actions of one turn, which are all lawful. A champion that is dead has none.
    pub fn actions(
        &mut self,
        line: &Value,
        actions: &[Value],
        dead: bool,
        place: &str,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let mut said = String::new();
        let mut codes = Vec::new();
        for action in actions {
            let name = action[0].as_str().ok_or_else(|| format!("{place}: an action without a name"))?;
            said.push_str(&format!("{name}{}\n", flat(&action[1])));
            codes.push(format!("result {} ", action[2]));
        }
        let orders = self.turn(line, &said, &codes, dead.then_some(Failure::Gone), place, tally)?;
        if orders != actions.len() {
            self.differ(tally, || format!("{place}: {orders} actions survive of {}", actions.len()));
        }
        Ok(())
    }

    /// Prompts the seat, feeds all its lines, compares the answers, then judges and resolves. Returns how many actions
    /// survived. An expected answer may be only the start of the line.
    fn turn(
        &mut self,
        line: &Value,
        said: &str,
        expected: &[String],
        failure: Option<Failure>,
        place: &str,
        tally: &mut Tally,
    ) -> Result<usize, String> {
        let player = line["p"].as_u64().unwrap_or(0) as usize & 1;
        let seat = Seat::new(player);
        let round = u64::from(self.game.view(seat).round());
        tally.steps += 1 + expected.len() as u64;
        self.rounds = round;
        if line["t"].as_u64() != Some(round) {
            self.differ(tally, || format!("{place}: we are in round {round}"));
        }
        if self.game.awaiting().is_empty() && failure.is_some() {
            self.game.resolve(Joint::EMPTY, &mut self.scratch, &mut ());
            return Ok(0);
        }
        if !self.game.awaiting().contains(seat) {
            return Err(format!("{place}: it is not the turn of player {player}"));
        }
        let orders = self.hear(seat, said, expected, place, tally)?;
        let (entry, refused) = judge(&self.game, seat, &orders, failure, &mut self.scratch);
        if let Some(refused) = refused {
            self.differ(tally, || format!("{place}: action {} is refused: {}", refused.index, refused.why));
        }
        self.game.resolve(Joint::new(&[entry]), &mut self.scratch, &mut ());
        Ok(orders.len())
    }

    fn hear(
        &mut self,
        seat: Seat,
        said: &str,
        expected: &[String],
        place: &str,
        tally: &mut Tally,
    ) -> Result<Vec<Order>, String> {
        let (mut out, mut orders) = (Vec::new(), Vec::new());
        let view = self.game.view(seat);
        let dialogue = &mut self.dialogues[seat.index()];
        dialogue.prompt(view, Remaining::default(), &mut out);
        read(&mut *self.clients[seat.index()], &out, &mut Vec::new()).map_err(|e| format!("{place}: {e}"))?;
        let same = self.clients[seat.index()].view() == view;
        out.clear();
        let input = format!("{said}end\n");
        let heard = dialogue.hear(view, Remaining::default(), input.as_bytes(), false, &mut orders, &mut out);
        if heard != (input.len(), Said::Decision) {
            return Err(format!("{place}: heard as {heard:?}"));
        }
        if !same {
            self.differ(tally, || format!("{place}: the client sees another position"));
        }
        let out = String::from_utf8_lossy(&out);
        let answers: Vec<&str> = out.lines().collect();
        if answers.len() != expected.len() {
            self.differ(tally, || format!("{place}: {} answers to {} calls", answers.len(), expected.len()));
        }
        for (i, (answer, expected)) in answers.iter().zip(expected).enumerate() {
            let equal = if expected.ends_with(' ') { answer.starts_with(expected) } else { answer == expected };
            if !equal {
                let call = said.lines().nth(i).unwrap_or("").to_owned();
                self.differ(tally, || format!("{place}: `{call}` gives `{answer}`, recorded `{expected}`"));
            }
        }
        Ok(orders)
    }

    /// Compares the state after the turn of `player` with the recorded one, field by field.
    pub fn compare(&mut self, state: &Value, player: usize, place: &str, tally: &mut Tally) {
        let view = self.game.view(Seat::new(1 - player));
        let portals = view.portals();
        let id = |p: &Point| portals.binary_search(p).unwrap_or(usize::MAX);
        let both = |f: &dyn Fn(i32) -> Value| json!([f(0), f(1)]);
        let owners: String =
            portals.iter().map(|p| if view.owner(*p) < 0 { ".".into() } else { view.owner(*p).to_string() }).collect();
        let shields: String = portals.iter().map(|p| view.shields(*p).to_string()).collect();
        let found = json!({
            "score": both(&|p| json!(view.score(p))),
            "pos": both(&|p| json!(view.agent(p))),
            "pa": both(&|p| json!(view.left_over(p).map(|l| l.0))),
            "pd": both(&|p| json!(view.left_over(p).map(|l| l.1))),
            "own": owners,
            "shd": shields,
            "links": view.links().iter().map(|l| l.ends.each_ref().map(id)).collect::<Vec<_>>(),
            "fields": view.fields().iter().map(|f| f.corners.each_ref().map(id)).collect::<Vec<_>>(),
            "hist": {
                "cap": points(&view.captured()),
                "neu": points(&view.neutralised()),
                "liens": view.new_links().iter().map(link).collect::<Vec<_>>(),
                "champs": view.new_fields().iter().map(field).collect::<Vec<_>>(),
                "boucl": points(&view.new_shields()),
            },
        });
        let Some(recorded) = state.as_object() else {
            return self.differ(tally, || format!("{place}: no state is recorded"));
        };
        for (name, value) in recorded {
            if found.get(name) != Some(value) {
                let ours = found.get(name).cloned().unwrap_or_default();
                self.differ(tally, || format!("{place}: `{name}` is {ours}, recorded {value}"));
            }
        }
    }

    pub fn end(&mut self, line: &Value, place: &str, tally: &mut Tally) {
        let standing = self.game.standing();
        tally.steps += 1;
        if !self.game.over() || json!(standing.scores) != line["score"] {
            self.differ(tally, || format!("{place}: over with {:?}, recorded {}", standing.scores, line["score"]));
        }
        let round = self.game.view(Seat::new(0)).round();
        if line.get("round").is_some_and(|r| *r != json!(round)) {
            self.differ(tally, || format!("{place}: ends in round {round}"));
        }
    }

    fn differ(&mut self, tally: &mut Tally, what: impl FnOnce() -> String) {
        if self.lost {
            tally.mismatches += 1;
        } else {
            tally.mismatch(what);
        }
        self.lost = true;
    }
}

/// Returns the map as a file.
fn map_text(line: &Value) -> Result<String, String> {
    let starts: Vec<Point> = serde_json::from_value(line["start"].clone()).map_err(|e| format!("the starts: {e}"))?;
    let portals: Vec<Point> =
        serde_json::from_value(line["portals"].clone()).map_err(|e| format!("the portals: {e}"))?;
    let [first, second] = starts[..] else { return Err("not two starts".into()) };
    // The original's map has one size, so recordings do not repeat it.
    let side = portals.iter().chain(&starts).map(|p| p.x.max(p.y) + 1).fold(30, i32::max);
    let mut text = format!("{} {}\n{} {}\n", first.x, first.y, second.x, second.y);
    for y in 0..side {
        text.extend((0..side).map(|x| if portals.contains(&pt(x, y)) { 'X' } else { '.' }));
        text.push('\n');
    }
    Ok(text)
}

fn read(client: &mut dyn Client<Position>, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let (used, asked) = client.read(rest, out);
        rest = &rest[used..];
        match asked {
            Asked::Confused(why) => return Err(format!("the client is confused: {why}")),
            Asked::More => return Err("the client waits for more".into()),
            _ => {}
        }
    }
    Ok(())
}

/// Returns a recorded call as a line of the protocol, and the line that must answer it.
fn call(event: &Value) -> Option<(String, String)> {
    let event = event.as_array()?;
    let name = event[0].as_str()?;
    match event.len() {
        6 if name == "annuler" => {
            let undone = i32::from(event[2].as_bool()?);
            Some((format!("{name}\n"), format!("undone {undone} {} {} {}", event[3], event[4], event[5])))
        }
        6 => {
            let answer = format!("result {} {} {} {}", event[2], event[3], event[4], event[5]);
            Some((format!("{name}{}\n", flat(&event[1])), answer))
        }
        3 => {
            let result = match &event[2] {
                Value::Array(list) if name != "position_agent" => format!(" {}{}", list.len(), flat(&event[2])),
                other => flat(other),
            };
            Some((format!("? {name}{}\n", flat(&event[1])), format!("={result}")))
        }
        _ => None,
    }
}

/// Returns all numbers of a value in their order, each with a space before it.
fn flat(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().map(flat).collect(),
        Value::Bool(truth) => format!(" {}", i32::from(*truth)),
        Value::Null => String::new(),
        other => format!(" {other}"),
    }
}

fn points(points: &[Point]) -> Value {
    json!(points)
}

fn link(link: &Link) -> Value {
    json!([link.ends[0], link.ends[1], link.owner])
}

fn field(field: &Field) -> Value {
    json!([field.corners[0], field.corners[1], field.corners[2], field.owner])
}
