//! A report as titles, notes and tables: what the terminal and Markdown have in common.

use super::bracket_text;
use crate::{
    decision_text,
    words::{Real, count, number, seeds},
};
use agon_core::{clock::print_rounded, text::cut};
use agon_spec::{
    Refused, ReportFaults, ReportMatches, ReportNotCounted, ReportRating, ReportScore, ReportSpoilt, ReportStanding,
    ReportTie, ReportTime, TournamentReportDocument, TournamentResult,
};
use agon_stats::Rating;
use std::time::Duration;

/// With more bots than this, a cross table has shares instead of numbers of matches.
const DETAILED: usize = 10;
/// The most matches that do not count which are listed, and the most maps.
const LISTED: usize = 50;

/// Says by what the table of a ladder is ordered.
pub(crate) const ORDERED_BY: &str = "the order is by \"at least\", the strength that a bot very probably has at least: its rating minus three deviations";

/// A part of a report. No text in it is cleaned, except for the drawing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Section {
    /// The title.
    pub title: String,
    /// Lines before the table.
    pub notes: Vec<String>,
    /// The heading of the table. Empty if there is none.
    pub heading: Vec<Cell>,
    /// The rows of the table. Each has as many cells as the heading.
    pub rows: Vec<Vec<Cell>>,
    /// Lines that need letters of equal width. Empty if there are none.
    pub drawing: String,
    /// Lines after the table.
    pub remarks: Vec<String>,
}

/// A cell of a table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// Whether it is aligned to the right, as numbers are.
    pub right: bool,
    /// Whether it tells of a failure.
    pub bad: bool,
}

pub(super) fn left(text: impl Into<String>) -> Cell {
    Cell { text: text.into(), ..Cell::default() }
}

pub(super) fn right(text: impl ToString) -> Cell {
    Cell { text: text.to_string(), right: true, bad: false }
}

impl Cell {
    fn bad_if(self, bad: bool) -> Self {
        Self { bad, ..self }
    }
}

/// Returns the parts of a report that have something to say.
#[must_use]
pub fn sections(report: &TournamentReportDocument) -> Vec<Section> {
    let mut sections = vec![head(report), standings(report)];
    for (number, group) in (1..).zip(&report.groups) {
        let (heading, rows) = table(group, &report.tiebreaks);
        let remarks = report.ties.iter().filter(|one| one.group == Some(number)).map(tie).collect();
        sections.push(Section { title: format!("Group {number}"), heading, rows, remarks, ..Section::default() });
    }
    if !report.bracket.is_empty() {
        let drawing = bracket_text(&report.bracket);
        sections.push(Section { title: "Bracket".to_owned(), drawing, ..Section::default() });
    }
    sections.extend(report.ratings.as_ref().map(super::ratings::section));
    if report.matches.counted > 0 {
        sections.extend([cross(report), seats(report)]);
        sections.extend((report.map_scores.len() > 1).then(|| maps(report)));
    }
    sections.push(faults(report));
    sections.extend((!report.spoilt.is_empty()).then(|| spoilt(report)));
    sections.extend((!report.time_used.is_empty()).then(|| times(&report.time_used)));
    sections.extend((report.workers.len() > 1).then(|| super::machines::section(report)));
    sections.extend(outside(report));
    sections.extend(decided(report));
    sections
}

fn head(report: &TournamentReportDocument) -> Section {
    let about = &report.tournament;
    let notes = vec![
        format!("{}, {}, {}, points {}", about.game, about.kind, seeds(about), report.points),
        format!("rules: {}; clock: {}", about.rules, about.clock),
        progress(&report.matches, report.complete),
    ];
    Section { title: about.name.clone(), notes, ..Section::default() }
}

/// Says how many matches there are of each kind.
#[must_use]
pub(crate) fn progress(matches: &ReportMatches, complete: bool) -> String {
    let parts = [
        (matches.not_counted, "not counted, because a bot was withdrawn"),
        (matches.left_out, "left out, because a bot was withdrawn"),
        (matches.spoilt, "without a result, because the host spoilt them"),
        (matches.void, "void"),
        (matches.waiting, "drawn and still to be played"),
    ];
    let mut text = format!("{} in the table", count(matches.counted, "match", "matches"));
    if matches.double_forfeits > 0 {
        text.push_str(&format!(
            ", {} of them forfeited by all their bots, who have lost them",
            matches.double_forfeits
        ));
    }
    for (number, what) in parts.iter().filter(|(number, _)| *number > 0) {
        text.push_str(&format!("; {number} {what}"));
    }
    text + if complete { "" } else { "; the tournament is not complete" }
}

