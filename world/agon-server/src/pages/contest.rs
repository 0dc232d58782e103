//! The page about the contest.

use super::{
    Page,
    fields::{Field, choice, form},
    page,
};
use crate::{routes::Visit, words::fill};
use agon_contest::{Act, Registration, Role, may};
use agon_games::all;
use agon_spec::ContestDocument;
use maud::{Markup, html};

/// Writes the page.
#[must_use]
pub fn contest(visit: &Visit, contest: &ContestDocument) -> Page {
    let words = visit.words();
    let title = contest.name.as_deref().unwrap_or(&words.no_contest);
    let count = contest.teams.to_string();
    let body = html! {
        @if let Some(game) = &contest.game {
            p { (fill(&words.plays, &[("game", game)])) }
            p { a href="/teams" { (fill(&words.teams_count, &[("count", &count)])) } }
        }
        section {
            h2 { (words.next_step) }
            (next_step(visit, contest))
        }
    };
    page(visit, title, &body)
}

/// Says what whoever looks can do next.
fn next_step(visit: &Visit, contest: &ContestDocument) -> Markup {
    let words = visit.words();
    let step = |text: &str, path: &str, link: &str| {
        html! {
            p { (text) }
            p { a.button href=(path) { (link) } }
        }
    };
    if contest.name.is_none() {
        return if may(&visit.ask.viewer, &Act::Lead) {
            step(&words.no_contest_organiser, "/organise", &words.make_contest)
        } else {
            html! { p { (words.no_contest_visitor) } }
        };
    }
    let registration = visit.contest.as_ref().map(|contest| contest.file.registration);
    match visit.ask.viewer.role() {
        Role::Visitor => match registration {
            Some(Registration::Closed) => step(&words.step_closed, "/login", &words.log_in),
            Some(Registration::Invited) => step(&words.step_join_code, "/join", &words.join),
            Some(Registration::Open) | None => step(&words.step_join, "/join", &words.join),
        },
        Role::Player => step(&words.step_team, "/teams", &words.teams),
        Role::Member | Role::Captain => {
            let team = contest.you.team.as_ref();
            let name = team.map_or("", |team| team.name.as_str());
            let path = format!("/teams/{}", team.map_or(0, |team| team.number));
            step(&fill(&words.step_ready, &[("team", &super::shown(name))]), &path, &words.team)
        }
        Role::Auditor | Role::Organiser => step(&words.step_organise, "/organise", &words.organise),
    }
}

/// Writes the form that makes a contest.
#[must_use]
pub fn make(visit: &Visit) -> Markup {
    let words = visit.words();
    let games: Vec<(&str, &str)> = all().iter().map(|game| (game.name(), game.title())).collect();
    let (label, value, about) = (&words.contest_name, visit.form.text("name"), &words.contest_rule);
    let name = Field { name: "name", label, value, about, ..Field::default() };
    let inner = html! {
        (name.html())
        (choice("game", &words.game, &games, visit.form.text("game")))
        (registration(visit, Registration::Invited))
    };
    form(visit, "/organise/contest", &words.make_contest, &inner)
}

/// Writes the choice of who may make an account.
#[must_use]
pub fn registration(visit: &Visit, chosen: Registration) -> Markup {
    let words = visit.words();
    let text = |registration| match registration {
        Registration::Open => words.registration_open.as_str(),
        Registration::Invited => &words.registration_invited,
        Registration::Closed => &words.registration_closed,
    };
    let options = Registration::ALL.map(|registration| (registration.word(), text(registration)));
    choice("registration", &words.registration, &options, chosen.word())
}
