//! Each built-in bot beats the one below it, from both seats.

use agon_core::{Bot, Contest, Entry, Game, Joint, Seed, Setup, Terms, rules};
use agon_lighthouses::Position;

/// The points of two bots in one match.
fn play(rules: &str, kind: &str, seed: Seed, names: [&str; 2]) -> [i64; 2] {
    let map = Position::generate(kind, seed, 2).unwrap();
    let terms = Terms { rules: rules::parse(rules).unwrap(), seats: 2, limit: Some(150) };
    let mut game = Position::from_map(map, &terms).unwrap();
    let mut bots: Vec<Box<dyn Bot<Position>>> =
        names.iter().map(|name| Position::bot(name, seed).expect("a listed bot")).collect();
    let mut orders = Vec::new();
    while !game.over() {
        let seat = game.awaiting().iter().next().expect("nobody fails");
        orders.clear();
        bots[seat.index()].decide(game.view(seat), &mut orders);
        assert_eq!(game.check(seat, &orders, &mut ()), Ok(()), "a built-in bot is never refused");
        game.resolve(Joint::new(&[Entry { seat, orders: &orders, failure: None }]), &mut (), &mut ());
    }
    let scores = game.standing().scores;
    [scores[0], scores[1]]
}

/// The number of matches that the stronger bot won on maps of `kinds`, with the seats exchanged, under both rule sets.
fn won(strong: &str, weak: &str, kinds: &[&str]) -> (usize, usize) {
    let (mut won, mut played) = (0, 0);
    for rules in ["spec", "original"] {
        for (seed, kind) in (1..).map(Seed).zip(kinds) {
            let [a, b] = play(rules, kind, seed, [strong, weak]);
            let [c, d] = play(rules, kind, seed, [weak, strong]);
            won += usize::from(a > b) + usize::from(d > c);
            played += 2;
        }
    }
    (won, played)
}

#[test]
fn the_lamplighter_beats_random() {
    let (won, played) = won("lamplighter", "random", &["island", "lakes", "grid", "island"]);
    assert!(won * 3 >= played * 2, "{won} of {played}");
}

#[test]
fn the_weaver_beats_the_lamplighter() {
    let (won, played) = won("weaver", "lamplighter", &["island", "lakes", "grid"]);
    assert!(won * 3 >= played * 2, "{won} of {played}");
}

#[test]
fn the_strategist_beats_the_weaver() {
    let (won, played) = won("strategist", "weaver", &["island", "lakes"]);
    assert!(won * 3 >= played * 2, "{won} of {played}");
}

#[test]
fn every_bot_is_listed_and_no_other() {
    assert_eq!(
        Position::INFO.bots.iter().map(|b| b.name).collect::<Vec<_>>(),
        ["random", "lamplighter", "weaver", "strategist"]
    );
    assert!(Position::INFO.bots.iter().all(|b| Position::bot(b.name, Seed(1)).is_some()));
    assert!(Position::bot("nobody", Seed(1)).is_none());
}
