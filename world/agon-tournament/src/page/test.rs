//! The page of a test: its answer, the course of its evidence, and what the new version reached where.

use super::{LISTED, Part, course, name, page, plot, wide};
use crate::{
    report::turn,
    words::{Real, count, matches},
};
use agon_core::text::{clean, cut};
use agon_spec::{TestBot, TestDocument, TestEstimate};
use agon_tourney::{ComparisonTerms, Findings, Measure};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The most characters of a fault.
const QUOTED: usize = 140;

/// Writes a test as one page of HTML. `answer` is its answer as a sentence.
#[must_use]
pub fn test_html(document: &TestDocument, terms: &ComparisonTerms, findings: &Findings, answer: &str) -> String {
    let title = format!("{} against {}", document.new.name, document.old.name);
    let part = |id, title, body| Part { id, title, body };
    let mut parts = vec![part("answer", "Answer", facts(document, answer))];
    if let Some(plot) = course::evidence(findings, terms.measure) {
        let note = if document.pentanomial.is_some() { EVIDENCE } else { BETS };
        parts.push(part("evidence", "Course of the evidence", with_note(&plot, note)));
    }
    if let Some(plot) = course::estimate(findings, terms.measure) {
        parts.push(part("estimate", "Course of the estimate", with_note(&plot, ESTIMATE)));
    }
    if let Some(counts) = document.pentanomial {
        parts.push(part("pairs", "Points in pairs", with_note(&course::pairs(counts), PAIRS)));
    }
    parts.push(part("seats", "Score by seat", seats(document)));
    parts.push(part("maps", "Score by map", maps(document, findings, terms.measure)));
    parts.push(part("faults", "Faults", faults(document)));
    let about = html! {
        p.about {
            (document.game) ", rules " (cut(&clean(&document.rules), 80)) ", seed " (document.seed) ", "
            (matches(document.matches)) "."
        }
    };
    page(&title, &document.agon, &about, &parts)
}

const EVIDENCE: &str = "The test stops when the line reaches a bound. Up is for better. Looking after every block is part of the \
                        plan, so the bounds hold all the way.";
const BETS: &str = "The bold line is the logarithm of what a bet on better has multiplied its stake by, the thin one that of a \
                    bet on not better. The test stops when one of them reaches its bound.";
const ESTIMATE: &str = "The line is the mean of all blocks so far, the band is the 95 % interval that holds whenever one looks. \
                        It never grows.";
const PAIRS: &str =
    "How many pairs of matches, each on one map with the seats exchanged, gave the new version this many points.";

fn with_note(plot: &Markup, note: &str) -> Markup {
    html! { (wide("Plot", plot)) p.note { (note) } }
}

fn facts(document: &TestDocument, answer: &str) -> Markup {
    let estimate = |at: Option<TestEstimate>, unit: &str| match at {
        Some(TestEstimate { value, low, high }) => {
            format!("{:+.2} {unit}, from {:+.2} to {:+.2}", Real(value), Real(low), Real(high))
        }
        None => "none".to_owned(),
    };
    let unit = match document.model.as_str() {
        "share" => "of the opponents",
        "margin" => "in score",
        _ => "Elo",
    };
    let bot = |bot: &TestBot| html! { (name(&bot.name)) " " code { (cut(&clean(&bot.bot), 120)) } };
    let row = |title: &str, cell: Markup| html! { tr { th scope="row" { (title) } td.t { (cell) } } };
    let table = html! {
        table { tbody {
            (row("old version", bot(&document.old)))
            (row("new version", bot(&document.new)))
            @for other in &document.field { (row("in the other seats", bot(other))) }
            (row("asked", html! {
                @if document.elo0 < document.elo1 { (document.elo0) " or " (document.elo1) }
                @else { "above or below " (document.elo0) }
                " " (document.model) ", errors " (document.alpha) " and " (document.beta)
            }))
            @if let Some(llr) = document.llr {
                (row("evidence", html! {
                    "LLR " (format!("{:.2}", Real(llr))) ", bounds " (format!("{:.2}", Real(document.bounds[0]))) " and "
                    (format!("{:.2}", Real(document.bounds[1])))
                }))
            }
            @if document.elo.is_some() {
                (row("estimate for a test that stops here", html! { (estimate(document.elo, "Elo")) }))
            }
            (row("interval at any time", html! { (estimate(document.anytime, unit)) }))
            @if let Some(clipped) = document.clipped {
                (row("clipped differences", html! { (format!("{:.1} %", 100.0 * clipped)) }))
            }
            (row("blocks", html! {
                (document.blocks) ", " (document.distinct_blocks) " different, " (document.repeats) " repetitions left out"
            }))
            @if document.spoilt > 0 {
                (row("spoilt by the host", html! {
                    (count(document.spoilt, "block was", "blocks were")) " begun anew, " (document.left_out) " left out"
                }))
            }
            (row("faults", html! {
                "old version " (document.faults.old) ", new version " (document.faults.new)
                @if !document.field.is_empty() { ", others " (document.faults.field) }
            }))
        } }
    };
    html! { p { b { (cut(&clean(answer), 300)) } } (wide("Findings", &table)) }
}

