//! Who takes part: registration, log-in, passwords.

use super::{
    Ask, Secret, audit, check_password, invites,
    password::{self},
    requests::{self, Who, allow},
    sessions, teams,
};
use crate::{
    Conflict, Refusal, Result,
    database::{Database, Row, Sql},
};
use agon_contest::{AccountName, Act, ContestFile, Kind, Limits, Registration, Standing};
use serde_json::json;

/// The most characters of a reason.
const REASON: usize = 200;

/// An account as those who lead see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Account {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// What it is, apart from its team.
    pub standing: Standing,
    /// Why it may not be used, if so.
    pub disabled: Option<String>,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
    /// The number and the name of its team.
    pub team: Option<(i64, String)>,
    /// When one of its sessions was used last, of those that are not over.
    pub seen_ms: Option<i64>,
}

/// Makes an account with a password, and logs in. The code is that of an invitation, or of a team that has room.
///
/// # Errors
/// If nobody may register, or only with a code and it is not valid; if the name is none or is taken, or the password is none; or if
/// there were too many tries.
pub fn register(
    db: &Database,
    file: &ContestFile,
    ask: &Ask,
    name: &str,
    password: &str,
    code: Option<&str>,
    label: &str,
) -> Result<Secret> {
    ask.must(&Act::Enter)?;
    let name = account_name(name)?;
    check_password(password, &name.to_string())?;
    if file.registration == Registration::Closed {
        return Err(Refusal::Conflict(Conflict::RegistrationOver).into());
    }
    let code = code.map(str::trim).filter(|code| !code.is_empty()).map(str::to_owned);
    if code.is_none() && file.registration == Registration::Invited {
        return Err(Refusal::Invalid { field: "code", why: "an invitation is needed".to_owned() }.into());
    }
    let kind = if code.is_some() { Kind::Code } else { Kind::Register };
    allow(db, &file.limits, kind, Who::asks(ask), ask.now)?;
    // Before a password is hashed for a name that is taken.
    let (key, wanted) = (name.key(), code.clone());
    let (now, team_size) = (ask.now, file.team_size);
    db.read(move |sql| {
        must_be_free(sql, &key)?;
        wanted.map_or(Ok(()), |code| invites::find(sql, &code, team_size, now).map(drop))
    })?;
    let kept = password::hash(password)?;
    let label = label.to_owned();
    db.transact(move |sql| {
        let invite = code.map(|code| invites::find(sql, &code, team_size, now)).transpose()?;
        let standing = invite.as_ref().map_or(Standing::Player, |invite| invite.standing);
        let account = insert(sql, &name, Some(&kept), standing, now)?;
        if let Some(invite) = invite {
            invites::use_one(sql, &invite)?;
            if let Some(team) = invite.team {
                teams::add(sql, team, account, team_size, now)?;
            }
        }
        sessions::begin(sql, account, &label, now)
    })
}

/// Logs in, with a new session. The one that asks, if any, ends.
///
/// # Errors
/// [`Refusal::WrongPassword`] whether the name or the password is wrong, after the same time; [`Refusal::Disabled`] only if both are
/// right; [`Refusal::TooOften`] for any name that is tried too often from the same network, or from all of them.
pub fn log_in(db: &Database, limits: &Limits, ask: &Ask, name: &str, password: &str, label: &str) -> Result<Secret> {
    let request = allow(db, limits, Kind::LogIn, Who::tries(name, ask), ask.now)?;
    let key = AccountName::key_of(name);
    let wanted = key.clone();
    let found = db.read(move |sql| credentials(sql, &wanted))?;
    let kept = found.as_ref().and_then(|found| found.password.as_deref());
    if !password::is(password, kept)? {
        return Err(Refusal::WrongPassword.into());
    }
    let (ask, label) = (ask.clone(), label.to_owned());
    db.transact(move |sql| {
        let account = must_be_unchanged(sql, &key, found)?;
        requests::refund(sql, request)?;
        sessions::log_out(sql, &ask)?;
        sessions::begin(sql, account, &label, ask.now)
    })
}

