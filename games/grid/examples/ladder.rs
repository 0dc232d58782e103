//! Who beats whom: every pair of built-in bots, both seats, and how long their decisions take.
//!
//! `cargo run --release -p agon-grid --example ladder [MAP_KIND [PAIRS [RULES]]]`

use agon_core::{Contest, Entry, Game, Joint, Seat, Seed, Setup, Terms, rules};
use agon_grid::{Position, Rules, Scratch};
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().unwrap_or_else(|| "10x10".into());
    let pairs: u64 = arguments.next().map_or(20, |n| n.parse().expect("a number of pairs"));
    let rules: Rules = rules::parse(&arguments.next().unwrap_or_default()).expect("a rule set");
    let bots = Position::INFO.bots;
    for (i, strong) in bots.iter().enumerate() {
        for weak in &bots[..i] {
            let mut points = 0.0;
            let mut spent = [Duration::ZERO; 2];
            for seed in 0..pairs {
                points += play(&kind, rules, Seed(seed), [strong.name, weak.name], &mut spent);
                points += 1.0 - play(&kind, rules, Seed(seed), [weak.name, strong.name], &mut [Duration::ZERO; 2]);
            }
            println!(
                "{:>9} against {:<9} {points:5.1} of {} points, slowest decisions {:.1?} and {:.1?}",
                strong.name,
                weak.name,
                2 * pairs,
                spent[0],
                spent[1],
            );
        }
    }
}

/// The points of seat 1 in one match.
fn play(kind: &str, rules: Rules, seed: Seed, names: [&str; 2], spent: &mut [Duration; 2]) -> f64 {
    let map = Position::generate(kind, seed, 2).expect("a kind of map");
    let terms = Terms { rules, seats: 2, limit: None };
    let mut game = Position::from_map(map, &terms).expect("a map to start from");
    let seats = [Seat::new(0), Seat::new(1)];
    let mut bots = seats.map(|s| Position::bot(names[s.index()], seed.for_bot(s)).expect("a listed bot"));
    let mut tmp = Scratch::default();
    while !game.over() {
        let orders = seats.map(|seat| {
            let mut orders = Vec::new();
            let begin = Instant::now();
            bots[seat.index()].decide(game.view(seat), &mut orders);
            spent[seat.index()] = spent[seat.index()].max(begin.elapsed());
            orders
        });
        let entries = seats.map(|seat| Entry { seat, orders: &orders[seat.index()][..], failure: None });
        game.resolve(Joint::new(&entries), &mut tmp, &mut ());
    }
    match game.standing().places[..] {
        [1, 1] => 0.5,
        [1, _] => 1.0,
        _ => 0.0,
    }
}
