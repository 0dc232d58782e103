use crate::simulation::{Decision, finished, play, play_by, play_in_chaos, resumed};
use agon_core::Seed;
use agon_tourney::{Entrant, Kind, Outcome, Pairing, Points, Schedule, Seatings, Seeding, Spec};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn specs(entrants: std::ops::Range<u32>) -> impl Strategy<Value = Spec> {
    let seatings = prop_oneof![Just(Seatings::All), Just(Seatings::One)];
    let seeding = prop_oneof![Just(Seeding::List), Just(Seeding::Drawn)];
    (2_u32..5, entrants, 1_u32..8, seatings, seeding, any::<u64>()).prop_filter_map(
        "enough bots for a match",
        |(seats, entrants, rounds, seatings, seeding, seed)| {
            let seed = Seed(seed);
            let spec = Spec { seats, rounds, seatings, seeding, seed, ..Spec::new(Kind::Swiss, entrants) };
            spec.check().is_ok().then_some(spec)
        },
    )
}

/// What a round costs: byes that are not the first, repeated meetings, differences in points, floats.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Cost {
    byes: u32,
    repeats: u32,
    difference: i64,
    floats: u32,
}

/// The tournament as a referee with paper and pencil sees it: points, meetings and byes.
#[derive(Clone, Debug)]
struct Paper {
    points: Vec<i64>,
    met: BTreeMap<(Entrant, Entrant), u32>,
    byes: Vec<u32>,
}

impl Paper {
    fn bye(&self, bot: Entrant) -> Cost {
        let lowest = self.points.iter().min().copied().unwrap_or(0);
        let difference = self.points[bot.index()] - lowest;
        Cost { byes: self.byes[bot.index()].pow(2), difference, floats: u32::from(difference > 0), ..Cost::default() }
    }

    fn group(&self, bots: &[Entrant]) -> Cost {
        let mut cost = Cost::default();
        for (i, a) in bots.iter().enumerate() {
            for b in &bots[..i] {
                let difference = (self.points[a.index()] - self.points[b.index()]).abs();
                cost.repeats += self.met.get(&(*a.min(b), *a.max(b))).copied().unwrap_or(0);
                cost.difference += difference;
                cost.floats += u32::from(difference > 0);
            }
        }
        cost
    }

    /// Returns the lowest cost of all ways to form groups of the free bots.
    fn best(&self, free: &[Entrant], seats: usize) -> Cost {
        let Some((first, others)) = free.split_first() else { return Cost::default() };
        let mut best: Option<Cost> = None;
        let mut offer = |cost: Cost| best = Some(best.map_or(cost, |best| best.min(cost)));
        if !free.len().is_multiple_of(seats) {
            offer(add(self.bye(*first), self.best(others, seats)));
        }
        for set in 0_u32..1 << others.len() {
            if set.count_ones() as usize == seats - 1 {
                let (inside, outside): (Vec<_>, Vec<_>) = (0..).zip(others).partition(|(i, _)| set >> i & 1 == 1);
                let mut group = vec![*first];
                group.extend(inside.iter().map(|(_, bot)| **bot));
                let rest: Vec<Entrant> = outside.iter().map(|(_, bot)| **bot).collect();
                offer(add(self.group(&group), self.best(&rest, seats)));
            }
        }
        best.expect("there are enough bots for a group")
    }
}

fn add(a: Cost, b: Cost) -> Cost {
    Cost {
        byes: a.byes + b.byes,
        repeats: a.repeats + b.repeats,
        difference: a.difference + b.difference,
        floats: a.floats + b.floats,
    }
}

