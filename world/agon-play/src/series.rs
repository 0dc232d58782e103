//! Series: the same bots play a number of games, with seats exchanged and new maps.

use crate::{MapSource, MatchResult, MatchTerms};
use agon_core::{Fingerprint, Standing, forfeited_by_all};
use agon_referee::Times;
use agon_spec::RefusedCount;
use std::collections::{BTreeMap, BTreeSet};

/// A number of games between the same bots. Games come in blocks: in a block, every bot plays in every seat once, on the
/// same map and with the same seed. So no bot profits from a map that favours a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Series {
    terms: MatchTerms,
    maps: Vec<MapSource>,
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
        Self { maps: vec![terms.map.clone()], terms, bots }
    }

    /// Plays on these maps in turn, a block on each. An empty list changes nothing.
    #[must_use]
    pub fn on(mut self, maps: &[MapSource]) -> Self {
        if !maps.is_empty() {
            self.maps = maps.to_vec();
        }
        self
    }

    /// Returns a game by its number, from 1. The first block has the seed of the series, so that game 1 is the match that is
    /// played without a series. The seeds of the other blocks are derived from it.
    #[must_use]
    pub fn game(&self, number: u32) -> SeriesGame {
        let (count, index) = (self.bots.max(1), number.saturating_sub(1) as usize);
        let (block, turn) = ((index / count) as u32, index % count);
        let seating: Vec<usize> = (0..count).map(|seat| (seat + turn) % count).collect();
        let MatchTerms { seed, seeds, .. } = self.terms;
        let seed = if block == 0 { seed } else { seeds.seed(seed, "series", u64::from(block)) };
        let map = self.maps[block as usize % self.maps.len()].clone();
        SeriesGame { number, block, terms: MatchTerms { map, ..self.terms.seated(seed, &seating) }, seating }
    }
}

/// The results of a series so far.
#[derive(Clone, Debug)]
pub struct SeriesTally {
    /// What became of each bot in the games that were played, in the order of the series.
    bots: Vec<BotTally>,
    /// The number of games with a result.
    pub games: u32,
    /// The number of games without one.
    pub spoilt: u32,
    /// The number of games that [all bots forfeited](forfeited_by_all). Each has lost them.
    pub double_forfeits: u32,
    /// The games with a result, by their numbers.
    played: BTreeMap<u32, Played>,
}

/// A game with a result.
#[derive(Clone, Debug)]
struct Played {
    block: u32,
    /// The map and the bot in each seat.
    place: u64,
    /// Everything that is known of how it went.
    identity: u64,
    failed: bool,
    /// For each bot, how it ended and its points.
    ends: Vec<(End, f64)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Won,
    Drawn,
    Lost,
}

/// What tells two games of a series apart, beside the places of the bots.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Course {
    /// A number for the text of the map.
    pub map: u64,
    /// The fingerprint of the last position.
    pub fingerprint: u64,
    /// The number of turns.
    pub plies: u32,
}

impl Course {
    /// Returns how a match on a map with this text went.
    #[must_use]
    pub fn of(result: &MatchResult, map: &str) -> Self {
        Self {
            map: Fingerprint::new().bytes(map.as_bytes()).finish(),
            fingerprint: result.fingerprint,
            plies: result.plies,
        }
    }
}

