//! Tests of a new version against an old one: when they stop, and that nothing but the matches decides it.

use agon_core::{Derivation, Rng, Seed};
use agon_stats::{EloModel, EmptyCells};
use agon_tourney::{
    ATTEMPTS, BlockMatch, Comparison, ComparisonTerms, Findings, FinishedMatch, LEFT_OUT, MatchEnd, MatchId, Measure,
    NEW, OLD, REPEATS, Reason, ReportError, Verdict,
};
use proptest::prelude::*;

fn pairs(max_matches: u64) -> ComparisonTerms {
    ComparisonTerms {
        seats: 2,
        seed: Seed(1),
        seeds: Derivation::Keyed,
        max_matches,
        measure: Measure::Pairs { model: EloModel::Normalized },
        bounds: [0.0, 10.0],
        alpha: 0.05,
        beta: 0.05,
        equivalent: None,
        empty: EmptyCells::default(),
    }
}

fn shares(seats: usize, max_matches: u64) -> ComparisonTerms {
    ComparisonTerms { seats, measure: Measure::Share, bounds: [0.0, 0.0], ..pairs(max_matches) }
}

/// Plays a match: the strengths of old and new version and of all others decide, and what the seed of the match adds.
fn play(next: &BlockMatch, strengths: [f64; 3]) -> FinishedMatch {
    let mut rng = Rng::new(Seed(next.id.0).derive("play", 0));
    let strength = |bot: usize| strengths[bot.min(2)];
    let scores: Vec<i64> = next.seating.iter().map(|bot| ((strength(*bot) + rng.unit()) * 1000.0) as i64).collect();
    let places = scores.iter().map(|own| 1 + scores.iter().filter(|other| *other > own).count() as u32).collect();
    let faults = vec![false; next.seating.len()];
    FinishedMatch { places, scores, faults, plies: 10, fingerprint: next.id.0, map: next.seed.0 }
}

/// Plays until the test stops, one match after the other.
fn run(terms: ComparisonTerms, mut end: impl FnMut(&BlockMatch) -> MatchEnd) -> Findings {
    let mut comparison = Comparison::new(terms).expect("the terms are good");
    while let Some(next) = comparison.next() {
        let end = end(&next);
        comparison.record(next.id, end).expect("it was handed out");
    }
    assert!(comparison.is_over());
    comparison.findings()
}

fn by_strength(terms: ComparisonTerms, strengths: [f64; 3]) -> Findings {
    run(terms, |next| MatchEnd::Finished(play(next, strengths)))
}

#[test]
fn matches_of_a_spoilt_attempt_do_not_count() {
    let mut comparison = Comparison::new(pairs(4)).expect("the terms are good");
    let mut played: Vec<BlockMatch> = Vec::new();
    while let Some(next) = comparison.next() {
        // The host spoils the second match of all.
        let end = if played.len() == 1 { MatchEnd::Spoilt } else { MatchEnd::Finished(play(&next, [0.0; 3])) };
        comparison.record(next.id, end).expect("it was handed out");
        played.push(next);
    }
    assert_eq!((played.len(), comparison.findings().matches), (6, 4));
    for (number, one) in played.iter().enumerate() {
        let spoilt = one.block == played[1].block && one.attempt == played[1].attempt;
        assert_eq!(spoilt, number < 2, "{one:?}");
        assert_eq!(comparison.has_counted(one.id), !spoilt, "{one:?}");
    }
}

