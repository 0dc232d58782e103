//! A bot for Lighthouses: it walks from lighthouse to lighthouse, takes them and joins them into triangles.

mod json;

use json::Json;
use std::collections::{HashMap, VecDeque};
use std::io::{self, BufRead, Write};

const NAME: &str = "Keeper";
/// The owner of a lighthouse that no player owns.
const NOBODY: i64 = -1;
const DIRECTIONS: [Cell; 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// x and y, counted from the lower left corner of the map.
type Cell = (i64, i64);

/// Numbers of a map or a part of it, the lowest row first.
struct Rows(Vec<Vec<i64>>);

impl Rows {
    /// The number at a place; `None` outside.
    fn get(&self, (x, y): Cell) -> Option<i64> {
        self.0.get(usize::try_from(y).ok()?)?.get(usize::try_from(x).ok()?).copied()
    }
}

struct Lighthouse {
    position: Cell,
    owner: i64,
    energy: i64,
    /// Positions of the lighthouses at the other ends.
    connections: Vec<Cell>,
    have_key: bool,
}

struct Turn {
    position: Cell,
    energy: i64,
    /// Free energy around me, my own cell in the middle.
    view: Rows,
    lighthouses: Vec<Lighthouse>,
}

/// What stays the same for the whole match.
struct Game {
    me: i64,
    /// 1 on the island.
    map: Rows,
    /// For each lighthouse the number of steps to it from every cell of the island.
    steps: HashMap<Cell, HashMap<Cell, i64>>,
}

// ---------------------------------------------------------------- your strategy goes here

/// Less energy than this is not worth putting into a lighthouse: each loses 10 per round.
const ENOUGH: i64 = 30;

/// Returns the command of this turn.
fn decide(game: &Game, turn: &Turn) -> Command {
    let here = turn.lighthouses.iter().find(|l| l.position == turn.position);
    if let Some(here) = here {
        if here.owner == game.me {
            let links = held_keys(game, turn).filter(|other| joinable(turn, here, other));
            if let Some(link) = first_max(links, |other| new_area(here, other)) {
                return Command::Connect(link.position);
            }
        }
        if turn.energy > here.energy + ENOUGH {
            return Command::Attack(turn.energy); // takes the lighthouse, or recharges it if it is ours
        }
    }

    // Go where each step promises the most; if no step promises anything, gather energy.
    let promised = |l: &Lighthouse| promise(game, turn, l) as f64 / game.steps[&l.position][&turn.position] as f64;
    let elsewhere = turn.lighthouses.iter().filter(|l| l.position != turn.position);
    match first_max(elsewhere, |l| promised(l)) {
        Some(goal) if promised(goal) > 0.0 => {
            let steps = &game.steps[&goal.position];
            walk(game, turn, |cell| steps[&cell] < steps[&turn.position])
        }
        _ => walk(game, turn, |_| true),
    }
}

/// What a visit to a lighthouse is worth to us, in a unit of our own.
fn promise(game: &Game, turn: &Turn, goal: &Lighthouse) -> i64 {
    let strong_enough = turn.energy > goal.energy + ENOUGH;
    if goal.owner != game.me && !strong_enough {
        return 0;
    }
    let links = held_keys(game, turn).filter(|other| joinable(turn, goal, other));
    links.map(|other| 30 + new_area(goal, other)).sum::<i64>() + if strong_enough { 10 } else { 0 }
}

/// The lighthouses of ours whose keys we hold: to them we can connect another one.
fn held_keys<'a>(game: &'a Game, turn: &'a Turn) -> impl Iterator<Item = &'a Lighthouse> {
    turn.lighthouses.iter().filter(|l| l.have_key && l.owner == game.me)
}

/// The area of the triangles that a connection between two lighthouses would close.
fn new_area(a: &Lighthouse, b: &Lighthouse) -> i64 {
    let both = a.connections.iter().filter(|c| b.connections.contains(c));
    both.map(|&c| side(a.position, b.position, c).abs() / 2).sum()
}

/// A step to the cell with the most energy among the wanted ones.
fn walk(game: &Game, turn: &Turn, wanted: impl Fn(Cell) -> bool) -> Command {
    let (x, y) = turn.position;
    let ways = DIRECTIONS.into_iter().filter(|(dx, dy)| {
        let cell = (x + dx, y + dy);
        game.map.get(cell) == Some(1) && wanted(cell)
    });
    first_max(ways, |&way| free_energy(&turn.view, way)).map_or(Command::Pass, Command::Move)
}

/// The first of the items with the highest score.
fn first_max<T, S: PartialOrd>(items: impl Iterator<Item = T>, score: impl Fn(&T) -> S) -> Option<T> {
    items.reduce(|best, item| if score(&item) > score(&best) { item } else { best })
}

// ---------------------------------------------------------------- the rules

enum Command {
    Pass,
    /// To one of the eight cells around, if it is part of the island.
    Move(Cell),
    /// Puts energy into the lighthouse under our feet, against its owner or, if we own it, for it.
    Attack(i64),
    /// Joins the lighthouse under our feet to another one. Both must be ours, and we need the key of the other one.
    Connect(Cell),
}

/// Is there room for a connection between two lighthouses?
fn joinable(turn: &Turn, a: &Lighthouse, b: &Lighthouse) -> bool {
    let (from, to) = (a.position, b.position);
    let blocked =
        |c: &Lighthouse| between(from, c.position, to) || c.connections.iter().any(|&d| cross(from, to, c.position, d));
    from != to && !a.connections.contains(&to) && !turn.lighthouses.iter().any(blocked)
}

/// Positive if c lies to the left of the line from a to b, negative to the right, 0 on the line.
fn side(a: Cell, b: Cell, c: Cell) -> i64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

/// Does c lie on the way from a to b, excluding the ends? (Cells are compared by x, then by y.)
fn between(a: Cell, c: Cell, b: Cell) -> bool {
    side(a, b, c) == 0 && a.min(b) < c && c < a.max(b)
}

/// Do two connections cross? Sharing an end is not crossing.
fn cross(a: Cell, b: Cell, c: Cell, d: Cell) -> bool {
    side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0
}

/// The free energy on a cell near us; 0 if it is too far away to see.
fn free_energy(view: &Rows, (dx, dy): Cell) -> i64 {
    let middle = view.0.len() as i64 / 2;
    view.get((middle + dx, middle + dy)).unwrap_or(0)
}

/// The number of steps to a lighthouse from every cell of the island.
fn steps_to(map: &Rows, lighthouse: Cell) -> HashMap<Cell, i64> {
    let mut steps = HashMap::from([(lighthouse, 0)]);
    let mut queue = VecDeque::from([lighthouse]); // of a breadth-first search
    while let Some((x, y)) = queue.pop_front() {
        for cell in DIRECTIONS.map(|(dx, dy)| (x + dx, y + dy)) {
            if map.get(cell) == Some(1) && !steps.contains_key(&cell) {
                steps.insert(cell, steps[&(x, y)] + 1);
                queue.push_back(cell);
            }
        }
    }
    steps
}

// ---------------------------------------------------------------- the protocol

// `None` from one of these means that the message lacks something that the protocol promises.

fn read_cell(pair: &Json) -> Option<Cell> {
    Some((pair.items()?.first()?.integer()?, pair.items()?.get(1)?.integer()?))
}

fn read_rows(rows: &Json) -> Option<Rows> {
    let row = |row: &Json| row.items()?.iter().map(Json::integer).collect();
    rows.items()?.iter().map(row).collect::<Option<_>>().map(Rows)
}

fn read_start(message: &Json) -> Option<Game> {
    let map = read_rows(message.get("map")?)?;
    let lighthouses: Vec<Cell> = message.get("lighthouses")?.items()?.iter().map(read_cell).collect::<Option<_>>()?;
    let steps = lighthouses.into_iter().map(|at| (at, steps_to(&map, at))).collect();
    Some(Game { me: message.get("player_num")?.integer()?, map, steps })
}

fn read_lighthouse(json: &Json) -> Option<Lighthouse> {
    Some(Lighthouse {
        position: read_cell(json.get("position")?)?,
        owner: json.get("owner")?.integer().unwrap_or(NOBODY), // the original engine has null for nobody
        energy: json.get("energy")?.integer()?,
        connections: json.get("connections")?.items()?.iter().map(read_cell).collect::<Option<_>>()?,
        have_key: json.get("have_key")? == &Json::Bool(true),
    })
}

fn read_turn(message: &Json) -> Option<Turn> {
    Some(Turn {
        position: read_cell(message.get("position")?)?,
        energy: message.get("energy")?.integer()?,
        view: read_rows(message.get("view")?)?,
        lighthouses: message.get("lighthouses")?.items()?.iter().map(read_lighthouse).collect::<Option<_>>()?,
    })
}

fn say(answer: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{answer}")?;
    out.flush() // otherwise the referee might never see the answer
}

fn main() -> io::Result<()> {
    let mut game = None;
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let message = json::read(&line).expect("the referee speaks JSON");
        if message.get("player_num").is_some() {
            game = Some(read_start(&message).expect("the first message is complete"));
            say(&format!(r#"{{"name": "{NAME}"}}"#))?;
        } else if let Some(success) = message.get("success") {
            // The result of our last command; the referee expects no answer.
            if success != &Json::Bool(true) {
                eprintln!("[{NAME}] {line}");
            }
        } else {
            let turn = read_turn(&message).expect("the message of a turn is complete");
            say(&match decide(game.as_ref().expect("the first message comes first"), &turn) {
                Command::Pass => r#"{"command": "pass"}"#.to_string(),
                Command::Move((x, y)) => format!(r#"{{"command": "move", "x": {x}, "y": {y}}}"#),
                Command::Attack(energy) => format!(r#"{{"command": "attack", "energy": {energy}}}"#),
                Command::Connect((x, y)) => format!(r#"{{"command": "connect", "destination": [{x}, {y}]}}"#),
            })?;
        }
    }
    Ok(()) // the input has ended: the match is over
}
