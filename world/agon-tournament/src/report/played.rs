//! The last matches of each bot.

use agon_core::forfeited_by_all;
use agon_spec::{ReportBotMatch, ReportBotMatches, ReportShare};
use agon_store::{RecordedResult, RecordedSeat, StoredMap, StoredMatch};
use std::collections::VecDeque;

/// The most matches of a bot that are listed.
const LISTED: usize = 200;

/// A match of a bot that is over.
struct Match {
    id: u64,
    round: u32,
    map: u32,
    against: Vec<u32>,
    result: Option<ReportShare>,
    score: Option<i64>,
    fault: Option<String>,
}

/// The last matches of each bot, by its number.
pub(super) struct PlayedByBot {
    forfeits_lose: bool,
    bots: Vec<(VecDeque<Match>, u64)>,
}

impl PlayedByBot {
    /// `forfeits_lose` as in the specification of the tournament.
    pub(super) fn new(bots: usize, forfeits_lose: bool) -> Self {
        Self { forfeits_lose, bots: (0..bots).map(|_| (VecDeque::new(), 0)).collect() }
    }

    /// Takes a match that is over and was not left out.
    pub(super) fn take(&mut self, stored: &StoredMatch, result: &RecordedResult, counts: bool) {
        let planned = &stored.planned;
        for (seat, bot) in planned.bots.iter().enumerate() {
            let Some((last, earlier)) = self.bots.get_mut(*bot as usize) else { continue };
            let own = result.seats.get(seat);
            let others = planned.bots.iter().enumerate().filter(|(other, _)| *other != seat);
            last.push_back(Match {
                id: planned.id,
                round: planned.round,
                map: planned.map,
                against: others.map(|(_, bot)| *bot).collect(),
                result: own.filter(|_| counts).map(|own| share(own, &result.seats, self.forfeits_lose)),
                score: own.map(|own| own.score),
                fault: own.and_then(|own| Some(own.fault.as_ref()?.kind.clone())),
            });
            if last.len() > LISTED {
                last.pop_front();
                *earlier += 1;
            }
        }
    }

    /// Returns the matches of these bots. `name` names a bot.
    pub(super) fn rows(
        &self,
        order: impl Iterator<Item = u32>,
        maps: &[StoredMap],
        name: impl Fn(u32) -> String,
    ) -> Vec<ReportBotMatches> {
        let row = |one: &Match| ReportBotMatch {
            id: one.id,
            round: one.round,
            map: maps.get(one.map as usize).map(|map| map.name.clone()).unwrap_or_default(),
            against: one.against.iter().map(|bot| name(*bot)).collect(),
            result: one.result,
            score: one.score,
            fault: one.fault.clone(),
        };
        let of_bot = |bot: u32| {
            let (matches, earlier) = self.bots.get(bot as usize)?;
            Some(ReportBotMatches { bot: name(bot), matches: matches.iter().map(row).collect(), earlier: *earlier })
        };
        order.filter_map(of_bot).collect()
    }
}

fn share(own: &RecordedSeat, seats: &[RecordedSeat], forfeits_lose: bool) -> ReportShare {
    let forfeited = forfeits_lose && forfeited_by_all(seats.iter().map(|seat| (seat.place, seat.fault.is_some())));
    match seats.iter().filter(|seat| seat.place == 1).count() {
        _ if own.place != 1 || forfeited => ReportShare::Lost,
        1 => ReportShare::Won,
        _ => ReportShare::Drawn,
    }
}
