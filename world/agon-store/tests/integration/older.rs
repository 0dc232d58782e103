//! Stores that earlier versions of Agon wrote.

use crate::folder::Folder;
use agon_store::{
    BlobStore, Completion, EventKind, MatchQueue, Progress, RecordedResult, Records, Report, SCHEMA, Sqlite,
    SqliteReader,
};
use rusqlite::Connection;
use std::{fs, path::Path};

/// A store as version 4 of Agon's tables wrote it.
const VERSION_4: &str = include_str!("../../../../fixtures/stores/version-4.sql");

/// Makes a store of this version. Before version 4, no match could be played again, and nothing else differs.
fn store_of(version: u32, path: &Path) {
    let db = Connection::open(path).expect("a new file");
    db.execute_batch(VERSION_4).expect("it is SQL");
    if version < 4 {
        db.execute_batch("DROP TABLE earlier").expect("it is there");
        db.execute("DELETE FROM migrations WHERE version > ?", [version]).expect("they are there");
        db.pragma_update(None, "user_version", version).expect("it can be written");
    }
}

/// Everything that is in the store.
fn content(records: &impl Records) -> String {
    let all = (records.matches(0, 99), records.bots(), records.files(), records.maps(), records.amendments());
    let more = (records.events(99), records.snapshot("standings"), records.earlier(), records.progress());
    format!("{all:#?}\n{more:#?}")
}

#[test]
fn they_read_as_they_are_and_are_continued() {
    let folder = Folder::new("older");
    for version in 2..=4 {
        let path = folder.path(&format!("{version}.agon"));
        store_of(version, &path);
        let bytes = fs::read(&path).expect("it is there");
        let reader = SqliteReader::open(&path).expect("it can be read as it is");
        assert_eq!(reader.progress(), Ok(Progress { ready: 1, finished: 4, void: 1, ..Progress::default() }));
        assert_eq!(reader.earlier().map(|earlier| earlier.len()), Ok(usize::from(version == 4)));
        assert_eq!(reader.events(1).map(|events| events[0].kind), Ok(EventKind::Void));
        let over: Vec<u64> =
            reader.over_since(0, 9).expect("it can be read").iter().map(|(_, stored)| stored.planned.id).collect();
        assert_eq!(over, [1, 3, 4, 5, 6]);
        assert_eq!((reader.claims(), reader.attempts(1), reader.workers()), (Ok(vec![]), Ok(vec![]), Ok(vec![])));
        assert_eq!((reader.tournaments(), reader.flaws()), (Ok(vec![String::new()]), Ok(Vec::new())));
        let before = content(&reader);
        let replay = reader.find(1).expect("it can be read").and_then(|stored| stored.result?.replay);
        let orders = replay.and_then(|replay| reader.get(replay).expect("it is whole")).expect("it is there");
        drop(reader);
        assert_eq!(fs::read(&path).expect("it is there"), bytes, "who reads changes nothing");

        let store = Sqlite::open(&path).expect("it can be continued");
        assert_eq!(content(&store), before);
        assert_eq!(store.flaws(), Ok(Vec::new()));
        assert_eq!(store.get(replay.expect("it has one")), Ok(Some(orders)));
        let lease = store.claim(1, 9, 0, 10).expect("it can be used").remove(0);
        assert_eq!(lease.planned.id, 2);
        let report = Report { token: Some(lease.token), ..Report::unclaimed(2, RecordedResult::default(), Vec::new()) };
        assert_eq!(store.complete(report).wait(), Ok(Completion::Stored));
        let over = store.over_since(5, 9).expect("it can be read");
        assert_eq!(over.iter().map(|(number, stored)| (*number, stored.planned.id)).collect::<Vec<_>>(), [(6, 2)]);
        store.close().expect("it can be closed");
        let db = Connection::open(&path).expect("it is a database");
        let last = db.query_row("SELECT max(version) FROM migrations", [], |row| row.get::<_, u32>(0));
        assert_eq!(last, Ok(SCHEMA), "its tables are those of now");
    }
}
