//! Measures turns of each game inside this process: random lawful orders in whole matches from real starts.

use super::{
    Effort, Goal, Row, allocations,
    boards::{BOARDS, Board, Per},
    cost::thread_time,
    duel::interrupted,
    rounds::Rounds,
};
use agon_cli::{
    error::{Error, Result},
    exit::Exit,
};
use agon_core::Seed;
use agon_games::{AnyGame, AnySimulation};
use agon_spec::MatchSpec;
use std::time::Duration;

/// The goal for the cost of an action among 870 portals, in actions among 50 portals.
const CROWDED: f64 = 20.0;

/// The goal for the time to build the tables of a board of Triangles, in nanoseconds.
const TABLES: f64 = 20e6;

/// Measures all boards, or those of one game.
pub fn run(effort: &Effort, game: Option<&str>) -> Result<Vec<Row>> {
    let game = game.map(agon_cli::game::find).transpose()?.map(|game| game.name());
    let _pinned = effort.pin()?;
    let mut rows: Vec<Row> = Vec::new();
    for board in BOARDS.iter().filter(|board| game.is_none_or(|game| game == board.game)) {
        let game = agon_cli::game::find(board.game)?;
        let specs = board.specs(game)?;
        let mut row = turns(effort, board, game, &specs)?;
        if let ("portals-870", Some(few)) = (board.name, rows.iter().find(|row| row.name == "portals-50")) {
            row.floor = Some(few.value);
            row.ratio = Some(row.value / few.value);
            row.goal = Goal::Value(CROWDED * few.value);
        }
        rows.push(row);
        if board.game == "triangles" {
            rows.push(tables(effort, game, &specs)?);
        }
    }
    Ok(rows)
}

/// The sum of whole matches on some maps.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Pass {
    /// The number of turns, rounds, actions or matches, whichever the board counts.
    count: u64,
    /// The fingerprints of all last positions, combined.
    fingerprint: u64,
}

/// Plays `matches` matches, each with its own seed: all on the first map, then all on the next, as in research.
/// Alternating the maps would push the tables of each map out of the cache.
fn pass(board: &Board, simulations: &mut [Box<dyn AnySimulation>], matches: u64) -> Pass {
    let mut pass = Pass::default();
    let maps = simulations.len() as u64;
    for number in 0..matches {
        let played = simulations[(number * maps / matches) as usize].play(Seed(number));
        pass.fingerprint = pass.fingerprint.rotate_left(1) ^ played.fingerprint;
        pass.count += match board.per {
            Per::Turn | Per::Round => played.plies,
            Per::Action => played.orders,
            Per::Playout => 1,
        };
    }
    if board.per == Per::Round {
        // The seats move one after the other, and every match ends with a complete round.
        pass.count /= board.seats as u64;
    }
    pass
}

fn turns(effort: &Effort, board: &Board, game: &dyn AnyGame, specs: &[MatchSpec]) -> Result<Row> {
    let mut simulations = specs.iter().map(|spec| game.simulation(spec)).collect::<std::result::Result<Vec<_>, _>>()?;
    // The first matches build the tables.
    pass(board, &mut simulations, specs.len() as u64);
    // This finds the number of matches for a round and warms everything up.
    let enough = effort.choose(Duration::from_millis(20), Duration::from_millis(150));
    let mut matches = specs.len() as u64;
    let expected = loop {
        let start = thread_time();
        let played = pass(board, &mut simulations, matches);
        if thread_time() - start >= enough {
            break played;
        }
        matches *= 2;
    };
    let mut rounds = Rounds::default();
    let count = effort.choose(5, 15);
    let mut made = 0;
    for _ in 0..count {
        if effort.cancel.is_cancelled() {
            return Err(interrupted());
        }
        let start = thread_time();
        let before = allocations::so_far();
        let played = pass(board, &mut simulations, matches);
        made += allocations::so_far() - before;
        let time = thread_time() - start;
        if played != expected {
            let what = format!("{}: the same seeds played different matches", board.name);
            return Err(Error::user(what).exit(Exit::Internal));
        }
        rounds.add(time.as_nanos() as f64 / played.count.max(1) as f64);
    }
    let each = made as f64 / (count * expected.count.max(1)) as f64;
    let noun = board.per.noun();
    let allocations = if made == 0 { "no allocation".to_owned() } else { format!("{each:.4} allocations per {noun}") };
    Ok(Row {
        goal: board.goal,
        scatter: rounds.scatter(),
        remark: Some(format!("{allocations}; {matches} matches in each round")),
        ..Row::new(board.name, rounds.median(), board.per.unit())
    })
}

/// Measures how much longer the first playout on a board of Triangles takes than the second one with the same seed. The
/// difference is the time to build the tables, which are built when they are first needed, and to read the board.
fn tables(effort: &Effort, game: &dyn AnyGame, specs: &[MatchSpec]) -> Result<Row> {
    let mut rounds = Rounds::default();
    for _ in 0..effort.choose(1, 3) {
        for spec in specs {
            if effort.cancel.is_cancelled() {
                return Err(interrupted());
            }
            let start = thread_time();
            let mut simulation = game.simulation(spec)?;
            simulation.play(Seed(0));
            let first = thread_time() - start;
            let start = thread_time();
            simulation.play(Seed(0));
            let second = thread_time() - start;
            rounds.add(first.saturating_sub(second).as_nanos() as f64);
        }
    }
    Ok(Row {
        goal: Goal::Value(TABLES),
        scatter: rounds.scatter(),
        ..Row::new("triangles-100-tables", rounds.median(), "ns per board")
    })
}
