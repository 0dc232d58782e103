//! Tunes the parameters of a bot by playing it against itself with slightly different values.
//!
//! J. C. Spall's simultaneous perturbation (SPSA): each iteration moves all parameters at once, each up or down at random,
//! lets both versions play a pair of matches, and then moves the values a little towards the side that did better. One
//! result says little about one parameter, but many results of random directions add up, however many parameters there
//! are. The schedules are those of Stockfish's fishtest: the perturbation `c` falls with the iteration `k` as `k^-0.101`, and
//! the rate `a` as `(A + k)^-0.602`, with `A` a tenth of all iterations.

mod terms;

use crate::LEFT_OUT;
use agon_core::{Rng, Seed};
use std::collections::BTreeMap;
pub use terms::{Parameter, TuningFlaw, TuningTerms};

/// Iterations that begin with the same values. Their results count together, so that how many matches run at once never
/// changes the values.
const BATCH: u32 = 8;

/// Two versions that are to play a pair of matches.
#[derive(Clone, PartialEq, Debug)]
pub struct Probe {
    /// The number of the iteration, from 0.
    pub iteration: u32,
    /// The values of the version that moved in the drawn directions.
    pub plus: Vec<f64>,
    /// The values of the version that moved the opposite way.
    pub minus: Vec<f64>,
    /// The seed of both matches.
    pub seed: Seed,
}

/// A run of tuning: results in, versions to play out.
#[derive(Clone, Debug)]
pub struct Tuning {
    terms: TuningTerms,
    values: Vec<f64>,
    /// The results of this batch: 1 if the plus version has won both matches, -1 if it has lost both. `None` if the iteration is
    /// left out.
    results: BTreeMap<u32, Option<f64>>,
    /// The iterations that were left out in the batches before.
    left_out: u32,
    /// How many of the last iterations before this batch were left out in a row.
    left_out_in_row: u32,
    /// The first iteration of this batch.
    batch: u32,
    /// The first iteration that was not handed out.
    next: u32,
    /// The values after each batch.
    course: Vec<Vec<f64>>,
}

impl Tuning {
    /// Begins with the values at the start.
    ///
    /// # Errors
    /// If a parameter makes no sense.
    pub fn new(terms: TuningTerms) -> Result<Self, TuningFlaw> {
        terms.check()?;
        let values = terms.parameters.iter().map(|parameter| parameter.start).collect();
        Ok(Self {
            values,
            results: BTreeMap::new(),
            left_out: 0,
            left_out_in_row: 0,
            batch: 0,
            next: 0,
            course: Vec::new(),
            terms,
        })
    }

    /// Returns what is tuned.
    #[must_use]
    pub fn terms(&self) -> &TuningTerms {
        &self.terms
    }

    /// Returns two versions that may play now, and hands them out. `None` if all have played, if others must end
    /// first, or if [`Tuning::is_stuck`].
    #[expect(clippy::should_implement_trait, reason = "it may return more after `None`")]
    pub fn next(&mut self) -> Option<Probe> {
        if self.is_stuck() {
            return None;
        }
        while self.results.contains_key(&self.next) {
            self.next += 1;
        }
        if self.next >= self.batch_end() {
            return None;
        }
        self.next += 1;
        Some(self.probe(self.next - 1))
    }

    fn batch_end(&self) -> u32 {
        self.batch.saturating_add(BATCH).min(self.terms.iterations)
    }

    /// Returns the versions of an iteration of this batch.
    fn probe(&self, iteration: u32) -> Probe {
        let mut rng = self.rng(iteration);
        let directions = self.directions(&mut rng);
        let side = |sign: f64, rng: &mut Rng| -> Vec<f64> {
            let each = self.terms.parameters.iter().zip(&self.values).zip(&directions);
            each.map(|((parameter, value), direction)| {
                let moved = value + sign * direction * self.terms.perturbation(parameter, iteration);
                parameter.tried(moved, rng)
            })
            .collect()
        };
        let (plus, minus) = (side(1.0, &mut rng), side(-1.0, &mut rng));
        Probe { iteration, plus, minus, seed: self.seed("tuning", iteration) }
    }

    fn rng(&self, iteration: u32) -> Rng {
        Rng::new(self.seed("directions", iteration))
    }

    fn seed(&self, purpose: &str, iteration: u32) -> Seed {
        self.terms.seeds.seed(self.terms.seed, purpose, u64::from(iteration))
    }

    fn directions(&self, rng: &mut Rng) -> Vec<f64> {
        self.terms.parameters.iter().map(|_| if rng.one_in(2) { 1.0 } else { -1.0 }).collect()
    }

    /// Takes the result of an iteration: 1 if the plus version has won both matches, -1 if it has lost both. Results may come
    /// in any order within a batch. A result of another batch, and a second one, are ignored.
    pub fn record(&mut self, iteration: u32, result: f64) {
        if result.is_finite() {
            self.close_iteration(iteration, Some(result.clamp(-1.0, 1.0)));
        }
    }