/// Changes the password of the person who asks. All their sessions and tokens end, and a new session begins.
///
/// # Errors
/// If the old password is wrong, the new one is none, or it was tried too often.
pub fn change_password(db: &Database, limits: &Limits, ask: &Ask, old: &str, new: &str, label: &str) -> Result<Secret> {
    ask.must(&Act::KeepAccount)?;
    let asker = ask.asker()?;
    check_password(new, &asker.name)?;
    // Whoever has found an open browser may guess no more often than others.
    let request = allow(db, limits, Kind::LogIn, Who::asks(ask), ask.now)?;
    let key = AccountName::key_of(&asker.name);
    let wanted = key.clone();
    let found = db.read(move |sql| credentials(sql, &wanted))?;
    if !password::is(old, found.as_ref().and_then(|found| found.password.as_deref()))? {
        return Err(Refusal::WrongPassword.into());
    }
    let kept = password::hash(new)?;
    let (now, label) = (ask.now, label.to_owned());
    db.transact(move |sql| {
        let account = must_be_unchanged(sql, &key, found)?;
        requests::refund(sql, request)?;
        set_password(sql, account, &kept)?;
        sessions::begin(sql, account, &label, now)
    })
}

/// Returns the accounts by name.
///
/// # Errors
/// If the person may not see them.
pub fn list(sql: &mut dyn Sql, ask: &Ask) -> Result<Vec<Account>> {
    ask.must(&Act::SeeAll)?;
    let rows = sql.rows(&format!("{ACCOUNTS} ORDER BY contest_accounts.name_key"), &[])?;
    rows.iter().map(account).collect()
}

/// Returns an account.
///
/// # Errors
/// If the person may not see it, or there is none.
pub fn get(sql: &mut dyn Sql, ask: &Ask, id: i64) -> Result<Account> {
    ask.must(&Act::SeeAll)?;
    find(sql, id)
}

/// Keeps an account from being used, with a reason that its owner is told. Its sessions and tokens end.
///
/// # Errors
/// If the person may not do it, the account is their own or that of the last organiser who can log in, or the reason is empty or too
/// long.
pub fn disable(sql: &mut dyn Sql, ask: &Ask, id: i64, reason: &str) -> Result<()> {
    ask.must(&Act::Lead)?;
    let account = other(sql, ask, id)?;
    let reason = reason.trim();
    if reason.is_empty() || reason.chars().count() > REASON || reason.chars().any(char::is_control) {
        let why = format!("a reason has 1 to {REASON} characters, on one line");
        return Err(Refusal::Invalid { field: "reason", why }.into());
    }
    // Whoever asks may have been disabled meanwhile, by this very organiser.
    if organisers(sql)? == [id] {
        return Err(Refusal::Conflict(Conflict::LastOrganiser).into());
    }
    sql.run("UPDATE contest_accounts SET disabled = $2 WHERE id = $1", &[id.into(), reason.into()])?;
    sessions::end_all(sql, id)?;
    audit::record(sql, ask, "account.disable", &json!({"account": id, "name": account.name, "reason": reason}))
}

/// Lets an account be used again.
///
/// # Errors
/// If the person may not do it, or there is no such account.
pub fn enable(sql: &mut dyn Sql, ask: &Ask, id: i64) -> Result<()> {
    ask.must(&Act::Lead)?;
    let account = other(sql, ask, id)?;
    sql.run("UPDATE contest_accounts SET disabled = NULL WHERE id = $1", &[id.into()])?;
    audit::record(sql, ask, "account.enable", &json!({"account": id, "name": account.name}))
}

/// Says what an account is, apart from its team. Its sessions and tokens end: what was begun with less is not to have more.
///
/// # Errors
/// If the person may not do it, or the account is their own or that of the last organiser who can log in.
pub fn set_standing(sql: &mut dyn Sql, ask: &Ask, id: i64, standing: Standing) -> Result<()> {
    ask.must(&Act::Lead)?;
    let account = other(sql, ask, id)?;
    if standing != Standing::Organiser && organisers(sql)? == [id] {
        return Err(Refusal::Conflict(Conflict::LastOrganiser).into());
    }
    sql.run("UPDATE contest_accounts SET standing = $2 WHERE id = $1", &[id.into(), standing.word().into()])?;
    sessions::end_all(sql, id)?;
    let about = json!({
        "account": id, "name": account.name, "from": account.standing.word(), "to": standing.word(),
    });
    audit::record(sql, ask, "account.standing", &about)
}

/// What is compared when somebody logs in.
#[derive(Clone, Debug)]
struct Credentials {
    id: i64,
    password: Option<String>,
    disabled: Option<String>,
}

