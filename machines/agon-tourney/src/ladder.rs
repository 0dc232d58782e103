//! Ladder: an endless tournament whose next match is the one that tells most about the ranking.
//!
//! The ratings say of each pair of bots how probable it is that one is stronger than the other, `p`. The uncertainty of
//! the ranking is the sum of `p (1 - p)` over all pairs: half the number of pairs on which two rankings drawn from the
//! ratings are expected to disagree. A match that takes `δ` from the variance of a bot is expected to reduce
//! `p (1 - p)` of this bot and another one by `δ φ(d/s)² / s²`, where `d` is the difference of their means, `s²` the sum of
//! their variances, and `φ` the normal density: `p` does not change on average, so `p (1 - p)` loses what `p` will
//! vary. A test compares this with an integral.
//!
//! A fixed share of draws is uniform over all sets of bots. The best set is known for every draw, so the probability of
//! each set that is drawn is known as well.
//!
//! *Nobody starves.* A bot that was in none of the last [`patience`] draws is due. If bots are due, the next draw has
//! the one that waits longest. Then at most `n - 1` others are before it, and none of these is due again so soon. So
//! each bot is in at least one of [`longest_wait`] draws in a row.

use crate::{
    Entrant, KeyValue, Kind, KindKey, Spec, TieBreak,
    check::bots,
    draw::{Block, Draw, Drawn, KeptDraw, Past},
    kind::KindRules,
    ledger::Recorded,
    seeding::seeded,
    standings::Class,
};
use agon_core::{Flaw, Rng};
use agon_stats::{Rating, WengLin};
use serde::{Deserialize, Serialize};

/// The most bots of a ladder. The time of a draw grows with the square of their number.
const MOST_LADDER: u32 = 1_000;

/// The most rounds of a ladder that may run at once.
const MOST_WINDOW: u32 = 1_000;

/// What a ladder decides.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct LadderRules {
    pub uniform_percent: u32,
    pub window: u32,
}

impl KindRules for LadderRules {
    fn name(&self) -> &'static str {
        "ladder"
    }

    fn keys(&self) -> Vec<KindKey> {
        let share = "the share of rounds that are drawn uniformly";
        vec![
            KindKey { most: 100, ..KindKey::number("uniform-percent", self.uniform_percent, share) },
            KindKey::number("window", self.window, "how many rounds may run at once"),
        ]
    }

    fn with(&self, key: &str, value: KeyValue) -> Option<Kind> {
        let Self { uniform_percent, window } = *self;
        match (key, value) {
            ("uniform-percent", KeyValue::Number(uniform_percent)) => Some(Kind::Ladder { uniform_percent, window }),
            ("window", KeyValue::Number(window)) => Some(Kind::Ladder { uniform_percent, window }),
            _ => None,
        }
    }

    fn check(&self, spec: &Spec) -> Result<(), Flaw> {
        let Self { uniform_percent, window } = *self;
        if spec.entrants > MOST_LADDER {
            return Err(Flaw::new(format!("{} are too many for a ladder", bots(spec.entrants)))
                .hint(format!("at most {MOST_LADDER} bots can play in one")));
        }
        if !(1..=100).contains(&uniform_percent) {
            return Err(Flaw::new(format!("a ladder cannot draw {uniform_percent} % of its rounds uniformly"))
                .hint("write `uniform-percent = 20`, or another number from 1 to 100"));
        }
        if !(1..=MOST_WINDOW).contains(&window) {
            return Err(Flaw::new(format!("a ladder cannot draw {window} rounds ahead"))
                .hint(format!("write `window = 64`, or another number from 1 to {MOST_WINDOW}")));
        }
        Ok(())
    }

    fn matches(&self, spec: &Spec) -> Option<[u128; 2]> {
        spec.in_all_rounds(1).map(|number| [number; 2])
    }

    fn begin(&self, _: &Spec) -> Box<dyn Draw> {
        Box::new(Ladder::new(*self))
    }

    fn tie_breaks(&self) -> &'static [TieBreak] {
        &[]
    }

    fn has_encounters(&self) -> bool {
        false
    }

    fn has_fixed_opponents(&self) -> bool {
        false
    }

    fn is_rated(&self) -> bool {
        true
    }

    fn window(&self) -> Option<u32> {
        Some(self.window)
    }

    fn longest_wait(&self, spec: &Spec) -> Option<u64> {
        Some(longest_wait(spec.entrants))
    }
}

