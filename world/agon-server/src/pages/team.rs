//! The pages about teams.

use super::{
    Page,
    fields::{Field, button, form},
    minute, name, page, shown, wide,
};
use crate::{routes::Visit, words::fill};
use agon_contest::{Act, may};
use agon_spec::{ContestMember, ContestTeamDocument, ContestTeamsDocument};
use maud::{Markup, html};

/// Writes the list of teams.
#[must_use]
pub fn list(visit: &Visit, teams: &ContestTeamsDocument) -> Page {
    let words = visit.words();
    let rows = html! {
        table {
            thead { tr { th scope="col" { (words.team) } th.n scope="col" { (words.members) } } }
            tbody { @for row in &teams.teams { tr {
                th scope="row" {
                    a href={ "/teams/" (row.team.number) } { (name(&row.team.name)) }
                    @if row.hidden { " " small { (words.team_hidden_short) } }
                }
                td.n { (row.members) }
            } } }
        }
    };
    let team = Field {
        name: "team",
        label: &words.team_name,
        value: visit.form.text("team"),
        about: &words.team_rule,
        ..Field::default()
    };
    let code = Field { name: "code", label: &words.team_code, about: &words.team_code_rule, ..Field::default() };
    let body = html! {
        section { @if teams.teams.is_empty() { p { (words.no_teams) } } @else { (wide(&words.teams, &rows)) } }
        @if may(&visit.ask.viewer, &Act::HaveTeam) {
            section.narrow { h2 { (words.team_make) } (form(visit, "/teams", &words.team_make, &team.html())) }
            section.narrow { h2 { (words.team_enter) } (form(visit, "/teams/enter", &words.team_enter_do, &code.html())) }
        }
    };
    page(visit, &words.teams, &body)
}

/// Writes the page of a team.
#[must_use]
pub fn team(visit: &Visit, team: &ContestTeamDocument) -> Page {
    let words = visit.words();
    let number = team.team.number;
    let (now, former): (Vec<_>, Vec<_>) = team.members.iter().partition(|member| member.time_until_ms.is_none());
    let count = now.len().to_string();
    let body = html! {
        @if team.hidden { p.banner { (words.team_hidden) } }
        section {
            h2 { (words.members) }
            p { (fill(&words.members_now, &[("count", &count)])) }
            (members(visit, team, &now))
            @if !former.is_empty() { details { summary { (words.former_members) } (members(visit, team, &former)) } }
        }
        @if may(&visit.ask.viewer, &Act::SeeInsideTeam(number)) {
            section {
                h2 { (words.versions) }
                p { a href={ "/teams/" (number) "/versions" } { (words.versions_see) } }
            }
        }
        @if may(&visit.ask.viewer, &Act::LeadTeam(number)) { (lead(visit, team)) }
        @if may(&visit.ask.viewer, &Act::LeaveTeam(number)) {
            section.narrow {
                h2 { (words.team_leave) }
                p { (words.team_leave_about) }
                (form(visit, &format!("/teams/{number}/leave"), &words.team_leave, &html! {}))
            }
        }
    };
    page(visit, &team.team.name, &body)
}

/// Writes what the captain of a team and organisers can do.
fn lead(visit: &Visit, team: &ContestTeamDocument) -> Markup {
    let words = visit.words();
    let path = |act: &str| format!("/teams/{}/{act}", team.team.number);
    let given = visit.form.text("team");
    let value = if given.is_empty() { &team.team.name } else { given };
    let rename = Field { name: "team", label: &words.team_name, value, about: &words.team_rule, ..Field::default() };
    let (hide, hidden) = if team.hidden { (&words.team_show, "") } else { (&words.team_hide, "1") };
    html! {
        section.narrow {
            h2 { (words.team_code) }
            p { (words.team_code_about) }
            @if let Some(code) = &team.code { code.secret { (shown(code)) } }
            (form(visit, &path("code"), &words.team_code_new, &html! {}))
        }
        section.narrow {
            h2 { (words.team_rename) }
            (form(visit, &path("rename"), &words.team_rename_do, &rename.html()))
        }
        @if may(&visit.ask.viewer, &Act::Lead) {
            section.narrow {
                h2 { (words.team_visibility) }
                (form(visit, &path("hide"), hide, &html! { input type="hidden" name="hidden" value=(hidden); }))
            }
        }
    }
}

fn members(visit: &Visit, team: &ContestTeamDocument, members: &[&ContestMember]) -> Markup {
    let words = visit.words();
    let leads = may(&visit.ask.viewer, &Act::LeadTeam(team.team.number));
    wide(
        &words.members,
        &html! {
            table {
                thead { tr {
                    th scope="col" { (words.name) }
                    th scope="col" { (words.member_since) }
                    th scope="col" { (words.member_until) }
                    @if leads { td { } }
                } }
                tbody { @for member in members { tr {
                    th scope="row" {
                        (name(&member.name))
                        @if member.captain { " " small { (words.captain) } }
                    }
                    td.w { (minute(member.time_since_ms)) }
                    td.w { (member.time_until_ms.map(minute).unwrap_or_default()) }
                    @if leads { td { @if member.time_until_ms.is_none() { (about_member(visit, team, member)) } } }
                } } }
            }
        },
    )
}

/// Writes what can be done about a member.
fn about_member(visit: &Visit, team: &ContestTeamDocument, member: &ContestMember) -> Markup {
    let words = visit.words();
    let path = |act: &str| format!("/teams/{}/members/{}/{act}", team.team.number, member.account);
    let label = |text: &str| fill(text, &[("name", &shown(&member.name))]);
    html! {
        @if !member.captain { (button(visit, &path("captain"), &words.team_promote, &label(&words.team_promote_label))) " " }
        @if visit.ask.viewer.account() != Some(member.account) {
            (button(visit, &path("remove"), &words.team_remove, &label(&words.team_remove_label)))
        }
    }
}
