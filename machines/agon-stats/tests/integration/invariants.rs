//! What must not depend on how things are told: names, order, copies; and that nothing ever is not a number.

use agon_stats::{
    Advantage, BradleyTerry, Counts, Duels, EloModel, EmptyCells, Encounter, Errors, Fit, Hypotheses, Pentanomial,
    Prior, Sprt, StoppedBy, Summary, estimate_after_stop, log_likelihood_ratio,
};
use proptest::prelude::*;

const BOTS: u32 = 5;

/// Returns a league with games of a ring, so that all bots are compared, and some more.
fn league() -> impl Strategy<Value = Vec<Encounter>> {
    let counts = || (0_u32..30, 0_u32..10, 0_u32..30);
    let ring = prop::collection::vec(counts(), BOTS as usize);
    let more = prop::collection::vec((0..BOTS, 0..BOTS, counts()), 0..8);
    (ring, more).prop_map(|(ring, more)| {
        let encounter = |(first, second, (wins, draws, losses)): (u32, u32, (u32, u32, u32))| Encounter {
            first,
            second,
            wins: f64::from(wins + 1),
            draws: f64::from(draws),
            losses: f64::from(losses + 1),
            ..Encounter::default()
        };
        let ring = (0..BOTS).zip(ring).map(|(bot, counts)| (bot, (bot + 1) % BOTS, counts));
        ring.chain(more).map(encounter).collect()
    })
}

fn fit(bots: u32, encounters: &[Encounter]) -> Fit {
    let mut league = BradleyTerry::new(bots as usize, Advantage::None, encounters.iter().copied());
    league.fit(Prior::WhereNeeded, Errors::Inverse).expect("a fit always exists")
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-6
}

