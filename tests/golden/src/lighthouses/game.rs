//! Checks whole games, through the map loader, the dialogue, the judge and the rules.
//!
//! These things are compared: every message to a bot, byte for byte; how each line of a bot is understood; the whole
//! state after the start of a round (`pre`) and after its points (`post`); the triangles with their corners in the
//! engine's order; the final scores and places.

use super::{super::Tally, units::point, wire};
use agon_core::Contest;
use agon_core::{
    Dialogue, Entry, Failure, Game, Joint, Refused, Remaining, Said, Seat, Setup, Terms, geometry::Point, judge,
};
use agon_lighthouses::{Event, Map, Order, Position, Rules};
use serde_json::{Value, json};
use std::mem;

/// Plays the recorded game and counts every difference.
pub fn check(lines: &[Value], tally: &mut Tally) -> Result<(), String> {
    let header = lines.first().ok_or("an empty recording")?;
    let mut replay = Replay::new(header)?;
    for (i, line) in lines.iter().enumerate().skip(1) {
        let differences = replay.step(line).map_err(|e| format!("line {}: {e}", i + 1))?;
        for what in differences {
            tally.mismatch(|| format!("{}, line {}: {what}", header["map"], i + 1));
        }
    }
    tally.steps += replay.turns;
    Ok(())
}

/// The bytes of one seat that have not been read yet, and how the seat failed.
struct Line {
    dialogue: Box<dyn Dialogue<Position>>,
    inbox: Vec<u8>,
    orders: Vec<Order>,
    failure: Option<Failure>,
    greeted: bool,
}

struct Replay {
    game: Position,
    seats: Vec<Line>,
    /// The position between the points of the last round and the start of the next one.
    post: Option<Position>,
    /// The triangles in the form in which the engine lists their corners.
    lit: Vec<([Point; 3], u32)>,
    /// The events at the start of the round after `post`.
    later: Vec<Event>,
    turns: u64,
    differences: Vec<String>,
}

impl Replay {
    fn new(header: &Value) -> Result<Self, String> {
        let rows = header["rows_top_to_bottom"].as_array().ok_or("no map")?;
        let text: String = rows.iter().filter_map(Value::as_str).map(|row| format!("{row}\n")).collect();
        let number = |key: &str| header[key].as_u64().and_then(|n| u32::try_from(n).ok()).ok_or(format!("no `{key}`"));
        let terms =
            Terms { rules: Rules::ORIGINAL, seats: number("players")? as usize, limit: Some(number("rounds")?) };
        let map = Map::read(text.as_bytes()).map_err(|flaw| flaw.to_string())?;
        let game = Position::from_map(map, &terms).map_err(|e| e.flaw.to_string())?;
        let line = |i| Line {
            dialogue: game.dialogue(Seat::new(i), &[]),
            inbox: Vec::new(),
            orders: Vec::new(),
            failure: None,
            greeted: false,
        };
        let seats = (0..game.seats()).map(line).collect();
        Ok(Self { game, seats, post: None, lit: vec![], later: vec![], turns: 0, differences: vec![] })
    }

    fn step(&mut self, line: &Value) -> Result<Vec<String>, String> {
        match line["t"].as_str().unwrap_or_default() {
            "init" => self.init(seat(line, &self.game)?, &line["msg"]),
            "hello" => self.hello(seat(line, &self.game)?, &bytes(line)?),
            "pre" => self.pre(line),
            "state" => self.state(seat(line, &self.game)?, &line["msg"]),
            "cmd" => self.command(seat(line, &self.game)?, &bytes(line)?),
            "res" => self.result(seat(line, &self.game)?, &line["msg"]),
            "eof" => self.seats[seat(line, &self.game)?.index()].failure = Some(Failure::Gone),
            "timeout" => self.seats[seat(line, &self.game)?.index()].failure = Some(Failure::Late),
            "dead" => self.dead(seat(line, &self.game)?),
            "post" => self.post(line)?,
            "end" => self.end(line),
            other => return Err(format!("unknown type of line `{other}`")),
        }
        Ok(mem::take(&mut self.differences))
    }

    fn init(&mut self, seat: Seat, message: &Value) {
        let mut out = Vec::new();
        let said = self.seats[seat.index()].dialogue.greet(self.game.view(seat), Remaining::default(), &mut out);
        self.compare_said(&said, &Said::More);
        self.compare_line(message, &out);
    }

    fn hello(&mut self, seat: Seat, bytes: &[u8]) {
        let said = self.hear(seat, bytes);
        self.compare_said(&said, &Said::Ready);
        self.seats[seat.index()].greeted = true;
    }

    fn state(&mut self, seat: Seat, message: &Value) {
        self.turns += 1;
        if !self.game.awaiting().contains(seat) {
            self.differences.push(format!("seat {seat} is asked and {:?} is awaited", self.game.awaiting()));
        }
        let mut out = Vec::new();
        self.seats[seat.index()].dialogue.prompt(self.game.view(seat), Remaining::default(), &mut out);
        self.compare_line(message, &out);
    }

