//! Each built-in bot clearly beats the one below it. `examples/ladder.rs` measures more games.

use agon_core::{Contest, Game, Joint, Seat, Seed, Setup, Terms, judge};
use agon_planet_wars::{Position, Rules};

/// The number of games that the first bot wins, of two games on each map.
fn wins(names: [&str; 2], maps: u64) -> usize {
    (0..maps).flat_map(|seed| [0, 1].map(|seat| wins_game(names, seed, seat))).filter(|won| *won).count()
}

fn wins_game(names: [&str; 2], seed: u64, seat: usize) -> bool {
    let map = Position::generate("small", Seed(seed), 2).unwrap();
    let terms = Terms { rules: Rules::SPEC, seats: 2, limit: Some(80) };
    let mut game = Position::from_map(map, &terms).unwrap().without_fleets();
    let mut tmp = <Position as Game>::Scratch::default();
    let mut bots = [0, 1].map(|side| Position::bot(names[side ^ seat], Seed(seed).for_bot(Seat::new(side))).unwrap());
    while !game.over() {
        let mut orders = [Vec::new(), Vec::new()];
        for side in 0..2 {
            bots[side].decide(game.view(Seat::new(side)), &mut orders[side]);
        }
        let entries = [0, 1].map(|side| judge(&game, Seat::new(side), &orders[side], None, &mut tmp).0);
        game.resolve(Joint::new(&entries), &mut tmp, &mut ());
    }
    game.standing().sole_winner() == Some(seat)
}

#[test]
fn rage_beats_random() {
    assert!(wins(["rage", "random"], 10) >= 16);
}

#[test]
fn prospector_beats_rage() {
    assert!(wins(["prospector", "rage"], 10) >= 16);
}

#[test]
fn warlord_beats_prospector() {
    assert!(wins(["warlord", "prospector"], 3) >= 4);
}
