//! Nanoseconds a turn of random lawful play, whole games from generated boards: `cargo run --release --example sim`.

use agon_core::{Contest, Entry, Game, Joint, Rng, Seed, Setup, Terms};
use agon_triangles::{Position, Reading};
use std::time::Instant;

fn main() {
    println!("board        set-up ms  tables ms  ns a turn  us a game  turns a game");
    for kind in ["uniform-20", "uniform-50", "uniform-100", "lattice-100", "convex-50"] {
        let terms = Terms { reading: Reading::default(), seats: 2, limit: None };
        let drawing = Position::generate(kind, Seed(1), 2).expect("a kind of the game");
        let begun = Instant::now();
        let start = Position::from_drawing(drawing, &terms).expect("a generated board is lawful");
        let set_up = begun.elapsed().as_secs_f64() * 1e3;
        let (mut rng, mut orders) = (Rng::new(Seed(1)), Vec::with_capacity(1));
        let begun = Instant::now();
        start.sample(start.to_move(), &mut rng, &mut (), &mut orders);
        let tables = begun.elapsed().as_secs_f64() * 1e3;
        let (mut game, mut games, mut turns) = (start.clone(), 0u32, 0u64);
        let begun = Instant::now();
        while begun.elapsed().as_millis() < 1000 {
            for _ in 0..100 {
                game.clone_from(&start);
                while !game.over() {
                    let seat = game.to_move();
                    game.sample(seat, &mut rng, &mut (), &mut orders);
                    let entry = [Entry { seat, orders: &orders, failure: None }];
                    game.resolve(Joint::new(&entry), &mut (), &mut ());
                    turns += 1;
                }
                games += 1;
            }
        }
        let spent = begun.elapsed().as_secs_f64();
        let (per_turn, per_game) = (spent * 1e9 / turns as f64, spent * 1e6 / f64::from(games));
        let length = turns as f64 / f64::from(games);
        println!("{kind:12} {set_up:9.2}  {tables:9.2}  {per_turn:9.1}  {per_game:9.1}  {length:12.1}");
    }
}
