//! Teams and their members.

use super::{
    Ask, accounts, audit, new_code, read_code,
    requests::{Who, allow},
};
use crate::{
    Conflict, Refusal, Result,
    database::{Database, Row, Sql},
};
use agon_contest::{Act, ContestFile, Kind, Standing, TeamName, Viewer, may};
use serde_json::{Value, json};

/// A team.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Team {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Whether only its own people and those who lead see it.
    pub hidden: bool,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
    /// How many people are in it.
    pub size: i64,
}

/// Somebody who is, or was, in a team.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// The number of the account.
    pub account: i64,
    /// Its name.
    pub name: String,
    /// Whether they speak for the team.
    pub captain: bool,
    /// When they joined, in milliseconds since 1970.
    pub since_ms: i64,
    /// When they left. `None` for whoever is in it.
    pub until_ms: Option<i64>,
}

/// Makes a team, whose captain is the person who asks. Returns its number.
///
/// # Errors
/// If they may not, are in another one, or the name is none or is taken.
pub fn make(sql: &mut dyn Sql, ask: &Ask, name: &str) -> Result<i64> {
    ask.must(&Act::HaveTeam)?;
    let account = ask.asker()?.account;
    must_be_in_none(sql, account)?;
    let name = team_name(name)?;
    must_be_free(sql, &name, None)?;
    let (id, code) = (sql.next_id("teams")?, new_code()?);
    let insert =
        "INSERT INTO contest_teams (id, name, name_key, code, hidden, created_ms) VALUES ($1, $2, $3, $4, 0, $5)";
    let row = [id.into(), name.to_string().into(), name.key().into(), code.into(), ask.now.into()];
    sql.run(insert, &row)?;
    enter(sql, id, account, true, ask.now)?;
    Ok(id)
}

/// Makes the person who asks a member of the team with this code.
///
/// # Errors
/// If they may not, are in another one, the code is not valid, the team is full, or there were too many tries.
pub fn join(db: &Database, file: &ContestFile, ask: &Ask, code: &str) -> Result<i64> {
    ask.must(&Act::HaveTeam)?;
    allow(db, &file.limits, Kind::Code, Who::asks(ask), ask.now)?;
    let code = read_code(code).ok_or(Refusal::Spent("code"))?;
    let (account, size, now) = (ask.asker()?.account, file.team_size, ask.now);
    db.transact(move |sql| {
        let team = with_code(sql, &code)?.ok_or(Refusal::Spent("code"))?;
        add(sql, team, account, size, now)?;
        Ok(team)
    })
}

/// Returns the teams that a person may see, by name.
///
/// # Errors
/// If the database cannot be read.
pub fn list(sql: &mut dyn Sql, viewer: &Viewer) -> Result<Vec<Team>> {
    let rows = sql.rows(&format!("{TEAMS} ORDER BY name_key"), &[])?;
    let teams = rows.iter().map(team).collect::<Result<Vec<_>>>()?;
    Ok(teams.into_iter().filter(|team| sees(viewer, team)).collect())
}

/// Returns a team.
///
/// # Errors
/// If there is none, or none that the person may know of.
pub fn get(sql: &mut dyn Sql, viewer: &Viewer, id: i64) -> Result<Team> {
    let team = find(sql, id)?;
    if sees(viewer, &team) { Ok(team) } else { Err(Refusal::Unknown("team").into()) }
}

/// Returns who is in a team. Its own people, and those who lead, see also who was. Whoever leads the team comes first.
///
/// # Errors
/// If there is no such team, or none that the person may know of.
pub fn members(sql: &mut dyn Sql, viewer: &Viewer, id: i64) -> Result<Vec<Member>> {
    get(sql, viewer, id)?;
    let select = "SELECT account, name, captain, since_ms, until_ms
                  FROM contest_members JOIN contest_accounts ON contest_accounts.id = account WHERE team = $1
                  ORDER BY CASE WHEN until_ms IS NULL THEN 0 ELSE 1 END, captain DESC, since_ms, contest_members.id";
    let rows = sql.rows(select, &[id.into()])?;
    let member = |row: &Row| {
        Ok(Member {
            account: row.int(0)?,
            name: row.text(1)?.to_owned(),
            captain: row.flag(2)?,
            since_ms: row.int(3)?,
            until_ms: row.optional_int(4)?,
        })
    };
    let members = rows.iter().map(member).collect::<Result<Vec<_>>>()?;
    let sees_former = may(viewer, &Act::SeeInsideTeam(id));
    Ok(members.into_iter().filter(|member| sees_former || member.until_ms.is_none()).collect())
}

/// Returns the code with which people join a team. Auditors see none.
///
/// # Errors
/// If the person is neither in the team nor an organiser.
pub fn code(sql: &mut dyn Sql, ask: &Ask, id: i64) -> Result<String> {
    if ask.must(&Act::LeaveTeam(id)).is_err() {
        ask.must(&Act::LeadTeam(id))?;
    }
    let row = sql.row("SELECT code FROM contest_teams WHERE id = $1", &[id.into()])?;
    Ok(row.ok_or(Refusal::Unknown("team"))?.text(0)?.to_owned())
}

