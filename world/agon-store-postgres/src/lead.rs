//! Who leads a tournament: only that process writes to it.

use crate::{db::Db, failure::Failure, place::Place, schema};
use agon_store::StoreError;

/// Who leads a tournament.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lead {
    pub(crate) tournament: i32,
    /// Another one for each leader of the store.
    pub(crate) epoch: i64,
    /// How many groups this leader has committed.
    pub(crate) commits: i64,
    /// The number of the match that came last to be over.
    pub(crate) result: i64,
}

/// The two keys of the lock of a tournament: no other table has this number.
const LOCK: &str = "SELECT pg_try_advisory_lock('tournaments'::regclass::oid::integer, $1)";

const HOLDER: &str = "SELECT pid, coalesce(application_name, ''), coalesce(host(client_addr), '')
     FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND objid = $1::integer::oid
     AND classid = 'tournaments'::regclass::oid AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/// Returns the number of the tournament with this name, which begins if there is none.
pub(crate) fn tournament(db: &mut Db, place: &Place, name: &str) -> Result<i32, Failure> {
    if let Some(number) = find(db, name)? {
        return Ok(number);
    }
    schema::in_turn(db, place, |db| {
        if let Some(number) = find(db, name)? {
            return Ok(number);
        }
        let insert =
            "INSERT INTO tournaments (number, name) SELECT max(number) + 1, $1 FROM tournaments RETURNING number";
        let number: i32 = db.value(insert, &[&name])?;
        db.execute("INSERT INTO progress SELECT $1, state, 0 FROM generate_series(0, 3) AS state", &[&number])?;
        Ok(number)
    })
}

/// Returns the number of the tournament with this name.
pub(crate) fn find(db: &mut Db, name: &str) -> Result<Option<i32>, Failure> {
    let found = db.row("SELECT number FROM tournaments WHERE name = $1", &[&name])?;
    Ok(found.map(|row| row.try_get(0)).transpose()?)
}

/// Takes the lead of a tournament, for as long as this connection lasts.
///
/// # Errors
/// If another process has it.
pub(crate) fn take(db: &mut Db, place: &Place, tournament: i32) -> Result<Lead, Failure> {
    lock(db, place, tournament, None)?;
    let update = "UPDATE tournaments SET epoch = nextval('epochs'), commits = 0 WHERE number = $1
                  RETURNING number, epoch, commits, result";
    read(db, update, tournament)
}

/// Takes the lead again, on a new connection. `before` is the server's process of the old one.
///
/// # Errors
/// If another process has the lead, or has had it since.
pub(crate) fn take_again(db: &mut Db, place: &Place, lead: Lead, before: i32) -> Result<Lead, Failure> {
    let look = |db: &mut Db| {
        let select = "SELECT number, epoch, commits, result FROM tournaments WHERE number = $1";
        let found = read(db, select, lead.tournament)?;
        if found.epoch == lead.epoch { Ok(found) } else { Err(Failure::Overtaken) }
    };
    // If there was another leader, this one need not wait for the lock.
    look(db)?;
    lock(db, place, lead.tournament, Some(before))?;
    look(db)
}

fn read(db: &mut Db, sql: &'static str, tournament: i32) -> Result<Lead, Failure> {
    let row = db.row(sql, &[&tournament])?.ok_or_else(|| Failure::Content("a tournament is missing".to_owned()))?;
    Ok(Lead { tournament: row.try_get(0)?, epoch: row.try_get(1)?, commits: row.try_get(2)?, result: row.try_get(3)? })
}

fn lock(db: &mut Db, place: &Place, tournament: i32, before: Option<i32>) -> Result<(), Failure> {
    if db.value(LOCK, &[&tournament])? {
        return Ok(());
    }
    let holder = db.row(HOLDER, &[&tournament])?;
    let (process, name, address): (i32, String, String) = match &holder {
        Some(row) => (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?),
        None => (0, String::new(), String::new()),
    };
    if before == Some(process) && Some(name.as_str()) == place.config.get_application_name() {
        // It is this process's own, on a connection that broke without the server's knowledge.
        db.execute("SELECT pg_terminate_backend($1)", &[&process])?;
    }
    let leader = leader(&name, &address);
    Err(StoreError::Led { place: place.shown.clone(), leader }.into())
}

/// Says who a leader is, from what it calls itself (`agon HOST PROCESS`).
fn leader(name: &str, address: &str) -> String {
    let from = if address.is_empty() { String::new() } else { format!(" ({address})") };
    match name.split(' ').collect::<Vec<_>>().as_slice() {
        ["agon", host, process] => format!("process {process} on `{host}`{from}"),
        _ => format!("another process{from}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leader_is_named() {
        assert_eq!(leader("agon big-pc 42", ""), "process 42 on `big-pc`");
        assert_eq!(leader("agon big-pc 42", "10.0.0.7"), "process 42 on `big-pc` (10.0.0.7)");
        assert_eq!(leader("psql", ""), "another process");
    }
}
