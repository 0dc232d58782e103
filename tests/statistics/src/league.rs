//! Intervals of ratings.

use super::{Effort, Row};
use agon_core::{Rng, Seed};
use agon_stats::{Advantage, BradleyTerry, Encounter, Errors, Fit, PlackettLuce, Prior};

/// A league of which the strengths are known.
struct League {
    /// What is played, without the errors.
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

/// Returns the label of a row with these errors.
fn label(name: &str, errors: Errors) -> String {
    match errors {
        Errors::Inverse => name.to_owned(),
        _ => format!("{name}, {}", errors.name().replace('-', " ")),
    }
}

/// Returns the word that seeds a row. It stays, whatever labels say, so that a row has the same results in every run. Both
/// sandwiches judge the same leagues.
fn seed_word(name: &str, errors: Errors) -> String {
    if errors == Errors::Inverse { name.to_owned() } else { format!("{name}, sandwich") }
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
    League { name: "8 bots, 200 games a pair", games: 200, errors: Errors::AdjustedSandwich, ..MANY },
    League {
        name: "8 bots, 60 games a pair, 40 % drawn",
        step: 0.2,
        drawn: 0.4,
        errors: Errors::AdjustedSandwich,
        ..MANY
    },
    League { name: "8 bots, 6 games a pair", bots: 8, step: 0.4, games: 6, ..FEW },
    FEW,
    League {
        name: "4 bots, 4 games a pair, 40 % drawn",
        step: 0.5,
        drawn: 0.4,
        errors: Errors::AdjustedSandwich,
        ..FEW
    },
    League { name: "2 bots, 4 games", bots: 2, step: 1.0, ..FEW },
    League { name: "6 bots far apart, 20 games a pair", bots: 6, step: 1.5, games: 20, ..FEW },
    League {
        name: "2 bots, 10 games, 90 % drawn",
        bots: 2,
        step: 0.1,
        games: 10,
        drawn: 0.9,
        errors: Errors::AdjustedSandwich,
        ..FEW
    },
    // The plain sandwich gives errors of 0 where all games are drawn, as in 35 % of these leagues.
    League {
        name: "2 bots, 10 games, 90 % drawn",
        bots: 2,
        step: 0.1,
        games: 10,
        drawn: 0.9,
        errors: Errors::Sandwich,
        least: 0.0,
        most: 0.65,
        ..FEW
    },
    League {
        name: "2 bots, 10 games, 80 % drawn",
        bots: 2,
        step: 0.3,
        games: 10,
        drawn: 0.8,
        errors: Errors::AdjustedSandwich,
        ..FEW
    },
    League {
        name: "2 bots, 6 games, 70 % drawn",
        bots: 2,
        step: 0.4,
        games: 6,
        drawn: 0.7,
        errors: Errors::AdjustedSandwich,
        ..FEW
    },
    League {
        name: "2 bots, 40 games, 90 % drawn",
        bots: 2,
        step: 0.2,
        games: 40,
        drawn: 0.9,
        errors: Errors::AdjustedSandwich,
        ..FEW
    },
    League {
        name: "4 bots, 4 games a pair, 90 % drawn",
        bots: 4,
        step: 0.1,
        games: 4,
        drawn: 0.9,
        errors: Errors::AdjustedSandwich,
        ..FEW
    },
    League {
        name: "4 bots, 10 games a pair, 80 % drawn",
        bots: 4,
        step: 0.2,
        games: 10,
        drawn: 0.8,
        errors: Errors::AdjustedSandwich,
        ..FEW
    },
    League {
        name: "8 bots, 60 games a pair, 90 % drawn",
        step: 0.05,
        drawn: 0.9,
        errors: Errors::AdjustedSandwich,
        most: 0.97,
        ..MANY
    },
];

impl League {
    fn strength(&self, bot: u32) -> f64 {
        (f64::from(bot) - f64::from(self.bots - 1) / 2.0) * self.step
    }

    /// Returns how many intervals of ratings have the true strength. A fit that fails covers nothing.
    fn covered(&self, fit: Option<&Fit>) -> u32 {
        let covers = |bot: &u32| {
            let interval = fit.and_then(|fit| fit.interval(*bot as usize, 0.95));
            interval.is_some_and(|(low, high)| (low..=high).contains(&self.strength(*bot)))
        };
        (0..self.bots).filter(covers).count() as u32
    }

    fn play(&self, rng: &mut Rng) -> Vec<Encounter> {
        let pairs = (0..self.bots).flat_map(|first| (first + 1..self.bots).map(move |second| (first, second)));
        let near = |(first, second): &(u32, u32)| {
            let apart = second - first;
            self.everybody || apart == 1 || apart == 3 || apart == self.bots - 1
        };
        pairs
            .filter(near)
            .map(|(first, second)| self.encounter(first, second, self.strength(first) - self.strength(second), rng))
            .collect()
    }

