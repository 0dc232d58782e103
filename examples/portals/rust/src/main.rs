//! A bot for Portals: it takes the portal that is cheapest to reach, links it to all it can, and goes on to the next.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

// The costs of actions in action points.
const CAPTURE: i64 = 3;
const NEUTRALISE: i64 = 10;
const NEUTRALISE_SHIELD: i64 = 5;
const TURBO: i64 = 6;

/// The owner of a portal that no player owns.
const NEUTRAL: i64 = -1;
/// The answer to an action that was carried out.
const OK: i64 = 0;

/// x and y.
type Cell = (i64, i64);

#[derive(Clone, Copy)]
struct Portal {
    /// 0, 1 or `NEUTRAL`.
    owner: i64,
    shields: i64,
}

// ---------------------------------------------------------------- your strategy goes here

/// Plays one turn: reads `turn` and acts through its methods.
fn play(turn: &mut Turn) -> io::Result<()> {
    loop {
        take(turn)?;
        link_all(turn)?;
        let wanted = turn.portals.iter().filter(|&(&at, portal)| portal.owner != turn.me && at != turn.position);
        let Some((cost, goal)) = wanted.map(|(&at, portal)| (cost(turn, at, portal), at)).min() else {
            break;
        };
        if cost > turn.action_points {
            turn.go(towards(turn, goal))?;
            break;
        }
        while turn.move_points < distance(turn.position, goal) {
            turn.turbo()?;
        }
        turn.go(goal)?;
    }
    while turn.shield()? == OK {} // the remaining points protect the portal on which the turn ends
    Ok(())
}

/// Makes the portal under our feet ours, if there is one and the points suffice.
fn take(turn: &mut Turn) -> io::Result<()> {
    let Some(&portal) = turn.portals.get(&turn.position) else { return Ok(()) };
    if portal.owner == NEUTRAL || portal.owner != turn.me && turn.neutralise()? == OK {
        turn.capture()?;
    }
    Ok(())
}

/// Links the portal under our feet to ours. The referee refuses what the rules forbid, and that costs nothing.
fn link_all(turn: &mut Turn) -> io::Result<()> {
    let here = turn.position;
    let mut mine: Vec<Cell> = turn.portals.iter().filter(|(_, p)| p.owner == turn.me).map(|(&at, _)| at).collect();
    if mine.contains(&here) {
        mine.sort_by_key(|&at| distance(here, at));
        for other in mine.into_iter().filter(|&at| at != here) {
            turn.link(other)?;
        }
    }
    Ok(())
}

/// The action points needed to go to a portal and capture it.
fn cost(turn: &Turn, at: Cell, portal: &Portal) -> i64 {
    let fight = if portal.owner == NEUTRAL { 0 } else { NEUTRALISE + NEUTRALISE_SHIELD * portal.shields };
    TURBO * (distance(turn.position, at) - turn.move_points).max(0) + fight + CAPTURE
}

/// The cell next to the goal that our move points reach: first sideways, then up or down.
fn towards(turn: &Turn, goal: Cell) -> Cell {
    let (x, y) = turn.position;
    let dx = (goal.0 - x).clamp(-turn.move_points, turn.move_points);
    let left = turn.move_points - dx.abs();
    (x + dx, y + (goal.1 - y).clamp(-left, left))
}

fn distance(a: Cell, b: Cell) -> i64 {
    (a.0 - b.0).abs() + (a.1 - b.1).abs()
}

// ---------------------------------------------------------------- the game

/// The state as we know it. The referee sends more, such as the links: see `main`.
/// Each action asks the referee and returns its code, 0 if it was carried out.
#[derive(Default)]
struct Turn {
    me: i64,
    position: Cell,
    action_points: i64,
    move_points: i64,
    portals: BTreeMap<Cell, Portal>,
}

impl Turn {
    fn go(&mut self, to: Cell) -> io::Result<i64> {
        let code = self.act(&format!("move {} {}", to.0, to.1))?;
        if code == OK {
            self.position = to;
        }
        Ok(code)
    }

    fn turbo(&mut self) -> io::Result<i64> {
        self.act("turbo")
    }

    fn capture(&mut self) -> io::Result<i64> {
        let code = self.act("capture")?;
        if code == OK {
            self.portals.insert(self.position, Portal { owner: self.me, shields: 0 });
        }
        Ok(code)
    }

    fn neutralise(&mut self) -> io::Result<i64> {
        let code = self.act("neutralise")?;
        if code == OK {
            self.portals.insert(self.position, Portal { owner: NEUTRAL, shields: 0 });
        }
        Ok(code)
    }

    fn link(&mut self, to: Cell) -> io::Result<i64> {
        self.act(&format!("link {} {}", to.0, to.1))
    }

    fn shield(&mut self) -> io::Result<i64> {
        let code = self.act("shield")?;
        if code == OK {
            self.portals.entry(self.position).and_modify(|portal| portal.shields += 1);
        }
        Ok(code)
    }

    fn act(&mut self, line: &str) -> io::Result<i64> {
        say(line)?;
        let mut result = String::new();
        if io::stdin().lock().read_line(&mut result)? == 0 {
            std::process::exit(0); // the match is over
        }
        let [code, action_points, move_points, _score] = numbers(&result)[..] else {
            panic!("`{}` is not the result of an action", result.trim());
        };
        self.action_points = action_points;
        self.move_points = move_points;
        Ok(code)
    }
}

// ---------------------------------------------------------------- the protocol

/// The numbers after the first word of a line.
fn numbers(line: &str) -> Vec<i64> {
    line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect()
}

fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush() // otherwise the referee might never see it
}

fn main() -> io::Result<()> {
    let mut turn = Turn::default();
    let mut line = String::new();
    // Not `lines()`: it would hold the input for itself, and `Turn::act` has to read from it, too.
    while io::stdin().lock().read_line(&mut line)? > 0 {
        let numbers = numbers(&line);
        match (line.split_whitespace().next().unwrap_or(""), &numbers[..]) {
            ("me", &[me]) => turn.me = me,
            ("turn", &[_round]) => turn.portals.clear(), // the state begins
            ("agent", &[player, x, y, _score, action_points, move_points]) if player == turn.me => {
                turn.position = (x, y);
                turn.action_points = action_points;
                turn.move_points = move_points;
            }
            ("portal", &[x, y, owner, shields]) => {
                turn.portals.insert((x, y), Portal { owner, shields });
            }
            ("init", _) => say("ready")?, // the greeting ends; there is time here to look at the map
            ("go", _) => {
                play(&mut turn)?; // the state is complete: our turn
                say("end")?;
            }
            // More that a strategy may want: `link` x1 y1 x2 y2 owner, the opponent's `agent`, what he did last.
            _ => {}
        }
        line.clear();
    }
    Ok(()) // the input has ended: the match is over
}
