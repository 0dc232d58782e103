//! Series: the same bots play a number of games, with seats exchanged and new maps.

use crate::MatchTerms;
use agon_core::{Standing, forfeited_by_all};
use agon_referee::Times;
use agon_spec::RefusedCount;
use std::collections::BTreeMap;

/// A number of games between the same bots. Games come in blocks: in a block, every bot plays in every seat once, on the
/// same map and with the same seed. So no bot profits from a map that favours a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Series {
    terms: MatchTerms,
    bots: usize,
}

/// One game of a series.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeriesGame {
    /// The number of the game, from 1.
    pub number: u32,
    /// The number of the block, from 0.
    pub block: u32,
    /// The index of the bot in each seat.
    pub seating: Vec<usize>,
    /// The settings of the match. Options of seats have moved with their bots.
    pub terms: MatchTerms,
}

impl Series {
    /// Creates a series of this many bots. The options of a seat in `terms` belong to the bot that is named in that place.
    #[must_use]
    pub fn new(terms: MatchTerms, bots: usize) -> Self {
        Self { terms, bots }
    }

    /// Returns a game by its number, from 1. The first block has the seed of the series, so that game 1 is the match that is
    /// played without a series. The seeds of the other blocks are derived from it.
    #[must_use]
    pub fn game(&self, number: u32) -> SeriesGame {
        let (count, index) = (self.bots.max(1), number.saturating_sub(1) as usize);
        let (block, turn) = ((index / count) as u32, index % count);
        let seating: Vec<usize> = (0..count).map(|seat| (seat + turn) % count).collect();
        let seed = self.terms.seed;
        let seed = if block == 0 { seed } else { seed.derive("series", u64::from(block)) };
        SeriesGame { number, block, terms: self.terms.seated(seed, &seating), seating }
    }
}

/// The results of a series so far.
#[derive(Clone, Debug)]
pub struct SeriesTally {
    /// The sum of each bot, in the order of the series.
    pub bots: Vec<BotTally>,
    /// The number of games with a result.
    pub games: u32,
    /// The number of games without one.
    pub spoilt: u32,
    /// The number of games that [all bots forfeited](forfeited_by_all). Each has lost them.
    pub double_forfeits: u32,
    /// For each block: the number of its games with a result, and the points of each bot in them.
    blocks: BTreeMap<u32, (u32, Vec<f64>)>,
}

/// What a bot has reached in a series.
#[derive(Clone, Debug, Default)]
pub struct BotTally {
    /// The games in which it alone had the first place.
    pub wins: u32,
    /// The games in which it shared the first place, except for those that all bots forfeited.
    pub draws: u32,
    /// All other games with a result.
    pub losses: u32,
    /// The sum of its [`points`].
    pub points: f64,
    /// The games in which it failed.
    pub faults: u32,
    /// How many of its commands were refused without any other penalty.
    pub refused: RefusedCount,
    /// How long its decisions took.
    pub times: Times,
}

impl SeriesTally {
    /// Creates the tally of a series of this many bots in which no game has been played.
    #[must_use]
    pub fn new(bots: usize) -> Self {
        Self { bots: vec![BotTally::default(); bots], games: 0, spoilt: 0, double_forfeits: 0, blocks: BTreeMap::new() }
    }

    /// Adds the refused commands of a game with a result, seat by seat.
    pub fn add_refused(&mut self, game: &SeriesGame, seats: &[RefusedCount]) {
        for (bot, refused) in game.seating.iter().zip(seats) {
            self.bots[*bot].refused.merge(refused);
        }
    }

    /// Adds a game with a result. `seats` says for each seat whether its bot failed, and how long its decisions took.
    pub fn add<'a>(&mut self, game: &SeriesGame, standing: &Standing, seats: impl Iterator<Item = (bool, &'a Times)>) {
        self.games += 1;
        let seats: Vec<(bool, &Times)> = seats.collect();
        let failed = seats.iter().map(|(failed, _)| *failed);
        let forfeited = forfeited_by_all(standing.places.iter().map(|place| u32::from(*place)).zip(failed));
        self.double_forfeits += u32::from(forfeited);
        let points = points(standing, forfeited);
        let shared = standing.places.iter().filter(|place| **place == 1).count() > 1;
        let (played, sums) = self.blocks.entry(game.block).or_insert_with(|| (0, vec![0.0; self.bots.len()]));
        *played += 1;
        for (seat, (failed, times)) in seats.into_iter().enumerate() {
            let index = game.seating[seat];
            let bot = &mut self.bots[index];
            match standing.places[seat] {
                1 if forfeited => bot.losses += 1,
                1 if shared => bot.draws += 1,
                1 => bot.wins += 1,
                _ => bot.losses += 1,
            }
            bot.points += points[seat];
            sums[index] += points[seat];
            bot.faults += u32::from(failed);
            bot.times.merge(times);
        }
    }

    /// Adds a game without a result.
    pub fn add_spoilt(&mut self) {
        self.spoilt += 1;
    }

    /// Returns the mean points of a bot in each block that has a game with a result, in the order of the blocks.
    pub fn block_means(&self, bot: usize) -> impl Iterator<Item = f64> + '_ {
        self.blocks.values().map(move |(played, sums)| sums[bot] / f64::from(*played))
    }
}

