//! The laws of every game, and a test for each rule of this one.

use agon_core::{
    Contest, Ending, Entry, Failure, Game, Joint, Seat, Seed,
    laws::{self, Case, CountingAllocator, Map},
};
use agon_toy::{Order, Position};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn cases() -> Vec<Case<'static>> {
    let case = |map, rules| Case { map, rules, seats: 2, limit: None, seed: 5 };
    vec![
        case(Map::Generated("small", 1), "spec"),
        case(Map::Generated("large", 2), "spec,last=loses"),
        case(Map::Generated("small", 3), "together,unlawful=pass"),
        case(Map::Text("heap 1\nmost 99\n"), "spec"),
    ]
}

#[test]
fn laws_hold() {
    for case in cases() {
        laws::all::<Position>(&case);
    }
}

#[test]
fn a_turn_allocates_nothing() {
    for case in cases() {
        laws::allocates_nothing::<Position>(&case);
    }
}

fn toy(map: &'static str, rules: &'static str, limit: Option<u32>) -> Position {
    Case { map: Map::Text(map), rules, seats: 2, limit, seed: 1 }.start().unwrap()
}

fn play(game: &mut Position, turn: &[(usize, &[u32], Option<Failure>)]) {
    let orders: Vec<Vec<Order>> = turn.iter().map(|(_, takes, _)| takes.iter().copied().map(Order).collect()).collect();
    let entries: Vec<_> = turn
        .iter()
        .zip(&orders)
        .map(|((seat, _, failure), orders)| Entry { seat: Seat::new(*seat), orders, failure: *failure })
        .collect();
    game.resolve(Joint::new(&entries), &mut (), &mut ());
}

#[test]
fn taking_the_last_stone_wins_or_loses() {
    for (rules, places) in [("spec", vec![2, 1]), ("spec,last=loses", vec![1, 2])] {
        let mut game = toy("heap 4\nmost 3\n", rules, None);
        play(&mut game, &[(0, &[1], None)]);
        assert!(!game.over());
        play(&mut game, &[(1, &[3], None)]);
        let standing = game.standing();
        assert_eq!((standing.places, standing.ending), (places, Ending::Complete), "{rules}");
    }
}

#[test]
fn together_the_smaller_number_has_the_last_stone_and_equal_ones_nobody() {
    for (takes, places) in [([2, 3], vec![1, 2]), ([3, 2], vec![2, 1]), ([3, 3], vec![1, 1])] {
        let mut game = toy("heap 5\nmost 3\n", "together", None);
        play(&mut game, &[(0, &takes[..1], None), (1, &takes[1..], None)]);
        assert!(game.over());
        assert_eq!(game.standing().places, places, "{takes:?}");
    }
}

#[test]
fn both_failing_in_one_turn_have_both_lost() {
    let mut game = toy("heap 5\nmost 3\n", "together", None);
    play(&mut game, &[(0, &[], Some(Failure::Late)), (1, &[], Some(Failure::Gone))]);
    let standing = game.standing();
    assert_eq!((standing.places, standing.ending), (vec![2, 2], Ending::Forfeit));
}

#[test]
fn the_limit_of_turns_draws() {
    let mut game = toy("heap 500\nmost 3\n", "spec", Some(2));
    play(&mut game, &[(0, &[1], None)]);
    play(&mut game, &[(1, &[1], None)]);
    let standing = game.standing();
    assert_eq!((standing.places, standing.ending), (vec![1, 1], Ending::Limit));
}

#[test]
fn the_perfect_bot_wins_every_heap_that_can_be_won() {
    for rules in ["spec", "spec,last=loses"] {
        for seed in 0..40 {
            let case = Case { map: Map::Generated("small", seed), rules, seats: 2, limit: None, seed };
            let mut game: Position = case.start().unwrap();
            let mut perfect = Position::bot("perfect", Seed(seed)).unwrap();
            let mut other = Position::bot("random", Seed(seed)).unwrap();
            let view = game.view(Seat::new(0));
            let lost = u32::from(!view.last_wins);
            let winnable = view.stones % (view.most + 1) != lost;
            while !game.over() {
                let seat = game.awaiting().iter().next().unwrap();
                let mut orders = vec![];
                let bot = if seat.index() == 0 { &mut perfect } else { &mut other };
                bot.decide(game.view(seat), &mut orders);
                play(&mut game, &[(seat.index(), &[orders[0].0], None)]);
            }
            assert!(!winnable || game.standing().places == [1, 2], "{rules}, seed {seed}");
        }
    }
}
