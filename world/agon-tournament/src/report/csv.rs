//! The table of a report as CSV.

use super::section::Columns;
use crate::export::cell;
use agon_spec::TournamentReportDocument;

/// Writes the table as CSV, one line for each bot. A first line names the columns. `decided_by` is the tie-break that
/// separates a bot from the one in the line above.
#[must_use]
pub fn report_csv(report: &TournamentReportDocument) -> String {
    let mut columns: Vec<String> =
        ["place", "bot", "points", "played", "wins", "draws", "losses", "faults", "walkovers"]
            .map(str::to_owned)
            .into();
    let rules = Columns::of(&report.standings, &report.tiebreaks).rules;
    columns.extend(rules.iter().map(|rule| cell(rule)));
    columns.extend(
        [
            "decided_by",
            "withdrawn",
            "rating",
            "deviation",
            "share",
            "time_mean_us",
            "time_longest_us",
            "time_share",
            "double_forfeits",
        ]
        .map(str::to_owned),
    );
    let mut text = columns.join(",") + "\n";
    for row in &report.standings {
        let value = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        let mut cells = vec![row.place.to_string(), cell(&row.bot), row.points.to_string()];
        cells.extend([row.played, row.wins, row.draws, row.losses, row.faults, row.walkovers].map(|n| n.to_string()));
        cells.extend(rules.iter().map(|rule| value(row.tiebreaks.get(*rule).copied())));
        let decided = report
            .ties
            .iter()
            .find(|tie| tie.group.is_none() && tie.behind == row.bot)
            .and_then(|tie| tie.tiebreak.as_deref());
        let withdrawn = report.bots.iter().find(|bot| bot.name == row.bot).and_then(|bot| bot.withdrawn.as_deref());
        let time = report.time_used.iter().find(|time| time.bot == row.bot);
        let whole = |us: Option<u64>| us.map(|us| us.to_string()).unwrap_or_default();
        cells.extend([
            cell(decided.unwrap_or_default()),
            cell(withdrawn.unwrap_or_default()),
            value(row.rating.map(|rating| rating.mean)),
            value(row.rating.map(|rating| rating.deviation)),
            value(row.share),
            whole(time.and_then(|time| time.mean_us)),
            whole(time.and_then(|time| time.longest_us)),
            value(time.map(|time| time.share)),
            row.double_forfeits.to_string(),
        ]);
        text.push_str(&(cells.join(",") + "\n"));
    }
    text
}
