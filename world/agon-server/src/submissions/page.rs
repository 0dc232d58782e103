//! The pages about versions.

use super::{copies::NearCopy, version::FileChange};
use crate::{
    pages::{
        Page,
        fields::{button, token_field},
        minute, name, page, shown, wide,
    },
    routes::Visit,
    words::{Words, fill},
};
use agon_contest::{Act, may};
use agon_core::text::clean;
use agon_spec::{
    SubmissionDocument, SubmissionFile, SubmissionLog, SubmissionResult, SubmissionRow, SubmissionStatus,
    SubmissionStep,
};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// So many files are shown of a version. All of them are in its document.
const FILES: usize = 500;

/// Writes the versions of a team, and the form that sends another one.
pub(super) fn list(visit: &Visit, (team, team_name): (i64, &str), rows: &[SubmissionRow]) -> Page {
    let words = visit.words();
    let table = html! {
        table {
            thead { tr {
                th.n scope="col" { (words.version) }
                th scope="col" { (words.version_name) }
                th scope="col" { (words.version_received) }
                th scope="col" { (words.version_state) }
            } }
            tbody { @for row in rows { tr {
                th.n scope="row" { a href={ "/teams/" (team) "/versions/" (row.receipt.version) } { (row.receipt.version) } }
                td { (name(&row.name)) }
                td { (minute(row.receipt.time_received_ms)) }
                td { (state(words, row)) }
            } } }
        }
    };
    let body = html! {
        @if may(&visit.ask.viewer, &Act::Submit(team)) { (send(visit, team)) }
        section {
            h2 { (words.versions) }
            @if rows.is_empty() { p { (words.versions_none) } } @else { (wide(&words.versions, &table)) }
        }
    };
    page(visit, &fill(&words.versions_of, &[("team", &shown(team_name))]), &body)
}

/// Writes the form that sends a version.
fn send(visit: &Visit, team: i64) -> Markup {
    let words = visit.words();
    let kinds = ".zip,.tar,.gz,.tgz,.zst,.jar";
    html! {
        section.narrow {
            h2 { (words.version_send) }
            p { (words.version_send_about) }
            form method="post" enctype="multipart/form-data" action={ "/teams/" (team) "/versions" } {
                // The token is the first field: what follows is read only if it is right.
                (token_field(visit))
                div.field {
                    label for="field-archive" { (words.version_archive) }
                    input id="field-archive" type="file" name="archive" accept=(kinds);
                }
                div.field {
                    label for="field-folder" { (words.version_folder) }
                    input id="field-folder" type="file" name="folder" webkitdirectory multiple;
                }
                button { (words.version_send) }
            }
            p { small { (words.version_send_command) } }
            pre { code { "agon submit " (visit.url()) " my-bot --token-file token" } }
        }
    }
}

/// Writes a version with its logs and its files. `others` are the numbers of the other versions of the team.
pub(super) fn version(visit: &Visit, document: &SubmissionDocument, others: &[i64]) -> Page {
    let words = visit.words();
    let row = &document.version;
    let path = format!("/teams/{}/versions/{}", row.receipt.team, row.receipt.version);
    let is_open = matches!(row.status, SubmissionStatus::Waiting | SubmissionStatus::Running);
    let body = html! {
        section {
            p {
                (state(words, row))
                @if is_open { " " a href=(path) { (words.version_reload) } }
            }
            @if !row.reason.is_empty() { p { (clean(&row.reason)) } }
            dl {
                dt { (words.version_name) } dd { (name(&row.name)) }
                dt { (words.version_received) } dd { (minute(row.receipt.time_received_ms)) }
                dt { (words.version_size) } dd { (row.receipt.size) }
                dt { (words.version_hash) } dd { code { (row.receipt.hash) } }
            }
            (acts(visit, row, &path))
        }
        section {
            h2 { (words.version_log) }
            @for log in &document.logs { (log_part(words, log, &path)) }
        }
        @if !document.files.is_empty() {
            section { h2 { (words.version_files) } (files(words, &document.files)) }
        }
        @if !others.is_empty() && !document.files.is_empty() {
            section {
                h2 { (words.version_compare) }
                ul { @for other in others { li {
                    a href={ (path) "/compare/" (other) } { (fill(&words.version_number, &[("number", &other.to_string())])) }
                } } }
            }
        }
    };
    page(visit, &fill(&words.version_number, &[("number", &row.receipt.version.to_string())]), &body)
}

/// Writes what can be done with a version.
fn acts(visit: &Visit, row: &SubmissionRow, path: &str) -> Markup {
    let words = visit.words();
    let number = row.receipt.version.to_string();
    let act = |act: &str, text: &str| button(visit, &format!("{path}/{act}"), text, &format!("{text}: {number}"));
    let is_sender = may(&visit.ask.viewer, &Act::Submit(row.receipt.team));
    let can_play = row.status == SubmissionStatus::Accepted && !row.plays;
    let is_stuck = matches!(row.status, SubmissionStatus::Held | SubmissionStatus::Refused);
    html! {
        @if is_sender && can_play { (act("choose", &words.version_choose)) " " }
        @if is_sender && row.time_taken_back_ms.is_none() && row.status != SubmissionStatus::Refused {
            (act("take-back", &words.version_take_back)) " "
        }
        @if may(&visit.ask.viewer, &Act::Lead) && is_stuck { (act("again", &words.version_again)) }
    }
}

