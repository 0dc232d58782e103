//! Round robin and gauntlet: every set of bots meets once in each round.
//!
//! A round is played in turns, so that an unfinished tournament is still even. In a game for two, a turn of the round
//! robin is a round of the circle method (Kirkman 1847, Lucas 1883): every bot plays once, or has nothing to do if
//! their number is odd. In a game for more, turn `t` has the sets whose sum of numbers leaves the remainder `t`.

use crate::{
    Entrant, KeyValue, Kind, KindKey, Spec, TieBreak,
    check::{bots, choose, seats},
    draw::{Block, Draw, Drawn, KeptDraw, Past},
    kind::KindRules,
    seeding::seeded,
};
use agon_core::Flaw;
use serde::{Deserialize, Serialize};

/// The most sets of bots that are drawn at once.
const BATCH: usize = 256;

/// Everybody meets everybody, so the sum of the opponents' points says nothing.
pub(crate) const TIE_BREAKS: &[TieBreak] = &[TieBreak::DirectEncounter, TieBreak::SonnebornBerger, TieBreak::Wins];

/// What a round robin decides.
pub(crate) struct RoundRobinRules;

impl KindRules for RoundRobinRules {
    fn name(&self) -> &'static str {
        "round-robin"
    }

    fn check(&self, _: &Spec) -> Result<(), Flaw> {
        Ok(())
    }

    fn matches(&self, spec: &Spec) -> Option<[u128; 2]> {
        let sets = choose(spec.entrants.into(), spec.seats.into())?;
        spec.in_all_rounds(sets).map(|number| [number; 2])
    }

    fn begin(&self, _: &Spec) -> Box<dyn Draw> {
        Box::new(RoundRobin::new(None))
    }

    fn tie_breaks(&self) -> &'static [TieBreak] {
        TIE_BREAKS
    }

    fn has_encounters(&self) -> bool {
        false
    }

    fn has_fixed_opponents(&self) -> bool {
        true
    }
}

/// What a gauntlet decides.
pub(crate) struct GauntletRules {
    pub challengers: u32,
}

impl KindRules for GauntletRules {
    fn name(&self) -> &'static str {
        "gauntlet"
    }

    fn keys(&self) -> Vec<KindKey> {
        vec![KindKey::number("challengers", self.challengers, "how many of the first bots meet all others")]
    }

    fn with(&self, key: &str, value: KeyValue) -> Option<Kind> {
        match (key, value) {
            ("challengers", KeyValue::Number(challengers)) => Some(Kind::Gauntlet { challengers }),
            _ => None,
        }
    }

    fn check(&self, spec: &Spec) -> Result<(), Flaw> {
        let challengers = self.challengers;
        if challengers == 0 {
            return Err(
                Flaw::new("a gauntlet without challengers has no match").hint("write `challengers = 1` or more")
            );
        }
        let others = spec.entrants.saturating_sub(challengers);
        if others < spec.seats - 1 {
            return Err(Flaw::new(format!(
                "a gauntlet of {challengers} challengers leaves {} for the other {} of a match",
                bots(others),
                seats(spec.seats - 1)
            ))
            .hint("name fewer challengers, or add bots"));
        }
        Ok(())
    }

    fn matches(&self, spec: &Spec) -> Option<[u128; 2]> {
        let (entrants, challengers) = (u128::from(spec.entrants), u128::from(self.challengers));
        let others = choose(entrants - challengers, u128::from(spec.seats) - 1)?;
        spec.in_all_rounds(challengers.checked_mul(others)?).map(|number| [number; 2])
    }

    fn begin(&self, _: &Spec) -> Box<dyn Draw> {
        Box::new(RoundRobin::new(Some(self.challengers)))
    }

    fn tie_breaks(&self) -> &'static [TieBreak] {
        TIE_BREAKS
    }

    fn has_encounters(&self) -> bool {
        false
    }

    fn has_fixed_opponents(&self) -> bool {
        true
    }
}

/// Draws every set of bots.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RoundRobin {
    /// The number of challengers of a gauntlet. `None` in a round robin.
    challengers: Option<u32>,
    /// The bot at each position. Everything below counts positions. Bots that came later are behind the others.
    order: Vec<Entrant>,
    /// What has been drawn wholly: all sets of the first `entrants` positions in the first `rounds` rounds.
    covered: Extent,
    /// What is being drawn.
    target: Extent,
    round: u32,
    turn: u32,
    /// All but the last bot of the next set of the turn. Only for sets that the circle method does not give.
    prefix: Option<Vec<u32>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Extent {
    entrants: u32,
    rounds: u32,
}

impl RoundRobin {
    const fn new(challengers: Option<u32>) -> Self {
        let nothing = Extent { entrants: 0, rounds: 0 };
        Self { challengers, order: Vec::new(), covered: nothing, target: nothing, round: 1, turn: 0, prefix: None }
    }

    /// Returns whether the tournament wants more than what is covered, and begins with it.
    fn extend(&mut self, spec: &Spec) -> bool {
        let wanted = Extent { entrants: spec.entrants, rounds: spec.rounds };
        if self.covered == wanted {
            return false;
        }
        // Without new bots there is nothing to add to old rounds.
        self.round = if wanted.entrants == self.covered.entrants { self.covered.rounds + 1 } else { 1 };
        self.turn = 0;
        self.target = wanted;
        let known = self.order.len();
        self.order.extend(seeded(spec).into_iter().filter(|entrant| entrant.index() >= known));
        if let Some(challengers) = self.challengers {
            self.order.sort_by_key(|entrant| entrant.0 >= challengers);
        }
        true
    }