    /// Leaves out an iteration that cannot be played. It moves no value. After [`LEFT_OUT`] of them in a row
    /// [`Tuning::is_stuck`], and nothing more is handed out. The last iterations end the run whatever becomes of them.
    pub fn leave_out(&mut self, iteration: u32) {
        self.close_iteration(iteration, None);
    }

    fn close_iteration(&mut self, iteration: u32, result: Option<f64>) {
        if (self.batch..self.batch_end()).contains(&iteration) {
            self.results.entry(iteration).or_insert(result);
        }
        let is_last = self.batch_end() == self.terms.iterations;
        // Where no iteration is left, none can be handed out in vain.
        if self.results.len() as u32 == self.batch_end() - self.batch
            && !self.is_over()
            && (is_last || !self.is_stuck())
        {
            self.move_values();
        }
    }

    /// Returns whether so many iterations in a row were left out that the reason will not pass by itself.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        let (mut in_row, mut next) = (self.left_out_in_row, self.batch);
        for (iteration, result) in &self.results {
            in_row = match result {
                None if *iteration == next => in_row + 1,
                None => 1,
                Some(_) => 0,
            };
            next = iteration + 1;
            if in_row >= LEFT_OUT {
                return true;
            }
        }
        false
    }

    fn move_values(&mut self) {
        for (iteration, result) in std::mem::take(&mut self.results) {
            let Some(result) = result else {
                self.left_out += 1;
                self.left_out_in_row += 1;
                continue;
            };
            self.left_out_in_row = 0;
            let directions = self.directions(&mut self.rng(iteration));
            let rate = self.terms.rate(iteration);
            for ((value, parameter), direction) in self.values.iter_mut().zip(&self.terms.parameters).zip(directions) {
                let moved = *value + rate * self.terms.perturbation(parameter, iteration) * result * direction;
                *value = moved.clamp(parameter.low, parameter.high);
            }
        }
        self.batch = self.batch_end();
        self.next = self.batch;
        self.course.push(self.values.clone());
    }

    /// Returns whether every iteration has a result or was left out.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.batch >= self.terms.iterations
    }

    /// Returns the number of iterations with a result.
    #[must_use]
    pub fn played(&self) -> u32 {
        self.batch + self.results.len() as u32 - self.left_out()
    }

    /// Returns the number of iterations that were left out.
    #[must_use]
    pub fn left_out(&self) -> u32 {
        self.left_out + self.results.values().filter(|result| result.is_none()).count() as u32
    }

    /// Returns the first iteration of those that move the values together next. What those before did is settled.
    #[must_use]
    pub fn first_open(&self) -> u32 {
        self.batch
    }

    /// Returns the values so far. Whole numbers are rounded.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        let each = self.values.iter().zip(&self.terms.parameters);
        // Rounding makes a negative zero of a small negative number. Adding 0 makes it 0.
        each.map(|(value, parameter)| if parameter.whole { value.round() + 0.0 } else { *value }).collect()
    }

    /// Returns the values after each batch.
    #[must_use]
    pub fn course(&self) -> &[Vec<f64>] {
        &self.course
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Derivation;

    fn parameter(name: &str, low: f64, high: f64, start: f64) -> Parameter {
        Parameter { name: name.to_owned(), low, high, start, step: None, whole: false }
    }

    fn terms(iterations: u32, seed: u64) -> TuningTerms {
        let whole = Parameter { whole: true, ..parameter("depth", 0.0, 40.0, 35.0) };
        let parameters = vec![parameter("aggression", 0.1, 2.0, 0.5), whole, parameter("idle", -1.0, 1.0, 0.0)];
        TuningTerms { parameters, iterations, seed: Seed(seed), seeds: Derivation::Keyed }
    }

    /// Returns how good values are: best at 1.4 and 12, whatever the third one is.
    fn strength(values: &[f64]) -> f64 {
        -((values[0] - 1.4) / 1.9).powi(2) - ((values[1] - 12.0) / 40.0).powi(2)
    }

    /// Plays a pair: the stronger version wins more often.
    fn play(probe: &Probe) -> f64 {
        let mut rng = Rng::new(probe.seed);
        let chance = 1.0 / (1.0 + libm::exp(-6.0 * (strength(&probe.plus) - strength(&probe.minus))));
        (0..2).map(|_| if rng.unit() < chance { 0.5 } else { -0.5 }).sum()
    }

    fn tuned(terms: TuningTerms) -> Tuning {
        let mut tuning = Tuning::new(terms).expect("the terms are good");
        while let Some(probe) = tuning.next() {
            let result = play(&probe);
            tuning.record(probe.iteration, result);
        }
        assert!(tuning.is_over());
        tuning
    }

    #[test]
    fn a_planted_optimum_is_found() {
        let start = terms(4000, 1).parameters.iter().map(|parameter| parameter.start).collect::<Vec<_>>();
        for seed in 1..=5 {
            let tuning = tuned(terms(4000, seed));
            let values = tuning.values();
            assert!((values[0] - 1.4).abs() < 0.4, "seed {seed}: {values:?}");
            assert!((values[1] - 12.0).abs() < 9.0, "seed {seed}: {values:?}");
            assert_eq!(values[1].fract(), 0.0);
            assert!(strength(&values) > 0.15 * strength(&start), "seed {seed}: {values:?}");
            assert_eq!(tuning.course().len(), 500);
        }
    }

    #[test]
    fn neither_the_order_nor_an_interruption_changes_the_values() {
        let expected = tuned(terms(100, 3)).values();
        let mut rng = Rng::new(Seed(8));
        let mut disk: Vec<(u32, f64)> = Vec::new();
        let tuning = loop {
            let mut tuning = Tuning::new(terms(100, 3)).expect("the terms are good");
            for (iteration, result) in &disk {
                tuning.record(*iteration, *result);
            }
            let mut running = Vec::new();
            while !tuning.is_over() && !rng.one_in(60) {
                while running.len() < 5
                    && let Some(probe) = tuning.next()
                {
                    running.push(probe);
                }
                let probe = running.swap_remove(rng.index(running.len()));
                disk.push((probe.iteration, play(&probe)));
                tuning.record(probe.iteration, play(&probe));
            }
            // A store gives its matches back in the order of their numbers.
            disk.sort_by_key(|(iteration, _)| *iteration);
            if tuning.is_over() {
                break tuning;
            }
        };
        assert_eq!(tuning.values(), expected);
    }

    #[test]
    fn a_run_of_which_the_last_iterations_are_left_out_is_over() {
        for (iterations, left_out, over) in [(8, 3..8, true), (8, 0..5, true), (9, 3..8, false)] {
            let mut tuning = Tuning::new(terms(iterations, 3)).expect("the terms are good");
            let probes: Vec<Probe> = std::iter::from_fn(|| tuning.next()).collect();
            let start = tuning.values();
            for probe in probes {
                if left_out.contains(&probe.iteration) {
                    tuning.leave_out(probe.iteration);
                } else {
                    tuning.record(probe.iteration, 1.0);
                }
            }
            assert_eq!((tuning.is_over(), tuning.is_stuck()), (over, !over), "{iterations} {left_out:?}");
            assert_eq!(tuning.values() != start, over, "what was played moves the values");
            assert_eq!((tuning.played(), tuning.left_out(), tuning.next()), (3, 5, None));
        }
    }

    #[test]
    fn values_for_bots_are_in_range() {
        let mut tuning = Tuning::new(terms(400, 5)).expect("the terms are good");
        let mut depths = std::collections::BTreeSet::new();
        while let Some(probe) = tuning.next() {
            for values in [&probe.plus, &probe.minus] {
                for (value, parameter) in values.iter().zip(&tuning.terms().parameters) {
                    assert!((parameter.low..=parameter.high).contains(value), "{values:?}");
                }
                assert_eq!(values[1].fract(), 0.0);
                depths.insert(values[1] as i64);
            }
            // Always the same side: the values run against the ends of their ranges.
            tuning.record(probe.iteration, 1.0);
        }
        assert!(depths.len() > 3, "{depths:?}");
    }

    #[test]
    fn parameters_that_make_no_sense_are_refused() {
        let with = |parameter: Parameter| TuningTerms { parameters: vec![parameter], ..terms(10, 1) };
        let name = || "x".to_owned();
        for (terms, flaw) in [
            (TuningTerms { parameters: Vec::new(), ..terms(10, 1) }, TuningFlaw::Nothing),
            (terms(0, 1), TuningFlaw::Nothing),
            (with(parameter("x", 1.0, 1.0, 1.0)), TuningFlaw::Range(name())),
            (with(parameter("x", f64::NAN, 1.0, 1.0)), TuningFlaw::Range(name())),
            (with(parameter("x", 0.0, 1.0, 1.5)), TuningFlaw::Start(name())),
            (with(Parameter { step: Some(0.0), ..parameter("x", 0.0, 1.0, 0.5) }), TuningFlaw::Step(name())),
            (with(Parameter { step: Some(0.7), ..parameter("x", 0.0, 1.0, 0.5) }), TuningFlaw::Step(name())),
            (
                with(Parameter { step: Some(0.2), whole: true, ..parameter("x", 0.0, 9.0, 5.0) }),
                TuningFlaw::Step(name()),
            ),
        ] {
            assert_eq!(terms.check(), Err(flaw), "{terms:?}");
        }
        let twice = TuningTerms { parameters: vec![parameter("x", 0.0, 1.0, 0.5); 2], ..terms(10, 1) };
        assert_eq!(twice.check(), Err(TuningFlaw::SameName(name())));
    }
}
