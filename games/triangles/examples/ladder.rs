//! How strong the built-in bots are: `cargo run --release --example ladder [KIND] [BOARDS] [BOT BOT]`. Each pair of
//! neighbours in the list plays each board twice, with the sides exchanged.

use agon_core::{Bot, Contest, Entry, Game, Joint, Seat, Seed, Setup, Terms};
use agon_triangles::{Position, Rules};
use std::time::{Duration, Instant};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let kind = args.first().map_or("uniform", String::as_str);
    let boards: u64 = args.get(1).and_then(|n| n.parse().ok()).unwrap_or(50);
    let names: Vec<&str> = Position::INFO.bots.iter().map(|b| b.name).collect();
    let pairs: Vec<(&str, &str)> = match args.get(2..4) {
        Some([a, b]) => vec![(a.as_str(), b.as_str())],
        _ => names.windows(2).map(|w| (w[1], w[0])).collect(),
    };
    println!("{kind}, {boards} boards, each played twice");
    println!("bot        against      won  drawn   lost   margin  slowest ms  mean ms");
    for (strong, weak) in pairs {
        let (mut won, mut drawn, mut lost, mut margin) = (0, 0, 0, 0);
        let (mut slowest, mut spent, mut turns) = (Duration::ZERO, Duration::ZERO, 0u32);
        for board in 0..boards {
            for side in 0..2 {
                let mut bots =
                    [weak, weak].map(|name| Position::bot(name, Seed(board).derive("weak", side)).expect("a bot"));
                bots[side as usize] = Position::bot(strong, Seed(board).derive("strong", side)).expect("a bot");
                let scores = play(kind, board, &mut bots, |seat, time| {
                    if seat == side as usize {
                        (slowest, spent, turns) = (slowest.max(time), spent + time, turns + 1);
                    }
                });
                let ours = i64::from(scores[side as usize]) - i64::from(scores[1 - side as usize]);
                margin += ours;
                match ours.signum() {
                    1 => won += 1,
                    0 => drawn += 1,
                    _ => lost += 1,
                }
            }
        }
        let margin = margin as f64 / (2 * boards) as f64;
        let (slowest, mean) = (slowest.as_secs_f64() * 1e3, spent.as_secs_f64() * 1e3 / f64::from(turns.max(1)));
        println!("{strong:10} {weak:10} {won:5}  {drawn:5}  {lost:5}  {margin:+7.1}  {slowest:10.1}  {mean:7.2}");
    }
}

fn play(
    kind: &str,
    board: u64,
    bots: &mut [Box<dyn Bot<Position>>; 2],
    mut clock: impl FnMut(usize, Duration),
) -> [u32; 2] {
    let terms = Terms { rules: Rules::default(), seats: 2, limit: None };
    let map = Position::generate(kind, Seed(board), 2).expect("a kind of the game");
    let mut game = Position::from_map(map, &terms).expect("a generated board is lawful");
    let mut orders = Vec::new();
    while !game.over() {
        let seat: Seat = game.to_move();
        orders.clear();
        let begun = Instant::now();
        bots[seat.index()].decide(game.view(seat), &mut orders);
        clock(seat.index(), begun.elapsed());
        let entry = [Entry { seat, orders: &orders, failure: None }];
        game.resolve(Joint::new(&entry), &mut (), &mut ());
    }
    game.scores()
}