/// Returns a worth from -1 to 1 as a share of points.
fn share(worth: f64) -> f64 {
    f64::midpoint(worth, 1.0)
}

fn seats(document: &TestDocument) -> Markup {
    let table = html! {
        table {
            thead { tr {
                th scope="col" { "seat of the new version" }
                th.n scope="col" { "matches" }
                th.n scope="col" { "mean worth" }
                th scope="col" { (plot::share_axis()) }
            } }
            tbody { @for seat in &document.seats { tr {
                th scope="row" { (seat.seat) }
                td.n { (seat.matches) }
                td.n { @if let Some(mean) = seat.mean { (format!("{:+.3}", Real(mean))) } }
                td { @if let Some(mean) = seat.mean { (plot::share(share(mean), None)) } }
            } } }
        }
    };
    html! {
        (wide("Score by seat", &table))
        p.note { "A match is worth -1 to the new version if it is as bad as can be, and 1 if it is as good as can be. The plot \
                  shows this as a share: 50 % is as good as the old version." }
    }
}

fn maps(document: &TestDocument, findings: &Findings, measure: Measure) -> Markup {
    let mut of_map: BTreeMap<u64, (u64, f64, agon_core::Seed)> = BTreeMap::new();
    for block in &findings.counted {
        let map = of_map.entry(block.map).or_insert((0, 0.0, block.seed));
        *map = (map.0 + 1, map.1 + block.value, map.2);
    }
    let mut rows: Vec<(f64, u64, agon_core::Seed)> =
        of_map.into_values().map(|(blocks, sum, seed)| (sum / blocks as f64, blocks, seed)).collect();
    rows.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.2.0.cmp(&other.2.0)));
    let table = html! {
        table {
            thead { tr {
                th scope="col" { "map of the block with the seed" }
                th.n scope="col" { "blocks" }
                th.n scope="col" { "mean worth" }
                th scope="col" { (plot::share_axis()) }
            } }
            tbody { @for &(mean, blocks, seed) in rows.iter().take(LISTED) { tr {
                th scope="row" { (seed) }
                td.n { (blocks) }
                td.n { (format!("{:+.3}", Real(mean))) }
                td { (plot::share(share(mean), None)) }
            } } }
        }
    };
    let (clipped, two) = (matches!(measure, Measure::Margin { .. }), document.field.is_empty());
    html! {
        p.note {
            "The maps on which the new version was worst come first. "
            @if clipped { "Differences in scores are clipped. " }
            // With more bots their seats are drawn.
            @if two {
                code { "agon match" } " with the same bots and options and this " code { "--seed" } " plays the first match there."
            }
        }
        (wide("Score by map", &table))
        @if rows.len() > LISTED { p.note { "And " (rows.len() - LISTED) " more maps." } }
    }
}

fn faults(document: &TestDocument) -> Markup {
    if document.fault_list.is_empty() {
        return html! { p { "No bot failed in a match that counts." } };
    }
    let table = html! {
        table {
            thead { tr {
                th.n scope="col" { "match" }
                th scope="col" { "bot" }
                th scope="col" { "seed" }
                th scope="col" { "seats" }
                th scope="col" { "fault" }
            } }
            tbody { @for one in document.fault_list.iter().take(LISTED) { tr {
                td.n { (one.id) }
                th scope="row" { (name(&one.bot)) }
                td.n { (one.seed) }
                td { @for (number, bot) in one.seating.iter().enumerate() { @if number > 0 { ", " } (name(bot)) } }
                td.t {
                    span.bad { "✕ " (cut(&clean(&one.fault.kind), 40)) } " " (turn(one.fault.ply)) ": "
                    bdi { (cut(&clean(&one.fault.text), QUOTED)) }
                }
            } } }
        }
    };
    html! {
        (wide("Faults", &table))
        @if document.fault_list.len() > LISTED { p.note { "And " (document.fault_list.len() - LISTED) " more." } }
    }
}
