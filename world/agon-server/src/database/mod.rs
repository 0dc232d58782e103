//! The contest's tables. They lie in the store of the contest, beside those of `agon-store`, and have a version of their own.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `value` | [`Value`], [`Row`]: what goes in and comes out |
//! | `sql` | [`Sql`]: one dialect for all back ends |
//! | `pool` | the threads that own the connections |
//! | `schema` | the tables, and how older ones become newer ones |
//! | `sqlite` | a back end in one file, or in memory |
//! | `postgres` | a back end in a database on a server (feature `postgres`) |
//! | `error` | [`DatabaseError`]: why the database cannot be used |
//!
//! # The dialect
//!
//! Statements have their values at `$1`, `$2`, …, and work on SQLite and PostgreSQL alike. Columns are `BIGINT`, `TEXT` or `BLOB`;
//! whether something is so is a `BIGINT` of 0 or 1, and a time is one of milliseconds since 1970. All tables are called `contest_…`,
//! so that they never meet those of the store. A sum is `CAST(sum(x) AS BIGINT)`, because PostgreSQL makes a decimal of it.
//!
//! One connection writes, so a transaction sees all that was written before it, and nothing is written between its statements.
//! What it has looked for and not found is still not there when it inserts.

#[cfg(test)]
mod conformance;
mod error;
mod pool;
#[cfg(feature = "postgres")]
mod postgres;
mod schema;
mod sql;
mod sqlite;
mod value;

use crate::Result;
#[cfg(all(test, feature = "postgres"))]
pub(crate) use conformance::new_postgres_store;
pub use error::DatabaseError;
use pool::{Backend, Mode, Pool};
#[cfg(feature = "postgres")]
use postgres::Postgres;
pub use schema::SCHEMA;
pub use sql::Sql;
use sqlite::Sqlite;
use std::{path::Path, sync::Arc};
pub use value::{Row, Value};

/// How many transactions read at the same time, beside the one that writes.
const READERS: usize = 2;

/// The database of a contest. Clones are the same database.
///
/// Its methods block: what runs on an event loop calls them on a thread that may wait. When the last clone is dropped, the
/// connections are closed.
#[derive(Clone, Debug)]
pub struct Database {
    writer: Arc<Pool>,
    /// None where whoever reads waits for whoever writes.
    readers: Option<Arc<Pool>>,
}

impl Database {
    /// Opens the database in the file of a store. Makes the tables where there are none, and brings older ones up to date. With the
    /// first tables the file becomes one that only its owner can read.
    ///
    /// The store must have been opened with [`agon_store::Sqlite::open`] before, and stay open for longer: its lock is what keeps
    /// a second server away.
    ///
    /// # Errors
    /// If the file is no store, is damaged, or has tables of a newer version; or if the system refuses something.
    pub fn sqlite(path: &Path) -> Result<Self> {
        let mut writer = Sqlite::open(path)?;
        if schema::migrate(&mut writer)? == 0 {
            // From now on there will be passwords in it.
            sqlite::keep_private(path)?;
        }
        let readers = (0..READERS).map(|_| Sqlite::open(path).map(boxed)).collect::<Result<_>>()?;
        Self::new(boxed(writer), Some(readers))
    }

    /// Opens the database in a store in PostgreSQL, at an address like `postgres://USER@HOST/DATABASE`. Makes the tables where there
    /// are none, and brings older ones up to date. Nobody else writes to it while it is open.
    ///
    /// The store must have been opened with [`agon_store_postgres::Postgres::open`] before.
    ///
    /// A connection that breaks is made again for up to 10 seconds. A transaction whose commit was lost with it is looked up.
    ///
    /// # Errors
    /// If another process serves the contest ([`DatabaseError::InUse`]), there is no store, or the server cannot be reached.
    #[cfg(feature = "postgres")]
    pub fn postgres(address: &str) -> Result<Self> {
        let mut writer = Postgres::lead(address)?;
        schema::migrate(&mut writer)?;
        writer.begin_epoch()?;
        let readers = (0..READERS).map(|_| Postgres::read(address).map(boxed)).collect::<Result<_>>()?;
        Self::new(boxed(writer), Some(readers))
    }

    /// Makes a database that is lost when it is dropped, for tests.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn memory() -> Result<Self> {
        let mut writer = Sqlite::memory()?;
        schema::migrate(&mut writer)?;
        Self::new(boxed(writer), None)
    }

    fn new(writer: Box<dyn Backend>, readers: Option<Vec<Box<dyn Backend>>>) -> Result<Self> {
        let readers = readers.map(|readers| Pool::new("contest-reader", readers).map(Arc::new)).transpose()?;
        Ok(Self { writer: Arc::new(Pool::new("contest-writer", vec![writer])?), readers })
    }

    /// Makes one transaction. It is on disk when this returns. If the job fails or panics, or one of its statements failed,
    /// nothing of it is kept.
    ///
    /// The job must not call the database in any other way than with what it is given.
    ///
    /// # Errors
    /// Those of the job; and if the transaction cannot be made. After [`DatabaseError::Lost`] nobody knows whether it was.
    pub fn transact<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut dyn Sql) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.writer.run(Mode::Write, job)
    }

    /// Makes one transaction that only reads: it sees one state of the database, and waits for nobody who writes.
    ///
    /// # Errors
    /// Those of the job; and if a statement writes, or the transaction cannot be made.
    pub fn read<T: Send + 'static>(&self, job: impl FnOnce(&mut dyn Sql) -> Result<T> + Send + 'static) -> Result<T> {
        self.readers.as_ref().unwrap_or(&self.writer).run(Mode::Read, job)
    }
}

fn boxed(backend: impl Backend + 'static) -> Box<dyn Backend> {
    Box::new(backend)
}
