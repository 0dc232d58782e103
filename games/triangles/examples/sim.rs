//! The time of a turn in nanoseconds, for random lawful play of whole games on generated boards: `cargo run --release
//! --example sim`.

use agon_core::{Contest, Entry, Game, Joint, Rng, Seed, Setup, Terms};
use agon_triangles::{Position, Rules};
use std::time::Instant;

fn main() {
    println!("board        set-up ms  tables ms  ns a turn  us a game  turns a game");
    for kind in ["uniform-20", "uniform-50", "uniform-100", "lattice-100", "convex-50"] {
        let terms = Terms { rules: Rules::default(), seats: 2, limit: None };
        let map = Position::generate(kind, Seed(1), 2).expect("a kind of the game");
        let begun = Instant::now();
        let start = Position::from_map(map, &terms).expect("a generated board is lawful");
        let set_up = begun.elapsed().as_secs_f64() * 1e3;
        let (mut rng, mut orders) = (Rng::new(Seed(1)), Vec::with_capacity(1));
        let begun = Instant::now();
        start.sample(start.to_move(), &mut rng, &mut (), &mut orders);
        let tables = begun.elapsed().as_secs_f64() * 1e3;
        let mut game = start.clone();
        let (mut per_turn, mut per_game, mut length) = (f64::MAX, f64::MAX, 0.0);
        // This takes the fastest of many short slices, because other programs may be busy on the machine.
        for _ in 0..100 {
            let (games, mut turns, begun) = (300u32, 0u32, Instant::now());
            for _ in 0..games {
                game.clone_from(&start);
                while !game.over() {
                    let seat = game.to_move();
                    game.sample(seat, &mut rng, &mut (), &mut orders);
                    let entry = [Entry { seat, orders: &orders, failure: None }];
                    game.resolve(Joint::new(&entry), &mut (), &mut ());
                    turns += 1;
                }
            }
            let spent = begun.elapsed().as_secs_f64();
            per_turn = per_turn.min(spent * 1e9 / f64::from(turns));
            per_game = per_game.min(spent * 1e6 / f64::from(games));
            length = f64::from(turns) / f64::from(games);
        }
        println!("{kind:12} {set_up:9.2}  {tables:9.2}  {per_turn:9.1}  {per_game:9.1}  {length:12.1}");
    }
}
