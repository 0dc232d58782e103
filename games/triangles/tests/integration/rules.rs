//! The rules in the words of the specification, its example, and what follows from them (facts P1 to P6).

use agon_core::{
    Contest, Ending, Entry, Failure, Game, Joint, Rng, Seat, Seed, Setup, Terms,
    geometry::{Locus, Point, Relation, locate, pt, relation, strictly_between},
    judge, rules,
};
use agon_triangles::{Event, Map, Order, Position, Refusal, Segment};
use proptest::prelude::*;

fn begin(map: &str, rules: &str) -> Position {
    start(Position::parse_map(map.as_bytes()).unwrap(), rules)
}

fn start(map: Map, rules: &str) -> Position {
    let terms = Terms { rules: rules::parse(rules).unwrap(), seats: 2, limit: None };
    Position::from_map(map, &terms).unwrap()
}

/// Plays a decision of the seat to move.
fn act(game: &mut Position, orders: &[Order], failure: Option<Failure>) -> (Vec<Event>, Option<Refusal>) {
    let mut events = Vec::new();
    let (entry, refused) = judge(game, game.to_move(), orders, failure, &mut ());
    game.resolve(Joint::new(&[entry]), &mut (), &mut events);
    (events, refused.map(|r| r.why))
}

fn draw(game: &mut Position, i: i32, j: i32) -> u8 {
    match act(game, &[Order(i, j)], None) {
        (events, None) => match events.as_slice() {
            [Event::Drawn { gained, .. }] => *gained,
            other => panic!("{i} {j} made {other:?}"),
        },
        (_, Some(why)) => panic!("{i} {j} is refused: {why}"),
    }
}

fn seat(number: u8) -> Seat {
    Seat::from_number(number).unwrap()
}

/// Specification "Przykład". The figure is lost; these points and segments satisfy everything that the text says about
/// it (point T29).
const EXAMPLE: &str = "set_points 9 4 8 3 5 8 6 2 10 9 6 12 4 4 3 10 6 1 1\n\
                       play 1 2\nplay 2 9\nplay 9 4\nplay 4 1\nplay 4 5\nplay 4 8\n";

#[test]
fn the_example_of_the_specification() {
    let game = begin(EXAMPLE, "spec");
    assert_eq!((game.points().len(), game.drawn().len()), (9, 6));
    for segment in game.open() {
        let paid = match <(u8, u8)>::from(segment) {
            (1, 5) | (5, 8) => 1,
            (1, 9) | (2, 4) => 2,
            _ => 0,
        };
        assert_eq!(game.closes(segment).empty, paid, "{segment}");
    }
    // "Joining 8 and 9 makes a new triangle, but point 7 lies inside."
    let closed = game.closes(Segment { i: 8, j: 9 });
    assert_eq!((closed.empty, closed.holding), (0, 1));
    // "1 and 6, or 3 and 8, cannot be joined: both segments contain other points, 3 the first and 5 the second."
    let why = |i, j| game.check(game.to_move(), &[Order(i, j)], &mut ()).unwrap_err().1;
    assert!(matches!(why(1, 6), Refusal::Holds { point: 3 | 5 | 8, .. }));
    assert!(matches!(why(3, 8), Refusal::Holds { point: 5, .. }));
}

#[test]
fn the_example_is_played_on() {
    let mut game = begin(EXAMPLE, "spec");
    assert_eq!(draw(&mut game, 1, 9), 2);
    assert_eq!(draw(&mut game, 5, 8), 1);
    assert_eq!((game.scores(), game.to_move()), ([2, 1], seat(1)));
}

#[test]
fn unlawful_wishes_are_refused_in_order() {
    let game = begin("set_points 5 1 1 9 9 1 9 9 1 5 9\nplay 1 2\n", "spec");
    let check = |orders: &[Order]| game.check(game.to_move(), orders, &mut ());
    let drawn = Segment { i: 1, j: 2 };
    assert_eq!(check(&[]), Err((0, Refusal::Missing)));
    assert_eq!(check(&[Order(1, 3), Order(1, 4)]), Err((1, Refusal::Surplus)));
    assert_eq!(check(&[Order(0, 3)]), Err((0, Refusal::Range { number: 0, points: 5 })));
    assert_eq!(check(&[Order(3, i32::MAX)]), Err((0, Refusal::Range { number: i32::MAX, points: 5 })));
    assert_eq!(check(&[Order(i32::MIN, 6)]), Err((0, Refusal::Range { number: i32::MIN, points: 5 })));
    assert_eq!(check(&[Order(3, 3)]), Err((0, Refusal::Same(3))));
    // Rules T6: `i j` and `j i` are the same segment.
    assert_eq!(check(&[Order(2, 1)]), Err((0, Refusal::Drawn(drawn))));
    let segment = Segment { i: 3, j: 2 };
    assert_eq!(check(&[Order(3, 2)]), Err((0, Refusal::Holds { segment, point: 5 })));
    let segment = Segment { i: 3, j: 4 };
    assert_eq!(check(&[Order(3, 4)]), Err((0, Refusal::Crosses { segment, drawn })));
    assert_eq!(check(&[Order(4, 2)]), Ok(()));
}

