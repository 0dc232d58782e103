use crate::simulation::{Decision, finished, meetings, play, play_by, play_in_chaos, resumed};
use agon_core::Seed;
use agon_tourney::{
    Entrant, Kind, MatchId, Outcome, Points, RecordError, Schedule, SeatResult, Seatings, Seeding, Spec, TieBreak,
    Withdrawn,
};
use proptest::prelude::*;

/// Tournaments small enough to be played many times.
fn specs() -> impl Strategy<Value = Spec> {
    let kinds = prop_oneof![Just(Kind::RoundRobin), (1_u32..3).prop_map(|challengers| Kind::Gauntlet { challengers })];
    let seatings = prop_oneof![Just(Seatings::All), Just(Seatings::Balanced), Just(Seatings::One)];
    let seeding = prop_oneof![Just(Seeding::List), Just(Seeding::Drawn)];
    (kinds, 2_u32..4, 0_u32..4, 1_u32..4, seatings, 1_u32..4, any::<u64>(), seeding).prop_map(
        |(kind, seats, more, rounds, seatings, maps, seed, seeding)| {
            let challengers = if let Kind::Gauntlet { challengers } = kind { challengers } else { 1 };
            let seed = Seed(seed);
            Spec { seats, rounds, seatings, maps, seed, seeding, ..Spec::new(kind, seats + challengers - 1 + more) }
        },
    )
}

#[test]
fn four_bots_meet_by_the_circle_method() {
    let spec = Spec { seatings: Seatings::One, rounds: 2, maps: 2, ..Spec::round_robin(4) };
    let rows: Vec<_> = play(&spec)
        .pairings
        .iter()
        .map(|p| (p.id.0, p.round, p.map, p.seats.iter().map(|e| e.0).collect::<Vec<_>>()))
        .collect();
    assert_eq!(
        rows,
        [
            (1, 1, 0, vec![0, 3]),
            (2, 1, 0, vec![1, 2]),
            (3, 1, 0, vec![3, 1]),
            (4, 1, 0, vec![2, 0]),
            (5, 1, 0, vec![2, 3]),
            (6, 1, 0, vec![0, 1]),
            (7, 2, 1, vec![3, 0]),
            (8, 2, 1, vec![2, 1]),
            (9, 2, 1, vec![1, 3]),
            (10, 2, 1, vec![0, 2]),
            (11, 2, 1, vec![3, 2]),
            (12, 2, 1, vec![1, 0]),
        ]
    );
}

proptest! {
    #[test]
    fn every_set_meets_equally_often(spec in specs()) {
        let played = play(&spec);
        prop_assert_eq!(Ok(played.pairings.len() as u64), spec.matches().map(|count| count.most));
        let mut sets = std::collections::BTreeMap::new();
        for pairing in &played.pairings {
            let mut set = pairing.seats.clone();
            set.sort_unstable();
            set.dedup();
            prop_assert_eq!(set.len(), spec.seats as usize, "a bot plays itself");
            *sets.entry((pairing.round, set)).or_insert(0_u64) += 1;
        }
        let each = played.pairings.len() as u64 / sets.len() as u64;
        prop_assert!(sets.values().all(|times| *times == each));
        if let Kind::Gauntlet { challengers } = spec.kind {
            prop_assert!(sets.keys().all(|(_, set)| set.iter().filter(|e| e.0 < challengers).count() == 1));
        }
    }

    #[test]
    fn seats_are_even(spec in specs()) {
        let mut counts = vec![vec![0_i64; spec.seats as usize]; spec.entrants as usize];
        for pairing in play(&spec).pairings {
            for (seat, bot) in pairing.seats.iter().enumerate() {
                counts[bot.index()][seat] += 1;
            }
        }
        let most = match (spec.seatings, spec.seats) {
            (Seatings::One, 2) => i64::from(spec.rounds % 2),
            // Kept even by choice, not by construction.
            (Seatings::One, _) => 3,
            _ => 0,
        };
        for bot in counts {
            let spread = bot.iter().max().zip(bot.iter().min()).map(|(high, low)| high - low);
            prop_assert!(spread.is_some_and(|spread| spread <= most), "{:?}", bot);
        }
    }

    #[test]
    fn the_order_of_outcomes_and_interruptions_change_nothing(
        spec in specs(), at_once in 1_usize..9, chaos in any::<u64>(),
    ) {
        prop_assert_eq!(play_in_chaos(&spec, at_once, Seed(chaos), &[]), play(&spec));
    }

    #[test]
    fn decisions_of_the_organiser_survive_an_interruption(
        spec in specs(), at_once in 1_usize..9, chaos in any::<u64>(), after in 0_usize..20,
    ) {
        let decisions = [(after, Decision::VoidOne), (after + 2, Decision::Withdraw(Entrant(1)))];
        let played = play_in_chaos(&spec, at_once, Seed(chaos), &decisions);
        prop_assert_eq!(resumed(&spec, &played), played);
    }

    #[test]
    fn later_bots_and_rounds_complete_the_whole_round_robin(
        spec in specs(), bots in 0_u32..3, rounds in 0_u32..3, after in 0_usize..9, chaos in any::<u64>(),
    ) {
        let (entrants, rounds) = (spec.entrants + bots, spec.rounds + rounds);
        let extend = Decision::Extend { entrants, rounds };
        let extended = play_in_chaos(&spec, 3, Seed(chaos), &[(after.min(1), extend)]);
        let whole = play(&Spec { entrants, rounds, ..spec.clone() });
        prop_assert_eq!(meetings(&extended.pairings, entrants), meetings(&whole.pairings, entrants));
        let before = play(&spec).pairings;
        prop_assert_eq!(&extended.pairings[..before.len()], &before[..]);
    }
}

