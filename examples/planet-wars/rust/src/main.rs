//! A bot for Planet Wars: it gathers ships for the planets that repay them soonest and rescues its own ones.

use std::io::{self, BufRead, Write};

// Owners, in each bot's own view.
const NEUTRAL: u8 = 0;
const ME: u8 = 1;
const ENEMY: u8 = 2;

struct Planet {
    id: usize,
    x: f64,
    y: f64,
    owner: u8,
    ships: i64,
    /// The number of new ships per turn, while a player owns the planet.
    growth: i64,
}

impl Planet {
    /// The number of turns that a fleet needs from here to another planet.
    fn distance(&self, to: &Planet) -> i64 {
        let (dx, dy) = (self.x - to.x, self.y - to.y);
        (dx * dx + dy * dy).sqrt().ceil() as i64
    }

    /// The number of turns in which the planet grows as many ships as it has.
    fn turns_to_repay(&self) -> f64 {
        self.ships as f64 / self.growth as f64
    }
}

/// A fleet in flight. The referee sends more about it: see `main`.
struct Fleet {
    owner: u8,
    ships: i64,
    destination: usize,
}

struct Order {
    source: usize,
    destination: usize,
    ships: i64,
}

// ---------------------------------------------------------------- your strategy goes here

/// A neutral planet must repay its ships within this many turns, including the trip.
const PATIENCE: f64 = 20.0;

/// Returns this turn's orders.
fn decide(planets: &[Planet], fleets: &[Fleet]) -> Vec<Order> {
    // For each planet our strength there once all fleets have arrived; below zero it belongs to another player.
    let mut strength: Vec<i64> = planets.iter().map(|p| if p.owner == ME { p.ships } else { -p.ships }).collect();
    for f in fleets {
        strength[f.destination] += if f.owner == ME { f.ships } else { -f.ships };
    }

    // The ships that our planets can send without being lost.
    let mut spare: Vec<i64> =
        planets.iter().map(|p| if p.owner == ME { p.ships.min(strength[p.id]).max(0) } else { 0 }).collect();

    // Planets to take and planets of ours to rescue, those first that repay the ships soonest.
    let mut targets: Vec<&Planet> =
        planets.iter().filter(|p| p.growth > 0 && (p.owner != ME || strength[p.id] < 0)).collect();
    targets.sort_by(|a, b| a.turns_to_repay().total_cmp(&b.turns_to_repay()));

    let mut orders = Vec::new();
    for target in targets {
        for order in gather(target, strength[target.id], &spare, planets) {
            spare[order.source] -= order.ships;
            orders.push(order);
        }
    }
    orders
}

/// Who sends how many ships to the target, the nearest first; empty if they are too few.
fn gather(target: &Planet, strength: i64, spare: &[i64], planets: &[Planet]) -> Vec<Order> {
    let mut sources: Vec<&Planet> = planets.iter().collect();
    sources.sort_by_key(|p| p.distance(target));
    let mut party = Vec::new();
    let mut gathered = 0;
    for source in sources {
        let turns = source.distance(target);
        let too_slow = target.owner == NEUTRAL && turns as f64 + target.turns_to_repay() > PATIENCE;
        if spare[source.id] == 0 || too_slow {
            continue;
        }
        let mut need = 1 - strength;
        if target.owner == ENEMY {
            need += target.growth * turns; // it grows until the last of us is there
        }
        let ships = spare[source.id].min(need - gathered);
        if ships > 0 {
            party.push(Order { source: source.id, destination: target.id, ships });
            gathered += ships;
        }
        if gathered >= need {
            return party;
        }
    }
    Vec::new()
}

// ---------------------------------------------------------------- the protocol

/// Reads a word of the referee as a number. The bot cannot continue after a message that makes no sense.
fn number<T: std::str::FromStr>(word: &str) -> T {
    word.parse().unwrap_or_else(|_| panic!("`{word}` is not the number that should stand there"))
}

fn main() -> io::Result<()> {
    let mut planets = Vec::new(); // what has arrived of this turn's message
    let mut fleets = Vec::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
        match words[..] {
            ["P", x, y, owner, ships, growth] => planets.push(Planet {
                id: planets.len(),
                x: number(x),
                y: number(y),
                owner: number(owner),
                ships: number(ships),
                growth: number(growth),
            }),
            // The source, the turns of the whole trip and those until arrival are there for a strategy that wants them.
            ["F", owner, ships, _source, destination, _total, _remaining] => {
                fleets.push(Fleet { owner: number(owner), ships: number(ships), destination: number(destination) })
            }
            ["go"] => {
                let mut answer = String::new();
                for Order { source, destination, ships } in decide(&planets, &fleets) {
                    answer += &format!("{source} {destination} {ships}\n");
                }
                answer += "go\n";
                let mut out = io::stdout().lock();
                out.write_all(answer.as_bytes())?;
                out.flush()?; // otherwise the referee might never see the orders
                planets.clear();
                fleets.clear();
            }
            _ => {} // comments and blank lines have no meaning
        }
    }
    Ok(()) // the input has ended: the match is over
}