#[test]
fn the_stronger_version_is_found() {
    let margin = ComparisonTerms { measure: Measure::Margin { most: 500.0 }, bounds: [0.0, 0.0], ..pairs(20_000) };
    for (terms, reason) in [(pairs(20_000), Reason::Bound), (shares(4, 20_000), Reason::Bound), (margin, Reason::Bound)]
    {
        let better = by_strength(terms.clone(), [0.0, 0.2, 0.1]);
        assert_eq!((better.verdict, better.reason), (Verdict::Better, reason), "{better:?}");
        let worse = by_strength(terms.clone(), [0.2, 0.0, 0.1]);
        assert_eq!((worse.verdict, worse.reason), (Verdict::NotBetter, reason), "{worse:?}");
        for findings in [better, worse] {
            assert_eq!(findings.matches, findings.blocks * terms.seats as u64);
            assert_eq!((findings.blocks, findings.repeats), (findings.distinct_blocks, 0));
            assert_eq!(findings.course.len() as u64, findings.blocks);
            assert_eq!(findings.pentanomial.is_some(), matches!(terms.measure, Measure::Pairs { .. }));
            let anytime = findings.anytime.expect("there are blocks");
            assert!(anytime.low <= anytime.value && anytime.value <= anytime.high);
            assert_eq!(anytime.value > 0.0, findings.verdict == Verdict::Better);
        }
    }
}

#[test]
fn the_limit_ends_a_test_at_a_whole_block() {
    for (terms, matches) in [(pairs(201), 200), (shares(3, 32), 30)] {
        let findings = by_strength(terms, [0.0; 3]);
        assert_eq!((findings.verdict, findings.reason), (Verdict::Undecided, Reason::Limit));
        assert_eq!(findings.matches, matches);
    }
}

/// Returns what two bots do that always play the same on the same map: whoever begins, wins.
fn the_first_seat_wins(next: &BlockMatch, maps: u64) -> FinishedMatch {
    let map = next.seed.0 % maps;
    let fingerprint = map * 2 + next.turn as u64;
    let (places, scores) = (vec![1, 2], vec![9, map as i64]);
    FinishedMatch { places, scores, faults: vec![false; 2], plies: 5, fingerprint, map }
}

/// Three bots that always play the same have two line-ups on a map: the others are rotations.
#[test]
fn rotations_of_a_line_up_are_the_same_matches() {
    let findings = run(shares(3, 20_000), |next| {
        // The later version wins, and how it wins depends on who sits where.
        let places = next.seating.iter().map(|bot| if *bot == NEW { 1 } else { 2 }).collect();
        let order = next.seating.iter().fold(0, |order, bot| order * 3 + *bot as u64);
        let scores = vec![order as i64; 3];
        MatchEnd::Finished(FinishedMatch {
            places,
            scores,
            faults: vec![false; 3],
            plies: 5,
            fingerprint: order,
            map: 1,
        })
    });
    assert_eq!((findings.verdict, findings.reason), (Verdict::Undecided, Reason::Exhausted));
    assert_eq!((findings.blocks, findings.distinct_blocks), (2, 2));
}

#[test]
fn a_test_that_the_host_has_spoilt_goes_on_if_it_is_told_to() {
    let mut comparison = Comparison::new(pairs(200)).expect("the terms are good");
    assert!(!comparison.go_on());
    while let Some(next) = comparison.next() {
        comparison.record(next.id, MatchEnd::Spoilt).expect("it was handed out");
    }
    assert_eq!(comparison.findings().reason, Reason::Spoilt);
    assert!(comparison.go_on() && !comparison.go_on());
    while let Some(next) = comparison.next() {
        comparison.record(next.id, MatchEnd::Finished(play(&next, [0.0; 3]))).expect("it was handed out");
    }
    let findings = comparison.findings();
    assert_eq!((findings.verdict, findings.reason), (Verdict::Undecided, Reason::Limit));
    assert_eq!((findings.left_out, findings.blocks), (u64::from(LEFT_OUT), 100 - u64::from(LEFT_OUT)));
}

#[test]
fn turns_from_before_do_not_count_again() {
    let findings = run(pairs(20_000), |next| MatchEnd::Finished(the_first_seat_wins(next, 7)));
    assert_eq!((findings.verdict, findings.reason), (Verdict::Undecided, Reason::Exhausted));
    assert_eq!((findings.blocks, findings.distinct_blocks), (7, 7));
    assert!(findings.repeats >= u64::from(REPEATS), "{findings:?}");
    assert_eq!((findings.llr, findings.elo), (None, None), "pairs do not vary");
}

