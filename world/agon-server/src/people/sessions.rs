//! Sessions of browsers, and tokens of programs.

use super::{Ask, Secret};
use crate::{
    Conflict, Refusal, Result,
    database::{Database, DatabaseError, Row, Sql, Value},
};
use agon_contest::{Act, Asker, Membership, Scope, Standing, Viewer};

const HOUR: i64 = 60 * 60 * 1000;
/// After so long without a request a session of a browser ends, in milliseconds.
pub const IDLE_MS: i64 = 12 * HOUR;
/// After so long it ends in any case, in milliseconds.
pub const LONGEST_MS: i64 = 7 * 24 * HOUR;
/// How exactly it is known when a session was used last, in milliseconds: not every request is to write.
const EXACT_MS: i64 = 60 * 1000;
/// The most sessions of one account: the one that was used least of late ends for another one.
const MOST_SESSIONS: i64 = 50;
/// The most tokens of one account.
const MOST_TOKENS: i64 = 20;
/// The most characters of the words about a session.
const LABEL: usize = 80;

/// A session as its owner sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    /// Its number.
    pub id: i64,
    /// What it may be used for. [`Scope::All`] is a browser, all others are tokens of programs.
    pub scope: Scope,
    /// What the owner, or the browser, says about it.
    pub label: String,
    /// When it began, in milliseconds since 1970.
    pub created_ms: i64,
    /// When it was used last, to the minute.
    pub used_ms: i64,
    /// When it ends; `None` for a token without an end.
    pub until_ms: Option<i64>,
    /// Whether it is the one that asks.
    pub current: bool,
}

/// Returns who asks with a secret: a visitor if there is none, it is not known, or it is not valid any more.
///
/// # Errors
/// If the database cannot be read.
pub fn viewer(sql: &mut dyn Sql, secret: Option<&Secret>, now: i64) -> Result<Viewer> {
    Ok(look(sql, secret, now)?.map_or(Viewer::VISITOR, |(asker, _)| Viewer(Some(asker))))
}

/// Returns who asks with a secret, as [`viewer`] does, and remembers that it was used.
///
/// # Errors
/// If the database cannot be used.
pub fn visit(db: &Database, secret: Option<&Secret>, now: i64) -> Result<Viewer> {
    let Some(secret) = secret.cloned() else { return Ok(Viewer::VISITOR) };
    let Some((asker, used)) = db.read(move |sql| look(sql, Some(&secret), now))? else { return Ok(Viewer::VISITOR) };
    if now.saturating_sub(used) >= EXACT_MS {
        let id = asker.session;
        db.transact(move |sql| {
            let update = "UPDATE contest_sessions SET used_ms = $2 WHERE id = $1 AND used_ms < $2";
            sql.run(update, &[id.into(), now.into()])
        })?;
    }
    Ok(Viewer(Some(asker)))
}

fn look(sql: &mut dyn Sql, secret: Option<&Secret>, now: i64) -> Result<Option<(Asker, i64)>> {
    let Some(secret) = secret else { return Ok(None) };
    let select = "SELECT contest_sessions.id, scope, used_ms, contest_accounts.id, name, standing, team, captain
                  FROM contest_sessions
                  JOIN contest_accounts ON contest_accounts.id = contest_sessions.account
                  LEFT JOIN contest_members ON contest_members.account = contest_accounts.id
                      AND contest_members.until_ms IS NULL
                  WHERE hash = $1 AND disabled IS NULL
                  AND (contest_sessions.until_ms IS NULL OR contest_sessions.until_ms > $2)
                  AND (scope <> 'all' OR used_ms > $3)";
    let row = sql.row(select, &[secret.hash().into(), now.into(), now.saturating_sub(IDLE_MS).into()])?;
    let Some(row) = row else { return Ok(None) };
    let team = row.optional_int(6)?;
    let team = team.map(|team| Ok::<_, crate::Error>(Membership { team, captain: row.flag(7)? })).transpose()?;
    let asker = Asker {
        account: row.int(3)?,
        name: row.text(4)?.to_owned(),
        standing: standing(row.text(5)?)?,
        team,
        session: row.int(0)?,
        scope: scope(row.text(1)?)?,
    };
    Ok(Some((asker, row.int(2)?)))
}

/// Begins a session of a browser. Other sessions of the account go on.
pub(super) fn begin(sql: &mut dyn Sql, account: i64, label: &str, now: i64) -> Result<Secret> {
    forget(sql, now)?;
    let oldest = "DELETE FROM contest_sessions WHERE hash IN (SELECT hash FROM contest_sessions
                  WHERE account = $1 AND scope = 'all' ORDER BY used_ms DESC, id DESC LIMIT 1000000 OFFSET $2)";
    sql.run(oldest, &[account.into(), (MOST_SESSIONS - 1).into()])?;
    insert(sql, account, Scope::All, label, Some(now.saturating_add(LONGEST_MS)), now)
}

