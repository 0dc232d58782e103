//! Measures the time of a turn in whole games of random lawful play on generated maps. The time includes the
//! decisions.
//!
//! `cargo run --release -p agon-planet-wars --example sim [GAMES]`

use agon_core::{Contest, Entry, Game, Joint, Rng, Seat, Seed, Setup, Terms};
use agon_planet_wars::{Position, Rules};
use std::time::Instant;

const MAPS: u64 = 100;
const BLOCKS: usize = 200;

fn main() {
    let games: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20_000);
    for kind in ["first", "final"] {
        let starts: Vec<Position> = (0..MAPS).map(|seed| start(kind, seed)).collect();
        measure(&format!("{kind}, single fleets off"), &starts, games);
        let listed: Vec<Position> = (0..MAPS).map(|seed| start_with_fleets(kind, seed)).collect();
        measure(&format!("{kind}, single fleets on"), &listed, games / 10);
    }
}

fn start(kind: &str, seed: u64) -> Position {
    start_with_fleets(kind, seed).without_fleets()
}

fn start_with_fleets(kind: &str, seed: u64) -> Position {
    let map = Position::generate(kind, Seed(seed), 2).expect("the kind exists");
    let terms = Terms { rules: Rules::SPEC, seats: 2, limit: None };
    Position::from_map(map, &terms).expect("a generated map can be played")
}

/// Measures in blocks. Returns the fastest and the median block: other programs on the machine can only make blocks
/// slower.
fn measure(what: &str, starts: &[Position], games: usize) {
    let mut rng = Rng::new(Seed(1));
    let mut tmp = <Position as Game>::Scratch::default();
    let mut game = starts[0].clone();
    let mut orders = [Vec::new(), Vec::new()];
    let (mut given, mut turns, mut check) = (0u64, 0u64, 0u64);
    let mut blocks = Vec::new();
    for _ in 0..BLOCKS {
        let before = turns;
        let begin = Instant::now();
        for number in 0..games.div_ceil(BLOCKS) {
            game.clone_from(&starts[number % starts.len()]);
            while !game.over() {
                for (side, orders) in orders.iter_mut().enumerate() {
                    game.sample(Seat::new(side), &mut rng, &mut tmp, orders);
                    given += orders.len() as u64;
                }
                let [first, second] = &orders;
                let entry = |side, orders| Entry { seat: Seat::new(side), orders, failure: None };
                game.resolve(Joint::new(&[entry(0, first), entry(1, second)]), &mut tmp, &mut ());
                turns += 1;
            }
            check ^= game.fingerprint();
        }
        blocks.push(begin.elapsed().as_nanos() as f64 / (turns - before) as f64);
    }
    blocks.sort_by(f64::total_cmp);
    println!(
        "{what}: best {:.1} ns a turn, median {:.1}, {:.2} orders a turn, {turns} turns, check {check:016x}",
        blocks[0],
        blocks[BLOCKS / 2],
        given as f64 / turns as f64,
    );
}
