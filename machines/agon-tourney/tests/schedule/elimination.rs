use crate::simulation::{Decision, finished, play, play_by, play_in_chaos, resumed};
use agon_core::Seed;
use agon_tourney::{Entrant, Kind, MatchCount, MatchId, Outcome, Pairing, Schedule, Seeding, Spec};
use proptest::prelude::*;

fn single(entrants: u32, best_of: u32, third_place: bool) -> Spec {
    Spec::new(Kind::SingleElimination { best_of, third_place }, entrants)
}

fn specs() -> impl Strategy<Value = Spec> {
    (2_u32..20, 1_u32..5, any::<bool>(), any::<u64>()).prop_map(|(entrants, best_of, third_place, seed)| Spec {
        seed: Seed(seed),
        seeding: Seeding::Drawn,
        ..single(entrants, best_of, third_place)
    })
}

/// The bot with the smaller number wins.
fn strongest(pairing: &Pairing) -> Outcome {
    finished(&pairing.seats.iter().map(|bot| -i64::from(bot.0)).collect::<Vec<_>>())
}

fn text(schedule: &Schedule) -> String {
    let bracket = schedule.bracket().expect("an elimination has a bracket");
    bracket.text(|bot| format!("bot {}", bot.0), str::len)
}

#[test]
fn the_best_seeds_meet_last() {
    let mut schedule = Schedule::new(single(6, 1, true)).expect("a tournament");
    assert_eq!(
        text(&schedule),
        "\
round 1
  bot 0    *  0 - 0    (nobody)
  bot 3       0 - 0    bot 4
  bot 1    *  0 - 0    (nobody)
  bot 2       0 - 0    bot 5

round 2
  bot 0       0 - 0    ?
  bot 1       0 - 0    ?

round 3
  ?           0 - 0    ?         for place 1
  ?           0 - 0    ?         for place 3

* did not have to play, was the better seed, or had won before a match was declared void
"
    );
    while let Some(pairing) = schedule.next(1).pop() {
        schedule.record(pairing.id, strongest(&pairing)).expect("it fits");
    }
    assert_eq!(
        text(&schedule),
        "\
round 1
  bot 0    *  0 - 0    (nobody)
  bot 3       1 - 0    bot 4
  bot 1    *  0 - 0    (nobody)
  bot 2       1 - 0    bot 5

round 2
  bot 0       1 - 0    bot 3
  bot 1       1 - 0    bot 2

round 3
  bot 0       1 - 0    bot 1     for place 1
  bot 3       0 - 1    bot 2     for place 3

* did not have to play, was the better seed, or had won before a match was declared void
"
    );
    let places: Vec<_> = schedule.standings().rows.iter().map(|row| (row.place, row.entrant.0)).collect();
    assert_eq!(places, [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4), (5, 5)]);
}

#[test]
fn a_void_match_is_made_up_for_unless_the_next_round_is_drawn() {
    let mut schedule = Schedule::new(single(4, 1, false)).expect("a tournament");
    // The weaker seed wins every match.
    let play = |schedule: &mut Schedule| {
        let pairing = schedule.next(1).pop().expect("a match");
        let upset = finished(&pairing.seats.iter().map(|bot| i64::from(bot.0)).collect::<Vec<_>>());
        schedule.record(pairing.id, upset).expect("it fits");
        pairing
    };
    play(&mut schedule);
    schedule.void(MatchId(1)).expect("it is finished");
    play(&mut schedule);
    let again = play(&mut schedule);
    assert_eq!((again.round, again.seats.len()), (1, 2), "the same two meet again");
    assert_eq!(again.seats, [Entrant(3), Entrant(0)]);
    // The final is drawn, so its bots stay.
    schedule.void(MatchId(3)).expect("it is finished");
    let last = play(&mut schedule);
    assert_eq!((last.round, last.seats), (2, vec![Entrant(2), Entrant(3)]));
    assert!(schedule.is_complete());
    assert_eq!(
        text(&schedule),
        "\
round 1
  bot 0    0 - 0  * bot 3
  bot 1    0 - 1    bot 2

round 2
  bot 3    1 - 0    bot 2  for place 1

* did not have to play, was the better seed, or had won before a match was declared void
"
    );
    // Nothing follows the final.
    schedule.void(last.id).expect("it is finished");
    assert_eq!(play(&mut schedule).seats, [Entrant(3), Entrant(2)]);
    assert!(schedule.is_complete());
}

