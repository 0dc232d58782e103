//! A back end in a database on a server.

use super::{
    DatabaseError, Row, Sql, Value,
    pool::{Backend, Mode},
};
use crate::{Error, Result};
use agon_store::StoreError;
use agon_store_postgres::{beside, shown_address};
use postgres::{
    Client, Statement,
    error::SqlState,
    types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked},
};
use std::{
    borrow::Cow,
    collections::HashMap,
    thread,
    time::{Duration, Instant},
};

/// The first key of the lock of whoever serves a contest: `AGOC` in ASCII. The second is of the schema.
const LOCK: i32 = 0x4147_4f43;
/// For how long a lock is waited for whose holder is just ending. The server takes a while to notice.
const ENDING: Duration = Duration::from_secs(1);
/// For how long a connection that was lost is tried again.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(50);
/// The most statements that a connection has prepared.
const PREPARED: usize = 256;

/// A connection to a server.
pub(super) struct Postgres {
    /// None after it was lost, until it is made again.
    client: Option<Client>,
    address: String,
    place: String,
    /// None for a connection that only reads.
    lead: Option<Lead>,
    statements: HashMap<String, Statement>,
}

/// Who writes.
#[derive(Clone, Copy)]
struct Lead {
    /// Another one for each time that somebody began to write.
    epoch: i64,
    /// The number of the server's process for the connection.
    process: i32,
}

impl Postgres {
    /// Connects as the only one who writes, for as long as the connection lasts.
    pub(super) fn lead(address: &str) -> Result<Self> {
        let mut own = Self::read(address)?;
        own.lead = Some(Lead { epoch: 0, process: own.take_lock(None, ENDING)? });
        Ok(own)
    }

    /// Connects to read.
    pub(super) fn read(address: &str) -> Result<Self> {
        let (place, address) = (shown_address(address), address.to_owned());
        let client = beside::connect(&address).map_err(|why| of_store(&place, why))?;
        Ok(Self { client: Some(client), address, place, lead: None, statements: HashMap::new() })
    }

    /// Tells those who wrote before that they do not any more. Comes after the tables are made.
    pub(super) fn begin_epoch(&mut self) -> Result<()> {
        self.begin(Mode::Write)?;
        let next = "INSERT INTO contest_series (name, last) VALUES ('epochs', 1)
                    ON CONFLICT (name) DO UPDATE SET last = contest_series.last + 1 RETURNING last";
        let epoch = self.int(next, &[]);
        if epoch.is_err() {
            self.rollback();
        }
        let epoch = epoch?;
        self.commit()?;
        if let Some(lead) = &mut self.lead {
            lead.epoch = epoch;
        }
        Ok(())
    }

    /// Takes the lock of whoever writes. `before` is the server's process of an own connection that was lost.
    fn take_lock(&mut self, before: Option<i32>, patience: Duration) -> Result<i32> {
        let schema = beside::schema(&self.address).map_err(|why| of_store(&self.place, why))?;
        let until = Instant::now() + patience;
        let place = self.place.clone();
        let at = |why: postgres::Error| failure(&place, &why);
        let client = self.client()?;
        if let Some(before) = before {
            // The server may not know yet that this connection is lost. Another process with its number has another name.
            let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                       WHERE pid = $1 AND application_name = current_setting('application_name')";
            client.execute(end, &[&before]).map_err(at)?;
        }
        loop {
            let sql = "SELECT pg_try_advisory_lock($1, hashtext($2)), pg_backend_pid()";
            let row = client.query_one(sql, &[&LOCK, &schema]).map_err(at)?;
            if row.try_get(0).map_err(at)? {
                return row.try_get(1).map_err(at);
            }
            if Instant::now() > until {
                return Err(DatabaseError::InUse { place }.into());
            }
            thread::sleep(PAUSE);
        }
    }

    fn client(&mut self) -> Result<&mut Client> {
        let why = "it was not made again".to_owned();
        self.client.as_mut().ok_or_else(|| DatabaseError::Lost { place: self.place.clone(), why }.into())
    }

    /// Connects again. Whoever wrote goes on only if nobody else has written since.
    fn reconnect(&mut self) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        self.client = None;
        self.statements.clear();
        let client = loop {
            match beside::connect(&self.address) {
                Ok(client) => break client,
                Err(StoreError::Lost { .. }) if Instant::now() < until => thread::sleep(PAUSE),
                Err(why) => return Err(of_store(&self.place, why)),
            }
        };
        self.client = Some(client);
        let Some(lead) = self.lead else { return Ok(()) };
        let led = self.take_lock(Some(lead.process), PATIENCE).and_then(|process| {
            let epoch = self.int("SELECT last FROM contest_series WHERE name = 'epochs'", &[])?;
            if epoch != lead.epoch {
                return Err(DatabaseError::InUse { place: self.place.clone() }.into());
            }
            Ok(process)
        });
        match led {
            Ok(process) => self.lead = Some(Lead { process, ..lead }),
            // Nothing is written without the lock.
            Err(_) => self.client = None,
        }
        led.map(drop)
    }

    fn batch(&mut self, sql: &str) -> Result<()> {
        let result = self.client()?.batch_execute(sql);
        self.seen(result)
    }

    /// Forgets a connection that is lost.
    fn seen<T>(&mut self, result: Result<T, postgres::Error>) -> Result<T> {
        result.map_err(|why| {
            if self.client.as_ref().is_none_or(Client::is_closed) {
                self.client = None;
            }
            failure(&self.place, &why)
        })
    }

    fn statement(&mut self, sql: &str) -> Result<Statement> {
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        let prepared = self.client()?.prepare(&adapted(sql));
        let statement = self.seen(prepared)?;
        if self.statements.len() >= PREPARED {
            self.statements.clear();
        }
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Returns whether a transaction was committed whose answer was lost. `None` if nobody knows.
    pub(super) fn was_committed(&mut self, transaction: &str) -> Result<Option<bool>> {
        let until = Instant::now() + PATIENCE;
        self.reconnect()?;
        loop {
            let found = self.client()?.query_one("SELECT pg_xact_status($1::text::xid8)", &[&transaction]);
            let status: Option<String> = self.seen(found.and_then(|row| row.try_get(0)))?;
            match status.as_deref() {
                Some("committed") => return Ok(Some(true)),
                Some("aborted") => return Ok(Some(false)),
                Some("in progress") if Instant::now() < until => thread::sleep(PAUSE),
                _ => return Ok(None),
            }
        }
    }
}

