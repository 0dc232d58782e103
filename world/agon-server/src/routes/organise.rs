//! What organisers do.

use super::{Visit, api::organise_document, see};
use crate::{
    Conflict, Refusal, Result,
    contest::{Contest, Source},
    pages,
    people::{
        accounts, audit,
        invites::{self, NewInvite},
        links,
    },
    words::fill,
};
use agon_contest::{Act, ContestFile, Registration, Standing};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

const DAY: i64 = 24 * 60 * 60 * 1000;
/// The most uses and days of an invite code.
const MOST: (u32, u32) = (10_000, 3_650);

/// Shows everything.
pub fn show(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::SeeAll)?;
    let document = organise_document(visit)?;
    Ok(pages::organise::organise(visit, &document).into_response())
}

/// Makes the contest.
pub fn make_contest(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::Lead)?;
    let game = visit.form.text("game");
    if agon_games::find(game).is_none() {
        return Err(Refusal::Invalid { field: "game", why: "there is no such game".to_owned() }.into());
    }
    let wrong = |flaw: agon_core::Flaw| Refusal::Invalid { field: "contest", why: flaw.what };
    let mut file = ContestFile::new(visit.form.text("name"), game).map_err(wrong)?;
    file.registration = registration(visit)?;
    write(visit, file, "contest.make")
}

/// Says who may make an account.
pub fn set_registration(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::Lead)?;
    let Some(contest) = &visit.contest else { return Err(Refusal::Unknown("contest").into()) };
    let mut file = contest.file.clone();
    file.registration = registration(visit)?;
    write(visit, file, "contest.registration")
}

fn registration(visit: &Visit) -> Result<Registration> {
    Ok(Registration::from_word(visit.form.text("registration")).ok_or(Refusal::Unknown("registration"))?)
}

/// Keeps the contest's file, unless the server was started with one.
fn write(visit: &mut Visit, file: ContestFile, act: &'static str) -> Result<Response> {
    let ask = visit.ask.clone();
    let from_disk = visit.words().contest_from_file.clone();
    let contest = Contest { file, source: Source::Page };
    let written = contest.clone();
    visit.transact(move |sql| {
        if Contest::read(sql)?.is_some_and(|contest| contest.source == Source::Disk) {
            return Err(Refusal::Conflict(Conflict::Other(from_disk)).into());
        }
        written.write(sql, ask.now)?;
        let file = &written.file;
        let about = json!({ "name": file.name, "game": file.game, "registration": file.registration.word() });
        audit::record(sql, &ask, act, &about)
    })?;
    visit.contest = Some(contest);
    Ok(see("/organise"))
}

/// Makes an invite code.
pub fn invite(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::Lead)?;
    let standing = Standing::from_word(visit.form.text("role")).ok_or(Refusal::Unknown("role"))?;
    let within = |field: &'static str, most: u32| -> Result<u32> {
        let number = visit.form.text(field).parse().ok().filter(|number| (1..=most).contains(number));
        let why = format!("this must be a whole number from 1 to {most}");
        Ok(number.ok_or(Refusal::Invalid { field, why })?)
    };
    let (uses, days) = (within("uses", MOST.0)?, within("days", MOST.1)?);
    let ask = visit.ask.clone();
    let until_ms = Some(ask.now + i64::from(days) * DAY);
    let new = NewInvite { standing, team: None, uses: Some(uses), until_ms };
    visit.transact(move |sql| invites::make(sql, &ask, &new))?;
    Ok(see("/organise"))
}

/// Takes an invite code back.
pub fn end_invite(visit: &mut Visit) -> Result<Response> {
    let (ask, number) = (visit.ask.clone(), visit.number(0, "invite")?);
    visit.transact(move |sql| invites::revoke(sql, &ask, number))?;
    Ok(see("/organise"))
}

/// Disables an account, with a reason that its owner sees.
pub fn disable(visit: &mut Visit) -> Result<Response> {
    let (ask, number, reason) = (visit.ask.clone(), visit.number(0, "account")?, visit.form.text("reason").to_owned());
    visit.transact(move |sql| accounts::disable(sql, &ask, number, &reason))?;
    Ok(see("/organise"))
}

/// Enables an account again.
pub fn enable(visit: &mut Visit) -> Result<Response> {
    let (ask, number) = (visit.ask.clone(), visit.number(0, "account")?);
    visit.transact(move |sql| accounts::enable(sql, &ask, number))?;
    Ok(see("/organise"))
}

/// Makes a link with which somebody chooses a new password, and shows it once.
pub fn make_link(visit: &mut Visit) -> Result<Response> {
    let (ask, number) = (visit.ask.clone(), visit.number(0, "account")?);
    let (link, name) = visit.transact(move |sql| {
        let link = links::for_password(sql, &ask, number)?;
        Ok((link, accounts::get(sql, &ask, number)?.name))
    })?;
    let words = visit.words();
    let title = fill(&words.account_link_made, &[("name", &pages::shown(&name))]);
    let url = format!("{}password/{}", visit.url(), link.text());
    visit.notice = Some(pages::account::secret(&title, &url, &words.account_link_about));
    show(visit)
}