/// The games of a series that count: a game that only repeats an earlier one says nothing new, however often it is played.
#[derive(Clone, Debug)]
pub struct SeriesSums {
    /// The sum of each bot, in the order of the series.
    pub bots: Vec<BotTally>,
    /// The number of games that count.
    pub games: u32,
    /// The number of games that only repeat an earlier one: on the same map, with the same bots in the same seats, to the same
    /// end. They count nevertheless if another end on the same map has shown that bots vary. A game in which a bot failed shows
    /// that only of failing: it may be chance, or of the host.
    pub repeats: u32,
    /// For each block: the number of its games that count, and the points of each bot in them.
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
    /// The sum of its points.
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
        Self { bots: vec![BotTally::default(); bots], games: 0, spoilt: 0, double_forfeits: 0, played: BTreeMap::new() }
    }

    /// Adds the refused commands of a game with a result, seat by seat.
    pub fn add_refused(&mut self, game: &SeriesGame, seats: &[RefusedCount]) {
        for (bot, refused) in game.seating.iter().zip(seats) {
            self.bots[*bot].refused.merge(refused);
        }
    }

    /// Adds a game with a result. `seats` says for each seat whether its bot failed, and how long its decisions took.
    pub fn add<'a>(
        &mut self,
        game: &SeriesGame,
        standing: &Standing,
        course: Course,
        seats: impl Iterator<Item = (bool, &'a Times)>,
    ) {
        self.games += 1;
        let seats: Vec<(bool, &Times)> = seats.collect();
        let failed = seats.iter().map(|(failed, _)| *failed);
        let forfeited = forfeited_by_all(standing.places.iter().map(|place| u32::from(*place)).zip(failed));
        self.double_forfeits += u32::from(forfeited);
        let points = points(standing, forfeited);
        let shared = standing.places.iter().filter(|place| **place == 1).count() > 1;
        let mut ends = vec![(End::Lost, 0.0); self.bots.len()];
        let mut place = Fingerprint::new();
        place.u64(course.map);
        let (mut any_failed, mut failures) = (false, Vec::new());
        for (seat, (failed, times)) in seats.into_iter().enumerate() {
            let index = game.seating[seat];
            place.u64(index as u64);
            let end = match standing.places[seat] {
                1 if forfeited => End::Lost,
                1 if shared => End::Drawn,
                1 => End::Won,
                _ => End::Lost,
            };
            ends[index] = (end, points[seat]);
            let bot = &mut self.bots[index];
            bot.faults += u32::from(failed);
            bot.times.merge(times);
            any_failed |= failed;
            failures.push(failed);
        }
        let place = place.finish();
        let mut identity = Fingerprint::new();
        for failed in failures {
            identity.u32(u32::from(failed));
        }
        identity.u64(place).u64(course.fingerprint).u32(course.plies).bytes(&standing.places);
        for score in &standing.scores {
            identity.i64(*score);
        }
        let identity = identity.finish();
        self.played.insert(game.number, Played { block: game.block, place, identity, failed: any_failed, ends });
    }

    /// Adds a game without a result.
    pub fn add_spoilt(&mut self) {
        self.spoilt += 1;
    }

    /// Returns the games that count. Which of them do does not depend on the order in which they have ended.
    #[must_use]
    pub fn sums(&self) -> SeriesSums {
        // Whether another game came of the same map and seats. Then equal games are chance.
        let varies = |games: &[&Played], counts: fn(&Played, &Played) -> bool| {
            let mut first_of_place = BTreeMap::new();
            games.iter().any(|game| {
                let first = *first_of_place.entry(game.place).or_insert(*game);
                first.identity != game.identity && counts(first, game)
            })
        };
        let all: Vec<&Played> = self.played.values().collect();
        let without_faults: Vec<&Played> = all.iter().copied().filter(|game| !game.failed).collect();
        let varies = [varies(&without_faults, |_, _| true), varies(&all, |first, game| first.failed || game.failed)];
        let mut sums = SeriesSums { bots: self.bots.clone(), games: 0, repeats: 0, blocks: BTreeMap::new() };
        let mut seen = BTreeSet::new();
        for game in self.played.values() {
            if !seen.insert(game.identity) && !varies[usize::from(game.failed)] {
                sums.repeats += 1;
                continue;
            }
            sums.games += 1;
            let (played, points_of) = sums.blocks.entry(game.block).or_insert_with(|| (0, vec![0.0; game.ends.len()]));
            *played += 1;
            for (((end, points), bot), sum) in game.ends.iter().zip(&mut sums.bots).zip(points_of) {
                *match end {
                    End::Won => &mut bot.wins,
                    End::Drawn => &mut bot.draws,
                    End::Lost => &mut bot.losses,
                } += 1;
                bot.points += points;
                *sum += points;
            }
        }
        sums
    }
}

