//! Which matches count, and which bots are the same.

use agon_spec::{TournamentBotRow, TournamentDocument, TournamentMatch, TournamentResult};
use std::collections::{BTreeMap, BTreeSet};

/// Which matches of a tournament count. Without anything all of them do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RateFilter {
    /// Only matches on one of these maps.
    pub maps: Vec<String>,
    /// Only matches in which each of these bots had this seat, from 1.
    pub seats: Vec<(String, usize)>,
    /// Only matches with one of these bots.
    pub opponents: Vec<String>,
    /// Only matches that began at this time or later, in milliseconds since 1970.
    pub since_ms: Option<i64>,
    /// Only matches that began before this time, in milliseconds since 1970.
    pub until_ms: Option<i64>,
}

/// A bot, with those that have the same artefacts.
pub(super) struct Rival {
    pub(super) name: String,
    pub(super) copies: Vec<String>,
    pub(super) matches: u64,
    /// Comparisons with opponents, and the points won in them.
    pub(super) compared: u64,
    pub(super) points: f64,
}

/// A match that counts.
pub(super) struct Game {
    pub(super) round: u32,
    pub(super) map: u32,
    /// The bot and the place of each seat.
    pub(super) places: Vec<(u32, u32)>,
}

/// The matches that count.
pub(super) struct Games {
    /// The bots that have played one of them. Others would be groups of their own, and say nothing.
    pub(super) bots: Vec<Rival>,
    pub(super) maps: Vec<String>,
    pub(super) games: Vec<Game>,
    pub(super) left_out: u64,
    /// Those of the matches left out that all bots forfeited.
    pub(super) double_forfeits: u64,
    /// Those of `left_out` that copies of one bot have played against each other.
    pub(super) between_copies: u64,
}

/// Whether a match counts.
enum Counted {
    Yes(Game),
    No,
    /// It was played between copies of one bot.
    BetweenCopies,
}

impl Games {
    pub(super) fn of(document: &TournamentDocument, filter: &RateFilter) -> Result<Self, String> {
        let (bots, numbers) = same_bots(&document.bots);
        let maps: BTreeSet<&str> = document.matches.iter().map(|row| row.map.as_str()).collect();
        let maps: Vec<String> = maps.into_iter().map(str::to_owned).collect();
        check(filter, &numbers, &maps)?;
        let mut games = Self { bots, maps, games: Vec::new(), left_out: 0, double_forfeits: 0, between_copies: 0 };
        for row in &document.matches {
            match games.game(row, filter, &numbers) {
                // It says nothing about which of them is stronger.
                Counted::Yes(_) if row.is_double_forfeit() => {
                    games.left_out += 1;
                    games.double_forfeits += 1;
                }
                Counted::Yes(game) => games.add(game),
                Counted::No => games.left_out += 1,
                Counted::BetweenCopies => {
                    games.left_out += 1;
                    games.between_copies += 1;
                }
            }
        }
        if games.games.is_empty() {
            return Err(games.nothing_to_rate());
        }
        games.leave_out_unplayed();
        Ok(games)
    }

    /// Leaves out the bots without a match, and numbers the others anew.
    fn leave_out_unplayed(&mut self) {
        let mut count = 0;
        let mut number = |bot: &Rival| {
            count += u32::from(bot.matches > 0);
            count.saturating_sub(1)
        };
        let numbers: Vec<u32> = self.bots.iter().map(&mut number).collect();
        self.bots.retain(|bot| bot.matches > 0);
        for (bot, _) in self.games.iter_mut().flat_map(|game| &mut game.places) {
            *bot = numbers[*bot as usize];
        }
    }

    /// Says why there is nothing to rate.
    fn nothing_to_rate(&self) -> String {
        let copies = self.bots.iter().find(|bot| !bot.copies.is_empty() && self.between_copies > 0);
        let Some(bot) = copies else {
            return match self.double_forfeits {
                0 => "there is no match to rate".to_owned(),
                _ => "there is no match to rate: all bots failed in each".to_owned(),
            };
        };
        let (first, second) = (&bot.name, &bot.copies[0]);
        format!(
            "there is no match to rate: `{first}` and `{second}` are copies of one bot, and matches between copies say nothing \
             about strength"
        )
    }