fn standings(report: &TournamentReportDocument) -> Section {
    let (heading, rows) = table(&report.standings, &report.tiebreaks);
    let is_rated = report.standings.iter().any(|row| row.rating.is_some());
    let notes = if is_rated { vec![ORDERED_BY.to_owned()] } else { Vec::new() };
    let mut remarks: Vec<String> = report.ties.iter().filter(|one| one.group.is_none()).map(tie).collect();
    remarks.extend((report.matches.spoilt > 0).then(|| SPOILT.to_owned()));
    for bot in &report.bots {
        remarks.extend(bot.withdrawn.as_ref().map(|why| format!("{} is withdrawn: {why}", bot.name)));
    }
    Section { title: "Standings".to_owned(), notes, heading, rows, remarks, ..Section::default() }
}

/// Says what separates two bots.
#[must_use]
pub(crate) fn tie(tie: &ReportTie) -> String {
    let ReportTie { ahead, behind, place, tiebreak, values, .. } = tie;
    let value = |value: Option<f64>| value.map_or_else(|| "nothing".to_owned(), number);
    match tiebreak {
        Some(rule) => {
            format!("{ahead} is before {behind} by {rule}: {} to {}", value(values[0]), value(values[1]))
        }
        None => format!("{ahead} and {behind} share place {place}: nothing separates them"),
    }
}

/// Which columns of a table have something to say.
pub(crate) struct Columns<'a> {
    /// The tie-breaks. The wins are not among them, because they have a column in any case.
    pub rules: Vec<&'a str>,
    pub rated: bool,
    pub double_forfeits: bool,
    pub walkovers: bool,
    pub shares: bool,
}

impl<'a> Columns<'a> {
    pub(crate) fn of(rows: &[ReportStanding], tiebreaks: &'a [String]) -> Self {
        Self {
            rules: tiebreaks.iter().map(String::as_str).filter(|rule| *rule != "wins").collect(),
            rated: rows.iter().any(|row| row.rating.is_some()),
            double_forfeits: rows.iter().any(|row| row.double_forfeits > 0),
            walkovers: rows.iter().any(|row| row.walkovers > 0),
            shares: rows.iter().any(|row| row.share.is_some()),
        }
    }
}

/// Returns the strength that a bot on a ladder very probably has at least, by which its table is ordered.
pub(crate) fn at_least(rating: ReportRating) -> String {
    let ReportRating { mean, deviation } = rating;
    format!("{:.1}", Rating { mean, deviation }.conservative())
}

/// Returns a rating as people read it.
pub(crate) fn rating(rating: ReportRating) -> String {
    format!("{:.1} ± {:.1}", Real(rating.mean), Real(rating.deviation))
}

fn table(rows: &[ReportStanding], tiebreaks: &[String]) -> (Vec<Cell>, Vec<Vec<Cell>>) {
    let Columns { rules, rated, double_forfeits, walkovers, shares } = Columns::of(rows, tiebreaks);
    let mut heading = vec![right("place"), left("bot"), right("points"), right("played")];
    heading.extend(["wins", "draws", "losses", "faults"].map(right));
    heading.extend(double_forfeits.then(|| right("double forfeits")));
    heading.extend(walkovers.then(|| right("walkovers")));
    heading.extend(rules.iter().map(right));
    heading.extend(rated.then(|| [right("at least"), right("rating")]).into_iter().flatten());
    heading.extend(shares.then(|| right("share")));
    let row = |row: &ReportStanding| {
        let name = if row.withdrawn { format!("{} (withdrawn)", row.bot) } else { row.bot.clone() };
        let name = if row.spoilt > 0 { format!("{name} ({} spoilt)", row.spoilt) } else { name };
        let mut cells = vec![right(row.place), left(name), right(row.points), right(row.played)];
        cells.extend([row.wins, row.draws, row.losses].map(right));
        cells.push(right(row.faults).bad_if(row.faults > 0));
        cells.extend(double_forfeits.then(|| right(row.double_forfeits)));
        cells.extend(walkovers.then(|| right(row.walkovers)));
        let value = |rule: &&str| row.tiebreaks.get(*rule).map_or_else(String::new, |value| number(*value));
        cells.extend(rules.iter().map(|rule| right(value(rule))));
        if rated {
            cells.extend([at_least, rating].map(|text| right(row.rating.map_or_else(String::new, text))));
        }
        cells.extend(shares.then(|| right(row.share.map_or_else(String::new, percent))));
        cells
    };
    (heading, rows.iter().map(row).collect())
}

