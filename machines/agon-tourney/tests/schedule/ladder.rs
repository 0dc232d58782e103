use crate::simulation::{Decision, finished, outcome, play, play_in_chaos, resumed};
use agon_core::Seed;
use agon_stats::Rating;
use agon_tourney::{Entrant, Kind, Outcome, Pairing, Schedule, SeatResult, Seatings, Seeding, Spec};
use proptest::prelude::*;

fn ladder(entrants: u32, rounds: u32) -> Spec {
    Spec { rounds, seatings: Seatings::One, ..Spec::new(Kind::LADDER, entrants) }
}

fn specs() -> impl Strategy<Value = Spec> {
    let seeding = prop_oneof![Just(Seeding::List), Just(Seeding::Drawn)];
    let rating = (0.0..50.0, 0.5..9.0).prop_map(|(mean, deviation)| Rating { mean, deviation });
    let ratings = prop::collection::vec(rating, 0..3);
    (2_u32..4, 0_u32..8, 1_u32..120, 1_u32..101, 1_u32..20, any::<bool>(), any::<u64>(), seeding, ratings).prop_map(
        |(seats, more, rounds, uniform_percent, window, one, seed, seeding, ratings)| Spec {
            seats,
            seed: Seed(seed),
            seeding,
            ratings,
            seatings: if one { Seatings::One } else { Seatings::Balanced },
            ..Spec { kind: Kind::Ladder { uniform_percent, window }, ..ladder(seats + more, rounds) }
        },
    )
}

/// Returns the longest run of matches without a bot, from the first match of all.
fn longest_gap(pairings: &[Pairing], bot: Entrant) -> u64 {
    let (mut longest, mut last) = (0, 0);
    for pairing in pairings.iter().filter(|pairing| pairing.seats.contains(&bot)) {
        longest = longest.max(pairing.id.0 - last - 1);
        last = pairing.id.0;
    }
    longest.max(pairings.len() as u64 - last)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_outcomes_and_interruptions_change_nothing(
        spec in specs(), at_once in 1_usize..9, chaos in any::<u64>(),
    ) {
        prop_assert_eq!(play_in_chaos(&spec, at_once, Seed(chaos), &[]), play(&spec));
    }

    #[test]
    fn decisions_of_the_organiser_survive_an_interruption(
        spec in specs(), at_once in 1_usize..9, chaos in any::<u64>(), after in 0_usize..50,
    ) {
        let extend = Decision::Extend { entrants: spec.entrants + 2, rounds: spec.rounds + 30 };
        let decisions = [(after, Decision::VoidOne), (after, extend), (after + 9, Decision::Withdraw(Entrant(1)))];
        let played = play_in_chaos(&spec, at_once, Seed(chaos), &decisions);
        prop_assert_eq!(resumed(&spec, &played), played);
    }

    /// Bot 0 fails in every match, and a match of bot 1 ends only when no other one can be played.
    #[test]
    fn nobody_starves(
        seats in 2_u32..4, more in 0_u32..10, seed in any::<u64>(), uniform_percent in 1_u32..101, window in 1_u32..70,
        newcomers in 0_u32..3,
    ) {
        let entrants = seats + more;
        let kind = Kind::Ladder { uniform_percent, window };
        let spec = Spec { seats, seed: Seed(seed), kind, ..ladder(entrants, 400) };
        let mut schedule = Schedule::new(spec).expect("a tournament");
        let mut running: Vec<Pairing> = Vec::new();
        let mut joined_at = 0;
        loop {
            running.extend(schedule.next(4 - running.len()));
            let quick = running.iter().position(|pairing| !pairing.seats.contains(&Entrant(1)));
            let Some(index) = quick.or(if running.is_empty() { None } else { Some(0) }) else { break };
            let pairing = running.swap_remove(index);
            let mut results = match outcome(&pairing) {
                Outcome::Finished(results) => results,
                Outcome::Void | Outcome::NoResult => vec![SeatResult::new(1, 0); seats as usize],
            };
            if let Some(seat) = pairing.seats.iter().position(|bot| *bot == Entrant(0)) {
                results[seat] = SeatResult { place: seats as u8, score: 0, fault: true };
            }
            schedule.record(pairing.id, Outcome::Finished(results)).expect("it fits");
            if pairing.id.0 == 150 {
                joined_at = schedule.progress().drawn;
                schedule.extend(entrants + newcomers, 600).expect("a ladder takes newcomers");
            }
        }
        let drawn = schedule.progress().drawn;
        let all: Vec<Pairing> = (1..=drawn).filter_map(|id| schedule.pairing(agon_tourney::MatchId(id))).collect();
        let longest_wait = schedule.spec().longest_wait().expect("a ladder has a bound");
        prop_assert_eq!(longest_wait, 5 * u64::from(entrants + newcomers));
        for bot in 0..entrants + newcomers {
            let since = if bot < entrants { 0 } else { joined_at };
            let theirs: Vec<Pairing> = all[since as usize..].iter().cloned().map(|mut pairing| {
                pairing.id.0 -= since;
                pairing
            }).collect();
            let gap = longest_gap(&theirs, Entrant(bot));
            prop_assert!(gap < longest_wait, "bot {bot} waits for {gap} matches");
        }
    }

    #[test]
    fn probabilities_are_those_of_the_draw(spec in specs()) {
        let Kind::Ladder { uniform_percent, .. } = spec.kind else { unreachable!("only ladders") };
        let share = f64::from(uniform_percent) / 100.0;
        for pairing in play(&spec).pairings {
            let probability = pairing.probability.expect("a ladder draws");
            // Either the best set, or one of all.
            prop_assert!(probability > 1.0 - share || probability <= share, "{probability} with {share}");
            prop_assert!(probability > 0.0 && probability <= 1.0 + 1e-12);
        }
    }
}