    /// Plays the games of two bots, of which the first one is stronger by this.
    fn encounter(&self, first: u32, second: u32, ahead: f64, rng: &mut Rng) -> Encounter {
        let expected = 1.0 / (1.0 + (-ahead).exp());
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
    }
}

/// How often the interval of a rating has the true strength.
pub fn coverage(effort: Effort) -> Vec<Row> {
    LEAGUES
        .iter()
        .map(|league| {
            let leagues = effort.runs(4_000, 40_000) / league.bots;
            let mut rng = Rng::new(Seed(4).derive(&seed_word(league.name, league.errors), 0));
            let mut inside = 0;
            for _ in 0..leagues {
                let mut fitted = BradleyTerry::new(league.bots as usize, Advantage::None, league.play(&mut rng));
                inside += league.covered(fitted.fit(Prior::WhereNeeded, league.errors).as_ref());
            }
            let what = format!("ratings, {}: cover", label(league.name, league.errors));
            Row { what, happened: inside, runs: leagues * league.bots, least: league.least, most: league.most }
        })
        .collect()
}

/// The advantage of the first seat, in natural logarithms of odds.
const SEAT: f64 = 0.5;

/// How often the intervals of ratings and of the advantage have the truth, with an advantage of the first seat, which is what
/// `agon rate` fits unless the user says otherwise.
pub fn seats(effort: Effort) -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, games, drawn, errors, least) in [
        ("20 games in each seat", 20, 0.0, Errors::Inverse, 0.94),
        ("20 games in each seat, 50 % drawn", 20, 0.5, Errors::AdjustedSandwich, 0.94),
        ("2 games in each seat, 80 % drawn", 2, 0.8, Errors::AdjustedSandwich, 0.93),
    ] {
        let league = League { bots: 4, step: 0.3, games, drawn, errors, ..MANY };
        let leagues = effort.runs(1_000, 10_000);
        let mut rng = Rng::new(Seed(6).derive(&seed_word(name, errors), 0));
        let (mut inside, mut of_seat) = (0, 0);
        for _ in 0..leagues {
            let encounters = league.play_seats(&mut rng);
            let mut fitted = BradleyTerry::new(4, Advantage::Numbered(1), encounters);
            let fit = fitted.fit(Prior::WhereNeeded, errors);
            inside += league.covered(fit.as_ref());
            let covers = |fit: Fit| (fit.advantages[0] - SEAT).abs() <= 1.96 * fit.advantage_errors[0];
            of_seat += u32::from(fit.is_some_and(covers));
        }
        let most = if least < 0.94 { 1.0 } else { 0.97 };
        let row = |what: String, happened, runs| Row { what, happened, runs, least, most };
        let name = label(name, errors);
        rows.push(row(format!("ratings with a seat, {name}: cover"), inside, 4 * leagues));
        rows.push(row(format!("advantage of a seat, {name}: cover"), of_seat, leagues));
    }
    rows
}

/// How often the intervals of ratings have the truth, with four players in a match.
pub fn more_players(effort: Effort) -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, bots, games, shared, errors) in [
        ("6 bots, 120 games", 6_u32, 120, 0.0, Errors::Inverse),
        ("6 bots, 120 games", 6, 120, 0.0, Errors::AdjustedSandwich),
        ("4 bots, 8 games", 4, 8, 0.0, Errors::Inverse),
        ("4 equal bots, 8 games, 70 % with a shared place", 4, 8, 0.7, Errors::AdjustedSandwich),
    ] {
        // A shared place is not of the model, unless all are equal.
        let step = if shared > 0.0 { 0.0 } else { 0.3 };
        let league = League { bots, step, ..MANY };
        let leagues = effort.runs(2_000, 20_000) / bots;
        let mut rng = Rng::new(Seed(7).derive(&seed_word(name, errors), 0));
        let mut inside = 0;
        for _ in 0..leagues {
            let played: Vec<Vec<(u32, u32)>> = (0..games).map(|_| league.play_four(shared, &mut rng)).collect();
            let mut fitted = PlackettLuce::new(bots as usize, played.iter().map(Vec::as_slice));
            inside += league.covered(fitted.fit(Prior::WhereNeeded, errors).as_ref());
        }
        let what = format!("ratings of four players, {}: cover", label(name, errors));
        let (least, most) = if games > 100 { (0.94, 0.97) } else { (0.93, 1.0) };
        rows.push(Row { what, happened: inside, runs: leagues * bots, least, most });
    }
    rows
}

impl League {
    /// Plays the games of all pairs, each as often in either order of seats.
    fn play_seats(&self, rng: &mut Rng) -> Vec<Encounter> {
        let mut played = Vec::new();
        for first in 0..self.bots {
            for second in (0..self.bots).filter(|second| *second != first) {
                let ahead = self.strength(first) - self.strength(second) + SEAT;
                played.push(self.encounter(first, second, ahead, rng));
            }
        }
        played
    }

    /// Draws four bots and their places.
    fn play_four(&self, shared: f64, rng: &mut Rng) -> Vec<(u32, u32)> {
        let mut left: Vec<u32> = (0..self.bots).collect();
        while left.len() > 4 {
            left.swap_remove(rng.index(left.len()));
        }
        let mut places = Vec::new();
        for place in 1..=4 {
            let weights: Vec<f64> = left.iter().map(|bot| self.strength(*bot).exp()).collect();
            let mut luck = rng.unit() * weights.iter().sum::<f64>();
            let next = weights.iter().position(|weight| {
                luck -= weight;
                luck < 0.0
            });
            places.push((left.remove(next.unwrap_or(0)), place));
        }
        if rng.unit() < shared {
            let level = rng.index(3);
            places[level + 1].1 = places[level].1;
        }
        places
    }
}
