//! Matches that all bots forfeit: each has lost them, in every kind of tournament, and ratings leave them out.

use crate::simulation::{Played, finished, play_by, play_in_chaos, resumed};
use agon_core::Seed;
use agon_tourney::{Entrant, Kind, Outcome, Pairing, Points, Row, Schedule, SeatResult, Seatings, Spec};

const KINDS: [Kind; 7] = [
    Kind::RoundRobin,
    Kind::Gauntlet { challengers: 2 },
    Kind::Swiss,
    Kind::SingleElimination { best_of: 3, third_place: true },
    Kind::DoubleElimination { best_of: 1 },
    Kind::Groups { groups: 2, advance: 2, best_of: 1, third_place: false },
    Kind::LADDER,
];

/// A match whose bots have these places, and all failed.
fn all_failed(places: &[u8]) -> Outcome {
    Outcome::Finished(places.iter().map(|place| SeatResult { fault: true, ..SeatResult::new(*place, 0) }).collect())
}

/// All bots fail in every match, and share the first place by the game's rules.
fn everybody_fails(pairing: &Pairing) -> Outcome {
    all_failed(&vec![1; pairing.seats.len()])
}

fn spec(kind: Kind) -> Spec {
    Spec { rounds: 3, ..Spec::new(kind, 8) }
}

fn sum(played: &Played, of: impl Fn(&Row) -> u32) -> u32 {
    played.standings.rows.iter().map(of).sum()
}

/// The numbers of wins, draws, losses and double forfeits of all bots.
fn counts(played: &Played) -> [u32; 4] {
    let of: [fn(&Row) -> u32; 4] = [|row| row.wins, |row| row.draws, |row| row.losses, |row| row.double_forfeits];
    of.map(|of| sum(played, of))
}

#[test]
fn each_bot_has_lost_in_every_kind() {
    for kind in KINDS {
        let played = play_by(&spec(kind), everybody_fails);
        let seats = 2 * played.outcomes.len() as u32;
        assert_eq!(counts(&played), [0, 0, seats, seats], "{kind:?}");
        assert!(played.standings.rows.iter().all(|row| row.points == 0), "{kind:?}");
        assert_eq!(resumed(&spec(kind), &played), played, "{kind:?}");
    }
}

#[test]
fn a_tournament_that_began_before_the_rule_keeps_its_meaning() {
    for kind in KINDS {
        let spec = Spec { forfeits_lose: false, ..spec(kind) };
        let played = play_by(&spec, everybody_fails);
        let seats = 2 * played.outcomes.len() as u32;
        assert_eq!(counts(&played), [0, seats, 0, 0], "{kind:?}");
        let draws = play_by(&spec, |pairing| finished(&vec![0; pairing.seats.len()]));
        assert_eq!(draws.pairings, played.pairings, "{kind:?}: it draws the same matches as before");
        assert_eq!(resumed(&spec, &played), played, "{kind:?}");
    }
}

#[test]
fn the_worth_is_that_of_a_loss_under_every_rule_for_points() {
    for (seats, points, places, expected) in [
        (2, "2/1/0", &[1, 1][..], &[0, 0][..]),
        (2, "3/1/-1", &[1, 1], &[-1, -1]),
        (2, "places:5,2", &[1, 1], &[2, 2]),
        (2, "places:5,2", &[2, 2], &[2, 2]),
        (4, "2/1/0", &[1, 1, 1, 1], &[0; 4]),
        (4, "places:10,6,3,1", &[1, 1, 1, 1], &[1; 4]),
        (4, "places:10,6,3,1", &[1, 1, 3, 4], &[1; 4]),
        // A loss has no worth of its own: the score counts.
        (2, "score", &[1, 1], &[0, 0]),
        // The game went on, and the first one has reached more than all others.
        (2, "2/1/0", &[1, 2], &[2, 0]),
        (4, "2/1/0", &[1, 2, 2, 4], &[2, 0, 0, 0]),
    ] {
        let points: Points = points.parse().expect("a rule");
        let spec = Spec { points, seats, seatings: Seatings::One, ..Spec::round_robin(seats) };
        let played = play_by(&spec, |pairing| {
            all_failed(&pairing.seats.iter().map(|bot| places[bot.index()]).collect::<Vec<_>>())
        });
        let mut rows = played.standings.rows;
        rows.sort_by_key(|row| row.entrant);
        let found: Vec<i64> = rows.iter().map(|row| row.points).collect();
        assert_eq!(found, expected, "{} {places:?}", spec.points);
    }
}

