//! Bots that come back, and matches that are played again.

use crate::simulation::{Decision, finished, play_in_chaos, resumed};
use agon_core::Seed;
use agon_tourney::{Amendment, Change, Entrant, Kind, MatchId, Outcome, Pairing, Schedule, Spec, Standings};
use std::collections::BTreeMap;

/// Returns a tournament of each kind.
fn kinds() -> Vec<Spec> {
    let ladder =
        Spec { rounds: 60, ..Spec { kind: Kind::Ladder { uniform_percent: 30, window: 5 }, ..Spec::round_robin(7) } };
    let rounds = |kind| match kind {
        Kind::Swiss => 4,
        _ => 1,
    };
    let best_of = |kind| match kind {
        Kind::SingleElimination { .. } => Kind::SingleElimination { best_of: 3, third_place: true },
        Kind::DoubleElimination { .. } => Kind::DoubleElimination { best_of: 3 },
        kind => kind,
    };
    let plain = Kind::ALL.into_iter().filter(|kind| !kind.is_rated()).map(best_of);
    plain.map(|kind| Spec { kind, rounds: rounds(kind), ..Spec::round_robin(7) }).chain([ladder]).collect()
}

#[test]
fn a_tournament_that_is_made_anew_knows_every_decision() {
    let (mut back, mut missed) = (0, 0);
    for spec in kinds() {
        for seed in 0..60 {
            let spec = Spec { seed: Seed(seed), ..spec.clone() };
            let (at, wait) = (seed as usize % 9, seed as usize / 9);
            let decisions = [
                (at, Decision::RerunOne),
                (at + 1, Decision::Withdraw(Entrant(1))),
                (at + 1 + wait, Decision::Readmit(Entrant(1))),
                (at + 2 + wait, Decision::VoidOne),
                (at + 2 + wait, Decision::RerunOne),
                (at + 3 + wait, Decision::RerunOne),
                (at + 4 + wait, Decision::Withdraw(Entrant(3))),
                (at + 5 + wait, Decision::RerunOne),
                (at + 5 + wait, Decision::RerunMany),
                (at + 7 + wait, Decision::RerunOne),
                (at + 8 + wait, Decision::RerunMany),
            ];
            let played = play_in_chaos(&spec, 1 + seed as usize % 3, Seed(seed), &decisions);
            assert_eq!(resumed(&spec, &played), played, "{spec:?}");
            let readmitted = played.amendments.iter().filter_map(|amendment| match amendment.change {
                Change::Readmit { plays_missed, .. } => Some(plays_missed),
                _ => None,
            });
            readmitted.for_each(|plays| *(if plays { &mut back } else { &mut missed }) += 1);
        }
    }
    assert!(back > 50 && missed > 50, "both ways are seen: {back} and {missed}");
}

/// Plays what can be played; the bot with the smaller number wins.
fn go_on(schedule: &mut Schedule, at_most: usize) -> Vec<Pairing> {
    let mut played = Vec::new();
    while played.len() < at_most
        && let Some(pairing) = schedule.next(1).pop()
    {
        let scores: Vec<i64> = pairing.seats.iter().map(|bot| -i64::from(bot.0)).collect();
        schedule.record(pairing.id, finished(&scores)).expect("it fits");
        played.push(pairing);
    }
    played
}

fn points(standings: &Standings) -> Vec<(u32, i64, bool)> {
    standings.rows.iter().map(|row| (row.entrant.0, row.points, row.withdrawn)).collect()
}

#[test]
fn a_match_that_is_played_again_counts_once() {
    for first in [finished(&[1, 0]), finished(&[0, 0]), Outcome::NoResult, Outcome::Void] {
        let mut schedule = Schedule::new(Spec::round_robin(3)).expect("it can be played");
        let pairing = schedule.next(1).remove(0);
        schedule.record(pairing.id, first.clone()).expect("it fits");
        go_on(&mut schedule, usize::MAX);
        assert!(schedule.is_complete());
        let amendment = schedule.rerun(pairing.id, first.clone()).expect("it is over");
        assert!(!schedule.is_complete());
        let again = schedule.rerun(pairing.id, first.clone()).expect_err("it is to be played");
        assert_eq!(again.what, "match 1 has no result");
        assert_eq!(go_on(&mut schedule, usize::MAX), [pairing], "the same bots, seats and seed");
        assert!(schedule.is_complete());
        assert_eq!(points(&schedule.standings()), [(0, 8, false), (1, 4, false), (2, 0, false)], "{amendment:?}");
    }
    let mut schedule = Schedule::new(Spec::round_robin(3)).expect("it can be played");
    assert!(schedule.rerun(MatchId(99), Outcome::Void).is_err());
}

