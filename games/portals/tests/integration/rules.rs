//! The rules, in the words of the specification.

use agon_core::{
    Contest, Entry, Failure, Game, Joint, Rng, Seat, Seed, Setup, Terms,
    geometry::{Point, pt},
    judge,
};
use agon_portals::{
    MAX_ACTIONS,
    Order::{self, Capture, Link, Move, Neutralise, Shield, Turbo},
    Position, Refusal, Rules, Scratch, Turn, error_code,
};
use proptest::prelude::*;

const FIRST: Seat = Seat::new(0);
const SECOND: Seat = Seat::new(1);

/// Portals at the corners of a square of side 5, in its middle, and on the middle of the upper edge.
const SQUARE: &str = "0 0\n4 4\nX.X.X\n.....\n..X..\n.....\nX...X\n";

fn game(map: &str, rules: Rules) -> Position {
    let map = Position::parse_map(map.as_bytes()).unwrap();
    Position::from_map(map, &Terms { rules, seats: 2, limit: None }).unwrap()
}

fn play(game: &mut Position, actions: &[Order]) {
    let seat = game.awaiting().iter().next().expect("somebody is awaited");
    let mut tmp = Scratch::default();
    let (entry, refused) = judge(game, seat, actions, None, &mut tmp);
    assert!(refused.is_none(), "{:?}", refused.map(|r| (r.index, r.why)));
    game.resolve(Joint::new(&[entry]), &mut tmp, &mut ());
}

fn fail(game: &mut Position, actions: &[Order], failure: Failure) {
    let seat = game.awaiting().iter().next().expect("somebody is awaited");
    let entry = Entry { seat, orders: actions, failure: Some(failure) };
    game.resolve(Joint::new(&[entry]), &mut Scratch::default(), &mut ());
}

/// Player 0 has walked to these portals and owns them. It is its turn again.
fn owning(map: &str, rules: Rules, portals: &[(i32, i32)]) -> Position {
    let mut game = game(map, rules);
    for (x, y) in portals {
        let mut at = game.view(FIRST).agent(0).unwrap();
        loop {
            let step = |from: i32, to: i32, most: i32| (to - from).clamp(-most, most);
            let dx = step(at.x, *x, 6);
            at = pt(at.x + dx, at.y + step(at.y, *y, 6 - dx.abs()));
            let rest: &[Order] = if at == pt(*x, *y) { &[Capture] } else { &[] };
            play(&mut game, &[&[Move(at)], rest].concat());
            play(&mut game, &[]);
            if !rest.is_empty() {
                break;
            }
        }
    }
    game
}

fn codes(turn: &mut Turn, actions: &[Order]) -> Vec<u8> {
    actions.iter().map(|a| error_code(turn.act(*a))).collect()
}

#[test]
fn each_turn_starts_with_42_action_and_6_movement_points() {
    let mut game = game(SQUARE, Rules::SPEC);
    play(&mut game, &[Capture, Turbo, Move(pt(2, 0))]);
    assert_eq!(game.view(FIRST).left_over(0), Some((33, 5)));
    play(&mut game, &[]);
    let turn = Turn::open(&game, FIRST);
    assert_eq!((turn.view().action_points(), turn.view().move_points()), (42, 6));
    assert_eq!(turn.view().round(), 2);
}

#[test]
fn a_move_costs_its_manhattan_distance_and_the_own_cell_nothing() {
    let game = game(SQUARE, Rules::SPEC);
    let mut turn = Turn::open(&game, FIRST);
    assert_eq!(codes(&mut turn, &[Move(pt(5, 0)), Move(pt(0, -1)), Move(pt(4, 3))]), [3, 3, 4]);
    assert_eq!(codes(&mut turn, &[Move(pt(2, 1)), Move(pt(2, 1)), Move(pt(4, 3))]), [0, 0, 4]);
    assert_eq!(turn.view().move_points(), 3);
    assert_eq!(turn.actions(), [Move(pt(2, 1)), Move(pt(2, 1))]);
}

