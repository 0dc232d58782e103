//! How often somebody may ask.

use super::Ask;
use crate::{
    Refusal, Result,
    database::{Database, Sql, Value},
};
use agon_contest::{AccountName, Earlier, Kind, Limits};

/// Whose request it is, as it is counted.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Who {
    account: Option<String>,
    team: Option<i64>,
    address: Option<String>,
}

impl Who {
    /// The account that asks, and its team; or the address of a visitor.
    #[must_use]
    pub fn asks(ask: &Ask) -> Self {
        match &ask.viewer.0 {
            Some(asker) => {
                Self { account: Some(format!("account {}", asker.account)), team: ask.viewer.team(), address: None }
            }
            None => Self { address: ask.network(), ..Self::default() },
        }
    }

    /// Somebody who tries a name, whether there is an account with it or not.
    #[must_use]
    pub fn tries(name: &str, ask: &Ask) -> Self {
        Self { account: Some(format!("name {}", AccountName::key_of(name))), team: None, address: ask.network() }
    }
}

/// Lets a request happen, or refuses it because there were too many. When this returns, it is on disk that the request was made:
/// whoever crashes the server after it has used one more. A request that is refused is not counted.
///
/// Returns the number of the request.
///
/// # Errors
/// [`Refusal::TooOften`] says when to come again.
pub fn allow(db: &Database, limits: &Limits, kind: Kind, who: Who, now: i64) -> Result<i64> {
    let limits = limits.clone();
    db.transact(move |sql| {
        forget(sql, &limits, now)?;
        let account = who.account.as_deref().map(|account| times(sql, "account", kind, account.into(), &limits, now));
        let account = account.transpose()?;
        let team = who.team.map(|team| times(sql, "team", kind, team.into(), &limits, now)).transpose()?;
        let address = who.address.as_deref().map(|network| times(sql, "address", kind, network.into(), &limits, now));
        let address = address.transpose()?;
        let earlier = Earlier { account: account.as_deref(), team: team.as_deref(), address: address.as_deref() };
        match limits.wait(kind, &earlier, now) {
            0 => {
                let id = sql.next_id("requests")?;
                let insert = "INSERT INTO contest_requests (id, kind, account, team, address, at_ms)
                              VALUES ($1, $2, $3, $4, $5, $6)";
                let row = [
                    id.into(),
                    kind.word().into(),
                    who.account.into(),
                    who.team.into(),
                    who.address.into(),
                    now.into(),
                ];
                sql.run(insert, &row)?;
                Ok(id)
            }
            after_ms => Err(Refusal::TooOften { after_ms }.into()),
        }
    })
}

/// Takes a request out of the count: a person who knows the password may log in as often as they like.
pub(super) fn refund(sql: &mut dyn Sql, request: i64) -> Result<()> {
    sql.run("DELETE FROM contest_requests WHERE id = $1", &[request.into()])?;
    Ok(())
}

/// Returns the times of earlier requests, as many as matter.
fn times(sql: &mut dyn Sql, column: &str, kind: Kind, value: Value, limits: &Limits, now: i64) -> Result<Vec<i64>> {
    let of = limits.of(kind);
    let rates = [Some(of.account), of.team, Some(of.address)];
    let most = rates.into_iter().flatten().map(|rate| rate.most).max().unwrap_or(0);
    let select = format!(
        "SELECT at_ms FROM contest_requests WHERE {column} = $1 AND kind = $2 AND at_ms > $3 ORDER BY at_ms DESC LIMIT $4"
    );
    let since = now.saturating_sub(limits.memory_ms());
    let rows = sql.rows(&select, &[value, kind.word().into(), since.into(), most.into()])?;
    rows.iter().map(|row| row.int(0)).collect()
}

/// Forgets what no rate looks back to.
fn forget(sql: &mut dyn Sql, limits: &Limits, now: i64) -> Result<()> {
    let before = now.saturating_sub(limits.memory_ms());
    sql.run("DELETE FROM contest_requests WHERE at_ms <= $1", &[before.into()])?;
    Ok(())
}
