//! Blossoms: odd circles of tight edges, which are closed to one group and opened again.

use super::{Label, NONE, Search};

impl Search<'_> {
    fn set_top(&mut self, x: usize, top: usize) {
        self.top[x] = top;
        for i in 0..self.circle[x].len() {
            self.set_top(self.circle[x][i], top);
        }
    }

    /// Turns the circle of a blossom so that an even number of steps leads from its base to `member`, and returns that
    /// number.
    pub(super) fn even_steps(&mut self, blossom: usize, member: usize) -> usize {
        let circle = &mut self.circle[blossom];
        let steps = circle.iter().position(|x| *x == member).expect("a member is on the circle");
        if steps.is_multiple_of(2) {
            return steps;
        }
        circle[1..].reverse();
        circle.len() - steps
    }

    /// Appends the groups from `x` up to `ancestor`, without it, to the circle of a blossom.
    fn append_path(&mut self, blossom: usize, mut x: usize, ancestor: usize) {
        while x != ancestor {
            let inner = self.top[self.partner[x]];
            self.circle[blossom].extend([x, inner]);
            self.enqueue(inner);
            x = self.top[self.parent[inner]];
        }
    }

    /// Makes a blossom of the circle that the edge between `x` and `y` closes below `ancestor`.
    pub(super) fn close_circle(&mut self, x: usize, ancestor: usize, y: usize) {
        let blossom = (self.n + 1..=self.used).find(|b| self.top[*b] == NONE).unwrap_or(self.used + 1);
        self.used = self.used.max(blossom);
        self.dual[blossom] = 0;
        self.label[blossom] = Label::Outer;
        self.partner[blossom] = self.partner[ancestor];
        self.parent[blossom] = self.parent[ancestor];
        self.circle[blossom] = vec![ancestor];
        self.append_path(blossom, x, ancestor);
        self.circle[blossom][1..].reverse();
        self.append_path(blossom, y, ancestor);
        self.set_top(blossom, blossom);
        for other in 1..=self.used {
            self.edges[blossom * self.width + other] = (0, 0);
            self.edges[other * self.width + blossom] = (0, 0);
        }
        let row = blossom * (self.n + 1);
        self.member[row..=row + self.n].fill(0);
        for member in self.circle[blossom].clone() {
            for other in 1..=self.used {
                let new = self.edge(member, other);
                if new.0 == NONE {
                    continue;
                }
                let old = self.edge(blossom, other);
                if old.0 == NONE || self.excess(new) < self.excess(old) {
                    self.edges[blossom * self.width + other] = (new.0 as u32, new.1 as u32);
                    self.edges[other * self.width + blossom] = (new.1 as u32, new.0 as u32);
                }
            }
            for vertex in 1..=self.n {
                if self.member(member, vertex) != NONE {
                    self.member[row + vertex] = member as u32;
                }
            }
        }
        self.find_nearest(blossom);
    }

    /// Opens an inner blossom: its members take its place in the tree, or leave the tree.
    pub(super) fn open(&mut self, blossom: usize) {
        for member in self.circle[blossom].clone() {
            self.set_top(member, member);
        }
        let (entry, _) = self.edge(blossom, self.parent[blossom]);
        let entry = self.member(blossom, entry);
        let steps = self.even_steps(blossom, entry);
        let circle = std::mem::take(&mut self.circle[blossom]);
        for pair in circle[..steps].chunks(2) {
            let (inner, outer) = (pair[0], pair[1]);
            self.parent[inner] = self.edge(outer, inner).0;
            self.label[inner] = Label::Inner;
            self.label[outer] = Label::Outer;
            self.nearest[inner] = NONE;
            self.find_nearest(outer);
            self.enqueue(outer);
        }
        self.label[entry] = Label::Inner;
        self.parent[entry] = self.parent[blossom];
        for member in &circle[steps + 1..] {
            self.label[*member] = Label::Free;
            self.find_nearest(*member);
        }
        self.top[blossom] = NONE;
    }
}
