//! Strengths that explain all results at once, whatever the order of play.

use crate::{
    errors::Errors,
    graph::Parts,
    matrix::Matrix,
    newton::{Frame, Loss, minimize},
    normal::{normal_cdf, normal_quantile},
};
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_10;

/// One unit of strength (natural logarithm of odds) in Elo: 400 / ln 10, about 173.7.
pub const ELO_PER_STRENGTH: f64 = 400.0 / LN_10;

/// The factor of the squared strengths in the prior that is used where no maximum of the likelihood exists: strengths are
/// expected to lie around 0 with a deviation of `1/√(2·0.05)`, 3.2 or 550 Elo.
pub const SMALL_PRIOR: f64 = 0.05;

/// What keeps strengths finite where results alone would not.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub enum Prior {
    /// None for a group of bots of which the likelihood has a maximum. For every other group [`SMALL_PRIOR`] times the sum of
    /// squared strengths.
    #[default]
    WhereNeeded,
    /// This number times the sum of squared strengths is taken from the log-likelihood. It must be above 0.
    Always(f64),
    /// None. Without a maximum of the likelihood of all results there is no fit, as of groups that have never met.
    Never,
}

/// The largest league whose Hessian is inverted without being asked to.
const INVERTED: usize = 500;

/// The fitted strengths of a league.
#[derive(Clone, PartialEq, Debug)]
pub struct Fit {
    /// The strength of each bot, in natural logarithms of odds. The strengths of a group have the sum 0.
    pub strengths: Vec<f64>,
    /// The standard error of each strength. In a group with a prior, it has a part that all strengths of the group share.
    pub errors: Vec<f64>,
    /// The standard error of each strength relative to the average of its group. Without a prior it equals `errors`, because
    /// the average is exactly 0. With [`Errors::Diagonal`] it always equals `errors`.
    pub errors_in_group: Vec<f64>,
    /// How the errors were made. Never [`Errors::Automatic`], and never a sandwich if every group has a prior.
    pub kind: Errors,
    /// The advantages that were fitted beside the strengths, in the same unit.
    pub advantages: Vec<f64>,
    /// Their standard errors.
    pub advantage_errors: Vec<f64>,
    /// The factor of the squared strengths, if a prior was used for any group.
    pub prior: Option<f64>,
    /// The number of the group of each bot. Bots of different groups have never met, not even by way of others, so their
    /// strengths cannot be compared.
    pub groups: Vec<u32>,
    /// The number of groups.
    pub group_count: usize,
    /// The covariance of strengths and advantages; none with [`Errors::Diagonal`].
    covariance: Option<Matrix>,
}

/// What a model gives to [`fit`].
pub(crate) struct Problem<'a, L> {
    pub(crate) loss: &'a mut L,
    pub(crate) bots: usize,
    pub(crate) advantages: usize,
    pub(crate) groups: Parts,
    /// For each group, whether the likelihood has a maximum.
    pub(crate) exists: Vec<bool>,
    pub(crate) start: Option<Vec<f64>>,
}

/// A loss of which the variation of results is known.
pub(crate) trait Scattered: Loss {
    /// Adds the sum over games of the gradient of each times itself: how much gradients vary, if games are independent. The
    /// drawn games of a bot add at least as much as the model expects of `decided` games; [`crate::errors::drawn_share`] says
    /// how much that is for each of them. Games of bots that are `modelled` add exactly what the model expects.
    fn scatter(&self, modelled: &dyn Fn(u32) -> bool, decided: f64, scatter: &mut Matrix);
}

