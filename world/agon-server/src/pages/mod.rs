//! The pages, as HTML that needs no script.
//!
//! A page is one answer: its style is inside it, and nothing is loaded. Text of users is shown as text, cleaned of characters that
//! act, and set apart from the direction of the text around it.
//!
//! | module | the pages about |
//! | --- | --- |
//! | `account` | an account: joining, logging in, sessions and tokens |
//! | `contest` | the contest |
//! | `fields` | parts of forms |
//! | `organise` | what organisers do |
//! | `team` | teams |
//! | `time` | times for people |

pub mod account;
pub mod contest;
pub mod fields;
pub mod organise;
pub mod team;
mod time;

use crate::{
    http::{Language, Openness},
    routes::Visit,
    words::fill,
};
use agon_contest::{Act, may};
use agon_core::text::{clean, cut};
use axum::{
    http::{HeaderValue, header::CONTENT_SECURITY_POLICY},
    response::{Html, IntoResponse, Response},
};
use fields::token_field;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
pub use time::minute;

const STYLE: &str = include_str!("style.css");
/// The most characters of a name or a note.
const SHOWN: usize = 120;

/// A page that is ready to be sent.
#[derive(Clone, Debug)]
pub struct Page {
    html: String,
    /// The one script that the page may run.
    script: Option<&'static str>,
}

impl Page {
    /// Returns the page as text.
    #[must_use]
    pub fn html(&self) -> &str {
        &self.html
    }

    /// Returns what the page may do: load nothing, and send forms and requests to its own server alone.
    fn policy(&self) -> String {
        let script = self.script.map(|script| format!("script-src 'sha256-{}'; connect-src 'self'; ", digest(script)));
        format!(
            "default-src 'none'; style-src 'sha256-{}'; {}base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
            digest(STYLE),
            script.unwrap_or_default()
        )
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let policy = HeaderValue::try_from(self.policy());
        let mut answer = Html(self.html).into_response();
        if let Ok(policy) = policy {
            answer.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
        }
        answer
    }
}

/// Writes a page with this title above its body.
#[must_use]
pub fn page(visit: &Visit, title: &str, body: &Markup) -> Page {
    write(visit, title, body, None)
}

/// Writes a page that may run one script. It works without it, too.
#[must_use]
pub fn page_with_script(visit: &Visit, title: &str, body: &Markup, script: &'static str) -> Page {
    write(visit, title, body, Some(script))
}

fn write(visit: &Visit, title: &str, body: &Markup, script: Option<&'static str>) -> Page {
    let words = visit.words();
    let contest = visit.contest.as_ref().map_or("Agon", |contest| contest.file.name.as_str());
    let page = html! {
        (DOCTYPE)
        html lang=(visit.language.code()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content={ "Agon " (env!("CARGO_PKG_VERSION")) };
                title { (shown(title)) " · " (shown(contest)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { (words.skip) }
                @if visit.site.access.openness() == Openness::InsecureLan {
                    div.insecure { p { (words.insecure) } }
                }
                header.top { div { (head(visit, contest)) } }
                main #main tabindex="-1" {
                    h1 { (name(title)) }
                    @if let Some(problem) = &visit.problem { p.banner.bad role="alert" { (clean(problem)) } }
                    @if let Some(notice) = &visit.notice { (notice) }
                    (body)
                }
                (foot(visit))
                @if let Some(script) = script { script { (PreEscaped(script)) } }
            }
        }
    };
    Page { html: page.into_string(), script }
}

/// Returns the name of the contest, and where one can go from here.
fn head(visit: &Visit, contest: &str) -> Markup {
    let words = visit.words();
    let link = |path: &str, text: &str| {
        let here = visit.path == path || path != "/" && visit.path.starts_with(&format!("{path}/"));
        html! { a href=(path) aria-current=[here.then_some("page")] { (text) } }
    };
    html! {
        a.logo href="/" { (name(contest)) }
        nav aria-label=(words.menu) {
            (link("/teams", &words.teams))
            @if may(&visit.ask.viewer, &Act::SeeAll) { (link("/organise", &words.organise)) }
            @if may(&visit.ask.viewer, &Act::KeepAccount) {
                (link("/account", &words.account))
                form method="post" action="/logout" {
                    (token_field(visit))
                    button { (words.log_out) }
                }
            } @else {
                (link("/join", &words.join))
                (link("/login", &words.log_in))
            }
        }
    }
}

fn foot(visit: &Visit) -> Markup {
    let words = visit.words();
    html! {
        footer {
            form method="post" action="/language" {
                (token_field(visit))
                input type="hidden" name="to" value=(visit.here());
                @for language in Language::ALL {
                    button.small name="language" value=(language.code()) lang=(language.code())
                        aria-pressed=(language == visit.language) { (language.name()) }
                }
            }
            span { (fill(&words.made_by, &[("version", env!("CARGO_PKG_VERSION"))])) }
        }
    }
}

/// Returns text of a user as it is shown.
#[must_use]
pub fn shown(text: &str) -> String {
    cut(&clean(text), SHOWN)
}

/// Returns a name that cannot reorder the text beside it.
#[must_use]
pub fn name(text: &str) -> Markup {
    html! { bdi { (shown(text)) } }
}

/// Returns a part that scrolls on its own if it is wider than the screen.
#[must_use]
pub fn wide(label: &str, inner: &Markup) -> Markup {
    html! { div.wide tabindex="0" role="region" aria-label=(label) { (inner) } }
}

/// Returns the SHA-256 of a text in base 64, as policies have it.
fn digest(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut written = String::new();
    for chunk in Sha256::digest(text).chunks(3) {
        let mut group = [0; 3];
        group[..chunk.len()].copy_from_slice(chunk);
        let number = u32::from_be_bytes([0, group[0], group[1], group[2]]);
        for digit in 0..4 {
            let value = (number >> (18 - 6 * digit) & 63) as usize;
            written.push(if digit <= chunk.len() { char::from(DIGITS[value]) } else { '=' });
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_names_its_style_and_its_script() {
        // `printf '' | openssl dgst -sha256 -binary | base64`, and the same of `abc`.
        assert_eq!(digest(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        assert_eq!(digest("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
        let page = |script| Page { html: String::new(), script }.policy();
        assert!(!page(None).contains("script-src") && page(None).starts_with("default-src 'none'; style-src 'sha256-"));
        assert!(page(Some("abc")).contains("script-src 'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='"));
    }
}
