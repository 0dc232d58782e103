use agon_tourney::{Kind, MatchCount, Seatings, Spec};

#[test]
fn the_number_of_matches_is_exact() {
    for (kind, entrants, seats, rounds, seatings, number) in [
        (Kind::RoundRobin, 2, 2, 20_000, Seatings::All, 40_000),
        (Kind::RoundRobin, 5, 2, 3, Seatings::One, 30),
        (Kind::RoundRobin, 5, 2, 3, Seatings::Balanced, 60),
        (Kind::RoundRobin, 6, 3, 1, Seatings::All, 120),
        (Kind::RoundRobin, 6, 3, 2, Seatings::Balanced, 120),
        (Kind::RoundRobin, 6, 3, 2, Seatings::One, 40),
        (Kind::Gauntlet { challengers: 2 }, 6, 2, 1, Seatings::All, 16),
        (Kind::Gauntlet { challengers: 1 }, 6, 3, 1, Seatings::Balanced, 30),
        (Kind::Swiss, 7, 2, 5, Seatings::All, 30),
        (Kind::Swiss, 11, 4, 5, Seatings::One, 10),
    ] {
        let spec = Spec { seats, rounds, seatings, ..Spec::new(kind, entrants) };
        assert_eq!(spec.matches(), Ok(MatchCount { least: number, most: number }), "{spec:?}");
        assert_eq!(crate::simulation::play(&spec).pairings.len() as u64, number, "{spec:?}");
    }
}

#[test]
fn an_impossible_comparison_is_refused_with_the_way_out() {
    let spec = Spec::round_robin;
    for (spec, what, hint) in [
        (spec(1), "1 bot cannot play a tournament", "name at least two bots"),
        (
            Spec { seats: 4, ..spec(3) },
            "3 bots cannot fill the 4 seats of a match",
            "add bots, or choose maps with fewer seats",
        ),
        (Spec { rounds: 0, ..spec(3) }, "a tournament of 0 rounds has no match", "write `rounds = 1` or more"),
        (Spec { maps: 0, ..spec(3) }, "the list of maps is empty", "name at least one map or generator"),
        (
            Spec { rounds: 1_000_000, ..spec(40) },
            "all seatings of 40 bots in matches of 2 seats and 1000000 rounds are 1,560,000,000 matches",
            "write `rounds = 6410`: 9,999,600 matches",
        ),
        (
            Spec { seats: 8, ..spec(20) },
            "all seatings of 20 bots in matches of 8 seats and 1 round are 5,079,110,400 matches",
            "write `seatings = \"balanced\"`: 1,007,760 matches",
        ),
        (
            Spec { seats: 8, ..spec(40) },
            "all seatings of 40 bots in matches of 8 seats and 1 round are 3,100,796,899,200 matches",
            "write `kind = \"swiss\"` with `rounds = 4` and `seatings = \"balanced\"`: 160 matches",
        ),
        (
            Spec { seats: 100, ..spec(2_000) },
            "all seatings of 2000 bots in matches of 100 seats and 1 round are more than 10^38 matches",
            "a tournament may have 10,000,000 matches: name fewer bots",
        ),
        (
            Spec { seats: 4, ..Spec::new(Kind::SingleElimination { best_of: 3, third_place: true }, 8) },
            "an elimination is for games of two, not for 4 seats",
            "write `kind = \"swiss\"`, or choose maps with 2 seats",
        ),
        (
            Spec::new(Kind::SingleElimination { best_of: 0, third_place: true }, 8),
            "an encounter cannot be the best of 0 games",
            "write `best-of = 3`, or another number from 1 to 99",
        ),
        (
            Spec::new(Kind::Groups { groups: 4, advance: 1, best_of: 1, third_place: false }, 7),
            "7 bots do not fill 4 groups of at least 2",
            "write `groups = 3`, or another number from 1 to 3",
        ),
        (
            Spec::new(Kind::Groups { groups: 2, advance: 4, best_of: 1, third_place: false }, 7),
            "4 bots cannot advance from a group of 3",
            "write `advance = 1`, or another number from 1 to 3",
        ),
        (
            Spec::new(Kind::Ladder { uniform_percent: 0, window: 64 }, 7),
            "a ladder cannot draw 0 % of its rounds uniformly",
            "write `uniform-percent = 20`, or another number from 1 to 100",
        ),
        (
            Spec::new(Kind::Swiss, 1_001),
            "1001 bots are too many for the Swiss system",
            "at most 1000 bots can play in it",
        ),
        (
            Spec::new(Kind::Gauntlet { challengers: 0 }, 4),
            "a gauntlet without challengers has no match",
            "write `challengers = 1` or more",
        ),
        (
            Spec::new(Kind::Gauntlet { challengers: 4 }, 4),
            "a gauntlet of 4 challengers leaves 0 bots for the other 1 seat of a match",
            "name fewer challengers, or add bots",
        ),
    ] {
        let flaw = spec.check().expect_err(what);
        assert_eq!((flaw.what.as_str(), flaw.hint.as_deref()), (what, Some(hint)));
        assert_eq!(spec.matches(), Err(flaw));
    }
}
