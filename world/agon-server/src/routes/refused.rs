//! Why something is not done, in the words of a page, and as a document.

use super::Visit;
use crate::{
    Conflict, Error, Refusal,
    pages::page,
    people::TOO_COMMON,
    words::{Words, fill},
};
use agon_spec::{ContestErrorDocument, Versioned};
use axum::{
    Json,
    http::{HeaderValue, StatusCode, header::RETRY_AFTER},
    response::{IntoResponse as _, Response},
};
use maud::html;

/// Answers a program why something is not done.
#[must_use]
pub fn refused_document(why: &Error) -> Response {
    let text = match why {
        Error::Refused(refusal) => refusal.to_string(),
        // What is wrong with the host is for the organiser, not for everybody.
        Error::Database(_) => "the contest cannot be read or written now".to_owned(),
    };
    let document = ContestErrorDocument { error: text, retry_after_s: refusal(why).and_then(seconds) };
    let mut answer = (status(why), Json(Versioned::of(document))).into_response();
    if let Some(refusal) = refusal(why) {
        wait(&mut answer, refusal);
    }
    answer
}

/// Answers with a page that says why something is not done.
#[must_use]
pub fn refused_page(visit: &Visit, why: &Error) -> Response {
    let words = visit.words();
    let (title, text) = match why {
        Error::Refused(Refusal::NotAllowed) => (&words.not_allowed_title, words.not_allowed.clone()),
        Error::Refused(Refusal::Unknown(_)) => (&words.not_found_title, words.not_found.clone()),
        Error::Refused(refusal) => (&words.wrong_title, message(words, refusal)),
        Error::Database(_) => (&words.unavailable_title, words.unavailable.clone()),
    };
    (status(why), page(visit, title, &html! { section { p { (text) } } })).into_response()
}

/// Answers with a page that has nothing but the problem of a visit.
pub fn problem_page(visit: &Visit) -> Response {
    page(visit, &visit.words().wrong_title, &html! {}).into_response()
}

/// Returns the status of an answer that says why something is not done.
pub fn status(why: &Error) -> StatusCode {
    let Some(refusal) = refusal(why) else { return StatusCode::SERVICE_UNAVAILABLE };
    match refusal {
        Refusal::LogIn => StatusCode::UNAUTHORIZED,
        Refusal::NotAllowed | Refusal::WrongPassword | Refusal::Disabled(_) => StatusCode::FORBIDDEN,
        Refusal::Unknown(_) => StatusCode::NOT_FOUND,
        Refusal::Taken(_) | Refusal::Conflict(_) => StatusCode::CONFLICT,
        Refusal::Invalid { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        Refusal::Spent(_) => StatusCode::GONE,
        Refusal::TooOften { .. } => StatusCode::TOO_MANY_REQUESTS,
        Refusal::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
    }
}

/// Says in an answer when to come again.
pub fn wait(answer: &mut Response, refusal: &Refusal) {
    if let Some(seconds) = seconds(refusal) {
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
}

/// Returns after how many seconds the same request may be made.
fn seconds(refusal: &Refusal) -> Option<u64> {
    match refusal {
        Refusal::TooOften { after_ms } => u64::try_from(after_ms.div_euclid(1000) + 1).ok(),
        _ => None,
    }
}

fn refusal(why: &Error) -> Option<&Refusal> {
    match why {
        Error::Refused(refusal) => Some(refusal),
        Error::Database(_) => None,
    }
}

/// Says why something is not done, in the words of a language.
#[must_use]
pub fn message(words: &Words, refusal: &Refusal) -> String {
    match refusal {
        Refusal::LogIn => words.log_in_first.clone(),
        Refusal::NotAllowed => words.not_allowed.clone(),
        Refusal::Unknown(_) => words.not_found.clone(),
        Refusal::Taken(_) => words.taken.clone(),
        Refusal::Invalid { field, why } => {
            let (label, rule) = match *field {
                "name" => (&words.name, Some(&words.name_rule)),
                "password" if why == TOO_COMMON => (&words.password, Some(&words.password_common)),
                "password" => (&words.password, Some(&words.password_rule)),
                "team" => (&words.team_name, Some(&words.team_rule)),
                "contest" => (&words.contest_name, Some(&words.contest_rule)),
                "reason" => (&words.reason, Some(&words.reason_needed)),
                "game" => (&words.game, Some(&words.game_unknown)),
                "code" => (&words.code, Some(&words.code_needed)),
                "uses" => (&words.invite_uses, None),
                "days" => (&words.invite_days, None),
                _ => return fill(&words.invalid, &[("field", field), ("why", why)]),
            };
            fill(&words.invalid, &[("field", label), ("why", rule.map_or(why, String::as_str))])
        }
        Refusal::WrongPassword => words.wrong_password.clone(),
        Refusal::Disabled(reason) => fill(&words.disabled, &[("reason", reason)]),
        Refusal::Spent("link") => words.spent_link.clone(),
        Refusal::Spent(_) => words.spent_code.clone(),
        Refusal::TooOften { .. } => {
            let seconds = seconds(refusal).unwrap_or(1).to_string();
            fill(&words.too_often, &[("seconds", &seconds)])
        }
        Refusal::TooLarge { most } => fill(&words.too_large, &[("most", &most.to_string())]),
        Refusal::Conflict(why) => conflict(words, why),
    }
}

fn conflict(words: &Words, why: &Conflict) -> String {
    let told = match why {
        Conflict::InTeam => &words.in_a_team,
        Conflict::InNoTeam => &words.in_no_team,
        Conflict::OnlyPlayers => &words.only_players,
        Conflict::TeamFull(_) => &words.team_full,
        Conflict::LastOrganiser => &words.last_organiser,
        Conflict::OwnAccount => &words.own_account,
        Conflict::RegistrationOver => &words.registration_over,
        Conflict::TooManyTokens(_) => &words.too_many_tokens,
        Conflict::OnlyAccepted => &words.only_accepted,
        Conflict::OnlyHeld => &words.only_held,
        Conflict::TooManyWait(_) => &words.too_many_wait,
        Conflict::Other(why) => why,
    };
    told.clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{http::Language, people::check_password, words::Dictionary};

    #[test]
    fn a_reason_is_told_in_the_language_of_the_page() {
        let dictionary = Dictionary::load().expect("the files fit");
        let words = dictionary.of(Language::Spanish);
        let common = check_password("password1234", "ana").expect_err("it is common");
        let invalid = |field, why: &str| Refusal::Invalid { field, why: why.to_owned() };
        for (refusal, told) in [
            (common, "Es una de las que se prueban primero"),
            (invalid("team", "it is empty"), "De 1 a 40 caracteres"),
            (invalid("code", "an invitation is needed"), "Hace falta"),
            (invalid("game", "there is no such game"), "No existe ese juego"),
            (Refusal::Conflict(Conflict::InTeam), "Ya estás en un equipo."),
        ] {
            assert!(message(words, &refusal).contains(told), "{refusal:?}");
        }
    }
}
