//! Files that cannot be taken, and files that several want.

use crate::folder::Folder;
use agon_store::{
    Completion, MatchQueue, PlannedMatch, Progress, RecordedResult, Records, Report, SCHEMA, Sqlite, SqliteReader,
    StoreError, move_aside,
};
use rusqlite::Connection;
use std::{
    fs::{self, OpenOptions},
    path::Path,
    process::{Command, Stdio},
};

fn filled(path: &Path, matches: u64) -> Sqlite {
    let store = Sqlite::open(path).expect("a new store");
    let planned = |id| PlannedMatch { id, ..PlannedMatch::default() };
    store.enqueue((1..=matches).map(planned).collect()).wait().expect("they are new");
    let tickets: Vec<_> =
        (1..=matches).map(|id| store.complete(Report::unclaimed(id, RecordedResult::default(), Vec::new()))).collect();
    for ticket in tickets {
        assert_eq!(ticket.wait(), Ok(Completion::Stored));
    }
    store
}

#[test]
fn one_process_writes() {
    let folder = Folder::new("locked");
    let path = folder.path("s.agon");
    let store = filled(&path, 3);
    let in_use = StoreError::InUse { path: path.clone(), owner: Some(std::process::id()) };
    assert_eq!(Sqlite::open(&path).err(), Some(in_use.clone()));
    assert_eq!(move_aside(&path).err(), Some(in_use));
    // A program that it has started does not inherit the lock, even if it lives longer.
    let mut child = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().expect("it starts");
    drop(store);
    let again = Sqlite::open(&path);
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
    assert_eq!(again.expect("the lock is free").progress().map(|progress| progress.finished), Ok(3));
}

#[test]
fn others_read_while_it_is_written() {
    let folder = Folder::new("readers");
    let path = folder.path("s.agon");
    assert_eq!(SqliteReader::open(&path).err(), Some(StoreError::Missing(path.clone())));
    let store = filled(&path, 2);
    let reader = SqliteReader::open(&path).expect("it can be read");
    let finished = || reader.progress().expect("it can be read").finished;
    assert_eq!(finished(), 2);
    let planned = PlannedMatch { id: 3, ..PlannedMatch::default() };
    let frozen = SqliteReader::open(&path).expect("it can be read");
    frozen.freeze().expect("it can be read");
    store.enqueue(vec![planned]).wait().expect("it is new");
    store.complete(Report::unclaimed(3, RecordedResult::default(), Vec::new())).wait().expect("it is there");
    assert_eq!(finished(), 3, "what was acknowledged can be seen");
    assert_eq!(frozen.progress().expect("it can be read").finished, 2, "it stays as it was");
    assert_eq!(frozen.matches(0, 9).expect("it can be read").len(), 2);
    drop(frozen);
    store.close().expect("a reader is not in the way");
    assert_eq!(finished(), 3);
}

#[test]
fn a_store_is_closed_while_somebody_reads() {
    let folder = Folder::new("read-and-closed");
    let path = folder.path("s.agon");
    let store = filled(&path, 2);
    let frozen = SqliteReader::open(&path).expect("it can be read");
    frozen.freeze().expect("it can be read");
    store.enqueue(vec![PlannedMatch { id: 3, ..PlannedMatch::default() }]).wait().expect("it is new");
    store.complete(Report::unclaimed(3, RecordedResult::default(), Vec::new())).wait().expect("it is there");
    store.close().expect("a reader is not in the way");
    assert_eq!(frozen.progress().expect("it can be read").finished, 2, "it stays as it was");
    drop(frozen);
    let again = Sqlite::open(&path).expect("its lock is free");
    assert_eq!(again.progress().map(|progress| progress.finished), Ok(3), "nothing is lost");
}

#[test]
fn a_closed_store_is_one_file() {
    let folder = Folder::new("one-file");
    filled(&folder.path("s.agon"), 50).close().expect("everything is written");
    fs::copy(folder.path("s.agon"), folder.path("copy.agon")).expect("it is there");
    let copy = SqliteReader::open(&folder.path("copy.agon")).expect("it is complete");
    assert_eq!(copy.progress(), Ok(Progress { finished: 50, ..Progress::default() }));
}

