//! The line that a person sees while a test is played.

use crate::printer::Printer;
use agon_tournament::words::Real;
use agon_tourney::{Comparison, Findings, Measure};
use indicatif::{HumanDuration, ProgressBar};
use std::time::{Duration, Instant};

/// The least time between two changes of the line.
const REDRAWN: Duration = Duration::from_millis(100);

/// Shows a test while it is played. Off a terminal it shows nothing.
pub struct Live {
    bar: ProgressBar,
    title: String,
    begun: Instant,
    /// The matches that were known at the beginning.
    before: u64,
    drawn: Option<Instant>,
}

impl Live {
    pub fn new(printer: &Printer, title: &str) -> Self {
        let bar = printer.status_line();
        Self { bar, title: title.to_owned(), begun: Instant::now(), before: 0, drawn: None }
    }

    /// Notes what was played before.
    pub fn begin(&mut self, comparison: &Comparison) {
        self.before = comparison.findings().matches;
        self.begun = Instant::now();
    }

    pub fn show(&mut self, comparison: &Comparison) {
        if self.bar.is_hidden() || self.drawn.is_some_and(|drawn| drawn.elapsed() < REDRAWN) {
            return;
        }
        self.drawn = Some(Instant::now());
        let findings = comparison.findings();
        let elapsed = self.begun.elapsed().as_secs_f64();
        let rate = (findings.matches - self.before.min(findings.matches)) as f64 / elapsed.max(0.001);
        self.bar.set_message(format!("{}{}", self.title, line(comparison, &findings, rate)));
    }

    /// Removes the line.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Calls `print` while the line is out of the way.
    pub fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }
}

/// Returns the line: the evidence with its bounds, the estimate, how many matches a second, and when it is expected to end.
fn line(comparison: &Comparison, findings: &Findings, rate: f64) -> String {
    let terms = comparison.terms();
    let [low, high] = findings.bounds.map(Real);
    let mut parts = vec![match (terms.measure, findings.llr) {
        (Measure::Pairs { .. }, Some(llr)) => format!("LLR {:.2} [{low:.2}, {high:.2}]", Real(llr)),
        _ => {
            let ([above, below], [better, not_better]) =
                (findings.log_e_values.map(Real), findings.log_e_bounds.map(Real));
            format!("ln e: better {above:.2} of {better:.2}, not better {below:.2} of {not_better:.2}")
        }
    }];
    parts.extend(findings.elo.or(findings.anytime).map(|at| super::report::estimate(terms.measure, at)));
    parts.push(format!("{} of at most {} matches, {rate:.1}/s", findings.matches, terms.max_matches));
    if rate > 0.0
        && let Some(left) = matches_left(terms.max_matches, findings)
    {
        parts.push(format!("{} left", HumanDuration(Duration::from_secs_f64((left / rate).min(1e9)))));
    }
    parts.join("  ")
}

/// Returns the expected number of matches until the test ends, if the evidence grows as it did so far. `None` before the
/// first block.
fn matches_left(most: u64, findings: &Findings) -> Option<f64> {
    let played = findings.matches as f64;
    let to_limit = most.saturating_sub(findings.matches) as f64;
    let until = |now: f64, end: f64| if now > 0.0 { (end - now).max(0.0) / now * played } else { f64::INFINITY };
    let [low, high] = findings.bounds;
    let soonest = match findings.llr {
        Some(llr) => until(llr, high).min(until(-llr, -low)),
        None => {
            let ([above, below], [better, not_better]) = (findings.log_e_values, findings.log_e_bounds);
            until(above, better).min(until(below, not_better))
        }
    };
    (findings.matches > 0).then(|| soonest.min(to_limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Derivation, Seed};
    use agon_stats::{EloModel, EmptyCells};
    use agon_tourney::{BlockMatch, ComparisonTerms, FinishedMatch, MatchEnd, NEW};

    fn terms() -> ComparisonTerms {
        ComparisonTerms {
            seats: 2,
            seed: Seed(1),
            seeds: Derivation::Keyed,
            max_matches: 1000,
            measure: Measure::Pairs { model: EloModel::Normalized },
            bounds: [0.0, 10.0],
            alpha: 0.05,
            beta: 0.05,
            equivalent: None,
            empty: EmptyCells::default(),
        }
    }

    /// Plays matches of which the new version wins those that `wins` says.
    fn play(comparison: &mut Comparison, matches: u64, wins: impl Fn(&BlockMatch) -> bool) {
        for _ in 0..matches {
            let next = comparison.next().expect("it goes on");
            let wins = wins(&next);
            let places = next.seating.iter().map(|bot| if (*bot == NEW) == wins { 1 } else { 2 }).collect();
            let result = FinishedMatch {
                places,
                scores: vec![0; 2],
                faults: vec![false; 2],
                fingerprint: next.id.0,
                ..FinishedMatch::default()
            };
            comparison.record(next.id, MatchEnd::Finished(result)).expect("it was handed out");
        }
    }

    #[test]
    fn the_line_says_how_far_the_test_is() {
        let mut comparison = Comparison::new(terms()).expect("the terms are good");
        assert_eq!(matches_left(1000, &comparison.findings()), None);
        // The new version wins three of four matches.
        play(&mut comparison, 40, |next| next.block.is_multiple_of(2) || next.turn == 0);
        let findings = comparison.findings();
        let shown = line(&comparison, &findings, 10.0);
        for part in ["LLR ", "Elo ", "40 of at most 1000 matches, 10.0/s", "left"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        let left = matches_left(1000, &findings).expect("there are matches");
        assert!(left > 0.0 && left < 960.0, "{left}");
    }

    #[test]
    fn bets_decide_while_all_pairs_are_equal() {
        let mut comparison = Comparison::new(terms()).expect("the terms are good");
        play(&mut comparison, 10, |_| true);
        let findings = comparison.findings();
        let bound = (2.0_f64 / 0.05).ln();
        assert_eq!((findings.llr, findings.log_e_bounds), (None, [bound; 2]));
        let above = findings.log_e_values[0];
        assert!(0.0 < above && above < bound, "{above}");
        let left = matches_left(1000, &findings).expect("there are matches");
        assert!((left - 10.0 * (bound - above) / above).abs() < 1e-9, "{left}");
        let shown = line(&comparison, &findings, 10.0);
        assert!(shown.contains(&format!("ln e: better {above:.2} of 3.69")), "{shown}");
    }
}