#[test]
fn turbo_buys_a_step_for_six_points_seven_times() {
    let game = game(SQUARE, Rules::SPEC);
    let mut turn = Turn::open(&game, FIRST);
    assert_eq!(codes(&mut turn, &[Turbo; 8]), [0, 0, 0, 0, 0, 0, 0, 1]);
    assert_eq!((turn.view().action_points(), turn.view().move_points()), (0, 13));
}

#[test]
fn a_capture_scores_at_once_and_needs_a_neutral_portal_underfoot() {
    let mut game = game(SQUARE, Rules::SPEC);
    let mut turn = Turn::open(&game, FIRST);
    assert_eq!(codes(&mut turn, &[Capture, Capture, Move(pt(1, 0)), Capture]), [0, 5, 0, 2]);
    assert_eq!(turn.view().score(0), Some(10));
    play(&mut game, &[Capture]);
    let mut turn = Turn::open(&game, SECOND);
    assert_eq!(codes(&mut turn, &[Turbo, Turbo, Move(pt(0, 0)), Capture]), [0, 0, 0, 7]);
    let mut turn = Turn::open(&game, SECOND);
    assert_eq!(codes(&mut turn, &[Turbo; 7]), [0; 7]);
    assert_eq!(codes(&mut turn, &[Capture]), [1], "the points are tested before the portal");
}

#[test]
fn a_link_makes_its_checks_in_the_order_of_the_original() {
    let game = owning(SQUARE, Rules::SPEC, &[(0, 0), (0, 4), (4, 4)]);
    let mut turn = Turn::open(&game, FIRST);
    let tries = [Link(pt(9, 9)), Link(pt(1, 1)), Link(pt(4, 4)), Link(pt(4, 0)), Link(pt(0, 0)), Link(pt(0, 0))];
    assert_eq!(codes(&mut turn, &tries), [3, 2, 10, 6, 0, 8]);
    assert_eq!(codes(&mut turn, &[Move(pt(3, 4)), Link(pt(0, 0)), Link(pt(1, 1))]), [0, 2, 2]);
    let mut turn = Turn::open(&game, FIRST);
    codes(&mut turn, &[Turbo; 7]);
    assert_eq!(codes(&mut turn, &[Link(pt(9, 9))]), [1]);
}

#[test]
fn a_link_over_a_portal_blocks_the_links_of_that_portal() {
    let game = owning(SQUARE, Rules::SPEC, &[(2, 0), (4, 0), (0, 0), (0, 4)]);
    let mut turn = Turn::open(&game, FIRST);
    codes(&mut turn, &[Move(pt(0, 0)), Link(pt(4, 0))]);
    // (2, 0) lies strictly inside the link from (0, 0) to (4, 0).
    assert_eq!(codes(&mut turn, &[Link(pt(2, 0))]), [8]);
    assert_eq!(codes(&mut turn, &[Move(pt(2, 0)), Link(pt(0, 4)), Link(pt(4, 0))]), [0, 8, 8]);
}

#[test]
fn three_linked_portals_are_a_field_and_shut_in_what_lies_strictly_inside() {
    let all = [(2, 2), (4, 0), (0, 0), (0, 4)];
    let game = owning(SQUARE, Rules::SPEC, &all);
    let mut turn = Turn::open(&game, FIRST);
    // The diagonal from (4, 0) to (0, 4) passes over (2, 2): the portal is not inside a field, but the link passes
    // over it.
    assert_eq!(codes(&mut turn, &[Link(pt(0, 0)), Link(pt(4, 0)), Move(pt(0, 0)), Link(pt(4, 0))]), [0; 4]);
    let view = turn.view();
    assert_eq!(view.fields().len(), 1);
    assert_eq!(view.income(0), Some(16));
    assert!(view.in_field(pt(1, 1)) && !view.in_field(pt(2, 2)) && !view.in_field(pt(0, 0)));
    assert_eq!(view.fields_over(pt(1, 2)), view.fields());

    let mut game = owning(
        "0 0 6 6 X.....X ....... .X..... ....... ....... ....... X.....X",
        Rules::SPEC,
        &[(1, 2), (6, 0), (0, 0), (0, 6)],
    );
    play(&mut game, &[Link(pt(0, 0)), Link(pt(6, 0)), Move(pt(0, 0)), Link(pt(6, 0))]);
    play(&mut game, &[]);
    let mut turn = Turn::open(&game, FIRST);
    assert_eq!(codes(&mut turn, &[Link(pt(1, 2))]), [9], "from a corner to a portal inside");
    assert_eq!(codes(&mut turn, &[Move(pt(1, 2)), Link(pt(0, 0)), Link(pt(6, 0))]), [0, 9, 9]);
}

