//! How many games a test will play and how long that will take, told once the first games have shown how long one takes.

use agon_stats::{EloModel, NELO_PER_T, score_of_elo};
use agon_tournament::words;
use agon_tourney::{ComparisonTerms, Measure};
use std::time::{Duration, Instant};

/// The least time that the first games are looked at.
const PILOT: Duration = Duration::from_secs(2);
/// What takes less time than this needs no forecast.
const SHORT: Duration = Duration::from_secs(30);

/// Watches the first games, and then tells of all games.
pub struct Forecast {
    begun: Instant,
    /// The number of games after which their speed is known.
    pilot: u64,
    told: bool,
}

/// How many games are to come: the least and the most that are likely, and how many there can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Games {
    least: u64,
    likely: u64,
    most: u64,
}

impl Forecast {
    /// Begins to watch. So many games run at once.
    pub fn new(at_once: usize) -> Self {
        Self { begun: Instant::now(), pilot: 2 * at_once as u64, told: false }
    }

    /// Takes the number of games that have ended since the beginning. Returns their rate in games a second, once, when it is
    /// known.
    pub fn rate(&mut self, ended: u64) -> Option<f64> {
        let elapsed = self.begun.elapsed();
        let known = !self.told && ended >= self.pilot && elapsed >= PILOT;
        self.told |= known;
        known.then(|| ended as f64 / elapsed.as_secs_f64())
    }
}

impl Games {
    /// Returns exactly this number.
    pub fn exactly(games: u64) -> Self {
        Self { least: games, likely: games, most: games }
    }

    /// Returns the games of a test.
    pub fn of_test(terms: &ComparisonTerms) -> Self {
        let most = u64::from(terms.most_blocks()) * terms.seats as u64;
        let Measure::Pairs { model } = terms.measure else { return Self { least: 0, likely: most, most } };
        // The ratio of the likelihoods of a pair grows by `distance` squared at a bound, and by nothing between them.
        let [low, high] = terms.bounds;
        let distance = match model {
            EloModel::Normalized => (high - low) / NELO_PER_T,
            // Draws make it shorter.
            EloModel::Logistic => 2.0 * (score_of_elo(high) - score_of_elo(low)),
        };
        let bounds = [(1.0 - terms.beta) / terms.alpha, (1.0 - terms.alpha) / terms.beta].map(f64::ln);
        let at_high = (1.0 - terms.beta) * bounds[0] - terms.beta * bounds[1];
        let at_low = (1.0 - terms.alpha) * bounds[1] - terms.alpha * bounds[0];
        let games = |ratio: f64| ((2.0 * ratio / distance.powi(2)) as u64).min(most);
        Self { least: games(at_high.min(at_low)), likely: games(bounds[0] * bounds[1] / 2.0), most }
    }

    /// Returns the sentence about these games at this rate. `None` if they do not take long.
    pub fn sentence(self, rate: f64) -> Option<String> {
        let Self { least, likely, most } = self;
        if rate <= 0.0 || likely as f64 / rate < SHORT.as_secs_f64() {
            return None;
        }
        let time = match (least, likely) {
            (0, likely) => format!("up to {}", duration(likely as f64 / rate)),
            (least, likely) if duration(least as f64 / rate) == duration(likely as f64 / rate) => {
                format!("about {}", duration(likely as f64 / rate))
            }
            (least, likely) => format!("{} to {}", duration(least as f64 / rate), duration(likely as f64 / rate)),
        };
        let games = if least == most {
            words::count(most, "game", "games")
        } else if least == 0 || least == likely {
            format!("at most {most} games")
        } else {
            let [least, likely] = [least, likely].map(rounded);
            format!("about {least} to {likely} games if the difference is small, fewer if it is large, at most {most}")
        };
        Some(format!("{games}; at {} games a second: {time}", words::number(rate)))
    }
}

/// Returns a number with two digits that matter.
fn rounded(games: u64) -> u64 {
    let unit = 10_u64.pow(games.max(1).ilog10().saturating_sub(1));
    (games + unit / 2) / unit * unit
}

/// Returns a time for people, as exact as a forecast can be.
fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 90.0 => "a minute".to_owned(),
        seconds if seconds < 5400.0 => format!("{:.0} minutes", seconds / 60.0),
        seconds if seconds < 48.0 * 3600.0 => format!("{:.0} hours", seconds / 3600.0),
        seconds => format!("{:.0} days", seconds / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Derivation, Seed};
    use agon_stats::EmptyCells;

    fn terms(measure: Measure, bounds: [f64; 2]) -> ComparisonTerms {
        ComparisonTerms {
            seats: 2,
            seed: Seed(1),
            seeds: Derivation::Keyed,
            max_matches: 20_000,
            measure,
            bounds,
            alpha: 0.05,
            beta: 0.05,
            equivalent: None,
            empty: EmptyCells::default(),
        }
    }

    #[test]
    fn a_test_plays_about_as_many_games_as_it_says() {
        let normalized = |bounds| Games::of_test(&terms(Measure::Pairs { model: EloModel::Normalized }, bounds));
        // As docs/testing.md says: about 6,000 for 0 and 10, and 250 for 0 and 50.
        assert_eq!(normalized([0.0, 10.0]), Games { least: 6397, likely: 10_465, most: 20_000 });
        assert_eq!(normalized([0.0, 50.0]), Games { least: 255, likely: 418, most: 20_000 });
        assert_eq!(normalized([0.0, 1.0]), Games { least: 20_000, likely: 20_000, most: 20_000 });
        let logistic = Games::of_test(&terms(Measure::Pairs { model: EloModel::Logistic }, [0.0, 10.0]));
        assert_eq!((logistic.least, logistic.likely), (6401, 10_471));
        let margin = Games::of_test(&terms(Measure::Margin { most: 50.0 }, [0.0, 0.0]));
        assert_eq!(margin, Games { least: 0, likely: 20_000, most: 20_000 });
    }

    #[test]
    fn a_forecast_has_games_and_minutes() {
        let games = Games { least: 6395, likely: 10_462, most: 20_000 };
        for (games, rate, told) in [
            (
                games,
                10.0,
                Some(
                    "about 6400 to 10000 games if the difference is small, fewer if it is large, at most 20000; at 10 games a \
                     second: 11 minutes to 17 minutes",
                ),
            ),
            (games, 1000.0, None),
            (games, 0.0, None),
            (Games::exactly(2000), 8.0, Some("2000 games; at 8 games a second: about 4 minutes")),
            (Games::exactly(2000), 0.05, Some("2000 games; at 0.05 games a second: about 11 hours")),
            (Games { least: 0, ..games }, 20.0, Some("at most 20000 games; at 20 games a second: up to 9 minutes")),
        ] {
            assert_eq!(games.sentence(rate).as_deref(), told, "{games:?} at {rate}");
        }
    }
}
