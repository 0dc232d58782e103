//! Joining and logging in.

use super::{Visit, see};
use crate::{
    Conflict, Refusal, Result,
    pages::account as pages,
    people::{
        Secret, accounts,
        links::{self, Purpose},
        sessions,
    },
};
use agon_contest::{Act, ContestFile};
use axum::response::{IntoResponse as _, Response};

/// Returns a new password, which must be typed twice.
pub fn new_password(visit: &Visit) -> Result<String> {
    let password = visit.form.exact("password");
    if password == visit.form.exact("again") {
        return Ok(password.to_owned());
    }
    Err(Refusal::Conflict(Conflict::Other(visit.words().passwords_differ.clone())).into())
}

/// Returns the secret of a one-time link.
fn link(visit: &Visit) -> Result<Secret> {
    let text = visit.parts.first().map_or("", String::as_str);
    Ok(Secret::read(text).ok_or(Refusal::Spent("link"))?)
}

/// Returns what the one-time link is for.
fn purpose(visit: &Visit) -> Result<Purpose> {
    let (link, now) = (link(visit)?, visit.ask.now);
    visit.read(move |sql| links::look(sql, &link, now))
}

/// Returns the file of the contest. Before there is one, accounts need invite codes.
pub fn file(visit: &Visit) -> Result<ContestFile> {
    let none = |flaw: agon_core::Flaw| Refusal::Conflict(Conflict::Other(flaw.what));
    match &visit.contest {
        Some(contest) => Ok(contest.file.clone()),
        None => Ok(ContestFile::new("Agon", "").map_err(none)?),
    }
}

/// Shows the page of the first organiser's one-time link.
pub fn show_first(visit: &mut Visit) -> Result<Response> {
    if visit.ask.viewer.0.is_some() {
        return Ok(see("/account"));
    }
    if purpose(visit)? != Purpose::First {
        return Err(Refusal::Spent("link").into());
    }
    let action = visit.path.clone();
    Ok(pages::first(visit, &action).into_response())
}

/// Makes the first organiser.
pub fn first(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::Enter)?;
    let (link, name, password) = (link(visit)?, visit.form.text("name"), new_password(visit)?);
    let session = links::redeem_first(&visit.site.database, &visit.limits(), &visit.ask, &link, name, &password)?;
    visit.log_in(&session);
    Ok(see("/organise"))
}

/// Shows the page of a one-time link for a new password.
pub fn show_recover(visit: &mut Visit) -> Result<Response> {
    if visit.ask.viewer.0.is_some() {
        return Ok(see("/account"));
    }
    let Purpose::Password(name) = purpose(visit)? else { return Err(Refusal::Spent("link").into()) };
    let action = visit.path.clone();
    Ok(pages::recover(visit, &action, &name).into_response())
}

/// Sets a new password.
pub fn recover(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::Enter)?;
    let (link, password) = (link(visit)?, new_password(visit)?);
    let session = links::redeem_password(&visit.site.database, &visit.limits(), &visit.ask, &link, &password)?;
    visit.log_in(&session);
    Ok(see("/"))
}

/// Shows the page on which an account is made.
pub fn show_join(visit: &mut Visit) -> Result<Response> {
    if visit.ask.viewer.0.is_some() {
        return Ok(see("/account"));
    }
    Ok(pages::join(visit).into_response())
}

/// Makes an account.
pub fn join(visit: &mut Visit) -> Result<Response> {
    let (name, password, code) = (visit.form.text("name"), new_password(visit)?, visit.form.text("code"));
    let code = (!code.is_empty()).then_some(code);
    let session =
        accounts::register(&visit.site.database, &file(visit)?, &visit.ask, name, &password, code, &visit.browser)?;
    visit.log_in(&session);
    Ok(see("/"))
}

/// Shows the page on which somebody logs in.
pub fn show_log_in(visit: &mut Visit) -> Result<Response> {
    if visit.ask.viewer.0.is_some() {
        return Ok(see("/account"));
    }
    Ok(pages::log_in(visit).into_response())
}

/// Logs in.
pub fn log_in(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::Enter)?;
    let (name, password) = (visit.form.text("name"), visit.form.exact("password"));
    let session = accounts::log_in(&visit.site.database, &visit.limits(), &visit.ask, name, password, &visit.browser)?;
    visit.log_in(&session);
    Ok(see("/"))
}

/// Logs out, on the server, too.
pub fn log_out(visit: &mut Visit) -> Result<Response> {
    let ask = visit.ask.clone();
    visit.transact(move |sql| sessions::log_out(sql, &ask))?;
    visit.log_out();
    Ok(see("/"))
}
