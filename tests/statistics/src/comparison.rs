//! Whole tests as `agon test` plays them: with bets beside the likelihood ratio, for more than two players, and for scores.

use super::{
    Effort, Row,
    test::{SHAPES, Truth},
};
use agon_core::{Derivation, Rng, Seed};
use agon_stats::{EloModel, EmptyCells};
use agon_tourney::{
    BlockMatch, Comparison, ComparisonTerms, Findings, FinishedMatch, MatchEnd, Measure, NEW, OLD, Verdict,
};

/// A kind of test, and how strong the new version really is.
struct Question {
    name: String,
    seats: usize,
    measure: Measure,
    bounds: [f64; 2],
    max_matches: u64,
    world: World,
    wrong: Verdict,
}

/// Where results come from.
enum World {
    /// Pairs of two bots.
    Pairs(Truth),
    /// Matches of equal bots, of which every order is equally likely.
    Orders,
    /// Scores of which the new version's are larger by this on average.
    Scores(f64),
}

impl Question {
    fn pairs([low, high]: [f64; 2], (name, shape): (&str, [f64; 5]), truth: f64, wrong: Verdict) -> Self {
        Self {
            name: format!("whole test {low} to {high}, {name}, truth {truth}: wrong"),
            seats: 2,
            measure: Measure::Pairs { model: EloModel::Normalized },
            bounds: [low, high],
            max_matches: 1_000_000,
            world: World::Pairs(Truth::with_nelo(shape, truth)),
            wrong,
        }
    }

    fn share(seats: usize, wrong: Verdict) -> Self {
        Self {
            name: format!("whole test of {seats} players, all equal: {}", wrong.name().replace('_', " ")),
            seats,
            measure: Measure::Share,
            bounds: [0.0, 0.0],
            max_matches: 600,
            world: World::Orders,
            wrong,
        }
    }

    fn margin(truth: f64, wrong: Verdict) -> Self {
        Self {
            name: format!("whole test of scores, 0 to 3, truth {truth}: wrong"),
            seats: 2,
            measure: Measure::Margin { most: 10.0 },
            bounds: [0.0, 3.0],
            max_matches: 1_000,
            world: World::Scores(truth),
            wrong,
        }
    }

    /// Plays a test to its end.
    fn play(&self, seed: Seed) -> Findings {
        let terms = ComparisonTerms {
            seats: self.seats,
            seed,
            seeds: Derivation::Fast,
            max_matches: self.max_matches,
            measure: self.measure,
            bounds: self.bounds,
            alpha: 0.05,
            beta: 0.05,
            equivalent: None,
            empty: EmptyCells::default(),
        };
        let mut test = Comparison::new(terms).expect("the terms are good");
        let mut rng = Rng::new(seed);
        let mut pair = 0;
        while let Some(next) = test.next() {
            if next.turn == 0
                && let World::Pairs(truth) = &self.world
            {
                pair = truth.draw(&mut rng);
            }
            let result = self.result(&next, pair, &mut rng);
            test.record(next.id, MatchEnd::Finished(result)).expect("it was handed out");
        }
        test.findings()
    }

    fn result(&self, next: &BlockMatch, pair: u8, rng: &mut Rng) -> FinishedMatch {
        let seat_of = |bot: usize| next.seating.iter().position(|seated| *seated == bot).expect("it has a seat");
        let (mut places, mut scores) = (vec![1; self.seats], vec![0; self.seats]);
        match self.world {
            World::Pairs(_) => {
                // The half points of a pair go to its first match as far as they can.
                let first = pair.min(2);
                let own = if next.turn == 0 { first } else { pair - first };
                (places[seat_of(NEW)], places[seat_of(OLD)]) = match own {
                    0 => (2, 1),
                    1 => (1, 1),
                    _ => (1, 2),
                };
            }
            World::Orders => {
                places = (1..=self.seats as u32).collect();
                for left in (1..places.len()).rev() {
                    places.swap(left, rng.index(left + 1));
                }
            }
            World::Scores(truth) => {
                // From -9 to 9 around the truth, so that nothing is clipped.
                let spread = 2.0 * (10.0 - truth.abs() - 1.0);
                scores[seat_of(NEW)] = (truth + spread * (rng.unit() - 0.5) + rng.unit() - 0.5).round() as i64;
            }
        }
        // No match repeats another one.
        let fingerprint = next.id.0;
        FinishedMatch { places, scores, faults: vec![false; self.seats], fingerprint, ..FinishedMatch::default() }
    }
}

/// Both kinds of errors.
pub fn errors(effort: Effort) -> Vec<Row> {
    let (better, not_better) = (Verdict::Better, Verdict::NotBetter);
    let mut questions = Vec::new();
    let bounds = if effort == Effort::Quick { [0.0, 100.0] } else { [0.0, 40.0] };
    for shape in SHAPES {
        questions.push(Question::pairs(bounds, shape, bounds[0], better));
        questions.push(Question::pairs(bounds, shape, bounds[1], not_better));
    }
    questions.extend([Question::share(3, better), Question::share(3, not_better), Question::share(4, better)]);
    questions.extend([Question::margin(0.0, better), Question::margin(3.0, not_better)]);
    let row = |question: Question| {
        // Pairs make as many errors as they may, so that only many tests show whether these are too many.
        let runs = effort.runs(200, if matches!(question.world, World::Pairs(_)) { 10_000 } else { 2_000 });
        let seed = |run: u32| Seed(5).derive(&question.name, u64::from(run));
        let happened = (0..runs).filter(|run| question.play(seed(*run)).verdict == question.wrong).count() as u32;
        Row { what: question.name, happened, runs, least: 0.0, most: 0.05 }
    };
    questions.into_iter().map(row).collect()
}