    /// Returns a match if it counts.
    fn game(&self, row: &TournamentMatch, filter: &RateFilter, numbers: &BTreeMap<String, u32>) -> Counted {
        self.counted(row, filter, numbers).unwrap_or(Counted::No)
    }

    fn counted(&self, row: &TournamentMatch, filter: &RateFilter, numbers: &BTreeMap<String, u32>) -> Option<Counted> {
        let has = |name: &String| row.seats.iter().any(|seat| seat.bot == *name);
        let sits = |(name, seat): &(String, usize)| row.seats.get(seat - 1).is_some_and(|own| own.bot == *name);
        let counts = row.result == TournamentResult::Finished
            && row.counts
            && (filter.maps.is_empty() || filter.maps.contains(&row.map))
            && (filter.opponents.is_empty() || filter.opponents.iter().any(has))
            && filter.seats.iter().all(sits)
            && filter.since_ms.is_none_or(|since| row.time_started_ms >= since)
            && filter.until_ms.is_none_or(|until| row.time_started_ms < until);
        let place = |seat: &agon_spec::TournamentSeat| Some((*numbers.get(&seat.bot)?, seat.place?));
        let places: Vec<(u32, u32)> = counts.then(|| row.seats.iter().map(place).collect::<Option<_>>())??;
        // Copies of one bot say nothing about each other. With more seats, a match that two of them play says something about
        // the others, but the models know no bot that is in one match twice.
        let different: BTreeSet<u32> = places.iter().map(|(bot, _)| *bot).collect();
        let map = self.maps.binary_search(&row.map).ok()? as u32;
        Some(match (different.len() == places.len(), places.len()) {
            (_, 0 | 1) => Counted::No,
            (true, _) => Counted::Yes(Game { round: row.round, map, places }),
            (false, _) => Counted::BetweenCopies,
        })
    }

    fn add(&mut self, game: Game) {
        for (bot, place) in &game.places {
            let own = &mut self.bots[*bot as usize];
            own.matches += 1;
            for (_, other) in game.places.iter().filter(|(other, _)| other != bot) {
                own.compared += 1;
                own.points += match place.cmp(other) {
                    std::cmp::Ordering::Less => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 0.0,
                };
            }
        }
        self.games.push(game);
    }
}

/// Returns the bots, each once, and the number of each name. Bots are the same if all their versions are.
fn same_bots(rows: &[TournamentBotRow]) -> (Vec<Rival>, BTreeMap<String, u32>) {
    let (mut bots, mut numbers): (Vec<Rival>, BTreeMap<String, u32>) = (Vec::new(), BTreeMap::new());
    let mut known: BTreeMap<Vec<&str>, u32> = BTreeMap::new();
    for row in rows {
        let artefacts: Option<Vec<&str>> = row.versions.iter().map(Option::as_deref).collect();
        let artefacts = artefacts.filter(|artefacts| !artefacts.is_empty());
        let number = artefacts.as_ref().and_then(|artefacts| known.get(artefacts).copied());
        let number = number.unwrap_or(bots.len() as u32);
        if let Some(bot) = bots.get_mut(number as usize) {
            bot.copies.push(row.name.clone());
        } else {
            bots.push(Rival { name: row.name.clone(), copies: Vec::new(), matches: 0, compared: 0, points: 0.0 });
        }
        if let Some(artefacts) = artefacts {
            known.insert(artefacts, number);
        }
        numbers.insert(row.name.clone(), number);
    }
    (bots, numbers)
}

/// Checks that a filter names what exists.
fn check(filter: &RateFilter, bots: &BTreeMap<String, u32>, maps: &[String]) -> Result<(), String> {
    let names = filter.opponents.iter().chain(filter.seats.iter().map(|(name, _)| name));
    if let Some(name) = names.into_iter().find(|name| !bots.contains_key(*name)) {
        return Err(format!("the tournament has no bot `{name}`"));
    }
    if let Some(map) = filter.maps.iter().find(|map| maps.binary_search(map).is_err()) {
        return Err(format!("no match was played on the map `{map}`"));
    }
    if let Some((name, _)) = filter.seats.iter().find(|(_, seat)| *seat == 0) {
        return Err(format!("seats count from 1, so `{name}` cannot have seat 0"));
    }
    Ok(())
}