/// Returns `None` if a prior is not above 0, if there is none and no maximum exists, or if the search does not converge.
pub(crate) fn fit<L: Scattered>(problem: Problem<'_, L>, prior: Prior, errors: Errors) -> Option<Fit> {
    let Problem { loss, bots, advantages, groups, exists, start } = problem;
    let all_exist = exists.iter().all(|exists| *exists);
    let factor = match prior {
        Prior::Always(factor) if factor > 0.0 && factor.is_finite() => Some(factor),
        Prior::WhereNeeded if all_exist => None,
        Prior::WhereNeeded => Some(SMALL_PRIOR),
        Prior::Never if all_exist && groups.count == 1 => None,
        Prior::Always(_) | Prior::Never => return None,
    };
    let is_free = |group: u32| factor.is_none() || prior == Prior::WhereNeeded && exists[group as usize];
    let mut free: Vec<Vec<usize>> = vec![Vec::new(); groups.count];
    let mut ridge = Vec::with_capacity(bots + advantages);
    for (bot, group) in groups.of.iter().enumerate() {
        if is_free(*group) {
            free[*group as usize].push(bot);
        }
        ridge.push(if is_free(*group) { 0.0 } else { 2.0 * factor.unwrap_or(0.0) });
    }
    free.retain(|set| !set.is_empty());
    // Whoever begins may always have won, so advantages always have a prior.
    ridge.resize(bots + advantages, 2.0 * SMALL_PRIOR);
    let frame = Frame { ridge: &ridge, free: &free };
    let mut point = start.unwrap_or_else(|| vec![0.0; bots + advantages]);
    if !minimize(loss, frame, &mut point) {
        return None;
    }
    let kind = match errors {
        Errors::Automatic if bots + advantages <= INVERTED => Errors::Inverse,
        Errors::Automatic => Errors::Diagonal,
        sandwich if sandwich.decided().is_some() && free.is_empty() => Errors::Inverse,
        chosen => chosen,
    };
    let mut variances = vec![0.0; bots + advantages];
    let mut covariance = None;
    if kind == Errors::Diagonal {
        variances.copy_from_slice(&ridge);
        loss.diagonal(&mut variances);
        // Without curvature it is the only bot of a league, whose strength is 0 by definition.
        variances.iter_mut().for_each(|value| *value = if *value > 0.0 { 1.0 / *value } else { 0.0 });
    } else {
        let (factored, units) = frame.factor(loss)?;
        let mut inverse = factored.inverse();
        for (set, unit) in free.iter().zip(units) {
            // The curvature that was added in the free direction.
            let added = -1.0 / (unit * set.len() as f64);
            for row in set {
                for column in set {
                    inverse.add(*row, *column, added);
                }
            }
        }
        if let Some(decided) = kind.decided() {
            let mut scatter = Matrix::zero(bots + advantages);
            loss.scatter(&|bot| !is_free(groups.of[bot as usize]), decided, &mut scatter);
            // A prior expects the truth itself to vary.
            for (index, ridge) in ridge.iter().enumerate() {
                scatter.add(index, index, *ridge);
            }
            inverse = inverse.around(&scatter);
        }
        for (index, variance) in variances.iter_mut().enumerate() {
            *variance = inverse.get(index, index);
        }
        covariance = Some(inverse);
    }
    let root = |variance: f64| variance.max(0.0).sqrt();
    let mut errors: Vec<f64> = variances.into_iter().map(root).collect();
    let errors_in_group = match &covariance {
        // Only a prior says where the average of a group is, and nobody asks for that.
        Some(covariance) if factor.is_some() => in_groups(covariance, &groups).into_iter().map(root).collect(),
        _ => errors[..bots].to_vec(),
    };
    let (advantage_errors, advantages) = (errors.split_off(bots), point.split_off(bots));
    let (strengths, group_count) = (point, groups.count);
    Some(Fit {
        strengths,
        errors,
        errors_in_group,
        kind,
        advantages,
        advantage_errors,
        prior: factor,
        groups: groups.of,
        group_count,
        covariance,
    })
}

/// Returns the variance of each strength minus the average of its group.
fn in_groups(covariance: &Matrix, groups: &Parts) -> Vec<f64> {
    let mut sizes = vec![0.0; groups.count];
    groups.of.iter().for_each(|group| sizes[*group as usize] += 1.0);
    // For each bot: its covariance with the average; and for each group the variance of the average.
    let mut with_average = vec![0.0; groups.of.len()];
    let mut of_average = vec![0.0; groups.count];
    for (bot, group) in groups.of.iter().enumerate() {
        let own = covariance.row(bot).iter().zip(&groups.of).filter(|(_, other)| *other == group);
        let size = sizes[*group as usize];
        with_average[bot] = own.map(|(value, _)| value).sum::<f64>() / size;
        of_average[*group as usize] += with_average[bot] / size;
    }
    let variance =
        |(bot, group): (usize, &u32)| covariance.get(bot, bot) - 2.0 * with_average[bot] + of_average[*group as usize];
    groups.of.iter().enumerate().map(variance).collect()
}

impl Fit {
    /// Returns the ends of the interval of a strength relative to the average of its group, by the normal distribution.
    /// `None` without such a bot, or if the confidence is not between 0 and 1.
    #[must_use]
    pub fn interval(&self, bot: usize, confidence: f64) -> Option<(f64, f64)> {
        let quantile = normal_quantile(f64::midpoint(1.0, confidence)).filter(|_| confidence > 0.0)?;
        let (strength, error) = (self.strengths.get(bot)?, self.errors_in_group.get(bot)?);
        Some((strength - quantile * error, strength + quantile * error))
    }

    /// Returns the probability that `one` is stronger than `other`, given the results: the likelihood of superiority, by the
    /// normal distribution. `None` without such bots, or if nothing compares them.
    #[must_use]
    pub fn superiority(&self, one: usize, other: usize) -> Option<f64> {
        self.superiority_within(one, other, 0.0)
    }

