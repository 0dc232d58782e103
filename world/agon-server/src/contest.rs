//! The contest that a database has: the text of its file, and where that text comes from.

use crate::{Conflict, Refusal, Result, database::Sql};
use agon_contest::ContestFile;

/// The names of the settings.
const FILE: &str = "file";
const SOURCE: &str = "file-source";

/// A contest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contest {
    /// What its file says.
    pub file: ContestFile,
    /// Where the file comes from.
    pub source: Source,
}

/// Where the file of a contest comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The page of an organiser, who can change it there.
    Page,
    /// The command line. It is read at each start, so that nothing else changes it.
    Disk,
}

impl Source {
    const fn word(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Disk => "disk",
        }
    }
}

impl Contest {
    /// Returns the contest of a database, if it is made.
    ///
    /// # Errors
    /// The database cannot be read, or another version has written what this one cannot read.
    pub fn read(sql: &mut dyn Sql) -> Result<Option<Self>> {
        let Some(text) = setting(sql, FILE)? else { return Ok(None) };
        let unreadable = |why: agon_core::Flaw| {
            Refusal::Conflict(Conflict::Other(format!("the contest's file in the store cannot be read: {}", why.what)))
        };
        let file = ContestFile::parse(&text).map_err(unreadable)?;
        let is_disk = setting(sql, SOURCE)?.as_deref() == Some(Source::Disk.word());
        Ok(Some(Self { file, source: if is_disk { Source::Disk } else { Source::Page } }))
    }

    /// Keeps the contest in a database, in the place of the one that it has.
    ///
    /// # Errors
    /// The database cannot be written, or the contest has another game: its versions are bots of that one.
    pub fn write(&self, sql: &mut dyn Sql, now: i64) -> Result<()> {
        if let Some(other) = Self::read(sql)?.map(|contest| contest.file.game).filter(|game| *game != self.file.game) {
            let what =
                format!("this contest plays {other}, and another game is another contest: give it another store");
            return Err(Refusal::Conflict(Conflict::Other(what)).into());
        }
        set(sql, FILE, &self.file.text(), now)?;
        set(sql, SOURCE, self.source.word(), now)
    }
}

fn setting(sql: &mut dyn Sql, name: &str) -> Result<Option<String>> {
    let row = sql.row("SELECT value FROM contest_settings WHERE name = $1", &[name.into()])?;
    row.map(|row| Ok(row.text(0)?.to_owned())).transpose()
}

fn set(sql: &mut dyn Sql, name: &str, value: &str, now: i64) -> Result<()> {
    let set = "INSERT INTO contest_settings (name, value, at_ms) VALUES ($1, $2, $3)
               ON CONFLICT (name) DO UPDATE SET value = excluded.value, at_ms = excluded.at_ms";
    sql.run(set, &[name.into(), value.into(), now.into()]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, database::Database};

    #[test]
    fn a_contest_is_kept_and_keeps_its_game() {
        let database = Database::memory().expect("memory");
        let contest =
            |name: &str, game: &str, source| Contest { file: ContestFile::new(name, game).expect("a name"), source };
        assert_eq!(database.read(|sql| Contest::read(sql)), Ok(None));
        for made in [contest("Cup", "grid", Source::Page), contest("Cup \"2\"", "grid", Source::Disk)] {
            let written = made.clone();
            database.transact(move |sql| written.write(sql, 1)).expect("it is written");
            assert_eq!(database.read(|sql| Contest::read(sql)), Ok(Some(made)));
        }
        let other = contest("Cup", "portals", Source::Page);
        let refused = database.transact(move |sql| other.write(sql, 2));
        assert!(
            matches!(&refused, Err(Error::Refused(Refusal::Conflict(Conflict::Other(why)))) if why.contains("plays grid")),
            "{refused:?}"
        );
    }
}