#[test]
fn a_side_of_several_segments_makes_no_triangle() {
    // Rules T1: A, M, B lie on a line, and all but M are joined to C: nothing is paid until MC closes two triangles.
    let mut game = begin("set_points 4 1 1 5 1 9 1 5 9\nplay 1 2\nplay 2 3\nplay 1 4\n", "spec");
    assert_eq!(draw(&mut game, 3, 4), 0);
    assert_eq!(draw(&mut game, 2, 4), 2);
    assert!(game.over());
}

#[test]
fn three_spokes_are_no_triangle() {
    // Rules T2.
    let mut game = begin("set_points 4 5 5 1 1 9 1 5 9\n", "spec");
    assert_eq!([2, 3, 4].map(|end| draw(&mut game, 1, end)), [0, 0, 0]);
}

#[test]
fn a_triangle_with_a_point_inside_never_pays() {
    // Rules T5: nor does it pay when its inside is divided later.
    let mut game = begin("set_points 4 1 1 9 1 5 9 5 4\n", "spec");
    let paid = [(1, 2), (2, 3), (3, 1), (4, 1), (4, 2), (4, 3)].map(|(i, j)| draw(&mut game, i, j));
    assert_eq!(paid, [0, 0, 0, 0, 1, 2]);
    assert_eq!(game.standing().scores, [1, 2]);
}

#[test]
fn the_other_draws_alone_when_one_has_left() {
    for failure in [Failure::Gone, Failure::Late, Failure::Nonsense] {
        let mut game = begin("set_points 4 1 1 9 1 9 9 1 9\nplay 1 2\nplay 2 3\n", "spec");
        assert_eq!(draw(&mut game, 1, 3), 1);
        assert_eq!(act(&mut game, &[], Some(failure)).0, [Event::Out { seat: seat(2) }]);
        assert_eq!(draw(&mut game, 1, 4), 0);
        assert_eq!(game.awaiting().iter().collect::<Vec<_>>(), [seat(1)], "no pass in between");
        assert_eq!(draw(&mut game, 3, 4), 1);
        assert_eq!((game.standing().scores, game.standing().ending), (vec![2, 0], Ending::Complete));
    }
}

#[test]
fn points_stay_when_a_program_leaves() {
    let mut game = begin("set_points 3 1 1 9 1 5 9\nplay 1 2\nplay 2 3\n", "spec");
    let illegal = act(&mut game, &[Order(1, 2)], None);
    assert_eq!(illegal.0, [Event::Out { seat: seat(1) }]);
    assert_eq!(illegal.1, Some(Refusal::Drawn(Segment { i: 1, j: 2 })));
    assert_eq!(act(&mut game, &[], Some(Failure::Gone)).0, [Event::Out { seat: seat(2) }]);
    // Rules T14: both are out without a point: a draw.
    let standing = game.standing();
    assert_eq!((standing.scores, standing.places, standing.ending), (vec![0, 0], vec![1, 1], Ending::Elimination));
}

#[test]
fn a_bad_answer_may_forfeit_but_a_program_that_ended_does_not() {
    let map = "set_points 3 1 1 9 1 5 9\nscores 7 0\n";
    for (orders, failure) in [
        (vec![Order(4, 4)], None),
        (vec![], Some(Failure::Late)),
        (vec![], Some(Failure::Nonsense)),
        (vec![Order(1, 2), Order(1, 3)], None),
    ] {
        let mut game = begin(map, "spec,bad=forfeit");
        assert_eq!(act(&mut game, &orders, failure).0, [Event::Forfeited { seat: seat(1) }]);
        let standing = game.standing();
        assert_eq!((standing.scores, standing.places, standing.ending), (vec![7, 0], vec![2, 1], Ending::Forfeit));
        assert!(game.over() && game.awaiting().is_empty());
    }
    let mut game = begin(map, "spec,bad=forfeit");
    assert_eq!(act(&mut game, &[], Some(Failure::Gone)).0, [Event::Out { seat: seat(1) }]);
    assert!(!game.over());
}

