//! Teams.

use super::{
    Visit,
    api::{team_document, teams_document},
    enter::file,
    see,
};
use crate::{Result, pages, people::teams};
use agon_contest::Act;
use axum::response::{IntoResponse as _, Response};

/// Lists the teams.
pub fn list(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::SeeContest)?;
    let document = teams_document(visit)?;
    Ok(pages::team::list(visit, &document).into_response())
}

/// Shows a team.
pub fn show(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::SeeContest)?;
    let document = team_document(visit)?;
    Ok(pages::team::team(visit, &document).into_response())
}

/// Makes a team with the asker as its captain.
pub fn make(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::HaveTeam)?;
    visit.count_change()?;
    let (ask, name) = (visit.ask.clone(), visit.form.text("team").to_owned());
    let team = visit.transact(move |sql| teams::make(sql, &ask, &name))?;
    Ok(see(&format!("/teams/{team}")))
}

/// Joins a team by its code.
pub fn enter(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::HaveTeam)?;
    let team = teams::join(&visit.site.database, &file(visit)?, &visit.ask, visit.form.text("code"))?;
    Ok(see(&format!("/teams/{team}")))
}

/// Gives a team another name.
pub fn rename(visit: &mut Visit) -> Result<Response> {
    let (ask, team, name) = (visit.ask.clone(), number(visit)?, visit.form.text("team").to_owned());
    ask.must(&Act::LeadTeam(team))?;
    visit.count_change()?;
    visit.transact(move |sql| teams::rename(sql, &ask, team, &name))?;
    Ok(back(team))
}

/// Gives a team another code. The one before is no code any more.
pub fn renew_code(visit: &mut Visit) -> Result<Response> {
    let (ask, team) = (visit.ask.clone(), number(visit)?);
    ask.must(&Act::LeadTeam(team))?;
    visit.count_change()?;
    visit.transact(move |sql| teams::renew_code(sql, &ask, team))?;
    Ok(back(team))
}

/// Leaves a team. If it is hidden, its page is none of the asker's any more, so that they see the list.
pub fn leave(visit: &mut Visit) -> Result<Response> {
    let (ask, team) = (visit.ask.clone(), number(visit)?);
    ask.must(&Act::LeaveTeam(team))?;
    visit.transact(move |sql| teams::leave(sql, &ask))?;
    Ok(see("/teams"))
}

/// Sends a member away.
pub fn remove(visit: &mut Visit) -> Result<Response> {
    let (ask, team, account) = (visit.ask.clone(), number(visit)?, visit.number(1, "account")?);
    visit.transact(move |sql| teams::send_away(sql, &ask, team, account))?;
    Ok(back(team))
}

/// Makes a member the one who speaks for the team.
pub fn promote(visit: &mut Visit) -> Result<Response> {
    let (ask, team, account) = (visit.ask.clone(), number(visit)?, visit.number(1, "account")?);
    visit.transact(move |sql| teams::make_captain(sql, &ask, team, account))?;
    Ok(back(team))
}

/// Hides a team, or shows it again.
pub fn hide(visit: &mut Visit) -> Result<Response> {
    let (ask, team, hidden) = (visit.ask.clone(), number(visit)?, visit.form.is_ticked("hidden"));
    visit.transact(move |sql| teams::hide(sql, &ask, team, hidden))?;
    Ok(back(team))
}

fn number(visit: &Visit) -> Result<i64> {
    visit.number(0, "team")
}

fn back(team: i64) -> Response {
    see(&format!("/teams/{team}"))
}
