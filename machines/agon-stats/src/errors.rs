//! How standard errors of strengths are made.

use serde::{Deserialize, Serialize};

/// How standard errors are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Errors {
    /// From the inverse of the Hessian, for leagues of up to 500 bots and advantages; otherwise as [`Errors::Diagonal`].
    #[default]
    Automatic,
    /// From the inverse of the Hessian. The time grows with the cube of the number of bots.
    Inverse,
    /// From the diagonal of the Hessian alone: as if the strengths of all opponents were known. It has no covariances, so
    /// [`crate::Fit::superiority`] then takes the errors of both bots as independent.
    Diagonal,
    /// From the inverse of the Hessian on both sides of how much the results have varied: the sandwich of P. J. Huber (1967)
    /// and H. White (1982). Right also where the model is not, for example with many draws, for which the model expects the
    /// variance of decided games. Too narrow for few games: of drawn games alone, its errors are 0. Where a bot has won every
    /// game, results do not vary at all, so groups with a prior use the model's variance.
    Sandwich,
    /// The sandwich, adjusted for few games. Few draws say little about how many games are decided, so the drawn games of a
    /// bot vary at least as much as 3.84 decided ones, or as all of them decided.
    AdjustedSandwich,
}

impl Errors {
    /// Returns the name, as it is serialized.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::Inverse => "inverse",
            Self::Diagonal => "diagonal",
            Self::Sandwich => "sandwich",
            Self::AdjustedSandwich => "adjusted-sandwich",
        }
    }

    /// Returns how many decided games the drawn ones of a bot count as at least. `None` for errors that are no sandwich.
    pub(crate) fn decided(self) -> Option<f64> {
        match self {
            Self::Automatic | Self::Inverse | Self::Diagonal => None,
            Self::Sandwich => Some(0.0),
            Self::AdjustedSandwich => Some(DECIDED),
        }
    }
}

/// The drawn games of a bot count as at least so many decided ones with [`Errors::AdjustedSandwich`]. It is the square of the
/// normal distribution's quantile for 95 %, the number of games that the intervals of E. B. Wilson (1927) and of A. Agresti and
/// B. A. Coull (1998) add to keep their promise for few games. Nobody who has seen n draws and nothing else can exclude that 3
/// of n such games are decided, all for the same bot, which is 1.5 points of n. These games make it 1.9.
const DECIDED: f64 = 3.841_458_820_694_124;

