//! Codes with which people make accounts.

use super::{Ask, audit, new_code, read_code, sessions, teams};
use crate::{
    Refusal, Result,
    database::{Row, Sql},
};
use agon_contest::{Act, Standing};
use serde_json::json;

/// The most times that one code may be used, unless it may be used any number of times.
const MOST_USES: u32 = 10_000;

/// What an invitation is to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewInvite {
    /// What the accounts are that are made with it.
    pub standing: Standing,
    /// The team that they join.
    pub team: Option<i64>,
    /// How many accounts may be made with it. `None` for any number, which is only possible for players.
    pub uses: Option<u32>,
    /// When it ends, in milliseconds since 1970. `None` for no end.
    pub until_ms: Option<i64>,
}

/// An invitation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invite {
    /// Its number.
    pub id: i64,
    /// Its code. It is kept as it is: those who lead show it again, and it is worth no more than an account.
    pub code: String,
    /// What the accounts are that are made with it.
    pub standing: Standing,
    /// The number and the name of the team that they join.
    pub team: Option<(i64, String)>,
    /// How many more accounts may be made with it. `None` for any number.
    pub uses: Option<i64>,
    /// How many were made.
    pub used: i64,
    /// When it ends, in milliseconds since 1970.
    pub until_ms: Option<i64>,
    /// Whether it was revoked.
    pub revoked: bool,
    /// Who made it.
    pub by: String,
    /// When it was made.
    pub created_ms: i64,
}

impl Invite {
    /// Returns whether an account can be made with it.
    #[must_use]
    pub fn is_valid(&self, now: i64) -> bool {
        !self.revoked && self.uses.is_none_or(|uses| uses > 0) && self.until_ms.is_none_or(|until| until > now)
    }
}

/// Makes an invitation.
///
/// # Errors
/// If the person may not do it, or it can never be used.
pub fn make(sql: &mut dyn Sql, ask: &Ask, new: &NewInvite) -> Result<Invite> {
    ask.must(&Act::Lead)?;
    let invalid = |field, why: &str| Err(Refusal::Invalid { field, why: why.to_owned() }.into());
    if new.uses.is_some_and(|uses| !(1..=MOST_USES).contains(&uses)) {
        return invalid("uses", &format!("a number from 1 to {MOST_USES} is possible"));
    }
    if new.uses.is_none() && new.standing != Standing::Player {
        return invalid("uses", "only players can be invited without a number");
    }
    if new.until_ms.is_some_and(|until| until <= ask.now) {
        return invalid("until", "this time is over");
    }
    if let Some(team) = new.team {
        if new.standing != Standing::Player {
            return invalid("team", "only players are in teams");
        }
        teams::must_exist(sql, team)?;
    }
    let (id, code) = (sql.next_id("invites")?, new_code()?);
    let insert = "INSERT INTO contest_invites
                  (id, code, standing, team, uses, used, until_ms, revoked, account, created_ms)
                  VALUES ($1, $2, $3, $4, $5, 0, $6, 0, $7, $8)";
    let row = [
        id.into(),
        code.into(),
        new.standing.word().into(),
        new.team.into(),
        new.uses.into(),
        new.until_ms.into(),
        ask.asker()?.account.into(),
        ask.now.into(),
    ];
    sql.run(insert, &row)?;
    // Not the code: whoever reads the audit is not to become an organiser.
    let about = json!({
        "invite": id, "standing": new.standing.word(), "team": new.team, "uses": new.uses, "until_ms": new.until_ms,
    });
    audit::record(sql, ask, "invite.make", &about)?;
    get(sql, id)
}

/// Returns the invitations; the newest comes first. Auditors see no codes.
///
/// # Errors
/// If the person may not see them.
pub fn list(sql: &mut dyn Sql, ask: &Ask) -> Result<Vec<Invite>> {
    ask.must(&Act::SeeAll)?;
    let shows_codes = ask.must(&Act::Lead).is_ok();
    let rows = sql.rows(&format!("{INVITES} ORDER BY contest_invites.id DESC"), &[])?;
    let shown = |row| {
        let invite = invite(row)?;
        Ok(if shows_codes { invite } else { Invite { code: String::new(), ..invite } })
    };
    rows.iter().map(shown).collect()
}

/// Ends an invitation. Accounts that were made with it stay.
///
/// # Errors
/// If the person may not do it, or there is no such invitation.
pub fn revoke(sql: &mut dyn Sql, ask: &Ask, id: i64) -> Result<()> {
    ask.must(&Act::Lead)?;
    match sql.run("UPDATE contest_invites SET revoked = 1 WHERE id = $1", &[id.into()])? {
        0 => Err(Refusal::Unknown("invitation").into()),
        _ => audit::record(sql, ask, "invite.revoke", &json!({"invite": id})),
    }
}

/// What a code gives.
pub(super) struct Given {
    /// The number of the invitation; none for the code of a team.
    invite: Option<i64>,
    pub(super) standing: Standing,
    pub(super) team: Option<i64>,
}

/// Returns what a code gives: that of an invitation, or of a team that has room.
pub(super) fn find(sql: &mut dyn Sql, code: &str, team_size: u32, now: i64) -> Result<Given> {
    let code = read_code(code).ok_or(Refusal::Spent("code"))?;
    let row = sql.row(&format!("{INVITES} WHERE contest_invites.code = $1"), &[code.as_str().into()])?;
    let Some(row) = row else {
        let team = teams::with_code(sql, &code)?.ok_or(Refusal::Spent("code"))?;
        teams::must_have_room(sql, team, team_size)?;
        return Ok(Given { invite: None, standing: Standing::Player, team: Some(team) });
    };
    let invite = invite(&row)?;
    if !invite.is_valid(now) {
        return Err(Refusal::Spent("code").into());
    }
    let team = invite.team.map(|(team, _)| team);
    if let Some(team) = team {
        teams::must_have_room(sql, team, team_size)?;
    }
    Ok(Given { invite: Some(invite.id), standing: invite.standing, team })
}

/// Counts one use of an invitation.
pub(super) fn use_one(sql: &mut dyn Sql, given: &Given) -> Result<()> {
    if let Some(invite) = given.invite {
        let update = "UPDATE contest_invites SET uses = uses - 1, used = used + 1 WHERE id = $1";
        sql.run(update, &[invite.into()])?;
    }
    Ok(())
}

const INVITES: &str =
    "SELECT contest_invites.id, contest_invites.code, contest_invites.standing, team, contest_teams.name, uses,
    used, until_ms, revoked, contest_accounts.name, contest_invites.created_ms
    FROM contest_invites JOIN contest_accounts ON contest_accounts.id = account
    LEFT JOIN contest_teams ON contest_teams.id = team";

fn get(sql: &mut dyn Sql, id: i64) -> Result<Invite> {
    let row = sql.row(&format!("{INVITES} WHERE contest_invites.id = $1"), &[id.into()])?;
    invite(&row.ok_or(Refusal::Unknown("invitation"))?)
}

fn invite(row: &Row) -> Result<Invite> {
    let team = row.optional_int(3)?;
    Ok(Invite {
        id: row.int(0)?,
        code: row.text(1)?.to_owned(),
        standing: sessions::standing(row.text(2)?)?,
        team: team.map(|team| Ok::<_, crate::Error>((team, row.text(4)?.to_owned()))).transpose()?,
        uses: row.optional_int(5)?,
        used: row.int(6)?,
        until_ms: row.optional_int(7)?,
        revoked: row.flag(8)?,
        by: row.text(9)?.to_owned(),
        created_ms: row.int(10)?,
    })
}