    fn command(&mut self, seat: Seat, bytes: &[u8]) {
        match self.hear(seat, bytes) {
            Said::Decision | Said::More => {}
            Said::Nonsense(_) => self.seats[seat.index()].failure = Some(Failure::Nonsense),
            Said::Ready => self.differences.push("a decision was taken for a greeting".into()),
        }
    }

    /// Reads the bytes in two pieces, as a pipe may deliver them.
    fn hear(&mut self, seat: Seat, bytes: &[u8]) -> Said {
        let line = &mut self.seats[seat.index()];
        let mut said = Said::More;
        for piece in [&bytes[..bytes.len() / 2], &bytes[bytes.len() / 2..]] {
            line.inbox.extend_from_slice(piece);
            if said == Said::More {
                let view = self.game.view(seat);
                let (used, now) =
                    line.dialogue.hear(view, Remaining::default(), &line.inbox, false, &mut line.orders, &mut vec![]);
                line.inbox.drain(..used);
                said = now;
            }
        }
        said
    }

    fn result(&mut self, seat: Seat, message: &Value) {
        if let Some(failure) = self.seats[seat.index()].failure {
            self.differences.push(format!("seat {seat} is answered after {failure:?}"));
        }
        let refused = self.play(Some(seat));
        let mut out = Vec::new();
        let verdict = refused.map_or(Ok(()), Err);
        self.seats[seat.index()].dialogue.verdict(self.game.view(seat), verdict, &mut out);
        self.compare_line(message, &out);
    }

    fn dead(&mut self, seat: Seat) {
        let line = &self.seats[seat.index()];
        if line.failure.is_none() {
            self.differences.push(format!("seat {seat} is out in the recording and plays on here"));
        }
        if line.greeted {
            self.play(Some(seat));
        }
    }

    /// Judges the decision of the seat, if the game awaits one, and plays the turn.
    fn play(&mut self, seat: Option<Seat>) -> Option<Refused<Position>> {
        let orders = seat.map(|s| mem::take(&mut self.seats[s.index()].orders)).unwrap_or_default();
        let judged = seat.map(|s| judge(&self.game, s, &orders, self.seats[s.index()].failure, &mut ()));
        let entries: Vec<Entry<'_, Order>> = judged.iter().map(|(entry, _)| *entry).collect();
        let joint = Joint::new(&entries);
        let mut last = self.game.clone();
        last.end_after_this_round();
        last.resolve(joint, &mut (), &mut ());
        self.post = last.over().then_some(last);
        let mut events = Vec::new();
        self.game.resolve(joint, &mut (), &mut events);
        let begins = events.iter().position(|e| matches!(e, Event::RoundBegins { .. })).unwrap_or(events.len());
        self.later = events.split_off(begins);
        self.follow(events);
        judged.and_then(|(_, refused)| refused)
    }

    /// Keeps the list of triangles in the engine's way.
    fn follow(&mut self, events: Vec<Event>) {
        for event in events {
            match event {
                Event::Lit { corners, cells, .. } => self.lit.push((corners, cells)),
                Event::Severed { lighthouse, .. } => self.lit.retain(|(corners, _)| !corners.contains(&lighthouse)),
                _ => {}
            }
        }
    }

    fn pre(&mut self, line: &Value) {
        let game = &self.game;
        let board = game.board();
        let cell = |x: usize, y: usize| game.cell_energy(Point { x: x as i32, y: y as i32 });
        let cells: Vec<Vec<u32>> =
            (0..board.height()).map(|y| (0..board.width()).map(|x| cell(x, y)).collect()).collect();
        let players: Vec<Value> = seats(game)
            .map(|seat| {
                let place = game.place(seat);
                let mut keys: Vec<(i32, i32)> = (0..board.lights().len())
                    .filter(|i| game.keys(seat) >> i & 1 == 1)
                    .map(|i| board.lights()[i].into())
                    .collect();
                keys.sort_unstable();
                json!([place.x, place.y, game.energy(seat), game.score(seat), keys])
            })
            .collect();
        let found = [json!(game.round()), json!(cells), json!(players), lights(game)];
        self.compare_parts(line, ["r", "cells", "players", "lh"].iter().copied().zip(found).collect());
        self.skip_the_ungreeted();
    }

    /// A seat that failed the greeting is never asked.
    fn skip_the_ungreeted(&mut self) {
        while let Some(seat) = self.game.awaiting().iter().next() {
            let line = &self.seats[seat.index()];
            if line.greeted || line.failure.is_none() || self.post.is_some() {
                break;
            }
            self.play(Some(seat));
        }
    }

