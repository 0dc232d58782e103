//! What every back end must do.

#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;

use super::{Database, DatabaseError, Sql, Value};
use crate::{Error, Refusal};
#[cfg(feature = "postgres")]
pub(crate) use postgres::new_store as new_postgres_store;
use std::{sync::mpsc::channel, thread};

const TABLE: &str = "CREATE TABLE contest_test (id BIGINT PRIMARY KEY, number BIGINT, text TEXT, bytes BLOB)";

/// Runs all tests. Each has a database of its own, with an empty table.
fn all(make: &mut dyn FnMut() -> Database) {
    let tests: [fn(Database); 9] = [
        values_come_back,
        wrong_statements_and_values_are_refused,
        a_transaction_is_kept_whole_or_not_at_all,
        whoever_reads_writes_nothing,
        a_transaction_in_another_one_is_refused,
        numbers_are_given_once,
        transactions_of_many_threads_are_made_one_after_the_other,
        a_look_sees_one_state,
        keys_are_kept,
    ];
    for test in tests {
        let db = make();
        db.transact(|sql| sql.run(TABLE, &[])).expect("a new table");
        test(db);
    }
}

fn count(db: &Database) -> i64 {
    db.read(|sql| sql.int("SELECT count(*) FROM contest_test", &[])).expect("it can be read")
}

fn insert(sql: &mut dyn Sql, id: i64) -> crate::Result<u64> {
    sql.run("INSERT INTO contest_test (id, number) VALUES ($1, $2)", &[id.into(), 0_i64.into()])
}

fn values_come_back(db: Database) {
    let rows: Vec<[Value; 3]> = vec![
        [Value::Null, Value::Null, Value::Null],
        [i64::MAX.into(), "".into(), Value::Bytes(Vec::new())],
        [i64::MIN.into(), "ñ 'quoted' $1 ; -- チ".into(), (0..=255).collect::<Vec<u8>>().into()],
        [true.into(), "a\0b\u{1}0\u{1}".into(), [0_u8; 3].into()],
    ];
    let wanted = rows.clone();
    db.transact(move |sql| {
        for (id, [number, text, bytes]) in (1_i64..).zip(rows) {
            // The order of the places is not that of the columns.
            let insert = "INSERT INTO contest_test (bytes, id, text, number) VALUES ($4, $1, $3, $2)";
            assert_eq!(sql.run(insert, &[id.into(), number, text, bytes])?, 1);
        }
        Ok(())
    })
    .expect("it is kept");
    let found = db.read(|sql| sql.rows("SELECT number, text, bytes FROM contest_test ORDER BY id", &[]));
    let found = found.expect("it can be read");
    assert_eq!(found.iter().map(|row| row.0.clone()).collect::<Vec<_>>(), wanted.map_rows());
    let row = &found[2];
    assert_eq!((row.int(0), row.text(1)), (Ok(i64::MIN), Ok("ñ 'quoted' $1 ; -- チ")));
    assert_eq!(row.bytes(2).map(<[u8]>::len), Ok(256));
    assert_eq!(
        (found[0].optional_int(0), found[0].optional_text(1), found[0].optional_bytes(2)),
        (Ok(None), Ok(None), Ok(None))
    );
    let mismatch = |wanted| Error::Database(DatabaseError::Type { column: 0, wanted });
    assert_eq!(row.text(0), Err(mismatch("a text")));
    assert_eq!(found[0].int(0), Err(mismatch("a number")));
    assert!(row.int(3).is_err(), "there is no such column");
    let changed = db.transact(|sql| sql.run("UPDATE contest_test SET number = 1 WHERE id > $1", &[1_i64.into()]));
    assert_eq!(changed, Ok(3));
    let nothing = db.read(|sql| sql.row("SELECT 1 FROM contest_test WHERE id = $1", &[9_i64.into()]));
    assert_eq!(nothing, Ok(None));
}

trait MapRows {
    fn map_rows(self) -> Vec<Vec<Value>>;
}

impl MapRows for Vec<[Value; 3]> {
    fn map_rows(self) -> Vec<Vec<Value>> {
        self.into_iter().map(Vec::from).collect()
    }
}

fn wrong_statements_and_values_are_refused(db: Database) {
    for (sql, values) in [
        ("SELEC 1", vec![]),
        ("SELECT number FROM contest_nothing", vec![]),
        ("SELECT number FROM contest_test WHERE id = $1", vec![]),
        ("SELECT number FROM contest_test WHERE id = $1", vec![1_i64.into(), 2_i64.into()]),
    ] {
        let found = db.transact(move |open| open.rows(sql, &values));
        assert!(matches!(found, Err(Error::Database(DatabaseError::Failed { .. }))), "{sql}: {found:?}");
    }
    assert_eq!(count(&db), 0, "it can be used again");
}

fn a_transaction_is_kept_whole_or_not_at_all(db: Database) {
    assert_eq!(db.transact(|sql| insert(sql, 1)), Ok(1));
    let refused = db.transact(|sql| {
        insert(sql, 2)?;
        Err::<(), _>(Refusal::NotAllowed.into())
    });
    assert_eq!(refused, Err(Refusal::NotAllowed.into()));
    let panicked = db.transact(|sql| {
        insert(sql, 3)?;
        assert_eq!(sql.int("SELECT count(*) FROM contest_test", &[])?, 9, "there are fewer");
        Ok(())
    });
    let Err(Error::Database(DatabaseError::Panicked(why))) = panicked else { panic!("{panicked:?}") };
    assert!(why.contains("there are fewer"), "{why}");
    // A job that does not mind: the database may have kept none of what came before.
    let failed = db.transact(|sql| {
        insert(sql, 4)?;
        let _ = insert(sql, 4);
        Ok(())
    });
    assert!(matches!(failed, Err(Error::Database(_))), "{failed:?}");
    assert_eq!(count(&db), 1);
    assert_eq!(db.transact(|sql| insert(sql, 5)), Ok(1), "it can be used again");
}

