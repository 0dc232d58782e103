//! The original's dump, which is the text that its viewers read: one JSON object on each line, with the state before
//! the first turn and after each turn.

use crate::{Map, Order, Participant, Position, Record, Rules, listing::triangles, map, record};
use agon_core::{Flaw, geometry::pt};
use alloc::{
    borrow::ToOwned,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt::Write;
use serde::{Deserialize, Deserializer};

/// Writes a match as a dump, byte for byte as the original's server does.
///
/// # Errors
/// If the match cannot be played again under `rules`.
pub fn write(record: &Record, rules: Rules) -> Result<String, Flaw> {
    let mut text = String::new();
    let mut ply = 0;
    record.replay(rules, |position, actions| {
        // The line after a turn still has the number of that turn's round.
        let round = if ply == 0 { 1 } else { (ply - 1) / 2 + 1 };
        let player = if ply == 0 { 0 } else { (ply - 1) % 2 };
        line(position, record, round, (player, actions), &mut text);
        ply += 1;
    })?;
    Ok(text)
}

fn line(position: &Position, record: &Record, round: u32, (player, actions): (u32, &[Order]), out: &mut String) {
    let _ = write!(out, "{{\"turn\": [{round}, {}] , \"players\": {{", position.rounds);
    for (i, agent) in position.agents.iter().enumerate() {
        let _ = write!(out, "{}\"{i}\": {{\"name\": ", if i > 0 { ", " } else { "" });
        quote(record.players[i].name.bytes(), out);
        let _ = write!(out, ", \"x\": {}, \"y\": {}, \"score\": {}}}", agent.at.x, agent.at.y, agent.score);
    }
    out.push_str("}, \"map\": {\"portals\": [");
    for (id, p) in position.chart.portals().iter().enumerate() {
        let _ = write!(out, "{}{{\"x\": {}, \"y\": {}, ", comma(id), p.x, p.y);
        let _ = write!(out, "\"shields\": {}, \"owner\": ", position.shields[id]);
        match Position::seat_of(position.owners[id]) {
            Some(seat) => {
                let _ = write!(out, "{}}}", seat.index());
            }
            None => out.push_str("null}"),
        }
    }
    out.push_str("], \"edges\": [");
    for (i, [a, b]) in position.web.links().enumerate() {
        let _ = write!(out, "{}{{\"from\": {a}, \"to\": {b}}}", comma(i));
    }
    out.push_str("], \"triangles\": [");
    if position.fields > 0 {
        for (i, [a, b, c]) in triangles(&position.web, position.chart.len()).into_iter().enumerate() {
            let _ = write!(out, "{}{{\"s0\": {a}, \"s1\": {b}, \"s2\": {c}}}", comma(i));
        }
    }
    out.push_str("]}, \"actions\": ");
    let mut bytes = Vec::new();
    record::encode(actions, player, &mut bytes);
    quote(bytes.into_iter(), out);
    out.push_str("}\n");
}

fn comma(index: usize) -> &'static str {
    if index > 0 { ", " } else { "" }
}

/// Writes a JSON string as the original does: one character is one byte, even in a name in UTF-8. Whatever is not
/// printable ASCII becomes four upper-case digits.
fn quote(text: impl Iterator<Item = u8>, out: &mut String) {
    out.push('"');
    for byte in text {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\u{byte:04X}");
            }
        }
    }
    out.push('"');
}

/// Reads a name that [`quote`] has written. If its characters are not bytes of UTF-8, it is taken as it is.
fn name<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    let text = String::deserialize(input)?;
    Ok(latin1(&text).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or(text))
}

#[derive(Deserialize, PartialEq)]
struct Line {
    turn: (u32, u32),
    players: Players,
    map: Board,
    actions: String,
}

#[derive(Deserialize, PartialEq)]
struct Players {
    #[serde(rename = "0")]
    first: Player,
    #[serde(rename = "1")]
    second: Player,
}

#[derive(Deserialize, PartialEq)]
struct Player {
    #[serde(deserialize_with = "name")]
    name: String,
    x: i32,
    y: i32,
    score: i64,
}

#[derive(Deserialize, PartialEq)]
struct Board {
    portals: Vec<Portal>,
    edges: Vec<Edge>,
    triangles: Vec<Triangle>,
}

#[derive(Deserialize, PartialEq)]
struct Portal {
    x: i32,
    y: i32,
    shields: u32,
    owner: Option<u32>,
}

#[derive(Deserialize, PartialEq)]
struct Edge {
    from: u32,
    to: u32,
}

#[derive(Deserialize, PartialEq)]
struct Triangle {
    s0: u32,
    s1: u32,
    s2: u32,
}