#[test]
fn repetitions_by_chance_count_as_soon_as_they_are_known_to_be_chance() {
    // One map on which the new version wins one block in four, and nothing happens in all others.
    let end = |next: &BlockMatch| {
        let wins = next.block % 4 == 3;
        let place = |bot: &usize| if wins && *bot != NEW { 2 } else { 1 };
        let places = next.seating.iter().map(place).collect();
        let fingerprint = u64::from(wins);
        FinishedMatch { places, scores: vec![0; 2], faults: vec![false; 2], plies: 5, fingerprint, map: 3 }
    };
    let findings = run(pairs(400), |next| MatchEnd::Finished(end(next)));
    assert_eq!((findings.blocks * 2, findings.repeats, findings.distinct_blocks), (findings.matches, 0, 2));
    let counts = findings.pentanomial.expect("pairs").0;
    assert_eq!(counts[4], findings.blocks / 4, "{counts:?}");
}

#[test]
fn a_fault_that_always_comes_in_the_same_way_counts_once_for_each_map() {
    // In the first seat the new version crashes in its first turn. In the other one it draws, or crashes as well.
    for crashes_in_both in [false, true] {
        let end = |next: &BlockMatch| {
            let crashes = crashes_in_both || next.seating[0] == NEW;
            let places = next.seating.iter().map(|bot| if crashes && *bot == NEW { 2 } else { 1 }).collect();
            let faults = next.seating.iter().map(|bot| crashes && *bot == NEW).collect();
            let map = u64::from(next.block % 3);
            FinishedMatch { places, scores: vec![0; 2], faults, plies: 1, fingerprint: 7, map }
        };
        let findings = run(pairs(2000), |next| MatchEnd::Finished(end(next)));
        assert_eq!(findings.verdict, if crashes_in_both { Verdict::NotBetter } else { Verdict::Undecided });
        let reason = if crashes_in_both { Reason::Failing } else { Reason::Exhausted };
        assert_eq!((findings.reason, findings.blocks, findings.distinct_blocks), (reason, 3, 3));
    }
}

#[test]
fn faults_by_chance_all_count_and_let_no_copies_count() {
    // One map on which nothing happens, but in one block of five the new version is late.
    let end = |next: &BlockMatch| {
        let late = next.block % 5 == 2;
        let places = next.seating.iter().map(|bot| if late && *bot == NEW { 2 } else { 1 }).collect();
        let faults = next.seating.iter().map(|bot| late && *bot == NEW).collect();
        let fingerprint = u64::from(late);
        FinishedMatch { places, scores: vec![0; 2], faults, plies: 1, fingerprint, map: 1 }
    };
    let findings = run(pairs(200), |next| MatchEnd::Finished(end(next)));
    assert_eq!((findings.reason, findings.blocks), (Reason::Limit, 1 + 20), "{findings:?}");
    assert_eq!(findings.repeats, 79);
}

#[test]
fn blocks_with_a_fault_count_if_the_map_has_ended_otherwise() {
    // The new version loses the first block, and then fails in its first turn, always in the same way.
    let end = |next: &BlockMatch| {
        let places = next.seating.iter().map(|bot| if *bot == NEW { 2 } else { 1 }).collect();
        let faults = next.seating.iter().map(|bot| *bot == NEW && next.block > 0).collect();
        FinishedMatch { places, scores: vec![0; 2], faults, plies: 1, fingerprint: u64::from(next.block > 0), map: 1 }
    };
    let findings = run(pairs(2000), |next| MatchEnd::Finished(end(next)));
    assert_eq!((findings.verdict, findings.reason), (Verdict::NotBetter, Reason::Interval));
    assert_eq!((findings.faults.new, findings.faults.old, findings.faults.field), (findings.matches - 2, 0, 0));
    assert_eq!(findings.llr, None);
}

