//! What happened beside the results: the state of the tournament, faults, matches that do not count, the files beside
//! the page.

use super::{Archive, LISTED, links::Links, name, wide};
use crate::{
    decision_text, facts_text,
    report::{OF_SPOILT, progress, refused, result, turn},
    words::{count, seeds},
};
use agon_core::text::{clean, cut};
use agon_spec::TournamentReportDocument;
use maud::{Markup, html};

/// The most faults of one kind of a bot that are quoted.
const EXAMPLES: usize = 3;
/// The most characters of a fault, and of a reason.
const QUOTED: usize = 140;

fn quoted(text: &str) -> Markup {
    html! { bdi { (cut(&clean(text), QUOTED)) } }
}

/// Returns what was played, and how far.
pub(super) fn about(report: &TournamentReportDocument) -> Markup {
    let about = &report.tournament;
    let shown = |text: &str| cut(&clean(text), 80);
    let matches = &report.matches;
    html! {
        p.about {
            (about.game) ", " (about.kind) ", " (count(report.bots.len() as u64, "bot", "bots")) ", " (seeds(about))
            ". Rules: " (shown(&about.rules)) ". Clock: " (shown(&about.clock)) ". Points: " (report.points) "."
        }
        p { (progress(matches, report.complete)) "." }
        @if matches.spoilt > 0 {
            p.banner {
                b { "! Spoilt: " } (count(matches.spoilt, "match has", "matches have")) " no result, because the host spoilt "
                "each of them several times. That is no loss for anybody."
            }
        }
        @if matches.void > 0 {
            p.banner { b { "! Void: " } (count(matches.void, "match was", "matches were")) " declared void by the organiser." }
        }
        @if matches.not_counted > 0 {
            p.banner {
                b { "! Withdrawn: " } (count(matches.not_counted, "finished match does", "finished matches do"))
                " not count, because a bot was withdrawn early."
            }
        }
        @if matches.left_out > 0 {
            p.banner {
                b { "! Withdrawn: " } (count(matches.left_out, "match was", "matches were"))
                " not played, because a bot was withdrawn."
            }
        }
    }
}

/// Returns the faults, with what the first ones of each kind were. A match that has a page or a replay links to it.
pub(super) fn faults(report: &TournamentReportDocument, links: &Links<'_>) -> Markup {
    let refused = html! { @for text in refused(report) { p.note { (quoted(&text)) } } };
    if report.faults.is_empty() {
        return html! { p { "No bot failed in a finished match." } (refused) };
    }
    let faults = &report.faults;
    let table = html! {
        table {
            thead { tr {
                th scope="col" { "bot" }
                th scope="col" { "fault" }
                th.n scope="col" { "matches" }
                th scope="col" { "reasons" }
            } }
            tbody { @for row in faults { tr {
                th scope="row" { (links.bot(&row.bot)) }
                td { span.bad { "✕ " (cut(&clean(&row.kind), 40)) } }
                td.n { (row.count) }
                td.t { @for fault in row.examples.iter().take(EXAMPLES) {
                    div {
                        span.note {
                            @match links.file(fault.id, Some(fault.ply)) {
                                Some(file) => { a href=(file) { "match " (fault.id) } }
                                None => { "match " (fault.id) }
                            }
                            ", " (turn(fault.ply)) ": "
                        }
                        (quoted(&fault.text))
                        @if let Some(cause) = fault.cause { span.note { " likely: " (cause.name()) } }
                    }
                } }
            } } }
        }
    };
    html! { (wide("Faults", &table)) (refused) }
}

/// Returns how often matches were spoilt, by bot and cause.
pub(super) fn spoilt(report: &TournamentReportDocument, links: &Links<'_>) -> Markup {
    let table = html! {
        table {
            thead { tr {
                th scope="col" { "bot" }
                th.n scope="col" { "played in vain" }
                th.n scope="col" { "matches" }
                th scope="col" { "why" }
            } }
            tbody { @for row in &report.spoilt { tr {
                th scope="row" { (links.bot(&row.bot)) }
                td.n { (row.count) }
                td.n { (row.matches) }
                td.t { (quoted(&row.cause)) }
            } } }
        }
    };
    html! { (wide("Spoilt matches", &table)) p.note { "Note: " (OF_SPOILT) "." } }
}