/// Reads a dump, plays it again, and compares every line with the position at that point.
///
/// The dumps of 2015 have no line for the start. In that case the first cell that the first player goes to is taken as
/// its start, which makes the same turn lawful. In such dumps the round in a line of player 1 may be the next one.
///
/// # Errors
/// If a line is not of this format, or not what the rules make of the turns before it. The flaw has its number. A dump
/// without actions, as a spectator of the contest wrote it, is also an error.
pub fn read(bytes: &[u8], rules: Rules) -> Result<Record, Flaw> {
    let text = core::str::from_utf8(bytes).map_err(|e| {
        let line = bytes[..e.valid_up_to()].split(|b| *b == b'\n').count();
        Flaw::new("the dump is not UTF-8 text").at(line, 1)
    })?;
    let mut lines = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let parsed: Line = serde_json::from_str(line).map_err(|e| {
            Flaw::new(format!("this is not a line of a dump: {}", reason(&e))).at(i + 1, e.column().max(1))
        })?;
        lines.push((i + 1, parsed));
    }
    let Some((_, first)) = lines.first() else { return Err(Flaw::new("the dump is empty").at(1, 1)) };
    let rounds = first.turn.1;
    // If there is a line for the start, the second and the third line still belong to the first round.
    let same_round = |(_, line): &(usize, Line)| line.turn.0 == first.turn.0;
    let has_start = first.actions.is_empty() && lines[1..].iter().take(2).all(same_round);
    let mut record = Record {
        map: map::print(&map(first)?),
        rounds,
        players: [
            Participant::player(0, first.players.first.name.clone()),
            Participant::player(1, first.players.second.name.clone()),
        ],
        spectators: Vec::new(),
        turns: Vec::new(),
    };
    let mut position = record.start(rules)?;
    for (i, (number, line)) in lines.iter().enumerate() {
        let flaw = |what: String| Flaw::new(what).at(*number, 1);
        let player = position.mover() as u32;
        let round = position.round();
        let mut actions = Vec::new();
        if i > 0 || !has_start {
            actions = record::decode(&latin1(&line.actions).map_err(flaw)?, player).map_err(flaw)?;
            record::play(&mut position, &actions).map_err(|f| Flaw { place: flaw(String::new()).place, ..f })?;
            record.turns.push(actions.clone());
        }
        let mut ours = String::new();
        self::line(&position, &record, round, (player, &actions), &mut ours);
        let mut ours: Line = serde_json::from_str(&ours).map_err(|e| flaw(reason(&e)))?;
        // A spectator had already received the end of the round when it wrote this line.
        if !has_start && player == 1 && line.turn.0 == round + 1 {
            ours.turn.0 += 1;
        }
        match difference(line, &ours) {
            Some(_) if lines.iter().all(|(_, line)| line.actions.is_empty()) => {
                return Err(flaw("the dump has no actions, so it cannot be played again".to_owned())
                    .hint("the contest's server writes them with its option `--dump`"));
            }
            Some(what) => {
                return Err(flaw(format!("the {what} are not what the rules make of the turns before"))
                    .hint("name the rule set of the recording with `--rules`"));
            }
            None => {}
        }
    }
    Ok(record)
}

/// The map of the first line, with the starts as far as the line shows them.
fn map(first: &Line) -> Result<Map, Flaw> {
    let mut portals: Vec<_> = first.map.portals.iter().map(|p| pt(p.x, p.y)).collect();
    portals.sort_unstable();
    let mut start = pt(first.players.first.x, first.players.first.y);
    if let Ok(actions) = latin1(&first.actions).and_then(|bytes| record::decode(&bytes, 0)) {
        let goal = actions.iter().find_map(|a| if let Order::Move(to) = a { Some(*to) } else { None });
        start = goal.unwrap_or(start);
    }
    let other = pt(first.players.second.x, first.players.second.y);
    // The map has the contest's size, unless something lies further out.
    let most = portals.iter().chain([&start, &other]).map(|p| p.x.max(p.y)).max().unwrap_or(0);
    if most >= crate::MAX_SIDE || portals.iter().chain([&start, &other]).any(|p| p.x.min(p.y) < 0) {
        return Err(Flaw::new("a portal or an agent lies outside the largest map").at(1, 1));
    }
    Ok(Map { side: (most + 1).max(30), starts: [start, other], portals })
}

fn latin1(text: &str) -> Result<Vec<u8>, String> {
    text.chars().map(|c| u8::try_from(c).map_err(|_| "the actions are not bytes".to_owned())).collect()
}

fn difference(line: &Line, ours: &Line) -> Option<&'static str> {
    let parts = [
        (line.turn == ours.turn, "round and rounds"),
        (line.players == ours.players, "players"),
        (line.map.portals == ours.map.portals, "portals"),
        (line.map.edges == ours.map.edges, "links"),
        (line.map.triangles == ours.map.triangles, "fields"),
    ];
    parts.iter().find(|(same, _)| !same).map(|(_, what)| *what)
}

/// The message of `serde_json`, without its own line number.
fn reason(e: &serde_json::Error) -> String {
    let text = e.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}