fn log_part(words: &Words, log: &SubmissionLog, path: &str) -> Markup {
    let result = match log.result {
        None => &words.step_runs,
        Some(SubmissionResult::Passed) => &words.step_passed,
        Some(SubmissionResult::Refused) => &words.step_refused,
        Some(SubmissionResult::HostTrouble) => &words.step_trouble,
        Some(SubmissionResult::BrokenOff) => &words.step_broken_off,
    };
    html! {
        details open[log.result != Some(SubmissionResult::Passed)] {
            summary { (step(words, log.step)) ": " (result) " · " (minute(log.time_began_ms)) }
            pre tabindex="0" { (log.log) }
            @if log.replay {
                p { a href={ (path) "/replays/" (log.number) } download { (words.version_replay) } }
            }
        }
    }
}

fn files(words: &Words, files: &[SubmissionFile]) -> Markup {
    let table = html! {
        table {
            thead { tr { th scope="col" { (words.file) } th.n scope="col" { (words.version_size) } } }
            tbody { @for file in files.iter().take(FILES) { tr {
                th scope="row" { bdi { (clean(&file.path)) } }
                td.n { (file.size) }
            } } }
        }
    };
    html! {
        (wide(&words.version_files, &table))
        @if files.len() > FILES { p { (fill(&words.files_more, &[("count", &(files.len() - FILES).to_string())])) } }
    }
}

/// Writes what differs between two versions.
pub(super) fn compared(visit: &Visit, (team, one, other): (i64, i64, i64), changes: &[(String, FileChange)]) -> Page {
    let words = visit.words();
    let differing: Vec<_> = changes.iter().filter(|(_, change)| *change != FileChange::Same).collect();
    let same = (changes.len() - differing.len()).to_string();
    let table = html! {
        table {
            thead { tr { th scope="col" { (words.file) } th scope="col" { (words.file_change) } } }
            tbody { @for (path, change) in differing.iter().take(FILES) { tr {
                th scope="row" { bdi { (clean(path)) } }
                td { (match change {
                    FileChange::Added => &words.file_added,
                    FileChange::Removed => &words.file_removed,
                    FileChange::Changed | FileChange::Same => &words.file_changed,
                }) }
            } } }
        }
    };
    let title = fill(&words.versions_compared, &[("one", &one.to_string()), ("other", &other.to_string())]);
    let body = html! {
        section {
            @if differing.is_empty() { p { (words.versions_equal) } } @else { (wide(&title, &table)) }
            p { (fill(&words.files_same, &[("count", &same)])) }
            p { a href={ "/teams/" (team) "/versions" } { (words.versions) } }
        }
    };
    page(visit, &title, &body)
}

/// Writes what those who lead should look at: versions that the server could not check, and versions that are very alike.
pub(super) fn hints(visit: &Visit, held: &[SubmissionRow], copies: &[NearCopy], names: &BTreeMap<i64, String>) -> Page {
    let words = visit.words();
    let of = |team: i64, number: i64| {
        let team_name = names.get(&team).map_or("", String::as_str);
        html! { a href={ "/teams/" (team) "/versions/" (number) } { (name(team_name)) " · " (number) } }
    };
    let waiting = html! {
        table {
            thead { tr { th scope="col" { (words.version) } th scope="col" { (words.version_state) } th scope="col" { (words.reason) } } }
            tbody { @for row in held { tr {
                th scope="row" { (of(row.receipt.team, row.receipt.version)) }
                td { (state(words, row)) }
                td { (clean(&row.reason)) }
            } } }
        }
    };
    let alike = html! {
        table {
            thead { tr {
                th scope="col" { (words.version) }
                th scope="col" { (words.copy_other) }
                th.n scope="col" { (words.copy_share) }
            } }
            tbody { @for copy in copies { tr {
                th scope="row" { (of(copy.version.1, copy.version.2)) }
                td { (of(copy.other.1, copy.other.2)) }
                td.n { @if copy.is_same { (words.copy_same) } @else { (copy.share / 10) " %" } }
            } } }
        }
    };
    let body = html! {
        section {
            h2 { (words.held_title) }
            @if held.is_empty() { p { (words.held_none) } } @else { p { (words.held_about) } (wide(&words.held_title, &waiting)) }
        }
        section {
            h2 { (words.copies_title) }
            @if copies.is_empty() { p { (words.copies_none) } } @else { p { (words.copies_about) } (wide(&words.copies_title, &alike)) }
        }
    };
    page(visit, &words.versions, &body)
}

/// Writes what has become of a version.
fn state(words: &Words, row: &SubmissionRow) -> Markup {
    let at = row.step.map(|at| step(words, at)).unwrap_or_default();
    let text = match row.status {
        SubmissionStatus::Waiting => {
            fill(&words.version_waits, &[("place", &row.position.unwrap_or(1).to_string()), ("step", at)])
        }
        SubmissionStatus::Running => fill(&words.version_runs, &[("step", at)]),
        SubmissionStatus::Accepted => words.version_accepted.clone(),
        SubmissionStatus::Refused => fill(&words.version_refused, &[("step", at)]),
        SubmissionStatus::Held => fill(&words.version_held, &[("step", at)]),
    };
    html! {
        (text)
        @if row.plays { " · " strong { (words.version_plays) } }
        @if row.time_taken_back_ms.is_some() { " · " (words.version_taken_back) }
    }
}

fn step(words: &Words, step: SubmissionStep) -> &str {
    match step {
        SubmissionStep::Intake => &words.step_intake,
        SubmissionStep::Build => &words.step_build,
        SubmissionStep::Check => &words.step_check,
        SubmissionStep::Trial => &words.step_trial,
    }
}
