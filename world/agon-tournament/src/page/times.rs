//! The time of answers against their limit.

use super::{links::Links, plot::TimeScale, wide};
use crate::report::{limit, micros, percent};
use agon_spec::ReportTime;
use maud::{Markup, html};

pub(super) fn section(times: &[ReportTime], links: &Links<'_>) -> Markup {
    let scale = TimeScale::of(times);
    let text = |us: Option<u64>| us.map_or_else(String::new, micros);
    let used = |row: &ReportTime| {
        let used = row.longest_us.zip(row.limit_us).map(|(used, limit)| used as f64 / limit.max(1) as f64);
        used.map_or_else(String::new, percent)
    };
    let table = html! {
        table {
            thead { tr {
                th scope="col" { "bot" }
                th scope="col" aria-label="times as a plot" { (scale.axis()) }
                @for title in ["mean", "longest", "limit", "of the limit", "share of time", "answers", "in match"] {
                    th.n scope="col" { (title) }
                }
            } }
            tbody { @for row in times { tr {
                th scope="row" { (links.bot(&row.bot)) }
                td { (scale.row(row)) }
                td.n { (text(row.mean_us)) }
                td.n { (text(row.longest_us)) }
                td.n { (limit(row)) }
                td.n { (used(row)) }
                td.n { (percent(row.share)) }
                td.n { (row.decisions) }
                td.n { @if let Some(id) = row.longest_id { (links.game(id)) } }
            } } }
        }
    };
    html! {
        p.note {
            "Answers in all finished matches. In the plot: the dot is the mean answer; the darker a field, the more matches had "
            "their longest answer there; the black line is the longest of all, the red one the limit. Every step of the scale "
            "is ten times the one before."
        }
        (wide("Time", &table))
    }
}
