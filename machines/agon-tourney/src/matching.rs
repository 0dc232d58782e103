//! The cheapest way to put everybody into pairs.
//!
//! Edmonds' blossom method (1965) with dual variables, in n³ steps as Gabow (1974) arranged it. The search grows
//! alternating trees from all single vertices at once. A tree has *outer* vertices, which may still change their
//! partner, and *inner* ones between them. An odd circle of tight edges becomes a *blossom*, which acts as one vertex
//! until it is opened again. Numbers are exact, so the result is optimal; a test compares it with a search of all
//! pairings.

mod blossom;

use std::collections::VecDeque;

/// No vertex. Vertices and blossoms count from 1 in this module.
const NONE: usize = 0;

/// The part of a vertex in the alternating trees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Label {
    Free,
    Outer,
    Inner,
}

/// Returns the partner of each vertex in the pairing with the smallest sum of costs. The matrix of costs is symmetric
/// with an even number of rows; its diagonal does not matter. Costs are at most 2^120 from zero.
pub(crate) fn cheapest_pairing(costs: &[Vec<i128>]) -> Vec<usize> {
    debug_assert!(costs.len().is_multiple_of(2), "an odd number cannot be paired");
    let mut search = Search::new(costs);
    while search.single() != NONE {
        search.augment_once();
    }
    (1..=search.n).map(|vertex| search.partner[vertex] - 1).collect()
}

/// The state of the search. Numbers above `n` are blossoms.
struct Search<'a> {
    costs: &'a [Vec<i128>],
    n: usize,
    /// The number of vertices and of blossoms that have ever been in use.
    used: usize,
    width: usize,
    /// For two groups, the cheapest known edge between them, as its end in each. Row by row; `NONE` for no edge.
    edges: Vec<(u32, u32)>,
    /// The dual variable of each vertex, and twice that of each blossom.
    dual: Vec<i128>,
    /// The vertex at the other end of the matched edge.
    partner: Vec<usize>,
    /// The outermost blossom of a vertex or a blossom. `NONE` for a blossom that is not in use.
    top: Vec<usize>,
    label: Vec<Label>,
    /// The outer vertex from which an inner group was reached.
    parent: Vec<usize>,
    /// The outer vertex with the cheapest edge to the group.
    nearest: Vec<usize>,
    /// The members of each blossom, around its circle, beginning with its base.
    circle: Vec<Vec<usize>>,
    /// For a blossom and a vertex in it, the member that contains the vertex.
    member: Vec<u32>,
    /// When a group was last passed in the search for a common ancestor.
    passed: Vec<u64>,
    now: u64,
    queue: VecDeque<usize>,
}

impl<'a> Search<'a> {
    fn new(costs: &'a [Vec<i128>]) -> Self {
        let n = costs.len();
        // At most n/2 blossoms are in use at a time.
        let width = n + n / 2 + 2;
        let lowest = (0..n).flat_map(|u| (0..u).map(move |v| costs[u][v])).min().unwrap_or(0);
        let mut search = Self {
            costs,
            n,
            used: n,
            width,
            edges: vec![(0, 0); width * width],
            dual: vec![0; width],
            partner: vec![NONE; width],
            top: vec![NONE; width],
            label: vec![Label::Free; width],
            parent: vec![NONE; width],
            nearest: vec![NONE; width],
            circle: vec![Vec::new(); width],
            member: vec![0; width * (n + 1)],
            passed: vec![0; width],
            now: 0,
            queue: VecDeque::new(),
        };
        for u in 1..=n {
            search.top[u] = u;
            search.dual[u] = lowest;
            search.member[u * (n + 1) + u] = u as u32;
            for v in (1..=n).filter(|v| *v != u) {
                search.edges[u * width + v] = (u as u32, v as u32);
            }
        }
        search
    }

    /// Returns a vertex or an outermost blossom without a partner.
    fn single(&self) -> usize {
        (1..=self.used).find(|x| self.top[*x] == *x && self.partner[*x] == NONE).unwrap_or(NONE)
    }

    /// Returns the ends of the cheapest edge between two groups, the one in `x` first.
    fn edge(&self, x: usize, y: usize) -> (usize, usize) {
        let (u, v) = self.edges[x * self.width + y];
        (u as usize, v as usize)
    }

