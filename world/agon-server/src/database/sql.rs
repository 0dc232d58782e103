//! One dialect for all back ends.

use super::{Row, Value};
use crate::Result;

/// An open transaction.
pub trait Sql {
    /// Runs a statement that answers nothing, and returns how many rows it changed.
    ///
    /// # Errors
    /// If the database refuses it. Then nothing of the transaction is kept.
    fn run(&mut self, sql: &str, values: &[Value]) -> Result<u64>;

    /// Runs a statement, and returns its rows.
    ///
    /// # Errors
    /// If the database refuses it. Then nothing of the transaction is kept.
    fn rows(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>>;

    /// Runs a statement, and returns its first row.
    ///
    /// # Errors
    /// As for [`rows`](Self::rows).
    fn row(&mut self, sql: &str, values: &[Value]) -> Result<Option<Row>> {
        Ok(self.rows(sql, values)?.into_iter().next())
    }

    /// Runs a statement, and returns the number in the first column of its first row.
    ///
    /// # Errors
    /// As for [`rows`](Self::rows), and if there is no number.
    fn int(&mut self, sql: &str, values: &[Value]) -> Result<i64> {
        self.row(sql, values)?.unwrap_or(Row(Vec::new())).int(0)
    }

    /// Returns the next number of a series, from 1. A number is given once, whatever becomes of what has it.
    ///
    /// # Errors
    /// If the database cannot be written.
    fn next_id(&mut self, series: &str) -> Result<i64> {
        let next = "INSERT INTO contest_series (name, last) VALUES ($1, 1)
                    ON CONFLICT (name) DO UPDATE SET last = contest_series.last + 1 RETURNING last";
        self.int(next, &[series.into()])
    }
}