/// Gives a team another code. The old one is not valid any more.
///
/// # Errors
/// If the person does not lead the team, or there is no such team.
pub fn renew_code(sql: &mut dyn Sql, ask: &Ask, id: i64) -> Result<String> {
    ask.must(&Act::LeadTeam(id))?;
    find(sql, id)?;
    let code = set_code(sql, id)?;
    note(sql, ask, "team.code", json!({"team": id}))?;
    Ok(code)
}

fn set_code(sql: &mut dyn Sql, id: i64) -> Result<String> {
    let code = new_code()?;
    sql.run("UPDATE contest_teams SET code = $2 WHERE id = $1", &[id.into(), code.as_str().into()])?;
    Ok(code)
}

/// Renames a team.
///
/// # Errors
/// If the person does not lead the team, or the name is none or is taken.
pub fn rename(sql: &mut dyn Sql, ask: &Ask, id: i64, name: &str) -> Result<()> {
    ask.must(&Act::LeadTeam(id))?;
    let before = find(sql, id)?.name;
    let name = team_name(name)?;
    must_be_free(sql, &name, Some(id))?;
    let update = "UPDATE contest_teams SET name = $2, name_key = $3 WHERE id = $1";
    sql.run(update, &[id.into(), name.to_string().into(), name.key().into()])?;
    note(sql, ask, "team.rename", json!({"team": id, "from": before, "to": name.to_string()}))
}

/// Hides a team from others, or shows it again.
///
/// # Errors
/// If the person does not lead the contest, or there is no such team.
pub fn hide(sql: &mut dyn Sql, ask: &Ask, id: i64, hidden: bool) -> Result<()> {
    ask.must(&Act::Lead)?;
    find(sql, id)?;
    sql.run("UPDATE contest_teams SET hidden = $2 WHERE id = $1", &[id.into(), hidden.into()])?;
    note(sql, ask, if hidden { "team.hide" } else { "team.show" }, json!({"team": id}))
}

/// Ends the membership of the person who asks. If they spoke for the team, whoever is in it for the longest time does from now on.
///
/// # Errors
/// If they are in no team.
pub fn leave(sql: &mut dyn Sql, ask: &Ask) -> Result<()> {
    let asker = ask.asker()?;
    let team = asker.team.ok_or(Refusal::Conflict(Conflict::InNoTeam))?.team;
    ask.must(&Act::LeaveTeam(team))?;
    part(sql, team, asker.account, ask.now)
}

/// Ends the membership of somebody in a team. They know its code, so the team gets another one.
///
/// # Errors
/// If the person does not lead the team, or the other one is not in it.
pub fn send_away(sql: &mut dyn Sql, ask: &Ask, id: i64, account: i64) -> Result<()> {
    ask.must(&Act::LeadTeam(id))?;
    part(sql, id, account, ask.now)?;
    set_code(sql, id)?;
    note(sql, ask, "team.send_away", json!({"team": id, "account": account}))
}

/// Makes a member the one who speaks for the team, instead of whoever does now.
///
/// # Errors
/// If the person does not lead the team, or the other one is not in it.
pub fn make_captain(sql: &mut dyn Sql, ask: &Ask, id: i64, account: i64) -> Result<()> {
    ask.must(&Act::LeadTeam(id))?;
    must_be_in(sql, id, account)?;
    let update = "UPDATE contest_members SET captain = CASE WHEN account = $2 THEN 1 ELSE 0 END
                  WHERE team = $1 AND until_ms IS NULL";
    sql.run(update, &[id.into(), account.into()])?;
    note(sql, ask, "team.captain", json!({"team": id, "account": account}))
}

/// Puts a player into a team, however large it is, out of the one that they are in.
///
/// # Errors
/// If the person does not lead the contest, there is no such team, or the account is that of no player.
pub fn put(sql: &mut dyn Sql, ask: &Ask, id: i64, account: i64) -> Result<()> {
    ask.must(&Act::Lead)?;
    find(sql, id)?;
    let found = accounts::find(sql, account)?;
    if found.standing != Standing::Player {
        return Err(Refusal::Conflict(Conflict::OnlyPlayers).into());
    }
    let before = found.team.map(|(team, _)| team);
    if let Some(team) = before {
        part(sql, team, account, ask.now)?;
    }
    let first = size(sql, id)? == 0;
    enter(sql, id, account, first, ask.now)?;
    note(sql, ask, "team.put", json!({"team": id, "account": account, "from": before}))
}

/// Records what an organiser did to a team. What a captain does is the affair of the team.
fn note(sql: &mut dyn Sql, ask: &Ask, act: &str, about: Value) -> Result<()> {
    if may(&ask.viewer, &Act::Lead) { audit::record(sql, ask, act, &about) } else { Ok(()) }
}

