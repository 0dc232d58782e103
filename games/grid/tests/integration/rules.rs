//! Tests of the specification, sentence by sentence, with its examples, and of the points where it leaves a choice.

use agon_core::{Ending, Entry, Failure, Game, Joint, Seat, Standing, judge, rules};
use agon_grid::{Map, Order, Position, Refusal, Rules, Scratch};

const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

fn game(rows: &str, rules: &str) -> Position {
    let rows = rows.replace('/', "\n");
    Position::resume(&Map::parse(rows.as_bytes()).unwrap(), rules::parse(rules).unwrap(), 0, 200)
}

fn captures(tiles: &[(u64, u64)]) -> Vec<Order> {
    tiles.iter().map(|(x, y)| Order::capture(*x, *y)).collect()
}

/// Plays one turn as the referee does.
fn play(game: &mut Position, orders: [&[Order]; 2], failures: [Option<Failure>; 2]) {
    let mut tmp = Scratch::default();
    let entries = SEATS.map(|s| judge(game, s, orders[s.index()], failures[s.index()], &mut tmp).0);
    game.resolve(Joint::new(&entries), &mut tmp, &mut ());
}

fn rows(game: &Position) -> String {
    Map::of(game.board()).print().trim_end().replace('\n', "/")
}

/// The map after these captures.
fn after(map: &str, one: &[(u64, u64)], two: &[(u64, u64)]) -> String {
    let mut game = game(map, "spec");
    play(&mut game, [&captures(one), &captures(two)], [None, None]);
    rows(&game)
}

fn refusal(map: &str, rules: &str, seat: usize, orders: &[Order]) -> Result<(), (usize, Refusal)> {
    game(map, rules).check(SEATS[seat], orders, &mut Scratch::default())
}

#[test]
fn energy_counts_empty_tiles_with_strictly_more_neighbours() {
    let gains = |map: &str| SEATS.map(|s| game(map, "spec").gains(s));
    // Specification "Energy budget": here the centre counts for player 1, and so do the tiles at the top left and
    // right.
    assert_eq!(gains("-1-/---/---"), [3, 0]);
    // Here it counts too, and so do the tiles at the left; those at the right have one neighbour of each player.
    assert_eq!(gains("-1-/--2/-1-"), [3, 0]);
    // In these three it counts for neither player: it has no owned neighbour, two of each player, or none again.
    assert_eq!(gains("1-2/---/---"), [1, 1]);
    assert_eq!(gains("112/1-2/121"), [0, 0]);
    assert_eq!(gains("---/---/---"), [0, 0]);
}

#[test]
fn both_roundings_of_the_budget() {
    // Specification "Judge message format" says `E 1` for N = 1; its words say "rounded up" (G2).
    assert_eq!(game("--1/--1/22-", "spec").gains(SEATS[1]), 1);
    assert_eq!(game("--1/--1/22-", "spec").energy(SEATS[1]), 2);
    assert_eq!(game("--1/--1/22-", "original").energy(SEATS[1]), 1);
}

#[test]
fn only_tiles_that_share_a_side_can_be_captured() {
    // Specification "Order format": the player that controls (0, 0) can capture (0, 1) or (1, 0) but not (1, 1).
    assert_eq!(refusal("1-/-2", "spec", 0, &captures(&[(0, 1)])), Ok(()));
    assert_eq!(refusal("1-/-2", "spec", 0, &captures(&[(1, 0)])), Ok(()));
    assert_eq!(refusal("1--/---/--2", "spec", 0, &captures(&[(1, 1)])), Err((0, Refusal::Unreachable { x: 1, y: 1 })));
    // Captures of one turn do not build on each other (G5), and an own tile needs an own neighbour (G10).
    let chain = captures(&[(1, 0), (2, 0)]);
    assert_eq!(refusal("1--/---/--2", "spec", 0, &chain), Err((1, Refusal::Unreachable { x: 2, y: 0 })));
    assert!(refusal("1--/---/--2", "spec", 0, &captures(&[(0, 0)])).is_err());
    assert!(refusal("11-/---/--2", "spec", 0, &captures(&[(0, 0)])).is_ok());
}

#[test]
fn no_more_captures_than_energy() {
    // N is 2, so the words allow 2 and the judge 1; the same tile twice costs twice (G14).
    let twice = captures(&[(1, 0), (1, 0)]);
    assert_eq!(refusal("1--/---/--2", "spec", 0, &twice), Ok(()));
    assert_eq!(refusal("1--/---/--2", "original", 0, &twice), Err((1, Refusal::OverBudget { captures: 2, energy: 1 })));
}