fn insert(sql: &mut dyn Sql, account: i64, scope: Scope, label: &str, until: Option<i64>, now: i64) -> Result<Secret> {
    let secret = Secret::new()?;
    let insert = "INSERT INTO contest_sessions (hash, id, account, scope, label, created_ms, used_ms, until_ms)
                  VALUES ($1, $2, $3, $4, $5, $6, $6, $7)";
    let label: String = label.chars().filter(|letter| !letter.is_control()).take(LABEL).collect();
    let row: [Value; 7] = [
        secret.hash().into(),
        sql.next_id("sessions")?.into(),
        account.into(),
        scope.word().into(),
        label.into(),
        now.into(),
        until.into(),
    ];
    sql.run(insert, &row)?;
    Ok(secret)
}

/// Makes a token for programs of the person who asks. It is valid until it is revoked, or until the given time.
///
/// # Errors
/// If they may not, have too many, or the time is over already.
pub fn make_token(sql: &mut dyn Sql, ask: &Ask, scope: Scope, label: &str, until_ms: Option<i64>) -> Result<Secret> {
    ask.must(&Act::KeepAccount)?;
    let account = ask.asker()?.account;
    if scope == Scope::All {
        let why = "a token is for `submit` or `read`".to_owned();
        return Err(Refusal::Invalid { field: "scope", why }.into());
    }
    if until_ms.is_some_and(|until| until <= ask.now) {
        return Err(Refusal::Invalid { field: "until", why: "this time is over".to_owned() }.into());
    }
    forget(sql, ask.now)?;
    let count = "SELECT count(*) FROM contest_sessions WHERE account = $1 AND scope <> 'all'";
    if sql.int(count, &[account.into()])? >= MOST_TOKENS {
        return Err(Refusal::Conflict(Conflict::TooManyTokens(MOST_TOKENS)).into());
    }
    insert(sql, account, scope, label, until_ms, ask.now)
}

/// Returns the sessions of the person who asks; the one that was used last comes first.
///
/// # Errors
/// If they may not see them.
pub fn list(sql: &mut dyn Sql, ask: &Ask) -> Result<Vec<Session>> {
    ask.must(&Act::KeepAccount)?;
    let asker = ask.asker()?;
    let select = "SELECT id, scope, label, created_ms, used_ms, until_ms FROM contest_sessions WHERE account = $1
                  AND (until_ms IS NULL OR until_ms > $2) AND (scope <> 'all' OR used_ms > $3)
                  ORDER BY used_ms DESC, id DESC";
    let idle = ask.now.saturating_sub(IDLE_MS);
    let rows = sql.rows(select, &[asker.account.into(), ask.now.into(), idle.into()])?;
    rows.iter().map(|row| session(row, asker.session)).collect()
}

fn session(row: &Row, current: i64) -> Result<Session> {
    let (scope, created_ms, until) = (scope(row.text(1)?)?, row.int(3)?, row.optional_int(5)?);
    Ok(Session {
        id: row.int(0)?,
        scope,
        label: row.text(2)?.to_owned(),
        created_ms,
        used_ms: row.int(4)?,
        until_ms: until,
        current: row.int(0)? == current,
    })
}

/// Ends a session or a token of the person who asks.
///
/// # Errors
/// If they have no such session.
pub fn revoke(sql: &mut dyn Sql, ask: &Ask, session: i64) -> Result<()> {
    ask.must(&Act::KeepAccount)?;
    let delete = "DELETE FROM contest_sessions WHERE id = $1 AND account = $2";
    match sql.run(delete, &[session.into(), ask.asker()?.account.into()])? {
        0 => Err(Refusal::Unknown("session").into()),
        _ => Ok(()),
    }
}

/// Ends the session that asks. Whoever has none is logged out already.
///
/// # Errors
/// If the database cannot be written.
pub fn log_out(sql: &mut dyn Sql, ask: &Ask) -> Result<()> {
    if let Some(asker) = &ask.viewer.0 {
        sql.run("DELETE FROM contest_sessions WHERE id = $1", &[asker.session.into()])?;
    }
    Ok(())
}

/// Ends all sessions and tokens of an account.
pub(super) fn end_all(sql: &mut dyn Sql, account: i64) -> Result<()> {
    sql.run("DELETE FROM contest_sessions WHERE account = $1", &[account.into()])?;
    Ok(())
}

/// Forgets the sessions that have ended.
fn forget(sql: &mut dyn Sql, now: i64) -> Result<()> {
    let delete = "DELETE FROM contest_sessions WHERE until_ms <= $1 OR (scope = 'all' AND used_ms <= $2)";
    sql.run(delete, &[now.into(), now.saturating_sub(IDLE_MS).into()])?;
    Ok(())
}

fn scope(word: &str) -> Result<Scope> {
    Scope::from_word(word).ok_or_else(|| damaged("scope"))
}

pub(super) fn standing(word: &str) -> Result<Standing> {
    Standing::from_word(word).ok_or_else(|| damaged("standing"))
}

fn damaged(column: &str) -> crate::Error {
    let why = format!("a {column} is none of those that there are");
    DatabaseError::Damaged { place: "the contest's database".to_owned(), why }.into()
}
