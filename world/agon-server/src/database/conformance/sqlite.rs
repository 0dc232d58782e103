//! The back end in one file.

use super::{TABLE, a_look_waits_for_nobody, all, count, insert, it_is_there_again};
use crate::{
    Error,
    database::{Database, DatabaseError},
};
use agon_store::{MatchQueue, PlannedMatch, Records, Registry};
use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, thread};

/// A folder with stores, which is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("agon-contest-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn store(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        drop(agon_store::Sqlite::open(&path).expect("a new store"));
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn it_conforms() {
    let folder = Folder::new("conforms");
    let mut stores = 0;
    all(&mut || {
        stores += 1;
        Database::sqlite(&folder.store(&format!("{stores}.agon"))).expect("a store")
    });
    a_look_waits_for_nobody(&Database::sqlite(&folder.store("look.agon")).expect("a store"));
    let path = folder.store("again.agon");
    it_is_there_again(&|| Database::sqlite(&path).expect("a store"));
}

#[test]
fn only_the_file_of_a_store_is_opened() {
    let folder = Folder::new("other-files");
    let path = folder.0.join("other.db");
    let missing = Database::sqlite(&path).err();
    assert!(matches!(missing, Some(Error::Database(DatabaseError::Failed { .. }))), "{missing:?}");
    rusqlite::Connection::open(&path).expect("it is new").execute_batch("CREATE TABLE t (a)").expect("a table");
    let place = path.display().to_string();
    assert_eq!(Database::sqlite(&path).err(), Some(DatabaseError::NotAStore { place: place.clone() }.into()));
    fs::write(&path, "a text that is no database, and is long enough to have a header ".repeat(20)).expect("written");
    assert_eq!(Database::sqlite(&path).err(), Some(DatabaseError::NotAStore { place }.into()));
}

#[test]
fn only_its_owner_reads_the_file_with_passwords() {
    let folder = Folder::new("private");
    let path = folder.store("cup.agon");
    let store = agon_store::Sqlite::open(&path).expect("a store");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("a file of this user");
    let opened = Database::sqlite(&path).expect("a store");
    let modes = ["cup.agon", "cup.agon-wal", "cup.agon-shm"].map(|name| {
        fs::metadata(folder.0.join(name)).map(|found| found.permissions().mode() & 0o777).expect("it is there")
    });
    assert_eq!(modes, [0o600; 3]);
    drop((opened, store));
    // Whoever gives the file to a group keeps that.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a file of this user");
    drop(Database::sqlite(&path).expect("a store"));
    assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o640);
}

#[test]
fn tables_are_made_once_by_many() {
    let folder = Folder::new("migration");
    let path = folder.store("many.agon");
    thread::scope(|scope| {
        let opened: Vec<_> = (0..8).map(|_| scope.spawn(|| Database::sqlite(&path).map(drop))).collect();
        opened.into_iter().for_each(|one| assert_eq!(one.join().expect("it ends"), Ok(())));
    });
    it_is_there_again(&|| Database::sqlite(&path).expect("a store"));
}

/// The store commits in groups that stay open for a while. Both go on, and the store is whole in the end.
#[test]
fn the_store_and_the_contest_write_to_one_file() {
    let folder = Folder::new("beside");
    let path = folder.0.join("cup.agon");
    let store = agon_store::Sqlite::open(&path).expect("a new store");
    let db = Database::sqlite(&path).expect("a store");
    db.transact(|sql| sql.run(TABLE, &[])).expect("a new table");
    thread::scope(|scope| {
        scope.spawn(|| {
            for id in 1..=200 {
                let planned = PlannedMatch { id, bots: vec![0, 1], ..PlannedMatch::default() };
                drop(store.enqueue(vec![planned]));
                if id % 20 == 0 {
                    store.hurry();
                }
            }
        });
        for id in 1..=20 {
            db.transact(move |sql| insert(sql, id)).expect("the store lets it write");
        }
    });
    assert_eq!(count(&db), 20);
    assert_eq!(store.progress().expect("it can be read").ready, 200);
    drop(agon_store::SqliteReader::open(&path).expect("it can be read"));
    assert_eq!(store.flaws().expect("it can be read"), [""; 0]);
    drop(db);
    store.close().expect("it is whole");
    drop(agon_store::Sqlite::open(&path).expect("the contest's tables do not disturb it"));
}