#[test]
fn out_of_range_is_out_of_range() {
    for (x, y) in [(3, 0), (0, 3), (u64::MAX, 0), (1 << 16, 0), (1 << 32, 1)] {
        let why = refusal("1--/---/--2", "spec", 0, &captures(&[(x, y)])).unwrap_err().1;
        assert!(matches!(why, Refusal::OutOfMap { width: 3, height: 3, .. }), "({x}, {y}): {why}");
    }
}

#[test]
fn a_tile_that_both_capture_remains_as_it_was() {
    assert_eq!(after("1-2/---", &[(1, 0)], &[(1, 0)]), "1-2/---");
    // Suffocation comes first: a surrounded tile that both order becomes empty (G12).
    assert_eq!(after("122/112/22-", &[(1, 0)], &[(1, 0)]), "---/-12/-2-");
}

#[test]
fn a_surrounded_tile_becomes_empty_on_the_next_turn() {
    // Specification "Tile suffocation": the drawing is a cut-out of a map with room around it (G8).
    assert_eq!(after("-----/-122-/-112-/-221-/-----", &[], &[]), "-----/-122-/-1-2-/-221-/-----");
    // If this is the whole map, all nine suffocate: nothing beyond the border is empty.
    assert_eq!(after("122/112/221", &[], &[]), "---/---/---");
    // A corner tile suffocates if its three neighbours are owned.
    assert_eq!(after("11-/11-/--2", &[], &[]), "-1-/11-/--2");
    // A tile that would suffocate can be captured in the same turn, even by its owner (G11).
    assert_eq!(after("11-/11-/--2", &[(0, 0)], &[]), "11-/11-/--2");
}

#[test]
fn the_example_of_the_documentation() {
    let map = "11---/111--/--12-/---22";
    assert_eq!(SEATS.map(|s| (game(map, "spec").gains(s), game(map, "spec").energy(s))), [(3, 2), (1, 2)]);
    assert_eq!(after(map, &[(1, 2), (3, 1)], &[(3, 1), (2, 2)]), "-1---/111--/-122-/---22");
}

#[test]
fn two_tiles_can_be_swapped() {
    assert_eq!(after("112-/122-", &[(2, 0)], &[(1, 0)]).chars().nth(1), Some('2'));
    assert_eq!(after("1122/----", &[(2, 0)], &[(1, 0)]), "1212/----");
}

fn places(game: &Position) -> (Ending, Vec<u8>) {
    let Standing { places, ending, .. } = game.standing();
    (ending, places)
}

#[test]
fn a_player_without_tiles_has_lost() {
    // Player 1 owns one tile with an own neighbour; player 2 takes both.
    let mut at_once = game("1222/----", "spec");
    play(&mut at_once, [&[], &captures(&[(0, 0)])], [None, None]);
    assert_eq!(places(&at_once), (Ending::Elimination, vec![2, 1]));
    // The judge looks one exchange later, and in that exchange only a breakdown counts (G20, G21).
    for (failure, expected) in [
        (None, (Ending::Elimination, vec![2, 1])),
        (Some(Failure::Nonsense), (Ending::Forfeit, vec![1, 2])),
        (Some(Failure::Late), (Ending::Forfeit, vec![1, 2])),
    ] {
        let mut later = game("1222/----", "original");
        play(&mut later, [&[], &captures(&[(0, 0)])], [None, None]);
        assert!(!later.over());
        play(&mut later, [&[], &[]], [None, failure]);
        assert_eq!(places(&later), expected);
    }
    let mut unlawful = game("1222/----", "original");
    play(&mut unlawful, [&[], &captures(&[(0, 0)])], [None, None]);
    play(&mut unlawful, [&[], &captures(&[(9, 9)])], [None, None]);
    assert_eq!(places(&unlawful), (Ending::Elimination, vec![2, 1]), "an unlawful order there is ignored");
}

#[test]
fn nobody_left_is_a_draw() {
    // Specification "Elimination": the whole map is captured and all the tiles suffocate the next turn.
    let mut full = game("112/122", "spec");
    play(&mut full, [&[], &[]], [None, None]);
    assert_eq!(places(&full), (Ending::Elimination, vec![1, 1]));
    assert_eq!(full.standing().scores, [0, 0]);
}