#[test]
fn encounters_that_nobody_plays_are_left_out_of_the_text() {
    let mut schedule = Schedule::new(Spec { kind: Kind::DoubleElimination { best_of: 1 }, ..single(5, 1, false) })
        .expect("a tournament");
    while let Some(pairing) = schedule.next(1).pop() {
        schedule.record(pairing.id, strongest(&pairing)).expect("it fits");
    }
    let text = text(&schedule);
    let nobody = |line: &&str| line.matches("(nobody)").count() == 2;
    assert_eq!(text.lines().find(nobody), None, "{text}");
    assert!(text.lines().any(|line| line.contains("(nobody)")), "a bot that did not have to play is shown: {text}");
}

#[test]
fn a_level_encounter_goes_to_the_better_seed_in_the_end() {
    let played = play_by(&single(2, 3, false), |_| finished(&[4, 4]));
    assert_eq!(played.pairings.len(), 6);
    let seats: Vec<_> = played.pairings.iter().map(|p| (p.seats[0].0, p.map)).collect();
    assert_eq!(seats, [(0, 0), (1, 0), (0, 0), (1, 0), (0, 0), (1, 0)]);
    assert_eq!(played.standings.order(), [Entrant(0), Entrant(1)]);
    let upset = Spec { seeding: Seeding::Given(vec![Entrant(1), Entrant(0)]), ..single(2, 3, false) };
    assert_eq!(play_by(&upset, |_| finished(&[4, 4])).standings.order(), [Entrant(1), Entrant(0)]);
}

#[test]
fn a_withdrawn_bot_loses_its_encounter() {
    let mut schedule = Schedule::new(single(4, 3, true)).expect("a tournament");
    let handed = schedule.next(99);
    assert_eq!(handed.len(), 4, "two encounters need two games each for certain");
    schedule.withdraw(Entrant(0)).expect("it plays");
    // The matches that run may end: bot 0 wins one of two.
    for pairing in handed {
        let bot_0_plays = pairing.seats.contains(&Entrant(0));
        let outcome = if bot_0_plays { finished(&[1, 0]) } else { strongest(&pairing) };
        schedule.record(pairing.id, outcome).expect("it fits");
    }
    while let Some(pairing) = schedule.next(1).pop() {
        assert!(!pairing.seats.contains(&Entrant(0)), "{pairing:?}");
        schedule.record(pairing.id, strongest(&pairing)).expect("it fits");
    }
    assert!(schedule.is_complete());
    let places: Vec<_> = schedule.standings().rows.iter().map(|row| (row.place, row.entrant.0)).collect();
    assert_eq!(places[0], (1, 1));
    assert_eq!(places[3], (4, 0));
}