#[test]
fn bots_that_fail_again_and_again_end_a_test() {
    // For each match by its block: the places of the old and the new version, and which of them failed.
    type End = fn(u32) -> ([u32; 2], [bool; 2]);
    /// The case, the ends of its matches, the verdict, matches, blocks left out, and which versions failed.
    type Case = (&'static str, End, Verdict, u64, u64, [bool; 2]);
    let cases: [Case; 6] = [
        ("new fails", |_| ([1, 2], [false, true]), Verdict::NotBetter, 10, 0, [false, true]),
        ("old fails", |_| ([2, 1], [true, false]), Verdict::Undecided, 10, 0, [true, false]),
        ("both forfeit", |_| ([1, 1], [true, true]), Verdict::Undecided, 10, 5, [true, true]),
        ("one of both fails later", |_| ([2, 1], [true, true]), Verdict::Undecided, 10, 0, [true, true]),
        (
            "both forfeit from the fourth block on",
            |block| if block < 3 { ([1, 2], [false, false]) } else { ([1, 1], [true, true]) },
            Verdict::Undecided,
            16,
            5,
            [false, false],
        ),
        (
            "both forfeit at first, then the new one fails",
            |block| if block < 4 { ([1, 1], [true, true]) } else { ([1, 2], [false, true]) },
            Verdict::NotBetter,
            10,
            4,
            [false, true],
        ),
    ];
    for (case, end, verdict, matches, left_out, failing) in cases {
        let findings = run(pairs(2000), |next| {
            let (places, faults) = end(next.block);
            let (places, faults) = next.seating.iter().map(|bot| (places[*bot], faults[*bot])).unzip();
            let fingerprint = next.id.0;
            MatchEnd::Finished(FinishedMatch {
                places,
                scores: vec![0; 2],
                faults,
                plies: 1,
                fingerprint,
                map: next.seed.0,
            })
        });
        assert_eq!((findings.verdict, findings.reason), (verdict, Reason::Failing), "{case}");
        assert_eq!((findings.matches, findings.forfeited_blocks), (matches, left_out), "{case}");
        assert_eq!(findings.blocks, matches / 2 - left_out, "{case}: what is left out does not count");
        assert_eq!(findings.failing(), failing, "{case}");
    }
    // Now and then is no reason to stop.
    let findings = run(pairs(100), |next| {
        let forfeited = next.block % 5 > 0;
        let places = next.seating.iter().map(|bot| if *bot == NEW && !forfeited { 2 } else { 1 }).collect();
        let (faults, fingerprint) = (vec![forfeited; 2], next.id.0);
        MatchEnd::Finished(FinishedMatch {
            places,
            scores: vec![0; 2],
            faults,
            plies: 1,
            fingerprint,
            map: next.seed.0,
        })
    });
    assert_eq!((findings.reason, findings.forfeited_blocks, findings.blocks), (Reason::Interval, 36, 10));
}

#[test]
fn a_spoilt_match_repeats_its_block() {
    let spoilt = |next: &BlockMatch| next.block == 2 && next.attempt < 2 && next.turn == 1;
    let mut played = Vec::new();
    let findings = run(pairs(20), |next| {
        played.push((next.block, next.attempt, next.turn));
        if spoilt(next) { MatchEnd::Spoilt } else { MatchEnd::Finished(play(next, [0.0; 3])) }
    });
    assert_eq!((findings.matches, findings.spoilt, findings.left_out), (20, 2, 0));
    let of_block: Vec<_> = played.iter().filter(|(block, ..)| *block == 2).map(|(_, a, t)| (*a, *t)).collect();
    assert_eq!(of_block, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]);
}

#[test]
fn a_host_that_spoils_everything_ends_the_test() {
    let findings =
        run(
            pairs(20_000),
            |next| {
                if next.block < 3 { MatchEnd::Finished(play(next, [0.0; 3])) } else { MatchEnd::Spoilt }
            },
        );
    assert_eq!((findings.verdict, findings.reason), (Verdict::Undecided, Reason::Spoilt));
    assert_eq!((findings.blocks, findings.left_out), (3, u64::from(LEFT_OUT)));
    assert_eq!(findings.spoilt, u64::from(LEFT_OUT * ATTEMPTS));
}

