//! Sums over the matches of a tournament.

use super::Limit;
use crate::export::{cause_of, refused_of};
use agon_core::forfeited_by_all;
use agon_spec::{Refused, RefusedCount, ReportFault, ReportFaults, ReportScore, ReportTime, ReportTimeBin};
use agon_stats::mean_interval;
use agon_store::{PlannedMatch, RecordedResult, RecordedSeat};
use agon_tourney::Entrant;
use std::{cmp::Ordering, collections::BTreeMap};

/// How many faults of one kind of a bot are shown in full.
const EXAMPLES: usize = 5;
/// The number of bins for times. The last one begins at 2^42 microseconds, which is 51 days.
const BINS: usize = 44;

/// Sums over the matches of a tournament.
pub(super) struct Sums {
    /// The number of matches that count.
    pub counted: u64,
    /// The number of those that all bots forfeited, and each has lost.
    pub double_forfeits: u64,
    forfeits_lose: bool,
    pub bots: Vec<BotSum>,
    pub maps: Vec<MapSum>,
    /// How a bot did against another one.
    pub against: BTreeMap<(u32, u32), ReportScore>,
}

/// Sums over the matches of a bot.
#[derive(Clone, Default)]
pub(super) struct BotSum {
    pub seats: Vec<ReportScore>,
    pub maps: Vec<ReportScore>,
    blocks: Blocks,
    faults: BTreeMap<String, (u64, Vec<ReportFault>)>,
    refused: RefusedCount,
    time: TimeSum,
}

/// The round, the seed of the map, and the bots in ascending order.
type Block = (u32, u64, Vec<u32>);

/// The mean scores of blocks: matches of the same bots on the same map in the same round.
#[derive(Clone, Default)]
struct Blocks {
    means: Vec<f64>,
    matches: u32,
    /// The block that is not complete, with the sum and the number of its scores.
    open: Option<(Block, f64, u32)>,
}

/// The times of a bot in all finished matches.
#[derive(Clone, Default)]
struct TimeSum {
    decisions: u64,
    total_us: u64,
    /// The longest answer, with its match.
    longest: Option<(u64, u64)>,
    bins: Vec<u64>,
}

/// Sums over the matches on a map.
#[derive(Clone, Default)]
pub(super) struct MapSum {
    pub matches: u64,
    pub plies: u64,
    pub seats: Vec<ReportScore>,
}

impl Sums {
    /// `forfeits_lose` as in the specification of the tournament.
    pub(super) fn new(bots: usize, seats: usize, maps: usize, forfeits_lose: bool) -> Self {
        let none = |count: usize| vec![ReportScore::default(); count];
        let bot = BotSum { seats: none(seats), maps: none(maps), ..BotSum::default() };
        let map = MapSum { seats: none(seats), ..MapSum::default() };
        Self {
            counted: 0,
            double_forfeits: 0,
            forfeits_lose,
            bots: vec![bot; bots],
            maps: vec![map; maps],
            against: BTreeMap::new(),
        }
    }

    /// Takes a match that counts.
    pub(super) fn take(&mut self, planned: &PlannedMatch, result: &RecordedResult) {
        self.counted += 1;
        let seats = result.seats.iter().map(|seat| (seat.place, seat.fault.is_some()));
        let forfeited = self.forfeits_lose && forfeited_by_all(seats);
        self.double_forfeits += u64::from(forfeited);
        let on_map = planned.map as usize;
        if let Some(map) = self.maps.get_mut(on_map) {
            map.matches += 1;
            map.plies += u64::from(result.plies);
        }
        let mut bots = planned.bots.clone();
        bots.sort_unstable();
        let block = (planned.round, planned.map_seed, bots);
        for (seat, (bot, own)) in planned.bots.iter().zip(&result.seats).enumerate() {
            let mut score = ReportScore::default();
            for (other_seat, (other, others)) in planned.bots.iter().zip(&result.seats).enumerate() {
                if seat == other_seat {
                    continue;
                }
                let better = own.place.cmp(&others.place);
                // Neither has beaten the other.
                let better = if forfeited && better.is_eq() { Ordering::Greater } else { better };
                add(&mut score, better);
                if bot != other {
                    add(self.against.entry((*bot, *other)).or_default(), better);
                }
            }
            if let Some(map) = self.maps.get_mut(on_map).and_then(|map| map.seats.get_mut(seat)) {
                merge(map, score);
            }
            let Some(sum) = self.bots.get_mut(*bot as usize) else { continue };
            sum.seats.get_mut(seat).into_iter().for_each(|seat| merge(seat, score));
            sum.maps.get_mut(on_map).into_iter().for_each(|map| merge(map, score));
            sum.blocks.take(&block, score.share().unwrap_or(0.5));
        }
    }

