//! A store that is not whole is told so.

use crate::folder::Folder;
use agon_store::{
    Artefact, Blob, BlobStore, MatchQueue, PlannedMatch, RecordedResult, RecordedSeat, Registry, Report, Sqlite,
    SqliteReader, StoredMap, audit,
};
use std::path::Path;

fn findings(path: &Path) -> Vec<String> {
    let reader = SqliteReader::open(path).expect("it can be read");
    let audit = audit(&reader, &mut || true).expect("it can be read").expect("nobody has cancelled it");
    assert_eq!((audit.over, audit.ready), (1, 1));
    audit.findings.into_iter().map(|(id, what)| id.map_or_else(|| what.clone(), |id| format!("{id}: {what}"))).collect()
}

#[test]
fn what_is_missing_is_found() {
    let folder = Folder::new("audit");
    let path = folder.path("s.agon");
    let store = Sqlite::open(&path).expect("a new store");
    let [replay, piece] = [b"replay", b"pieces"].map(|bytes| Blob::new(bytes).expect("packed"));
    store.add_map(StoredMap { name: "gen".to_owned(), content: None }).wait().expect("it is stored");
    for name in ["a", "b"] {
        store.add_bot(name).wait().expect("the name is new");
    }
    let worker = store.add_worker("pc", "{}", 0).wait().expect("it is stored");
    let hash = store.put(piece).wait().expect("it is stored");
    store.add_artefact(Artefact { hash, size: 6, pieces: vec![hash] }).wait().expect("it is there");
    let planned = |id| PlannedMatch { id, bots: vec![0, 1], ..PlannedMatch::default() };
    store.enqueue(vec![planned(1), planned(2)]).wait().expect("they are new");
    let seat = |place| RecordedSeat { place, time_us: 5, ..RecordedSeat::default() };
    let (seats, worker) = (vec![seat(1), seat(2)], Some(worker));
    let result = RecordedResult { seats, replay: Some(replay.hash()), worker, ..RecordedResult::default() };
    store.complete(Report::unclaimed(1, result, vec![replay])).wait().expect("it is there");
    store.close().expect("it is written");
    assert_eq!(findings(&path), [""; 0]);
    let reader = SqliteReader::open(&path).expect("it can be read");
    assert_eq!(audit(&reader, &mut || false), Ok(None), "it was cancelled");
    drop(reader);

    for (damage, expected) in [
        ("UPDATE bots SET time_us = 4 WHERE number = 1", "the sums of bot 1 are not those of its results"),
        ("DELETE FROM workers", "1: its worker is missing"),
        ("DELETE FROM maps", "2: its map is missing"),
        ("UPDATE artefacts SET size = 7", "is not whole"),
        ("DELETE FROM blobs WHERE size = 6 AND hash = (SELECT replay FROM matches)", "1: its replay is missing"),
        ("UPDATE blobs SET packed = x'00' WHERE hash = (SELECT replay FROM matches)", "has other bytes"),
        ("UPDATE progress SET number = 2 WHERE state = 1", "the counts of matches are not those of the results"),
        ("UPDATE matches SET bots = '0,7'", "1: a bot of it is missing"),
        ("DELETE FROM bots WHERE number = 1", "2: a bot of it is missing"),
    ] {
        let damaged = folder.path("damaged.agon");
        std::fs::copy(&path, &damaged).expect("it is whole");
        let db = rusqlite::Connection::open(&damaged).expect("it is a file of SQLite");
        db.execute(damage, []).expect("SQL");
        db.close().expect("it is written");
        let found = findings(&damaged);
        assert!(found.iter().any(|line| line.contains(expected)), "{damage}: {found:?}");
    }
}
