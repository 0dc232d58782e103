//! The list of built-in bots is ordered by strength: each bot beats the one before it.

use agon_core::{Contest, Entry, Game, Joint, Seat, Seed, Setup, Terms};
use agon_grid::{Position, Rules, Scratch};

const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

/// The half points of seat 1.
fn play(kind: &str, seed: Seed, names: [&str; 2], limit: Option<u32>) -> u32 {
    let map = Position::generate(kind, seed, 2).unwrap();
    let terms = Terms { rules: Rules::SPEC, seats: 2, limit };
    let mut game = Position::from_map(map, &terms).unwrap();
    let mut bots = SEATS.map(|s| Position::bot(names[s.index()], seed.for_bot(s)).unwrap());
    let mut tmp = Scratch::default();
    while !game.over() {
        let orders = SEATS.map(|seat| {
            let mut orders = Vec::new();
            bots[seat.index()].decide(game.view(seat), &mut orders);
            orders
        });
        for seat in SEATS {
            game.check(seat, &orders[seat.index()], &mut tmp).unwrap_or_else(|e| panic!("{names:?}: {e:?}"));
        }
        let entries = SEATS.map(|seat| Entry { seat, orders: &orders[seat.index()][..], failure: None });
        game.resolve(Joint::new(&entries), &mut tmp, &mut ());
    }
    match game.standing().places[..] {
        [1, 1] => 1,
        [1, _] => 2,
        _ => 0,
    }
}

#[test]
fn each_bot_beats_the_one_before() {
    // Only a few matches include `warden`, because it thinks; of 100 against `frontier` it has lost none.
    for (strong, weak, pairs) in [("greedy", "random", 12), ("frontier", "greedy", 24), ("warden", "frontier", 2)] {
        let mut points = 0;
        for seed in 0..pairs {
            points += play("10x10", Seed(seed), [strong, weak], None);
            points += 2 - play("10x10", Seed(seed), [weak, strong], None);
        }
        assert!(
            points >= 4 * pairs as u32 * 7 / 10,
            "{strong} has {points} of {} half points against {weak}",
            4 * pairs
        );
    }
}

#[test]
fn bots_play_on_maps_of_every_shape() {
    for kind in ["1x2", "1x9", "70x2", "mingled-9x6", "scatter-12x12"] {
        for bot in Position::INFO.bots {
            play(kind, Seed(1), [bot.name, "random"], Some(25));
        }
    }
}