    /// Returns the next sets of positions of the current turn, and moves on.
    fn batch(&mut self, spec: &Spec) -> Vec<Vec<u32>> {
        let n = self.target.entrants;
        let (sets, turns) = match self.challengers {
            Some(challengers) => {
                let others = n - challengers;
                let sets = self.sums(others, spec.seats - 1);
                let shifted = sets.into_iter().flat_map(|set| {
                    (0..challengers).map(move |challenger| {
                        let mut bots = vec![challenger];
                        bots.extend(set.iter().map(|other| challengers + other));
                        bots
                    })
                });
                (shifted.collect(), others)
            }
            _ if spec.seats == 2 => (circle(n, self.turn), n - 1 + n % 2),
            _ => (self.sums(n, spec.seats), n),
        };
        if self.prefix.is_none() {
            self.turn += 1;
            if self.turn == turns {
                self.turn = 0;
                self.round += 1;
            }
        }
        sets
    }

    /// Returns the next sets of `k` of `n` numbers whose sum leaves the remainder of the turn.
    fn sums(&mut self, n: u32, k: u32) -> Vec<Vec<u32>> {
        let mut prefix = self.prefix.take().unwrap_or_else(|| (0..k - 1).collect());
        let mut sets = Vec::new();
        loop {
            let sum: u32 = prefix.iter().sum();
            // The largest number follows from the others.
            let last = (self.turn + n - sum % n) % n;
            if prefix.last().is_none_or(|largest| last > *largest) {
                let mut set = prefix.clone();
                set.push(last);
                sets.push(set);
            }
            if !next_combination(&mut prefix, n) {
                return sets;
            }
            if sets.len() >= BATCH {
                self.prefix = Some(prefix);
                return sets;
            }
        }
    }
}

impl Draw for RoundRobin {
    fn draw(&mut self, past: &Past<'_>) -> Drawn {
        let spec = past.spec;
        loop {
            if self.round > self.target.rounds {
                self.covered = self.target;
                if !self.extend(spec) {
                    return Drawn::Over;
                }
            }
            let (round, covered) = (self.round, self.covered);
            let is_old =
                |set: &[u32]| round <= covered.rounds && set.iter().all(|position| *position < covered.entrants);
            let blocks: Vec<Block> = self
                .batch(spec)
                .into_iter()
                .filter(|set| !is_old(set))
                .map(|set| if spec.seats == 2 { alternate(set, round) } else { set })
                .map(|set| Block {
                    round,
                    map: round - 1,
                    seated: spec.seats == 2,
                    bots: set.into_iter().map(|position| self.order[position as usize]).collect(),
                    same_seed: false,
                    probability: None,
                })
                .collect();
            if !blocks.is_empty() {
                return Drawn::Blocks(blocks);
            }
        }
    }

    fn kept(&self) -> Option<KeptDraw> {
        Some(KeptDraw::RoundRobin(self.clone()))
    }

    fn planned_of(&self, entrant: Entrant, spec: &Spec) -> Option<u128> {
        let (n, others) = (u128::from(spec.entrants), u128::from(spec.seats) - 1);
        let sets = match self.challengers.map(u128::from) {
            None => choose(n - 1, others)?,
            Some(challengers) if u128::from(entrant.0) < challengers => choose(n - challengers, others)?,
            Some(challengers) => challengers.checked_mul(choose(n - challengers - 1, others - 1)?)?,
        };
        spec.in_all_rounds(sets)
    }

    fn rests_on_results(&self) -> bool {
        false
    }

    fn to_come(&self, past: &Past<'_>) -> Option<u64> {
        past.spec.matches().ok()?.exact()?.checked_sub(past.ledger.len() as u64)
    }
}

/// Returns the pairs of a turn of the circle method for `n` bots. The last one, or nobody if `n` is odd, stays at its
/// place while the others move around the circle.
pub(crate) fn circle(n: u32, turn: u32) -> Vec<Vec<u32>> {
    let places = n + n % 2;
    let moving = places - 1;
    let mut pairs = Vec::with_capacity(places as usize / 2);
    if n == places {
        pairs.push(vec![turn, moving]);
    }
    for step in 1..places / 2 {
        pairs.push(vec![(turn + step) % moving, (turn + moving - step) % moving]);
    }
    pairs
}

/// Seats the bots at two positions so that each of them begins equally often in a round, give or take one match, and so
/// that the same two exchange their seats in the next round.
pub(crate) fn alternate(mut pair: Vec<u32>, round: u32) -> Vec<u32> {
    pair.sort_unstable();
    let is_even = pair.iter().sum::<u32>().is_multiple_of(2);
    if is_even != round.is_multiple_of(2) {
        pair.reverse();
    }
    pair
}

/// Changes `numbers` into the next set of as many of the numbers below `n`. Returns `false` after the last one.
pub(crate) fn next_combination(numbers: &mut [u32], n: u32) -> bool {
    let k = numbers.len() as u32;
    for i in (0..k).rev() {
        if numbers[i as usize] < n - k + i {
            let start = numbers[i as usize] + 1;
            for (number, value) in numbers[i as usize..].iter_mut().zip(start..) {
                *number = value;
            }
            return true;
        }
    }
    false
}
