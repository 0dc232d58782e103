use crate::simulation::{Decision, finished, meetings, play, play_by, play_in_chaos, resumed};
use agon_core::Seed;
use agon_tourney::{Entrant, Kind, MatchCount, Outcome, Pairing, Schedule, Seatings, Seeding, Spec};
use proptest::prelude::*;

fn groups(entrants: u32, groups: u32, advance: u32) -> Spec {
    Spec {
        seatings: Seatings::One,
        ..Spec::new(Kind::Groups { groups, advance, best_of: 1, third_place: false }, entrants)
    }
}

fn specs() -> impl Strategy<Value = Spec> {
    (1_u32..5, 2_u32..5, 0_u32..4, 1_u32..4, 1_u32..4, any::<bool>(), 1_u32..3, any::<u64>()).prop_filter_map(
        "somebody advances",
        |(groups, size, more, advance, best_of, third_place, rounds, seed)| {
            let kind = Kind::Groups { groups, advance, best_of, third_place };
            let seatings = if seed % 2 == 0 { Seatings::All } else { Seatings::One };
            let (seed, seeding) = (Seed(seed), Seeding::Drawn);
            let spec = Spec { rounds, seatings, seed, seeding, ..Spec::new(kind, groups * size + more) };
            spec.check().is_ok().then_some(spec)
        },
    )
}

/// The bot with the smaller number wins.
fn strongest(pairing: &Pairing) -> Outcome {
    finished(&pairing.seats.iter().map(|bot| -i64::from(bot.0)).collect::<Vec<_>>())
}

#[test]
fn two_groups_and_a_final_of_four() {
    let spec = groups(7, 2, 2);
    let played = play_by(&spec, strongest);
    // The groups are 0, 3, 4 and 1, 2, 5, 6.
    let met = meetings(&played.pairings[..9], 7);
    let opponents = |bot: usize| (0..7).filter(|other| met[bot][*other] == 1).collect::<Vec<_>>();
    assert_eq!((opponents(0), opponents(1)), (vec![3, 4], vec![2, 5, 6]));
    let knockout: Vec<_> =
        played.pairings[9..].iter().map(|p| (p.round, p.seats.iter().map(|e| e.0).collect::<Vec<_>>())).collect();
    // The winner of a group meets the second one of the other.
    assert_eq!(knockout, [(2, vec![0, 2]), (2, vec![1, 3]), (3, vec![0, 1])]);
    let places: Vec<_> = played.standings.rows.iter().map(|row| (row.place, row.entrant.0)).collect();
    assert_eq!(places, [(1, 0), (2, 1), (3, 2), (3, 3), (5, 5), (6, 4), (7, 6)]);
    let schedule = Schedule::resume(spec, [], played.outcomes).expect("it fits");
    let tables: Vec<Vec<_>> = schedule
        .group_standings()
        .iter()
        .map(|table| table.rows.iter().map(|row| (row.place, row.entrant.0, row.points)).collect())
        .collect();
    assert_eq!(tables, [vec![(1, 0, 4), (2, 3, 2), (3, 4, 0)], vec![(1, 1, 6), (2, 2, 4), (3, 5, 2), (4, 6, 0)]]);
}

#[test]
fn a_withdrawn_bot_does_not_go_on() {
    let mut schedule = Schedule::new(groups(6, 2, 2)).expect("a tournament");
    let mut played = 0;
    while let Some(pairing) = schedule.next(1).pop() {
        assert!(played < 6 || !pairing.seats.contains(&Entrant(0)), "{pairing:?}");
        schedule.record(pairing.id, strongest(&pairing)).expect("it fits");
        played += 1;
        if played == 5 {
            schedule.withdraw(Entrant(0)).expect("it plays");
        }
    }
    assert!(schedule.is_complete());
    assert_eq!(schedule.standings().rows[0].entrant, Entrant(1));
}

proptest! {
    #[test]
    fn everybody_meets_in_the_groups_and_the_best_go_on(spec in specs()) {
        let Kind::Groups { groups, advance, .. } = spec.kind else { unreachable!("only this kind") };
        let played = play(&spec);
        let MatchCount { least, most } = spec.matches().expect("it can be played");
        prop_assert!((least..=most).contains(&(played.pairings.len() as u64)), "{least} {most}");
        let schedule = Schedule::resume(spec.clone(), [], played.outcomes.clone()).expect("it fits");
        let in_groups: Vec<Pairing> =
            played.pairings.iter().filter(|pairing| pairing.round <= spec.rounds).cloned().collect();
        let met = meetings(&in_groups, spec.entrants);
        let seatings = if spec.seatings == Seatings::One { 1 } else { 2 };
        let tables = schedule.group_standings();
        prop_assert_eq!(tables.len() as u32, groups);
        let mut going_on = Vec::new();
        for table in &tables {
            let bots = table.order();
            for one in 0..spec.entrants {
                for other in bots.iter().filter(|bot| bot.0 != one) {
                    let expected = if bots.contains(&Entrant(one)) { spec.rounds * seatings } else { 0 };
                    prop_assert_eq!(met[one as usize][other.index()], expected);
                }
            }
            going_on.extend(bots.into_iter().take(advance as usize));
        }
        let mut first: Vec<Entrant> =
            played.standings.rows[..going_on.len()].iter().map(|row| row.entrant).collect();
        first.sort_unstable();
        going_on.sort_unstable();
        prop_assert_eq!(first, going_on);
        if seatings == 2 {
            prop_assert!(in_groups.chunks(2).all(|pair| pair[0].seed == pair[1].seed && pair[0].seats[0] == pair[1].seats[1]));
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
        spec in specs(), at_once in 1_usize..9, chaos in any::<u64>(), after in 0_usize..30,
    ) {
        let decisions = [(after, Decision::VoidOne), (after + 2, Decision::Withdraw(Entrant(1)))];
        let played = play_in_chaos(&spec, at_once, Seed(chaos), &decisions);
        prop_assert_eq!(resumed(&spec, &played), played);
    }
}