impl Backend for Postgres {
    fn begin(&mut self, mode: Mode) -> Result<()> {
        let begin = match mode {
            Mode::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Mode::Write => "BEGIN",
        };
        if self.client.is_none() {
            self.reconnect()?;
        }
        match self.batch(begin) {
            // Nothing was done yet.
            Err(_) if self.client.is_none() => self.reconnect().and_then(|()| self.batch(begin)),
            done => done,
        }
    }

    fn commit(&mut self) -> Result<()> {
        let transaction = "SELECT pg_current_xact_id_if_assigned()::text";
        let row = self.rows(transaction, &[])?;
        let transaction = row.first().map(|row| row.optional_text(0)).transpose()?.flatten().map(str::to_owned);
        let lost = match self.batch("COMMIT") {
            Err(why) if self.client.is_none() => why,
            done => return done,
        };
        match transaction.map(|transaction| self.was_committed(&transaction)).transpose() {
            Ok(Some(Some(true)) | None) => Ok(()),
            _ => Err(lost),
        }
    }

    fn rollback(&mut self) {
        // A connection that is lost is rolled back by the server.
        if self.client.is_some() {
            let _ = self.batch("ROLLBACK");
        }
    }

    fn place(&self) -> String {
        self.place.clone()
    }
}

impl Sql for Postgres {
    fn run(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        let statement = self.statement(sql)?;
        let values: Vec<Bound<'_>> = values.iter().map(Bound).collect();
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as _).collect();
        let result = self.client()?.execute(&statement, &values);
        self.seen(result)
    }

    fn rows(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        let statement = self.statement(sql)?;
        let values: Vec<Bound<'_>> = values.iter().map(Bound).collect();
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as _).collect();
        let result = self.client()?.query(&statement, &values);
        let rows = self.seen(result)?;
        let read = |row: &postgres::Row| {
            let values = (0..row.len()).map(|column| read(row, column).map_err(|why| failure(&self.place, &why)));
            values.collect::<Result<_>>().map(Row)
        };
        rows.iter().map(read).collect()
    }
}

/// A value on its way to the server.
#[derive(Debug)]
struct Bound<'a>(&'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match (self.0, kind) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Int(number), &Type::INT8) => number.to_sql(kind, out),
            (Value::Int(number), &Type::INT4) => i32::try_from(*number)?.to_sql(kind, out),
            (Value::Text(text), &Type::TEXT) => beside::kept_text(text).to_sql(kind, out),
            (Value::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(kind, out),
            (_, kind) => Err(format!("the value is not of the type {kind}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

fn read(row: &postgres::Row, column: usize) -> Result<Value, postgres::Error> {
    let kind = row.columns().get(column).map(postgres::Column::type_);
    Ok(match kind {
        Some(&Type::INT8) => row.try_get::<_, Option<i64>>(column)?.into(),
        Some(&Type::INT4) => row.try_get::<_, Option<i32>>(column)?.map(i64::from).into(),
        Some(&Type::BYTEA) => row.try_get::<_, Option<Vec<u8>>>(column)?.into(),
        _ => row.try_get::<_, Option<String>>(column)?.map(beside::restored_text).into(),
    })
}

/// Returns a statement in the words of PostgreSQL.
fn adapted(sql: &str) -> Cow<'_, str> {
    if sql.trim_start().starts_with("CREATE TABLE") || sql.trim_start().starts_with("ALTER TABLE") {
        Cow::Owned(sql.replace(" BLOB", " BYTEA"))
    } else {
        Cow::Borrowed(sql)
    }
}

fn failure(place: &str, why: &postgres::Error) -> Error {
    let place = place.to_owned();
    let error = match why.code() {
        Some(&SqlState::DISK_FULL) => DatabaseError::Full { place },
        Some(&SqlState::DATA_CORRUPTED | &SqlState::INDEX_CORRUPTED) => {
            DatabaseError::Damaged { place, why: beside::words(why) }
        }
        _ if beside::is_passing(why) => DatabaseError::Lost { place, why: beside::words(why) },
        _ => DatabaseError::Failed { place, why: beside::words(why) },
    };
    error.into()
}

fn of_store(place: &str, why: StoreError) -> Error {
    let place = place.to_owned();
    let error = match why {
        StoreError::NotAStore(_) => DatabaseError::NotAStore { place },
        StoreError::Lost { place, why } => DatabaseError::Lost { place, why },
        other => DatabaseError::Failed { place, why: other.to_string() },
    };
    error.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tables_have_other_types() {
        assert_eq!(
            adapted("CREATE TABLE t (a BLOB PRIMARY KEY, b TEXT)"),
            "CREATE TABLE t (a BYTEA PRIMARY KEY, b TEXT)"
        );
        assert_eq!(adapted("SELECT ' BLOB'"), "SELECT ' BLOB'");
    }
}