#[test]
fn all_triangles_count_not_only_the_faces() {
    // Specification "Portails, liens et champs": four portals, all linked, with one in the middle, make 4 fields. The
    // sum of their areas is twice the outer one.
    let map = "0 0 6 6 X.....X ....... ..X.... ....... ....... ....... X......";
    let mut game = owning(map, Rules::SPEC, &[(0, 6), (6, 0), (0, 0)]);
    play(&mut game, &[Move(pt(2, 2)), Capture, Link(pt(0, 0)), Link(pt(6, 0)), Link(pt(0, 6))]);
    play(&mut game, &[]);
    play(&mut game, &[Move(pt(0, 0)), Link(pt(0, 6)), Link(pt(6, 0))]);
    play(&mut game, &[]);
    play(&mut game, &[Move(pt(6, 0)), Link(pt(0, 6))]);
    let view = game.view(FIRST);
    assert_eq!(view.fields().len(), 4);
    assert_eq!(view.income(0), Some(2 * 36));
    assert!(view.field_exists(pt(0, 0), pt(6, 0), pt(0, 6)));
    assert_eq!(view.fields_of(pt(2, 2)).len(), 3);
    assert_eq!(view.fields_on(pt(0, 0), pt(6, 0)).len(), 2);
    assert!(view.in_field(pt(2, 2)));
}

#[test]
fn fields_score_for_their_player_at_the_end_of_its_turn_only() {
    let mut game = owning(SQUARE, Rules::SPEC, &[(4, 0), (0, 0), (0, 4)]);
    let before = game.standing().scores[0];
    play(&mut game, &[Link(pt(0, 0)), Link(pt(4, 0)), Move(pt(0, 0)), Link(pt(4, 0))]);
    assert_eq!(game.standing().scores[0], before + 16);
    play(&mut game, &[]);
    assert_eq!(game.standing().scores[0], before + 16);
    play(&mut game, &[]);
    assert_eq!(game.standing().scores[0], before + 32);
}

#[test]
fn neutralising_takes_shields_links_and_fields_and_its_price_is_tested_before_the_owner() {
    let mut game = owning(SQUARE, Rules::SPEC, &[(4, 0), (0, 0), (0, 4)]);
    play(&mut game, &[Link(pt(0, 0)), Link(pt(4, 0)), Shield, Shield, Move(pt(0, 0)), Link(pt(4, 0))]);
    let mut turn = Turn::open(&game, SECOND);
    assert_eq!(codes(&mut turn, &[Move(pt(2, 2)), Neutralise, Move(pt(0, 4)), Neutralise]), [0, 6, 4, 6]);
    assert!(turn.undo());
    assert_eq!(
        codes(&mut turn, &[Neutralise, Move(pt(1, 4)), Neutralise, Move(pt(0, 4)), Neutralise]),
        [6, 0, 2, 0, 0]
    );
    let view = turn.view();
    assert_eq!(view.action_points(), 42 - 10 - 2 * 5);
    assert_eq!((view.owner(pt(0, 4)), view.shields(pt(0, 4))), (-1, 0));
    assert_eq!((view.links().len(), view.fields().len(), view.income(0)), (1, 0, Some(0)));
    assert!(turn.undo());
    assert_eq!((turn.view().links().len(), turn.view().income(0)), (3, Some(16)));
    assert_eq!(turn.view().shields(pt(0, 4)), 2);

    let mut turn = Turn::open(&game, FIRST);
    assert!(!turn.is_open());
    assert_eq!(codes(&mut turn, &[Neutralise, Move(pt(0, 0)), Turbo, Shield]), [1, 4, 1, 1]);
}

