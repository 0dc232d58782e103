//! A connection, with the statements that it has prepared.

use crate::{failure::Failure, place::Place};
use postgres::{
    Client, NoTls, Row, Statement,
    types::{FromSql, ToSql},
};
use std::collections::HashMap;

pub(crate) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// A connection, with the statements that it has prepared.
pub(crate) struct Db {
    client: Client,
    statements: HashMap<&'static str, Statement>,
    /// The number of the server's process for this connection.
    pub(crate) process: i32,
}

impl Db {
    /// Connects. The tables may be missing.
    pub(crate) fn connect(place: &Place) -> Result<Self, Failure> {
        let mut client = place.config.connect(NoTls)?;
        // What is acknowledged must be on disk, whatever is usual on this server.
        let settings = format!(
            "SET search_path = \"{}\";
             SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
             SET default_transaction_isolation = 'read committed'",
            place.schema
        );
        client.batch_execute(&settings)?;
        let process = client.query_one("SELECT pg_backend_pid()", &[])?.try_get(0)?;
        Ok(Self { client, statements: HashMap::new(), process })
    }

    fn statement(&mut self, sql: &'static str) -> Result<Statement, Failure> {
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        let statement = self.client.prepare(sql)?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    pub(crate) fn query(&mut self, sql: &'static str, values: Values<'_>) -> Result<Vec<Row>, Failure> {
        let statement = self.statement(sql)?;
        Ok(self.client.query(&statement, values)?)
    }

    pub(crate) fn row(&mut self, sql: &'static str, values: Values<'_>) -> Result<Option<Row>, Failure> {
        let statement = self.statement(sql)?;
        Ok(self.client.query_opt(&statement, values)?)
    }

    /// Returns the first value of the first row, which must be there.
    pub(crate) fn value<T: for<'a> FromSql<'a>>(
        &mut self,
        sql: &'static str,
        values: Values<'_>,
    ) -> Result<T, Failure> {
        let row = self.row(sql, values)?.ok_or_else(|| Failure::Content("a row is missing".to_owned()))?;
        Ok(row.try_get(0)?)
    }

    /// Returns how many rows were changed.
    pub(crate) fn execute(&mut self, sql: &'static str, values: Values<'_>) -> Result<u64, Failure> {
        let statement = self.statement(sql)?;
        Ok(self.client.execute(&statement, values)?)
    }

    /// Executes statements without values.
    pub(crate) fn batch(&mut self, sql: &str) -> Result<(), Failure> {
        Ok(self.client.batch_execute(sql)?)
    }

    /// Returns the connection, for another crate.
    pub(crate) fn into_client(self) -> Client {
        self.client
    }

    /// Ends the connection, and with it the locks of its session.
    pub(crate) fn close(self) -> Result<(), Failure> {
        Ok(self.client.close()?)
    }
}
