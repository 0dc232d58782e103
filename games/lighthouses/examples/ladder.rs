//! Plays the built-in bots against each other: `cargo run --release --example ladder [GAMES]`.
//!
//! Plays every pair of bots on every map, also with the seats exchanged. Prints the wins, draws and losses of the
//! first bot, its mean share of the points, and the longest decision.

use agon_core::{Bot, Contest, Entry, Game, Joint, Seed, Setup, Terms, rules};
use agon_lighthouses::Position;
use std::time::{Duration, Instant};

fn main() {
    let games: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20);
    let only = std::env::args().nth(2);
    for rules in ["spec", "original"] {
        for pair in Position::INFO.bots.windows(2) {
            let (weak, strong) = (pair[0].name, pair[1].name);
            if only.as_deref().is_some_and(|o| o != strong) {
                continue;
            }
            let mut tally = [0; 3];
            let (mut share, mut slowest) = (0.0, Duration::ZERO);
            for game in 0..games {
                let kind = Position::INFO.map_kinds[(game / 2) as usize % Position::INFO.map_kinds.len()].name;
                let names = if game % 2 == 0 { [strong, weak] } else { [weak, strong] };
                let (scores, time) = play(kind, Seed(game / 2), rules, names);
                let (mine, theirs) = if game % 2 == 0 { (scores[0], scores[1]) } else { (scores[1], scores[0]) };
                tally[match mine.cmp(&theirs) {
                    std::cmp::Ordering::Greater => 0,
                    std::cmp::Ordering::Equal => 1,
                    std::cmp::Ordering::Less => 2,
                }] += 1;
                share += mine as f64 / (mine + theirs).max(1) as f64;
                slowest = slowest.max(time);
            }
            let [won, drawn, lost] = tally;
            let percent = 100.0 * share / games as f64;
            println!(
                "{rules}: {strong} against {weak}: +{won} ={drawn} -{lost}, {percent:.0} % of the points, slowest decision {slowest:.1?}"
            );
        }
    }
}

fn play(kind: &str, seed: Seed, rules: &str, names: [&str; 2]) -> (Vec<i64>, Duration) {
    let map = Position::generate(kind, seed, 2).expect("a listed kind");
    let terms = Terms { rules: rules::parse(rules).expect("a rule set"), seats: 2, limit: Some(400) };
    let mut game = Position::from_map(map, &terms).expect("a playable map");
    let mut bots: Vec<Box<dyn Bot<Position>>> = names
        .iter()
        .enumerate()
        .map(|(i, n)| Position::bot(n, seed.derive("bot", i as u64)).expect("a listed bot"))
        .collect();
    let mut slowest = Duration::ZERO;
    let mut orders = Vec::new();
    while !game.over() {
        for seat in game.awaiting().iter() {
            orders.clear();
            let start = Instant::now();
            bots[seat.index()].decide(game.view(seat), &mut orders);
            slowest = slowest.max(start.elapsed());
            if let Err((_, why)) = game.check(seat, &orders, &mut ()) {
                println!("{} in {kind} {seed}, round {}: {why}", names[seat.index()], game.round());
            }
            game.resolve(Joint::new(&[Entry { seat, orders: &orders, failure: None }]), &mut (), &mut ());
        }
    }
    (game.standing().scores, slowest)
}