#[test]
fn reports_that_fit_no_match_are_refused() {
    let mut comparison = Comparison::new(shares(3, 30)).expect("the terms are good");
    let result = FinishedMatch { places: vec![1, 2], ..FinishedMatch::default() };
    let seats = comparison.record(MatchId(1), MatchEnd::Finished(result));
    assert_eq!(seats, Err(ReportError::Seats(MatchId(1))));
    assert_eq!(comparison.record(MatchId(0), MatchEnd::Spoilt), Err(ReportError::NoMatch(MatchId(0))));
    assert_eq!(comparison.find(MatchId(1)).map(|found| found.block), Some(0));
    assert_eq!(comparison.find(MatchId(10_000)), None, "a limit of 30 matches");
    assert_eq!(comparison.record(MatchId(10_000), MatchEnd::Spoilt), Ok(()), "a store may have had another limit");
}

#[test]
fn both_versions_take_every_seat_as_often() {
    let findings = by_strength(shares(5, 500), [0.0; 3]);
    assert!(findings.seats.iter().all(|(matches, _)| *matches == findings.blocks), "{:?}", findings.seats);
    let mut comparison = Comparison::new(shares(5, 500)).expect("the terms are good");
    let mut follows = 0;
    for _ in 0..500 {
        let Some(next) = comparison.next() else { break };
        let seat = |bot| next.seating.iter().position(|seated| *seated == bot).expect("it plays");
        follows += i32::from(seat(NEW) == (seat(OLD) + 1) % 5);
    }
    assert!(follows < 250, "the new version does not always follow the old one: {follows}");
}

proptest! {
    /// Matches end in any order, some are spoilt, and the test is broken off and begun anew from what is on disk. The
    /// findings are those of a test that plays one match after the other.
    #[test]
    fn only_the_matches_decide(
        seed in any::<u64>(),
        seats in 2_usize..4,
        at_once in 1_usize..9,
        strength in -0.3..0.3_f64,
        interruptions in 0_usize..4,
    ) {
        let terms = if seats == 2 { pairs(120) } else { shares(seats, 120) };
        let end = |next: &BlockMatch| {
            let mut rng = Rng::new(Seed(next.id.0).derive("host", seed));
            if rng.one_in(40) { MatchEnd::Spoilt } else { MatchEnd::Finished(play(next, [0.0, strength, 0.0])) }
        };
        let expected = run(terms.clone(), end);

        let mut rng = Rng::new(Seed(seed));
        let mut disk: Vec<(MatchId, MatchEnd)> = Vec::new();
        let mut left = interruptions;
        let found = loop {
            let mut comparison = Comparison::new(terms.clone()).expect("the terms are good");
            // What a store gives back has an order of its own.
            rng.shuffle(&mut disk);
            for (id, end) in &disk {
                comparison.record(*id, end.clone()).expect("it was handed out");
            }
            let mut running: Vec<BlockMatch> = Vec::new();
            let broken_off = loop {
                while running.len() < at_once && let Some(next) = comparison.next() {
                    running.push(next);
                }
                if running.is_empty() {
                    break false;
                }
                let next = running.swap_remove(rng.index(running.len()));
                disk.push((next.id, end(&next)));
                if left > 0 && rng.one_in(20) {
                    left -= 1;
                    break true;
                }
                comparison.record(next.id, end(&next)).expect("it was handed out");
            };
            if !broken_off {
                break comparison.findings();
            }
        };
        prop_assert_eq!((found.verdict, found.reason, found.blocks), (expected.verdict, expected.reason, expected.blocks));
        prop_assert!(found == expected, "{} {}", found.spoilt, expected.spoilt);
    }
}
