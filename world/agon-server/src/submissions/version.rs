//! The versions of a team: what has become of them, which one plays, and what differs between two of them.

use crate::{
    Conflict, Error, Refusal, Result,
    database::{DatabaseError, Row, Sql, Value},
    people::{Ask, audit},
};
use agon_contest::{
    Act,
    submission::{Progress, Step, SubmissionState, Waiting, turns},
};
use serde_json::json;
use std::collections::BTreeMap;

/// A version of a team.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Version {
    /// Its number among those of all teams.
    pub id: i64,
    /// The number of its team.
    pub team: i64,
    /// Its number among those of the team, from 1.
    pub number: i64,
    /// The number of the account that has sent it.
    pub account: i64,
    /// The name of its folder or file.
    pub name: String,
    /// The SHA-256 hash of what was sent.
    pub hash: [u8; 32],
    /// The size of what was sent, in bytes.
    pub size: i64,
    /// When it was received, in milliseconds since 1970.
    pub received_ms: i64,
    /// How far it has come.
    pub progress: Progress,
    /// When it was taken back.
    pub taken_back_ms: Option<i64>,
    /// Whether it is the version of its team that plays.
    pub is_chosen: bool,
}

/// One attempt of one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepLog {
    /// Its number among those of the version, from 1.
    pub number: i64,
    /// The step.
    pub step: Step,
    /// When it began, in milliseconds since 1970.
    pub began_ms: i64,
    /// When it ended. `None` while it runs.
    pub ended_ms: Option<i64>,
    /// How it ended: `passed`, `refused`, `host-trouble` or `broken-off`. `None` while it runs.
    pub result: Option<String>,
    /// What the team is shown. It may quote the bot, but moves no cursor.
    pub log: String,
    /// Whether there is a replay of its match.
    pub has_replay: bool,
}

/// A file of a version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VersionFile {
    /// Its path, with `/` between its parts.
    pub path: String,
    /// Its size in bytes.
    pub size: i64,
    /// Whether it is executable.
    pub executable: bool,
    /// The SHA-256 hash of its bytes.
    pub hash: [u8; 32],
}

/// What happened to a file between two versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileChange {
    /// It is only in the other version.
    Added,
    /// It is only in the first version.
    Removed,
    /// Its bytes, or whether it is executable, differ.
    Changed,
    /// It is the same.
    Same,
}

impl FileChange {
    /// Returns the name of the change in documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Same => "same",
        }
    }
}

const COLUMNS: &str = "SELECT v.id, v.team, v.number, v.account, v.name, u.hash, u.size, v.received_ms, v.state, v.step,
    v.attempts, v.due_ms, v.reason, v.taken_back_ms, c.version FROM contest_versions v JOIN contest_uploads u ON u.id = v.upload
    LEFT JOIN contest_chosen c ON c.version = v.id";

/// Returns the versions of a team, newest first.
///
/// # Errors
/// If the person may not see them, or the database cannot be read.
pub fn versions(sql: &mut dyn Sql, ask: &Ask, team: i64) -> Result<Vec<Version>> {
    ask.must(&Act::SeeInsideTeam(team))?;
    let found = sql.rows(&format!("{COLUMNS} WHERE v.team = $1 ORDER BY v.number DESC"), &[team.into()])?;
    found.iter().map(of_row).collect()
}

/// Returns the version with this number among those of all teams, whoever asks.
pub(super) fn version(sql: &mut dyn Sql, id: i64) -> Result<Version> {
    let found = sql.rows(&format!("{COLUMNS} WHERE v.id = $1"), &[id.into()])?;
    found.first().map_or_else(|| Err(Refusal::Unknown("version").into()), of_row)
}

/// Returns the version of a team with this number among those of the team.
///
/// # Errors
/// If the person may not see it, there is none, or the database cannot be read.
pub fn version_of_team(sql: &mut dyn Sql, ask: &Ask, team: i64, number: i64) -> Result<Version> {
    ask.must(&Act::SeeInsideTeam(team))?;
    let found = sql.rows(&format!("{COLUMNS} WHERE v.team = $1 AND v.number = $2"), &[team.into(), number.into()])?;
    found.first().map_or_else(|| Err(Refusal::Unknown("version").into()), of_row)
}

/// Returns the versions that the machine could not check, for those who lead.
///
/// # Errors
/// If the person may not see them, or the database cannot be read.
pub fn held(sql: &mut dyn Sql, ask: &Ask) -> Result<Vec<Version>> {
    ask.must(&Act::SeeAll)?;
    let found = sql.rows(&format!("{COLUMNS} WHERE v.state = 'held' ORDER BY v.id"), &[])?;
    found.iter().map(of_row).collect()
}