/// Returns the machines that have played.
pub(super) fn machines(report: &TournamentReportDocument) -> Markup {
    let table = html! {
        table {
            thead { tr {
                th scope="col" { "worker" }
                th.n scope="col" { "matches" }
                th scope="col" { "machine" }
            } }
            tbody { @for worker in &report.workers { tr {
                th scope="row" { (name(&worker.name)) }
                td.n { (worker.matches) }
                td.t {
                    @if let Some(facts) = worker.machines.last() { (quoted(&facts_text(facts))) }
                    @if let Some(why) = &worker.put_aside { " Put aside: " (quoted(why)) "." }
                }
            } } }
        }
    };
    wide("Machines", &table)
}

/// Returns the matches that do not count, with the reasons.
pub(super) fn not_counted(report: &TournamentReportDocument, links: &Links<'_>) -> Markup {
    let listed = &report.not_counted;
    let table = html! {
        table {
            thead { tr {
                th.n scope="col" { "match" }
                th scope="col" { "result" }
                th scope="col" { "bots" }
                th scope="col" { "why it does not count" }
            } }
            tbody { @for one in listed.iter().take(LISTED) { tr {
                td.n { (links.game(one.id)) }
                td { (result(one.result)) }
                td { @for (number, bot) in one.bots.iter().enumerate() { @if number > 0 { ", " } (links.bot(bot)) } }
                td.t { (quoted(&one.reason)) }
            } } }
        }
    };
    html! {
        @if !listed.is_empty() { (wide("Matches that do not count", &table)) }
        @if listed.len() > LISTED { p.note { "And " (listed.len() - LISTED) " more: the JSON document has all." } }
        @if report.matches.left_out > 0 {
            p {
                (count(report.matches.left_out, "match was", "matches were")) " not played at all, because one of the bots was "
                "withdrawn before."
            }
        }
    }
}

/// Returns what was decided about matches and bots.
pub(super) fn decisions(report: &TournamentReportDocument) -> Markup {
    html! { ul { @for one in report.decisions.iter().take(LISTED) { li { (quoted(&decision_text(one))) } } }
        @if report.decisions.len() > LISTED {
            p.note { "And " (report.decisions.len() - LISTED) " more: the JSON document has all." }
        }
    }
}

/// Says how the files beside the page are verified.
pub(super) fn archive(archive: &Archive) -> Markup {
    html! {
        p {
            "Every replay has the map, the rules, the clock and all orders of its match. "
            code { "agon replay verify replays/17.jsonl" } " plays match 17 again and compares every position; "
            code { "sha256sum -c SHA256SUMS" } " says whether a file of this folder was changed."
        }
        ul { @for (file, what) in &archive.files { li { a href=(file) { (file) } ": " (what) } } }
        @if !archive.watched.is_empty() {
            details {
                summary { (count(archive.watched.len() as u64, "match", "matches")) " to watch, in " code { "watch/" } }
                p { @for id in archive.watched.iter().take(20 * LISTED) { a href={ "watch/" (id) ".html" } { (id) } " " } }
                @if archive.watched.len() > 20 * LISTED {
                    p.note { "And " (archive.watched.len() - 20 * LISTED) " more in the folder." }
                }
            }
        }
        @if archive.replays.is_empty() {
            p { "No replay was kept." }
        } @else {
            details {
                summary { (count(archive.replays.len() as u64, "replay", "replays")) " in " code { "replays/" } }
                p { @for id in archive.replays.iter().take(20 * LISTED) { a href={ "replays/" (id) ".jsonl" } { (id) } " " } }
                @if archive.replays.len() > 20 * LISTED {
                    p.note { "And " (archive.replays.len() - 20 * LISTED) " more in the folder." }
                }
            }
        }
    }
}