#[test]
fn all_matches_of_a_block_share_map_and_seed() {
    let spec = Spec { seed: Seed(7), rounds: 2, maps: 2, ..Spec::round_robin(3) };
    let pairings = play(&spec).pairings;
    for block in pairings.chunks(2) {
        assert_eq!((block[0].seed, block[0].map_seed, block[0].map), (block[1].seed, block[1].map_seed, block[1].map));
    }
    let mut seeds: Vec<_> = pairings.iter().map(|p| p.seed.0).collect();
    seeds.dedup();
    assert_eq!(seeds.len(), 6, "two blocks share a seed");
    let mut maps: Vec<_> = pairings.iter().map(|p| (p.round, p.map, p.map_seed.0)).collect();
    maps.dedup();
    assert_eq!(maps.len(), 2, "a round has one map");
    assert_ne!(play(&Spec { seed: Seed(8), ..spec }).pairings[0].seed.0, seeds[0]);
}

#[test]
fn a_seeding_is_the_order_of_the_schedule() {
    let order = [2, 0, 3, 1].map(Entrant);
    for seats in [2, 3] {
        let by_list = Spec { seats, rounds: 2, ..Spec::round_robin(4) };
        let by_seeding = Spec { seeding: Seeding::Given(order.to_vec()), ..by_list.clone() };
        let reordered = play(&by_list).pairings.into_iter().map(|mut pairing| {
            pairing.seats.iter_mut().for_each(|bot| *bot = order[bot.index()]);
            pairing
        });
        assert_eq!(play(&by_seeding).pairings, reordered.collect::<Vec<_>>());
    }
}

#[test]
fn the_challengers_of_a_gauntlet_meet_the_best_first() {
    let seeding = Seeding::Given([4, 1, 0, 2, 3].map(Entrant).to_vec());
    let spec = Spec { seeding, seatings: Seatings::One, ..Spec::new(Kind::Gauntlet { challengers: 2 }, 5) };
    let mut schedule = Schedule::new(spec.clone()).expect("it can be played");
    schedule.extend(6, 1).expect("a gauntlet takes newcomers");
    let met = |schedule: &mut Schedule| -> Vec<(u32, u32)> {
        let pairs = schedule.next(99).into_iter().map(|pairing| (pairing.seats[0].0, pairing.seats[1].0));
        pairs.map(|(a, b)| (a.min(b), a.max(b))).collect()
    };
    assert_eq!(met(&mut schedule), [(1, 4), (0, 4), (1, 2), (0, 2), (1, 3), (0, 3), (1, 5), (0, 5)]);
}

/// Plays with bots of which the one with the smaller number always wins by one point.
fn play_without_surprise(spec: &Spec, decide: impl FnOnce(&mut Schedule), after: usize) -> Schedule {
    let mut schedule = Schedule::new(spec.clone()).expect("a tournament");
    let mut decide = Some(decide);
    let mut played = 0;
    loop {
        if let Some(decide) = decide.take_if(|_| played == after) {
            decide(&mut schedule);
        }
        let Some(pairing) = schedule.next(1).pop() else { break };
        let scores: Vec<i64> = pairing.seats.iter().map(|bot| -i64::from(bot.0)).collect();
        schedule.record(pairing.id, finished(&scores)).expect("it fits");
        played += 1;
    }
    assert!(schedule.is_complete());
    schedule
}

fn table(schedule: &Schedule) -> Vec<(u32, u32, i64, u32, u32)> {
    let rows = schedule.standings().rows;
    rows.iter().map(|row| (row.place, row.entrant.0, row.points, row.played, row.walkovers)).collect()
}