/// Returns the place of a version among those that wait, from 1. `None` if it does not wait.
///
/// # Errors
/// If the database cannot be read.
pub fn position(sql: &mut dyn Sql, version: &Version) -> Result<Option<usize>> {
    let order = turns(&waiting(sql, i64::MAX)?);
    Ok(order.iter().position(|waiting| *waiting == version.id).map(|place| place + 1))
}

/// Returns the versions that wait and may run at this time.
pub(super) fn waiting(sql: &mut dyn Sql, now_ms: i64) -> Result<Vec<Waiting>> {
    let find = "SELECT v.id, v.team, coalesce(t.turn, 0) FROM contest_versions v
                LEFT JOIN contest_turns t ON t.team = v.team WHERE v.state = 'waiting' AND v.due_ms <= $1 ORDER BY v.id";
    let waiting = |row: &Row| Ok(Waiting { submission: row.int(0)?, team: row.int(1)?, last_turn: row.int(2)? });
    sql.rows(find, &[now_ms.into()])?.iter().map(waiting).collect()
}

/// Returns the attempts of the steps of a version, in their order.
///
/// # Errors
/// If the database cannot be read.
pub fn logs(sql: &mut dyn Sql, version: &Version) -> Result<Vec<StepLog>> {
    let find = "SELECT number, step, began_ms, ended_ms, result, log,
                CASE WHEN replay IS NULL THEN CAST(0 AS BIGINT) ELSE CAST(1 AS BIGINT) END FROM contest_version_steps
                WHERE version = $1 ORDER BY number";
    let found = sql.rows(find, &[version.id.into()])?;
    let log = |row: &Row| {
        Ok(StepLog {
            number: row.int(0)?,
            step: Step::named(row.text(1)?).ok_or_else(|| damaged("a step that there is not"))?,
            began_ms: row.int(2)?,
            ended_ms: row.optional_int(3)?,
            result: row.optional_text(4)?.map(str::to_owned),
            log: row.text(5)?.to_owned(),
            has_replay: row.flag(6)?,
        })
    };
    found.iter().map(log).collect()
}

/// Returns the replay of the match that an attempt has played, compressed.
///
/// # Errors
/// If there is none, or the database cannot be read.
pub fn replay(sql: &mut dyn Sql, version: &Version, number: i64) -> Result<Vec<u8>> {
    let find = "SELECT replay FROM contest_version_steps WHERE version = $1 AND number = $2 AND replay IS NOT NULL";
    let found = sql.row(find, &[version.id.into(), number.into()])?;
    found.map_or_else(|| Err(Refusal::Unknown("replay").into()), |row| Ok(row.bytes(0)?.to_owned()))
}

/// Returns the files of a version in the order of their paths. Empty before its intake.
///
/// # Errors
/// If the database cannot be read.
pub fn files(sql: &mut dyn Sql, version: &Version) -> Result<Vec<VersionFile>> {
    let find = "SELECT path, size, executable, hash FROM contest_version_files WHERE version = $1 ORDER BY path";
    let file = |row: &Row| {
        let hash = hash(row.bytes(3)?)?;
        Ok(VersionFile { path: row.text(0)?.to_owned(), size: row.int(1)?, executable: row.flag(2)?, hash })
    };
    sql.rows(find, &[version.id.into()])?.iter().map(file).collect()
}

/// Compares the files of two versions. The paths are in order.
#[must_use]
pub fn compare(first: &[VersionFile], other: &[VersionFile]) -> Vec<(String, FileChange)> {
    type Pair<'a> = (Option<&'a VersionFile>, Option<&'a VersionFile>);
    let mut files: BTreeMap<&str, Pair<'_>> = BTreeMap::new();
    for file in first {
        files.entry(&file.path).or_default().0 = Some(file);
    }
    for file in other {
        files.entry(&file.path).or_default().1 = Some(file);
    }
    let change = |pair: Pair<'_>| match pair {
        (Some(one), Some(other)) if (one.hash, one.executable) == (other.hash, other.executable) => FileChange::Same,
        (Some(_), Some(_)) => FileChange::Changed,
        (Some(_), None) => FileChange::Removed,
        (None, _) => FileChange::Added,
    };
    files.into_iter().map(|(path, pair)| (path.to_owned(), change(pair))).collect()
}

/// Lets a version of a team play, also one that was taken back before.
///
/// # Errors
/// If the person may not submit for the team, the version was not accepted, or the database cannot be written.
pub fn choose(sql: &mut dyn Sql, ask: &Ask, version: &Version) -> Result<()> {
    ask.must(&Act::Submit(version.team))?;
    if version.progress.state != SubmissionState::Accepted {
        return Err(Refusal::Conflict(Conflict::OnlyAccepted).into());
    }
    sql.run("UPDATE contest_versions SET taken_back_ms = NULL WHERE id = $1", &[version.id.into()])?;
    let_play(sql, version.team, version.id, ask.now)
}

