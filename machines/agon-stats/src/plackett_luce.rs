//! Games of more than two bots: the model of R. L. Plackett (1975) and R. D. Luce (1959).
//!
//! The places of a game are drawn one after the other: each time, a bot comes next with a probability in proportion to the
//! exponential of its strength among those that are left. With two bots it is the model of Bradley and Terry. Bots that share a
//! place are taken in every rotation of their order and its reverse, each with the same weight, so that a draw of two counts as
//! half a win for both, and one of three as all six orders.

use crate::{
    errors::{Errors, drawn_share},
    fit::{Fit, Prior, Problem, Scattered, fit},
    graph::{Link, compared},
    matrix::Matrix,
    newton::Loss,
};
use std::ops::Range;

/// The games of a league, by place.
#[derive(Clone, PartialEq, Debug)]
pub struct PlackettLuce {
    bots: usize,
    /// The bots of all orders, one order after the other.
    order: Vec<u32>,
    orders: Vec<Order>,
    /// At the current point: for each place of `order`, the exponential of the strength within its order, and the sum of those
    /// from there to the end.
    factors: Vec<f64>,
    sums: Vec<f64>,
}

/// An order of bots, of which the first ones are drawn.
#[derive(Clone, PartialEq, Debug)]
struct Order {
    /// Where its bots are in the list of all orders.
    range: Range<usize>,
    /// Where those that are drawn end.
    drawn: usize,
    weight: f64,
    /// The number of its game.
    game: u32,
}

impl PlackettLuce {
    /// Takes the games of a league. A game is a list of bots with their places; a smaller place is better. Bots that do not exist
    /// and repetitions of a bot in a game are left out, and so are games of fewer than two bots.
    #[must_use]
    pub fn new<'a>(bots: usize, games: impl IntoIterator<Item = &'a [(u32, u32)]>) -> Self {
        let (mut order, mut all) = (Vec::new(), Vec::new());
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
            for (bots, draws, weight) in orders(&places) {
                let start = order.len();
                order.extend(bots);
                all.push(Order { range: start..order.len(), drawn: start + draws, weight, game: number });
            }
        }
        let count = order.len();
        Self { bots, order, orders: all, factors: vec![0.0; count], sums: vec![0.0; count] }
    }

    /// Fits strengths. `None` if [`Prior::Never`] was asked for and no maximum exists, if a prior is not above 0, or if 300
    /// steps of the search do not find the maximum.
    #[must_use]
    pub fn fit(&mut self, prior: Prior, errors: Errors) -> Option<Fit> {
        let bots = self.bots;
        let (order, orders) = (&self.order, &self.orders);
        // Whoever is before another one has scored against it; neighbours are enough to find all paths.
        let links = || {
            orders.iter().flat_map(|own| order[own.range.clone()].windows(2)).map(|pair| Link {
                one: pair[0],
                other: pair[1],
                there: true,
                back: false,
            })
        };
        let (groups, exists) = compared(bots, links);
        fit(Problem { loss: self, bots, advantages: 0, exists, groups, start: None }, prior, errors)
    }
}

/// Returns what stands for the places of a game: orders of bots, of each the number of bots that are drawn in it, and its weight.
/// Those after them are only passed over. What is drawn for a place does not depend on the orders of other places, so each shared
/// place has orders of its own.
fn orders(places: &[Vec<u32>]) -> Vec<(Vec<u32>, usize, f64)> {
    let mut orders = Vec::new();
    let mut start = 0;
    for run in places.chunk_by(|a, b| a.len() == 1 && b.len() == 1) {
        let later = places[start + run.len()..].concat();
        start += run.len();
        let drawn = run.concat();
        // The last one of all is no choice.
        let draws = drawn.len() - usize::from(later.is_empty());
        let turned = if let [shared] = run { turned(shared) } else { vec![drawn] };
        let weight = 1.0 / turned.len() as f64;
        orders.extend(turned.into_iter().map(|order| ([order, later.clone()].concat(), draws, weight)));
    }
    orders.retain(|(_, draws, _)| *draws > 0);
    orders
}

/// Returns all rotations of a shared place and of its reverse.
fn turned(place: &[u32]) -> Vec<Vec<u32>> {
    let mut orders = Vec::new();
    for by in 0..place.len() {
        let mut order = place.to_vec();
        order.rotate_left(by);
        orders.push(order.clone());
        order.reverse();
        orders.push(order);
    }
    // Two bots reversed are two bots rotated, and one is always the same.
    orders.sort_unstable();
    orders.dedup();
    orders
}