/// Draws one set of bots after the other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ladder {
    rules: LadderRules,
    draws: u32,
    /// The ratings by all matches before the window.
    ratings: Vec<Rating>,
    /// The number of blocks whose results are in the ratings.
    rated: usize,
    /// How many decisions had changed results when the ratings were made.
    changed_results: usize,
    /// For each bot, the first draw after the last one that it was in.
    free_since: Vec<u32>,
}

/// Returns after how many draws without it a bot of `n` is due.
fn patience(n: usize) -> u64 {
    4 * n as u64
}

/// Returns a number of draws among which each of `n` bots is at least once.
fn longest_wait(n: u32) -> u64 {
    patience(n as usize) + u64::from(n)
}

/// Changes the ratings of the bots of a match. One that all bots have forfeited tells nothing about their strengths.
fn rate(ratings: &mut [Rating], played: &Recorded<'_>) {
    if played.is_forfeited_by_all() {
        return;
    }
    let bots: Vec<(Rating, u32)> = played
        .seats
        .iter()
        .enumerate()
        .map(|(seat, entrant)| (ratings[entrant.index()], u32::from(played.place(seat))))
        .collect();
    for (entrant, rating) in played.seats.iter().zip(WengLin::default().rate_bots(&bots)) {
        ratings[entrant.index()] = rating;
    }
}

/// Returns the ratings before the first match.
fn first_ratings(spec: &Spec) -> Vec<Rating> {
    let mut ratings = spec.ratings.clone();
    ratings.resize(spec.entrants as usize, Rating::default());
    ratings
}

/// Returns the ratings after these matches.
pub(crate) fn ratings<'a>(spec: &Spec, matches: impl Iterator<Item = Recorded<'a>>) -> Vec<Rating> {
    let mut ratings = first_ratings(spec);
    for played in matches {
        rate(&mut ratings, &played);
    }
    ratings
}

/// Returns the place of each bot by what its strength very probably is at least.
pub(crate) fn classes(ratings: &[Rating]) -> Vec<Class> {
    let value = |rating: &Rating| rating.conservative();
    let better = |own: &Rating| ratings.iter().filter(|other| value(other) > value(own)).count() as u32;
    ratings.iter().map(|own| Class { rank: better(own), by_points: false }).collect()
}

impl Ladder {
    const fn new(rules: LadderRules) -> Self {
        Self { rules, draws: 0, ratings: Vec::new(), rated: 0, changed_results: 0, free_since: Vec::new() }
    }

    /// Brings the ratings up to the first `blocks` blocks. Returns whether all of them are settled.
    fn rate_until(&mut self, blocks: usize, past: &Past<'_>) -> bool {
        if self.changed_results != past.changed_results() {
            (self.changed_results, self.rated) = (past.changed_results(), 0);
            self.ratings.clear();
        }
        if self.ratings.len() < past.spec.entrants as usize {
            self.ratings.extend(first_ratings(past.spec).into_iter().skip(self.ratings.len()));
        }
        self.free_since.resize(past.spec.entrants as usize, self.draws);
        while self.rated < blocks {
            let is_settled = |id| past.ledger.state(id).is_some_and(|state| state.is_settled());
            if !past.ledger.block_matches(self.rated).all(is_settled) {
                return false;
            }
            for played in past.ledger.block_matches(self.rated).filter_map(|id| past.result(id)) {
                rate(&mut self.ratings, &played);
            }
            self.rated += 1;
        }
        true
    }

    /// Returns the ratings as they are expected to be after the rounds that are drawn and not rated.
    fn expected(&self, past: &Past<'_>) -> Vec<Rating> {
        let mut expected = self.ratings.clone();
        let system = WengLin::default();
        for block in self.rated..self.draws as usize {
            let bots = past.ledger.block_bots(block);
            for (i, one) in bots.iter().enumerate() {
                for other in &bots[..i] {
                    let (a, b) = (expected[one.index()], expected[other.index()]);
                    let shrink = |own: Rating, opponent: Rating| {
                        (own.deviation * own.deviation - system.expected_reduction(own, opponent)).sqrt()
                    };
                    expected[one.index()].deviation = shrink(a, b);
                    expected[other.index()].deviation = shrink(b, a);
                }
            }
        }
        expected
    }