/// Takes a version back: it plays no more. If it was the one that plays, the newest one that was accepted follows it, if there
/// is one. A version that waits is checked nevertheless, and does not play.
///
/// # Errors
/// If the person may not submit for the team, or the database cannot be written.
pub fn take_back(sql: &mut dyn Sql, ask: &Ask, version: &Version) -> Result<()> {
    ask.must(&Act::Submit(version.team))?;
    let mark = "UPDATE contest_versions SET taken_back_ms = $2 WHERE id = $1 AND taken_back_ms IS NULL";
    sql.run(mark, &[version.id.into(), ask.now.into()])?;
    if sql.run("DELETE FROM contest_chosen WHERE version = $1", &[version.id.into()])? == 0 {
        return Ok(());
    }
    let newest = "SELECT id FROM contest_versions WHERE team = $1 AND state = 'accepted' AND taken_back_ms IS NULL
                  ORDER BY number DESC LIMIT 1";
    match sql.row(newest, &[version.team.into()])? {
        Some(row) => let_play(sql, version.team, row.int(0)?, ask.now),
        None => Ok(()),
    }
}

/// Lets a version of a team play.
pub(super) fn let_play(sql: &mut dyn Sql, team: i64, id: i64, now_ms: i64) -> Result<()> {
    let choose = "INSERT INTO contest_chosen (team, version, at_ms) VALUES ($1, $2, $3)
                  ON CONFLICT (team) DO UPDATE SET version = excluded.version, at_ms = excluded.at_ms";
    sql.run(choose, &[team.into(), id.into(), now_ms.into()]).map(drop)
}

/// Puts a team behind all others in the order of turns.
pub(super) fn take_turn(sql: &mut dyn Sql, team: i64) -> Result<()> {
    let turn = sql.next_id("turns")?;
    let note = "INSERT INTO contest_turns (team, turn) VALUES ($1, $2)
                ON CONFLICT (team) DO UPDATE SET turn = excluded.turn";
    sql.run(note, &[team.into(), turn.into()]).map(drop)
}

/// Lets a version that is held or was refused take its step again, for those who lead.
///
/// # Errors
/// If the person does not lead, the version is neither, or the database cannot be written.
pub fn run_again(sql: &mut dyn Sql, ask: &Ask, version: &Version) -> Result<()> {
    ask.must(&Act::Lead)?;
    let progress = version.progress.again(ask.now);
    if progress == version.progress {
        return Err(Refusal::Conflict(Conflict::OnlyHeld).into());
    }
    let about = json!({ "team": version.team, "version": version.number, "was": version.progress.state.name() });
    audit::record(sql, ask, "version.run-again", &about)?;
    write_progress(sql, version.id, &progress)
}

/// Writes how far a version has come.
pub(super) fn write_progress(sql: &mut dyn Sql, id: i64, progress: &Progress) -> Result<()> {
    let update =
        "UPDATE contest_versions SET state = $2, step = $3, attempts = $4, due_ms = $5, reason = $6 WHERE id = $1";
    let Progress { state, attempts, due_ms, reason } = progress;
    let step: Value = state.step().map(Step::name).into();
    sql.run(update, &[id.into(), state.name().into(), step, (*attempts).into(), (*due_ms).into(), reason.into()])?;
    Ok(())
}

fn of_row(row: &Row) -> Result<Version> {
    let step = row.optional_text(9)?.and_then(Step::named);
    let state = SubmissionState::named(row.text(8)?, step).ok_or_else(|| damaged("a state that there is not"))?;
    Ok(Version {
        id: row.int(0)?,
        team: row.int(1)?,
        number: row.int(2)?,
        account: row.int(3)?,
        name: row.text(4)?.to_owned(),
        hash: hash(row.bytes(5)?)?,
        size: row.int(6)?,
        received_ms: row.int(7)?,
        progress: Progress {
            state,
            attempts: u32::try_from(row.int(10)?).unwrap_or(u32::MAX),
            due_ms: row.int(11)?,
            reason: row.text(12)?.to_owned(),
        },
        taken_back_ms: row.optional_int(13)?,
        is_chosen: row.optional_int(14)?.is_some(),
    })
}

fn hash(bytes: &[u8]) -> Result<[u8; 32]> {
    bytes.try_into().map_err(|_| damaged("a hash that has not 32 bytes"))
}

fn damaged(why: &str) -> Error {
    DatabaseError::Damaged { place: "the table of versions".to_owned(), why: format!("it has {why}") }.into()
}
