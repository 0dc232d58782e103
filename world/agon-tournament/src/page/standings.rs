//! The table of the tournament, and what decided it.

use super::{links::Links, name, plot, wide};
use crate::{
    report::{Columns, ORDERED_BY, at_least, percent, rating, tie},
    words::number,
};
use agon_core::text::{clean, cut};
use agon_spec::{ReportStanding, TournamentReportDocument};
use maud::{Markup, html};

pub(super) fn section(report: &TournamentReportDocument, links: &Links<'_>) -> Markup {
    let withdrawn = report.bots.iter().filter_map(|bot| Some((&bot.name, bot.withdrawn.as_ref()?)));
    let changed = report.bots.iter().filter(|bot| bot.versions.len() > 1);
    html! {
        (wide("Standings", &table(&report.standings, &report.tiebreaks, links)))
        @if report.standings.iter().any(|row| row.rating.is_some()) {
            p.note { "In a ladder " (ORDERED_BY) ". Points and the share say how often a bot has won, but not against whom." }
        }
        p.note {
            "The share is that of all comparisons with opponents in the same match: 100 % means always better, and a draw counts half. "
            @if report.standings.iter().any(|row| row.interval.is_some()) {
                "The bar is the 95 % interval of the share to be expected against these opponents."
            }
        }
        @if report.matches.double_forfeits > 0 {
            p.note {
                "A double forfeit is a match in which all bots failed and none alone was first. Each has lost it, and ratings leave it out."
            }
        }
        (ties(report, None))
        @for (bot, why) in withdrawn {
            p.banner { b { "! Withdrawn: " } (name(bot)) ", because " bdi { (cut(&clean(why), 200)) } "." }
        }
        @for bot in changed {
            p.banner { b { "! New version: " } (name(&bot.name)) " played with " (bot.versions.len()) " versions." }
        }
        @for (number, group) in (1..).zip(&report.groups) {
            h3 { "Group " (number) }
            (wide(&format!("Group {number}"), &table(group, &report.tiebreaks, links)))
            (ties(report, Some(number)))
        }
    }
}

/// Says what decided between equal points in the table of a group, or in the whole one.
fn ties(report: &TournamentReportDocument, group: Option<u32>) -> Markup {
    let told: Vec<String> = report.ties.iter().filter(|one| one.group == group).map(|one| clean(&tie(one))).collect();
    html! {
        @if !told.is_empty() {
            p { "What decided between equal points:" }
            ul { @for text in &told { li { bdi { (text) } } } }
        }
    }
}

fn table(rows: &[ReportStanding], tiebreaks: &[String], links: &Links<'_>) -> Markup {
    let Columns { rules, rated, double_forfeits, walkovers, shares } = Columns::of(rows, tiebreaks);
    html! {
        table {
            thead { tr {
                th.n scope="col" { "place" }
                th scope="col" { "bot" }
                th.n scope="col" { "points" }
                @if rated {
                    th.n scope="col" { "at least" }
                    th.n scope="col" { "rating" }
                }
                @if shares {
                    th.n scope="col" { "share" }
                    th scope="col" aria-label="share as a plot" { (plot::share_axis()) }
                }
                @for title in ["played", "wins", "draws", "losses", "faults"] { th.n scope="col" { (title) } }
                @if double_forfeits { th.n scope="col" { "double forfeits" } }
                @if walkovers { th.n scope="col" { "walkovers" } }
                @for rule in &rules { th.n scope="col" { (rule) } }
            } }
            tbody { @for row in rows { tr.out[row.withdrawn] {
                td.n { (row.place) }
                th scope="row" { (links.bot(&row.bot)) @if row.withdrawn { small.warn { " withdrawn" } }
                    @if row.spoilt > 0 { small.warn { " " (row.spoilt) " spoilt" } } }
                td.n { b { (row.points) } }
                @if rated {
                    @for text in [at_least, rating] { td.n { @if let Some(one) = row.rating { (text(one)) } } }
                }
                @if shares {
                    td.n { @if let Some(share) = row.share { (percent(share)) } }
                    td { @if let Some(share) = row.share { (plot::share(share, row.interval)) } }
                }
                @for count in [row.played, row.wins, row.draws, row.losses] { td.n { (count) } }
                td.n { @if row.faults > 0 { span.bad { "✕ " (row.faults) } } @else { "0" } }
                @if double_forfeits { td.n { (row.double_forfeits) } }
                @if walkovers { td.n { (row.walkovers) } }
                @for rule in &rules {
                    td.n { @if let Some(value) = row.tiebreaks.get(*rule) { (number(*value)) } }
                }
            } } }
        }
    }
}