fn cross(report: &TournamentReportDocument) -> Section {
    let detailed = report.cross.len() <= DETAILED;
    let mut heading = vec![right("row"), left("bot")];
    heading.extend((1..=report.cross.len()).map(right));
    let cell = |(column, score): (usize, &Option<ReportScore>), row: usize| match score {
        _ if column == row => right("–"),
        Some(score) if detailed => right(format!("{}-{}-{}", score.won, score.level, score.lost)),
        Some(score) => right(score.share().map_or_else(String::new, |share| format!("{:.0}", share * 100.0))),
        None => right(""),
    };
    let row = |(number, row): (usize, &agon_spec::ReportCross)| {
        let cells = row.against.iter().enumerate().map(|score| cell(score, number));
        [right(number + 1), left(row.bot.clone())].into_iter().chain(cells).collect()
    };
    let rows = report.cross.iter().enumerate().map(row).collect();
    let what = if detailed { "won-drawn-lost" } else { "the share that was won, in percent," };
    let notes = vec![format!("{what} of the row against the bot in the row whose number is over the column")];
    Section { title: "Cross table".to_owned(), notes, heading, rows, ..Section::default() }
}

fn seats(report: &TournamentReportDocument) -> Section {
    let mut heading = vec![left("bot")];
    heading.extend((1..=report.seats).map(|seat| right(format!("seat {seat}"))));
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for scores in &report.bot_scores {
        rows.push(std::iter::once(left(scores.bot.clone())).chain(scores.seats.iter().map(share)).collect());
    }
    let notes = vec!["the share of comparisons with opponents that was won".to_owned()];
    Section { title: "Score by seat".to_owned(), notes, heading, rows, ..Section::default() }
}

fn maps(report: &TournamentReportDocument) -> Section {
    let mut heading = vec![left("map"), right("matches"), right("mean turns")];
    heading.extend((1..=report.seats).map(|seat| right(format!("seat {seat}"))));
    let played = report.map_scores.iter().filter(|map| map.matches > 0);
    let rows = played.clone().take(LISTED).map(|map| {
        let turns = map.plies as f64 / map.matches as f64;
        let first = [left(map.map.clone()), right(map.matches), right(format!("{turns:.0}"))];
        first.into_iter().chain(map.seats.iter().map(share)).collect()
    });
    let rows = rows.collect();
    let remarks = more(played.count(), "maps");
    Section { title: "Score by map".to_owned(), heading, rows, remarks, ..Section::default() }
}

fn share(score: &ReportScore) -> Cell {
    right(score.share().map_or_else(String::new, percent))
}

/// Returns what was refused to each bot to which something was, best bot first, as a text of one line.
pub(crate) fn refused(report: &TournamentReportDocument) -> Vec<String> {
    let text = |row: &ReportStanding| {
        let bot = report.bots.iter().find(|bot| bot.name == row.bot)?;
        let Refused { count, of, top } = &bot.refused;
        let first = top.first().map(|kind| format!("; most often: {}", cut(&kind.text, 120))).unwrap_or_default();
        (*count > 0).then(|| format!("{}: {count} of {of} commands refused{first}", row.bot))
    };
    report.standings.iter().filter_map(text).collect()
}

/// What the mark of a bot in a table means.
pub(crate) const SPOILT: &str = "spoilt: matches without a result, because the host spoilt them again and again; the organiser decides \
                                 whether they are played again or void, or a bot is withdrawn";

/// What follows from spoilt matches, for the organiser.
pub(crate) const OF_SPOILT: &str = "no bot has lost by that, and nobody knows whose work it was; whoever is listed with many opponents \
                                    may be tried alone (`agon check`), or withdrawn";

fn spoilt(report: &TournamentReportDocument) -> Section {
    let heading = vec![left("bot"), right("played in vain"), right("matches"), left("why")];
    let row = |row: &ReportSpoilt| {
        vec![left(row.bot.clone()), right(row.count), right(row.matches), left(cut(&row.cause, 120))]
    };
    let rows = report.spoilt.iter().map(row).collect();
    Section {
        title: "Spoilt matches".to_owned(),
        heading,
        rows,
        remarks: vec![OF_SPOILT.to_owned()],
        ..Section::default()
    }
}