/// Makes an account a member of a team that has room.
pub(super) fn add(sql: &mut dyn Sql, team: i64, account: i64, most: u32, now: i64) -> Result<()> {
    must_be_in_none(sql, account)?;
    must_have_room(sql, team, most)?;
    let first = size(sql, team)? == 0;
    enter(sql, team, account, first, now)
}

fn enter(sql: &mut dyn Sql, team: i64, account: i64, captain: bool, now: i64) -> Result<()> {
    let id = sql.next_id("members")?;
    let insert = "INSERT INTO contest_members (id, team, account, captain, since_ms) VALUES ($1, $2, $3, $4, $5)";
    sql.run(insert, &[id.into(), team.into(), account.into(), captain.into(), now.into()])?;
    Ok(())
}

/// Ends a membership. A team with people in it always has a captain.
fn part(sql: &mut dyn Sql, team: i64, account: i64, now: i64) -> Result<()> {
    must_be_in(sql, team, account)?;
    let end =
        "UPDATE contest_members SET until_ms = $3, captain = 0 WHERE team = $1 AND account = $2 AND until_ms IS NULL";
    sql.run(end, &[team.into(), account.into(), now.into()])?;
    let next = "UPDATE contest_members SET captain = 1 WHERE id = (SELECT id FROM contest_members
                WHERE team = $1 AND until_ms IS NULL ORDER BY captain DESC, since_ms, id LIMIT 1)";
    sql.run(next, &[team.into()])?;
    Ok(())
}

const TEAMS: &str = "SELECT id, name, hidden, created_ms,
    (SELECT count(*) FROM contest_members WHERE team = contest_teams.id AND until_ms IS NULL) FROM contest_teams";

fn team(row: &Row) -> Result<Team> {
    Ok(Team {
        id: row.int(0)?,
        name: row.text(1)?.to_owned(),
        hidden: row.flag(2)?,
        created_ms: row.int(3)?,
        size: row.int(4)?,
    })
}

fn find(sql: &mut dyn Sql, id: i64) -> Result<Team> {
    let row = sql.row(&format!("{TEAMS} WHERE id = $1"), &[id.into()])?;
    team(&row.ok_or(Refusal::Unknown("team"))?)
}

fn sees(viewer: &Viewer, team: &Team) -> bool {
    may(viewer, &Act::SeeContest) && (!team.hidden || may(viewer, &Act::SeeHiddenTeam(team.id)))
}

pub(super) fn must_exist(sql: &mut dyn Sql, id: i64) -> Result<()> {
    find(sql, id).map(drop)
}

/// Returns the number of the team with this code.
pub(super) fn with_code(sql: &mut dyn Sql, code: &str) -> Result<Option<i64>> {
    let row = sql.row("SELECT id FROM contest_teams WHERE code = $1", &[code.into()])?;
    row.map(|row| row.int(0)).transpose()
}

pub(super) fn must_have_room(sql: &mut dyn Sql, team: i64, most: u32) -> Result<()> {
    if size(sql, team)? >= i64::from(most) {
        return Err(Refusal::Conflict(Conflict::TeamFull(most)).into());
    }
    Ok(())
}

fn size(sql: &mut dyn Sql, team: i64) -> Result<i64> {
    sql.int("SELECT count(*) FROM contest_members WHERE team = $1 AND until_ms IS NULL", &[team.into()])
}

/// Makes sure that an account is in no team: the person may have joined one in another window.
fn must_be_in_none(sql: &mut dyn Sql, account: i64) -> Result<()> {
    let own = "SELECT 1 FROM contest_members WHERE account = $1 AND until_ms IS NULL";
    match sql.row(own, &[account.into()])? {
        Some(_) => Err(Refusal::Conflict(Conflict::InTeam).into()),
        None => Ok(()),
    }
}

fn must_be_in(sql: &mut dyn Sql, team: i64, account: i64) -> Result<()> {
    let select = "SELECT 1 FROM contest_members WHERE team = $1 AND account = $2 AND until_ms IS NULL";
    match sql.row(select, &[team.into(), account.into()])? {
        Some(_) => Ok(()),
        None => Err(Refusal::Unknown("member").into()),
    }
}

fn must_be_free(sql: &mut dyn Sql, name: &TeamName, but: Option<i64>) -> Result<()> {
    let row = sql.row("SELECT id FROM contest_teams WHERE name_key = $1", &[name.key().into()])?;
    match row.map(|row| row.int(0)).transpose()? {
        Some(id) if Some(id) != but => Err(Refusal::Taken("name").into()),
        _ => Ok(()),
    }
}

fn team_name(text: &str) -> Result<TeamName, Refusal> {
    TeamName::parse(text).map_err(|why| Refusal::Invalid { field: "team", why: why.to_string() })
}