/// Returns the groups of a round, and who of `entrants` bots has a bye in it.
fn groups(round: &[Pairing], entrants: u32) -> (Vec<Vec<Entrant>>, Vec<Entrant>) {
    let mut groups: Vec<Vec<Entrant>> = Vec::new();
    for pairing in round {
        let mut group = pairing.seats.clone();
        group.sort_unstable();
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    let plays = |bot: &Entrant| groups.iter().any(|group| group.contains(bot));
    let without = (0..entrants).map(Entrant).filter(|bot| !plays(bot)).collect();
    (groups, without)
}

/// Plays the tournament and compares each of its rounds with all other ways to draw it.
fn check_against_brute_force(spec: &Spec) -> Result<(), TestCaseError> {
    let played = play(spec);
    let everybody: Vec<Entrant> = (0..spec.entrants).map(Entrant).collect();
    let n = spec.entrants as usize;
    let mut paper = Paper { points: vec![0; n], met: BTreeMap::new(), byes: vec![0; n] };
    for round in played.pairings.chunk_by(|a, b| a.round == b.round) {
        let (groups, without) = groups(round, spec.entrants);
        let costs = without.iter().map(|bot| paper.bye(*bot)).chain(groups.iter().map(|group| paper.group(group)));
        prop_assert_eq!(costs.fold(Cost::default(), add), paper.best(&everybody, spec.seats as usize));
        for group in &groups {
            for (i, a) in group.iter().enumerate() {
                for b in &group[..i] {
                    *paper.met.entry((*a.min(b), *a.max(b))).or_default() += 1;
                }
            }
        }
        for pairing in round {
            let (id, outcome) = &played.outcomes[pairing.id.0 as usize - 1];
            prop_assert_eq!(*id, pairing.id);
            if let Outcome::Finished(seats) = outcome {
                for (bot, seat) in pairing.seats.iter().zip(seats) {
                    paper.points[bot.index()] += spec.points.award(*seat, seats);
                }
            }
        }
        for bot in without {
            paper.byes[bot.index()] += 1;
            paper.points[bot.index()] += 2 * (round.len() / groups.len()) as i64;
        }
    }
    for row in &played.standings.rows {
        prop_assert_eq!(row.points, paper.points[row.entrant.index()]);
        prop_assert_eq!(row.walkovers, paper.byes[row.entrant.index()]);
    }
    // No bot has a second bye before every bot has had one.
    let (most, least) = (paper.byes.iter().max(), paper.byes.iter().min());
    prop_assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 1), "{:?}", paper.byes);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn no_way_to_draw_a_round_is_better(spec in specs(2..9)) {
        check_against_brute_force(&spec)?;
    }

    #[test]
    fn the_order_of_outcomes_and_interruptions_change_nothing(
        spec in specs(2..16), at_once in 1_usize..9, chaos in any::<u64>(),
    ) {
        prop_assert_eq!(play_in_chaos(&spec, at_once, Seed(chaos), &[]), play(&spec));
    }

    #[test]
    fn decisions_of_the_organiser_survive_an_interruption(
        spec in specs(6..14), at_once in 1_usize..9, chaos in any::<u64>(), after in 0_usize..20,
    ) {
        let extend = Decision::Extend { entrants: spec.entrants + 1, rounds: spec.rounds + 1 };
        let decisions =
            [(after, Decision::VoidOne), (after, extend), (after + 2, Decision::Withdraw(Entrant(1)))];
        let played = play_in_chaos(&spec, at_once, Seed(chaos), &decisions);
        prop_assert_eq!(resumed(&spec, &played), played);
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn larger_fields_repeat_no_meeting_and_no_bye(spec in specs(30..60)) {
        let played = play(&Spec { rounds: spec.rounds.min(5), ..spec.clone() });
        let mut met = std::collections::BTreeSet::new();
        let mut had_bye = std::collections::BTreeSet::new();
        for round in played.pairings.chunk_by(|a, b| a.round == b.round) {
            let (groups, without) = groups(round, spec.entrants);
            for group in groups {
                for (i, a) in group.iter().enumerate() {
                    for b in &group[..i] {
                        prop_assert!(met.insert((*a, *b)), "{:?} and {:?} meet again", a, b);
                    }
                }
            }
            prop_assert_eq!(without.len(), (spec.entrants % spec.seats) as usize);
            for bot in without {
                prop_assert!(had_bye.insert(bot), "{:?} has a bye again", bot);
            }
        }
    }
}

/// Plays four rounds of eight bots without a surprise and writes down who met.
#[test]
fn the_better_half_meets_the_other_half() {
    let spec = Spec { rounds: 3, seatings: Seatings::One, ..Spec::new(Kind::Swiss, 8) };
    let strongest = |pairing: &Pairing| finished(&pairing.seats.iter().map(|e| -i64::from(e.0)).collect::<Vec<_>>());
    let played = play_by(&spec, strongest);
    let rounds: Vec<Vec<(u32, u32)>> = played
        .pairings
        .chunk_by(|a, b| a.round == b.round)
        .map(|round| {
            let pair = |p: &Pairing| (p.seats[0].0.min(p.seats[1].0), p.seats[0].0.max(p.seats[1].0));
            round.iter().map(pair).collect()
        })
        .collect();
    assert_eq!(
        rounds,
        [
            [(0, 4), (1, 5), (2, 6), (3, 7)],
            // 0 to 3 have won; 4 to 7 have lost.
            [(0, 2), (1, 3), (4, 6), (5, 7)],
            // 0 and 1 have 4 points; 2, 3, 4 and 5 have 2; 6 and 7 have none.
            [(0, 1), (2, 4), (3, 5), (6, 7)],
        ]
    );
    let rows: Vec<_> =
        played.standings.rows.iter().map(|row| (row.place, row.entrant.0, row.points, row.tie_breaks[0])).collect();
    assert_eq!(rows[0], (1, 0, 6, Some(10.0)));
    assert_eq!(rows[7], (8, 7, 0, Some(8.0)));
}

#[test]
fn a_bye_is_worth_a_win_in_each_match_of_the_round() {
    for (points, bye) in [("2/1/0", 4), ("places:10,6", 20), ("score", 2 * 7)] {
        let points: Points = points.parse().expect("a rule");
        let spec = Spec { points, ..Spec::new(Kind::Swiss, 3) };
        let played = play_by(&spec, |_| finished(&[7, -1]));
        let row = played.standings.rows.iter().find(|row| row.walkovers == 1).expect("one of three has a bye");
        assert_eq!((row.entrant, row.points, row.played), (Entrant(2), bye, 0), "{spec:?}");
    }
}

#[test]
fn a_round_waits_for_the_round_before_it() {
    let spec = Spec { rounds: 2, seatings: Seatings::One, ..Spec::new(Kind::Swiss, 4) };
    let mut schedule = Schedule::new(spec).expect("a tournament");
    let handed = schedule.next(9);
    assert_eq!(handed.len(), 2);
    schedule.record(handed[0].id, finished(&[1, 0])).expect("it fits");
    assert!(schedule.next(9).is_empty());
    assert_eq!((schedule.planned(), schedule.is_complete()), (Some(4), false));
    schedule.record(handed[1].id, finished(&[1, 0])).expect("it fits");
    assert_eq!(schedule.next(9).len(), 2);
}