impl Loss for PlackettLuce {
    fn move_to(&mut self, point: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        for Order { range, drawn, weight, .. } in &self.orders {
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
                let won = if index < *drawn { 1.0 } else { 0.0 };
                shares += won / self.sums[index];
                gradient[self.order[index] as usize] += weight * (self.factors[index] * shares - won);
            }
        }
    }

    fn multiply(&self, vector: &[f64], product: &mut [f64]) {
        for Order { range, drawn, weight, .. } in &self.orders {
            // At each place: the mean of the vector over those that are left.
            let mut sum = 0.0;
            let mut means = vec![0.0; range.len()];
            for index in range.clone().rev() {
                sum += self.factors[index] * vector[self.order[index] as usize];
                means[index - range.start] = sum / self.sums[index];
            }
            let (mut shares, mut centred) = (0.0, 0.0);
            for index in range.clone() {
                if index < *drawn {
                    shares += 1.0 / self.sums[index];
                    centred += means[index - range.start] / self.sums[index];
                }
                let bot = self.order[index] as usize;
                product[bot] += weight * self.factors[index] * (vector[bot] * shares - centred);
            }
        }
    }

    fn diagonal(&self, diagonal: &mut [f64]) {
        for Order { range, drawn, weight, .. } in &self.orders {
            for place in range.start..*drawn {
                for index in place..range.end {
                    let share = self.factors[index] / self.sums[place];
                    diagonal[self.order[index] as usize] += weight * share * (1.0 - share);
                }
            }
        }
    }

    fn hessian(&self, hessian: &mut Matrix) {
        for order in &self.orders {
            self.add_curvature(order, 1.0, hessian);
        }
    }
}

impl PlackettLuce {
    /// Adds the curvature of an order, this many times. It is how much the model expects its gradient to vary.
    fn add_curvature(&self, order: &Order, times: f64, matrix: &mut Matrix) {
        let Order { range, drawn, weight, .. } = order;
        let weight = times * weight;
        for place in range.start..*drawn {
            for one in place..range.end {
                let (bot, share) = (self.order[one] as usize, self.factors[one] / self.sums[place]);
                matrix.add(bot, bot, weight * share);
                for other in place..range.end {
                    let joint = weight * share * self.factors[other] / self.sums[place];
                    matrix.add(bot, self.order[other] as usize, -joint);
                }
            }
        }
    }

    /// Returns how many games each bot has played.
    fn games(&self) -> Vec<f64> {
        let mut games = vec![0.0; self.bots];
        // All bots of a game are in its first order.
        for same in self.orders.chunk_by(|a, b| a.game == b.game) {
            self.order[same[0].range.clone()].iter().for_each(|bot| games[*bot as usize] += 1.0);
        }
        games
    }
}

impl Scattered for PlackettLuce {
    fn scatter(&self, modelled: &dyn Fn(u32) -> bool, decided: f64, scatter: &mut Matrix) {
        let games = self.games();
        // The gradient of a game is the sum over all its orders, which are neighbours.
        let mut gradient: Vec<(u32, f64)> = Vec::new();
        for orders in self.orders.chunk_by(|a, b| a.game == b.game) {
            if modelled(self.order[orders[0].range.start]) {
                orders.iter().for_each(|order| self.add_curvature(order, 1.0, scatter));
                continue;
            }
            gradient.clear();
            for order in orders {
                let Order { range, drawn, weight, .. } = order;
                let mut shares = 0.0;
                for index in range.clone() {
                    let won = if index < *drawn { 1.0 } else { 0.0 };
                    shares += won / self.sums[index];
                    let (bot, part) = (self.order[index], weight * (self.factors[index] * shares - won));
                    match gradient.iter_mut().find(|(known, _)| *known == bot) {
                        Some((_, sum)) => *sum += part,
                        None => gradient.push((bot, part)),
                    }
                }
                // Only a shared place has several orders, each with a part of the weight.
                if *weight < 1.0 {
                    let fewest =
                        self.order[range.clone()].iter().map(|bot| games[*bot as usize]).fold(f64::MAX, f64::min);
                    self.add_curvature(order, drawn_share(decided, fewest), scatter);
                }
            }
            for (one, part) in &gradient {
                for (other, other_part) in &gradient {
                    scatter.add(*one as usize, *other as usize, part * other_part);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_places_count_as_all_their_orders() {
        // One game with a draw of two and one of three is the average of twelve games without a draw.
        let shared = [(0, 1), (1, 1), (2, 2), (3, 3), (4, 3), (5, 3)];
        let mut strict: Vec<Vec<(u32, u32)>> = Vec::new();
        for first in [[0, 1], [1, 0]] {
            for last in [[3, 4, 5], [3, 5, 4], [4, 3, 5], [4, 5, 3], [5, 3, 4], [5, 4, 3]] {
                let order = first.into_iter().chain([2]).chain(last);
                strict.push(order.zip(1..).collect());
            }
        }
        let one = PlackettLuce::new(6, [&shared[..]]).fit(Prior::Always(0.1), Errors::Inverse);
        let twelve = PlackettLuce::new(6, strict.iter().map(Vec::as_slice)).fit(Prior::Always(1.2), Errors::Inverse);
        let (one, twelve) = (one.expect("a minimum always exists"), twelve.expect("a minimum always exists"));
        for bot in 0..6 {
            assert!((one.strengths[bot] - twelve.strengths[bot]).abs() < 1e-12, "{one:?} {twelve:?}");
            assert!((one.errors[bot] - 12.0_f64.sqrt() * twelve.errors[bot]).abs() < 1e-12, "{one:?} {twelve:?}");
        }
    }

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
