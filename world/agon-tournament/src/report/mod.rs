//! What a tournament says about its bots: one model, and several renderings of it.
//!
//! The table, the bracket and which matches count come from the schedule. Everything else is summed up over the matches
//! that count.

mod bracket;
mod csv;
mod machines;
mod markdown;
mod played;
mod ratings;
mod section;
pub(crate) mod spoilt;
mod sums;

pub(crate) use bracket::{bracket_text, part};
pub use csv::report_csv;
pub use markdown::report_markdown;
pub(crate) use ratings::{better, elo_range, remarks};
pub use section::{Cell, Section, sections};
pub(crate) use section::{
    Columns, OF_SPOILT, ORDERED_BY, at_least, limit, micros, percent, progress, rating, refused, result, tie, turn,
};

use crate::{
    RateOptions, Seeds, TournamentError, TournamentFile, decisions, export,
    outcome::is_left_out,
    past::{PAGE, Past, parse},
    rate,
    workers::known_workers,
};
use agon_play::parse_clock;
use agon_spec::{
    RateDocument, Refused, ReportBot, ReportBotScores, ReportCross, ReportEncounter, ReportMapScores, ReportMatches,
    ReportNotCounted, ReportRating, ReportRound, ReportSide, ReportStanding, ReportTie, TournamentAbout,
    TournamentReportDocument, TournamentResult,
};
use agon_stats::Rating;
use agon_store::{Ending, Records, StoredBot, StoredMatch};
use agon_tourney::{Entrant, MatchId, Row, Schedule, Standings};
use played::PlayedByBot;
use spoilt::Spoilt;
use std::collections::HashSet;
use sums::Sums;

/// Sums up a tournament as far as it was played. The table is made anew from the results.
///
/// # Errors
/// If the store cannot be read or has no tournament.
pub fn report(records: &impl Records) -> Result<TournamentReportDocument, TournamentError> {
    let files = records.files()?;
    let (Some(first), Some(last)) = (files.first(), files.last()) else {
        return Err(TournamentError::NotBegun);
    };
    let (maps, file) = (records.maps()?, parse(last)?);
    let schedule = Past::read(records, &parse(first)?, maps.len())?.schedule;
    // Bots may have come since the schedule was made. They are not in its table.
    let mut bots = records.bots()?;
    bots.truncate(schedule.spec().entrants as usize);
    let limits: Vec<Limit> = file.bots.iter().map(|bot| limit_of(&file, &bot.clock)).collect();
    let mut matches = Matches {
        counted: schedule.counted().into_iter().collect(),
        erased: schedule.erased_bots(),
        bots: &bots,
        sums: Sums::new(bots.len(), file.seats as usize, maps.len(), schedule.spec().forfeits_lose),
        not_counted: Vec::new(),
        played: PlayedByBot::new(bots.len(), schedule.spec().forfeits_lose),
    };
    let mut spoilt = Spoilt::read(records)?;
    let mut after = 0;
    loop {
        let page = records.matches(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.planned.id;
        page.iter().for_each(|stored| {
            matches.take(stored);
            spoilt.take(stored);
        });
    }
    let Matches { sums, not_counted, played, .. } = matches;
    let ratings = if sums.counted > 0 { ratings(records)? } else { None };
    let standings = schedule.standings();
    let order = standings.order();
    let names = Names(&bots);
    let with_interval = schedule.spec().kind.has_fixed_opponents();
    let rows = |table: &Standings, with_share: bool| -> Vec<ReportStanding> {
        let share = |bot| if with_share { sums.share(bot) } else { None };
        let interval = |bot| if with_share && with_interval { sums.interval(bot) } else { None };
        let row = |row: &Row| standing(row, table, &names, share(row.entrant), interval(row.entrant));
        table.rows.iter().map(row).collect()
    };
    let groups = schedule.group_standings();
    let bracket = bracket(&schedule, &names);
    let mut ties = ties(&standings, &names, &bracket);
    for (number, group) in (1..).zip(&groups) {
        ties.extend(self::ties(group, &names, &[]).into_iter().map(|tie| ReportTie { group: Some(number), ..tie }));
    }
    let progress = schedule.progress();
    Ok(TournamentReportDocument {
        tournament: about(&file, &Seeds::read(records)?),
        points: file.points.to_string(),
        seats: file.seats,
        complete: schedule.is_complete(),
        matches: ReportMatches {
            counted: sums.counted,
            double_forfeits: sums.double_forfeits,
            not_counted: not_counted.iter().filter(|one| one.result == TournamentResult::Finished).count() as u64,
            spoilt: progress.no_result,
            void: not_counted.iter().filter(|one| one.result == TournamentResult::Void).count() as u64,
            left_out: progress.skipped,
            waiting: progress.drawn - progress.finished - progress.void - progress.no_result - progress.skipped,
            planned: schedule.planned(),
        },
        bots: bots.iter().enumerate().map(|(index, bot)| bot_row(bot, sums.refused(index))).collect(),
        tiebreaks: standings.tie_breaks.iter().map(|rule| rule.name().to_owned()).collect(),
        ties,
        groups: groups.iter().map(|group| rows(group, false)).collect(),
        bracket,
        cross: cross(&order, &names, &sums),
        bot_scores: order.iter().map(|bot| bot_scores(*bot, &names, &sums)).collect(),
        map_scores: maps.iter().zip(&sums.maps).map(|(map, sum)| map_row(&map.name, sum)).collect(),
        faults: sums.faults(&order, |bot| names.of(bot)),
        spoilt: spoilt.rows(|bot| names.of(Entrant(bot))),
        not_counted,
        bot_matches: played.rows(order.iter().map(|bot| bot.0), &maps, |bot| names.of(Entrant(bot))),
        decisions: decisions(records)?,
        workers: known_workers(records)?,
        time_used: sums.times(&order, &limits, |bot| names.of(bot)),
        standings: rows(&standings, true),
        ratings,
    })
}

/// Rates the bots by the matches that count.
fn ratings(records: &impl Records) -> Result<Option<RateDocument>, TournamentError> {
    // Without an answer there is nothing to show; `agon rate` says why.
    Ok(rate(&export(records)?, &RateOptions::default()).ok())
}

/// How long a bot may take.
#[derive(Clone, Copy, Default)]
struct Limit {
    move_us: Option<u64>,
    first_us: u64,
    bank_us: Option<u64>,
}

fn limit_of(file: &TournamentFile, own: &str) -> Limit {
    let (game, micros) = (file.game(), |time: std::time::Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    let base = parse_clock(game, game.info().clock, &file.clock);
    let Ok(clock) = base.and_then(|base| parse_clock(game, base, own)) else { return Limit::default() };
    Limit { move_us: clock.hard.map(micros), first_us: micros(clock.first), bank_us: clock.bank.map(micros) }
}

/// The names of the bots.
struct Names<'a>(&'a [StoredBot]);

impl Names<'_> {
    fn of(&self, bot: Entrant) -> String {
        self.0.get(bot.index()).map(|bot| bot.name.clone()).unwrap_or_default()
    }
}

