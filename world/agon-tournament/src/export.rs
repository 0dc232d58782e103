//! A tournament as data for other programs.

use crate::{
    Seeds, TournamentError, decisions,
    outcome::is_left_out,
    past::{PAGE, Past, parse},
    report::{about, known},
    workers::{known_workers, worker_names},
};
use agon_core::{Seed, forfeited_by_all, text::clean};
use agon_spec::{
    ExportedStanding, FaultCause, Mark, Refused, RefusedKind, TournamentBotRow, TournamentDocument, TournamentMatch,
    TournamentResult, TournamentSeat,
};
use agon_store::{EarlierResult, Ending, RecordedFault, RecordedRefusals, Records, StoredBot, StoredMap, StoredMatch};
use agon_tourney::{MatchId, Row, Standings};
use std::collections::{BTreeMap, HashSet};

/// Returns everything that a store has of a tournament. The table is made anew from the results.
///
/// # Errors
/// If the store cannot be read or has no tournament.
pub fn export(records: &impl Records) -> Result<TournamentDocument, TournamentError> {
    let files = records.files()?;
    let (Some(first), Some(last)) = (files.first(), files.last()) else {
        return Err(TournamentError::NotBegun);
    };
    let (maps, bots, file) = (records.maps()?, records.bots()?, parse(last)?);
    let schedule = Past::read(records, &parse(first)?, maps.len())?.schedule;
    let (standings, seeds) = (schedule.standings(), Seeds::read(records)?);
    let counted: HashSet<MatchId> = schedule.counted().into_iter().collect();
    let names = worker_names(records)?;
    let mut matches = Vec::new();
    let mut after = 0;
    loop {
        let page = records.matches(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.planned.id;
        matches.extend(page.iter().filter_map(|stored| {
            let counts = counted.contains(&MatchId(stored.planned.id));
            match_row(stored, counts, seeds.are_public(), &bots, &maps, &names)
        }));
    }
    let mut earlier = Vec::new();
    for EarlierResult { stored, .. } in records.earlier()? {
        // As long as it is to be played again, its seed is not published again.
        let is_over = records.find(stored.planned.id)?.is_some_and(|now| now.result.is_some());
        let row = match_row(&stored, false, seeds.are_public(), &bots, &maps, &names);
        earlier
            .extend(row.map(|row| TournamentMatch { seed: row.seed.filter(|_| is_over || seeds.are_public()), ..row }));
    }
    Ok(TournamentDocument {
        tournament: about(&file, &seeds),
        standings: standings.rows.iter().map(|row| standing_row(row, &standings, &bots)).collect(),
        bots: bots.iter().map(bot_row).collect(),
        matches,
        decisions: decisions(records)?,
        earlier,
        workers: known_workers(records)?,
    })
}

fn bot_row(bot: &StoredBot) -> TournamentBotRow {
    TournamentBotRow {
        name: bot.name.clone(),
        versions: bot.versions.iter().map(|version| version.hash.map(|hash| hash.to_string())).collect(),
        withdrawn: bot.withdrawn.is_some(),
    }
}

fn standing_row(row: &Row, standings: &Standings, bots: &[StoredBot]) -> ExportedStanding {
    let named = standings.tie_breaks.iter().zip(&row.tie_breaks);
    ExportedStanding {
        place: row.place,
        bot: name(bots, row.entrant.0),
        points: row.points,
        played: row.played,
        tiebreaks: named.filter_map(|(tie_break, value)| Some((tie_break.name().to_owned(), (*value)?))).collect(),
        rating: row.rating.map(known),
    }
}

fn match_row(
    stored: &StoredMatch,
    counts: bool,
    is_public: bool,
    bots: &[StoredBot],
    maps: &[StoredMap],
    workers: &BTreeMap<u32, String>,
) -> Option<TournamentMatch> {
    let (planned, result) = (&stored.planned, stored.result.as_ref()?);
    if is_left_out(result) {
        return None;
    }
    let seat = |(index, bot): (usize, &u32)| {
        let seat = result.seats.get(index);
        TournamentSeat {
            bot: name(bots, *bot),
            version: seat.map(|seat| seat.version),
            score: seat.map(|seat| seat.score),
            place: seat.map(|seat| seat.place),
            fault: seat.and_then(|seat| Some(seat.fault.as_ref()?.kind.clone())),
            cause: seat.and_then(|seat| cause_of(seat.fault.as_ref()?)),
            refused: seat.map(|seat| refused_of(&seat.refused)).unwrap_or_default(),
            time_us: seat.map_or(0, |seat| seat.time_us),
        }
    };
    Some(TournamentMatch {
        id: planned.id,
        round: planned.round,
        map: maps.get(planned.map as usize).map(|map| map.name.clone()).unwrap_or_default(),
        // What has no result may be played again.
        seed: (is_public || result.ending == Ending::Finished).then_some(Seed(planned.seed)),
        result: match result.ending {
            Ending::Finished => TournamentResult::Finished,
            Ending::Spoilt => TournamentResult::Spoilt,
            Ending::Void => TournamentResult::Void,
        },
        reason: result.reason.clone(),
        seats: planned.bots.iter().enumerate().map(seat).collect(),
        plies: result.plies,
        fingerprint: result.fingerprint.map(Mark),
        time_started_ms: result.started_ms,
        time_us: result.wall_us,
        counts: counts && result.ending == Ending::Finished,
        double_forfeit: result.ending == Ending::Finished
            && forfeited_by_all(result.seats.iter().map(|seat| (seat.place, seat.fault.is_some()))),
        worker: result.worker.and_then(|worker| workers.get(&worker).cloned()),
    })
}

pub(crate) fn cause_of(fault: &RecordedFault) -> Option<FaultCause> {
    fault.cause.as_deref().and_then(FaultCause::named)
}

pub(crate) fn refused_of(refused: &RecordedRefusals) -> Refused {
    let kind = |(text, count): &(String, u64)| RefusedKind { text: text.clone(), count: *count };
    Refused { count: refused.count, of: refused.of, top: refused.top.iter().map(kind).collect() }
}

fn name(bots: &[StoredBot], number: u32) -> String {
    bots.get(number as usize).map(|bot| bot.name.clone()).unwrap_or_default()
}

/// Writes the matches of a document as CSV, one line for each seat. A first line names the columns.
#[must_use]
pub fn to_csv(document: &TournamentDocument) -> String {
    let mut text =
        "match,round,map,seed,result,reason,seat,bot,version,score,place,fault,time_us,cause,refused,double_forfeit,worker\n"
            .to_owned();
    for row in &document.matches {
        let result = match row.result {
            TournamentResult::Finished => Ending::Finished,
            TournamentResult::Spoilt => Ending::Spoilt,
            TournamentResult::Void => Ending::Void,
        };
        for (number, seat) in (1..).zip(&row.seats) {
            let cells: [String; 17] = [
                row.id.to_string(),
                row.round.to_string(),
                cell(&row.map),
                row.seed.map(|seed| seed.to_string()).unwrap_or_default(),
                result.name().to_owned(),
                cell(&row.reason),
                format!("{number}"),
                cell(&seat.bot),
                seat.version.map(|version| version.to_string()).unwrap_or_default(),
                seat.score.map(|score| score.to_string()).unwrap_or_default(),
                seat.place.map(|place| place.to_string()).unwrap_or_default(),
                cell(seat.fault.as_deref().unwrap_or_default()),
                seat.time_us.to_string(),
                seat.cause.map_or("", FaultCause::name).to_owned(),
                seat.refused.count.to_string(),
                u8::from(row.double_forfeit).to_string(),
                cell(row.worker.as_deref().unwrap_or_default()),
            ];
            text.push_str(&cells.join(","));
            text.push('\n');
        }
    }
    text
}

/// Writes a text as a cell of CSV, with control characters made visible. Spreadsheets run what begins with `=`, `+`,
/// `-` or `@`, so such a text gets a `'` before it.
pub(crate) fn cell(text: &str) -> String {
    let text = clean(text);
    let text = if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text };
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_run_nothing() {
        for (text, expected) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("=1+1", "'=1+1"),
            ("@random, twice", "\"'@random, twice\""),
            ("\u{1b}[2J\u{202e}x", "\\x1b[2J\\u{202e}x"),
            ("a\nb\t=1", "a\\nb\\t=1"),
            ("", ""),
        ] {
            assert_eq!(cell(text), expected);
        }
    }
}
