//! Copies among the versions of different teams, as hints for the organiser alone.

use super::taken::Taken;
use crate::{
    Result,
    database::{Database, Row, Sql},
    people::Ask,
};
use agon_contest::{
    Act,
    copies::{Fingerprints, LARGE_SHARE},
};
use std::collections::BTreeMap;

/// A version that is very like an earlier one of another team.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NearCopy {
    /// The number of the later version among those of all teams, its team, and its number among those of the team.
    pub version: (i64, i64, i64),
    /// The same of the earlier version.
    pub other: (i64, i64, i64),
    /// How much of the smaller one is in the other one, in thousandths.
    pub share: i64,
    /// Whether all files are equal.
    pub is_same: bool,
}

/// Looks for what a version has in common with those of other teams, and notes the most alike version of each.
pub(super) fn note(database: &Database, id: i64, taken: &Taken, kits: &Fingerprints, now_ms: i64) -> Result<()> {
    let others = database.read(move |sql| {
        let find = "SELECT o.id, o.team FROM contest_versions v
                    JOIN contest_versions o ON o.team <> v.team AND o.id <> v.id
                    WHERE v.id = $1 AND o.content IS NOT NULL";
        sql.rows(find, &[id.into()])?.iter().map(|row| Ok((row.int(0)?, row.int(1)?))).collect::<Result<Vec<_>>>()
    })?;
    let own = taken.prints.without(kits);
    // Many begin with a starter kit as it is.
    let is_kit = own.count() == 0 && taken.prints.count() > 0;
    let mut most: BTreeMap<i64, (bool, i64, i64)> = BTreeMap::new();
    for (other, team) in others {
        // One after the other: those of a long contest do not fit into memory together.
        let row = database
            .read(move |sql| sql.row("SELECT content, prints FROM contest_versions WHERE id = $1", &[other.into()]))?;
        let Some(row) = row else { continue };
        let is_same = row.bytes(0)? == taken.content && !is_kit;
        let theirs = Fingerprints::of_bytes(row.optional_bytes(1)?.unwrap_or_default()).without(kits);
        let share = own.share(&theirs).unwrap_or(0);
        if is_same || share > LARGE_SHARE {
            let found = (is_same, share.into(), other);
            let kept = most.entry(team).or_insert(found);
            *kept = found.max(*kept);
        }
    }
    if most.is_empty() {
        return Ok(());
    }
    database.transact(move |sql| {
        for (is_same, share, other) in most.into_values() {
            let insert = "INSERT INTO contest_copies (version, other, share, same, at_ms) VALUES ($1, $2, $3, $4, $5)
                          ON CONFLICT (version, other) DO UPDATE SET share = excluded.share, same = excluded.same";
            sql.run(insert, &[id.into(), other.into(), share.into(), is_same.into(), now_ms.into()])?;
        }
        Ok(())
    })
}

/// Returns all copies that were noted, the latest first. They are hints for those who lead, and nobody else may see them.
///
/// # Errors
/// If the person may not see them, or the database cannot be read.
pub fn copies(sql: &mut dyn Sql, ask: &Ask) -> Result<Vec<NearCopy>> {
    ask.must(&Act::SeeAll)?;
    let find = "SELECT v.id, v.team, v.number, o.id, o.team, o.number, c.share, c.same FROM contest_copies c
                JOIN contest_versions v ON v.id = c.version JOIN contest_versions o ON o.id = c.other
                ORDER BY c.version DESC, c.share DESC, c.other";
    let copy = |row: &Row| {
        Ok(NearCopy {
            version: (row.int(0)?, row.int(1)?, row.int(2)?),
            other: (row.int(3)?, row.int(4)?, row.int(5)?),
            share: row.int(6)?,
            is_same: row.flag(7)?,
        })
    };
    sql.rows(find, &[])?.iter().map(copy).collect()
}
