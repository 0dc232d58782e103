//! A report as one page that needs nothing else: no script, no font, no picture, no network.
//!
//! Text of bots is cleaned, cut to a length, and escaped. The page forbids itself everything but its own style, so even
//! a mistake there could not run anything.

mod bots;
mod bracket;
mod course;
mod cross;
mod links;
mod plot;
mod ratings;
mod scores;
mod standings;
mod story;
mod test;
mod times;

use agon_core::text::{clean, cut};
use agon_spec::TournamentReportDocument;
use agon_store::BlobHash;
use links::Links;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::BTreeSet;
pub use test::test_html;

const STYLE: &str = include_str!("style.css");
/// The most characters of a name.
const NAME: usize = 60;
/// The most rows of a list that grows with the number of matches or maps.
const LISTED: usize = 200;

/// What a page says about the files beside it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Archive {
    /// The numbers of the matches with a replay, in `replays/NUMBER.jsonl`.
    pub replays: Vec<u64>,
    /// The numbers of the matches with a page, in `watch/NUMBER.html`.
    pub watched: BTreeSet<u64>,
    /// The other files, with what each of them is.
    pub files: Vec<(String, String)>,
}

/// Writes a report as one page of HTML. With an archive, it links to the files beside it and says how to verify them.
#[must_use]
pub fn report_html(report: &TournamentReportDocument, archive: Option<&Archive>) -> String {
    let tournament = &report.tournament;
    page(&tournament.name, &tournament.agon, &story::about(report), &sections(report, archive))
}

/// Writes a page with these sections. `about` stands below its title.
fn page(title: &str, agon: &str, about: &Markup, sections: &[Part]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content={ "Agon " (agon) };
                title { (shown(title)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    header {
                        h1 { bdi { (shown(title)) } }
                        (about)
                    }
                    nav aria-label="Sections" {
                        @for part in sections { a href={ "#" (part.id) } { (part.title) } }
                    }
                    @for part in sections {
                        section id=(part.id) aria-labelledby={ (part.id) "-title" } {
                            h2 id={ (part.id) "-title" } { (part.title) }
                            (part.body)
                        }
                    }
                    footer.note { "Made by Agon " (agon) "." }
                }
            }
        }
    };
    page.into_string()
}

/// A section of the page.
struct Part {
    id: &'static str,
    title: &'static str,
    body: Markup,
}

fn sections(report: &TournamentReportDocument, archive: Option<&Archive>) -> Vec<Part> {
    let links = Links::of(report, archive);
    let part = |id, title, body| Part { id, title, body };
    let mut parts = vec![part("standings", "Standings", standings::section(report, &links))];
    if !report.bracket.is_empty() {
        parts.push(part("bracket", "Bracket", bracket::section(&report.bracket, &links)));
    }
    if let Some(rated) = &report.ratings {
        parts.push(part("ratings", "Ratings", ratings::section(rated, &links)));
    }
    if report.matches.counted > 0 {
        parts.push(part("cross", "Cross table", cross::section(report, &links)));
        parts.push(part("scores", "Score by seat and map", scores::section(report, &links)));
    }
    if !report.time_used.is_empty() {
        parts.push(part("time", "Time against the limit", times::section(&report.time_used, &links)));
    }
    parts.push(part("bots", "Bots", bots::section(report, &links)));
    parts.push(part("faults", "Faults", story::faults(report, &links)));
    if !report.spoilt.is_empty() {
        parts.push(part("spoilt", "Spoilt matches", story::spoilt(report, &links)));
    }
    if report.workers.len() > 1 {
        parts.push(part("machines", "Machines", story::machines(report)));
    }
    if !report.not_counted.is_empty() || report.matches.left_out > 0 {
        parts.push(part("outside", "Matches that do not count", story::not_counted(report, &links)));
    }
    if !report.decisions.is_empty() {
        parts.push(part("decisions", "Decisions", story::decisions(report)));
    }
    if let Some(archive) = archive {
        parts.push(part("verify", "Verify it again", story::archive(archive)));
    }
    parts
}

/// Returns a name or a text of a bot as it is shown.
fn shown(text: &str) -> String {
    cut(&clean(text), NAME)
}

/// Returns a name that cannot reorder the text beside it.
fn name(text: &str) -> Markup {
    html! { bdi { (shown(text)) } }
}

/// Returns a part that scrolls on its own if it is wider than the screen.
fn wide(label: &str, inner: &Markup) -> Markup {
    html! { div.wide tabindex="0" role="region" aria-label=(label) { (inner) } }
}

/// Returns the policy of the page: nothing is loaded or run, and of all styles only this one holds.
fn policy() -> String {
    let hash = base64(BlobHash::of(STYLE.as_bytes()).bytes());
    format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'")
}

/// Returns bytes in the alphabet of base 64.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let mut group = [0; 3];
        group[..chunk.len()].copy_from_slice(chunk);
        let number = u32::from_be_bytes([0, group[0], group[1], group[2]]);
        for digit in 0..4 {
            let value = (number >> (18 - 6 * digit) & 63) as usize;
            text.push(if digit <= chunk.len() { char::from(DIGITS[value]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, expected) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), expected);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0xfb]), "//77");
    }
}
