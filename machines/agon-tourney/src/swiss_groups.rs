//! A round of a Swiss tournament in a game for more than two.
//!
//! To find the best groups is hard in general (it contains three-dimensional matching). With few bots, all ways are
//! compared. With more, an iterated local search exchanges bots between groups. What it finds is good, but nothing
//! proves that it is the best.

use crate::swiss::Field;
use agon_core::{Rng, Seed};

/// The most ways to form groups that are all compared: up to 9 bots in groups of 3, and 12 in groups of 4.
const MOST_WAYS: u128 = 20_000;

/// Returns the best groups of `seats` bots, in the order of the table, and who has a bye.
pub(crate) fn cheapest_groups(field: &Field, seats: u32, seed: Seed) -> (Vec<Vec<usize>>, Vec<usize>) {
    let n = field.players.len();
    let seats = seats as usize;
    let mut found = match ways(n, seats) {
        Some(ways) if ways <= MOST_WAYS => {
            let mut search = Exhaustive { field, seats, groups: Vec::new(), best: None };
            search.choose_byes(&mut (0..n).collect(), &mut Vec::new(), n, 0);
            search.best.map(|(_, found)| found).unwrap_or_default()
        }
        _ => local(field, seats, seed),
    };
    for group in &mut found.0 {
        group.sort_unstable();
    }
    found.0.sort();
    found.1.sort_unstable();
    found
}

/// Returns in how many ways `n` bots form groups. `None` if it exceeds 128 bits.
fn ways(n: usize, seats: usize) -> Option<u128> {
    let factorial = |n: usize| (1..=n as u128).try_fold(1_u128, u128::checked_mul);
    let (groups, byes) = (n / seats, n % seats);
    let mut equal = factorial(groups)?.checked_mul(factorial(byes)?)?;
    for _ in 0..groups {
        equal = equal.checked_mul(factorial(seats)?)?;
    }
    Some(factorial(n)? / equal)
}

/// Returns the cost of a group: of all its meetings, and of how far its strength is from even.
fn group_cost(field: &Field, group: &[usize]) -> i128 {
    let mut cost = (group.iter().sum::<usize>() as i128).pow(2);
    for (i, a) in group.iter().enumerate() {
        cost += group[..i].iter().map(|b| field.meeting(*a, *b)).sum::<i128>();
    }
    cost
}

type Groups = (Vec<Vec<usize>>, Vec<usize>);

/// Compares all ways to form groups.
struct Exhaustive<'a> {
    field: &'a Field,
    seats: usize,
    groups: Vec<Vec<usize>>,
    best: Option<(i128, Groups)>,
}

impl Exhaustive<'_> {
    /// Tries every set of byes among the bots before `end`.
    fn choose_byes(&mut self, free: &mut Vec<usize>, byes: &mut Vec<usize>, end: usize, cost: i128) {
        if free.len().is_multiple_of(self.seats) {
            self.choose_groups(free, byes, cost);
            return;
        }
        for i in (0..end.min(free.len())).rev() {
            let bot = free.remove(i);
            byes.push(bot);
            self.choose_byes(free, byes, i, cost + self.field.bye(bot));
            byes.pop();
            free.insert(i, bot);
        }
    }

    /// Tries every group of the first free bot.
    fn choose_groups(&mut self, free: &[usize], byes: &[usize], cost: i128) {
        if self.best.as_ref().is_some_and(|(best, _)| cost >= *best) {
            return;
        }
        let Some((first, others)) = free.split_first() else {
            self.best = Some((cost, (self.groups.clone(), byes.to_vec())));
            return;
        };
        let mut chosen: Vec<u32> = (0..self.seats as u32 - 1).collect();
        loop {
            let mut group = vec![*first];
            group.extend(chosen.iter().map(|i| others[*i as usize]));
            let rest: Vec<usize> = others.iter().copied().filter(|bot| !group.contains(bot)).collect();
            let cost = cost + group_cost(self.field, &group);
            self.groups.push(group);
            self.choose_groups(&rest, byes, cost);
            self.groups.pop();
            if !crate::round_robin::next_combination(&mut chosen, others.len() as u32) {
                return;
            }
        }
    }
}

