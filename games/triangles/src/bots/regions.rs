//! Divides the open segments of a late position into regions that do not affect each other.
//!
//! Two open segments affect each other if they cross or if they are sides of a triangle that may still be closed. By
//! Euler's formula a region always takes the same number of segments, however it is drawn; what matters is who must
//! draw which. Regions of the same shape have the same value wherever they lie, so each region gets a *class*.

use crate::{field::members, position::Position, segment::Segment};
use agon_core::Fingerprint;
use alloc::{vec, vec::Vec};

/// The largest number of open segments that a [`Set`] can hold, one bit for each.
pub(super) const MOST_OPEN: usize = 128;

/// The number of entries of the table of classes, a power of two.
const TABLE: usize = 1 << 12;

/// How many times each segment passes its colour on to its neighbours when a class is computed.
const ROUNDS: usize = 6;

/// A set of open segments, by their numbers in [`Regions`].
pub(super) type Set = u128;

/// The open segments of one position, renumbered from 0.
#[derive(Default)]
pub(super) struct Regions {
    pub(super) segments: Vec<Segment>,
    /// For each segment: itself and the segments that it crosses.
    pub(super) conflicts: Vec<Set>,
    /// The possible triangles of all segments, each as the set of its two other sides that are open.
    missing: Vec<Set>,
    /// For each segment: the index in `missing` at which its triangles begin. The last entry is the end of the list.
    starts: Vec<usize>,
    /// For each segment: the union of its triangles.
    partners: Vec<Set>,
    classes: Vec<Known>,
}

/// A region whose class has been computed.
#[derive(Clone, Copy, Default)]
struct Known {
    open: Set,
    /// The drawn segments next to the open ones.
    drawn: Set,
    class: u64,
}

/// The immediate effect of drawing a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Effect {
    pub(super) pays: u32,
    /// The number of triangles that lack only one side afterwards.
    pub(super) gives: u32,
}

impl Regions {
    /// Makes empty tables, before any position is read.
    pub(super) fn new() -> Self {
        Self { classes: vec![Known::default(); TABLE], ..Self::default() }
    }

    /// Reads the open segments of a position. Returns `false` if there are too many.
    pub(super) fn take_in(&mut self, position: &Position) -> bool {
        if position.open_count() > MOST_OPEN {
            return false;
        }
        let field = &position.field;
        let tables = field.tables();
        let numbers: Vec<usize> = position.open_numbers().collect();
        let local = |s: usize| numbers.binary_search(&s).ok();
        self.segments.clear();
        self.segments.extend(position.open());
        self.conflicts.clear();
        self.partners.clear();
        self.missing.clear();
        self.starts.clear();
        for s in &numbers {
            let row = tables.conflicts(*s);
            let crossed = numbers.iter().enumerate().filter(|(_, t)| row[**t / 64] >> (**t % 64) & 1 == 1);
            self.conflicts.push(crossed.fold(0, |set, (k, _)| set | 1 << k));
            self.starts.push(self.missing.len());
            let (a, b) = field.segment(*s).ends();
            let mut partners = 0;
            'thirds: for c in members(tables.empty(a, b)) {
                let mut missing = 0;
                for end in [a, b] {
                    if position.joined[end] >> c & 1 == 0 {
                        match local(field.number(end.min(c), end.max(c))) {
                            Some(k) => missing |= 1 << k,
                            None => continue 'thirds,
                        }
                    }
                }
                partners |= missing;
                self.missing.push(missing);
            }
            self.partners.push(partners);
        }
        self.starts.push(self.missing.len());
        self.classes.clear();
        self.classes.resize(TABLE, Known::default());
        true
    }

    /// The set of all open segments that were read.
    pub(super) fn all(&self) -> Set {
        if self.segments.len() == MOST_OPEN { Set::MAX } else { (1 << self.segments.len()) - 1 }
    }

    /// The triangles of segment `s` that can still be closed, each as the set of sides that it lacks besides `s`. A
    /// set is empty if nothing else is missing.
    fn alive(&self, s: usize, open: Set, drawn: Set) -> impl Iterator<Item = Set> {
        let all = &self.missing[self.starts[s]..self.starts[s + 1]];
        all.iter().map(move |missing| missing & !drawn).filter(move |missing| missing & !open == 0)
    }

    /// The effect of drawing `s`.
    pub(super) fn effect(&self, s: usize, open: Set, drawn: Set) -> Effect {
        let mut effect = Effect { pays: 0, gives: 0 };
        for missing in self.alive(s, open, drawn) {
            effect.pays += u32::from(missing == 0);
            effect.gives += u32::from(missing != 0 && missing & (missing - 1) == 0 && missing & self.conflicts[s] == 0);
        }
        effect
    }

    /// The region of segment `s` among the open segments.
    pub(super) fn region(&self, s: usize, open: Set, drawn: Set) -> Set {
        let (mut region, mut fresh) = (1 << s, 1 << s);
        while fresh != 0 {
            let next = members(fresh).fold(0, |set, t| {
                set | self.conflicts[t] & open | self.alive(t, open, drawn).fold(0, |set, missing| set | missing)
            });
            fresh = next & !region;
            region |= next;
        }
        region
    }

    /// A number for the shape of a region: what each segment pays, which cross, and which make triangles. Refining
    /// colours computes it, so it does not depend on where the region lies.
    pub(super) fn class(&mut self, region: Set, drawn: Set) -> u64 {
        let near = members(region).fold(0, |set, s| set | self.partners[s]) & drawn;
        let mut f = Fingerprint::new();
        for set in [region, near] {
            f.u64(set as u64).u64((set >> 64) as u64);
        }
        let slot = f.finish() as usize % TABLE;
        let known = self.classes[slot];
        if known.open == region && known.drawn == near {
            return known.class;
        }
        let class = self.refine(region, drawn);
        self.classes[slot] = Known { open: region, drawn: near, class };
        class
    }

    fn refine(&self, region: Set, drawn: Set) -> u64 {
        let mut colours = [0u64; MOST_OPEN];
        let mut next = colours;
        for s in members(region) {
            colours[s] = mix(1, u64::from(self.effect(s, region, drawn).pays));
        }
        let sum = |set: Set, colours: &[u64; MOST_OPEN]| members(set).fold(0u64, |sum, t| sum.wrapping_add(colours[t]));
        for _ in 0..ROUNDS.min(region.count_ones() as usize) {
            for s in members(region) {
                let crossed = self.conflicts[s] & region & !(1 << s);
                let triangles =
                    self.alive(s, region, drawn).filter(|missing| *missing != 0).fold(0u64, |all, missing| {
                        all.wrapping_add(mix(u64::from(missing.count_ones()), sum(missing, &colours)))
                    });
                let crossings = members(crossed).fold(0u64, |all, t| all.wrapping_add(mix(7, colours[t])));
                next[s] = mix(colours[s], mix(triangles, crossings));
            }
            colours = next;
        }
        let all = members(region).fold(0u64, |all, s| all.wrapping_add(mix(11, colours[s])));
        mix(u64::from(region.count_ones()), all)
    }
}

/// Combines two numbers into one. Every bit of both affects every bit of the result.
pub(super) fn mix(a: u64, b: u64) -> u64 {
    Fingerprint::new().u64(a).u64(b).finish()
}
