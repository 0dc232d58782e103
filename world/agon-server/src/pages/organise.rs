//! The page of organisers.

use super::{
    Page,
    contest::{make, registration},
    fields::{Field, button, choice, form, token_field},
    minute, name, page, shown, wide,
};
use crate::{contest::Source, routes::Visit, words::fill};
use agon_contest::{Act, may};
use agon_spec::{ContestAccountRow, ContestAct, ContestInvite, ContestOrganiseDocument, ContestStanding};
use maud::{Markup, html};

/// Writes the page. Whoever may not lead sees it without its forms.
#[must_use]
pub fn organise(visit: &Visit, all: &ContestOrganiseDocument) -> Page {
    let words = visit.words();
    let leads = may(&visit.ask.viewer, &Act::Lead);
    let body = html! {
        section { h2 { (words.contest_title) } (about_contest(visit, leads)) }
        section { h2 { (words.versions) } p { a href="/organise/versions" { (words.versions_hints) } } }
        section { h2 { (words.invites) } (invites(visit, &all.invites, leads)) }
        section { h2 { (words.accounts) } (accounts(visit, &all.accounts, leads)) }
        section { h2 { (words.audit) } p { (words.audit_about) } (acts(visit, &all.acts)) }
    };
    page(visit, &words.organise_title, &body)
}

fn about_contest(visit: &Visit, leads: bool) -> Markup {
    let words = visit.words();
    let Some(contest) = &visit.contest else {
        return if leads {
            make(visit)
        } else {
            html! { p { (words.no_contest_visitor) } }
        };
    };
    html! {
        p { (name(&contest.file.name)) ". " (fill(&words.plays, &[("game", &contest.file.game)])) }
        @if contest.source == Source::Disk {
            p { (words.contest_from_file) }
        } @else if leads {
            @let inner = registration(visit, contest.file.registration);
            (form(visit, "/organise/registration", &words.registration_save, &inner))
        }
    }
}

fn invites(visit: &Visit, invites: &[ContestInvite], leads: bool) -> Markup {
    let words = visit.words();
    let rows = html! {
        table {
            thead { tr {
                th scope="col" { (words.code) }
                th scope="col" { (words.role) }
                th.n scope="col" { (words.invite_used) }
                th.n scope="col" { (words.invite_left) }
                th scope="col" { (words.invite_until) }
                @if leads { td { } }
            } }
            tbody { @for invite in invites { tr {
                th.w scope="row" {
                    @if let Some(code) = &invite.code { code { (shown(code)) } } @else { (words.code_hidden) }
                }
                td { (standing(visit, invite.standing)) @if let Some(team) = &invite.team { ": " (name(&team.name)) } }
                td.n { (invite.used) }
                td.n { (invite.left.map_or_else(|| words.no_limit.clone(), |left| left.to_string())) }
                td.w { (invite.time_until_ms.map_or_else(|| words.any_time.clone(), minute)) }
                @if leads { td {
                    @let code = invite.code.as_deref().unwrap_or_default();
                    @let label = fill(&words.invite_end_label, &[("code", code)]);
                    (button(visit, &format!("/organise/invites/{}/end", invite.number), &words.invite_end, &label))
                } }
            } } }
        }
    };
    html! {
        @if invites.is_empty() { p { (words.invites_none) } } @else {
            p { (fill(&words.invite_address, &[("url", &format!("{}join?code=", visit.url()))])) }
            (wide(&words.invites, &rows))
        }
        @if leads { h3 { (words.invite_make) } (new_invite(visit)) }
    }
}

fn new_invite(visit: &Visit) -> Markup {
    let words = visit.words();
    let roles = [
        ("player", words.role_player.as_str()),
        ("auditor", &words.role_auditor),
        ("organiser", &words.role_organiser),
    ];
    let or = |field: &'static str, usual: &'static str| {
        let given = visit.form.text(field);
        if given.is_empty() { usual.to_owned() } else { given.to_owned() }
    };
    let (uses, days) = (or("uses", "30"), or("days", "14"));
    let fields = html! {
        (choice("role", &words.role, &roles, "player"))
        (Field { name: "uses", label: &words.invite_uses, kind: "number", value: &uses, ..Field::default() }.html())
        (Field { name: "days", label: &words.invite_days, kind: "number", value: &days, ..Field::default() }.html())
    };
    form(visit, "/organise/invites", &words.invite_make, &fields)
}

fn accounts(visit: &Visit, accounts: &[ContestAccountRow], leads: bool) -> Markup {
    let words = visit.words();
    wide(
        &words.accounts,
        &html! {
            table {
                thead { tr {
                    th scope="col" { (words.name) }
                    th scope="col" { (words.role) }
                    th scope="col" { (words.team) }
                    th scope="col" { (words.account_since) }
                    th scope="col" { (words.account_state) }
                    @if leads { td { } }
                } }
                tbody { @for account in accounts { tr {
                    th scope="row" { (name(&account.name)) }
                    td { (standing(visit, account.standing)) }
                    td { @if let Some(team) = &account.team { a href={ "/teams/" (team.number) } { (name(&team.name)) } } }
                    td.w { (minute(account.time_made_ms)) }
                    td.t {
                        @match &account.disabled {
                            Some(reason) => (fill(&words.account_disabled, &[("reason", &shown(reason))])),
                            None => (words.account_active),
                        }
                    }
                    @if leads { td { (about_account(visit, account)) } }
                } } }
            }
        },
    )
}

/// Writes what can be done about an account. Nobody locks themselves out.
fn about_account(visit: &Visit, account: &ContestAccountRow) -> Markup {
    let words = visit.words();
    if visit.ask.viewer.account() == Some(account.number) {
        return html! {};
    }
    let path = |act: &str| format!("/organise/accounts/{}/{act}", account.number);
    let label = |text: &str| fill(text, &[("name", &shown(&account.name))]);
    if account.disabled.is_some() {
        return button(visit, &path("enable"), &words.account_enable, &label(&words.account_enable_label));
    }
    html! {
        (button(visit, &path("link"), &words.account_link, &label(&words.account_link_label))) " "
        form method="post" action=(path("disable")) {
            (token_field(visit))
            input name="reason" required placeholder=(words.reason) maxlength="200" autocomplete="off"
                aria-label={ (label(&words.account_disable_label)) ": " (words.reason) };
            button.small aria-label=(label(&words.account_disable_label)) { (words.account_disable) }
        }
    }
}

fn acts(visit: &Visit, acts: &[ContestAct]) -> Markup {
    let words = visit.words();
    if acts.is_empty() {
        return html! { p { (words.audit_none) } };
    }
    wide(
        &words.audit,
        &html! {
            table {
                thead { tr {
                    th scope="col" { (words.audit_when) }
                    th scope="col" { (words.audit_by) }
                    th scope="col" { (words.audit_act) }
                } }
                tbody { @for act in acts { tr {
                    td.w { (minute(act.time_at_ms)) }
                    td { @if let Some(by) = &act.by { (name(by)) } }
                    td.t { (name(&act.act)) " " code { (shown(&act.about.to_string())) } }
                } } }
            }
        },
    )
}

fn standing(visit: &Visit, standing: ContestStanding) -> &str {
    let words = visit.words();
    match standing {
        ContestStanding::Player => &words.role_player,
        ContestStanding::Auditor => &words.role_auditor,
        ContestStanding::Organiser => &words.role_organiser,
    }
}
