//! Plays the built-in bots against each other on generated maps, with the seats exchanged, and prints which one wins:
//! `ladder [MAPS A KIND]`.

use agon_core::{Contest, Game, Joint, Seed, Setup, Terms, judge, rules};
use agon_portals::Position;
use std::time::{Duration, Instant};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let maps: u64 = args.first().and_then(|n| n.parse().ok()).unwrap_or(4);
    let names: Vec<&str> = Position::INFO.bots.iter().map(|b| b.name).collect();
    for (i, strong) in names.iter().enumerate().skip(1) {
        for weak in &names[..i] {
            if args.len() > 1 && !args[1..].iter().any(|a| a == *strong) {
                continue;
            }
            let (mut won, mut drawn, mut games) = (0, 0, 0i64);
            let mut points = [0, 0];
            let mut slowest = Duration::ZERO;
            for kind in Position::INFO.map_kinds {
                for seed in 0..maps {
                    for swap in [false, true] {
                        let pair = if swap { [*weak, *strong] } else { [*strong, *weak] };
                        let scores = play(kind.name, seed, pair, &mut slowest);
                        let (ours, theirs) = if swap { (scores[1], scores[0]) } else { (scores[0], scores[1]) };
                        games += 1;
                        points = [points[0] + ours, points[1] + theirs];
                        won += u32::from(ours > theirs);
                        drawn += u32::from(ours == theirs);
                    }
                }
            }
            println!(
                "{strong} - {weak}: {won} won, {drawn} drawn of {games}, {} - {} points a game; slowest decision {slowest:?}",
                points[0] / games,
                points[1] / games
            );
        }
    }
}

fn play(kind: &str, seed: u64, names: [&str; 2], slowest: &mut Duration) -> Vec<i64> {
    let map = Position::generate(kind, Seed(seed), 2).expect("a listed kind");
    let terms = Terms { rules: rules::parse("spec").expect("a set"), seats: 2, limit: None };
    let mut game = Position::from_map(map, &terms).expect("a generated map is lawful");
    let mut bots = names.map(|name| Position::bot(name, Seed(seed)).expect("a listed bot"));
    let mut tmp = Default::default();
    while !game.over() {
        let seat = game.awaiting().iter().next().expect("nobody dies");
        let mut orders = Vec::new();
        let begun = Instant::now();
        bots[seat.index()].decide(game.view(seat), &mut orders);
        *slowest = begun.elapsed().max(*slowest);
        let (entry, refused) = judge(&game, seat, &orders, None, &mut tmp);
        assert!(refused.is_none(), "{} is refused: {:?}", names[seat.index()], refused.map(|r| r.why));
        game.resolve(Joint::new(&[entry]), &mut tmp, &mut ());
    }
    game.standing().scores
}