#[test]
fn a_void_match_that_is_played_again_counts() {
    let mut schedule = Schedule::new(Spec::round_robin(3)).expect("it can be played");
    go_on(&mut schedule, usize::MAX);
    schedule.void(MatchId(1)).expect("it is finished");
    assert_eq!(schedule.counted().len(), 5);
    schedule.rerun(MatchId(1), finished(&[1, 0])).expect("it is over");
    go_on(&mut schedule, usize::MAX);
    assert_eq!(schedule.counted().len(), 6);
    schedule.void(MatchId(1)).expect("it is finished again");
    assert_eq!(schedule.counted().len(), 5);
}

#[test]
fn many_matches_are_played_again_at_once() {
    let mut schedule = Schedule::new(Spec::round_robin(4)).expect("it can be played");
    let played = go_on(&mut schedule, usize::MAX);
    let voided = played.iter().find(|pairing| !pairing.seats.contains(&Entrant(3))).expect("there are some").id;
    schedule.void(voided).expect("it is finished");
    schedule.withdraw(Entrant(3)).expect("it plays");
    let was = || finished(&[0, 1]);
    assert!(schedule.rerun_all(BTreeMap::new()).is_err());
    let strange = BTreeMap::from([(MatchId(1), was()), (MatchId(99), was())]);
    assert_eq!(schedule.rerun_all(strange).expect_err("no such match").what, "match 99 has no result");
    assert!(schedule.is_complete(), "a refusal changes nothing");
    let again = BTreeMap::from_iter(played.iter().map(|pairing| (pairing.id, was())));
    let (amendment, left_out) = schedule.rerun_all(again).expect("all of them are over");
    let text = serde_json::to_string(&amendment).expect("it is plain");
    assert_eq!(serde_json::from_str::<Amendment>(&text).expect("it was written"), amendment);
    let of_withdrawn = |pairing: &&Pairing| pairing.seats.contains(&Entrant(3));
    assert_eq!(left_out, played.iter().filter(of_withdrawn).map(|pairing| pairing.id).collect::<Vec<_>>());
    let rest: Vec<Pairing> = played.iter().filter(|pairing| !of_withdrawn(pairing)).cloned().collect();
    assert_eq!(go_on(&mut schedule, usize::MAX), rest, "the same bots, seats and seeds");
    assert!(schedule.is_complete());
    assert!(schedule.counted().contains(&voided), "it is not void any more");
}

#[test]
fn a_bot_that_comes_back_at_once_has_missed_nothing() {
    // A ladder draws one match after the other, so it has drawn another one meanwhile.
    for spec in kinds().into_iter().filter(|spec| !spec.kind.is_rated()) {
        let mut untouched = Schedule::new(spec.clone()).expect("it can be played");
        let mut schedule = Schedule::new(spec.clone()).expect("it can be played");
        let wanted = go_on(&mut untouched, usize::MAX);
        let mut played = go_on(&mut schedule, 2);
        schedule.withdraw(Entrant(2)).expect("it plays");
        assert!(schedule.readmit(Entrant(1)).is_err());
        schedule.readmit(Entrant(2)).expect("it is withdrawn");
        assert!(schedule.readmit(Entrant(2)).is_err());
        played.extend(go_on(&mut schedule, usize::MAX));
        assert!(played == wanted, "{spec:?}");
        assert_eq!(schedule.standings(), untouched.standings());
    }
}

#[test]
fn walkovers_stay_where_later_rounds_rest_on_them() {
    let spec = Spec { kind: Kind::Swiss, rounds: 3, ..Spec::round_robin(4) };
    let mut schedule = Schedule::new(spec).expect("it can be played");
    schedule.withdraw(Entrant(0)).expect("it plays");
    let first = go_on(&mut schedule, 2);
    assert!(first.iter().all(|pairing| !pairing.seats.contains(&Entrant(0))));
    let second = go_on(&mut schedule, 1);
    assert_eq!(second[0].round, 2);
    schedule.readmit(Entrant(0)).expect("it is withdrawn");
    let rest = go_on(&mut schedule, usize::MAX);
    assert!(rest.iter().filter(|pairing| pairing.seats.contains(&Entrant(0))).all(|pairing| pairing.round == 3));
    assert!(rest.iter().any(|pairing| pairing.seats.contains(&Entrant(0))));
    let of_first = schedule.standings().rows.into_iter().find(|row| row.entrant == Entrant(0)).expect("a row");
    assert_eq!(
        (of_first.withdrawn, of_first.points),
        (false, 4),
        "two wins in the last round, nothing for what it missed"
    );
}