    /// Returns the bot that is due, as an index into `players`: the one that has waited longest, if too long.
    fn due(&self, players: &[Entrant]) -> Option<usize> {
        let wait = |player: &Entrant| u64::from(self.draws - self.free_since[player.index()]);
        let longest = players.iter().map(wait).max().filter(|longest| *longest >= patience(players.len()))?;
        players.iter().position(|player| wait(player) == longest)
    }
}

impl Draw for Ladder {
    fn draw(&mut self, past: &Past<'_>) -> Drawn {
        let LadderRules { uniform_percent, window } = self.rules;
        if self.draws >= past.spec.rounds {
            return Drawn::Over;
        }
        let players: Vec<Entrant> = seeded(past.spec).into_iter().filter(|e| past.plays(*e)).collect();
        let seats = past.spec.seats as usize;
        if players.len() < seats {
            return Drawn::Over;
        }
        if !self.rate_until((self.draws as usize + 1).saturating_sub(window as usize), past) {
            return Drawn::Wait;
        }
        let expected = self.expected(past);
        let gains = Gains::new(players.iter().map(|player| expected[player.index()]).collect());
        let due = self.due(&players);
        let best = gains.best(seats, due);
        let mut rng = Rng::new(past.spec.seed_for("ladder", u64::from(self.draws)));
        let share = f64::from(uniform_percent) / 100.0;
        let chosen =
            if rng.below(100) < uniform_percent { uniform(players.len(), seats, due, &mut rng) } else { best.clone() };
        let sets = sets(players.len() - usize::from(due.is_some()), seats - usize::from(due.is_some()));
        let probability = share / sets + if chosen == best { 1.0 - share } else { 0.0 };
        let map = self.draws;
        self.draws += 1;
        let bots: Vec<Entrant> = chosen.iter().map(|i| players[*i]).collect();
        for bot in &bots {
            self.free_since[bot.index()] = self.draws;
        }
        let block =
            Block { round: self.draws, map, bots, seated: false, same_seed: false, probability: Some(probability) };
        Drawn::Blocks(vec![block])
    }

    fn kept(&self) -> Option<KeptDraw> {
        Some(KeptDraw::Ladder(self.clone()))
    }

    fn to_come(&self, past: &Past<'_>) -> Option<u64> {
        let players = (0..past.spec.entrants).filter(|number| past.plays(Entrant(*number))).count();
        if players < past.spec.seats as usize {
            return Some(0);
        }
        let rounds = u64::from(past.spec.rounds.saturating_sub(self.draws));
        rounds.checked_mul(u64::try_from(past.spec.block_size()?).ok()?)
    }
}

