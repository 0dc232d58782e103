//! Games of more than two bots: the model of R. L. Plackett (1975) and R. D. Luce (1959).
//!
//! The places of a game are drawn one after the other: each time, a bot comes next with a probability in proportion to the
//! exponential of its strength among those that are left. With two bots it is the model of Bradley and Terry. Bots that share a
//! place are taken in every rotation of their order and its reverse, each with the same weight, so that a draw of two counts as
//! half a win for both, and one of three as all six orders.

use crate::{
    fit::{Errors, Fit, Prior, Problem, Scattered, fit},
    graph::{components, strongly_connected},
    matrix::Matrix,
    newton::Loss,
};

/// The games of a league, by place.
#[derive(Clone, PartialEq, Debug)]
pub struct PlackettLuce {
    bots: usize,
    /// The bots of all strict orders, one order after the other.
    order: Vec<u32>,
    /// Where each order ends, its weight, and the number of its game.
    ends: Vec<(usize, f64, u32)>,
    /// At the current point: for each place of `order`, the exponential of the strength within its order, and the sum of those
    /// from there to the end.
    factors: Vec<f64>,
    sums: Vec<f64>,
}

impl PlackettLuce {
    /// Takes the games of a league. A game is a list of bots with their places; a smaller place is better. Bots that do not exist
    /// and repetitions of a bot in a game are left out, and so are games of fewer than two bots.
    #[must_use]
    pub fn new<'a>(bots: usize, games: impl IntoIterator<Item = &'a [(u32, u32)]>) -> Self {
        let (mut order, mut ends) = (Vec::new(), Vec::new());
        for (number, game) in (0_u32..).zip(games) {
            let mut ranked: Vec<(u32, u32)> = Vec::with_capacity(game.len());
            for (bot, place) in game {
                if (*bot as usize) < bots && ranked.iter().all(|(_, known)| known != bot) {
                    ranked.push((*place, *bot));
                }
            }
            if ranked.len() < 2 {
                continue;
            }
            // Within a place by number, so that the order of seats does not matter.
            ranked.sort_unstable();
            let places: Vec<Vec<u32>> =
                ranked.chunk_by(|a, b| a.0 == b.0).map(|level| level.iter().map(|(_, bot)| *bot).collect()).collect();
            let orders = orders(&places);
            let weight = 1.0 / orders.len() as f64;
            for strict in orders {
                order.extend(strict);
                ends.push((order.len(), weight, number));
            }
        }
        let count = order.len();
        Self { bots, order, ends, factors: vec![0.0; count], sums: vec![0.0; count] }
    }

    /// Fits strengths. `None` if [`Prior::Never`] was asked for and no maximum exists, if a prior is not above 0, or if 300
    /// steps of the search do not find the maximum.
    #[must_use]
    pub fn fit(&mut self, prior: Prior, errors: Errors) -> Option<Fit> {
        let bots = self.bots;
        let (order, ends) = (&self.order, &self.ends);
        // Whoever is before another one has scored against it; neighbours are enough to find all paths.
        let neighbours = || {
            ends.iter()
                .scan(0, |start, (end, _, _)| Some((std::mem::replace(start, *end), *end)))
                .flat_map(|(start, end)| order[start..end].windows(2).map(|pair| (pair[0], pair[1])))
        };
        let groups = components(bots, neighbours());
        let exists = groups.count == 1 && strongly_connected(bots, neighbours);
        fit(Problem { loss: self, bots, advantages: 0, exists, groups, start: None }, prior, errors)
    }

    /// Calls `visit` with the range of each order in `order`, its weight and the number of its game.
    fn for_each_order(&self, mut visit: impl FnMut(std::ops::Range<usize>, f64, u32)) {
        let mut start = 0;
        for (end, weight, game) in &self.ends {
            visit(start..*end, *weight, *game);
            start = *end;
        }
    }
}

fn least_common_multiple(one: usize, other: usize) -> usize {
    let (mut divisor, mut rest) = (one, other);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    one / divisor * other
}

/// Returns the strict orders that stand for places that are shared.
fn orders(places: &[Vec<u32>]) -> Vec<Vec<u32>> {
    // All shared places turn together, until each has turned round a whole number of times: only then have all its rotations
    // the same weight. Which rotations meet does not matter, for the chances within a place do not depend on other orders.
    let turns = places.iter().map(Vec::len).fold(1, least_common_multiple);
    if turns == 1 {
        return vec![places.concat()];
    }
    let mut orders = Vec::new();
    for (reversed, turn) in [false, true].into_iter().flat_map(|reversed| (0..turns).map(move |turn| (reversed, turn)))
    {
        let mut order = Vec::new();
        for place in places {
            let mut place = place.clone();
            let by = turn % place.len();
            place.rotate_left(by);
            if reversed {
                place.reverse();
            }
            order.extend(place);
        }
        orders.push(order);
    }
    // Two bots reversed are two bots rotated.
    orders.sort_unstable();
    let all = orders.len();
    let mut single = orders.clone();
    single.dedup();
    if all % single.len() == 0 && orders.chunk_by(|a, b| a == b).all(|same| same.len() == all / single.len()) {
        return single;
    }
    orders
}

