//! Disks that are full and media that cannot be written.
//!
//! These tests mount file systems in a namespace of their own. Where the host does not allow that, they say so and test
//! nothing.

use crate::folder::Folder;
use agon_store::{MatchQueue, PlannedMatch, RecordedResult, Report, Sqlite};
use std::{
    collections::BTreeSet,
    path::Path,
    process::{Command, Output},
};

const WRITER: &str = env!("CARGO_BIN_EXE_agon-store-writer");
const READER: &str = env!("CARGO_BIN_EXE_agon-store-reader");

/// Runs a script with the words after it as `$1` and so on. `None` if this host allows no mounts.
fn in_namespace(script: &str, words: &[&Path]) -> Option<Output> {
    let unshare = ["--user", "--map-root-user", "--mount", "sh", "-euc"];
    let allowed = Command::new("unshare").args(unshare).arg("mount -t tmpfs tmpfs /mnt").output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        eprintln!("NOT TESTED: this host allows no mounts in a namespace");
        return None;
    }
    Some(Command::new("unshare").args(unshare).arg(script).arg("sh").args(words).output().expect("it starts"))
}

fn ids(lines: &str) -> BTreeSet<u64> {
    lines.lines().filter_map(|line| line.parse().ok()).collect()
}

#[test]
fn a_full_disk_loses_nothing_that_was_acknowledged() {
    const SCRIPT: &str = r#"
        mount -t tmpfs -o size=14m tmpfs "$1"
        head -c 11m /dev/zero > "$1/ballast"
        "$2" "$1/s" 1500 2>&1 || echo "status $?"
        echo ---
        "$3" "$1/s"
        echo ---
        rm "$1/ballast"
        "$2" "$1/s" 1500 2>&1 || echo "status $?"
        echo ---
        "$3" "$1/s"
    "#;
    let folder = Folder::new("full");
    let Some(output) = in_namespace(SCRIPT, &[&folder.path("."), Path::new(WRITER), Path::new(READER)]) else { return };
    let text = String::from_utf8(output.stdout).expect("text");
    let parts: Vec<&str> = text.split("---\n").collect();
    let [first, then, second, last] = parts[..] else { panic!("{}", String::from_utf8_lossy(&output.stderr)) };
    assert!(first.contains("status 1"), "the disk is too small: {first}");
    assert!(first.contains("Full("), "the error says why: {first}");
    let (acknowledged, stored) = (ids(first), ids(then));
    assert!(acknowledged.len() > 100, "{} fit", acknowledged.len());
    assert!(acknowledged.is_subset(&stored), "{:?}", acknowledged.difference(&stored));
    assert!(then.contains("flaws: 0"), "{then}");
    // With more room, it goes on where it was.
    assert!(!second.contains("status"), "{second}");
    assert!(ids(second).is_disjoint(&stored), "nothing is played twice");
    assert_eq!(ids(last), (1..=1500).collect());
}

#[test]
fn media_that_cannot_be_written_are_read() {
    const SCRIPT: &str = r#"
        mount --bind "$1" "$1"
        mount -o remount,bind,ro "$1"
        if touch "$1/x" 2>&1; then exit 9; fi
        "$2" "$1/a store #1?"
        "$2" "$1/killed"
    "#;
    let folder = Folder::new("read-only");
    let folder_path = folder.path(".");
    // A store that was closed is one file.
    let closed = Sqlite::open(&folder.path("a store #1?")).expect("a new store");
    closed.enqueue(vec![PlannedMatch { id: 4, ..PlannedMatch::default() }]).wait().expect("it is new");
    closed.complete(Report::unclaimed(4, RecordedResult::default(), Vec::new())).wait().expect("it is there");
    closed.close().expect("everything is written");
    // A store whose process was killed has a log beside it: a copy of an open one looks the same.
    let open = Sqlite::open(&folder.path("open")).expect("a new store");
    open.enqueue(vec![PlannedMatch { id: 5, ..PlannedMatch::default() }]).wait().expect("it is new");
    open.complete(Report::unclaimed(5, RecordedResult::default(), Vec::new())).wait().expect("it is there");
    for (from, to) in [("open", "killed"), ("open-wal", "killed-wal")] {
        std::fs::copy(folder.path(from), folder.path(to)).expect("it is there");
    }
    let Some(output) = in_namespace(SCRIPT, &[&folder_path, Path::new(READER)]) else { return };
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("4\nflaws: 0\n5\nflaws: 0\n"), "{text}");
}