    /// Returns the same, if the standard error of the difference is at least `error`, in natural logarithms of odds.
    #[must_use]
    pub fn superiority_within(&self, one: usize, other: usize, error: f64) -> Option<f64> {
        let apart = *self.groups.get(one)? != *self.groups.get(other)?;
        if one == other || apart {
            return None;
        }
        let variance = match &self.covariance {
            Some(matrix) => matrix.get(one, one) + matrix.get(other, other) - 2.0 * matrix.get(one, other),
            None => self.errors[one].powi(2) + self.errors[other].powi(2),
        };
        let difference = self.strengths[one] - self.strengths[other];
        let error = variance.max(0.0).sqrt().max(error);
        (error > 0.0).then(|| normal_cdf(difference / error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Advantage, BradleyTerry, Encounter, PlackettLuce};

    #[test]
    fn strengths_that_sum_to_0_are_not_independent() {
        let games = Encounter { first: 0, second: 1, wins: 60.0, losses: 40.0, ..Encounter::default() };
        let mut league = BradleyTerry::new(2, Advantage::None, [games]);
        for errors in [Errors::Inverse, Errors::Sandwich] {
            let fit = league.fit(Prior::WhereNeeded, errors).expect("both have won");
            // One strength is minus the other, so the error of the difference is twice that of each.
            let expected = normal_cdf((fit.strengths[0] - fit.strengths[1]) / (2.0 * fit.errors[0]));
            let ours = fit.superiority(0, 1).expect("they have met");
            assert!((ours - expected).abs() < 1e-12, "{errors:?}: {ours} instead of {expected}");
        }
    }

    fn games(first: u32, second: u32, [wins, draws, losses]: [f64; 3]) -> Encounter {
        Encounter { first, second, wins, draws, losses, ..Encounter::default() }
    }

    #[test]
    fn a_prior_says_nothing_about_a_bot_relative_to_the_others() {
        let league = |results: &[Encounter], prior, errors| {
            BradleyTerry::new(4, Advantage::None, results.iter().copied()).fit(prior, errors).expect("a fit")
        };
        // Bots 2 and 3 have played with nobody else.
        let results = [games(0, 1, [6.0, 0.0, 4.0]), games(2, 3, [5.0, 0.0, 5.0])];
        let free =
            BradleyTerry::new(2, Advantage::None, [results[0]]).fit(Prior::Never, Errors::Inverse).expect("a fit");
        let weak = league(&results, Prior::Always(1e-9), Errors::Inverse);
        assert!(weak.errors[0] > 1_000.0 && (weak.errors_in_group[0] - free.errors[0]).abs() < 1e-4, "{weak:?}");
        assert_eq!(free.errors, free.errors_in_group);
    }

    #[test]
    fn a_group_changes_nothing_about_another_one() {
        let fit = |bots, results: &[Encounter]| {
            let mut league = BradleyTerry::new(bots, Advantage::None, results.iter().copied());
            league.fit(Prior::WhereNeeded, Errors::AdjustedSandwich).expect("a fit")
        };
        let drawn = games(0, 1, [6.0, 30.0, 4.0]);
        let alone = fit(2, &[drawn]);
        assert_eq!((alone.kind, alone.prior), (Errors::AdjustedSandwich, None));
        // A bot that has not played, and two that have always lost or won.
        let unplayed = fit(3, &[drawn]);
        assert_eq!((unplayed.kind, unplayed.prior), (Errors::AdjustedSandwich, None));
        let (beaten, pair) = (games(2, 3, [5.0, 0.0, 0.0]), games(0, 1, [5.0, 0.0, 0.0]));
        let both = fit(4, &[drawn, beaten]);
        assert_eq!((both.kind, both.prior, both.group_count), (Errors::AdjustedSandwich, Some(SMALL_PRIOR), 2));
        for with in [&unplayed, &both] {
            for bot in 0..2 {
                assert!((with.strengths[bot] - alone.strengths[bot]).abs() < 1e-9, "{with:?} {alone:?}");
                assert!((with.errors_in_group[bot] - alone.errors_in_group[bot]).abs() < 1e-9, "{with:?} {alone:?}");
            }
        }
        let pair = fit(2, &[pair]);
        for bot in 0..2 {
            assert!((both.strengths[2 + bot] - pair.strengths[bot]).abs() < 1e-9, "{both:?} {pair:?}");
            assert!((both.errors_in_group[2 + bot] - pair.errors_in_group[bot]).abs() < 1e-9, "{both:?} {pair:?}");
        }
    }

    #[test]
    fn the_only_bot_of_a_league_is_its_average() {
        for errors in [Errors::Inverse, Errors::Diagonal, Errors::Sandwich, Errors::AdjustedSandwich] {
            for prior in [Prior::WhereNeeded, Prior::Never] {
                let two = BradleyTerry::new(1, Advantage::Numbered(1), []).fit(prior, errors);
                let more = PlackettLuce::new(1, []).fit(prior, errors);
                for fit in [two, more] {
                    let fit = fit.unwrap_or_else(|| panic!("{prior:?}, {errors:?}: no fit"));
                    assert_eq!(
                        (fit.strengths.as_slice(), fit.errors.as_slice()),
                        (&[0.0][..], &[0.0][..]),
                        "{errors:?}"
                    );
                }
            }
        }
    }
}