impl Loss for PlackettLuce {
    fn move_to(&mut self, point: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        let mut start = 0;
        for (end, weight, _) in &self.ends {
            let range = start..*end;
            start = *end;
            let strengths = || self.order[range.clone()].iter().map(|bot| point[*bot as usize]);
            let largest = strengths().fold(f64::NEG_INFINITY, f64::max);
            for (factor, strength) in self.factors[range.clone()].iter_mut().zip(strengths()) {
                // Those that are far behind the strongest still need a number above 0.
                *factor = libm::exp((strength - largest).max(-700.0));
            }
            let mut sum = 0.0;
            for index in range.clone().rev() {
                sum += self.factors[index];
                self.sums[index] = sum;
            }
            let mut shares = 0.0;
            for index in range.clone() {
                let last = index + 1 == range.end;
                if !last {
                    shares += 1.0 / self.sums[index];
                }
                let won = if last { 0.0 } else { 1.0 };
                gradient[self.order[index] as usize] += weight * (self.factors[index] * shares - won);
            }
        }
    }

    fn multiply(&self, vector: &[f64], product: &mut [f64]) {
        self.for_each_order(|range, weight, _| {
            // At each place: the mean of the vector over those that are left.
            let mut sum = 0.0;
            let mut means = vec![0.0; range.len()];
            for index in range.clone().rev() {
                sum += self.factors[index] * vector[self.order[index] as usize];
                means[index - range.start] = sum / self.sums[index];
            }
            let (mut shares, mut centred) = (0.0, 0.0);
            for index in range.clone() {
                if index + 1 < range.end {
                    shares += 1.0 / self.sums[index];
                    centred += means[index - range.start] / self.sums[index];
                }
                let bot = self.order[index] as usize;
                product[bot] += weight * self.factors[index] * (vector[bot] * shares - centred);
            }
        });
    }

    fn diagonal(&self, diagonal: &mut [f64]) {
        self.for_each_order(|range, weight, _| {
            for place in range.start..range.end - 1 {
                for index in place..range.end {
                    let share = self.factors[index] / self.sums[place];
                    diagonal[self.order[index] as usize] += weight * share * (1.0 - share);
                }
            }
        });
    }

    fn hessian(&self, hessian: &mut Matrix) {
        self.for_each_order(|range, weight, _| {
            for place in range.start..range.end - 1 {
                for one in place..range.end {
                    let (bot, share) = (self.order[one] as usize, self.factors[one] / self.sums[place]);
                    hessian.add(bot, bot, weight * share);
                    for other in place..range.end {
                        let joint = weight * share * self.factors[other] / self.sums[place];
                        hessian.add(bot, self.order[other] as usize, -joint);
                    }
                }
            }
        });
    }
}

impl Scattered for PlackettLuce {
    fn scatter(&self, scatter: &mut Matrix) {
        // The gradient of a game is the sum over all its orders, which are neighbours.
        let mut gradient: Vec<(u32, f64)> = Vec::new();
        let mut add = |gradient: &mut Vec<(u32, f64)>| {
            for (one, part) in gradient.iter() {
                for (other, other_part) in gradient.iter() {
                    scatter.add(*one as usize, *other as usize, part * other_part);
                }
            }
            gradient.clear();
        };
        let mut last = None;
        self.for_each_order(|range, weight, game| {
            if last.replace(game) != Some(game) {
                add(&mut gradient);
            }
            let mut shares = 0.0;
            for index in range.clone() {
                let is_last = index + 1 == range.end;
                shares += if is_last { 0.0 } else { 1.0 / self.sums[index] };
                let won = if is_last { 0.0 } else { 1.0 };
                let (bot, part) = (self.order[index], weight * (self.factors[index] * shares - won));
                match gradient.iter_mut().find(|(known, _)| *known == bot) {
                    Some((_, sum)) => *sum += part,
                    None => gradient.push((bot, part)),
                }
            }
        });
        add(&mut gradient);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_that_share_a_place_are_equal() {
        // Three share the first place and four the second.
        let game: Vec<(u32, u32)> = (0..7).map(|bot| (bot, if bot < 3 { 1 } else { 2 })).collect();
        let fit = PlackettLuce::new(7, [game.as_slice()]).fit(Prior::Always(0.1), Errors::Inverse);
        let fit = fit.expect("a minimum always exists");
        for (bot, first) in [(1, 0), (2, 0), (4, 3), (5, 3), (6, 3)] {
            assert!((fit.strengths[bot] - fit.strengths[first]).abs() < 1e-12, "{:?}", fit.strengths);
            assert!((fit.errors[bot] - fit.errors[first]).abs() < 1e-12, "{:?}", fit.errors);
        }
        assert!(fit.strengths[0] > fit.strengths[3] + 0.1);
    }
}