fn whoever_reads_writes_nothing(db: Database) {
    let written = db.read(|sql| insert(sql, 1));
    assert!(matches!(written, Err(Error::Database(_))), "{written:?}");
    assert_eq!(count(&db), 0);
    assert_eq!(db.transact(|sql| insert(sql, 1)), Ok(1), "whoever writes still can");
}

fn a_transaction_in_another_one_is_refused(db: Database) {
    let inner = db.clone();
    let nested = db.transact(move |_| inner.transact(|sql| insert(sql, 1)));
    assert_eq!(nested, Err(DatabaseError::Nested.into()));
    // The last clone ends on the thread of the database.
    let (sender, receiver) = channel();
    let inner = db.clone();
    let job = move |_: &mut dyn Sql| {
        let _ = receiver.recv();
        drop(inner);
        Ok(())
    };
    let waiting = thread::spawn({
        let db = db.clone();
        move || db.transact(job)
    });
    drop(db);
    sender.send(()).expect("it waits");
    assert_eq!(waiting.join().expect("it ends"), Ok(()));
}

fn numbers_are_given_once(db: Database) {
    let next = |series: &'static str| db.transact(move |sql| sql.next_id(series)).expect("a number");
    assert_eq!([next("a"), next("a"), next("b"), next("a")], [1, 2, 1, 3]);
    let two = db.transact(|sql| Ok((sql.next_id("a")?, sql.next_id("a")?)));
    assert_eq!(two, Ok((4, 5)));
}

fn transactions_of_many_threads_are_made_one_after_the_other(db: Database) {
    db.transact(|sql| insert(sql, 1)).expect("it is new");
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for _ in 0..10 {
                    db.transact(|sql| {
                        let number = sql.int("SELECT number FROM contest_test WHERE id = 1", &[])?;
                        sql.run("UPDATE contest_test SET number = $1 WHERE id = 1", &[(number + 1).into()])
                    })
                    .expect("it is made");
                }
            });
        }
    });
    assert_eq!(db.read(|sql| sql.int("SELECT number FROM contest_test", &[])), Ok(60));
}

/// One thread moves numbers between two rows, others look at both with two statements.
fn a_look_sees_one_state(db: Database) {
    db.transact(|sql| insert(sql, 1).and_then(|_| insert(sql, 2))).expect("they are new");
    let number = |sql: &mut dyn Sql, id: i64| sql.int("SELECT number FROM contest_test WHERE id = $1", &[id.into()]);
    thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    loop {
                        let (one, two) =
                            db.read(move |sql| Ok((number(sql, 1)?, number(sql, 2)?))).expect("it is read");
                        assert_eq!(one + two, 0);
                        if one == 40 {
                            break;
                        }
                    }
                })
            })
            .collect();
        for value in 1..=40_i64 {
            db.transact(move |sql| {
                let update = "UPDATE contest_test SET number = $2 WHERE id = $1";
                sql.run(update, &[1_i64.into(), value.into()])?;
                sql.run(update, &[2_i64.into(), (-value).into()])
            })
            .expect("it is made");
        }
        readers.into_iter().for_each(|reader| reader.join().expect("every sum is 0"));
    });
}

fn keys_are_kept(db: Database) {
    db.transact(|sql| {
        sql.run("CREATE TABLE contest_inner (test BIGINT NOT NULL REFERENCES contest_test (id))", &[])?;
        insert(sql, 1)?;
        sql.run("INSERT INTO contest_inner (test) VALUES (1)", &[])
    })
    .expect("it is whole");
    for statement in [
        "INSERT INTO contest_inner (test) VALUES (2)",
        "INSERT INTO contest_inner (test) VALUES (NULL)",
        "DELETE FROM contest_test",
        "INSERT INTO contest_test (id) VALUES (1)",
    ] {
        let done = db.transact(move |sql| sql.run(statement, &[]));
        assert!(matches!(done, Err(Error::Database(DatabaseError::Failed { .. }))), "{statement}: {done:?}");
    }
}

/// Looks while somebody writes, who ends only after the look: whoever reads waits for nobody.
fn a_look_waits_for_nobody(db: &Database) {
    db.transact(|sql| sql.run(TABLE, &[])).expect("a new table");
    let (seen, was_seen) = channel();
    let (begun, has_begun) = channel();
    let writer = thread::spawn({
        let db = db.clone();
        move || {
            db.transact(move |sql| {
                insert(sql, 1)?;
                begun.send(()).expect("somebody waits");
                was_seen.recv().expect("somebody looks");
                Ok(())
            })
        }
    });
    has_begun.recv().expect("it begins");
    assert_eq!(count(db), 0);
    seen.send(()).expect("it waits");
    assert_eq!(writer.join().expect("it ends"), Ok(()));
    assert_eq!(count(db), 1);
}

/// What was committed is there when the database is opened again.
fn it_is_there_again(open: &dyn Fn() -> Database) {
    let db = open();
    db.transact(|sql| sql.run(TABLE, &[])).expect("a new table");
    db.transact(|sql| insert(sql, 7)).expect("it is new");
    drop(db);
    let db = open();
    assert_eq!(count(&db), 1);
    let versions = db.read(|sql| sql.rows("SELECT version FROM contest_schema", &[])).expect("it can be read");
    assert_eq!(versions.len(), usize::try_from(super::SCHEMA).expect("it is small"), "tables are made once");
}

mod memory {
    use super::*;

    #[test]
    fn it_conforms() {
        all(&mut || Database::memory().expect("there is memory"));
    }
}
