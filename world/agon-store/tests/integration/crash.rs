//! A store whose process is killed has every result that was acknowledged, and each of them once.

use crate::folder::Folder;
use agon_store::{Ending, MatchState, Progress, Records, Sqlite, SqliteReader};
use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

const MATCHES: u64 = 8_000;

fn writer(store: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon-store-writer"));
    command.arg(store).arg(MATCHES.to_string()).stdout(Stdio::piped()).spawn().expect("it starts")
}

/// Reads the ids that the writer says, and kills it after `most` of them. Returns whether it was killed.
fn run(store: &Path, most: usize, stored: &mut BTreeSet<u64>) -> bool {
    let mut child = writer(store);
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines().map(|line| line.expect("text"));
    assert_eq!(lines.next().as_deref(), Some("open"), "it goes on after a kill");
    let id = |line: String| line.parse::<u64>().expect("whole lines only");
    let mut new: Vec<u64> = lines.by_ref().take(most).map(id).collect();
    let killed = new.len() == most;
    // `kill -9`, in the middle of whatever the writer does now.
    child.kill().expect("it is ours");
    // What it had said before it died counts as well.
    new.extend(lines.map(id));
    child.wait().expect("it ends");
    for id in new {
        assert!(stored.insert(id), "match {id} was acknowledged twice");
    }
    killed
}

#[test]
fn nothing_that_was_acknowledged_is_lost() {
    let folder = Folder::new("crash");
    let store = folder.path("crash.agon");
    let mut stored = BTreeSet::new();
    let mut kills = 0;
    // Other points of time in every run: from the first line on, and between groups.
    for most in (0..).map(|n: usize| n * 37 % 401) {
        if !run(&store, most, &mut stored) {
            break;
        }
        kills += 1;
        let reader = SqliteReader::open(&store).expect("it can be read without its writer");
        check(&reader, &stored);
    }
    assert!(kills >= 20, "it was killed {kills} times");
    let reopened = Sqlite::open(&store).expect("its lock is free");
    assert_eq!(reopened.progress(), Ok(Progress { finished: MATCHES, ..Progress::default() }));
    assert_eq!(reopened.flaws(), Ok(Vec::new()));
    reopened.close().expect("it can be closed");
}

/// Checks that the store has every result that was acknowledged, and counts what it has.
fn check(reader: &SqliteReader, stored: &BTreeSet<u64>) {
    let matches = reader.matches(0, usize::MAX).expect("it can be read");
    let over = matches.iter().filter(|stored| stored.state() == MatchState::Over(Ending::Finished));
    let over: BTreeSet<u64> = over.map(|stored| stored.planned.id).collect();
    let lost: Vec<_> = stored.difference(&over).collect();
    assert!(lost.is_empty(), "acknowledged but not stored: {lost:?}");
    let progress = reader.progress().expect("it can be read");
    assert_eq!((progress.finished, progress.ready), (over.len() as u64, MATCHES - over.len() as u64));
    assert_eq!(reader.flaws(), Ok(Vec::new()));
    for stored in matches.iter().filter(|stored| stored.planned.id % 97 == 0) {
        let Some(result) = &stored.result else { continue };
        let id = stored.planned.id;
        assert_eq!(result.seats.iter().map(|seat| seat.score).collect::<Vec<_>>(), [id.cast_signed(); 2]);
        let replay = reader.get(result.replay.expect("every match has one")).expect("it can be read");
        assert_eq!(replay, Some(id.to_le_bytes().repeat(1 + id as usize % 500)));
    }
}
