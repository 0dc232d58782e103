//! A part for each bot: its rating, its faults and its matches.

use super::{
    links::{Links, of_bot, of_pair},
    name, shown, wide,
};
use crate::{
    report::{elo_range, rating},
    words::{Real, count},
};
use agon_core::text::{clean, cut};
use agon_spec::{ReportBotMatch, ReportBotMatches, ReportShare, TournamentReportDocument};
use maud::{Markup, html};
use std::collections::HashSet;

pub(super) fn section(report: &TournamentReportDocument, links: &Links<'_>) -> Markup {
    html! {
        p.note { "A name or a field of a table leads here, and the number of a match to its replay, if it is beside this page." }
        @for (number, of) in report.bot_matches.iter().enumerate() {
            details {
                summary { (name(&of.bot)) " " span.note { (standing(report, &of.bot)) } }
                // Inside, so that a link to it opens the part.
                div id=(of_bot(number)) { (about(report, of)) (matches(number, of, links)) }
            }
        }
    }
}

fn standing(report: &TournamentReportDocument, bot: &str) -> String {
    let row = report.standings.iter().find(|row| row.bot == bot);
    row.map_or_else(String::new, |row| {
        let withdrawn = if row.withdrawn { ", withdrawn" } else { "" };
        format!("place {}, points {}{withdrawn}", row.place, row.points)
    })
}

/// Returns the rating, the versions and the faults of a bot.
fn about(report: &TournamentReportDocument, of: &ReportBotMatches) -> Markup {
    let own = report.bots.iter().find(|bot| bot.name == of.bot);
    let row = report.standings.iter().find(|row| row.bot == of.bot);
    let rated = report.ratings.as_ref().and_then(|rated| rated.bots.iter().find(|bot| bot.bot == of.bot));
    let faults: Vec<String> = report
        .faults
        .iter()
        .filter(|row| row.bot == of.bot)
        .map(|row| format!("{} in {}", cut(&clean(&row.kind), 40), count(row.count, "match", "matches")))
        .collect();
    html! {
        p {
            @if let Some(row) = row {
                (count(row.played.into(), "match counts", "matches count")) ": " (row.wins) " won, " (row.draws) " drawn, " (row.losses) " lost. "
            }
            @if let Some(rated) = rated { (format!("{:.0}", Real(rated.rating))) " Elo (" (elo_range(rated)) "). " }
            @if let Some(known) = row.and_then(|row| row.rating) { "Rating " (rating(known)) ". " }
            @if let Some(own) = own.filter(|own| own.versions.len() > 1) { (own.versions.len()) " versions played. " }
            @if let Some(own) = own.filter(|own| own.refused.count > 0) { (own.refused.count) " of " (own.refused.of) " commands refused. " }
            @if faults.is_empty() { "No faults." } @else { span.bad { "✕ " (faults.join(", ")) } " (" a href="#faults" { "why" } ")." }
        }
    }
}

/// Returns the listed matches of a bot. In a game for two, those against the same bot stand together.
fn matches(number: usize, of: &ReportBotMatches, links: &Links<'_>) -> Markup {
    let mut listed = links.listed(number).to_vec();
    let left_out = of.matches.len() - listed.len();
    let opponent = |one: &ReportBotMatch| match &one.against[..] {
        [other] => links.number(other),
        _ => None,
    };
    listed.sort_by_key(|one| (opponent(one), one.id));
    let mut met = HashSet::new();
    let table = html! {
        table {
            thead { tr {
                th.n scope="col" { "match" }
                th.n scope="col" { "round" }
                th scope="col" { "against" }
                th scope="col" { "result" }
                th.n scope="col" { "score" }
                th scope="col" { "map" }
            } }
            tbody { @for one in listed { tr {
                td.n { (links.game(one.id)) }
                td.n { (one.round) }
                td { @for (at, other) in one.against.iter().enumerate() {
                    @if at > 0 { ", " }
                    @match links.number(other).filter(|other| met.insert(*other)) {
                        Some(first) => { span id=(of_pair(number, first)) { (name(other)) } }
                        None => { (name(other)) }
                    }
                } }
                td { (result(one)) }
                td.n { @if let Some(score) = one.score { (score) } }
                td { bdi { (shown(&one.map)) } }
            } } }
        }
    };
    let missing = left_out as u64 + of.earlier;
    html! {
        @if of.matches.is_empty() { p { "No match is over." } } @else { (wide(&format!("Matches of {}", shown(&of.bot)), &table)) }
        @if missing > 0 { p.note { "And " (count(missing, "other match", "other matches")) ": the export has all." } }
    }
}

fn result(one: &ReportBotMatch) -> Markup {
    let word = match one.result {
        Some(ReportShare::Won) => "won",
        Some(ReportShare::Drawn) => "drawn",
        Some(ReportShare::Lost) => "lost",
        None => "does not count",
    };
    html! { (word) @if let Some(fault) = &one.fault { " " span.bad { "✕ " (cut(&clean(fault), 40)) } } }
}