#[test]
fn the_price_of_neutralising_is_tested_with_the_shields_of_an_own_portal_too() {
    let mut game = owning(SQUARE, Rules::SPEC, &[(0, 0)]);
    play(&mut game, &[Shield; 6]);
    play(&mut game, &[]);
    let mut turn = Turn::open(&game, FIRST);
    assert_eq!(codes(&mut turn, &[Neutralise, Turbo, Neutralise]), [5, 0, 1]);
}

#[test]
fn shields_cost_3_each_in_spec_and_rise_in_original() {
    for (rules, left) in [(Rules::SPEC, [39, 36, 33, 30, 27, 24]), (Rules::ORIGINAL, [39, 35, 30, 24, 17, 9])] {
        let game = owning(SQUARE, rules, &[(0, 0)]);
        let mut turn = Turn::open(&game, FIRST);
        for points in left {
            turn.act(Shield).unwrap();
            assert_eq!(turn.view().action_points(), points);
        }
        assert_eq!(codes(&mut turn, &[Shield]), [11]);
        assert_eq!(turn.view().shields(pt(0, 0)), 6);
        // The number of shields is checked before the points.
        codes(&mut turn, &[Turbo; 4]);
        assert_eq!(codes(&mut turn, &[Shield]), [11]);
        assert_eq!(codes(&mut turn, &[Move(pt(2, 0)), Shield]), [0, 6]);
    }
}

#[test]
fn undo_takes_everything_back_to_the_start_of_the_turn_and_no_further() {
    let mut game = game(SQUARE, Rules::ORIGINAL);
    play(&mut game, &[Capture]);
    play(&mut game, &[]);
    let mut turn = Turn::open(&game, FIRST);
    let start = turn.view().position().fingerprint();
    assert_eq!(codes(&mut turn, &[Shield, Move(pt(2, 0)), Capture, Link(pt(0, 0)), Turbo, Move(pt(2, 2))]), [0; 6]);
    assert_eq!(turn.view().score(0), Some(20));
    for _ in 0..6 {
        assert!(turn.undo());
    }
    assert!(!turn.undo());
    assert_eq!(turn.view().position().fingerprint(), start);
    assert!(turn.actions().is_empty());
}

#[test]
fn the_history_is_the_difference_of_two_end_states() {
    let mut game = owning(SQUARE, Rules::SPEC, &[(4, 0), (0, 0), (0, 4)]);
    play(&mut game, &[Link(pt(0, 0)), Shield, Shield, Move(pt(0, 0)), Link(pt(4, 0))]);
    let view = game.view(SECOND);
    assert_eq!((view.captured().len(), view.new_links().len(), view.new_shields().len()), (0, 2, 2));
    play(&mut game, &[Move(pt(0, 4)), Neutralise, Capture, Shield, Shield, Shield]);
    let view = game.view(FIRST);
    assert_eq!(view.captured(), [pt(0, 4)]);
    assert_eq!(view.neutralised(), [pt(0, 4)]);
    assert_eq!(view.new_shields(), [pt(0, 4)], "three now, two before");
    assert!(view.new_links().is_empty() && view.new_fields().is_empty());
    play(&mut game, &[]);
    assert!(game.view(SECOND).new_links().is_empty());
}

