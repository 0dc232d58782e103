//! What a position has beyond its map: set up, and refused.

use agon_core::{Flaw, Game, Setup, State, Terms, rules};
use agon_grid::{Map, Position};

fn set_up(rules: &str, rows: &str, items: &[(&str, State)]) -> Result<Position, Flaw> {
    let mut state = State::default();
    for (path, value) in items {
        state.put(path, value.clone())?;
    }
    let terms = Terms { rules: rules::parse(rules)?, seats: 2, limit: Some(50) };
    Position::from_state(Map::parse(rows.as_bytes())?, &terms, &state)
}

#[test]
fn without_tiles_only_the_turn_can_be_wrong() {
    assert!(set_up("spec", "11\n--\n", &[("turn", 2.into())]).is_ok());
    for items in [&[("turn", 1.into())][..], &[("out", State::list([1]))]] {
        let flaw = set_up("spec", "11\n--\n", items).expect_err("player 2 owns no tile");
        assert_eq!((flaw.item.as_deref(), flaw.place), (Some("turn"), None), "{flaw}");
        assert!(flaw.hint.as_deref().is_some_and(|hint| hint.contains("a later turn")), "{flaw}");
    }
}

#[test]
fn a_map_with_a_single_tile_is_wrong_in_any_turn() {
    for turn in 1..=3 {
        let flaw = set_up("spec", "1\n", &[("turn", turn.into())]).expect_err("two players have no room");
        assert_eq!((flaw.item, &*flaw.what), (None, "the map has a single tile"));
        assert_eq!(flaw.place.map(|place| (place.line, place.column)), Some((1, 1)));
    }
}

#[test]
fn only_a_judge_that_looks_later_has_found_somebody_without_tiles() {
    let items = [("turn", 3.into()), ("ended", "elimination".into())];
    assert!(set_up("original", "11\n--\n", &items).is_ok_and(|position| position.over()));
    for (rules, rows) in [("spec", "11\n--\n"), ("original", "11\n-2\n")] {
        let flaw = set_up(rules, rows, &items).expect_err(rows);
        assert_eq!(flaw.item.as_deref(), Some("ended"), "{flaw}");
    }
}