#[test]
fn a_bot_that_is_withdrawn_early_counts_for_nobody() {
    let spec = Spec { seatings: Seatings::One, ..Spec::round_robin(4) };
    // Bot 0 has played 1 of its 3 matches.
    let schedule = play_without_surprise(
        &spec,
        |s| {
            s.withdraw(Entrant(0)).expect("it plays");
        },
        1,
    );
    assert_eq!(table(&schedule), [(1, 1, 4, 2, 0), (2, 2, 2, 2, 0), (3, 3, 0, 2, 0), (4, 0, 0, 0, 0)]);
    let lose = Spec { withdrawn: Withdrawn::Lose, ..spec };
    let schedule = play_without_surprise(
        &lose,
        |s| {
            s.withdraw(Entrant(0)).expect("it plays");
        },
        1,
    );
    assert_eq!(table(&schedule), [(1, 1, 6, 2, 1), (2, 2, 4, 2, 1), (3, 3, 0, 3, 0), (4, 0, 2, 1, 0)]);
}

#[test]
fn a_bot_that_is_withdrawn_late_loses_the_rest() {
    let spec = Spec { seatings: Seatings::One, ..Spec::round_robin(4) };
    // Bot 0 has played 2 of its 3 matches.
    let schedule = play_without_surprise(
        &spec,
        |s| {
            s.withdraw(Entrant(0)).expect("it plays");
        },
        4,
    );
    assert_eq!(table(&schedule), [(1, 1, 6, 2, 1), (2, 2, 2, 3, 0), (3, 3, 0, 3, 0), (4, 0, 4, 2, 0)]);
    let void = Spec { withdrawn: Withdrawn::Void, ..spec };
    let schedule = play_without_surprise(
        &void,
        |s| {
            s.withdraw(Entrant(0)).expect("it plays");
        },
        4,
    );
    assert_eq!(table(&schedule), [(1, 1, 4, 2, 0), (2, 2, 2, 2, 0), (3, 3, 0, 2, 0), (4, 0, 0, 0, 0)]);
    assert_eq!(schedule.progress().skipped, 1);
}

#[test]
fn a_void_match_does_not_count() {
    let spec = Spec { seatings: Seatings::One, ..Spec::round_robin(3) };
    let schedule = play_without_surprise(
        &spec,
        |s| {
            s.void(MatchId(1)).expect("it is finished");
        },
        2,
    );
    let first = schedule.pairing(MatchId(1)).expect("it was drawn");
    for row in schedule.standings().rows {
        assert_eq!(row.played, if first.seats.contains(&row.entrant) { 1 } else { 2 });
    }
    assert!(schedule.is_void(MatchId(1)));
}

#[test]
fn outcomes_that_do_not_fit_are_refused() {
    let mut schedule = Schedule::new(Spec::round_robin(3)).expect("a tournament");
    schedule.next(1);
    let one = MatchId(1);
    assert_eq!(schedule.record(MatchId(0), Outcome::Void), Err(RecordError::Unknown(MatchId(0))));
    assert_eq!(schedule.record(MatchId(99), Outcome::Void), Err(RecordError::Unknown(MatchId(99))));
    assert_eq!(schedule.record(one, finished(&[1, 2, 3])), Err(RecordError::Misfit(one)));
    assert_eq!(schedule.record(one, finished(&[1, 2])), Ok(()));
    assert_eq!(schedule.record(one, finished(&[1, 2])), Err(RecordError::Recorded(one)));
    assert!(schedule.withdraw(Entrant(3)).is_err());
    assert!(schedule.void(MatchId(2)).is_err());
    assert!(schedule.extend(2, 1).is_err());
    assert!(schedule.withdraw(Entrant(2)).is_ok());
    assert!(schedule.withdraw(Entrant(2)).is_err());
    let outcomes = [(MatchId(7), Outcome::Void)];
    let flaw = Schedule::resume(Spec::round_robin(3), [], outcomes).expect_err("there are 6 matches");
    assert_eq!(flaw.what, "there is no match 7 yet");
}

