//! The back end in a database on a server.

use super::{TABLE, a_look_waits_for_nobody, all, count, insert, it_is_there_again};
use crate::{
    Error,
    database::{Database, DatabaseError},
};
use postgres::{Client, NoTls};
use std::{
    env,
    io::{Write, stderr},
    sync::{
        atomic::{AtomicU32, Ordering},
        mpsc::channel,
    },
    thread,
};

/// Returns the address of a new schema, if there is a server. That there is none is said; in CI there must be one.
fn new_schema() -> Option<String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let Ok(server) = env::var("AGON_POSTGRES") else {
        let in_ci = env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
        assert!(!in_ci, "in CI there must be a server: `cargo xtask postgres` starts one");
        let _ = writeln!(stderr(), "SKIPPED: a test with PostgreSQL, because `AGON_POSTGRES` names no server");
        return None;
    };
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let start = if server.contains('?') { '&' } else { '?' };
    Some(format!("{server}{start}schema=c{}_{count}", std::process::id()))
}

/// Returns the address of a new store, if there is a server.
pub(crate) fn new_store() -> Option<String> {
    let address = new_schema()?;
    agon_store_postgres::Postgres::open(&address).and_then(agon_store_postgres::Postgres::close).expect("a new store");
    Some(address)
}

fn open(address: &str) -> Database {
    Database::postgres(address).expect("nobody else serves it")
}

/// Ends the connection of whoever writes to a contest, from the side of the server.
fn break_connection(address: &str) {
    let server = address.rsplit_once("schema=").expect("its schema comes last");
    let mut client = Client::connect(server.0.trim_end_matches(['?', '&']), NoTls).expect("it runs");
    let end = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
               AND classid = 1095192387 AND objid = (hashtext($1)::bigint & 4294967295)::oid";
    assert_eq!(client.execute(end, &[&server.1]).expect("it may"), 1, "one writes");
}

#[test]
fn it_conforms() {
    if new_schema().is_none() {
        return;
    }
    all(&mut || open(&new_store().expect("there is a server")));
    a_look_waits_for_nobody(&open(&new_store().expect("there is a server")));
    let address = new_store().expect("there is a server");
    it_is_there_again(&|| open(&address));
}

#[test]
fn only_a_store_is_opened() {
    let Some(address) = new_schema() else { return };
    let found = Database::postgres(&address).err();
    assert!(matches!(found, Some(Error::Database(DatabaseError::NotAStore { .. }))), "{found:?}");
    let found = Database::postgres("postgres://cup:s3cret@%2Fnowhere/db").err();
    let Some(Error::Database(DatabaseError::Lost { place, .. })) = found else { panic!("{found:?}") };
    assert_eq!(place, "postgres://cup@%2Fnowhere/db");
}

#[test]
fn one_process_at_a_time_serves_a_contest() {
    let Some(address) = new_store() else { return };
    let db = open(&address);
    let second = Database::postgres(&address).err();
    assert!(matches!(second, Some(Error::Database(DatabaseError::InUse { .. }))), "{second:?}");
    assert_eq!(count_of_versions(&db), 1);
    drop(db);
    assert_eq!(count_of_versions(&open(&address)), 1);
}

fn count_of_versions(db: &Database) -> i64 {
    db.read(|sql| sql.int("SELECT count(*) FROM contest_schema", &[])).expect("it can be read")
}

#[test]
fn a_connection_that_breaks_is_made_again() {
    let Some(address) = new_store() else { return };
    let db = open(&address);
    db.transact(|sql| sql.run(TABLE, &[])).expect("a new table");
    // Between two transactions: nobody notices.
    break_connection(&address);
    assert_eq!(db.transact(|sql| insert(sql, 1)), Ok(1));
    // Within a transaction: it is not kept, and the next one works.
    let place = address.clone();
    let lost = db.transact(move |sql| {
        insert(sql, 2)?;
        break_connection(&place);
        insert(sql, 3)
    });
    assert!(matches!(lost, Err(Error::Database(DatabaseError::Lost { .. }))), "{lost:?}");
    assert_eq!(db.transact(|sql| insert(sql, 4)), Ok(1));
    assert_eq!(count(&db), 2);
    let second = Database::postgres(&address).err();
    assert!(matches!(second, Some(Error::Database(DatabaseError::InUse { .. }))), "it has the lock again: {second:?}");
}

/// The connection breaks at the commit: the server did not make it, and it is said so.
#[test]
fn a_commit_that_was_lost_is_looked_up() {
    let Some(address) = new_store() else { return };
    let db = open(&address);
    db.transact(|sql| sql.run(TABLE, &[])).expect("a new table");
    let place = address.clone();
    let lost = db.transact(move |sql| {
        insert(sql, 1)?;
        break_connection(&place);
        Ok(())
    });
    assert!(matches!(lost, Err(Error::Database(DatabaseError::Lost { .. }))), "{lost:?}");
    assert_eq!(count(&db), 0);
}

/// Somebody else began to serve the contest while the connection was away: whoever wrote before does not go on.
#[test]
fn whoever_was_replaced_writes_nothing_more() {
    let Some(address) = new_store() else { return };
    let old = open(&address);
    old.transact(|sql| sql.run(TABLE, &[])).expect("a new table");
    let (begun, has_begun) = channel();
    let (replaced, was_replaced) = channel();
    let job = {
        let (old, place) = (old.clone(), address.clone());
        thread::spawn(move || {
            old.transact(move |sql| {
                insert(sql, 1)?;
                break_connection(&place);
                begun.send(()).expect("somebody waits");
                was_replaced.recv().expect("somebody comes");
                insert(sql, 2)
            })
        })
    };
    has_begun.recv().expect("it begins");
    let new = open(&address);
    replaced.send(()).expect("it waits");
    assert!(job.join().expect("it ends").is_err());
    new.transact(|sql| insert(sql, 3)).expect("it serves");
    drop(new);
    let after = old.transact(|sql| insert(sql, 4));
    assert!(matches!(after, Err(Error::Database(DatabaseError::InUse { .. }))), "{after:?}");
    assert_eq!(count(&old), 1);
}

/// The server knows what became of a transaction after its connection is lost.
#[test]
fn what_became_of_a_transaction_is_known() {
    use crate::database::{
        Sql,
        pool::{Backend, Mode},
        postgres::Postgres,
    };
    let Some(address) = new_store() else { return };
    drop(open(&address));
    let mut backend = Postgres::lead(&address).expect("nobody else serves it");
    backend.begin_epoch().expect("it can be written");
    for is_kept in [true, false] {
        backend.begin(Mode::Write).expect("it begins");
        backend.next_id("test").expect("a number");
        let row = backend.row("SELECT pg_current_xact_id()::text", &[]).expect("it is known").expect("a row");
        if is_kept {
            backend.commit().expect("it is kept");
        } else {
            backend.rollback();
        }
        break_connection(&address);
        let transaction = row.text(0).expect("a text");
        assert_eq!(backend.was_committed(transaction), Ok(Some(is_kept)));
    }
    assert_eq!(backend.int("SELECT last FROM contest_series WHERE name = 'test'", &[]), Ok(1));
}