    /// Takes the faults and the times of a finished match, which may not count.
    pub(super) fn take_conduct(&mut self, bots: &[u32], id: u64, result: &RecordedResult) {
        for (bot, seat) in bots.iter().zip(&result.seats) {
            let Some(sum) = self.bots.get_mut(*bot as usize) else { continue };
            if seat.decisions > 0 {
                sum.time.take(id, seat);
            }
            sum.refused.add_summary(&refused_of(&seat.refused));
            if let Some(fault) = &seat.fault {
                let (count, examples) = sum.faults.entry(fault.kind.clone()).or_default();
                *count += 1;
                if examples.len() < EXAMPLES {
                    examples.push(ReportFault { id, ply: fault.ply, text: fault.text.clone(), cause: cause_of(fault) });
                }
            }
        }
    }

    /// Returns what was refused to a bot in its finished matches.
    pub(super) fn refused(&self, bot: usize) -> Refused {
        self.bots.get(bot).map(|bot| bot.refused.summary()).unwrap_or_default()
    }

    /// Returns the share of its comparisons that a bot has won.
    pub(super) fn share(&self, bot: Entrant) -> Option<f64> {
        let mut all = ReportScore::default();
        self.bots.get(bot.index())?.seats.iter().for_each(|seat| merge(&mut all, *seat));
        all.share()
    }

    /// Returns the 95 % interval of that share.
    pub(super) fn interval(&self, bot: Entrant) -> Option<[f64; 2]> {
        let blocks = &self.bots.get(bot.index())?.blocks;
        let interval = mean_interval(&blocks.means(), blocks.matches);
        (blocks.matches > 0).then_some([interval.low, interval.high])
    }

    /// Returns the faults by bot, most frequent first.
    pub(super) fn faults(&self, order: &[Entrant], name: impl Fn(Entrant) -> String) -> Vec<ReportFaults> {
        let mut rows = Vec::new();
        for bot in order {
            let Some(sum) = self.bots.get(bot.index()) else { continue };
            let mut kinds: Vec<_> = sum.faults.iter().collect();
            kinds.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
            rows.extend(kinds.into_iter().map(|(kind, (count, examples))| ReportFaults {
                bot: name(*bot),
                kind: kind.clone(),
                count: *count,
                examples: examples.clone(),
            }));
        }
        rows
    }

    pub(super) fn times(
        &self,
        order: &[Entrant],
        limits: &[Limit],
        name: impl Fn(Entrant) -> String,
    ) -> Vec<ReportTime> {
        let all: u64 = self.bots.iter().map(|bot| bot.time.total_us).fold(0, u64::saturating_add);
        let row = |bot: &Entrant| {
            let TimeSum { decisions, total_us, longest, bins } = &self.bots.get(bot.index())?.time;
            let limit = limits.get(bot.index()).copied().unwrap_or_default();
            let bin = |(power, matches): (usize, &u64)| {
                (*matches > 0).then_some(ReportTimeBin { below_us: 1 << power, matches: *matches })
            };
            Some(ReportTime {
                bot: name(*bot),
                decisions: *decisions,
                mean_us: total_us.checked_div(*decisions),
                longest_us: longest.map(|(us, _)| us),
                longest_id: longest.map(|(_, id)| id),
                limit_us: limit.move_us,
                first_us: limit.first_us,
                bank_us: limit.bank_us,
                share: *total_us as f64 / all.max(1) as f64,
                longest_by_size: bins.iter().enumerate().filter_map(bin).collect(),
            })
        };
        order.iter().filter_map(row).collect()
    }
}

impl Blocks {
    fn take(&mut self, block: &Block, score: f64) {
        self.matches = self.matches.saturating_add(1);
        match &mut self.open {
            Some((open, sum, count)) if open == block => (*sum, *count) = (*sum + score, *count + 1),
            _ => {
                let before = self.open.replace((block.clone(), score, 1));
                self.means.extend(before.map(|(_, sum, count)| sum / f64::from(count)));
            }
        }
    }

    /// Returns the mean score of each block.
    fn means(&self) -> Vec<f64> {
        let open = self.open.as_ref().map(|(_, sum, count)| sum / f64::from(*count));
        self.means.iter().copied().chain(open).collect()
    }
}

impl TimeSum {
    fn take(&mut self, id: u64, seat: &RecordedSeat) {
        self.decisions += seat.decisions;
        self.total_us = self.total_us.saturating_add(seat.time_us);
        if self.longest.is_none_or(|(longest, _)| seat.max_us > longest) {
            self.longest = Some((seat.max_us, id));
        }
        self.bins.resize(BINS, 0);
        let power = (u64::BITS - seat.max_us.leading_zeros()) as usize;
        self.bins[power.min(BINS - 1)] += 1;
    }
}

fn add(score: &mut ReportScore, place: Ordering) {
    match place {
        Ordering::Less => score.won += 1,
        Ordering::Equal => score.level += 1,
        Ordering::Greater => score.lost += 1,
    }
}

fn merge(into: &mut ReportScore, score: ReportScore) {
    into.won += score.won;
    into.level += score.level;
    into.lost += score.lost;
}