#[test]
fn tie_breaks_are_asked_in_order_and_say_what_decided() {
    // Wins: 0 over 1, 1 over 2, 2 over 0, all over 3; 3 and 4 draw; 4 over 0 and loses to 1 and 2.
    let winner = |a: u32, b: u32| match (a, b) {
        (0, 1) => 1,
        (1, 2) | (1, 3) | (0, 3) | (2, 3) | (1, 4) | (2, 4) => 1,
        (0, 2) | (0, 4) => -1,
        (3, 4) => 0,
        _ => unreachable!("pairs are sorted"),
    };
    let spec = Spec { seatings: Seatings::One, ..Spec::round_robin(5) };
    let played = play_by(&spec, |pairing| {
        let (a, b) = (pairing.seats[0].0, pairing.seats[1].0);
        let sign = if a < b { winner(a, b) } else { -winner(b, a) };
        finished(&[sign, 0])
    });
    let rows: Vec<_> = played
        .standings
        .rows
        .iter()
        .map(|row| (row.place, row.entrant.0, row.points, row.tie_breaks.clone(), row.decided_by))
        .collect();
    assert_eq!(
        rows,
        [
            (1, 1, 6, vec![Some(1.0), Some(10.0), Some(3.0)], None),
            (2, 2, 6, vec![Some(0.0), Some(8.0), Some(3.0)], Some(TieBreak::DirectEncounter)),
            (3, 0, 4, vec![None, Some(7.0), Some(2.0)], None),
            (4, 4, 3, vec![None, Some(4.5), Some(1.0)], None),
            (5, 3, 1, vec![None, Some(1.5), Some(0.0)], None),
        ]
    );
    assert_eq!(played.standings.tie_breaks[0], TieBreak::DirectEncounter);
}

#[test]
fn points_may_be_scores() {
    let spec = Spec { points: Points::Score, seatings: Seatings::One, ..Spec::round_robin(2) };
    let played = play_by(&spec, |_| finished(&[-5, 1_000]));
    let points: Vec<_> = played.standings.rows.iter().map(|row| row.points).collect();
    assert_eq!(points, [1_000, -5]);
}

#[test]
fn a_match_that_is_put_back_is_handed_out_again_or_skipped() {
    let mut schedule = Schedule::new(Spec::round_robin(3)).expect("it can be played");
    let first = schedule.next(4);
    schedule.put_back(first[1].id);
    schedule.put_back(MatchId(99));
    assert_eq!(schedule.next(1), [first[1].clone()], "the earliest one comes first");
    schedule.withdraw(first[2].seats[0]).expect("it plays");
    schedule.put_back(first[2].id);
    let later = schedule.next(9);
    assert!(later.iter().all(|pairing| pairing.id != first[2].id), "nobody plays it");
    assert_eq!(schedule.progress().skipped as usize, 6 - 4 - later.len() + 1);
}

#[test]
fn direct_encounters_agree_with_the_table_on_who_has_lost() {
    for (places, points, direct) in [
        (&[1, 2][..], &[2, 0][..], &[None, None][..]),
        (&[1, 1], &[1, 1], &[Some(0.5), Some(0.5)]),
        // Both forfeit.
        (&[2, 2], &[0, 0], &[Some(0.0), Some(0.0)]),
        (&[1, 2, 2], &[2, 0, 0], &[None, Some(0.5), Some(0.5)]),
        (&[1, 1, 3], &[1, 1, 0], &[Some(0.5), Some(0.5), None]),
        (&[2, 2, 2], &[0, 0, 0], &[Some(0.0), Some(0.0), Some(0.0)]),
        (&[2, 3, 3], &[0, 0, 0], &[Some(2.0), Some(0.0), Some(0.0)]),
    ] {
        let seats = places.len() as u32;
        let spec = Spec { seatings: Seatings::One, seats, ..Spec::round_robin(seats) };
        let played = play_by(&spec, |pairing| {
            let place = |bot: &Entrant| SeatResult::new(places[bot.0 as usize], 0);
            Outcome::Finished(pairing.seats.iter().map(place).collect())
        });
        let mut rows = played.standings.rows;
        rows.sort_by_key(|row| row.entrant);
        let found: Vec<_> = rows.iter().map(|row| row.points).collect();
        assert_eq!(found, points, "{places:?}");
        let found: Vec<_> = rows.iter().map(|row| row.tie_breaks[0]).collect();
        assert_eq!(found, direct, "{places:?}");
    }
}

#[test]
fn a_match_that_both_bots_forfeit_is_no_draw_for_those_who_played_it() {
    // 0 and 1 forfeit against each other, draw with 2 and beat 3; 2 and 3 draw. So 0, 1 and 2 have 3 points.
    let spec = Spec { seatings: Seatings::One, ..Spec::round_robin(4) };
    let played = play_by(&spec, |pairing| {
        let place = |own: Entrant, other: Entrant| match (own.0, other.0) {
            (0, 1) | (1, 0) | (3, 0 | 1) => 2,
            _ => 1,
        };
        let [one, other] = pairing.seats[..] else { unreachable!("two seats") };
        Outcome::Finished(vec![SeatResult::new(place(one, other), 0), SeatResult::new(place(other, one), 0)])
    });
    let rows = played.standings.rows.iter();
    let rows: Vec<_> = rows.map(|row| (row.place, row.entrant.0, row.points, row.tie_breaks[0])).collect();
    assert_eq!(rows, [(1, 2, 3, Some(1.0)), (2, 0, 3, Some(0.5)), (2, 1, 3, Some(0.5)), (4, 3, 1, None)]);
}