proptest! {
    #[test]
    fn numbers_of_bots_and_the_order_of_games_change_no_rating(games in league(), turn in 0..BOTS) {
        let other = |bot: u32| (bot + turn) % BOTS;
        let renamed: Vec<Encounter> = games
            .iter()
            .rev()
            .map(|game| Encounter { first: other(game.first), second: other(game.second), ..*game })
            .collect();
        let (one, two) = (fit(BOTS, &games), fit(BOTS, &renamed));
        for bot in 0..BOTS {
            let (bot, same) = (bot as usize, other(bot) as usize);
            prop_assert!(near(one.strengths[bot], two.strengths[same]), "{one:?} {two:?}");
            prop_assert!(near(one.errors[bot], two.errors[same]), "{one:?} {two:?}");
        }
    }

    #[test]
    fn exchanged_results_turn_ratings_around(games in league()) {
        let turned: Vec<Encounter> =
            games.iter().map(|game| Encounter { wins: game.losses, losses: game.wins, ..*game }).collect();
        let (one, two) = (fit(BOTS, &games), fit(BOTS, &turned));
        for bot in 0..BOTS as usize {
            prop_assert!(near(one.strengths[bot], -two.strengths[bot]), "{one:?} {two:?}");
        }
        // The one whose seat it was has nothing to do with it.
        let seats: Vec<Encounter> = games
            .iter()
            .map(|game| Encounter {
                first: game.second,
                second: game.first,
                wins: game.losses,
                losses: game.wins,
                ..*game
            })
            .collect();
        let three = fit(BOTS, &seats);
        for bot in 0..BOTS as usize {
            prop_assert!(near(one.strengths[bot], three.strengths[bot]), "{one:?} {three:?}");
        }
    }

    #[test]
    fn a_copy_of_a_league_halves_variances_and_moves_nobody(games in league()) {
        let twice = [games.clone(), games.clone()].concat();
        let (one, two) = (fit(BOTS, &games), fit(BOTS, &twice));
        for bot in 0..BOTS as usize {
            prop_assert!(near(one.strengths[bot], two.strengths[bot]), "{one:?} {two:?}");
            prop_assert!(near(one.errors[bot], two.errors[bot] * 2.0_f64.sqrt()), "{one:?} {two:?}");
        }
    }

    #[test]
    fn one_more_win_never_makes_weaker(games in league(), at in 0_usize..5) {
        let mut more = games.clone();
        more[at].wins += 1.0;
        let (one, two) = (fit(BOTS, &games), fit(BOTS, &more));
        let (winner, loser) = (more[at].first as usize, more[at].second as usize);
        prop_assert!(two.strengths[winner] > one.strengths[winner], "{one:?} {two:?}");
        prop_assert!(two.strengths[loser] < one.strengths[loser], "{one:?} {two:?}");
    }

    #[test]
    fn any_league_has_finite_numbers(
        games in prop::collection::vec((0_u32..7, 0_u32..7, 0_u32..4, 0_u32..3, 0_u32..4), 0..12),
        sandwich in any::<bool>(),
        seat in any::<bool>(),
    ) {
        // Bots without games, games with oneself, groups, bots that won everything, bots that do not exist.
        let encounter = |(first, second, wins, draws, losses): (u32, u32, u32, u32, u32)| Encounter {
            first,
            second,
            wins: f64::from(wins),
            draws: f64::from(draws),
            losses: f64::from(losses),
            ..Encounter::default()
        };
        let advantage = if seat { Advantage::Numbered(1) } else { Advantage::None };
        let errors = if sandwich { Errors::AdjustedSandwich } else { Errors::Automatic };
        let mut league = BradleyTerry::new(6, advantage, games.into_iter().map(encounter));
        let fit = league.fit(Prior::WhereNeeded, errors).expect("a fit always exists");
        let numbers = fit.strengths.iter().chain(&fit.errors).chain(&fit.errors_in_group).chain(&fit.advantages);
        prop_assert!(numbers.chain(&fit.advantage_errors).all(|value| value.is_finite()), "{fit:?}");
        for bot in 0..6 {
            let (low, high) = fit.interval(bot, 0.95).expect("there is such a bot");
            prop_assert!(low <= fit.strengths[bot] && fit.strengths[bot] <= high, "{fit:?}");
            prop_assert!(fit.errors_in_group[bot] <= fit.errors[bot] + 1e-9, "{fit:?}");
        }
        prop_assert!(league.residuals().all(|one| one.surplus.is_finite() && one.deviation.is_finite()));
    }

    #[test]
    fn a_copy_of_a_bot_takes_from_the_others_no_chance_in_the_lottery(
        margins in prop::collection::vec(-9_i32..10, 6),
        copied in 0_usize..4,
    ) {
        // Four bots, then a fifth one that does as one of them did.
        let pairs: Vec<(usize, usize)> = (0..4).flat_map(|one| (one + 1..4).map(move |other| (one, other))).collect();
        let with = |bots: usize| {
            let mut duels = Duels::new(bots);
            let original = |bot: usize| if bot == 4 { copied } else { bot };
            for one in 0..bots {
                for other in one + 1..bots {
                    let (a, b) = (original(one), original(other));
                    let Some(at) = pairs.iter().position(|pair| *pair == (a.min(b), a.max(b))) else { continue };
                    let margin = f64::from(margins[at]) * if a < b { 1.0 } else { -1.0 };
                    let (winner, loser) = if margin > 0.0 { (one, other) } else { (other, one) };
                    duels.add(winner, loser, margin.abs());
                }
            }
            duels.maximal_lottery().expect("few bots")
        };
        let (four, five) = (with(4), with(5));
        // Where many lotteries are as good, which one is found means nothing.
        if four.unique {
            for bot in (0..4).filter(|bot| *bot != copied) {
                prop_assert!(near(four.probabilities[bot], five.probabilities[bot]), "{four:?} {five:?}");
            }
            prop_assert!(near(four.probabilities[copied], five.probabilities[copied] + five.probabilities[4]));
        }
    }

    #[test]
    fn a_ratio_turns_around_with_its_counts_and_hypotheses(
        counts in prop::array::uniform5(0_u64..200),
        low in -60.0..60.0,
        apart in 0.5..60.0,
        normalized in any::<bool>(),
    ) {
        let model = if normalized { EloModel::Normalized } else { EloModel::Logistic };
        let mut turned = counts;
        turned.reverse();
        let ratio = log_likelihood_ratio(Pentanomial(counts), model, low, low + apart);
        let other = log_likelihood_ratio(Pentanomial(turned), model, -low - apart, -low);
        if let (Some(ratio), Some(other)) = (ratio, other) {
            prop_assert!(ratio.is_finite() && (ratio + other).abs() < 1e-6 * (1.0 + ratio.abs()), "{} {}", ratio, other);
        }
    }

    #[test]
    fn one_better_pair_never_lowers_a_logistic_ratio(
        counts in prop::array::uniform5(1_u64..200),
        from in 0_usize..4,
        low in -60.0..60.0,
        apart in 0.5..60.0,
    ) {
        let mut better = counts;
        better[from] -= 1;
        better[from + 1] += 1;
        let ratio = |counts| log_likelihood_ratio(Pentanomial(counts), EloModel::Logistic, low, low + apart);
        // A cell that becomes empty counts as 0.001 samples, so it is left with some.
        if counts[from] > 1 {
            let (before, after) = (ratio(counts).expect("all cells"), ratio(better).expect("all cells"));
            prop_assert!(after > before - 1e-9, "{} {}", before, after);
        }
    }

    #[test]
    fn any_counts_have_no_number_that_is_none(counts in prop::array::uniform5(prop_oneof![Just(0_u64), 0_u64..5, 0_u64..1_000_000])) {
        let pairs = Pentanomial(counts);
        for hypotheses in [
            Hypotheses::default(),
            Hypotheses { elo0: -900.0, elo1: 900.0, ..Hypotheses::default() },
            Hypotheses { model: EloModel::Logistic, elo0: 0.0, elo1: 0.01, ..Hypotheses::default() },
        ] {
            let mut test = Sprt::new(hypotheses, true).expect("the hypotheses are good");
            test.update(pairs);
            prop_assert!(test.ratio().is_none_or(f64::is_finite));
            let ways = [EmptyCells::Fishtest, EmptyCells::Fastchess]
                .into_iter()
                .flat_map(|empty| [StoppedBy::LinearRatio, StoppedBy::ExactRatio].map(|stopped_by| (empty, stopped_by)));
            for (empty, stopped_by) in ways {
                let Some(stopped) = estimate_after_stop(pairs, &hypotheses, empty, stopped_by, 0.95) else { continue };
                let elo = stopped.elo;
                prop_assert!([elo.low, elo.value, elo.high].iter().all(|value| value.is_finite()), "{:?}", stopped);
                prop_assert!(elo.low <= elo.value + 1e-6 && elo.value <= elo.high + 1e-6, "{:?}", stopped);
                prop_assert!((0.0..=1.0).contains(&stopped.superiority), "{:?}", stopped);
            }
        }
        for empty in [EmptyCells::Fishtest, EmptyCells::Fastchess] {
            let Some(summary) = Summary::of(Counts::from(pairs), empty, 0.95) else { continue };
            let estimates = [summary.elo, summary.nelo];
            for estimate in estimates.into_iter().flatten() {
                prop_assert!([estimate.low, estimate.value, estimate.high].iter().all(|value| value.is_finite()));
            }
            prop_assert!((0.0..=1.0).contains(&summary.score), "{:?}", summary);
        }
    }
}
