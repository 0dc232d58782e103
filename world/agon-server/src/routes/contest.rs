//! The contest, and the choice of a language.

use super::{Visit, api::contest_document, see};
use crate::{Refusal, Result, http::Language, pages};
use agon_contest::Act;
use axum::response::{IntoResponse as _, Response};

/// Shows the contest.
pub fn show(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::SeeContest)?;
    let document = contest_document(visit)?;
    Ok(pages::contest::contest(visit, &document).into_response())
}

/// Keeps a choice of language, and goes back to the page on which it was made.
pub fn choose_language(visit: &mut Visit) -> Result<Response> {
    let language = Language::find(visit.form.text("language")).ok_or(Refusal::Unknown("language"))?;
    visit.choose(language);
    Ok(see(own_path(visit.form.text("to"))))
}

/// Returns a path of this server: browsers take `//host` and `/\host` for another one.
fn own_path(path: &str) -> &str {
    let is_own =
        path.starts_with('/') && !path[1..].starts_with(['/', '\\']) && path.chars().all(|c| c.is_ascii_graphic());
    if is_own { path } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::own_path;

    #[test]
    fn only_paths_of_this_server_are_gone_back_to() {
        for path in ["/", "/teams/3", "/join?code=x"] {
            assert_eq!(own_path(path), path);
        }
        for path in
            ["", "teams", "//evil.example", "/\\evil.example", "https://evil.example", "/\t/evil", "/a\r\nb", "/ñ"]
        {
            assert_eq!(own_path(path), "/", "{path:?}");
        }
    }
}