#[test]
fn a_share_of_draws_is_uniform() {
    let played = play(&Spec { seed: Seed(3), ..ladder(20, 4_000) });
    let uniform = played.pairings.iter().filter(|pairing| pairing.probability.is_some_and(|p| p < 0.5)).count();
    // 20 % of 4,000 are 800, with a deviation of 25. A few of them are the best set by chance.
    assert!((690..=875).contains(&uniform), "{uniform}");
}

/// Returns how many pairs of bots the table has in the wrong order, after so many matches of bots whose strength falls
/// with their number.
fn misplaced(uniform_percent: u32, seed: u64) -> usize {
    let kind = Kind::Ladder { uniform_percent, window: 8 };
    let spec = Spec { kind, seed: Seed(seed), ..ladder(16, 250) };
    let order = play(&spec).standings.order();
    let pairs = (0..order.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
    pairs.filter(|(above, below)| order[*above] > order[*below]).count()
}

#[test]
fn informed_draws_rank_better_than_uniform_ones() {
    let sum = |uniform_percent| (0..40).map(|seed| misplaced(uniform_percent, seed)).sum::<usize>();
    let (informed, uniform) = (sum(20), sum(100));
    assert!(informed < uniform, "{informed} misplaced pairs instead of {uniform}");
}

#[test]
fn the_window_bounds_what_runs_at_once() {
    let spec = Spec { kind: Kind::Ladder { uniform_percent: 20, window: 5 }, ..ladder(6, 50) };
    let mut schedule = Schedule::new(spec).expect("a tournament");
    let first = schedule.next(99);
    assert_eq!(first.len(), 5);
    // Only the first match holds the others up.
    for pairing in &first[1..] {
        schedule.record(pairing.id, finished(&[1, 0])).expect("it fits");
    }
    assert!(schedule.next(99).is_empty());
    schedule.record(first[0].id, finished(&[1, 0])).expect("it fits");
    assert_eq!(schedule.next(99).len(), 5);
    assert_eq!(schedule.planned(), Some(50));
}

#[test]
fn the_table_is_by_ratings() {
    let played = play(&Spec { seed: Seed(5), ..ladder(8, 400) });
    let values: Vec<f64> =
        played.standings.rows.iter().map(|row| row.rating.expect("a ladder rates").conservative()).collect();
    assert!(values.windows(2).all(|pair| pair[0] >= pair[1]), "{values:?}");
    assert_eq!(played.standings.rows[0].place, 1);
}

#[test]
fn a_ladder_begins_with_what_is_known() {
    let known = |mean| Rating { mean, deviation: 1.0 };
    let kind = Kind::Ladder { uniform_percent: 1, window: 1 };
    let ratings = vec![known(10.0), known(40.0), known(30.0), known(20.0)];
    let spec = Spec { kind, ratings: ratings.clone(), ..ladder(5, 40) };
    let mut schedule = Schedule::new(spec.clone()).expect("it can be played");
    let table = schedule.standings();
    assert_eq!(table.order(), [1, 2, 3, 0, 4].map(Entrant), "before the first match");
    assert_eq!(table.rows[4].rating, Some(Rating::default()));
    let first = schedule.next(1).pop().expect("there are matches");
    assert!(first.seats.contains(&Entrant(4)), "only about this bot is anything to be learnt: {first:?}");
    schedule.record(first.id, finished(&[1, 0])).expect("it fits");
    let changed = schedule.standings().rows;
    for row in changed.iter().filter(|row| row.entrant != Entrant(4)) {
        let before = ratings[row.entrant.index()];
        let after = row.rating.expect("a ladder rates");
        assert_eq!(after != before, first.seats.contains(&row.entrant));
        assert!((after.mean - before.mean).abs() < 1.0, "{after:?}");
    }
}

#[test]
fn every_rating_that_is_taken_can_be_played_with() {
    let of = |rating| Spec { ratings: vec![rating; 6], ..ladder(6, 60) };
    for (mean, deviation) in [(0.0, 0.0), (0.0, 1e-200), (0.0, 9e-7), (0.0, 2e6), (-2e6, 1.0), (f64::NAN, 1.0)] {
        let refused = of(Rating { mean, deviation }).check().expect_err("it divides by this");
        assert_eq!(refused.what, "the rating of bot 1 is not possible");
        let hint = "a deviation is at least 0.000001, and no number exceeds 1000000";
        assert_eq!(refused.hint.as_deref(), Some(hint));
    }
    for (mean, deviation) in [(0.0, 1e-6), (-1e6, 1e6), (1e6, 1e-6)] {
        for row in play(&of(Rating { mean, deviation })).standings.rows {
            let rating = row.rating.expect("a ladder rates");
            assert!(rating.mean.is_finite() && rating.deviation > 0.0, "{rating:?}");
        }
    }
}

#[test]
fn a_ladder_asks_the_seeding_if_nothing_is_known() {
    let kind = Kind::Ladder { uniform_percent: 1, window: 1 };
    let seeding = Seeding::Given([3, 1, 0, 2].map(Entrant).to_vec());
    let mut schedule = Schedule::new(Spec { kind, seeding, ..ladder(4, 9) }).expect("it can be played");
    let mut first = schedule.next(1).pop().expect("there are matches").seats;
    first.sort_unstable();
    assert_eq!(first, [1, 3].map(Entrant));
}