/// Returns the points of each seat, from 0 to 1: the share of its opponents that it has beaten. An opponent in the same
/// place counts half, except if nobody has won and both share the best place: then both have lost. In a game with one seat,
/// the first place is worth 1. `forfeited` says whether all bots forfeited the game: then nobody has won, whatever the
/// places are.
fn points(standing: &Standing, forfeited: bool) -> Vec<f64> {
    let places = &standing.places;
    let best = places.iter().min().copied().unwrap_or(1);
    let won = best == 1 && !forfeited;
    let of_seat = |(seat, own): (usize, &u8)| {
        if places.len() == 1 {
            return f64::from(u8::from(*own == 1));
        }
        let opponents = places.iter().enumerate().filter(|(other, _)| *other != seat);
        let beaten: u32 = opponents
            .map(|(_, other)| match other.cmp(own) {
                std::cmp::Ordering::Greater => 2,
                std::cmp::Ordering::Equal if won || *own != best => 1,
                _ => 0,
            })
            .sum();
        f64::from(beaten) / (2 * (places.len() - 1)) as f64
    };
    places.iter().enumerate().map(of_seat).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Ending, Seed};

    fn standing(places: &[u8]) -> Standing {
        Standing { scores: vec![0; places.len()], places: places.to_vec(), ending: Ending::Limit }
    }

    #[test]
    fn every_bot_plays_in_every_seat_on_every_map() {
        let terms = MatchTerms {
            seed: Seed(7),
            seats: vec!["2:time=off".parse().expect("an option")],
            ..MatchTerms::default()
        };
        let series = Series::new(terms.clone(), 3);
        let games: Vec<SeriesGame> = (1..=6).map(|number| series.game(number)).collect();
        assert_eq!(games[0].terms, terms, "game 1 is the match without a series");
        let seatings: Vec<&[usize]> = games.iter().map(|game| &game.seating[..]).collect();
        assert_eq!(seatings[..3], [[0, 1, 2], [1, 2, 0], [2, 0, 1]]);
        assert_eq!(seatings[..3], seatings[3..]);
        let seeds: Vec<Seed> = games.iter().map(|game| game.terms.seed).collect();
        assert!(seeds[..3] == [Seed(7); 3] && seeds[3..] == [seeds[3]; 3] && seeds[3] != Seed(7));
        let option: Vec<usize> = games.iter().map(|game| game.terms.seats[0].seat.index()).collect();
        assert_eq!(option[..3], [1, 0, 2], "the option moves with its bot");
    }

    #[test]
    fn points_are_the_share_of_beaten_opponents() {
        for (places, expected) in [
            (&[1, 2][..], &[1.0, 0.0][..]),
            (&[1, 1], &[0.5, 0.5]),
            (&[2, 2], &[0.0, 0.0]),
            (&[1, 2, 2], &[1.0, 0.25, 0.25]),
            (&[1, 1, 3], &[0.75, 0.75, 0.0]),
            (&[4, 1, 2, 3], &[0.0, 1.0, 2.0 / 3.0, 1.0 / 3.0]),
            (&[1], &[1.0]),
            (&[2], &[0.0]),
        ] {
            assert_eq!(points(&standing(places), false), expected, "{places:?}");
        }
    }

    #[test]
    fn a_game_that_all_bots_forfeit_is_lost_by_each() {
        for (places, failed, expected) in [
            (&[1, 1][..], &[true, true][..], &[(0, 0, 1, 0.0), (0, 0, 1, 0.0)][..]),
            (&[2, 2], &[true, true], &[(0, 0, 1, 0.0), (0, 0, 1, 0.0)]),
            (&[1, 1], &[true, false], &[(0, 1, 0, 0.5), (0, 1, 0, 0.5)]),
            (&[1, 2], &[true, true], &[(1, 0, 0, 1.0), (0, 0, 1, 0.0)]),
            (&[1, 1, 3], &[true; 3], &[(0, 0, 1, 0.5), (0, 0, 1, 0.5), (0, 0, 1, 0.0)]),
        ] {
            let mut tally = SeriesTally::new(places.len());
            let times = Times::default();
            let game = Series::new(MatchTerms::default(), places.len()).game(1);
            tally.add(&game, &standing(places), failed.iter().map(|failed| (*failed, &times)));
            let found: Vec<_> = tally.bots.iter().map(|bot| (bot.wins, bot.draws, bot.losses, bot.points)).collect();
            assert_eq!(found, expected, "{places:?} {failed:?}");
            assert_eq!(tally.double_forfeits, u32::from(expected.iter().all(|(wins, draws, ..)| wins + draws == 0)));
        }
    }

    #[test]
    fn a_tally_follows_bots_through_their_seats() {
        let series = Series::new(MatchTerms::default(), 2);
        let mut tally = SeriesTally::new(2);
        let times = Times::default();
        // The second bot wins in either seat, then the first one fails, and a draw follows.
        for (number, places, failed) in [(1, [2, 1], None), (2, [1, 2], None), (3, [2, 1], Some(0)), (4, [1, 1], None)]
        {
            let seats = (0..2).map(|seat| (failed == Some(seat), &times));
            tally.add(&series.game(number), &standing(&places), seats);
        }
        tally.add_spoilt();
        let sums: Vec<_> =
            tally.bots.iter().map(|bot| (bot.wins, bot.draws, bot.losses, bot.points, bot.faults)).collect();
        assert_eq!(sums, [(0, 1, 3, 0.5, 1), (3, 1, 0, 3.5, 0)]);
        assert_eq!((tally.games, tally.spoilt), (4, 1));
        assert_eq!(tally.block_means(1).collect::<Vec<_>>(), [1.0, 0.75]);
    }
}