/// Returns the number of sets of `k` of `n` bots.
fn sets(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

/// Draws a set of bots that contains `due`, uniformly.
fn uniform(n: usize, seats: usize, due: Option<usize>, rng: &mut Rng) -> Vec<usize> {
    let mut others: Vec<usize> = (0..n).filter(|i| Some(*i) != due).collect();
    rng.shuffle(&mut others);
    let mut chosen: Vec<usize> = due.into_iter().chain(others).take(seats).collect();
    chosen.sort_unstable();
    chosen
}

/// What matches are expected to tell about the ranking.
struct Gains {
    ratings: Vec<Rating>,
    /// For each pair of bots, how fast a shrinking variance reduces the uncertainty of their order. Row by row.
    rates: Vec<f64>,
    /// The sums of the rows.
    sums: Vec<f64>,
}

impl Gains {
    fn new(ratings: Vec<Rating>) -> Self {
        let n = ratings.len();
        let mut rates = vec![0.0; n * n];
        for (i, one) in ratings.iter().enumerate() {
            for (j, other) in ratings[..i].iter().enumerate() {
                let variance = one.deviation * one.deviation + other.deviation * other.deviation;
                let difference = one.mean - other.mean;
                let density = libm::exp(-difference * difference / variance) / (2.0 * std::f64::consts::PI);
                rates[i * n + j] = density / variance;
                rates[j * n + i] = density / variance;
            }
        }
        let sums = rates.chunks(n).map(|row| row.iter().sum()).collect();
        Self { ratings, rates, sums }
    }

    /// Returns how much a match of these two is expected to reduce the uncertainty of the ranking.
    fn gain(&self, i: usize, j: usize) -> f64 {
        let system = WengLin::default();
        let one = system.expected_reduction(self.ratings[i], self.ratings[j]);
        let other = system.expected_reduction(self.ratings[j], self.ratings[i]);
        // Between these two, one goes up as the other goes down, so their changes add up before they are squared.
        one * self.sums[i] + other * self.sums[j] + 2.0 * (one * other).sqrt() * self.rates[i * self.ratings.len() + j]
    }

    /// Returns the best set of bots that contains `due`, in the order of the list: the best pair, and then one after
    /// the other the bot that adds most.
    fn best(&self, seats: usize, due: Option<usize>) -> Vec<usize> {
        let n = self.ratings.len();
        let pairs = (0..n).flat_map(|j| (0..j).map(move |i| (i, j)));
        let pairs = pairs.filter(|(i, j)| due.is_none_or(|due| due == *i || due == *j));
        let (i, j) = first_best(pairs, |(i, j)| self.gain(*i, *j)).unwrap_or((0, 1));
        let mut chosen = vec![i, j];
        while chosen.len() < seats {
            let others = (0..n).filter(|other| !chosen.contains(other));
            let added = first_best(others, |other| chosen.iter().map(|bot| self.gain(*bot, *other)).sum());
            chosen.extend(added);
        }
        chosen.sort_unstable();
        chosen
    }
}

/// Returns the first of those with the largest value.
fn first_best<T>(all: impl Iterator<Item = T>, value: impl Fn(&T) -> f64) -> Option<T> {
    let mut best: Option<(f64, T)> = None;
    for item in all {
        let value = value(&item);
        if best.as_ref().is_none_or(|(most, _)| value > *most) {
            best = Some((value, item));
        }
    }
    best.map(|(_, item)| item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cdf(x: f64) -> f64 {
        libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0
    }

    /// Returns by how much `p (1 - p)` falls on average if a match takes `reduction` from the variance of the
    /// difference: the new difference is normal, and the variance is smaller by as much.
    fn expected_fall(difference: f64, variance: f64, reduction: f64) -> f64 {
        let before = cdf(difference / variance.sqrt());
        let steps = 4_000;
        let (mut after, mut weight) = (0.0, 0.0);
        for step in -steps..=steps {
            let z = 8.0 * f64::from(step) / f64::from(steps);
            let density = (-z * z / 2.0).exp();
            let p = cdf((difference + z * reduction.sqrt()) / (variance - reduction).sqrt());
            after += density * p * (1.0 - p);
            weight += density;
        }
        before * (1.0 - before) - after / weight
    }

    proptest! {
        #[test]
        fn a_gain_is_the_expected_fall_of_uncertainty(
            difference in -10.0..10.0, one in 0.5..8.0, other in 0.5..8.0, share in 0.0001..0.002,
        ) {
            let rating = |mean, deviation| Rating { mean, deviation };
            let gains = Gains::new(vec![rating(difference, one), rating(0.0, other)]);
            let variance = one * one + other * other;
            let reduction = share * variance;
            let fall = expected_fall(difference, variance, reduction);
            // The rate is exact for small reductions.
            let expected = reduction * gains.rates[1];
            prop_assert!((fall - expected).abs() <= 0.05 * fall.abs() + 1e-12, "{fall} and {expected}");
        }

        #[test]
        fn the_best_pair_is_the_best_of_all(bots in prop::collection::vec((0.0..50.0, 0.5..9.0), 2..9), due in 0_usize..20) {
            let ratings: Vec<Rating> = bots.iter().map(|(mean, deviation)| Rating { mean: *mean, deviation: *deviation }).collect();
            let gains = Gains::new(ratings);
            let due = Some(due).filter(|due| *due < bots.len());
            let best = gains.best(2, due);
            for i in 0..bots.len() {
                for j in i + 1..bots.len() {
                    if due.is_none_or(|due| due == i || due == j) {
                        prop_assert!(gains.gain(best[0], best[1]) >= gains.gain(i, j));
                    }
                }
            }
            prop_assert!(due.is_none_or(|due| best.contains(&due)));
        }
    }

    #[test]
    fn an_unknown_bot_is_measured_against_its_neighbours() {
        let known = |mean| Rating { mean, deviation: 1.5 };
        let mut ratings: Vec<Rating> = (0..9).map(|i| known(f64::from(i) * 6.0)).collect();
        ratings.push(Rating { mean: 25.0, deviation: 8.0 });
        let best = Gains::new(ratings).best(2, None);
        assert_eq!(best, [4, 9]);
    }
}