#[test]
fn a_file_that_is_no_store_stays_as_it_is() {
    let folder = Folder::new("foreign");
    let (text, foreign) = (folder.path("notes.txt"), folder.path("foreign.db"));
    fs::write(&text, "remember the milk\n".repeat(100)).expect("it can be written");
    Connection::open(&foreign).and_then(|db| db.execute_batch("CREATE TABLE songs (name)")).expect("a database");
    for path in [&text, &foreign] {
        let before = fs::read(path).expect("it is there");
        assert_eq!(Sqlite::open(path).err(), Some(StoreError::NotAStore(path.clone())));
        assert_eq!(SqliteReader::open(path).err(), Some(StoreError::NotAStore(path.clone())));
        assert_eq!(fs::read(path).expect("it is there"), before);
    }
    fs::write(folder.path("empty"), "").expect("it can be written");
    assert_eq!(SqliteReader::open(&folder.path("empty")).err(), Some(StoreError::Empty(folder.path("empty"))));
    assert!(Sqlite::open(&folder.path("empty")).is_ok(), "a process was killed before it had made the tables");
    assert!(matches!(Sqlite::open(&folder.path(".")), Err(StoreError::Io { .. })));
    assert!(matches!(Sqlite::open(&folder.path("no/such/folder")), Err(StoreError::Io { .. })));
}

#[test]
fn a_store_of_another_version_stays_as_it_is() {
    let folder = Folder::new("other-version");
    let path = folder.path("s.agon");
    filled(&path, 2).close().expect("everything is written");
    let set = |version: u32| {
        let db = Connection::open(&path).expect("it is a database");
        db.pragma_update(None, "user_version", version).expect("it can be written");
    };
    set(SCHEMA + 1);
    let newer = StoreError::Newer { path: path.clone(), found: SCHEMA + 1, known: SCHEMA };
    assert_eq!(Sqlite::open(&path).err(), Some(newer.clone()));
    assert_eq!(SqliteReader::open(&path).err(), Some(newer));
    set(1);
    let older = StoreError::Older { path: path.clone(), found: 1, oldest: 2 };
    assert_eq!(Sqlite::open(&path).err(), Some(older.clone()));
    assert_eq!(SqliteReader::open(&path).err(), Some(older));
    set(SCHEMA);
    assert_eq!(Sqlite::open(&path).expect("it is as before").progress().map(|progress| progress.finished), Ok(2));
}

/// Whatever is missing from the end of the file, there is an error and no result that is not true.
#[test]
fn a_cut_off_store_is_refused() {
    let folder = Folder::new("cut");
    let path = folder.path("s.agon");
    filled(&path, 3_000).close().expect("everything is written");
    let whole = fs::read(&path).expect("it is there");
    for part in 1..12 {
        fs::write(&path, &whole).expect("it can be written");
        let length = (whole.len() * part / 12) as u64;
        OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(length)).expect("it can be cut");
        for why in [Sqlite::open(&path).err(), SqliteReader::open(&path).err()] {
            let refused =
                matches!(why, Some(StoreError::Damaged { .. } | StoreError::NotAStore(_) | StoreError::Empty(_)));
            assert!(refused, "{part} of 12: {why:?}");
        }
    }
}

#[test]
fn an_overwritten_store_is_found_out() {
    let folder = Folder::new("overwritten");
    let path = folder.path("s.agon");
    filled(&path, 3_000).close().expect("everything is written");
    let whole = fs::read(&path).expect("it is there");
    for part in 1..10 {
        let mut bytes = whole.clone();
        let at = whole.len() * part / 10 - (20 << 10);
        // Long enough to hit the start of a page.
        bytes[at..at + (20 << 10)].fill(0x5a);
        fs::write(&path, bytes).expect("it can be written");
        let flaws = SqliteReader::open(&path).and_then(|reader| reader.flaws());
        assert!(!flaws.as_ref().is_ok_and(Vec::is_empty), "{part} of 10: {flaws:?}");
    }
}

#[test]
fn a_store_is_moved_aside() {
    let folder = Folder::new("aside");
    let path = folder.path("s.agon");
    assert_eq!(move_aside(&path).err(), Some(StoreError::Missing(path.clone())));
    for number in [1, 2] {
        filled(&path, number).close().expect("everything is written");
        assert_eq!(move_aside(&path), Ok(folder.path(&format!("s.agon.{number}"))));
        assert!(!path.exists());
    }
    for number in [1, 2] {
        let old = SqliteReader::open(&folder.path(&format!("s.agon.{number}"))).expect("it is whole");
        assert_eq!(old.progress().map(|progress| progress.finished), Ok(number));
    }
}
