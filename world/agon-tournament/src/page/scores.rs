//! The scores by seat and by map.

use super::{LISTED, cross::heat, links::Links, name, wide};
use crate::report::percent;
use agon_spec::{ReportBotScores, ReportScore, TournamentReportDocument};
use maud::{Markup, html};

/// With more maps than this, the bots have no column for each.
const MAPS: usize = 12;

pub(super) fn section(report: &TournamentReportDocument, links: &Links<'_>) -> Markup {
    let played: Vec<usize> = (0..report.map_scores.len()).filter(|map| report.map_scores[*map].matches > 0).collect();
    let maps: &[usize] = if played.len() > 1 && played.len() <= MAPS { &played } else { &[] };
    html! {
        p.note {
            "The share of comparisons that was won. The table of maps is about seats, whoever sat there: far from 50 % in a "
            "game for two means that a seat has an advantage."
        }
        h3 { "Maps" }
        (wide("Score by map and seat", &by_map(report, &played)))
        @if played.len() > LISTED { p.note { "And " (played.len() - LISTED) " more maps: the JSON document has all." } }
        h3 { "Bots" }
        (wide("Score by bot", &by_bot(report, maps, links)))
    }
}

fn by_map(report: &TournamentReportDocument, played: &[usize]) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "map" }
                @for seat in 1..=report.seats { th.n scope="col" { "seat " (seat) } }
                th.n scope="col" { "matches" }
                th.n scope="col" { "mean turns" }
            } }
            tbody { @for map in played.iter().take(LISTED).map(|map| &report.map_scores[*map]) { tr {
                th scope="row" { (name(&map.map)) }
                @for score in &map.seats { (cell(*score)) }
                td.n { (map.matches) }
                td.n { (format!("{:.0}", map.plies as f64 / map.matches as f64)) }
            } } }
        }
    }
}

fn by_bot(report: &TournamentReportDocument, maps: &[usize], links: &Links<'_>) -> Markup {
    let of_maps = |scores: &ReportBotScores| -> Vec<ReportScore> {
        maps.iter().map(|map| scores.maps.get(*map).copied().unwrap_or_default()).collect()
    };
    html! {
        table {
            thead { tr {
                th scope="col" { "bot" }
                @for seat in 1..=report.seats { th.n scope="col" { "seat " (seat) } }
                @for map in maps { th.n scope="col" { (name(&report.map_scores[*map].map)) } }
            } }
            tbody { @for scores in &report.bot_scores { tr {
                th scope="row" { (links.bot(&scores.bot)) }
                @for score in &scores.seats { (cell(*score)) }
                @for score in of_maps(scores) { (cell(score)) }
            } } }
        }
    }
}

fn cell(score: ReportScore) -> Markup {
    match score.share() {
        Some(share) => html! { td class={ "n " (heat(share)) } { (percent(share)) } },
        None => html! { td {} },
    }
}
