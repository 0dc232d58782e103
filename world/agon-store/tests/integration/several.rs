//! Several tournaments in one store, and claims that outlive their program.

use crate::folder::Folder;
use agon_store::{
    AttemptEnd, Blob, BlobStore, Completion, MatchQueue, PlannedMatch, Progress, RecordedResult, Records, Registry,
    Report, Sqlite, SqliteReader, StoreError,
};

fn planned(id: u64) -> PlannedMatch {
    PlannedMatch { id, bots: vec![0, 1], ..PlannedMatch::default() }
}

fn finish(store: &Sqlite, id: u64) {
    let report = Report::unclaimed(id, RecordedResult::default(), Vec::new());
    assert_eq!(store.complete(report).wait(), Ok(Completion::Stored));
}

#[test]
fn tournaments_in_one_store_do_not_mix() {
    let folder = Folder::new("several");
    let path = folder.path("s.agon");
    let first = Sqlite::open(&path).expect("a new store");
    let second = first.tournament("finals").expect("a new one");
    for (store, matches) in [(&first, 3), (&second, 2)] {
        for name in ["a", "b"] {
            store.add_bot(name).wait().expect("the name is new in this tournament");
        }
        store.enqueue((1..=matches).map(planned).collect()).wait().expect("they are new");
    }
    finish(&first, 2);
    finish(&second, 1);
    finish(&second, 2);
    let state = |store: &dyn Records| {
        let played = store.bots().expect("it can be read").iter().map(|bot| bot.totals.played).sum::<u64>();
        let ids = store.over_since(0, 9).expect("it can be read");
        let progress = store.progress().expect("it can be read");
        (progress.ready, progress.finished, played, ids.iter().map(|(_, over)| over.planned.id).collect::<Vec<_>>())
    };
    assert_eq!(state(&first), (2, 1, 0, vec![2]));
    assert_eq!(state(&second), (0, 2, 0, vec![1, 2]));
    assert_eq!(first.claim(1, 9, 0, 9).map(|leases| leases.len()), Ok(2));
    assert_eq!(second.claim(1, 9, 0, 9).map(|leases| leases.len()), Ok(0));
    second.amend("void 1").wait().expect("it is stored");
    assert_eq!((first.amendments(), second.amendments().map(|all| all.len())), (Ok(Vec::new()), Ok(1)));
    let blob = Blob::new(b"orders").expect("packed");
    let hash = second.put(blob).wait().expect("it is stored");
    assert_eq!(first.get(hash), Ok(Some(b"orders".to_vec())), "content is shared");
    assert_eq!(first.tournaments(), Ok(vec![String::new(), "finals".to_owned()]));
    let again = first.tournament("finals").expect("it is there");
    first.close().expect("it is written");
    assert_eq!(again.progress().map(|progress| progress.finished), Ok(2), "the file is still open");
    assert!(matches!(Sqlite::open(&path), Err(StoreError::InUse { .. })));
    drop((second, again));

    let reader = SqliteReader::open(&path).expect("it can be read");
    assert_eq!((reader.tournaments().map(|all| all.len()), reader.flaws()), (Ok(2), Ok(Vec::new())));
    assert_eq!(reader.progress(), Ok(Progress { ready: 2, finished: 1, ..Progress::default() }));
    let reader = reader.tournament("finals").expect("it is there");
    assert_eq!(reader.progress(), Ok(Progress { finished: 2, ..Progress::default() }));
    assert_eq!(reader.tournament("none").err(), Some(StoreError::NoTournament("none".to_owned())));
    let store = Sqlite::open(&path).expect("its lock is free").tournament("finals").expect("it is there");
    assert_eq!(store.progress().map(|progress| progress.finished), Ok(2));
}

/// A program that leads a tournament ends, and workers on other machines go on.
#[test]
fn claims_outlive_the_program_that_gave_them() {
    let folder = Folder::new("claims");
    let path = folder.path("s.agon");
    let store = Sqlite::open(&path).expect("a new store");
    store.enqueue((1..=6).map(planned).collect()).wait().expect("they are new");
    let leases = store.claim(3, 4, 10, 100).expect("it can be used");
    let report = |at: usize| {
        let (id, token) = (leases[at].planned.id, Some(leases[at].token));
        Report { token, ..Report::unclaimed(id, RecordedResult::default(), Vec::new()) }
    };
    assert_eq!(store.complete(report(0)).wait(), Ok(Completion::Stored));
    store.release(&[leases[1].token]).expect("it can be used");
    store.close().expect("it is written");
    let held = |store: &dyn Records| -> Vec<(u64, u64, u32)> {
        store.claims().expect("it can be read").iter().map(|claim| (claim.token, claim.id, claim.worker)).collect()
    };
    let left: Vec<_> = [2, 3].map(|at: usize| (leases[at].token, leases[at].planned.id, 3)).to_vec();
    assert_eq!(held(&SqliteReader::open(&path).expect("it can be read")), left.clone());

    let store = Sqlite::open(&path).expect("its lock is free");
    assert_eq!(held(&store), left);
    let next = store.claim(4, 9, 20, 100).expect("it can be used");
    assert_eq!(next.iter().map(|lease| lease.planned.id).collect::<Vec<_>>(), [2, 5, 6]);
    assert!(next[0].token > leases[3].token + 1_000, "tokens of two openings never meet");
    assert_eq!(store.extend(&[leases[2].token], 300), Ok(Vec::new()), "its worker still has it");
    assert_eq!(store.complete(report(2)).wait(), Ok(Completion::Stored));
    assert_eq!(
        store.expire(100).wait().map(|silent| silent.iter().map(|one| one.id).collect::<Vec<_>>()),
        Ok(vec![2, 4, 5, 6])
    );
    assert_eq!(store.complete(report(0)).wait(), Ok(Completion::Duplicate), "its answer was lost with the program");
    drop(store);

    let store = Sqlite::open(&path).expect("its lock is free");
    assert_eq!(store.claims(), Ok(Vec::new()));
    let lease = store.claim(5, 1, 200, 300).expect("it can be used").remove(0);
    assert_eq!((lease.planned.id, lease.attempts), (2, 1), "the attempt counts");
    let attempts = store.attempts(2).expect("it can be read");
    assert_eq!(attempts.iter().map(|one| (one.worker, one.end)).collect::<Vec<_>>(), [(Some(4), AttemptEnd::Silent)]);
}
