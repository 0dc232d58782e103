//! Intervals of ratings.

use super::{Effort, Row};
use agon_core::{Rng, Seed};
use agon_stats::{Advantage, BradleyTerry, Encounter, Errors, Prior};

/// A league of which the strengths are known.
struct League {
    name: &'static str,
    bots: u32,
    /// The difference in strength of neighbours, in natural logarithms of odds.
    step: f64,
    /// Games of each pair of bots.
    games: u32,
    /// The share of games that are drawn, whoever plays; it is taken from wins and losses alike.
    drawn: f64,
    /// Whether all pairs play, or only neighbours in a ring and every third bot.
    everybody: bool,
    errors: Errors,
    least: f64,
    most: f64,
}

/// A league with so many games that intervals must be neither too narrow nor too wide.
const MANY: League = League {
    name: "8 bots, 60 games a pair",
    bots: 8,
    step: 0.3,
    games: 60,
    drawn: 0.0,
    everybody: true,
    errors: Errors::Inverse,
    least: 0.94,
    most: 0.96,
};

/// A league with so few games that intervals may be too wide.
const FEW: League =
    League { name: "4 bots, 4 games a pair", bots: 4, step: 0.8, games: 4, least: 0.93, most: 1.0, ..MANY };

const LEAGUES: &[League] = &[
    MANY,
    League { name: "20 bots, 60 games a pair of neighbours", bots: 20, step: 0.1, everybody: false, ..MANY },
    League { name: "8 bots, 200 games a pair, sandwich", games: 200, errors: Errors::Sandwich, ..MANY },
    League {
        name: "8 bots, 60 games a pair, 40 % drawn, sandwich",
        step: 0.2,
        drawn: 0.4,
        errors: Errors::Sandwich,
        ..MANY
    },
    League { name: "8 bots, 6 games a pair", bots: 8, step: 0.4, games: 6, ..FEW },
    FEW,
    League {
        name: "4 bots, 4 games a pair, 40 % drawn, sandwich",
        step: 0.5,
        drawn: 0.4,
        errors: Errors::Sandwich,
        ..FEW
    },
    League { name: "2 bots, 4 games", bots: 2, step: 1.0, ..FEW },
    League { name: "6 bots far apart, 20 games a pair", bots: 6, step: 1.5, games: 20, ..FEW },
];

impl League {
    fn strength(&self, bot: u32) -> f64 {
        (f64::from(bot) - f64::from(self.bots - 1) / 2.0) * self.step
    }

    fn play(&self, rng: &mut Rng) -> Vec<Encounter> {
        let pairs = (0..self.bots).flat_map(|first| (first + 1..self.bots).map(move |second| (first, second)));
        let near = |(first, second): &(u32, u32)| {
            let apart = second - first;
            self.everybody || apart == 1 || apart == 3 || apart == self.bots - 1
        };
        pairs
            .filter(near)
            .map(|(first, second)| {
                let expected = 1.0 / (1.0 + (self.strength(second) - self.strength(first)).exp());
                // Drawn games leave the expected points as they are.
                let drawn = self.drawn.min(2.0 * expected.min(1.0 - expected));
                let mut encounter = Encounter { first, second, ..Encounter::default() };
                for _ in 0..self.games {
                    let luck = rng.unit();
                    if luck < drawn {
                        encounter.draws += 1.0;
                    } else if luck < expected + drawn / 2.0 {
                        encounter.wins += 1.0;
                    } else {
                        encounter.losses += 1.0;
                    }
                }
                encounter
            })
            .collect()
    }
}

/// How often the interval of a rating has the true strength.
pub fn coverage(effort: Effort) -> Vec<Row> {
    LEAGUES
        .iter()
        .map(|league| {
            let leagues = effort.runs(4_000, 40_000) / league.bots;
            let mut rng = Rng::new(Seed(4).derive(league.name, 0));
            let (mut inside, mut counted) = (0, 0);
            for _ in 0..leagues {
                let mut fitted = BradleyTerry::new(league.bots as usize, Advantage::None, league.play(&mut rng));
                // A fit that fails covers nothing.
                let fit = fitted.fit(Prior::WhereNeeded, league.errors);
                for bot in 0..league.bots {
                    counted += 1;
                    let interval = fit.as_ref().and_then(|fit| fit.interval(bot as usize, 0.95));
                    let covers = |(low, high): (f64, f64)| (low..=high).contains(&league.strength(bot));
                    inside += u32::from(interval.is_some_and(covers));
                }
            }
            let what = format!("ratings, {}: cover", league.name);
            Row { what, happened: inside, runs: counted, least: league.least, most: league.most }
        })
        .collect()
}
