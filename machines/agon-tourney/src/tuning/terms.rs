//! What is tuned, and the schedules by which the values move.

use agon_core::{Derivation, Rng, Seed};
use serde::{Deserialize, Serialize};

/// How fast the perturbation falls.
const GAMMA: f64 = 0.101;
/// How fast the rate falls.
const ALPHA: f64 = 0.602;
/// `A` as a share of all iterations.
const STABILITY: f64 = 0.1;
/// The rate at the end, times the root of the number of iterations. Larger than usual for chess programs, which are tuned
/// with ten times as many games.
const RATE: f64 = 4.0;
/// The perturbation at the end, as a share of a parameter's range, unless the user names one.
const USUAL_STEP: f64 = 0.05;

/// A parameter of a bot.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
    /// The value at the beginning.
    pub start: f64,
    /// By how much it is moved up and down at the end. `None` is a twentieth of its range.
    pub step: Option<f64>,
    /// Whether only whole numbers are tried.
    pub whole: bool,
}

/// What a run of tuning is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TuningTerms {
    /// The parameters, at least one.
    pub parameters: Vec<Parameter>,
    /// The number of iterations, each a pair of matches.
    pub iterations: u32,
    /// The seed of everything random.
    pub seed: Seed,
    /// How other seeds follow from it.
    #[serde(default)]
    pub seeds: Derivation,
}

/// Why parameters cannot be tuned.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TuningFlaw {
    /// There is no parameter, or no iteration.
    #[error("there is nothing to tune")]
    Nothing,
    /// Two parameters have this name.
    #[error("there are two parameters `{0}`")]
    SameName(String),
    /// The range of this parameter is empty, or a number in it is not finite.
    #[error("`{0}`: the least value must be below the greatest one")]
    Range(String),
    /// The start of this parameter is outside its range.
    #[error("`{0}`: the start must be within the range")]
    Start(String),
    /// The step of this parameter is not above 0 and at most its range, or below 0.5 for whole numbers.
    #[error("`{0}`: the step must be above 0 (for whole numbers at least 0.5), and at most half of the range")]
    Step(String),
}

impl Parameter {
    pub(super) fn step(&self) -> f64 {
        self.step.unwrap_or_else(|| {
            let usual = USUAL_STEP * (self.high - self.low);
            if self.whole { usual.max(0.5) } else { usual }
        })
    }

    fn check(&self) -> Result<(), TuningFlaw> {
        let Self { low, high, start, .. } = *self;
        if !(low.is_finite() && high.is_finite() && low < high) {
            return Err(TuningFlaw::Range(self.name.clone()));
        }
        if !(low..=high).contains(&start) {
            return Err(TuningFlaw::Start(self.name.clone()));
        }
        let (step, least) = (self.step(), if self.whole { 0.5 } else { f64::MIN_POSITIVE });
        if !(step >= least && step <= (high - low) / 2.0) {
            return Err(TuningFlaw::Step(self.name.clone()));
        }
        Ok(())
    }

    /// Returns a value that a bot tries.
    pub(super) fn tried(&self, value: f64, rng: &mut Rng) -> f64 {
        let value = value.clamp(self.low, self.high);
        // A number between two whole ones is rounded to either, the nearer one more often. So a move of less than one counts.
        if self.whole { (value + rng.unit()).floor().clamp(self.low.ceil(), self.high.floor()) } else { value }
    }
}

impl TuningTerms {
    /// Checks that there is something to tune.
    ///
    /// # Errors
    /// If a parameter makes no sense.
    pub fn check(&self) -> Result<(), TuningFlaw> {
        if self.parameters.is_empty() || self.iterations == 0 {
            return Err(TuningFlaw::Nothing);
        }
        for (index, parameter) in self.parameters.iter().enumerate() {
            parameter.check()?;
            if self.parameters[..index].iter().any(|other| other.name == parameter.name) {
                return Err(TuningFlaw::SameName(parameter.name.clone()));
            }
        }
        Ok(())
    }

    /// Returns how far a parameter is moved in an iteration.
    pub(super) fn perturbation(&self, parameter: &Parameter, iteration: u32) -> f64 {
        let (all, now) = (f64::from(self.iterations), f64::from(iteration) + 1.0);
        parameter.step() * libm::pow(all / now, GAMMA)
    }

    /// Returns what a result of 1 is worth, in perturbations.
    pub(super) fn rate(&self, iteration: u32) -> f64 {
        let (all, now) = (f64::from(self.iterations), f64::from(iteration) + 1.0);
        // With few iterations each must count for more, or the values never get anywhere. The noise of many small moves grows
        // with the root of their number.
        let last = (RATE / all.sqrt()).min(0.5);
        let stability = STABILITY * all;
        last * libm::pow((stability + all) / (stability + now), ALPHA) * libm::pow(now / all, 2.0 * GAMMA)
    }
}