#[test]
fn new_fields_are_those_of_the_end_of_the_turn_even_after_they_are_broken() {
    let mut game = owning(SQUARE, Rules::SPEC, &[(4, 0), (0, 0), (0, 4)]);
    play(&mut game, &[Link(pt(0, 0)), Link(pt(4, 0)), Move(pt(0, 0)), Link(pt(4, 0))]);
    let made = game.view(SECOND).new_fields();
    assert_eq!(made.len(), 1);
    let mut turn = Turn::open(&game, SECOND);
    assert_eq!(codes(&mut turn, &[Move(pt(0, 4)), Neutralise, Capture]), [0, 0, 0]);
    assert!(turn.view().fields().is_empty());
    assert_eq!(turn.view().new_fields(), made);
    assert_eq!(turn.view().new_links().len(), 3);
}

#[test]
fn a_failed_turn_is_void_and_the_champion_dead_but_its_fields_score_to_the_last_round() {
    for failure in [Failure::Late, Failure::Gone, Failure::Nonsense, Failure::Unlawful(1)] {
        let mut game = owning(SQUARE, Rules::SPEC, &[(4, 0), (0, 0), (0, 4)]);
        play(&mut game, &[Link(pt(0, 0)), Link(pt(4, 0)), Move(pt(0, 0)), Link(pt(4, 0))]);
        play(&mut game, &[]);
        let (score, round) = (game.standing().scores[0], game.view(FIRST).round());
        fail(&mut game, &[Move(pt(2, 2)), Capture], failure);
        assert_eq!(game.view(FIRST).owner(pt(2, 2)), -1);
        while !game.over() {
            match game.awaiting().iter().next() {
                Some(seat) => {
                    assert_eq!(seat, SECOND);
                    play(&mut game, &[]);
                }
                None => game.resolve(Joint::EMPTY, &mut Scratch::default(), &mut ()),
            }
        }
        assert_eq!(game.view(FIRST).round(), 101);
        assert_eq!(game.standing().scores[0], score + 16 * i64::from(101 - round));
    }
}

#[test]
fn a_match_has_100_rounds_whatever_happens() {
    let mut game = game("0 0 0 0 .", Rules::SPEC);
    for ply in 0..200 {
        assert!(!game.over(), "after {ply} turns");
        play(&mut game, &[]);
    }
    assert!(game.over());
    assert_eq!(game.standing().places, [1, 1]);
}

#[test]
fn one_action_more_than_4096_is_a_failure() {
    let game = game(SQUARE, Rules::SPEC);
    let mut turn = Turn::open(&game, FIRST);
    for _ in 0..MAX_ACTIONS {
        assert_eq!(turn.act(Move(pt(0, 0))), Ok(()));
    }
    assert!(turn.undo(), "an action that is undone does not count");
    assert_eq!((turn.act(Link(pt(9, 9))), turn.act(Move(pt(0, 0)))), (Err(Refusal::OffMap(pt(9, 9))), Ok(())));
    assert_eq!(turn.act(Capture), Err(Refusal::TooMany));
    assert!(turn.overflowed());
    let orders = [Move(pt(0, 0)); MAX_ACTIONS + 1];
    let mut tmp = Scratch::default();
    assert!(game.check(FIRST, &orders[1..], &mut tmp).is_ok());
    assert_eq!(game.check(FIRST, &orders, &mut tmp), Err((MAX_ACTIONS, Refusal::TooMany)));
    // Orders that were not judged do no harm either.
    let mut other = game.clone();
    let entry = Entry { seat: FIRST, orders: &orders, failure: None };
    other.resolve(Joint::new(&[entry]), &mut tmp, &mut ());
    assert_eq!(other.view(SECOND).round(), 1);
}