/// Takes one match after the other.
struct Matches<'a> {
    counted: HashSet<MatchId>,
    /// The bots of which no match counts.
    erased: Vec<Entrant>,
    bots: &'a [StoredBot],
    sums: Sums,
    not_counted: Vec<ReportNotCounted>,
    played: PlayedByBot,
}

impl Matches<'_> {
    fn take(&mut self, stored: &StoredMatch) {
        let (planned, id) = (&stored.planned, MatchId(stored.planned.id));
        let mut erased = planned.bots.iter().filter(|bot| self.erased.contains(&Entrant(**bot)));
        let erased = erased.find_map(|bot| self.bots.get(*bot as usize));
        let Some(result) = &stored.result else { return };
        if is_left_out(result) {
            // The schedule has counted it.
            return;
        }
        let counts = result.ending == Ending::Finished && self.counted.contains(&id);
        self.played.take(stored, result, counts);
        if result.ending == Ending::Finished {
            self.sums.take_conduct(&planned.bots, planned.id, result);
        }
        if counts {
            self.sums.take(planned, result);
            return;
        }
        let reason = match (result.ending, erased) {
            (Ending::Finished, Some(bot)) => {
                let why = bot.withdrawn.as_deref().unwrap_or("its organiser took it out");
                format!("{} is withdrawn ({why}), and none of its matches counts", bot.name)
            }
            // It has ended since the schedule was made.
            (Ending::Finished, None) => return,
            (Ending::Spoilt | Ending::Void, _) => result.reason.clone(),
        };
        self.not_counted.push(ReportNotCounted {
            id: planned.id,
            round: planned.round,
            bots: planned.bots.iter().map(|bot| Names(self.bots).of(Entrant(*bot))).collect(),
            result: match result.ending {
                Ending::Finished => TournamentResult::Finished,
                Ending::Spoilt => TournamentResult::Spoilt,
                Ending::Void => TournamentResult::Void,
            },
            reason,
        });
    }
}

