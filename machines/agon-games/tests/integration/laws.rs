//! Tests the referee's laws with every game and several numbers of seats: split bytes, the order of arrival, failures,
//! and playing a match again.

use agon_core::{Contest, RuleSet as _, Seed, Setup, laws::seat_counts};
use agon_spec::{MatchSpec, SeatSpec};

/// Returns a short match for each rule set and kind of map.
fn keeps_the_laws<C: Contest>() {
    for rules in <C as Setup>::Rules::SETS {
        // Under `playgame` it matters how a reply is split, as in the original.
        if *rules == "playgame" {
            continue;
        }
        let kinds = C::INFO.map_kinds.iter().take(2);
        for (kind, seats) in kinds.flat_map(|kind| seat_counts::<C>().into_iter().map(move |seats| (kind, seats))) {
            let map = C::generate(kind.name, Seed(3), seats).unwrap_or_else(|e| panic!("{}: {e}", kind.name));
            let seat = |i| SeatSpec { name: format!("bot{i}"), bot: "@random".into(), ..SeatSpec::default() };
            agon_referee::laws::all::<C>(&MatchSpec {
                seed: Seed(3),
                limit: C::INFO.limit.map(|_| 12),
                ..MatchSpec::new(C::NAME, *rules, C::print_map(&map), (0..seats).map(seat))
            });
        }
    }
}

macro_rules! list {
    ($($name:ident: $game:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            keeps_the_laws::<$game::Position>();
        })*
    };
}

agon_games::for_each_game!(list);

#[test]
fn a_sixth_game_by_the_recipe_alone() {
    keeps_the_laws::<agon_toy::Position>();
}