    /// Returns twice the cost of an edge beyond the duals of its ends. It is 0 for a tight edge, and never negative
    /// between different outermost groups.
    fn excess(&self, (u, v): (usize, usize)) -> i128 {
        2 * self.costs[u - 1][v - 1] - self.dual[u] - self.dual[v]
    }

    fn member(&self, blossom: usize, vertex: usize) -> usize {
        self.member[blossom * (self.n + 1) + vertex] as usize
    }

    /// Returns the outermost groups.
    fn tops(&self) -> impl Iterator<Item = usize> {
        (1..=self.used).filter(|x| self.top[*x] == *x)
    }

    /// Remembers `u` as the end of the cheapest edge from an outer vertex to the group `x`.
    fn offer(&mut self, u: usize, x: usize) {
        let known = self.nearest[x];
        if known == NONE || self.excess(self.edge(u, x)) < self.excess(self.edge(known, x)) {
            self.nearest[x] = u;
        }
    }

    fn find_nearest(&mut self, x: usize) {
        self.nearest[x] = NONE;
        for u in 1..=self.n {
            if self.top[u] != x && self.label[self.top[u]] == Label::Outer {
                self.offer(u, x);
            }
        }
    }

    /// Queues all vertices of a group.
    fn enqueue(&mut self, x: usize) {
        if x <= self.n {
            self.queue.push_back(x);
        } else {
            for member in self.circle[x].clone() {
                self.enqueue(member);
            }
        }
    }

    /// Matches the group `x` along its edge to `y`, and the members of a blossom accordingly.
    fn marry(&mut self, x: usize, y: usize) {
        let (u, v) = self.edge(x, y);
        self.partner[x] = v;
        if x <= self.n {
            return;
        }
        let entry = self.member(x, u);
        let steps = self.even_steps(x, entry);
        for i in 0..steps {
            let (one, other) = (self.circle[x][i], self.circle[x][i ^ 1]);
            self.marry(one, other);
        }
        self.marry(entry, y);
        self.circle[x].rotate_left(steps);
    }

    /// Exchanges matched and other edges from `x`, which gets the partner `y`, up to the root of its tree.
    fn augment(&mut self, mut x: usize, mut y: usize) {
        loop {
            let before = self.top[self.partner[x]];
            self.marry(x, y);
            if before == NONE {
                return;
            }
            let above = self.top[self.parent[before]];
            self.marry(before, above);
            (x, y) = (above, before);
        }
    }

    /// Returns the lowest outer group above both. `NONE` if they are in different trees.
    fn common_ancestor(&mut self, mut x: usize, mut y: usize) -> usize {
        self.now += 1;
        while x != NONE || y != NONE {
            if x != NONE {
                if self.passed[x] == self.now {
                    return x;
                }
                self.passed[x] = self.now;
                x = self.top[self.partner[x]];
                if x != NONE {
                    x = self.top[self.parent[x]];
                }
            }
            std::mem::swap(&mut x, &mut y);
        }
        NONE
    }

    /// Follows a tight edge from an outer vertex. Returns whether two trees have met, so that there is one more pair.
    fn follow(&mut self, (u, v): (usize, usize)) -> bool {
        let (x, y) = (self.top[u], self.top[v]);
        match self.label[y] {
            Label::Free => {
                self.parent[y] = u;
                self.label[y] = Label::Inner;
                let next = self.top[self.partner[y]];
                self.nearest[y] = NONE;
                self.nearest[next] = NONE;
                self.label[next] = Label::Outer;
                self.enqueue(next);
                false
            }
            Label::Outer => {
                let ancestor = self.common_ancestor(x, y);
                if ancestor == NONE {
                    self.augment(x, y);
                    self.augment(y, x);
                    return true;
                }
                self.close_circle(x, ancestor, y);
                false
            }
            Label::Inner => false,
        }
    }

