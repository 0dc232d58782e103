//! Plays random lawful games as fast as possible and prints the time of an action: `sim [KIND
//! MAP FILE] [GAMES]`.

use agon_core::{Contest, Entry, Game, Joint, Rng, Seat, Seed, Setup, Terms};
use agon_portals::{Position, Rules};
use std::{hint::black_box, time::Instant};

fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_else(|| "queens".into());
    let games: u64 = args.next().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let map = match std::fs::read(&name) {
        Ok(text) => Position::parse_map(&text),
        Err(_) => Position::generate(&name, Seed(1), 2),
    };
    let map = map.unwrap_or_else(|flaw| panic!("{name}: {flaw}"));
    let portals = map.portals.len();
    let terms = Terms { rules: Rules::ORIGINAL, seats: 2, limit: None };
    let start = Position::from_map(map, &terms).unwrap_or_else(|flawed| panic!("{name}: {}", flawed.flaw));
    let mut game = start.clone();
    let (mut tmp, mut orders, mut rng) = (Default::default(), Vec::new(), Rng::new(Seed(1)));
    let (mut actions, mut turns, mut links, mut score) = (0u64, 0u64, 0, 0);
    let begun = Instant::now();
    for _ in 0..games {
        game.clone_from(&start);
        while !game.over() {
            let seat = Seat::new((turns % 2) as usize);
            game.sample(seat, &mut rng, &mut tmp, &mut orders);
            actions += orders.len() as u64;
            turns += 1;
            game.resolve(Joint::new(&[Entry { seat, orders: &orders, failure: None }]), &mut tmp, &mut ());
        }
        links += game.view(Seat::new(0)).links().len();
        score += game.standing().scores[0];
    }
    let nanoseconds = begun.elapsed().as_nanos() as f64;
    black_box(&game);
    println!(
        "{portals} portals, {games} games, {turns} turns, {actions} actions, {:.1} links and {} points a game: {:.1} ns an action, {:.1} ns a turn",
        links as f64 / games as f64,
        score / games as i64,
        nanoseconds / actions as f64,
        nanoseconds / turns as f64
    );
}
