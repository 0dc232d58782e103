//! The laws of what a game says of itself: its lists, rule sets and generators.

use crate::{Contest, RuleSet, Seed, Setup, Terms, rules};
use alloc::vec::Vec;

/// Returns the numbers of seats with which to test the laws: the fewest, the most, the default, and some in between.
#[must_use]
pub fn seat_counts<C: Contest>() -> Vec<usize> {
    let (least, most) = (*C::INFO.seats.start(), *C::INFO.seats.end());
    let mut counts = alloc::vec![least, (least + 1).min(most), C::INFO.default_seats, least.midpoint(most), most];
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// Tests that a game's facts are complete and that the names in each list are unique.
pub fn the_lists_are_complete<C: Contest>() {
    let info = C::INFO;
    assert!(!info.title.is_empty() && !info.about.is_empty(), "a game has a title and says what it is about");
    assert!(!info.map_kinds.is_empty(), "a game generates maps");
    assert!(info.bots.len() >= 4 && info.bots[0].name == "random", "there are four bots, the weakest is `random`");
    assert!(
        *info.seats.start() >= 1 && *info.seats.end() <= crate::MAX_SEATS && info.seats.contains(&info.default_seats)
    );
    assert!(info.dialect.iter().all(|option| !option.values.is_empty()), "an option has values");
    let differ = |mut names: Vec<&str>| {
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "a list of {} has a name twice: {names:?}", C::NAME);
    };
    differ(info.map_kinds.iter().map(|kind| kind.name).collect());
    differ(info.bots.iter().map(|bot| bot.name).collect());
    differ(info.dialect.iter().map(|option| option.name).collect());
    differ(info.clocks.iter().map(|(name, _)| *name).collect());
    differ(<C as Setup>::Rules::SETS.to_vec());
    differ(<C as Setup>::Rules::POINTS.iter().map(|point| point.name).collect());
}

/// Tests that every rule set prints as its name, and that every point accepts and keeps each of its values.
pub fn rule_sets_survive_print_and_parse<C: Contest>() {
    for set in <C as Setup>::Rules::SETS {
        let parsed: <C as Setup>::Rules = rules::parse(set).expect("a listed set exists");
        assert_eq!(rules::print(&parsed), *set, "a set prints as its name");
        for point in <C as Setup>::Rules::POINTS {
            for value in point.values {
                let mut changed = parsed.clone();
                changed.set(point.name, value);
                assert_eq!(changed.get(point.name), *value, "point {} takes value {value}", point.name);
                let printed = rules::print(&changed);
                assert_eq!(rules::parse(&printed).as_ref(), Ok(&changed), "`{printed}` parses back");
            }
        }
    }
}

/// Tests the generators. Every kind of map must exist for some number of seats, and the default kind for the default
/// number. A map must depend only on its kind, seed and number of seats, and a match must be able to start from it.
pub fn generators_make_maps_that_can_be_played<C: Contest>(seed: u64) {
    for kind in C::INFO.map_kinds {
        let mut playable = Vec::new();
        for seats in C::INFO.seats.clone() {
            let Ok(map) = C::generate(kind.name, Seed(seed), seats) else { continue };
            let again = C::generate(kind.name, Seed(seed), seats);
            assert_eq!(again.as_ref(), Ok(&map), "map kind {} depends on its seed and seats alone", kind.name);
            let terms =
                Terms { rules: rules::parse("").expect("every game has a default rule set"), seats, limit: None };
            if let Err(flawed) = C::from_map(map, &terms) {
                panic!("gen:{}:{seed} cannot be played by {seats}: {}", kind.name, flawed.flaw);
            }
            playable.push(seats);
        }
        assert!(!playable.is_empty(), "gen:{}:{seed} is made for no number of seats", kind.name);
        if kind == &C::INFO.map_kinds[0] {
            let seats = C::INFO.default_seats;
            assert!(playable.contains(&seats), "the default map gen:{}:{seed} has no room for {seats}", kind.name);
        }
    }
}
