//! What a position has beyond its map: set up, and given back.

use agon_core::{Flaw, Game, Setup, State, Terms, rules};
use agon_planet_wars::{Position, map};

/// Player 1's first two fleets arrive in the same turn, and so do its last two, long after the calendar's end.
const MAP: &str = "\
P 0 0 1 40 2
P 9 12 2 40 2
F 1 5 0 1 15 7
F 1 6 0 1 15 7
F 2 5 1 0 15 7
F 1 1 0 1 900 800
F 1 2 0 1 900 800
";
const MERGING: &str = "spec,zero-ships=fleet,out=planets,same-pair=merged";

fn set_up(rules: &str, map: &str, items: &[(&str, State)]) -> Result<Position, Flaw> {
    let mut state = State::default();
    for (path, value) in items {
        state.put(path, value.clone())?;
    }
    let terms = Terms { rules: rules::parse(rules)?, seats: 2, limit: Some(50) };
    Position::from_state(map::parse(map.as_bytes())?, &terms, &state)
}

fn merged(position: &Position) -> Option<State> {
    position.state().items().iter().find(|(name, _)| name == "merged").map(|(_, value)| value.clone())
}

#[test]
fn as_many_orders_may_be_merged_as_can_be_counted() {
    let many = 4_000_000_000_u32;
    let position = set_up(MERGING, MAP, &[("merged", State::list([many, 3, 0, 0, 9]))]).unwrap();
    // Fleets that count together give their sum to the first.
    assert_eq!(merged(&position), Some(State::list([many + 3, 0, 0, 9, 0])));
    let again = Position::from_state(position.to_map(), &terms(), &position.state()).unwrap();
    assert_eq!((again.fingerprint(), again.state()), (position.fingerprint(), position.state()));
    assert_eq!(merged(&set_up(MERGING, MAP, &[("turn", 3.into())]).unwrap()), None);

    let flaw = set_up(MERGING, MAP, &[("merged", State::list([many, many]))]).expect_err("more than can be counted");
    assert_eq!(flaw.item.as_deref(), Some("merged[2]"), "{flaw}");
    let flaw = set_up(MERGING, MAP, &[("merged", State::list([0, 0, 0, 0, 0, 1]))]).expect_err("no such fleet");
    assert_eq!(flaw.item.as_deref(), Some("merged[6]"), "{flaw}");
}

fn terms() -> Terms<agon_planet_wars::Rules> {
    Terms { rules: rules::parse(MERGING).unwrap(), seats: 2, limit: Some(50) }
}

#[test]
fn rules_that_merge_and_count_nothing_have_no_such_item() {
    for rules in ["spec", "original", "playgame", "playgame,same-pair=separate"] {
        let flaw = set_up(rules, MAP, &[("merged", State::list([1]))]).expect_err(rules);
        assert_eq!(flaw.item.as_deref(), Some("merged"), "{flaw}");
    }
}

#[test]
fn a_number_that_could_still_grow_is_a_matter_of_the_turn() {
    let growing = "P 0 0 1 2000000000 3000000\nP 9 9 2 5 1\n";
    assert!(set_up("spec", growing, &[("turn", 10.into())]).is_ok());
    for items in [&[("turn", 1.into())][..], &[("out", State::list([1]))]] {
        let flaw = set_up("spec", growing, items).expect_err("too many ships");
        assert_eq!((flaw.item, &*flaw.what), (None, "player 1 could have 2150000050 ships after 50 turns"));
        let hint = flaw.hint.expect("a hint");
        assert!(hint.ends_with("use fewer ships, less growth, a lower limit or a later turn"), "{hint}");
    }
    // No turn makes room for these.
    let full = "P 0 0 1 2000000000 0\nP 5 5 1 2000000000 0\nP 9 9 2 5 1\n";
    let flaw = set_up("spec", full, &[("turn", 50.into())]).expect_err("too many ships");
    assert_eq!((flaw.item, &*flaw.what), (None, "player 1 could have 4000000001 ships after 1 turn"));
}