#[test]
fn a_board_without_segments_is_over_at_once() {
    let game = begin("point 7 7", "spec");
    assert_eq!((game.over(), game.standing().places), (true, vec![1, 1]));
    let mut line = begin("set_points 4 1 1 3 3 9 9 5 5", "spec");
    assert_eq!(line.segments_in_all(), 3);
    for (i, j) in [(1, 2), (4, 3), (4, 2)] {
        assert_eq!(draw(&mut line, i, j), 0);
    }
    assert!(line.over());
}

#[test]
fn terms_that_do_not_fit_are_told() {
    let map = Map::of_points(vec![pt(1, 1)]);
    for (seats, limit) in [(1, None), (3, None), (2, Some(10))] {
        let terms = Terms { rules: rules::parse("spec").unwrap(), seats, limit };
        let flawed = Position::from_map(map.clone(), &terms).unwrap_err();
        assert!(flawed.flaw.hint.is_some());
        assert_eq!(flawed.map, map, "the map is given back");
    }
}

/// A plain second version of the rules. It judges the properties below.
struct Plain<'a> {
    points: &'a [Point],
    drawn: Vec<(usize, usize)>,
}

impl Plain<'_> {
    fn lawful(&self, a: usize, b: usize) -> bool {
        let (p, q) = (self.points[a], self.points[b]);
        a != b
            && !self.points.iter().any(|c| strictly_between(p, q, *c))
            && self.drawn.iter().all(|(c, d)| {
                matches!(relation(p, q, self.points[*c], self.points[*d]), Relation::Apart | Relation::Joint)
            })
    }

    fn joined(&self, a: usize, b: usize) -> bool {
        self.drawn.contains(&(a, b)) || self.drawn.contains(&(b, a))
    }

    fn pays(&self, a: usize, b: usize) -> usize {
        let corners = |c: usize| (self.points[a], self.points[b], self.points[c]);
        let empty = |c: usize| {
            let (u, v, w) = corners(c);
            self.points.iter().all(|p| locate(*p, u, v, w) != Locus::Inside)
        };
        (0..self.points.len()).filter(|c| self.joined(a, *c) && self.joined(b, *c) && empty(*c)).count()
    }

    fn open(&self) -> Vec<(usize, usize)> {
        let n = self.points.len();
        (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).filter(|(a, b)| self.lawful(*a, *b)).collect()
    }
}

/// Plays `drawing` at random and compares it with the plain rules, with or without the tables of the fast path.
fn agrees_with_plain_rules(map: Map, seed: u64, tables: bool) -> Result<(), TestCaseError> {
    let mut game = start(map, "spec");
    let points = game.points().to_vec();
    let mut plain = Plain { points: &points, drawn: Vec::new() };
    let (mut rng, mut orders) = (Rng::new(Seed(seed)), Vec::new());
    while !game.over() {
        let open = plain.open();
        let ours: Vec<_> = game.open().map(|s| (usize::from(s.i) - 1, usize::from(s.j) - 1)).collect();
        prop_assert_eq!(&ours, &open);
        prop_assert_eq!(game.open_count(), open.len());
        let (a, b) = if tables {
            game.sample(game.to_move(), &mut rng, &mut (), &mut orders);
            (orders[0].0 as usize - 1, orders[0].1 as usize - 1)
        } else {
            *rng.pick(&open).unwrap()
        };
        let paid = draw(&mut game, b as i32 + 1, a as i32 + 1);
        prop_assert_eq!(usize::from(paid), plain.pays(a, b));
        prop_assert!(paid <= 2, "fact P1");
        plain.drawn.push((a, b));
    }
    prop_assert!(plain.open().is_empty());
    // Fact P5: how long the game is and what it pays follows from the points alone.
    prop_assert_eq!(game.drawn().len(), game.segments_in_all());
    let total: u32 = game.scores().iter().sum();
    prop_assert_eq!(total as usize, game.triangles_in_all());
    Ok(())
}

