//! The arguments that say what a test asks, and when it stops.

use crate::{
    error::{Error, Result},
    values,
};
use agon_play::MatchTerms;
use agon_stats::{EloModel, EmptyCells};
use agon_tourney::{ComparisonTerms, Measure, TermsFlaw};
use clap::{Args, ValueEnum};

/// What a test asks.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "The question")]
pub struct Question {
    /// The unit of the bounds for two players: normalized Elo, with which drawish and decisive games take as long, or
    /// logistic Elo. The default is `nelo`.
    #[arg(long, value_enum, value_name = "MODEL")]
    pub model: Option<Model>,

    /// The strength at which NEW is not better, and the one at which it is. The default for two players is 0,10 (`agon climb`:
    /// 0,50). For more, and with `--margin`, it is 0,0: better is whatever is above 0.
    #[arg(long, value_name = "LOW,HIGH", value_parser = bounds, allow_hyphen_values = true)]
    pub bounds: Option<Bounds>,

    /// The greatest probability that a NEW of the strength LOW is called better.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.05, value_parser = values::error_probability, allow_negative_numbers = true)]
    pub alpha: f64,

    /// The greatest probability that a NEW of the strength HIGH is called not better.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.05, value_parser = values::error_probability, allow_negative_numbers = true)]
    pub beta: f64,

    /// Compare scores instead of wins. A difference in scores of more than BOUND counts as BOUND.
    #[arg(long, value_name = "BOUND", conflicts_with = "model", value_parser = values::above_zero, allow_negative_numbers = true)]
    pub margin: Option<f64>,

    /// Also stop when both are equivalent: when the interval that holds at any time is within MARGIN of 0. It is in
    /// logistic Elo for two players; for more it is a share of beaten opponents, and with `--margin` a score.
    #[arg(long, value_name = "MARGIN", value_parser = values::above_zero, allow_negative_numbers = true)]
    pub equivalent: Option<f64>,

    /// How points that no pair has had are treated in the estimate for two players: as by fishtest (0.001 pairs) or as by
    /// fastchess (none). Both count them as 0.001 pairs in the likelihood ratio, so the answer is the same. The default is
    /// `fishtest`.
    #[arg(long, value_enum, value_name = "WAY", conflicts_with = "margin")]
    pub empty: Option<Empty>,

    /// Stop before more matches than this would be played. The default is 20000; with `--null`, and for each
    /// rung of `agon climb`, 2000.
    #[arg(long, value_name = "N", value_parser = values::whole(1..=u64::MAX), allow_negative_numbers = true)]
    pub max_matches: Option<u64>,
}

/// The unit of the bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Model {
    /// Normalized Elo.
    #[default]
    Nelo,
    /// Logistic Elo.
    Elo,
}

impl Model {
    /// Returns the model in the form that statistics take.
    pub fn of_elo(self) -> EloModel {
        match self {
            Self::Nelo => EloModel::Normalized,
            Self::Elo => EloModel::Logistic,
        }
    }

    /// Returns the name on the command line and in documents.
    pub fn name(self) -> &'static str {
        elo_name(self.of_elo())
    }
}

/// How empty cells are treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Empty {
    /// They count as 0.001 results.
    #[default]
    Fishtest,
    /// They stay empty.
    Fastchess,
}

impl Empty {
    /// Returns the way in the form that statistics take.
    pub fn cells(self) -> EmptyCells {
        match self {
            Self::Fishtest => EmptyCells::Fishtest,
            Self::Fastchess => EmptyCells::Fastchess,
        }
    }
}

/// Two numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds(pub [f64; 2]);

/// Parses the bounds of a test.
///
/// # Errors
/// They are not two finite numbers.
pub fn bounds(text: &str) -> std::result::Result<Bounds, String> {
    let wrong = || "write two numbers and a comma, as in `0,10`".to_owned();
    let (low, high) = text.split_once(',').ok_or_else(wrong)?;
    let number =
        |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number + 0.0);
    Ok(Bounds([number(low).ok_or_else(wrong)?, number(high).ok_or_else(wrong)?]))
}

impl Question {
    /// Returns the terms of a test between this number of bots.
    ///
    /// # Errors
    /// One of the terms makes no sense.
    pub fn terms(&self, seats: usize, seeded: &MatchTerms, usual_matches: u64) -> Result<ComparisonTerms> {
        self.terms_between(seats, seeded, usual_matches, [0.0, 10.0])
    }

    /// Returns the terms of a test between two bots that are not expected to be nearly as strong: the usual upper bound is
    /// 50.
    ///
    /// # Errors
    /// One of the terms makes no sense.
    pub fn coarse_terms(&self, seeded: &MatchTerms, usual_matches: u64) -> Result<ComparisonTerms> {
        self.terms_between(2, seeded, usual_matches, [0.0, 50.0])
    }

    fn terms_between(
        &self,
        seats: usize,
        seeded: &MatchTerms,
        usual_matches: u64,
        usual_pairs: [f64; 2],
    ) -> Result<ComparisonTerms> {
        if self.empty.is_some() && seats > 2 {
            return Err(Error::user("--empty: with more than two players there is no estimate of Elo"));
        }
        let measure = match (self.margin, self.model) {
            (Some(most), _) => Measure::Margin { most },
            (None, Some(_)) if seats > 2 => {
                return Err(Error::user("--model: Elo is for two players")
                    .hint("with more players, a test compares shares of beaten opponents"));
            }
            (None, _) if seats > 2 => Measure::Share,
            (None, model) => Measure::Pairs { model: model.unwrap_or_default().of_elo() },
        };
        let usual = if matches!(measure, Measure::Pairs { .. }) { usual_pairs } else { [0.0, 0.0] };
        let terms = ComparisonTerms {
            seats,
            seed: seeded.seed,
            seeds: seeded.seeds,
            max_matches: self.max_matches.unwrap_or(usual_matches),
            measure,
            bounds: self.bounds.map_or(usual, |bounds| bounds.0),
            alpha: self.alpha,
            beta: self.beta,
            equivalent: self.equivalent,
            empty: self.empty.unwrap_or_default().cells(),
        };
        terms.check().map_err(|flaw| match option_of(&flaw) {
            Some(option) => Error::user(format!("--{option}: {flaw}")),
            None => Error::user(flaw.to_string()),
        })?;
        Ok(terms)
    }
}

/// Returns the option that a flaw of the terms is about.
fn option_of(flaw: &TermsFlaw) -> Option<&str> {
    Some(match flaw {
        TermsFlaw::Bounds | TermsFlaw::BoundsOutside { .. } | TermsFlaw::BoundsTooClose => "bounds",
        TermsFlaw::Error(name) => name,
        TermsFlaw::Equivalent => "equivalent",
        TermsFlaw::Margin => "margin",
        TermsFlaw::TooFewMatches(_) => "max-matches",
        TermsFlaw::Seats => return None,
    })
}

/// Returns the name of what the bounds are measured in.
pub fn model_name(measure: Measure) -> &'static str {
    match measure {
        Measure::Pairs { model } => elo_name(model),
        Measure::Share => "share",
        Measure::Margin { .. } => "margin",
    }
}

fn elo_name(model: EloModel) -> &'static str {
    match model {
        EloModel::Normalized => "nelo",
        EloModel::Logistic => "elo",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_two_finite_numbers() {
        assert_eq!(bounds("-5, 2.5"), Ok(Bounds([-5.0, 2.5])));
        for wrong in ["", "1", "1,", "1,2,3", "a,2", "nan,1", "0,inf", "0,1e999"] {
            assert!(bounds(wrong).is_err(), "{wrong}");
        }
    }
}