    /// Grows the trees and changes the duals until there is one more pair.
    fn augment_once(&mut self) {
        self.label[1..].fill(Label::Free);
        self.nearest[1..].fill(NONE);
        self.queue.clear();
        for x in self.tops().collect::<Vec<_>>() {
            if self.partner[x] == NONE {
                self.parent[x] = NONE;
                self.label[x] = Label::Outer;
                self.enqueue(x);
            }
        }
        loop {
            while let Some(u) = self.queue.pop_front() {
                if self.label[self.top[u]] == Label::Inner {
                    continue;
                }
                for v in 1..=self.n {
                    if self.top[u] == self.top[v] {
                        continue;
                    }
                    if self.excess((u, v)) > 0 {
                        self.offer(u, self.top[v]);
                    } else if self.follow((u, v)) {
                        return;
                    }
                }
            }
            if self.change_duals() {
                return;
            }
        }
    }

    /// Changes the duals until an edge becomes tight or a blossom can be opened. Returns whether there is another pair.
    fn change_duals(&mut self) -> bool {
        let mut step = i128::MAX;
        for x in self.tops() {
            if x > self.n && self.label[x] == Label::Inner {
                step = step.min(self.dual[x] / 2);
            }
            if self.nearest[x] != NONE {
                let excess = self.excess(self.edge(self.nearest[x], x));
                match self.label[x] {
                    Label::Free => step = step.min(excess),
                    // Both ends grow. Outer duals are all even or all odd, so the half is exact.
                    Label::Outer => step = step.min(excess / 2),
                    Label::Inner => {}
                }
            }
        }
        for vertex in 1..=self.n {
            match self.label[self.top[vertex]] {
                Label::Outer => self.dual[vertex] += step,
                Label::Inner => self.dual[vertex] -= step,
                Label::Free => {}
            }
        }
        for blossom in (self.n + 1..=self.used).filter(|b| self.top[*b] == *b).collect::<Vec<_>>() {
            match self.label[blossom] {
                Label::Outer => self.dual[blossom] += 2 * step,
                Label::Inner => self.dual[blossom] -= 2 * step,
                Label::Free => {}
            }
        }
        for x in 1..=self.used {
            let u = self.nearest[x];
            if self.top[x] == x && u != NONE && self.top[u] != x {
                let edge = self.edge(u, x);
                if self.excess(edge) == 0 && self.follow(edge) {
                    return true;
                }
            }
        }
        for blossom in self.n + 1..=self.used {
            if self.top[blossom] == blossom && self.label[blossom] == Label::Inner && self.dual[blossom] == 0 {
                self.open(blossom);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the smallest sum of costs, found by trying all pairings.
    fn smallest_sum(costs: &[Vec<i128>], free: &mut Vec<usize>) -> i128 {
        let Some(one) = free.pop() else { return 0 };
        let best = (0..free.len())
            .map(|i| {
                let other = free.remove(i);
                let sum = costs[one][other] + smallest_sum(costs, free);
                free.insert(i, other);
                sum
            })
            .min();
        free.push(one);
        best.unwrap_or(0)
    }

    fn symmetric(half: usize, numbers: &[i128]) -> Vec<Vec<i128>> {
        let n = 2 * half;
        let mut numbers = numbers.iter().cycle();
        let mut costs = vec![vec![0; n]; n];
        for (u, v) in (0..n).flat_map(|u| (0..u).map(move |v| (u, v))) {
            costs[u][v] = *numbers.next().expect("a cycle has no end");
            costs[v][u] = costs[u][v];
        }
        costs
    }

    fn check(costs: &[Vec<i128>]) {
        let n = costs.len();
        let partners = cheapest_pairing(costs);
        assert!((0..n).all(|u| partners[u] != u && partners[partners[u]] == u), "{partners:?}");
        let sum = (0..n).map(|u| costs[u][partners[u]]).sum::<i128>() / 2;
        assert_eq!(sum, smallest_sum(costs, &mut (0..n).collect()), "{costs:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn no_pairing_is_cheaper(half in 1_usize..6, numbers in prop::collection::vec(-30_i128..30, 45)) {
            check(&symmetric(half, &numbers));
        }

        // With few different costs, many edges are tight, and blossoms lie within blossoms.
        #[test]
        fn no_pairing_is_cheaper_among_equals(half in 2_usize..6, numbers in prop::collection::vec(0_i128..3, 45)) {
            check(&symmetric(half, &numbers));
        }
    }
}
