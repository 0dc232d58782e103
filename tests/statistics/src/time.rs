//! How long large leagues take. The figures are for reading; nothing fails by them.

use agon_core::{Rng, Seed};
use agon_stats::{Advantage, Bootstrap, BradleyTerry, Encounter, Errors, Fit, Prior};
use std::time::Instant;

fn league(bots: u32, matches: u32) -> Vec<Encounter> {
    let mut rng = Rng::new(Seed(5));
    (0..matches)
        .map(|_| {
            let first = rng.below(bots);
            let second = (first + 1 + rng.below(bots - 1)) % bots;
            let strength = |bot: u32| f64::from(bot) / f64::from(bots) * 4.0;
            let won = rng.unit() < 1.0 / (1.0 + (strength(second) - strength(first)).exp());
            let (wins, losses) = if won { (1.0, 0.0) } else { (0.0, 1.0) };
            Encounter { first, second, wins, losses, ..Encounter::default() }
        })
        .collect()
}

fn timed<T>(what: &str, goal: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    println!("{what:<74} {:>8.0} ms   {goal}", start.elapsed().as_secs_f64() * 1_000.0);
    result
}

fn fit(bots: u32, games: &[Encounter], errors: Errors) -> Option<Fit> {
    BradleyTerry::new(bots as usize, Advantage::None, games.iter().copied()).fit(Prior::WhereNeeded, errors)
}

/// Prints the times.
pub fn print() {
    println!();
    let games = league(1_000, 1_000_000);
    timed("1,000,000 matches of 1,000 bots, diagonal errors", "goal 100 ms", || fit(1_000, &games, Errors::Diagonal));
    timed("the same, sandwich", "goal 3,000 ms", || fit(1_000, &games, Errors::Sandwich));
    timed("100 bootstrap replicates over 10,000 blocks of 100 matches, two threads", "goal 5,000 ms", || {
        let blocks = Bootstrap::new(1_000, Advantage::None, games.chunks(100), Prior::WhereNeeded);
        std::thread::scope(|scope| {
            for seed in [6, 7] {
                let mut own = blocks.clone();
                scope.spawn(move || {
                    let mut rng = Rng::new(Seed(seed));
                    for _ in 0..50 {
                        let Some(blocks) = &mut own else { continue };
                        let times = blocks.draw(|limit| rng.index(limit));
                        std::hint::black_box(blocks.replicate(&times));
                    }
                });
            }
        });
    });
    let games = league(10_000, 1_000_000);
    timed("1,000,000 matches of 10,000 bots, diagonal errors", "goal 1,000 ms", || {
        fit(10_000, &games, Errors::Diagonal)
    });
    println!();
}
