//! What those who lead have done.

use super::Ask;
use crate::{
    Result,
    database::{Row, Sql},
};
use agon_contest::Act;
use serde_json::Value;

/// Something that was done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its number, from 1, in the order in which things were done.
    pub id: i64,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// Who: the number and the name of an account. `None` for whoever used the first link.
    pub account: Option<(i64, String)>,
    /// From where, if it is known.
    pub address: Option<String>,
    /// What, as in `account.disable`.
    pub act: String,
    /// About what: a document.
    pub about: Value,
}

/// Records that something was done, in the transaction that does it.
///
/// # Errors
/// If the database cannot be written.
pub fn record(sql: &mut dyn Sql, ask: &Ask, act: &str, about: &Value) -> Result<()> {
    let id = sql.next_id("audit")?;
    let insert = "INSERT INTO contest_audit (id, at_ms, account, address, act, about) VALUES ($1, $2, $3, $4, $5, $6)";
    let address = ask.address.map(|address| address.to_canonical().to_string());
    let row =
        [id.into(), ask.now.into(), ask.viewer.account().into(), address.into(), act.into(), about.to_string().into()];
    sql.run(insert, &row)?;
    Ok(())
}

/// Returns at most so many entries from before an entry, or the last ones; the newest first.
///
/// # Errors
/// If the person may not see them.
pub fn list(sql: &mut dyn Sql, ask: &Ask, before: Option<i64>, most: u32) -> Result<Vec<Entry>> {
    ask.must(&Act::SeeAll)?;
    let select = "SELECT contest_audit.id, at_ms, account, name, address, act, about
                  FROM contest_audit LEFT JOIN contest_accounts ON contest_accounts.id = account
                  WHERE contest_audit.id < $1 ORDER BY contest_audit.id DESC LIMIT $2";
    let rows = sql.rows(select, &[before.unwrap_or(i64::MAX).into(), most.into()])?;
    rows.iter().map(entry).collect()
}

fn entry(row: &Row) -> Result<Entry> {
    let name = row.optional_text(3)?.unwrap_or_default().to_owned();
    Ok(Entry {
        id: row.int(0)?,
        at_ms: row.int(1)?,
        account: row.optional_int(2)?.map(|id| (id, name)),
        address: row.optional_text(4)?.map(str::to_owned),
        act: row.text(5)?.to_owned(),
        about: serde_json::from_str(row.text(6)?).unwrap_or_default(),
    })
}
