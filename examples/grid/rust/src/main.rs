//! A bot for the Grid game: it grows towards the enemy and takes its tiles where it can.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};

const EMPTY: u8 = b'-';

/// Column and row, counted from the top left.
type Tile = (usize, usize);

// ---------------------------------------------------------------- your strategy goes here

/// Picks the tiles to capture this turn, at most `budget` of them. `me` is my id, `b'1'` or `b'2'`.
/// Lawful targets share a side with one of my tiles as the map stands now, whoever owns the target.
fn decide(me: u8, budget: usize, grid: &Grid) -> Vec<Tile> {
    let distance = distance_to_enemy(me, grid);
    let mut targets: Vec<Tile> =
        grid.tiles().filter(|&t| grid.owner(t) != me && grid.sides(t).any(|n| grid.owner(n) == me)).collect();
    // Enemy tiles come first (distance 0), then what lies nearest to them. Between equals the tile with the most
    // empty space around it is the better one: a tile without any suffocates.
    targets.sort_by_key(|&(x, y)| (distance[y][x], 8 - grid.empty_around((x, y))));
    targets.truncate(budget);
    targets
}

/// For each tile the number of side steps to the nearest enemy tile (`usize::MAX` if he has none).
fn distance_to_enemy(me: u8, grid: &Grid) -> Vec<Vec<usize>> {
    let mut distance = vec![vec![usize::MAX; grid.width()]; grid.height()];
    let mut queue: VecDeque<Tile> = grid.tiles().filter(|&t| ![me, EMPTY].contains(&grid.owner(t))).collect();
    for &(x, y) in &queue {
        distance[y][x] = 0;
    }
    // A breadth-first search.
    while let Some((x, y)) = queue.pop_front() {
        for (a, b) in grid.sides((x, y)) {
            if distance[b][a] == usize::MAX {
                distance[b][a] = distance[y][x] + 1;
                queue.push_back((a, b));
            }
        }
    }
    distance
}

// ---------------------------------------------------------------- the map

/// The rows from top to bottom; each byte is the id of the tile's owner, or `EMPTY`.
struct Grid(Vec<Vec<u8>>);

impl Grid {
    fn width(&self) -> usize {
        self.0[0].len()
    }

    fn height(&self) -> usize {
        self.0.len()
    }

    fn owner(&self, (x, y): Tile) -> u8 {
        self.0[y][x]
    }

    /// All tiles, row by row.
    fn tiles(&self) -> impl Iterator<Item = Tile> + '_ {
        (0..self.height()).flat_map(|y| (0..self.width()).map(move |x| (x, y)))
    }

    /// The tiles that share a side with one.
    fn sides(&self, (x, y): Tile) -> impl Iterator<Item = Tile> + '_ {
        // One step left of column 0 wraps around to a huge number, so one comparison bounds both ends.
        [(x, y.wrapping_sub(1)), (x.wrapping_sub(1), y), (x + 1, y), (x, y + 1)]
            .into_iter()
            .filter(|&(a, b)| a < self.width() && b < self.height())
    }

    /// How many of the up to eight tiles around one are empty.
    fn empty_around(&self, (x, y): Tile) -> usize {
        let rows = y.saturating_sub(1)..(y + 2).min(self.height());
        let columns = x.saturating_sub(1)..(x + 2).min(self.width());
        rows.flat_map(|b| columns.clone().map(move |a| (a, b)))
            .filter(|&t| t != (x, y) && self.owner(t) == EMPTY)
            .count()
    }
}

// ---------------------------------------------------------------- the protocol

fn main() -> io::Result<()> {
    let mut message: Vec<String> = Vec::new(); // the lines of the referee's message that have arrived so far
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim() != "." {
            message.push(line.trim().to_string());
            continue;
        }
        let me = message[0].as_bytes()[2]; // Y <my id>
        let budget = message[1][2..].trim().parse().expect("E <budget>");
        let grid = Grid(message[2..].iter().map(|row| row.clone().into_bytes()).collect());
        let mut answer = String::new();
        for (x, y) in decide(me, budget, &grid) {
            answer += &format!("C {x} {y}\n");
        }
        answer += ".\n";
        let mut out = io::stdout().lock();
        out.write_all(answer.as_bytes())?;
        out.flush()?; // otherwise the referee might never see the answer
        message.clear();
    }
    Ok(()) // the input has ended: the match is over
}
