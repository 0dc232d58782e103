//! How a match would go on if all other players did nothing. A planner compares its tours by this.

use super::atlas::is_crossed;
use crate::{
    View,
    board::{Board, LightSet, MAX_LIGHTS, above, members},
    rules::DECAY,
};

/// The number of rounds ahead for which points are counted.
pub(super) const HORIZON: u32 = 30;

/// The assumed loss of a lighthouse in each round: the decay, and some more because others attack it.
const WEAR: i64 = DECAY + 4;

/// An own lighthouse that lasts this many rounds needs no more energy now.
const LASTING: u32 = 30;

/// The imagined future of one player.
#[derive(Clone)]
pub(super) struct Outlook<'a> {
    board: &'a Board,
    /// The number of rounds from now.
    pub time: u32,
    /// The energy of the player.
    pub energy: i64,
    keys: LightSet,
    one_key: bool,
    owned: LightSet,
    /// The lighthouses of other players that are still lit.
    foreign: LightSet,
    /// The energy of each lighthouse now (time 0) plus what is put in later, without the decay.
    level: [i64; MAX_LIGHTS],
    links: [LightSet; MAX_LIGHTS],
    /// The points up to `time`, in hundredths.
    pub gain: i64,
}

impl<'a> Outlook<'a> {
    pub fn new(view: &View<'a>, one_key: bool) -> Self {
        let mut outlook = Self {
            board: view.board,
            time: 0,
            energy: view.energy,
            keys: view.keys,
            one_key,
            owned: 0,
            foreign: 0,
            level: [0; MAX_LIGHTS],
            links: [0; MAX_LIGHTS],
            gain: 0,
        };
        for light in 0..view.lights() {
            outlook.level[light] = view.light_energy(light);
            outlook.links[light] = view.links(light);
            match view.owner(light) {
                Some(owner) if owner == view.seat => outlook.owned |= 1 << light,
                Some(_) => outlook.foreign |= 1 << light,
                None => {}
            }
        }
        outlook
    }

    /// The round in which a lighthouse is assumed to be lost.
    fn end(&self, light: usize) -> u32 {
        (self.level[light].max(0) / WEAR) as u32
    }

    /// Moves time on: every lighthouse and connection pays until it is lost.
    pub fn wait_until(&mut self, time: u32) {
        self.gain += self.gain_until(time);
        self.time = time;
        let lost = members(self.owned).filter(|&i| self.end(i) <= time).fold(0, |set: LightSet, i| set | 1 << i);
        members(lost).for_each(|i| self.release(i));
        self.owned &= !lost;
    }

    /// The points that the lighthouses pay from now until `time` if nothing but decay happens.
    fn gain_until(&self, time: u32) -> i64 {
        let (from, to) = (self.time, time.min(HORIZON));
        if from >= to {
            return 0;
        }
        let lasting = |end: u32| i64::from(end.clamp(from, to) - from);
        let mut gain = 0;
        for a in members(self.owned) {
            let end_a = self.end(a);
            gain += 2 * lasting(end_a);
            for b in members(self.links[a] & above(a)) {
                let end_b = end_a.min(self.end(b));
                gain += 2 * lasting(end_b);
                for c in members(self.links[a] & self.links[b] & above(b)) {
                    gain += i64::from(self.board.area(a, b, c)) * lasting(end_b.min(self.end(c)));
                }
            }
        }
        100 * gain
    }

    fn release(&mut self, light: usize) {
        for other in members(core::mem::take(&mut self.links[light])) {
            self.links[other] &= !(1 << light);
        }
    }

    /// Arrives at a lighthouse after this many moves with this much energy collected. Captures or recharges the
    /// lighthouse and makes its best connections. `denial` is the value of a point that others lose, in hundredths of
    /// an own point.
    pub fn stop(&mut self, light: usize, moves: u32, collected: u32, denial: i64) {
        self.wait_until(self.time + moves);
        self.energy += i64::from(collected);
        if moves > 0 && (!self.one_key || self.keys == 0) {
            self.keys |= 1 << light;
        }
        if let Some(strength) = self.deposit(light) {
            self.wait_until(self.time + 1);
            self.feed(light, strength, denial);
        }
        while let Some(to) = self.best_connection(light) {
            self.wait_until(self.time + 1);
            self.keys &= !(1 << to);
            self.links[light] |= 1 << to;
            self.links[to] |= 1 << light;
            if self.one_key && self.keys == 0 {
                self.keys = 1 << light;
            }
        }
    }

    /// The energy that the player would put into the lighthouse that it stands on: all it has. `None` if that would
    /// achieve nothing. Energy that the player keeps defends nothing, and the next path brings more.
    pub fn deposit(&self, light: usize) -> Option<i64> {
        let bit: LightSet = 1 << light;
        let useful = if self.owned & bit != 0 {
            self.end(light).saturating_sub(self.time) < LASTING && self.energy > 50
        } else {
            let held = if self.foreign & bit != 0 { self.level[light] - DECAY * i64::from(self.time) } else { 0 };
            self.energy > held.max(0) + 2 * WEAR
        };
        useful.then_some(self.energy)
    }

    fn feed(&mut self, light: usize, strength: i64, denial: i64) {
        self.energy -= strength;
        let bit: LightSet = 1 << light;
        let gone = DECAY * i64::from(self.time);
        if self.owned & bit != 0 {
            self.level[light] += strength;
            return;
        }
        let held = if self.foreign & bit != 0 { (self.level[light] - gone).max(0) } else { 0 };
        if self.foreign & bit != 0 {
            self.gain += denial * self.foreign_points(light);
            self.foreign &= !bit;
            self.release(light);
        }
        self.owned |= bit;
        self.level[light] = strength - held + WEAR * i64::from(self.time);
    }

    /// The points that others would still get from a lighthouse.
    fn foreign_points(&self, light: usize) -> i64 {
        let end = (self.level[light].max(0) / DECAY).min(i64::from(HORIZON));
        let left = (end - i64::from(self.time)).max(0);
        let mut rate = 2;
        for b in members(self.links[light]) {
            rate += 2;
            for c in members(self.links[light] & self.links[b] & above(b)) {
                rate += i64::from(self.board.area(light, b, c));
            }
        }
        rate * left
    }

    /// The best connection of this lighthouse: first by the cells that it lights, then by the triangles that it makes
    /// possible.
    pub fn best_connection(&self, light: usize) -> Option<usize> {
        if self.owned >> light & 1 == 0 {
            return None;
        }
        let candidates = self.keys & self.owned & !self.links[light] & !(1 << light) & !self.board.hidden_from(light);
        let open = members(candidates).filter(|&to| !is_crossed(self.board, light, to, |i| self.links[i]));
        open.max_by_key(|&to| self.promise(light, to))
    }

    fn promise(&self, a: usize, b: usize) -> i64 {
        let closed: i64 = members(self.links[a] & self.links[b]).map(|c| i64::from(self.board.area(a, b, c))).sum();
        let open = members(self.owned & !(1 << a) & !(1 << b)).map(|c| i64::from(self.board.area(a, b, c)));
        1000 * closed + open.max().unwrap_or(0)
    }

    /// The value of everything up to the horizon, in hundredths of points.
    pub fn worth(&self) -> i64 {
        // The energy that is left then has a small value: it keeps others away, or can be used later.
        let stored: i64 = members(self.owned).map(|i| (self.level[i] - WEAR * i64::from(HORIZON)).clamp(0, 600)).sum();
        self.gain + self.gain_until(HORIZON) + 2 * self.energy.min(2000) + 20 * stored
    }
}