fn faults(report: &TournamentReportDocument) -> Section {
    let (title, remarks) = ("Faults".to_owned(), refused(report));
    if report.faults.is_empty() {
        let notes = vec!["no bot failed in a finished match".to_owned()];
        return Section { title, notes, remarks, ..Section::default() };
    }
    let heading = vec![left("bot"), left("fault"), right("matches"), left("the first one")];
    let row = |row: &ReportFaults| {
        let first = row.examples.first();
        let first = first.map(|fault| {
            let cause = fault.cause.map(|cause| format!(" (likely: {})", cause.name())).unwrap_or_default();
            format!("match {}, {}: {}{cause}", fault.id, turn(fault.ply), cut(&fault.text, 120))
        });
        vec![
            left(row.bot.clone()),
            left(row.kind.clone()).bad_if(true),
            right(row.count),
            left(first.unwrap_or_default()),
        ]
    };
    Section { title, heading, rows: report.faults.iter().map(row).collect(), remarks, ..Section::default() }
}

/// Returns the name of a turn.
pub(crate) fn turn(ply: u32) -> String {
    if ply == 0 { "greeting".to_owned() } else { format!("turn {ply}") }
}

fn times(times: &[ReportTime]) -> Section {
    let mut heading = vec![left("bot"), right("answers"), right("mean"), right("longest"), right("in match")];
    heading.extend([right("limit"), right("of the limit"), right("share of time")]);
    let row = |row: &ReportTime| {
        let text = |us: Option<u64>| us.map_or_else(String::new, micros);
        let used = row.longest_us.zip(row.limit_us).map(|(used, limit)| used as f64 / limit.max(1) as f64);
        vec![
            left(row.bot.clone()),
            right(row.decisions),
            right(text(row.mean_us)),
            right(text(row.longest_us)),
            right(row.longest_id.map_or_else(String::new, |id| id.to_string())),
            right(limit(row)),
            right(used.map_or_else(String::new, percent)),
            right(percent(row.share)),
        ]
    };
    let notes = vec!["the time of all answers in finished matches".to_owned()];
    let rows = times.iter().map(row).collect();
    Section { title: "Time".to_owned(), notes, heading, rows, ..Section::default() }
}

pub(crate) fn limit(time: &ReportTime) -> String {
    let first = if time.first_us > 0 { format!(" (first +{})", micros(time.first_us)) } else { String::new() };
    match (time.limit_us, time.bank_us) {
        (Some(limit), None) => micros(limit) + &first,
        (None, Some(bank)) => format!("{} a match", micros(bank)),
        (Some(limit), Some(bank)) => format!("{}{first}, {} a match", micros(limit), micros(bank)),
        (None, None) => "none".to_owned(),
    }
}

fn outside(report: &TournamentReportDocument) -> Option<Section> {
    let listed = &report.not_counted;
    if listed.is_empty() && report.matches.left_out == 0 {
        return None;
    }
    let row = |one: &ReportNotCounted| {
        let bots = one.bots.join(", ");
        vec![right(one.id), right(one.round), left(bots), left(result(one.result)), left(cut(&one.reason, 200))]
    };
    let rows: Vec<_> = listed.iter().take(LISTED).map(row).collect();
    let heading = vec![right("match"), right("round"), left("bots"), left("result"), left("why it does not count")];
    let mut remarks = more(listed.len(), "matches");
    if report.matches.left_out > 0 {
        remarks.push(format!(
            "beside them, {} were not played, because one of their bots was withdrawn before",
            count(report.matches.left_out, "match", "matches")
        ));
    }
    let heading = if rows.is_empty() { Vec::new() } else { heading };
    Some(Section { title: "Matches that do not count".to_owned(), heading, rows, remarks, ..Section::default() })
}

fn decided(report: &TournamentReportDocument) -> Option<Section> {
    let notes: Vec<String> = report.decisions.iter().map(decision_text).collect();
    (!notes.is_empty()).then(|| Section { title: "Decisions".to_owned(), notes, ..Section::default() })
}

/// Returns the word for a result of a match that does not count.
pub(crate) fn result(result: TournamentResult) -> &'static str {
    match result {
        TournamentResult::Finished => "finished",
        TournamentResult::Spoilt => "spoilt by the host",
        TournamentResult::Void => "void",
    }
}

fn more(all: usize, what: &str) -> Vec<String> {
    let rest = all.saturating_sub(LISTED);
    if rest > 0 { vec![format!("and {rest} more {what}: `--format json` has all")] } else { Vec::new() }
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

pub(crate) fn micros(micros: u64) -> String {
    print_rounded(Duration::from_micros(micros))
}