/// Returns the least share of the model's variance that a drawn game counts for. `games` is the smaller number of games of its
/// two bots.
pub(crate) fn drawn_share(decided: f64, games: f64) -> f64 {
    (decided / games).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Advantage, BradleyTerry, ELO_PER_STRENGTH, Encounter, PlackettLuce, Prior};

    fn games(first: u32, second: u32, [wins, draws, losses]: [f64; 3]) -> Encounter {
        Encounter { first, second, wins, draws, losses, ..Encounter::default() }
    }

    #[test]
    fn one_draw_makes_no_bot_certain_that_has_won_everything() {
        let league = |other| {
            let results = [games(0, 1, [20.0, 0.0, 0.0]), games(0, 2, [20.0, 0.0, 0.0]), other];
            let fit = BradleyTerry::new(3, Advantage::None, results).fit(Prior::WhereNeeded, Errors::AdjustedSandwich);
            fit.expect("a fit").interval(0, 0.95).expect("an interval").0
        };
        let (with, without) = (league(games(1, 2, [10.0, 1.0, 9.0])), league(games(1, 2, [10.0, 0.0, 10.0])));
        assert!((with - without).abs() * ELO_PER_STRENGTH < 1.0, "{with} {without}");
    }

    #[test]
    fn draws_alone_make_nothing_certain() {
        let wide = |results: &[Encounter], errors| {
            let fit =
                BradleyTerry::new(2, Advantage::Numbered(1), results.iter().copied()).fit(Prior::WhereNeeded, errors);
            let (low, high) = fit.expect("a fit").interval(0, 0.95).expect("an interval");
            (high - low) * ELO_PER_STRENGTH
        };
        let one = [games(0, 1, [0.0, 1.0, 0.0])];
        assert!(
            (wide(&one, Errors::AdjustedSandwich) - wide(&one, Errors::Inverse)).abs() < 1e-9,
            "1 game could be a decided one"
        );
        let ten = [games(0, 1, [0.0, 5.0, 0.0]), games(1, 0, [0.0, 5.0, 0.0])];
        // 3 of 10 games may be decided, for the same bot: 65 % of the points, 108 Elo between both.
        assert!(wide(&ten, Errors::AdjustedSandwich) > 108.0, "{}", wide(&ten, Errors::AdjustedSandwich));
        assert!(wide(&ten, Errors::AdjustedSandwich) < 0.7 * wide(&ten, Errors::Inverse), "draws still count");
        let many = [games(0, 1, [75.0, 350.0, 75.0]), games(1, 0, [75.0, 350.0, 75.0])];
        // The points of a game have the variance 0.3 / 4, and the slope of the expectation is 1/4.
        let real = 1.96 * (0.3_f64 / 4.0 / 1_000.0).sqrt() * 4.0 * ELO_PER_STRENGTH;
        assert!(
            (wide(&many, Errors::AdjustedSandwich) / real - 1.0).abs() < 0.01,
            "{} {real}",
            wide(&many, Errors::AdjustedSandwich)
        );
    }

    #[test]
    fn the_sandwich_of_textbooks_is_as_narrow_as_results() {
        let error = |[wins, draws, losses]: [f64; 3], errors| {
            let results = [games(0, 1, [wins, draws, losses])];
            let fit =
                BradleyTerry::new(2, Advantage::None, results).fit(Prior::Never, errors).expect("both have scored");
            assert_eq!(fit.kind, errors);
            fit.errors[0]
        };
        assert_eq!(error([0.0, 10.0, 0.0], Errors::Sandwich), 0.0);
        assert!(error([0.0, 10.0, 0.0], Errors::AdjustedSandwich) > 0.1);
        // The variance of the points of a game is a tenth of what the model expects of decided ones.
        let (few, expected) = (error([5.0, 90.0, 5.0], Errors::Sandwich), error([5.0, 90.0, 5.0], Errors::Inverse));
        assert!((few / expected - 0.1_f64.sqrt()).abs() < 1e-9, "{few} {expected}");
        let without_draws = [7.0, 0.0, 5.0];
        let [one, other] = [Errors::Sandwich, Errors::AdjustedSandwich].map(|errors| error(without_draws, errors));
        assert!((one - other).abs() < 1e-12, "{one} {other}");
    }

    #[test]
    fn errors_are_serialized_by_their_names() {
        use Errors::{AdjustedSandwich, Automatic, Diagonal, Inverse, Sandwich};
        for errors in [Automatic, Inverse, Diagonal, Sandwich, AdjustedSandwich] {
            assert_eq!(serde_json::to_value(errors).expect("a name"), errors.name());
        }
    }

    #[test]
    fn games_of_two_vary_alike_in_both_models() {
        let results = [(0, 1, 9, 4), (1, 2, 7, 5), (2, 0, 6, 8)];
        let encounters = results.map(|(first, second, wins, losses): (u32, u32, u32, u32)| Encounter {
            first,
            second,
            wins: f64::from(wins),
            losses: f64::from(losses),
            ..Encounter::default()
        });
        let games: Vec<[(u32, u32); 2]> = results
            .into_iter()
            .flat_map(|(first, second, wins, losses)| {
                let won = std::iter::repeat_n([(first, 1), (second, 2)], wins as usize);
                won.chain(std::iter::repeat_n([(first, 2), (second, 1)], losses as usize))
            })
            .collect();
        let two = BradleyTerry::new(3, Advantage::None, encounters).fit(Prior::Never, Errors::Sandwich);
        let more = PlackettLuce::new(3, games.iter().map(<[_; 2]>::as_slice)).fit(Prior::Never, Errors::Sandwich);
        let (two, more) = (two.expect("all have lost"), more.expect("all have lost"));
        for (one, other) in [(0, 1), (1, 2), (2, 0)] {
            assert!((two.errors[one] - more.errors[one]).abs() < 1e-9, "{two:?} {more:?}");
            let ours = [&two, &more].map(|fit| fit.superiority(one, other).expect("they have met"));
            assert!((ours[0] - ours[1]).abs() < 1e-9, "{ours:?}");
        }
    }
}