#[test]
fn after_the_last_turn_more_tiles_win() {
    let last = |map: &str, rules: &str| {
        let map = Map::parse(map.replace('/', "\n").as_bytes()).unwrap();
        let mut game = Position::resume(&map, rules::parse(rules).unwrap(), 199, 200);
        play(&mut game, [&[], &[]], [None, None]);
        places(&game)
    };
    assert_eq!(last("11-/---/--2", "spec"), (Ending::Limit, vec![1, 2]));
    assert_eq!(last("1--/---/--2", "spec"), (Ending::Limit, vec![1, 1]), "equal numbers are a draw");
    // Elimination in the last turn: it counts by the words of the specification, but the judge never sees it (G20,
    // G23).
    assert_eq!(last("112/122", "spec"), (Ending::Elimination, vec![1, 1]));
    assert_eq!(last("112/122", "original"), (Ending::Limit, vec![1, 1]));
}

#[test]
fn faults_are_judged_in_two_stages() {
    let unlawful = captures(&[(2, 2)]);
    let end = |orders: [&[Order]; 2], failures| {
        let mut game = game("1--/---/--2", "spec");
        play(&mut game, orders, failures);
        assert_eq!(game.turn().0, 0, "nothing is played");
        places(&game)
    };
    let (late, gone, garbage) = (Some(Failure::Late), Some(Failure::Gone), Some(Failure::Nonsense));
    // An unlawful order wins against a breakdown in the same turn (G18).
    assert_eq!(end([&unlawful, &[]], [None, garbage]), (Ending::Forfeit, vec![1, 2]));
    assert_eq!(end([&unlawful, &[]], [None, late]), (Ending::Forfeit, vec![1, 2]));
    // Two faults of the same stage leave no winner, which is not a draw (G18, G32).
    assert_eq!(end([&[], &[]], [gone, late]), (Ending::Forfeit, vec![2, 2]));
    assert_eq!(end([&unlawful, &captures(&[(0, 0)])], [None, None]), (Ending::Forfeit, vec![2, 2]));
    assert_eq!(end([&[], &captures(&[(0, 0)])], [None, None]), (Ending::Forfeit, vec![1, 2]));
}

#[test]
fn chat_is_lawful_where_the_rule_set_knows_it() {
    let say = |text: &str| Order::say(text).collect::<Vec<_>>();
    let longest = "x".repeat(78);
    assert_eq!(refusal("1-/-2", "spec", 0, &say("hi")), Err((0, Refusal::ChatUnknown)));
    assert_eq!(refusal("1-/-2", "spec,chat=yes", 0, &say("hi")), Ok(()));
    assert_eq!(refusal("1-/-2", "original", 0, &say(&longest)), Ok(()));
    assert_eq!(refusal("1-/-2", "original", 0, &say(&"ж".repeat(78))), Ok(()), "characters, not bytes");
    let why = refusal("1-/-2", "original", 0, &say(&(longest + "x"))).unwrap_err().1;
    assert_eq!(why, Refusal::ChatTooLong { characters: 79 });
    // Chat costs nothing, and many messages are fine.
    let mut many: Vec<_> = (0..50).flat_map(|_| say("hello there")).collect();
    many.extend(captures(&[(1, 0)]));
    assert_eq!(refusal("1-/-2", "original", 0, &many), Ok(()));
    let cut = &say("hello there")[..1];
    assert_eq!(refusal("1-/-2", "original", 0, cut), Err((1, Refusal::ChatIncomplete)));
}

#[test]
fn a_resolve_without_entries_or_after_the_end_harms_nothing() {
    let mut game = game("1--/---/--2", "spec");
    game.resolve(Joint::EMPTY, &mut Scratch::default(), &mut ());
    assert_eq!((game.turn().0, rows(&game).as_str()), (1, "1--/---/--2"));
    play(&mut game, [&[], &[]], [Some(Failure::Gone), None]);
    let number = game.fingerprint();
    let orders = captures(&[(1, 0), (9_999, 3)]);
    let entry = [Entry { seat: SEATS[0], orders: &orders, failure: None }];
    game.resolve(Joint::new(&entry), &mut Scratch::default(), &mut ());
    assert_eq!((game.fingerprint(), game.awaiting().is_empty()), (number, true));
    assert_eq!(game.rules(), Rules::SPEC);
}