pub(crate) fn about(file: &TournamentFile, seeds: &Seeds) -> TournamentAbout {
    TournamentAbout {
        name: file.name.clone(),
        game: file.game.to_owned(),
        rules: file.full_rules(),
        clock: file.full_clock(),
        kind: file.kind.name().to_owned(),
        seed: file.seed,
        seeds: seeds.published(),
        agon: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

fn bot_row(bot: &StoredBot, refused: Refused) -> ReportBot {
    ReportBot {
        name: bot.name.clone(),
        versions: bot.versions.iter().map(|version| version.hash.map(|hash| hash.to_string())).collect(),
        withdrawn: bot.withdrawn.clone(),
        refused,
    }
}

/// Returns what a ladder knows about a bot, for a document.
pub(crate) fn known(rating: Rating) -> ReportRating {
    ReportRating { mean: rating.mean, deviation: rating.deviation }
}

fn standing(
    row: &Row,
    table: &Standings,
    names: &Names<'_>,
    share: Option<f64>,
    interval: Option<[f64; 2]>,
) -> ReportStanding {
    let named = table.tie_breaks.iter().zip(&row.tie_breaks);
    ReportStanding {
        place: row.place,
        bot: names.of(row.entrant),
        points: row.points,
        played: row.played,
        wins: row.wins,
        draws: row.draws,
        losses: row.losses,
        faults: row.faults,
        double_forfeits: row.double_forfeits,
        spoilt: row.spoilt,
        walkovers: row.walkovers,
        tiebreaks: named.filter_map(|(rule, value)| Some((rule.name().to_owned(), (*value)?))).collect(),
        withdrawn: row.withdrawn,
        rating: row.rating.map(known),
        share,
        interval,
    }
}

/// Returns who is separated from the bot above by a tie-break, or by nothing.
fn ties(standings: &Standings, names: &Names<'_>, bracket: &[ReportRound]) -> Vec<ReportTie> {
    let sides = bracket.iter().flat_map(|round| &round.encounters).flat_map(|encounter| &encounter.sides);
    let knockout: HashSet<&str> = sides.filter_map(|side| side.bot.as_deref()).collect();
    let tie = |pair: &[Row]| {
        let [ahead, behind] = pair else { return None };
        // In an elimination bots share a place whatever their points.
        let shared = (ahead.place, ahead.points) == (behind.place, behind.points)
            && !standings.tie_breaks.is_empty()
            && !knockout.contains(names.of(ahead.entrant).as_str());
        if behind.decided_by.is_none() && !shared {
            return None;
        }
        let rule = behind.decided_by.and_then(|rule| standings.tie_breaks.iter().position(|one| *one == rule));
        let value = |row: &Row| rule.and_then(|rule| row.tie_breaks.get(rule).copied()).flatten();
        Some(ReportTie {
            group: None,
            ahead: names.of(ahead.entrant),
            behind: names.of(behind.entrant),
            place: ahead.place,
            tiebreak: behind.decided_by.map(|rule| rule.name().to_owned()),
            values: [value(ahead), value(behind)],
        })
    };
    standings.rows.windows(2).filter_map(tie).collect()
}

fn bracket(schedule: &Schedule, names: &Names<'_>) -> Vec<ReportRound> {
    let rounds = schedule.bracket().map(|bracket| bracket.rounds).unwrap_or_default();
    let side = |side: agon_tourney::Side| ReportSide {
        bot: side.entrant.map(|bot| names.of(bot)),
        bye: side.bye,
        points: side.points,
    };
    let encounter = |one: agon_tourney::BracketEncounter| ReportEncounter {
        part: one.part.map(|part| part.name().to_owned()),
        sides: one.sides.map(side),
        games: one.games.iter().map(|id| id.0).collect(),
        winner: one.winner.map(|bot| names.of(bot)),
        for_place: one.for_place,
    };
    let round = |one: agon_tourney::BracketRound| ReportRound {
        round: one.round,
        encounters: one.encounters.into_iter().map(encounter).collect(),
    };
    rounds.into_iter().map(round).collect()
}

fn cross(order: &[Entrant], names: &Names<'_>, sums: &Sums) -> Vec<ReportCross> {
    let row = |bot: &Entrant| ReportCross {
        bot: names.of(*bot),
        against: order.iter().map(|other| sums.against.get(&(bot.0, other.0)).copied()).collect(),
    };
    order.iter().map(row).collect()
}

fn bot_scores(bot: Entrant, names: &Names<'_>, sums: &Sums) -> ReportBotScores {
    let own = sums.bots.get(bot.index());
    ReportBotScores {
        bot: names.of(bot),
        seats: own.map(|own| own.seats.clone()).unwrap_or_default(),
        maps: own.map(|own| own.maps.clone()).unwrap_or_default(),
    }
}

fn map_row(name: &str, sum: &sums::MapSum) -> ReportMapScores {
    ReportMapScores { map: name.to_owned(), matches: sum.matches, plies: sum.plies, seats: sum.seats.clone() }
}
