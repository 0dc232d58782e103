//! The cross table as a heat map. A number stands in every field; the colour only repeats it.

use super::{links::Links, wide};
use agon_spec::{ReportScore, TournamentReportDocument};
use maud::{Markup, html};

/// With more bots than this, fields have no numbers of matches.
const DETAILED: usize = 14;
/// With more bots than this, there is no cross table.
const MOST: usize = 100;

pub(super) fn section(report: &TournamentReportDocument, links: &Links<'_>) -> Markup {
    let count = report.cross.len();
    if count > MOST {
        return html! { p { "With " (count) " bots it is too large for a page. The JSON document has it." } };
    }
    let detailed = count <= DETAILED;
    let table = html! {
        table.cross.many[!detailed] {
            thead { tr {
                th scope="col" { "bot" }
                @for number in 1..=count { th scope="col" { (number) } }
            } }
            tbody { @for (row, cross) in report.cross.iter().enumerate() { tr {
                th scope="row" { (row + 1) ". " (links.bot(&cross.bot)) }
                @for (column, score) in cross.against.iter().enumerate() {
                    @if let Some((score, share)) = score.and_then(|score| Some((score, score.share()?))) {
                        td class=(heat(share)) title=(title(row, column, score)) {
                            @let number = format!("{:.0}", share * 100.0);
                            b { @match links.pair(row, column) {
                                Some(matches) => { a href=(matches) { (number) } }
                                None => { (number) }
                            } }
                            @if detailed { small { (counts(score)) } }
                        }
                    } @else {
                        td.self[column == row] {}
                    }
                }
            } } }
        }
    };
    html! {
        p.note {
            "The share in percent that the bot of the row has won against the bot of the column; a draw counts half. "
            @if detailed { "Below it: won–drawn–lost." } @else { "Rest the pointer on a field for won–drawn–lost." }
        }
        (wide("Cross table", &table))
    }
}

/// Returns the class of a share: five steps of blue above one half, five of ochre below.
pub(super) fn heat(share: f64) -> String {
    let distance = (share - 0.5).abs() * 2.0;
    let step = (distance * 5.0).ceil().clamp(0.0, 5.0);
    match step {
        0.0 => String::new(),
        step if share > 0.5 => format!("won{step}"),
        step => format!("lost{step}"),
    }
}

fn counts(score: ReportScore) -> String {
    format!("{}–{}–{}", score.won, score.level, score.lost)
}

fn title(row: usize, column: usize, score: ReportScore) -> String {
    format!("{} against {}: {}", row + 1, column + 1, counts(score))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_half_has_no_colour_and_the_ends_have_the_strongest() {
        let classes = [0.0, 0.3, 0.499, 0.5, 0.501, 0.75, 1.0].map(heat);
        assert_eq!(classes, ["lost5", "lost2", "lost1", "", "won1", "won3", "won5"]);
    }
}
