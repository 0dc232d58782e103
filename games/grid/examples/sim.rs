//! How long a simulated turn takes: whole matches between two random lawful policies.
//!
//! `cargo run --release -p agon-grid --example sim [MAP_KIND [MATCHES]]`

use agon_core::{Contest, Entry, Game, Joint, Rng, Seat, Seed, Setup, Terms};
use agon_grid::{Position, Rules, Scratch};
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().unwrap_or_else(|| "10x10".into());
    let matches: u64 = arguments.next().map_or(20_000, |n| n.parse().expect("a number of matches"));
    let terms = Terms { rules: Rules::SPEC, seats: 2, limit: None };
    let map = Position::generate(&kind, Seed(1), 2).expect("a kind of map");
    let start = Position::from_map(map, &terms).expect("a map to start from");

    let mut game = start.clone();
    let mut tmp = Scratch::default();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let (mut turns, mut orders, mut sum) = (0u64, 0usize, 0u64);
    let begin = Instant::now();
    for seed in 0..matches {
        let mut rng = Rng::new(Seed(seed));
        game.clone_from(&start);
        while !game.over() {
            game.sample(Seat::new(0), &mut rng, &mut tmp, &mut first);
            game.sample(Seat::new(1), &mut rng, &mut tmp, &mut second);
            let joint = [
                Entry { seat: Seat::new(0), orders: &first[..], failure: None },
                Entry { seat: Seat::new(1), orders: &second[..], failure: None },
            ];
            game.resolve(Joint::new(&joint), &mut tmp, &mut ());
            turns += 1;
            orders += first.len() + second.len();
        }
        sum = sum.wrapping_add(game.fingerprint());
    }
    let time = begin.elapsed();
    println!(
        "{kind}: {:.1} ns a turn, {turns} turns of {matches} matches, {:.1} orders a turn, sum {sum:016x}",
        time.as_nanos() as f64 / turns as f64,
        orders as f64 / turns as f64,
    );
}
