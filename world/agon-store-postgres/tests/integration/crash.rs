//! Nothing that was acknowledged is lost, whichever side of the connection is killed.

use crate::server::{Server, crash};
use agon_store::{Ending, MatchState, Progress, Records, StoreError};
use agon_store_postgres::{Postgres, PostgresReader};
use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

const MATCHES: u64 = 8_000;

fn writer(store: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon-postgres-writer"));
    command.arg(store).arg(MATCHES.to_string()).stdout(Stdio::piped()).spawn().expect("it starts")
}

/// Reads the ids that the writer says, and kills it after `most` of them. Returns whether it was killed.
fn run(store: &str, most: usize, stored: &mut BTreeSet<u64>) -> bool {
    let mut child = writer(store);
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines().map(|line| line.expect("text"));
    assert_eq!(lines.next().as_deref(), Some("open"), "it goes on after a kill");
    let id = |line: String| line.parse::<u64>().expect("whole lines only");
    let mut new: Vec<u64> = lines.by_ref().take(most).map(id).collect();
    let is_killed = new.len() == most;
    child.kill().expect("it is ours");
    new.extend(lines.map(id));
    child.wait().expect("it ends");
    for id in new {
        assert!(stored.insert(id), "match {id} was acknowledged twice");
    }
    is_killed
}

#[test]
fn a_writer_that_is_killed_loses_nothing() {
    let Some(server) = Server::shared() else { return };
    let store = server.new_store();
    let mut stored = BTreeSet::new();
    let mut kills = 0;
    for most in (0..).map(|n: usize| n * 67 % 701) {
        if !run(&store, most, &mut stored) {
            break;
        }
        kills += 1;
        check(&PostgresReader::open(&store).expect("it can be read without its writer"), &stored);
    }
    assert!(kills >= 10, "it was killed {kills} times");
    let reopened = Postgres::open(&store).expect("nobody leads it");
    assert_eq!(reopened.progress(), Ok(Progress { finished: MATCHES, ..Progress::default() }));
    reopened.close().expect("it can be closed");
}

/// The server loses all its connections in the middle of a group, and reads its log again. Writers and readers go on.
#[test]
fn a_server_that_crashes_loses_nothing() {
    let Some(server) = Server::alone() else { return };
    let store = server.new_store();
    let mut child = writer(&store);
    let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines().map(|line| line.expect("text"));
    let mut stored = BTreeSet::new();
    let mut crashes = 0;
    let mut reader = None;
    for line in lines {
        let Ok(id) = line.parse::<u64>() else { continue };
        assert!(stored.insert(id), "match {id} was acknowledged twice");
        if stored.len() as u64 % (MATCHES / 5) == 700 {
            crashes += 1;
            crash(&store);
            let reader = reader.get_or_insert_with(|| opened(&store));
            let progress = loop {
                match reader.progress() {
                    Err(StoreError::Lost { .. }) => std::thread::yield_now(),
                    known => break known.expect("it can be read again"),
                }
            };
            assert!(progress.finished >= stored.len() as u64, "{progress:?}");
        }
    }
    assert!(child.wait().expect("it ends").success());
    assert_eq!((crashes, stored.len() as u64), (5, MATCHES));
    let reader = reader.expect("there was a crash");
    check(&reader, &stored);
    assert_eq!(reader.progress(), Ok(Progress { finished: MATCHES, ..Progress::default() }));
    assert_eq!(reader.claims(), Ok(Vec::new()));
}

fn opened(store: &str) -> PostgresReader {
    loop {
        match PostgresReader::open(store) {
            Err(StoreError::Lost { .. }) => std::thread::yield_now(),
            known => return known.expect("it can be opened"),
        }
    }
}

/// Checks that the store has every result that was acknowledged, and counts what it has.
fn check(reader: &PostgresReader, stored: &BTreeSet<u64>) {
    let matches = reader.matches(0, usize::MAX).expect("it can be read");
    let over = matches.iter().filter(|stored| stored.state() == MatchState::Over(Ending::Finished));
    let over: BTreeSet<u64> = over.map(|stored| stored.planned.id).collect();
    let lost: Vec<_> = stored.difference(&over).collect();
    assert!(lost.is_empty(), "acknowledged but not stored: {lost:?}");
    assert_eq!(matches.len() as u64, MATCHES);
    let progress = reader.progress().expect("it can be read");
    assert_eq!((progress.finished, progress.ready), (over.len() as u64, MATCHES - over.len() as u64));
    assert_eq!(reader.flaws(), Ok(Vec::new()));
    for stored in matches.iter().filter(|stored| stored.planned.id % 97 == 0) {
        let Some(result) = &stored.result else { continue };
        let id = stored.planned.id;
        let replay = reader.get(result.replay.expect("every match has one")).expect("it can be read");
        assert_eq!(replay, Some(id.to_le_bytes().repeat(1 + id as usize % 500)));
    }
}
