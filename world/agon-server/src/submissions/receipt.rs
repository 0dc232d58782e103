//! Receipts: what was received is on disk, for good.

use super::{
    upload::{Upload, UploadForm},
    version::take_turn,
};
use crate::{
    Conflict, Refusal, Result,
    database::{Database, DatabaseError, Sql},
    people::{self, Ask, Who},
};
use agon_contest::{Act, Kind, Limits, submission::Progress};

/// So many versions of one team may wait at the same time.
pub const MOST_WAITING: i64 = 10;

/// What a team has for good: that its upload was received, when, and as which version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Receipt {
    /// The number of the version among those of all teams.
    pub id: i64,
    /// The number of the version among those of the team, from 1.
    pub number: i64,
    /// The SHA-256 hash of what was sent.
    pub hash: [u8; 32],
    /// Its size in bytes.
    pub size: i64,
    /// When it was received, in milliseconds since 1970.
    pub received_ms: i64,
}

/// Notes that somebody wants to send something for a team, before that is counted. Call it before the body of the request is
/// read.
///
/// # Errors
/// If they have sent too much within a time.
pub fn announce(database: &Database, limits: &Limits, ask: &Ask) -> Result<()> {
    people::allow(database, limits, Kind::Submit, Who::asks(ask), ask.now).map(drop)
}

/// Stores an upload as the next version of the team. It is on disk when this returns. Whatever the team has sent before gives
/// the same receipt again, and nothing else happens.
///
/// # Errors
/// If they may not send anything for the team, too many versions of it wait, or it cannot be stored.
pub fn receive(database: &Database, ask: &Ask, team: i64, upload: Upload) -> Result<Receipt> {
    ask.must(&Act::Submit(team))?;
    let (account, now_ms) = (ask.asker()?.account, ask.now);
    database.transact(move |sql| {
        if let Some(receipt) = receipt(sql, team, upload.hash, upload.form)? {
            return Ok(receipt);
        }
        let waiting = "SELECT count(*) FROM contest_versions WHERE team = $1 AND state IN ('waiting', 'running')";
        let waiting = sql.int(waiting, &[team.into()])?;
        if waiting >= MOST_WAITING {
            return Err(Refusal::Conflict(Conflict::TooManyWait(MOST_WAITING)).into());
        }
        if waiting == 0 {
            // It joins the line behind the teams that wait already.
            take_turn(sql, team)?;
        }
        let stored = store(sql, &upload)?;
        let id = sql.next_id("versions")?;
        let last = "SELECT coalesce(max(number), 0) FROM contest_versions WHERE team = $1";
        let number = sql.int(last, &[team.into()])? + 1;
        let progress = Progress::received(now_ms);
        let insert = "INSERT INTO contest_versions
            (id, team, number, upload, name, account, received_ms, state, step, attempts, due_ms, reason)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
        let step = progress.state.step().map(agon_contest::submission::Step::name);
        sql.run(
            insert,
            &[
                id.into(),
                team.into(),
                number.into(),
                stored.into(),
                (&upload.name).into(),
                account.into(),
                now_ms.into(),
                progress.state.name().into(),
                step.into(),
                progress.attempts.into(),
                progress.due_ms.into(),
                progress.reason.into(),
            ],
        )?;
        let size = i64::try_from(upload.size).unwrap_or(i64::MAX);
        Ok(Receipt { id, number, hash: upload.hash, size, received_ms: now_ms })
    })
}

/// Returns the receipt that a team has for these bytes. `None` if it never sent them.
///
/// # Errors
/// If the database cannot be read.
pub fn receipt(sql: &mut dyn Sql, team: i64, hash: [u8; 32], form: UploadForm) -> Result<Option<Receipt>> {
    let find = "SELECT v.id, v.number, u.size, v.received_ms FROM contest_uploads u
                JOIN contest_versions v ON v.upload = u.id WHERE u.hash = $1 AND u.form = $2 AND v.team = $3";
    let found = sql.rows(find, &[hash.into(), form.name().into(), team.into()])?;
    let Some(row) = found.first() else { return Ok(None) };
    Ok(Some(Receipt { id: row.int(0)?, number: row.int(1)?, hash, size: row.int(2)?, received_ms: row.int(3)? }))
}

/// Stores the bytes of an upload, unless they are there. Returns their number.
fn store(sql: &mut dyn Sql, upload: &Upload) -> Result<i64> {
    let find = "SELECT id FROM contest_uploads WHERE hash = $1 AND form = $2";
    if let Some(row) = sql.rows(find, &[upload.hash.into(), upload.form.name().into()])?.first() {
        return row.int(0);
    }
    let id = sql.next_id("uploads")?;
    let size = i64::try_from(upload.size).unwrap_or(i64::MAX);
    let insert = "INSERT INTO contest_uploads (id, hash, form, size) VALUES ($1, $2, $3, $4)";
    sql.run(insert, &[id.into(), upload.hash.into(), upload.form.name().into(), size.into()])?;
    for number in 0..upload.pieces() {
        let failed = |why: std::io::Error| DatabaseError::Failed {
            place: "what is sent".to_owned(),
            why: agon_play::system_words(&why),
        };
        let piece = upload.piece(number).map_err(failed)?;
        let insert = "INSERT INTO contest_upload_pieces (upload, number, bytes) VALUES ($1, $2, $3)";
        sql.run(insert, &[id.into(), i64::try_from(number).unwrap_or(i64::MAX).into(), piece.into()])?;
    }
    Ok(id)
}
