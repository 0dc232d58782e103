//! Measures the time of a simulated round in whole matches of random lawful play.
//!
//! `cargo run --release -p agon-lighthouses --example sim [PLAYERS [MATCHES [MAP_FILE]]]`
//!
//! A round is one turn of every player with its random order, and the start and the points of the round. Without a
//! file the map is a generated island of about 20x20 cells.

use agon_core::{Contest, Entry, Game, Joint, Rng, Seed, Setup, Terms};
use agon_lighthouses::{Position, Rules};
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let players: usize = arguments.next().map_or(4, |n| n.parse().expect("a number of players"));
    let matches: u64 = arguments.next().map_or(400, |n| n.parse().expect("a number of matches"));
    let map = match arguments.next() {
        Some(file) => Position::parse_map(&std::fs::read(file).expect("a readable file")),
        None => Position::generate("island", Seed(9), players),
    };
    let map = map.expect("a playable map");
    let (width, height, lights) = (map.width(), map.height(), map.lighthouses().len());
    let terms = Terms { rules: Rules::SPEC, seats: players, limit: None };
    let start = Position::from_map(map, &terms).expect("a playable map");

    let mut game = start.clone();
    let mut orders = Vec::new();
    let (mut rounds, mut sum) = (0u64, 0u64);
    let begin = Instant::now();
    for seed in 0..matches {
        let mut rng = Rng::new(Seed(seed));
        game.clone_from(&start);
        while !game.over() {
            for seat in game.awaiting().iter() {
                game.sample(seat, &mut rng, &mut (), &mut orders);
                let entry = Entry { seat, orders: &orders, failure: None };
                game.resolve(Joint::new(&[entry]), &mut (), &mut ());
            }
        }
        rounds += u64::from(game.round());
        sum = sum.wrapping_add(game.fingerprint());
    }
    let nanos = begin.elapsed().as_nanos() as f64 / rounds as f64;
    println!(
        "{width}x{height}, {lights} lighthouses, {players} players: {nanos:.1} ns a round, {:.2} million rounds a second, \
         {:.1} ns a turn, {matches} matches, sum {sum:016x}",
        1e3 / nanos,
        nanos / players as f64,
    );
}