#[test]
fn a_bot_that_did_not_fail_keeps_its_draw() {
    let played = play_by(&Spec { seatings: Seatings::One, ..Spec::round_robin(2) }, |pairing| {
        let seat = |bot: &Entrant| SeatResult { fault: bot.0 == 0, ..SeatResult::new(1, 0) };
        Outcome::Finished(pairing.seats.iter().map(seat).collect())
    });
    assert_eq!(sum(&played, |row| row.draws), 2);
    assert_eq!(sum(&played, |row| row.double_forfeits), 0);
}

/// Bots 0 and 1 fail whenever they meet. Else the bot with the smaller number wins.
fn two_fail(pairing: &Pairing) -> Outcome {
    let both = pairing.seats.iter().all(|bot| bot.0 < 2);
    if both {
        everybody_fails(pairing)
    } else {
        finished(&pairing.seats.iter().map(|bot| -i64::from(bot.0)).collect::<Vec<_>>())
    }
}

#[test]
fn tie_breaks_and_encounters_know_that_both_have_lost() {
    let played = play_by(&Spec { seatings: Seatings::One, ..Spec::round_robin(4) }, two_fail);
    let rows: Vec<_> = played.standings.rows.iter().map(|row| (row.entrant.0, row.points, row.losses)).collect();
    assert_eq!(rows, [(0, 4, 1), (1, 4, 1), (2, 2, 2), (3, 0, 3)]);
    assert_eq!(played.standings.rows[0].tie_breaks[0], Some(0.0), "neither has beaten the other");
    // In the final nobody leads, so another game follows, and then the better seed advances.
    let spec = Spec::new(Kind::SingleElimination { best_of: 1, third_place: false }, 2);
    let mut schedule = Schedule::new(spec).expect("a tournament");
    for _ in 0..2 {
        let pairing = schedule.next(1).pop().expect("a match");
        schedule.record(pairing.id, two_fail(&pairing)).expect("it fits");
    }
    assert!(schedule.is_complete());
    let bracket = schedule.bracket().expect("an elimination has one");
    let last = &bracket.rounds[0].encounters[0];
    assert_eq!((last.winner, last.sides.each_ref().map(|side| side.points)), (Some(Entrant(0)), [0.0; 2]));
}

#[test]
fn ladders_leave_such_matches_out_of_their_ratings() {
    let spec = Spec { rounds: 60, ..Spec::new(Kind::LADDER, 4) };
    let played = play_by(&spec, everybody_fails);
    let first = agon_stats::Rating::default();
    assert!(played.standings.rows.iter().all(|row| row.rating == Some(first)), "{:?}", played.standings.rows);
    let draws = play_by(&spec, |pairing| finished(&vec![0; pairing.seats.len()]));
    assert!(draws.standings.rows.iter().all(|row| row.rating != Some(first)), "a draw tells something");
}

#[test]
fn interruptions_change_nothing() {
    for kind in KINDS {
        let spec = Spec { seed: Seed(5), ..spec(kind) };
        // `play_in_chaos` has outcomes of its own, with few equal places and no faults, so the rule must not touch them.
        let chaos = play_in_chaos(&spec, 3, Seed(9), &[]);
        let old = Spec { forfeits_lose: false, ..spec };
        assert_eq!(play_in_chaos(&old, 3, Seed(9), &[]), chaos, "{kind:?}");
    }
}