impl SeriesSums {
    /// Returns the mean points of a bot in each block that has a game that counts, in the order of the blocks.
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
            tally.add(&game, &standing(places), Course::default(), failed.iter().map(|failed| (*failed, &times)));
            let bots = tally.sums().bots;
            let found: Vec<_> = bots.iter().map(|bot| (bot.wins, bot.draws, bot.losses, bot.points)).collect();
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
            let course = Course { map: 1, fingerprint: number.into(), plies: 9 };
            tally.add(&series.game(number), &standing(&places), course, seats);
        }
        tally.add_spoilt();
        let sums = tally.sums();
        let bots: Vec<_> =
            sums.bots.iter().map(|bot| (bot.wins, bot.draws, bot.losses, bot.points, bot.faults)).collect();
        assert_eq!(bots, [(0, 1, 3, 0.5, 1), (3, 1, 0, 3.5, 0)]);
        assert_eq!((tally.games, tally.spoilt, sums.games, sums.repeats), (4, 1, 4, 0));
        assert_eq!(sums.block_means(1).collect::<Vec<_>>(), [1.0, 0.75]);
    }

    #[test]
    fn a_game_that_only_repeats_another_one_counts_once() {
        let series = Series::new(MatchTerms::default(), 2);
        // For each game its map, its last position, and whether the first bot failed. The first bot wins from the first seat.
        let sums = |games: &[(u64, u64, bool)]| {
            let mut tally = SeriesTally::new(2);
            let times = Times::default();
            // They end in any order.
            for (i, (map, fingerprint, failed)) in games.iter().enumerate().rev() {
                let game = series.game(i as u32 + 1);
                let course = Course { map: *map, fingerprint: *fingerprint, plies: 3 };
                let failed = |seat: usize| *failed && game.seating[seat] == 0;
                tally.add(&game, &standing(&[1, 2]), course, (0..2).map(|seat| (failed(seat), &times)));
            }
            let sums = tally.sums();
            (sums.games, sums.repeats, sums.bots[0].wins, sums.bots[1].wins, sums.block_means(0).count())
        };
        let same = [(7, 1, false), (7, 2, false)];
        assert_eq!(sums(&same.repeat(50)), (2, 98, 1, 1, 1), "two games, fifty times");
        let cut_off = &same.repeat(50)[..99];
        assert_eq!(sums(cut_off), (2, 97, 1, 1, 1), "also if the last pair is cut off");
        let maps: Vec<_> = (0..10).flat_map(|map| [(map % 3, 1, false), (map % 3, 2, false)]).collect();
        assert_eq!(sums(&maps), (6, 14, 3, 3, 3), "three maps in turn");
        let varying = [same.to_vec(), vec![(7, 3, false), (7, 2, false), (7, 1, false), (7, 2, false)]].concat();
        assert_eq!(sums(&varying), (6, 0, 3, 3, 3), "the same seats on the same map have ended otherwise");
        let failing = [(7, 1, true), (7, 2, false)].repeat(5);
        assert_eq!(sums(&failing), (2, 8, 1, 1, 1), "it always fails in the same way");
        let (crash, other) = ((7, 1, true), (7, 2, false));
        let by_chance = [crash, other, (7, 1, false), other, crash, other];
        assert_eq!(sums(&by_chance), (4, 2, 3, 1, 3), "it fails by chance, and plays the same otherwise");
    }

    #[test]
    fn maps_follow_one_another_by_blocks() {
        let maps = ["a.txt", "b.txt", "gen:7"].map(|map| map.parse::<MapSource>().unwrap());
        let series = Series::new(MatchTerms { map: maps[0].clone(), ..MatchTerms::default() }, 2).on(&maps);
        let played: Vec<_> = (1..=8).map(|number| series.game(number).terms.map).collect();
        assert_eq!(played, [0, 0, 1, 1, 2, 2, 0, 0].map(|map| maps[map].clone()));
        let one = Series::new(MatchTerms { map: maps[1].clone(), ..MatchTerms::default() }, 2).on(&[]);
        assert!((1..9).all(|number| one.game(number).terms.map == maps[1]));
    }
}