#[test]
fn bad_questions_have_the_answers_of_the_original() {
    let game = game(SQUARE, Rules::SPEC);
    let view = game.view(FIRST);
    let nowhere = [pt(-1, 0), pt(5, 5), pt(1, 1), pt(i32::MIN, i32::MAX)];
    for p in nowhere {
        assert_eq!((view.owner(p), view.shields(p)), (-2, -2));
        assert!(!view.linked(p, pt(0, 0)) && !view.field_exists(p, pt(0, 0), pt(4, 4)) && !view.in_field(p));
        assert!(view.links_of(p).is_empty() && view.fields_of(p).is_empty() && view.fields_on(p, pt(0, 0)).is_empty());
        assert!(view.blocking_links(p, p).is_empty() && view.fields_over(p).is_empty());
    }
    assert_eq!((view.agent(2), view.score(-1)), (None, None));
}

fn any_action() -> impl Strategy<Value = Order> {
    let cell = || (-2i32..12, -2i32..12).prop_map(|(x, y)| pt(x, y));
    prop_oneof![
        4 => cell().prop_map(Move),
        1 => Just(Turbo),
        4 => Just(Capture),
        4 => cell().prop_map(Link),
        1 => Just(Neutralise),
        1 => Just(Shield),
        1 => Just(Move(pt(i32::MAX, i32::MIN))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Compares what is updated with every link with a count from the start, and checks that undo leads back exactly.
    #[test]
    fn incremental_counts_are_right_and_undo_is_exact(
        cells in proptest::collection::btree_set((0i32..10, 0i32..10), 3..40),
        turns in proptest::collection::vec(proptest::collection::vec(any_action(), 0..25), 1..12),
    ) {
        let portals: Vec<Point> = cells.into_iter().map(Point::from).collect();
        let map = agon_portals::Map { side: 10, starts: [pt(4, 4), pt(5, 5)], portals };
        let terms = Terms { rules: Rules::ORIGINAL, seats: 2, limit: None };
        let mut game = Position::from_map(map, &terms).unwrap();
        for wishes in turns {
            let seat = game.awaiting().iter().next().unwrap();
            let mut turn = Turn::open(&game, seat);
            let start = turn.view().position().fingerprint();
            for wish in &wishes {
                let before = turn.view().position().fingerprint();
                if turn.act(*wish).is_err() {
                    prop_assert_eq!(turn.view().position().fingerprint(), before, "a refused action changes nothing");
                }
            }
            let actions = turn.actions().to_vec();
            while turn.undo() {}
            prop_assert_eq!(turn.view().position().fingerprint(), start);
            play(&mut game, &actions);
            let view = game.view(seat);
            let fields = view.fields();
            for player in 0..2 {
                let own = fields.iter().filter(|f| f.owner == player);
                let income: i64 = own.map(|f| agon_portals::geometry::triangle_score(f.corners[0], f.corners[1], f.corners[2])).sum();
                prop_assert_eq!(view.income(player), Some(income));
            }
            for p in view.portals() {
                prop_assert_eq!(view.in_field(*p), !view.fields_over(*p).is_empty());
            }
            for (i, a) in view.links().iter().enumerate() {
                for b in &view.links()[..i] {
                    prop_assert!(!agon_portals::geometry::segments_interfere(a.ends[0], a.ends[1], b.ends[0], b.ends[1]));
                }
            }
        }
    }
}

#[test]
fn random_play_keeps_points_and_shields_in_their_bounds() {
    let map = Position::generate("crowded", Seed(3), 2).unwrap();
    let terms = Terms { rules: Rules::ORIGINAL, seats: 2, limit: Some(30) };
    let mut game = Position::from_map(map, &terms).unwrap();
    let (mut rng, mut tmp, mut orders) = (Rng::new(Seed(1)), Scratch::default(), Vec::new());
    while let Some(seat) = game.awaiting().iter().next() {
        game.sample(seat, &mut rng, &mut tmp, &mut orders);
        play(&mut game, &orders);
        let view = game.view(seat);
        let (points, steps) = view.left_over(seat.index() as i32).unwrap();
        assert!((0..=42).contains(&points) && (0..=13).contains(&steps));
        assert!(view.portals().iter().all(|p| (0..=6).contains(&view.shields(*p))));
    }
}
