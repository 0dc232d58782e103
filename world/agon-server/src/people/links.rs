//! One-time links: for the first organiser, and for whoever has lost a password. A contest on a local network has no mail, so an
//! organiser hands the link over.

use super::{
    Ask, Secret,
    accounts::{self, account_name},
    audit, check_password, password,
    requests::{Who, allow},
    sessions,
};
use crate::{
    Refusal, Result,
    database::{Database, Sql},
};
use agon_contest::{Act, Kind, Limits, Standing};
use serde_json::json;

/// For how long a link is valid, in milliseconds.
pub const VALID_MS: i64 = 24 * 60 * 60 * 1000;

/// What a link is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To make the account of the first organiser.
    First,
    /// To choose another password for the account with this name.
    Password(String),
}

/// Makes the link of the first organiser, while nobody who can log in leads the contest. An earlier one is not valid any more.
///
/// # Errors
/// If the database cannot be written.
pub fn first(sql: &mut dyn Sql, now: i64) -> Result<Option<Secret>> {
    if is_led(sql)? {
        return Ok(None);
    }
    sql.run("DELETE FROM contest_links WHERE account IS NULL", &[])?;
    insert(sql, None, now).map(Some)
}

/// Makes a link with which the owner of an account chooses another password. An earlier one is not valid any more; the old password
/// is until the link is used.
///
/// # Errors
/// If the person may not do it, or there is no such account.
pub fn for_password(sql: &mut dyn Sql, ask: &Ask, account: i64) -> Result<Secret> {
    ask.must(&Act::Lead)?;
    let name = accounts::find(sql, account)?.name;
    sql.run("DELETE FROM contest_links WHERE account = $1", &[account.into()])?;
    audit::record(sql, ask, "account.link", &json!({"account": account, "name": name}))?;
    insert(sql, Some(account), ask.now)
}

/// Returns what a link is for. Does not use it up: programs that look at links before people do are not to spoil them.
///
/// # Errors
/// If it is not valid, or not any more.
pub fn look(sql: &mut dyn Sql, link: &Secret, now: i64) -> Result<Purpose> {
    Ok(match find(sql, link, now)? {
        None => Purpose::First,
        Some(account) => Purpose::Password(accounts::find(sql, account)?.name),
    })
}

/// Uses the link of the first organiser: makes the account, and logs in.
///
/// # Errors
/// If the link is not valid, the name or the password is none, or there were too many tries.
pub fn redeem_first(
    db: &Database,
    limits: &Limits,
    ask: &Ask,
    link: &Secret,
    name: &str,
    password: &str,
) -> Result<Secret> {
    let name = account_name(name)?;
    check_password(password, &name.to_string())?;
    must_be_valid(db, limits, ask, link, &Purpose::First)?;
    let kept = password::hash(password)?;
    let (link, ask) = (link.clone(), ask.clone());
    db.transact(move |sql| {
        // Another one may have used it meanwhile.
        if find(sql, &link, ask.now)?.is_some() || is_led(sql)? {
            return Err(Refusal::Spent("link").into());
        }
        let account = accounts::insert(sql, &name, Some(&kept), Standing::Organiser, ask.now)?;
        sql.run("DELETE FROM contest_links WHERE account IS NULL", &[])?;
        audit::record(sql, &ask, "account.first", &json!({"account": account, "name": name.to_string()}))?;
        sessions::begin(sql, account, "", ask.now)
    })
}

/// Uses a link that sets a password. All sessions and tokens of the account end, and a new session begins.
///
/// # Errors
/// If the link is not valid, the password is none, the account is disabled, or there were too many tries.
pub fn redeem_password(db: &Database, limits: &Limits, ask: &Ask, link: &Secret, password: &str) -> Result<Secret> {
    let wanted = link.clone();
    let now = ask.now;
    // It is counted below, whatever the password is.
    let purpose = db.read(move |sql| look(sql, &wanted, now));
    if let Ok(Purpose::Password(name)) = &purpose {
        check_password(password, name)?;
    }
    must_be_valid(db, limits, ask, link, &purpose.unwrap_or(Purpose::First))?;
    let kept = password::hash(password)?;
    let link = link.clone();
    db.transact(move |sql| {
        let account = find(sql, &link, now)?.ok_or(Refusal::Spent("link"))?;
        if let Some(reason) = accounts::find(sql, account)?.disabled {
            return Err(Refusal::Disabled(reason).into());
        }
        accounts::set_password(sql, account, &kept)?;
        sessions::begin(sql, account, "", now)
    })
}

/// Makes sure that a link is valid, before a password is hashed for it.
fn must_be_valid(db: &Database, limits: &Limits, ask: &Ask, link: &Secret, wanted: &Purpose) -> Result<()> {
    allow(db, limits, Kind::Code, Who::asks(ask), ask.now)?;
    let (link, wanted, now) = (link.clone(), wanted.clone(), ask.now);
    db.read(move |sql| if look(sql, &link, now)? == wanted { Ok(()) } else { Err(Refusal::Spent("link").into()) })
}

fn insert(sql: &mut dyn Sql, account: Option<i64>, now: i64) -> Result<Secret> {
    let secret = Secret::new()?;
    let insert = "INSERT INTO contest_links (hash, account, created_ms, until_ms) VALUES ($1, $2, $3, $4)";
    let row = [secret.hash().into(), account.into(), now.into(), now.saturating_add(VALID_MS).into()];
    sql.run(insert, &row)?;
    Ok(secret)
}

/// Returns the account of a link that is valid; none is that of the first organiser.
fn find(sql: &mut dyn Sql, link: &Secret, now: i64) -> Result<Option<i64>> {
    let select = "SELECT account FROM contest_links WHERE hash = $1 AND until_ms > $2";
    let row = sql.row(select, &[link.hash().into(), now.into()])?;
    row.ok_or(Refusal::Spent("link"))?.optional_int(0)
}

/// Returns whether somebody who can log in leads the contest.
fn is_led(sql: &mut dyn Sql) -> Result<bool> {
    Ok(!accounts::organisers(sql)?.is_empty())
}