/// Forms groups along the table, and exchanges bots for as long as that lowers the cost. Then shakes the best groups
/// found so far and exchanges again.
fn local(field: &Field, seats: usize, seed: Seed) -> Groups {
    let n = field.players.len();
    let mut order: Vec<usize> = (0..n).collect();
    // The cheapest byes: the lowest in the table among those with the fewest byes.
    order.sort_by_key(|bot| std::cmp::Reverse(field.bye(*bot)));
    let byes = order.split_off(n - n % seats);
    order.sort_unstable();
    let mut best = Arrangement::new(field, order, byes, seats);
    best.improve();
    let mut rng = Rng::new(seed);
    for attempt in 0..(EXCHANGES / (n * n)).clamp(4, 300) {
        if attempt >= 20 && !field.repeats(best.cost()) {
            break;
        }
        let mut shaken = best.clone();
        shaken.shake(&mut rng);
        shaken.improve();
        if shaken.cost() <= best.cost() {
            best = shaken;
        }
    }
    let groups = best.order.chunks(seats).map(<[usize]>::to_vec).collect();
    (groups, best.byes)
}

/// About how many exchanges the search tries in all.
const EXCHANGES: usize = 4_000_000;

/// Groups, one after the other, with their costs.
#[derive(Clone)]
struct Arrangement<'a> {
    field: &'a Field,
    seats: usize,
    order: Vec<usize>,
    byes: Vec<usize>,
    costs: Vec<i128>,
}

impl<'a> Arrangement<'a> {
    fn new(field: &'a Field, order: Vec<usize>, byes: Vec<usize>, seats: usize) -> Self {
        let costs = order.chunks(seats).map(|group| group_cost(field, group)).collect();
        Self { field, seats, order, byes, costs }
    }

    fn cost(&self) -> i128 {
        self.costs.iter().sum::<i128>() + self.byes.iter().map(|bot| self.field.bye(*bot)).sum::<i128>()
    }

    fn group_cost(&self, group: usize) -> i128 {
        group_cost(self.field, &self.order[group * self.seats..][..self.seats])
    }

    /// Exchanges two bots of different groups. Returns the new costs of the groups.
    fn exchange(&mut self, a: usize, b: usize) -> (i128, i128) {
        self.order.swap(a, b);
        (self.group_cost(a / self.seats), self.group_cost(b / self.seats))
    }

    /// Exchanges bots until no exchange of two lowers the cost.
    fn improve(&mut self) {
        let mut improved = true;
        while improved {
            improved = false;
            for a in 0..self.order.len() {
                let one = a / self.seats;
                for b in (one + 1) * self.seats..self.order.len() {
                    let other = b / self.seats;
                    let (left, right) = self.exchange(a, b);
                    if left + right < self.costs[one] + self.costs[other] {
                        (self.costs[one], self.costs[other]) = (left, right);
                        improved = true;
                    } else {
                        self.order.swap(a, b);
                    }
                }
                for bye in 0..self.byes.len() {
                    let before = self.costs[one] + self.field.bye(self.byes[bye]);
                    std::mem::swap(&mut self.byes[bye], &mut self.order[a]);
                    let cost = self.group_cost(one);
                    if cost + self.field.bye(self.byes[bye]) < before {
                        self.costs[one] = cost;
                        improved = true;
                    } else {
                        std::mem::swap(&mut self.byes[bye], &mut self.order[a]);
                    }
                }
            }
        }
    }

    /// Exchanges a few bots at random, one of them from the most expensive group.
    fn shake(&mut self, rng: &mut Rng) {
        let worst = (0..self.costs.len()).max_by_key(|group| self.costs[*group]).unwrap_or(0);
        for step in 0..2 + rng.index(4) {
            let a = if step == 0 { worst * self.seats + rng.index(self.seats) } else { rng.index(self.order.len()) };
            let b = rng.index(self.order.len());
            let (one, other) = (a / self.seats, b / self.seats);
            if one != other {
                (self.costs[one], self.costs[other]) = self.exchange(a, b);
            }
        }
    }
}
