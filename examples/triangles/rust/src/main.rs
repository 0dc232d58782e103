//! A bot for Triangles: it gains what it can and leaves the opponent as little as possible.

use std::cmp::Reverse;
use std::io::{self, BufRead, Write};

/// Two point numbers; the protocol counts the points from 1.
type Segment = (usize, usize);

// ---------------------------------------------------------------- your strategy goes here

/// Picks the segment to draw, one of `board.legal`. `_time_left` is in milliseconds, for the rest of the game.
/// `None` if nothing can be drawn, but then the referee does not ask.
fn decide(board: &Board, _time_left: u64) -> Option<Segment> {
    let offers: Vec<(usize, Segment)> = board.legal.iter().map(|&s| (board.triangles(s), s)).collect();
    let mut best_first = offers.clone();
    best_first.sort_by_key(|&(worth, _)| Reverse(worth));

    let merit = |worth: usize, segment: Segment| {
        // What we gain, minus the best reply of the opponent: a chance that we open, or what is there already.
        let chances = board.chances(segment);
        let opened = chances.iter().map(|&s| board.triangles(s) + 1).max().unwrap_or(0);
        let present = best_first.iter().find(|&&(_, s)| s != segment && !board.cross(s, segment));
        let reply = opened.max(present.map_or(0, |&(worth, _)| worth));
        // Between equals, many chances for both have proved better than few.
        (worth as i64 - reply as i64, chances.len())
    };
    // `min_by_key` keeps the first of equals, `max_by_key` would keep the last one.
    offers.iter().min_by_key(|&&(worth, segment)| Reverse(merit(worth, segment))).map(|&(_, segment)| segment)
}

// ---------------------------------------------------------------- the board

/// The points, what has been drawn, and what may still be drawn.
#[derive(Default)]
struct Board {
    /// Coordinates of the points; number 0 is not used.
    points: Vec<(i64, i64)>,
    /// For each pair of points: is the segment drawn?
    joined: Vec<Vec<bool>>,
    /// For each pair of points: may the segment be drawn?
    lawful: Vec<Vec<bool>>,
    /// Every lawful segment once, as (i, j) with i < j.
    legal: Vec<Segment>,
}

impl Board {
    fn new(given: impl IntoIterator<Item = (i64, i64)>) -> Board {
        let points: Vec<_> = std::iter::once((0, 0)).chain(given).collect();
        let table = vec![vec![false; points.len()]; points.len()];
        let mut board = Board { points, joined: table.clone(), lawful: table, legal: Vec::new() };
        // At first a segment is unlawful only if it passes through a point.
        for i in board.numbers() {
            for j in i + 1..board.points.len() {
                if !board.numbers().any(|k| board.between(i, k, j)) {
                    board.legal.push((i, j));
                    board.allow((i, j), true);
                }
            }
        }
        board
    }

    fn numbers(&self) -> std::ops::Range<usize> {
        1..self.points.len()
    }

    fn allow(&mut self, (i, j): Segment, yes: bool) {
        self.lawful[i][j] = yes;
        self.lawful[j][i] = yes;
    }

    /// Draws a segment, after which segments that cross it are no longer lawful.
    fn draw(&mut self, (i, j): Segment) -> Result<(), String> {
        if self.lawful.get(i).and_then(|row| row.get(j)) != Some(&true) {
            return Err(format!("{i} {j} cannot be drawn"));
        }
        self.joined[i][j] = true;
        self.joined[j][i] = true;
        for s in std::mem::take(&mut self.legal) {
            if self.joined[s.0][s.1] || self.cross(s, (i, j)) {
                self.allow(s, false);
            } else {
                self.legal.push(s);
            }
        }
        Ok(())
    }

    /// What drawing a segment is worth now: a point for each empty triangle that it closes.
    fn triangles(&self, (i, j): Segment) -> usize {
        self.numbers().filter(|&k| self.joined[i][k] && self.joined[j][k] && self.empty(i, j, k)).count()
    }

    /// The lawful segments that would each be worth one point more once (i, j) is drawn.
    fn chances(&self, (i, j): Segment) -> Vec<Segment> {
        let ways = [(i, j), (j, i)];
        ways.into_iter()
            .flat_map(|(a, b)| self.numbers().filter(move |&k| self.joined[b][k]).map(move |k| (a, k)))
            .filter(|&(a, k)| self.lawful[a][k] && self.empty(i, j, k))
            .collect()
    }

    // Geometry. All numbers are small integers, so nothing is rounded.

    /// Positive if c lies to the left of the line from a to b, negative to the right, 0 on the line.
    fn side(&self, a: usize, b: usize, c: usize) -> i64 {
        let [(ax, ay), (bx, by), (cx, cy)] = [self.points[a], self.points[b], self.points[c]];
        (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    }

    /// Does point k lie on the segment a-b, excluding its ends?
    fn between(&self, a: usize, k: usize, b: usize) -> bool {
        let [p, q, r] = [self.points[a], self.points[b], self.points[k]];
        k != a && k != b && self.side(a, b, k) == 0 && p.min(q) < r && r < p.max(q)
    }

    /// Do two segments cross? Sharing an end is not crossing.
    fn cross(&self, (a, b): Segment, (c, d): Segment) -> bool {
        self.side(a, b, c) * self.side(a, b, d) < 0 && self.side(c, d, a) * self.side(c, d, b) < 0
    }

    /// Is no point inside the triangle?
    fn empty(&self, a: usize, b: usize, c: usize) -> bool {
        let turn = self.side(a, b, c);
        let inside = |k| [(a, b), (b, c), (c, a)].into_iter().all(|(p, q)| self.side(p, q, k) * turn > 0);
        !self.numbers().any(inside)
    }
}

// ---------------------------------------------------------------- the protocol

#[derive(Default)]
struct Player {
    board: Board,
    time_left: u64,
}

impl Player {
    /// Carries out one command and returns the text of the answer. An error is answered with `?`.
    fn answer(&mut self, command: &str, words: &[&str]) -> Result<String, String> {
        let numbers: Vec<u32> =
            words.iter().map(|w| w.parse().map_err(|_| format!("{w} is no number"))).collect::<Result<_, _>>()?;
        match (command, &numbers[..]) {
            ("set_points", [_, coordinates @ ..]) => {
                self.board = Board::new(coordinates.chunks_exact(2).map(|p| (p[0].into(), p[1].into())));
            }
            ("time_left", [milliseconds]) => self.time_left = u64::from(*milliseconds),
            ("play", [i, j]) => self.board.draw((*i as usize, *j as usize))?,
            ("gen_move", []) => {
                let (i, j) = decide(&self.board, self.time_left).ok_or("nothing can be drawn")?;
                self.board.draw((i, j))?;
                return Ok(format!("{i} {j}"));
            }
            ("quit", []) => {}
            _ => return Err("unknown command".to_string()),
        }
        Ok(String::new())
    }
}

fn main() -> io::Result<()> {
    let mut player = Player::default();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
        let Some((command, arguments)) = words.split_first() else {
            continue; // empty lines have no meaning
        };
        let reply = match player.answer(command, arguments) {
            Ok(text) => format!("= {text}"),
            Err(why) => format!("? {why}"),
        };
        let mut out = io::stdout().lock();
        write!(out, "{}\n\n", reply.trim_end())?; // the empty line ends the answer
        out.flush()?;
        if *command == "quit" {
            break;
        }
    }
    Ok(()) // quit, or the input has ended: the match is over
}
