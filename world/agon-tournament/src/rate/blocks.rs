//! How much strengths scatter where the matches of one map depend on each other: blocks of matches are drawn anew.

use super::games::Games;
use agon_core::{Rng, Seed};
use agon_play::MapSource;
use agon_stats::{Advantage, Bootstrap, Encounter, Prior};
use std::collections::BTreeMap;

/// How often the blocks are drawn.
const DRAWS: usize = 1_000;

/// With fewer blocks, drawing them anew says too little.
const LEAST_BLOCKS: usize = 10;

/// What was found in each league of blocks that were drawn anew.
pub(super) struct Spread {
    /// The strengths of all bots.
    strengths: Vec<Vec<f64>>,
    /// The advantages of the first seat, of those with a match in the league.
    advantages: Vec<Vec<Option<f64>>>,
}

impl Spread {
    /// Draws the blocks of a league of games of two anew. A block has all matches of two bots on one map; a generator makes a
    /// new map for each round. `encounters` are in the order of the games.
    ///
    /// # Errors
    /// In words: there are too few blocks, or too often bots are left with nobody to compare them with.
    pub(super) fn of(games: &Games, advantage: Advantage, encounters: &[Encounter]) -> Result<Self, String> {
        let is_new: Vec<bool> = games.maps.iter().map(|map| is_new_each_round(map)).collect();
        let mut blocks: BTreeMap<(u32, u32, u32, u32), Vec<Encounter>> = BTreeMap::new();
        for (game, encounter) in games.games.iter().zip(encounters) {
            let round = if is_new[game.map as usize] { game.round } else { 0 };
            let (one, other) = (encounter.first.min(encounter.second), encounter.first.max(encounter.second));
            blocks.entry((game.map, round, one, other)).or_default().push(*encounter);
        }
        if blocks.len() < LEAST_BLOCKS {
            let count = blocks.len();
            return Err(format!("a bootstrap needs {LEAST_BLOCKS} pairs of bots and maps, and there are {count}"));
        }
        let few = || "a bootstrap needs more matches: often nothing is left that compares all bots".to_owned();
        let slices = blocks.values().map(Vec::as_slice);
        let mut league = Bootstrap::new(games.bots.len(), advantage, slices, Prior::WhereNeeded).ok_or_else(few)?;
        let groups = league.fitted().groups.clone();
        // The blocks of each advantage.
        let mut own_blocks: Vec<Vec<usize>> = vec![Vec::new(); league.fitted().advantages.len()];
        for (block, encounters) in blocks.values().enumerate() {
            if let Some(own) = encounters.first().and_then(|first| own_blocks.get_mut(first.advantage as usize)) {
                own.push(block);
            }
        }
        // The same draws each time, so that the same matches give the same intervals.
        let mut rng = Rng::new(Seed(0));
        let (mut strengths, mut advantages) = (Vec::with_capacity(DRAWS), Vec::with_capacity(DRAWS));
        for _ in 0..DRAWS {
            let times = league.draw(|limit| rng.index(limit));
            let Some(fit) = league.replicate(&times).filter(|fit| fit.groups == groups) else { continue };
            // The prior alone says nothing about how much an advantage scatters.
            let is_drawn = |own: &Vec<usize>| own.iter().any(|block| times[*block] > 0);
            let found = own_blocks.iter().zip(fit.advantages).map(|(own, value)| is_drawn(own).then_some(value));
            advantages.push(found.collect());
            strengths.push(fit.strengths);
        }
        if strengths.len() < DRAWS / 2 { Err(few()) } else { Ok(Self { strengths, advantages }) }
    }

    /// Returns the deviation of a strength.
    pub(super) fn of_bot(&self, bot: usize) -> f64 {
        deviation(self.strengths.iter().map(|strengths| strengths[bot]))
    }

    /// Returns the deviation of an advantage.
    pub(super) fn of_advantage(&self, number: usize) -> f64 {
        deviation(self.advantages.iter().filter_map(|advantages| advantages[number]))
    }

    /// Returns the deviation of the difference of two strengths.
    pub(super) fn between(&self, one: usize, other: usize) -> f64 {
        deviation(self.strengths.iter().map(|strengths| strengths[one] - strengths[other]))
    }
}

/// Returns whether this name of a map stands for another map in each round.
fn is_new_each_round(map: &str) -> bool {
    matches!(map.parse(), Ok(MapSource::Generated { seed: None, .. }))
}

/// Returns 0 for fewer than two values.
fn deviation(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    if count < 2.0 { 0.0 } else { (squares / (count - 1.0)).sqrt() }
}