fn credentials(sql: &mut dyn Sql, key: &str) -> Result<Option<Credentials>> {
    let row = sql.row("SELECT id, password, disabled FROM contest_accounts WHERE name_key = $1", &[key.into()])?;
    let read = |row: Row| {
        Ok(Credentials {
            id: row.int(0)?,
            password: row.optional_text(1)?.map(str::to_owned),
            disabled: row.optional_text(2)?.map(str::to_owned),
        })
    };
    row.map(read).transpose()
}

/// Makes sure that credentials are still those that were compared, and returns the account: while a password was hashed, another one
/// may have been set, or the account disabled.
fn must_be_unchanged(sql: &mut dyn Sql, key: &str, compared: Option<Credentials>) -> Result<i64> {
    let now = credentials(sql, key)?.filter(|now| compared.is_some_and(|compared| now.password == compared.password));
    let now = now.ok_or(Refusal::WrongPassword)?;
    now.disabled.map_or(Ok(now.id), |reason| Err(Refusal::Disabled(reason).into()))
}

const ACCOUNTS: &str =
    "SELECT contest_accounts.id, contest_accounts.name, standing, disabled, contest_accounts.created_ms,
    contest_teams.id, contest_teams.name,
    (SELECT max(used_ms) FROM contest_sessions WHERE contest_sessions.account = contest_accounts.id)
    FROM contest_accounts
    LEFT JOIN contest_members ON contest_members.account = contest_accounts.id AND contest_members.until_ms IS NULL
    LEFT JOIN contest_teams ON contest_teams.id = contest_members.team";

fn account(row: &Row) -> Result<Account> {
    let team = row.optional_int(5)?;
    Ok(Account {
        id: row.int(0)?,
        name: row.text(1)?.to_owned(),
        standing: sessions::standing(row.text(2)?)?,
        disabled: row.optional_text(3)?.map(str::to_owned),
        created_ms: row.int(4)?,
        team: team.map(|team| Ok::<_, crate::Error>((team, row.text(6)?.to_owned()))).transpose()?,
        seen_ms: row.optional_int(7)?,
    })
}

pub(super) fn find(sql: &mut dyn Sql, id: i64) -> Result<Account> {
    let row = sql.row(&format!("{ACCOUNTS} WHERE contest_accounts.id = $1"), &[id.into()])?;
    account(&row.ok_or(Refusal::Unknown("account"))?)
}

/// Returns the accounts of the organisers who can log in.
pub(super) fn organisers(sql: &mut dyn Sql) -> Result<Vec<i64>> {
    let select = "SELECT id FROM contest_accounts
                  WHERE standing = 'organiser' AND password IS NOT NULL AND disabled IS NULL";
    sql.rows(select, &[])?.iter().map(|row| row.int(0)).collect()
}

/// Returns an account that is not that of the person who asks.
fn other(sql: &mut dyn Sql, ask: &Ask, id: i64) -> Result<Account> {
    if ask.viewer.account() == Some(id) {
        return Err(Refusal::Conflict(Conflict::OwnAccount).into());
    }
    find(sql, id)
}

pub(super) fn account_name(text: &str) -> Result<AccountName, Refusal> {
    AccountName::parse(text).map_err(|why| Refusal::Invalid { field: "name", why: why.to_string() })
}

pub(super) fn must_be_free(sql: &mut dyn Sql, key: &str) -> Result<()> {
    match sql.row("SELECT 1 FROM contest_accounts WHERE name_key = $1", &[key.into()])? {
        Some(_) => Err(Refusal::Taken("name").into()),
        None => Ok(()),
    }
}

pub(super) fn insert(
    sql: &mut dyn Sql,
    name: &AccountName,
    password: Option<&str>,
    standing: Standing,
    now: i64,
) -> Result<i64> {
    must_be_free(sql, &name.key())?;
    let id = sql.next_id("accounts")?;
    let insert = "INSERT INTO contest_accounts (id, name, name_key, password, standing, created_ms)
                  VALUES ($1, $2, $3, $4, $5, $6)";
    let row =
        [id.into(), name.to_string().into(), name.key().into(), password.into(), standing.word().into(), now.into()];
    sql.run(insert, &row)?;
    Ok(id)
}

/// Sets a password. All sessions and tokens of the account end, and links that set it.
pub(super) fn set_password(sql: &mut dyn Sql, account: i64, kept: &str) -> Result<()> {
    sql.run("UPDATE contest_accounts SET password = $2 WHERE id = $1", &[account.into(), kept.into()])?;
    sql.run("DELETE FROM contest_links WHERE account = $1", &[account.into()])?;
    sessions::end_all(sql, account)
}
