//! Each built-in bot beats the next weaker one. `examples/ladder.rs` measures by how much.

use agon_core::{Contest, Game, Joint, Seed, Setup, Terms, judge};
use agon_portals::{Position, Rules, Scratch};

/// The scores after a few rounds.
fn play(kind: &str, seed: u64, rounds: u32, names: [&str; 2]) -> Vec<i64> {
    let map = Position::generate(kind, Seed(seed), 2).unwrap();
    let terms = Terms { rules: Rules::SPEC, seats: 2, limit: Some(rounds) };
    let mut game = Position::from_map(map, &terms).unwrap();
    let mut bots = names.map(|name| Position::bot(name, Seed(seed)).unwrap());
    let mut tmp = Scratch::default();
    while let Some(seat) = game.awaiting().iter().next() {
        let mut orders = Vec::new();
        bots[seat.index()].decide(game.view(seat), &mut orders);
        let (entry, refused) = judge(&game, seat, &orders, None, &mut tmp);
        assert!(refused.is_none(), "@{} is refused: {:?}", names[seat.index()], refused.map(|r| r.why));
        game.resolve(Joint::new(&[entry]), &mut tmp, &mut ());
    }
    game.standing().scores
}

#[test]
fn every_bot_beats_the_one_below_it() {
    for (pair, rounds) in Position::INFO.bots.windows(2).zip([100, 100, 40]) {
        let (weak, strong) = (pair[0].name, pair[1].name);
        let mut won = 0;
        for (kind, seed) in [("queens", 1), ("scattered", 2), ("islands", 3)] {
            let first = play(kind, seed, rounds, [strong, weak]);
            let second = play(kind, seed, rounds, [weak, strong]);
            won += u32::from(first[0] > first[1]) + u32::from(second[1] > second[0]);
        }
        assert!(won >= 4, "{strong} beats {weak} in {won} of 6");
    }
}

#[test]
fn bots_play_on_maps_without_anything_to_do() {
    for map in ["0 0 0 0 .", "0 0 1 1 X. ..", "1 1 1 1 XXX XXX XXX"] {
        let terms = Terms { rules: Rules::ORIGINAL, seats: 2, limit: Some(4) };
        for bot in Position::INFO.bots {
            let map = Position::parse_map(map.as_bytes()).unwrap();
            let mut game = Position::from_map(map, &terms).unwrap();
            let mut bot = Position::bot(bot.name, Seed(1)).unwrap();
            let mut tmp = Scratch::default();
            while let Some(seat) = game.awaiting().iter().next() {
                let mut orders = Vec::new();
                bot.decide(game.view(seat), &mut orders);
                let (entry, refused) = judge(&game, seat, &orders, None, &mut tmp);
                assert!(refused.is_none());
                game.resolve(Joint::new(&[entry]), &mut tmp, &mut ());
            }
        }
    }
}
