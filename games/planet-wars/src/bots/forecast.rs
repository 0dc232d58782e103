//! Predicts the future of each planet if no player gives another order, and its future if ships are added.

use crate::{
    turn::battle,
    view::{Owner, View},
};
use alloc::vec::Vec;

/// A planet at the end of some turn: its ships, and its owner as sent to bots (0 neutral, 1 own, 2 enemy).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Outlook {
    pub owner: i32,
    pub ships: i32,
}

impl Outlook {
    pub fn is_own(self) -> bool {
        self.owner == 1
    }

    /// The value of this planet in ships: positive if it is the bot's own, negative if it is the enemy's, 0 if it is
    /// neutral.
    pub fn worth(self) -> i64 {
        match self.owner {
            1 => self.ships.into(),
            2 => -i64::from(self.ships),
            _ => 0,
        }
    }
}

/// The predicted future of every planet for some turns.
#[derive(Debug, Default)]
pub(super) struct Forecast {
    turns: usize,
    /// For each planet, its state now and after each turn.
    outlooks: Vec<Outlook>,
    /// For each planet, the own ships that were ordered there in this turn, by the turn of their arrival.
    ordered: Vec<i32>,
}

impl Forecast {
    /// Predicts `turns` turns from a view.
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

    /// The planet after `turn` turns. Turn 0 is now, without the ships that were ordered to leave.
    pub fn at(&self, planet: usize, turn: usize) -> Outlook {
        self.outlooks[planet * (self.turns + 1) + turn]
    }

    /// The planet at the end of the forecast.
    pub fn last(&self, planet: usize) -> Outlook {
        self.at(planet, self.turns)
    }

    /// The largest number of ships that may leave an own planet now so that it is not lost by what is known. It is 0
    /// for other planets.
    pub fn spare(&self, planet: usize) -> i32 {
        let row = &self.outlooks[planet * (self.turns + 1)..][..=self.turns];
        if row.iter().all(|o| o.is_own()) { row.iter().map(|o| o.ships).min().unwrap_or(0) } else { 0 }
    }

    /// The planet at the end of the forecast if `ships` own ships also arrive in turn `turn`. If an enemy takes the
    /// planet after that, also the number of ships that this enemy then has there.
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

    /// Notes an own order that is given now.
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
        // Each count stays within a third of the range, so that sums stay within the range, whatever a referee sends.
        let third = i32::MAX / 3;
        let (owner, ships) = battle(now.owner, grown.min(third), own.min(third), enemy.min(third));
        Outlook { owner, ships }
    }
}

/// The IDs of the planets of one owner.
pub(super) fn planets_of(view: View<'_>, owner: Owner) -> impl Iterator<Item = usize> + use<'_> {
    (0..view.planets()).filter(move |p| view.owner(*p) == owner)
}
