//! The pages about an account: joining, logging in, and what it has.

use super::{
    Page,
    fields::{Field, button, choice, form, password},
    minute, name, page, shown, wide,
};
use crate::{
    routes::Visit,
    words::{Words, fill},
};
use agon_contest::Registration;
use agon_spec::{ContestAccountDocument, ContestRole, ContestSession, ContestSessionKind};
use maud::{Markup, html};

/// Returns the word for a role.
#[must_use]
pub fn role(words: &Words, role: ContestRole) -> &str {
    match role {
        ContestRole::Visitor => &words.role_visitor,
        ContestRole::Player => &words.role_player,
        ContestRole::Member => &words.role_member,
        ContestRole::Captain => &words.role_captain,
        ContestRole::Auditor => &words.role_auditor,
        ContestRole::Organiser => &words.role_organiser,
    }
}

fn user_name(visit: &Visit, about: &str) -> Markup {
    let (label, value) = (&visit.words().name, visit.form.text("name"));
    Field { name: "name", label, value, about, autocomplete: "username", ..Field::default() }.html()
}

/// The fields of a new account.
fn new_account(visit: &Visit) -> Markup {
    let words = visit.words();
    html! {
        (user_name(visit, &words.name_rule))
        (password("password", &words.password, &words.password_rule, "new-password"))
        (password("again", &words.password_again, "", "new-password"))
    }
}

/// Writes the page of the first organiser's one-time link. `action` is its path.
#[must_use]
pub fn first(visit: &Visit, action: &str) -> Page {
    let words = visit.words();
    let body = html! {
        section.narrow {
            p { (words.first_about) }
            (form(visit, action, &words.first_do, &new_account(visit)))
        }
    };
    page(visit, &words.first_title, &body)
}

/// Writes the page of a one-time link with which somebody chooses a new password. `action` is its path.
#[must_use]
pub fn recover(visit: &Visit, action: &str, own: &str) -> Page {
    let words = visit.words();
    let fields = html! {
        input type="hidden" name="username" value=(own) autocomplete="username";
        (password("password", &words.password_new, &words.password_rule, "new-password"))
        (password("again", &words.password_again, "", "new-password"))
    };
    let body = html! {
        section.narrow {
            p { (words.name) ": " (name(own)) }
            (form(visit, action, &words.change_password, &fields))
        }
    };
    page(visit, &words.recover_title, &body)
}

/// Writes the page on which an account is made.
#[must_use]
pub fn join(visit: &Visit) -> Page {
    let words = visit.words();
    let registration = visit.contest.as_ref().map_or(Registration::Invited, |contest| contest.file.registration);
    let is_open = registration == Registration::Open;
    let code = if visit.form.text("code").is_empty() { visit.query.text("code") } else { visit.form.text("code") };
    let about = if is_open { &words.code_open } else { &words.code_rule };
    let code = Field { name: "code", label: &words.code, value: code, about, optional: is_open, ..Field::default() };
    let fields = html! { (new_account(visit)) (code.html()) };
    let body = html! {
        section.narrow {
            @if registration == Registration::Closed { p { (words.step_closed) } }
            (form(visit, "/join", &words.join_do, &fields))
        }
        p { (words.have_account) " " a href="/login" { (words.log_in) } }
    };
    page(visit, &words.join_title, &body)
}

/// Writes the page on which somebody logs in.
#[must_use]
pub fn log_in(visit: &Visit) -> Page {
    let words = visit.words();
    let fields = html! {
        (user_name(visit, ""))
        (password("password", &words.password, "", "current-password"))
    };
    let body = html! {
        section.narrow { (form(visit, "/login", &words.log_in_do, &fields)) }
        p { (words.no_account) " " a href="/join" { (words.join) } }
    };
    page(visit, &words.log_in_title, &body)
}

