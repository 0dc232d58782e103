//! The same league with its blocks drawn anew, as often as one likes (B. Efron, 1979): how much strengths scatter, without
//! assuming that the matches of a block are independent.

use crate::{
    bradley_terry::BradleyTerry,
    encounter::{Advantage, Encounter, Sums, sums, usable},
    errors::Errors,
    fit::{Fit, Prior},
};

/// The blocks of a league of games of two. Blocks must be independent of each other; the games in them need not be.
#[derive(Clone, Debug)]
pub struct Bootstrap {
    league: BradleyTerry,
    fit: Fit,
    prior: Prior,
    /// The meetings of all blocks, one block after the other.
    parts: Vec<Part>,
    /// Where the parts of each block begin, and where those of the last one end.
    starts: Vec<usize>,
}

/// What a block adds to a meeting.
#[derive(Clone, Copy, Debug)]
struct Part {
    meeting: u32,
    sums: Sums,
}

impl Bootstrap {
    /// Takes the blocks of a league, and fits it. Encounters that [`BradleyTerry::new`] leaves out do not count. `None` if the
    /// league as it is has no fit: see [`BradleyTerry::fit`].
    #[must_use]
    pub fn new<'a>(
        bots: usize,
        advantage: Advantage,
        blocks: impl Iterator<Item = &'a [Encounter]> + Clone,
        prior: Prior,
    ) -> Option<Self> {
        let encounters: Vec<Encounter> = blocks.clone().flatten().copied().collect();
        let mut league = BradleyTerry::new(bots, advantage, encounters);
        let fit = league.fit(prior, Errors::Diagonal)?;
        let (mut parts, mut starts) = (Vec::new(), vec![0]);
        for block in blocks {
            for encounter in block.iter().filter(|encounter| usable(encounter, bots, advantage)) {
                let (roles, sums) = sums(encounter, advantage);
                let meeting = league.meetings.roles.binary_search(&roles).ok()? as u32;
                parts.push(Part { meeting, sums });
            }
            starts.push(parts.len());
        }
        Some(Self { league, fit, prior, parts, starts })
    }

    /// Returns the fit of the league as it is, with diagonal errors.
    #[must_use]
    pub fn fitted(&self) -> &Fit {
        &self.fit
    }

    /// Returns the number of blocks.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.starts.len() - 1
    }

    /// Draws as many blocks as there are, with replacement, and returns how often each was drawn. `below` returns a random
    /// number below another one.
    pub fn draw(&self, mut below: impl FnMut(usize) -> usize) -> Vec<u32> {
        let mut times = vec![0; self.blocks()];
        for _ in 0..self.blocks() {
            if let Some(times) = times.get_mut(below(self.blocks())) {
                *times += 1;
            }
        }
        times
    }

    /// Fits the league in which each block counts this many times; blocks beyond the list do not count. The search starts at
    /// the fit of the league as it is, and its errors are diagonal. `None` if the search fails, or as [`BradleyTerry::fit`].
    #[must_use]
    pub fn replicate(&mut self, times: &[u32]) -> Option<Fit> {
        let totals = &mut self.league.meetings.sums;
        totals.fill(Sums::default());
        for (block, times) in self.starts.windows(2).zip(times).filter(|(_, times)| **times > 0) {
            for part in &self.parts[block[0]..block[1]] {
                totals[part.meeting as usize].add(&part.sums, f64::from(*times));
            }
        }
        self.league.fit_near(&self.fit, self.prior, Errors::Diagonal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Rng, Seed};

    /// Returns blocks of two games of 5 bots, whose games are copies of each other.
    fn blocks() -> Vec<[Encounter; 2]> {
        let mut rng = Rng::new(Seed(7));
        let block = |_| {
            let first = rng.below(5);
            let won = f64::from(u8::from(rng.unit() < 0.5));
            let second = (first + 1 + rng.below(4)) % 5;
            [Encounter { first, second, wins: won, losses: 1.0 - won, ..Encounter::default() }; 2]
        };
        (0..400).map(block).collect()
    }

    #[test]
    fn a_replicate_is_the_league_of_the_drawn_blocks() {
        let blocks = blocks();
        for advantage in [Advantage::None, Advantage::Numbered(1)] {
            let slices = blocks.iter().map(<[_; 2]>::as_slice);
            let mut all = Bootstrap::new(5, advantage, slices, Prior::Never).expect("all have won and lost");
            let mut rng = Rng::new(Seed(8));
            let times = all.draw(|limit| rng.index(limit));
            assert_eq!(times.iter().sum::<u32>(), 400);
            let drawn = blocks.iter().zip(&times).flat_map(|(block, times)| block.repeat(*times as usize));
            let expected = BradleyTerry::new(5, advantage, drawn).fit(Prior::Never, Errors::Diagonal);
            let (ours, expected) = (all.replicate(&times).expect("a fit"), expected.expect("a fit"));
            for bot in 0..5 {
                assert!((ours.strengths[bot] - expected.strengths[bot]).abs() < 1e-9, "{ours:?} {expected:?}");
            }
        }
    }

    #[test]
    fn strengths_scatter_by_blocks_and_not_by_games() {
        let blocks = blocks();
        let slices = blocks.iter().map(<[_; 2]>::as_slice);
        let mut all = Bootstrap::new(5, Advantage::None, slices, Prior::Never).expect("all have won and lost");
        let mut rng = Rng::new(Seed(9));
        let (mut sum, mut count) = (0.0, 0.0);
        for _ in 0..400 {
            let times = all.draw(|limit| rng.index(limit));
            let fit = all.replicate(&times).expect("a fit");
            sum += (0..5).map(|bot| (fit.strengths[bot] - all.fitted().strengths[bot]).powi(2)).sum::<f64>();
            count += 1.0;
        }
        let games = blocks.concat();
        let fit = BradleyTerry::new(5, Advantage::None, games).fit(Prior::Never, Errors::Inverse).expect("a fit");
        let assumed: f64 = fit.errors.iter().map(|error| error * error).sum();
        // Each block has one result, told twice: the variance is twice as large as independent games would have it.
        let ratio = sum / count / assumed;
        assert!((1.6..2.4).contains(&ratio), "{ratio}");
    }
}
