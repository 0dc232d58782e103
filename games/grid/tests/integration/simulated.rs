//! Simulated matches are the same everywhere: on every processor, in every build, in every later version.

use agon_core::{Contest, Entry, Game, Joint, Rng, Seat, Seed, Setup, Terms};
use agon_grid::{Position, Rules, Scratch};

/// The numbers of the last positions, added up.
fn simulated(kind: &str, matches: u64) -> u64 {
    let terms = Terms { rules: Rules::SPEC, seats: 2, limit: None };
    let start = Position::from_map(Position::generate(kind, Seed(1), 2).unwrap(), &terms).unwrap();
    let mut tmp = Scratch::default();
    let mut sum = 0u64;
    for seed in 0..matches {
        let (mut game, mut rng) = (start.clone(), Rng::new(Seed(seed)));
        while !game.over() {
            let orders = [Seat::new(0), Seat::new(1)].map(|seat| {
                let mut orders = Vec::new();
                game.sample(seat, &mut rng, &mut tmp, &mut orders);
                orders
            });
            let entry = |seat: usize| Entry { seat: Seat::new(seat), orders: &orders[seat][..], failure: None };
            game.resolve(Joint::new(&[entry(0), entry(1)]), &mut tmp, &mut ());
        }
        sum = sum.wrapping_add(game.fingerprint());
    }
    sum
}

#[test]
fn a_seed_plays_the_same_match_everywhere() {
    for (kind, matches, sum) in [
        ("10x10", 100, 0x7f49_08e8_ab7f_949f_u64),
        ("9x7", 50, 0xdcd1_cffe_8199_65fa),
        ("62x2", 50, 0x22a4_2c81_77ab_195b),
        ("70x12", 20, 0x9c3b_b976_ad36_dc0f),
        ("40x40", 20, 0x10d7_f9b7_7cb1_8838),
    ] {
        assert_eq!(format!("{:016x}", simulated(kind, matches)), format!("{sum:016x}"), "{kind}");
    }
}