/// Writes the page of the asker's account.
#[must_use]
pub fn account(visit: &Visit, account: &ContestAccountDocument) -> Page {
    let words = visit.words();
    let own = account.you.name.as_deref().unwrap_or_default();
    let (browsers, programs): (Vec<_>, Vec<_>) =
        account.sessions.iter().partition(|session| session.kind == ContestSessionKind::Browser);
    let body = html! {
        p { (fill(&words.you_are, &[("name", &shown(own)), ("role", role(words, account.you.role))])) }
        @if let Some(team) = &account.you.team {
            p { (words.team) ": " a href={ "/teams/" (team.number) } { (name(&team.name)) } }
        }
        section {
            h2 { (words.sessions) }
            (sessions(visit, &words.sessions, &browsers))
            @if browsers.len() > 1 {
                @let others = &words.sessions_end_others;
                p { (button(visit, "/account/sessions/end", others, others)) }
            }
        }
        section {
            h2 { (words.tokens) }
            p { (words.tokens_about) }
            @if !programs.is_empty() { (sessions(visit, &words.tokens, &programs)) }
            (new_token(visit))
        }
        section {
            h2 { (words.change_password) }
            p { (words.change_password_about) }
            (new_password(visit, own))
        }
    };
    page(visit, &words.your_account, &body)
}

fn new_token(visit: &Visit) -> Markup {
    let words = visit.words();
    let scopes = [("submit", words.token_submit.as_str()), ("read", &words.token_read)];
    let fields = html! {
        (Field { name: "label", label: &words.token_label, about: &words.token_label_rule, ..Field::default() }.html())
        (choice("scope", &words.token_scope, &scopes, "submit"))
    };
    html! { h3 { (words.token_make) } (form(visit, "/account/tokens", &words.token_make, &fields)) }
}

fn new_password(visit: &Visit, own: &str) -> Markup {
    let words = visit.words();
    let fields = html! {
        // Programs that keep passwords want to know whose it is.
        input type="hidden" name="username" value=(own) autocomplete="username";
        (password("now", &words.password_now, "", "current-password"))
        (password("password", &words.password_new, &words.password_rule, "new-password"))
        (password("again", &words.password_again, "", "new-password"))
    };
    form(visit, "/account/password", &words.change_password, &fields)
}

fn sessions(visit: &Visit, label: &str, sessions: &[&ContestSession]) -> Markup {
    let words = visit.words();
    let is_program = |session: &ContestSession| session.kind != ContestSessionKind::Browser;
    wide(
        label,
        &html! {
            table {
                thead { tr {
                    th scope="col" { (words.session_began) }
                    th scope="col" { (words.session_used) }
                    th scope="col" { (words.session_until) }
                    th scope="col" { (words.session_what) }
                    td { }
                } }
                tbody { @for session in sessions { tr {
                    td.w { (minute(session.time_began_ms)) }
                    td.w { (minute(session.time_used_ms)) }
                    td.w { (session.time_until_ms.map_or_else(|| words.any_time.clone(), minute)) }
                    td {
                        (name(&session.label))
                        @if is_program(session) { ": " (scope(words, session.kind)) }
                        @if session.this { " " strong { (words.session_this) } }
                    }
                    td { @if !session.this { (end(visit, session)) } }
                } } }
            }
        },
    )
}

fn scope(words: &Words, kind: ContestSessionKind) -> &str {
    match kind {
        ContestSessionKind::Browser => &words.session_browser,
        ContestSessionKind::Submit => &words.token_submit,
        ContestSessionKind::Read => &words.token_read,
    }
}

fn end(visit: &Visit, session: &ContestSession) -> Markup {
    let words = visit.words();
    let label = match session.kind {
        ContestSessionKind::Browser => fill(&words.session_end_label, &[("when", &minute(session.time_began_ms))]),
        ContestSessionKind::Submit | ContestSessionKind::Read => {
            fill(&words.token_end_label, &[("name", &shown(&session.label))])
        }
    };
    button(visit, &format!("/account/sessions/{}/end", session.number), &words.session_end, &label)
}

/// Writes a secret that is shown once, above everything else.
#[must_use]
pub fn secret(title: &str, secret: &str, about: &str) -> Markup {
    html! {
        section role="status" {
            h2 { (title) }
            code.secret { (secret) }
            p { (about) }
        }
    }
}
