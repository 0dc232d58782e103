//! The standings as a table for people.

use crate::{
    clean::clean,
    printer::Style,
    table::{Table, left, right},
};
use agon_spec::StandingRow;
use agon_tournament::words::{self, Real};
use agon_tourney::{Bracket, Entrant, Standings, TieBreak};
use unicode_width::UnicodeWidthStr;

/// Returns the standings as a table. `names` has the name of every bot.
pub fn render(standings: &Standings, names: &[String], colour: bool) -> String {
    let mut heading = vec![
        right("place"),
        left("bot"),
        right("points"),
        right("played"),
        right("wins"),
        right("draws"),
        right("losses"),
        right("faults"),
    ];
    let forfeits = standings.rows.iter().any(|row| row.double_forfeits > 0);
    if forfeits {
        heading.push(right("double forfeits"));
    }
    // The wins have a column in any case.
    let shown: Vec<bool> = standings.tie_breaks.iter().map(|rule| *rule != TieBreak::Wins).collect();
    let rules = standings.tie_breaks.iter().zip(&shown).filter(|(_, shown)| **shown);
    heading.extend(rules.map(|(rule, _)| right(rule.name())));
    let rated = standings.rows.iter().any(|row| row.rating.is_some());
    if rated {
        // By this it is ordered: the rating minus three deviations.
        heading.push(right("at least"));
        heading.push(right("rating"));
    }
    heading.push(left("decided by"));
    let mut table = Table::new(heading);
    for row in &standings.rows {
        let name = names.get(row.entrant.index()).map_or_else(String::new, |name| clean(name));
        let name = if row.withdrawn { format!("{name} (withdrawn)") } else { name };
        let name = if row.spoilt > 0 { format!("{name} ({} spoilt)", row.spoilt) } else { name };
        let style = if row.place == 1 { Style::Good } else { Style::Faint };
        let faults = right(row.faults.to_string());
        let mut cells = vec![
            right(row.place.to_string()),
            left(name).style(style),
            right(row.points.to_string()),
            right(row.played.to_string()),
            right(row.wins.to_string()),
            right(row.draws.to_string()),
            right(row.losses.to_string()),
            if row.faults > 0 { faults.style(Style::Bad) } else { faults },
        ];
        if forfeits {
            cells.push(right(row.double_forfeits.to_string()));
        }
        let values = row.tie_breaks.iter().zip(&shown).filter(|(_, shown)| **shown);
        cells.extend(values.map(|(value, _)| right(value.map_or_else(String::new, words::number))));
        if rated {
            let at_least = |rating: agon_stats::Rating| format!("{:.2}", Real(rating.conservative()));
            cells.push(right(row.rating.map_or_else(String::new, at_least)));
            let rating =
                |rating: agon_stats::Rating| format!("{:.2} ± {:.2}", Real(rating.mean), Real(rating.deviation));
            cells.push(right(row.rating.map_or_else(String::new, rating)));
        }
        cells.push(left(row.decided_by.map_or("", |rule| rule.name())));
        table.row(cells);
    }
    table.render(colour)
}

/// Returns the bracket of an elimination as text.
pub fn bracket(bracket: &Bracket, names: &[String]) -> String {
    let name = |bot: Entrant| names.get(bot.index()).map_or_else(String::new, |name| clean(name));
    bracket.text(name, |text| text.width())
}

/// Returns the standings for documents.
pub fn rows(standings: &Standings, names: &[String]) -> Vec<StandingRow> {
    let row = |row: &agon_tourney::Row| StandingRow {
        place: row.place,
        bot: names.get(row.entrant.index()).cloned().unwrap_or_default(),
        points: row.points,
        played: row.played,
        double_forfeits: row.double_forfeits,
        spoilt: row.spoilt,
    };
    standings.rows.iter().map(row).collect()
}
