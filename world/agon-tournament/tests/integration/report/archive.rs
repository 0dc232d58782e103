//! Archives that are written again.

use super::made::{Made, bots, won_by};
use agon_play::ContentHash;
use agon_store::{Blob, BlobHash, BlobStore, Memory, Records, Registry, Result, StoreError};
use agon_tournament::{ArchiveError, PagesOf, StderrOf, WatchPages, report, write_archive};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A folder that is removed at the end of a test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("agon-archive-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    /// Returns the names of the files in the folder and in those of the replays and their pages.
    fn names(&self) -> Vec<String> {
        let files = |folder: &Path| fs::read_dir(folder).into_iter().flatten().map(|file| file.expect("a file").path());
        let path = |path: PathBuf| path.strip_prefix(&self.0).expect("it is inside").display().to_string();
        let folders = ["", "replays", "watch"].map(|name| self.0.join(name));
        let files = folders.iter().flat_map(|folder| files(folder));
        let mut names: Vec<String> = files.filter(|path| path.is_file()).map(path).collect();
        names.sort_unstable();
        names
    }

    fn sums(&self) -> Vec<(String, String)> {
        let text = fs::read_to_string(self.0.join("SHA256SUMS")).expect("it is finished");
        let line = |line: &str| line.split_once("  ").map(|(sum, name)| (sum.to_owned(), name.to_owned()));
        text.lines().filter_map(line).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Plays a round robin of this many bots, in which each match has a replay. There are as many versions of its file.
fn played(count: usize) -> Memory {
    let mut replays = Vec::new();
    let made = Made::new(&format!("game = \"grid\"\nseatings = \"one\"\n{}", bots(count))).play(|pairing| {
        let replay = Blob::new(format!("replay of {:?}", pairing.id).as_bytes()).expect("it can be packed");
        let hash = replay.hash();
        replays.push(replay);
        agon_store::RecordedResult { replay: Some(hash), ..won_by(pairing, None) }
    });
    let file = made.store.files().expect("they can be read").pop().expect("there is one");
    for file in vec![file; count - 1] {
        made.store.add_file(file).wait().expect("it is stored");
    }
    for replay in replays {
        made.store.put(replay).wait().expect("it is stored");
    }
    made.store
}

/// Writes an archive. Reading the store fails at this replay.
fn write(
    store: &Memory,
    folder: &Folder,
    force: bool,
    broken: Option<usize>,
) -> std::result::Result<u64, ArchiveError> {
    let count = std::cell::Cell::new(0);
    let get = |hash: BlobHash| -> Result<Option<Vec<u8>>> {
        count.set(count.get() + 1);
        if broken == Some(count.get()) { Err(StoreError::Closed) } else { store.get(hash) }
    };
    let pages = WatchPages { of: PagesOf::All, write: &|replay| [b"page of ", replay].concat() };
    write_archive(store, &get, &report(store).expect("it can be read"), &folder.0, pages, StderrOf::Nobody, force)
}

fn check(folder: &Folder, replays: usize) {
    let sums = folder.sums();
    for matches in ["replays/", "watch/"] {
        assert_eq!(sums.iter().filter(|(_, name)| name.starts_with(matches)).count(), replays);
    }
    for (sum, name) in &sums {
        let bytes = fs::read(folder.0.join(name)).expect("it is there");
        assert_eq!(ContentHash::of(&bytes).to_string(), format!("sha256:{sum}"), "{name}");
    }
    let mut known: Vec<String> = sums.into_iter().map(|(_, name)| name).chain(["SHA256SUMS".to_owned()]).collect();
    known.sort_unstable();
    assert_eq!(folder.names(), known, "nothing else is left");
}

#[test]
fn an_archive_that_was_broken_off_is_written_again() {
    let folder = Folder::new("broken-off");
    let (small, large) = (played(3), played(5));
    for broken in [2, 3] {
        assert!(matches!(write(&small, &folder, broken == 3, Some(broken)), Err(ArchiveError::Tournament(_))));
        assert!(folder.names().len() >= 2, "something was written");
        assert!(matches!(write(&small, &folder, false, None), Err(ArchiveError::NotEmpty(_))));
    }
    assert_eq!(write(&small, &folder, true, None).expect("its files are known"), 3);
    check(&folder, 3);
    // One that replaces an earlier one is broken off, and the one after it has fewer files.
    write(&large, &folder, true, Some(9)).expect_err("a replay cannot be read");
    assert_eq!(write(&small, &folder, true, None).expect("its files are known"), 3);
    check(&folder, 3);
    assert_eq!(write(&large, &folder, true, None).expect("its files are known"), 10);
    check(&folder, 10);
    // The same after one that is finished.
    assert!(folder.0.join("tournament-4.toml").exists());
    assert_eq!(write(&small, &folder, true, None).expect("its files are known"), 3);
    check(&folder, 3);
    // What no archive lists stays.
    fs::write(folder.0.join("tournament-7.toml"), "mine").expect("it can be written");
    assert_eq!(write(&small, &folder, true, None).expect("its files are known"), 3);
    assert_eq!(fs::read(folder.0.join("tournament-7.toml")).expect("it is there"), b"mine");
}

#[test]
fn a_name_that_is_taken_is_found_before_anything_is_written() {
    let store = played(4);
    let mine: [&[u8]; 2] = [b"mine", b"\xff\xfe"];
    let names = ["replays/6.jsonl", "watch/6.html", "tournament.toml", "UNFINISHED"];
    for (name, mine) in names.into_iter().flat_map(|name| mine.map(|mine| (name, mine))) {
        let folder = Folder::new("taken");
        for matches in ["replays", "watch"] {
            fs::create_dir_all(folder.0.join(matches)).expect("a folder");
        }
        fs::write(folder.0.join(name), mine).expect("it can be written");
        let refused = write(&store, &folder, true, None);
        assert!(matches!(&refused, Err(ArchiveError::Foreign(path)) if path.ends_with(name)), "{refused:?}");
        assert_eq!(folder.names(), [name]);
        assert_eq!(fs::read(folder.0.join(name)).expect("it is there"), mine);
    }
}