    fn post(&mut self, line: &Value) -> Result<(), String> {
        if self.post.is_none() && self.game.awaiting().is_empty() {
            self.play(None);
        }
        let Some(game) = self.post.take() else {
            self.differences.push("the round is over in the recording and not here".into());
            return Ok(());
        };
        let board = game.board();
        let mut connections: Vec<[Point; 2]> = Vec::new();
        for (i, &p) in board.lights().iter().enumerate() {
            let others = board.lights().iter().enumerate().filter(|(j, _)| game.links(i) >> j & 1 == 1);
            connections.extend(others.filter(|(_, q)| p < **q).map(|(_, &q)| [p, q]));
        }
        connections.sort_unstable();
        let scores: Vec<i64> = seats(&game).map(|s| game.score(s)).collect();
        let energies: Vec<i64> = seats(&game).map(|s| game.energy(s)).collect();
        let found = [json!(game.round() - 1), json!(scores), json!(energies), lights(&game), json!(connections)];
        self.compare_parts(line, ["r", "scores", "energies", "lh", "conns"].iter().copied().zip(found).collect());
        self.compare_triangles(&game, &line["tris"])?;
        let later = mem::take(&mut self.later);
        self.follow(later);
        Ok(())
    }

    fn compare_triangles(&mut self, game: &Position, recorded: &Value) -> Result<(), String> {
        let mut theirs = Vec::new();
        for triangle in recorded.as_array().ok_or("no `tris`")? {
            let corners = [point(&triangle[0][0])?, point(&triangle[0][1])?, point(&triangle[0][2])?];
            theirs.push((corners, triangle[1].as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(u32::MAX)));
        }
        theirs.sort_unstable();
        self.lit.sort_unstable();
        if theirs != self.lit {
            self.differences.push(format!("triangles {:?} instead of {theirs:?}", self.lit));
        }
        let sorted = |(mut corners, cells): ([Point; 3], u32)| {
            corners.sort_unstable();
            (corners, cells)
        };
        let mut held: Vec<_> =
            game.triangles().map(|(c, cells)| sorted((c.map(|i| game.board().lights()[i]), cells))).collect();
        let mut theirs: Vec<_> = theirs.into_iter().map(sorted).collect();
        held.sort_unstable();
        theirs.sort_unstable();
        if held != theirs {
            self.differences.push(format!("the position holds {held:?} instead of {theirs:?}"));
        }
        Ok(())
    }

    fn end(&mut self, line: &Value) {
        let standing = self.game.standing();
        let scores = standing.scores.iter().enumerate();
        let place = |s: &i64| 1 + standing.scores.iter().filter(|t| *t > s).count();
        if scores.clone().any(|(i, s)| usize::from(standing.places[i]) != place(s)) || !self.game.over() {
            self.differences.push(format!("the standing is {standing:?}"));
        }
        self.compare_parts(line, vec![("scores", json!(standing.scores))]);
    }

    fn compare_parts(&mut self, line: &Value, parts: Vec<(&str, Value)>) {
        for (key, ours) in parts {
            if ours != line[key] {
                self.differences.push(format!("`{key}` is {ours} instead of {}", line[key]));
            }
        }
    }

    fn compare_line(&mut self, message: &Value, ours: &[u8]) {
        let theirs = wire::line(&wire::with_our_order(message.clone(), ours));
        if theirs.as_bytes() != ours {
            self.differences.push(format!("{} instead of {theirs}", String::from_utf8_lossy(ours)));
        }
    }

    fn compare_said(&mut self, said: &Said, expected: &Said) {
        if said != expected {
            self.differences.push(format!("{said:?} instead of {expected:?}"));
        }
    }
}

fn seats(game: &Position) -> impl Iterator<Item = Seat> {
    (0..game.seats()).map(Seat::new)
}

/// Returns `[owner or null, energy]` for each lighthouse.
fn lights(game: &Position) -> Value {
    let light = |i: usize| json!([game.owner(i).map(Seat::index), game.light_energy(i)]);
    json!((0..game.board().lights().len()).map(light).collect::<Vec<_>>())
}

fn seat(line: &Value, game: &Position) -> Result<Seat, String> {
    let p = line["p"].as_u64().map(|p| p as usize);
    p.filter(|p| *p < game.seats()).map(Seat::new).ok_or_else(|| format!("`{}` is no player", line["p"]))
}

/// Returns the raw bytes of a bot. The key `hex` has them if they are not text.
fn bytes(line: &Value) -> Result<Vec<u8>, String> {
    let Some(hex) = line["hex"].as_str() else {
        return line["line"].as_str().map(|s| s.as_bytes().to_vec()).ok_or_else(|| "no `line`".into());
    };
    if hex.len() % 2 != 0 || !hex.is_ascii() {
        return Err("`hex` is not hexadecimal".into());
    }
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).map_err(|e| e.to_string())).collect()
}
