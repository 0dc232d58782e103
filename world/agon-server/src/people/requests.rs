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
    /// The account, or the name that is tried.
    account: Option<String>,
    /// Whether it is a name that is tried.
    tries: bool,
    team: Option<i64>,
    address: Option<String>,
}

impl Who {
    /// The account that asks, and its team; or the address of a visitor.
    #[must_use]
    pub fn asks(ask: &Ask) -> Self {
        match &ask.viewer.0 {
            Some(asker) => {
                let account = Some(format!("account {}", asker.account));
                Self { account, team: ask.viewer.team(), ..Self::default() }
            }
            None => Self { address: ask.network(), ..Self::default() },
        }
    }

    /// Somebody who tries a name, whether there is an account with it or not. Tries from elsewhere hardly count: else anybody could
    /// lock the owner of a name out.
    #[must_use]
    pub fn tries(name: &str, ask: &Ask) -> Self {
        let account = Some(format!("name {}", AccountName::key_of(name)));
        Self { account, tries: true, team: None, address: ask.network() }
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
        let mut earlier = |same: &str, values: &[Value]| times(sql, same, values, kind, &limits, now);
        let (mut account, mut name) = (None, None);
        if let Some(asks) = who.account.as_deref() {
            if who.tries {
                let here = [asks.into(), who.address.as_deref().unwrap_or_default().into()];
                account = Some(earlier("account = $1 AND coalesce(address, '') = $2", &here)?);
                name = Some(earlier("account = $1", &[asks.into()])?);
            } else {
                account = Some(earlier("account = $1", &[asks.into()])?);
            }
        }
        let team = who.team.map(|team| earlier("team = $1", &[team.into()])).transpose()?;
        let address = who.address.as_deref().map(|network| earlier("address = $1", &[network.into()])).transpose()?;
        let earlier = Earlier {
            account: account.as_deref(),
            name: name.as_deref(),
            team: team.as_deref(),
            address: address.as_deref(),
        };
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

/// Returns the times of earlier requests that are of the same in a condition with values, as many as matter.
fn times(sql: &mut dyn Sql, same: &str, values: &[Value], kind: Kind, limits: &Limits, now: i64) -> Result<Vec<i64>> {
    let most = limits.of(kind).rates().map(|rate| rate.most).max().unwrap_or(0);
    let next = values.len() + 1;
    let select = format!(
        "SELECT at_ms FROM contest_requests WHERE {same} AND kind = ${next} AND at_ms > ${} ORDER BY at_ms DESC LIMIT ${}",
        next + 1,
        next + 2,
    );
    let since = now.saturating_sub(limits.memory_ms());
    let rows = sql.rows(&select, &[values, &[kind.word().into(), since.into(), most.into()]].concat())?;
    rows.iter().map(|row| row.int(0)).collect()
}

/// Forgets what no rate looks back to.
fn forget(sql: &mut dyn Sql, limits: &Limits, now: i64) -> Result<()> {
    let before = now.saturating_sub(limits.memory_ms());
    sql.run("DELETE FROM contest_requests WHERE at_ms <= $1", &[before.into()])?;
    Ok(())
}
