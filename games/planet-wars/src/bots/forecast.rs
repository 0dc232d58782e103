//! What becomes of each planet if nobody gives another order, and what becomes of it if ships are added.

use crate::{
    turn::battle,
    view::{Owner, View},
};
use alloc::vec::Vec;

/// A planet at the end of some turn: owner as sent to bots (0 neutral, 1 own, 2 enemy) and ships.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Outlook {
    pub owner: i32,
    pub ships: i32,
}

impl Outlook {
    pub fn is_own(self) -> bool {
        self.owner == 1
    }

    /// What this planet counts in ships: for us, against us, or nothing.
    pub fn worth(self) -> i64 {
        match self.owner {
            1 => self.ships.into(),
            2 => -i64::from(self.ships),
            _ => 0,
        }
    }
}

/// The outlook of every planet for some turns.
#[derive(Debug, Default)]
pub(super) struct Forecast {
    turns: usize,
    /// For each planet the state now and after each turn.
    outlooks: Vec<Outlook>,
    /// For each planet our ships ordered in this turn, by the turn of their arrival.
    ordered: Vec<i32>,
}

impl Forecast {
    /// Looks `turns` ahead of a view.
    pub fn look(&mut self, view: View<'_>, turns: usize) {
        self.turns = turns;
        let size = view.planets() * (turns + 1);
        self.outlooks.clear();
        self.outlooks.resize(size, Outlook::default());
        self.ordered.clear();
        self.ordered.resize(size, 0);
        for planet in 0..view.planets() {
            let owner = view.owner(planet).number().into();
            self.outlooks[planet * (turns + 1)] = Outlook { owner, ships: view.ships(planet) };
            self.update(view, planet);
        }
    }

    /// The planet after `turn` turns; 0 is now, with the ships that were ordered away gone.
    pub fn at(&self, planet: usize, turn: usize) -> Outlook {
        self.outlooks[planet * (self.turns + 1) + turn]
    }

    /// The planet at the end of the time that is looked at.
    pub fn last(&self, planet: usize) -> Outlook {
        self.at(planet, self.turns)
    }

    /// The most ships that may leave an own planet now without its being lost by what is known; 0 for others.
    pub fn spare(&self, planet: usize) -> i32 {
        let row = &self.outlooks[planet * (self.turns + 1)..][..=self.turns];
        if row.iter().all(|o| o.is_own()) { row.iter().map(|o| o.ships).min().unwrap_or(0) } else { 0 }
    }

    /// The end if `ships` of ours arrived in turn `turn` too, and the ships that an enemy who takes the planet after
    /// that had left when it did.
    pub fn with_help(&self, view: View<'_>, planet: usize, ships: i32, turn: usize) -> (Outlook, Option<i32>) {
        let mut now = self.at(planet, turn - 1);
        let mut lost = None;
        for t in turn..=self.turns {
            let help = if t == turn { ships } else { 0 };
            let next = self.step(view, planet, now, t, help);
            if t >= turn && !next.is_own() && lost.is_none() {
                lost = Some(next.ships);
            }
            now = next;
        }
        (now, lost)
    }

    /// Notes an order of ours that is given now.
    pub fn order(&mut self, view: View<'_>, source: usize, destination: usize, ships: i32) {
        let row = self.turns + 1;
        self.outlooks[source * row].ships -= ships;
        self.update(view, source);
        let trip = view.trip(source, destination).max(1) as usize;
        if trip <= self.turns {
            self.ordered[destination * row + trip] += ships;
            self.update(view, destination);
        }
    }

    fn update(&mut self, view: View<'_>, planet: usize) {
        let start = planet * (self.turns + 1);
        let mut now = self.outlooks[start];
        for turn in 1..=self.turns {
            now = self.step(view, planet, now, turn, 0);
            self.outlooks[start + turn] = now;
        }
    }

    #[inline]
    fn step(&self, view: View<'_>, planet: usize, now: Outlook, turn: usize, help: i32) -> Outlook {
        let (own, enemy) = view.arriving(planet, turn);
        let own = own.saturating_add(self.ordered[planet * (self.turns + 1) + turn]).saturating_add(help);
        let growth = if now.owner == 0 { 0 } else { view.growth(planet) };
        let grown = now.ships.saturating_add(growth);
        if own | enemy == 0 {
            return Outlook { ships: grown, ..now };
        }
        // A third of the range each, so that sums stay in it whatever a referee has sent.
        let third = i32::MAX / 3;
        let (owner, ships) = battle(now.owner, grown.min(third), own.min(third), enemy.min(third));
        Outlook { owner, ships }
    }
}

/// The planets of one owner.
pub(super) fn planets_of(view: View<'_>, owner: Owner) -> impl Iterator<Item = usize> + use<'_> {
    (0..view.planets()).filter(move |p| view.owner(*p) == owner)
}