proptest! {
    #[test]
    fn one_lost_encounter_is_enough(spec in specs()) {
        let Kind::SingleElimination { best_of, third_place } = spec.kind else { unreachable!("only this kind") };
        let played = play(&spec);
        let MatchCount { least, most } = spec.matches().expect("it can be played");
        let number = played.pairings.len() as u64;
        prop_assert!((least..=most).contains(&number), "{number} is not in {least}..={most}");
        let mut schedule = Schedule::resume(spec.clone(), [], played.outcomes.clone()).expect("it fits");
        prop_assert!(schedule.next(1).is_empty());
        let bracket = schedule.bracket().expect("an elimination has a bracket");
        let mut out = std::collections::BTreeSet::new();
        let mut games = 0;
        for encounter in bracket.rounds.iter().flat_map(|round| &round.encounters) {
            let winner = encounter.winner.expect("nobody was withdrawn");
            games += encounter.games.len();
            prop_assert!(encounter.games.len() <= 2 * best_of as usize);
            for side in encounter.sides.iter().filter(|side| side.entrant.is_some_and(|bot| bot != winner)) {
                let loser = side.entrant.expect("filtered");
                prop_assert!(out.insert(loser) || encounter.for_place == Some(3), "{loser:?} is out twice");
            }
        }
        prop_assert_eq!(games as u64, number);
        prop_assert_eq!(out.len() + usize::from(third_place && spec.entrants > 3), spec.entrants as usize
            - 1 + usize::from(third_place && spec.entrants > 3));
        let champion = played.standings.rows[0].entrant;
        prop_assert!(!out.contains(&champion));
        prop_assert_eq!(played.standings.rows[1].place, 2);
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
}

fn double(entrants: u32, best_of: u32) -> Spec {
    Spec::new(Kind::DoubleElimination { best_of }, entrants)
}

#[test]
fn a_second_chance_may_turn_the_final() {
    // Bot 3 loses only its first encounter; everything else goes by strength.
    let play = |final_is_turned: bool| {
        play_by(&double(4, 1), |pairing| match (pairing.round, pairing.seats.contains(&Entrant(3))) {
            (1, true) => strongest(pairing),
            (2 | 3, true) => finished(&pairing.seats.iter().map(|bot| i64::from(bot.0)).collect::<Vec<_>>()),
            (4, true) if final_is_turned => {
                finished(&pairing.seats.iter().map(|bot| i64::from(bot.0)).collect::<Vec<_>>())
            }
            _ => strongest(pairing),
        })
    };
    let rows = |played: &crate::simulation::Played| -> Vec<(u32, Vec<u32>)> {
        played.pairings.iter().map(|p| (p.round, p.seats.iter().map(|e| e.0).collect())).collect()
    };
    let straight =
        [(1, vec![0, 3]), (1, vec![1, 2]), (2, vec![0, 1]), (2, vec![2, 3]), (3, vec![1, 3]), (4, vec![0, 3])];
    let played = play(false);
    assert_eq!(rows(&played), straight);
    assert_eq!(played.standings.order(), [Entrant(0), Entrant(3), Entrant(1), Entrant(2)]);
    let played = play(true);
    assert_eq!(rows(&played)[..6], straight);
    assert_eq!(rows(&played)[6..], [(5, vec![0, 3])]);
    assert_eq!(played.standings.order()[..2], [Entrant(0), Entrant(3)]);
}

proptest! {
    #[test]
    fn two_lost_encounters_are_enough(entrants in 2_u32..20, best_of in 1_u32..4, seed in any::<u64>()) {
        let spec = Spec { seed: Seed(seed), seeding: Seeding::Drawn, ..double(entrants, best_of) };
        let played = play(&spec);
        let MatchCount { least, most } = spec.matches().expect("it can be played");
        prop_assert!((least..=most).contains(&(played.pairings.len() as u64)));
        let schedule = Schedule::resume(spec.clone(), [], played.outcomes.clone()).expect("it fits");
        let bracket = schedule.bracket().expect("an elimination has a bracket");
        let mut lost = vec![0; entrants as usize];
        for encounter in bracket.rounds.iter().flat_map(|round| &round.encounters) {
            for bot in encounter.sides.iter().filter_map(|side| side.entrant) {
                prop_assert!(lost[bot.index()] < 2, "{bot:?} plays after two losses");
                lost[bot.index()] += u32::from(encounter.winner != Some(bot));
            }
        }
        let champion = played.standings.rows[0].entrant;
        prop_assert!((0..entrants).map(Entrant).all(|bot| (lost[bot.index()] < 2) == (bot == champion)), "{lost:?}");
        let places: Vec<u32> = played.standings.rows.iter().map(|row| row.place).collect();
        prop_assert_eq!(places[..places.len().min(2)].to_vec(), [1, 2]);
        prop_assert_eq!(play_in_chaos(&spec, 3, Seed(seed), &[]), played);
    }
}

#[test]
fn a_double_elimination_is_written_part_by_part() {
    let mut schedule = Schedule::new(double(4, 1)).expect("a tournament");
    // Bot 3 loses its first encounter and wins all others.
    let mut met = 0;
    while let Some(pairing) = schedule.next(1).pop() {
        let upset = pairing.seats.contains(&Entrant(3)) && pairing.round > 1;
        met += u32::from(upset);
        let sign = if upset { 1 } else { -1 };
        let scores: Vec<i64> = pairing.seats.iter().map(|bot| sign * i64::from(bot.0)).collect();
        schedule.record(pairing.id, finished(&scores)).expect("it fits");
    }
    assert_eq!(met, 4);
    let text = text(&schedule);
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("round")).collect();
    assert_eq!(
        headings,
        [
            "round 1: winners",
            "round 2: winners",
            "round 2: losers, who have lost once",
            "round 3: losers, who have lost once",
            "round 4: final",
            "round 5: final again, because both have lost once",
        ]
    );
}

#[test]
fn an_elimination_takes_no_later_bots() {
    let mut schedule = Schedule::new(single(4, 1, false)).expect("a tournament");
    let flaw = schedule.extend(5, 1).expect_err("the bracket is drawn");
    assert_eq!(flaw.what, "4 bots become 5 bots");
    assert_eq!(schedule.planned(), None);
}
