//! Plays every built-in bot against every weaker one on generated maps, from both seats, and prints the results.
//!
//! `cargo run --release -p agon-planet-wars --example ladder [MAPS [KIND]]`

use agon_core::{Contest, Entry, Game, Joint, Seat, Seed, Setup, Terms};
use agon_planet_wars::{Position, Rules};
use std::time::{Duration, Instant};

fn main() {
    let maps: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(50);
    let kind = std::env::args().nth(2).unwrap_or_else(|| "final".into());
    for strong in 1..Position::INFO.bots.len() {
        for weak in 0..strong {
            let names = [Position::INFO.bots[strong].name, Position::INFO.bots[weak].name];
            let (mut won, mut drawn, mut lost) = (0, 0, 0);
            let (mut slowest, mut spent, mut decisions) = (Duration::ZERO, Duration::ZERO, 0u32);
            for seed in 0..maps {
                for seat in 0..2 {
                    let mut times = Vec::new();
                    match play(&kind, seed, names, seat, &mut times) {
                        Some(true) => won += 1,
                        Some(false) => lost += 1,
                        None => drawn += 1,
                    }
                    slowest = slowest.max(times.iter().copied().max().unwrap_or_default());
                    spent += times.iter().sum::<Duration>();
                    decisions += times.len() as u32;
                }
            }
            let mean = spent / decisions.max(1);
            println!(
                "{} - {}: {won} won, {drawn} drawn, {lost} lost; a decision of {0} takes {mean:?}, at most {slowest:?}",
                names[0], names[1]
            );
        }
    }
}

/// Whether the first bot, which has `seat`, wins. The duration of each of its decisions is added to `times`.
fn play(kind: &str, seed: u64, names: [&str; 2], seat: usize, times: &mut Vec<Duration>) -> Option<bool> {
    let map = Position::generate(kind, Seed(seed), 2).expect("the kind exists");
    let terms = Terms { rules: Rules::SPEC, seats: 2, limit: None };
    let mut game = Position::from_map(map, &terms).expect("a generated map can be played").without_fleets();
    let mut tmp = <Position as Game>::Scratch::default();
    let mut bots = [0, 1].map(|side| {
        let name = names[side ^ seat];
        Position::bot(name, Seed(seed).for_bot(Seat::new(side))).expect("the bot exists")
    });
    let mut orders = [Vec::new(), Vec::new()];
    while !game.over() {
        for side in 0..2 {
            orders[side].clear();
            let begin = Instant::now();
            bots[side].decide(game.view(Seat::new(side)), &mut orders[side]);
            if side == seat {
                times.push(begin.elapsed());
            }
        }
        let entries = [0, 1].map(|side| {
            let seat = Seat::new(side);
            let (entry, refused) = agon_core::judge(&game, seat, &orders[side], None, &mut tmp);
            assert!(refused.is_none(), "a built-in bot gave an unlawful order: {refused:?}");
            entry
        });
        let [first, second]: [Entry<'_, _>; 2] = entries;
        game.resolve(Joint::new(&[first, second]), &mut tmp, &mut ());
    }
    game.standing().sole_winner().map(|winner| winner == seat)
}