fn points(side: i32, most: usize) -> impl Strategy<Value = Vec<Point>> {
    proptest::collection::hash_set((1..=side, 1..=side), 1..=most)
        .prop_map(|set| set.into_iter().map(Point::from).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn sparse_boards_agree_with_the_plain_rules(points in points(100, 16), seed: u64, tables: bool) {
        agrees_with_plain_rules(Map::of_points(points), seed, tables)?;
    }

    #[test]
    fn dense_boards_agree_with_the_plain_rules(points in points(5, 14), seed: u64, tables: bool) {
        agrees_with_plain_rules(Map::of_points(points), seed, tables)?;
    }

    /// Checks facts P5 and P6 on boards of every size, with the same game on both paths.
    #[test]
    fn long_games_keep_the_identities(kind in 0..4usize, n in 1..=100usize, seed: u64) {
        let kind = format!("{}-{}", ["uniform", "convex", "lattice", "clustered"][kind], if kind == 1 { n.min(64) } else { n });
        let map = Position::generate(&kind, Seed(seed), 2).unwrap();
        let (mut fast, mut slow) = (start(map.clone(), "spec"), start(map, "spec"));
        let (mut rng, mut orders, mut last) = (Rng::new(Seed(seed)), Vec::new(), None);
        while !fast.over() {
            last = Some(fast.to_move());
            fast.sample(fast.to_move(), &mut rng, &mut (), &mut orders);
            let entry = [Entry { seat: fast.to_move(), orders: &orders, failure: None }];
            fast.resolve(Joint::new(&entry), &mut (), &mut ());
            slow.resolve(Joint::new(&entry), &mut (), &mut ());
            prop_assert_eq!(fast.fingerprint(), slow.fingerprint());
            prop_assert_eq!(fast.open_count(), slow.open_count());
        }
        let (n, h, moves) = (fast.points().len(), fast.hull_boundary(), fast.drawn().len());
        prop_assert_eq!(moves, fast.segments_in_all());
        let total: u32 = fast.scores().iter().sum();
        prop_assert_eq!(total as usize, fast.triangles_in_all());
        if total > 0 {
            prop_assert_eq!((moves, total as usize), (3 * n - 3 - h, 2 * n - 2 - h));
            // The first player makes the last move if and only if n + h is even.
            prop_assert_eq!(last == Some(seat(1)), (n + h).is_multiple_of(2));
            let scores = fast.scores();
            prop_assert!(scores[0] != scores[1] || h.is_multiple_of(2), "an odd total is no draw");
        }
    }

    /// Checks that undo goes back through every position of a game, and that each of them can be put on a board.
    #[test]
    fn drawings_can_be_undone(points in points(30, 9), seed: u64) {
        let mut game = start(Map::of_points(points), "spec");
        let (mut rng, mut orders, mut past) = (Rng::new(Seed(seed)), Vec::new(), Vec::new());
        while !game.over() {
            past.push(game.to_map());
            game.sample(game.to_move(), &mut rng, &mut (), &mut orders);
            act(&mut game, &orders, None);
        }
        let mut map = game.to_map();
        prop_assert_eq!(start(map.clone(), "spec").fingerprint(), game.fingerprint());
        while let Some(before) = past.pop() {
            prop_assert!(map.undo().is_some());
            prop_assert_eq!(&map, &before);
            let text = Position::print_map(&map);
            prop_assert_eq!(Position::parse_map(text.as_bytes()).unwrap(), before);
        }
        prop_assert!(map.undo().is_none());
    }

    #[test]
    fn any_bytes_are_a_map_or_a_flaw(bytes: Vec<u8>) {
        if let Err(flaw) = Position::parse_map(&bytes) {
            prop_assert!(flaw.place.is_some());
        }
    }

    #[test]
    fn near_maps_are_a_map_or_a_flaw(lines in proptest::collection::vec(
        "(point|segment|play|scores|turn|set_points|#)( (-?[0-9]{1,3}|by|for|1 2|99999999999|x)){0,6}", 0..8)) {
        match Position::parse_map(lines.join("\n").as_bytes()) {
            Err(flaw) => prop_assert!(flaw.place.is_some()),
            Ok(map) => {
                let again = Position::parse_map(Position::print_map(&map).as_bytes());
                prop_assert_eq!(again, Ok(map));
            }
        }
    }

    #[test]
    fn any_orders_and_failures_leave_a_sound_position(
        points in points(12, 7),
        turns in proptest::collection::vec((proptest::collection::vec((-1..9i32, -1..9i32), 0..3), 0..9u8), 0..40),
        forfeit: bool,
    ) {
        let mut game = start(Map::of_points(points), if forfeit { "spec,bad=forfeit" } else { "spec" });
        for (orders, failure) in turns {
            let orders: Vec<_> = orders.into_iter().map(|(i, j)| Order(i, j)).collect();
            let failure = match failure { 0 => Some(Failure::Late), 1 => Some(Failure::Gone), _ => None };
            let before = game.scores().iter().sum::<u32>();
            act(&mut game, &orders, failure);
            prop_assert!(game.scores().iter().sum::<u32>() >= before, "points stay");
            prop_assert_eq!(game.awaiting().is_empty(), game.over());
            prop_assert!(game.frame().items.len() >= game.points().len());
        }
    }
}
