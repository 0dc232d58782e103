//! Who plays which match, and whose report is whose.

use super::{claim_ids, enqueue, of_lease, result};
use crate::{Attempt, AttemptEnd, Blob, Claim, Completion, Lease, Progress, RecordedResult, Report, Store};
use std::collections::BTreeSet;

pub(super) fn matches_are_claimed_in_order(store: &impl Store) {
    enqueue(store, [3, 1, 2]);
    enqueue(store, [6, 5]);
    store.rerank(vec![1, 99], 1).wait().expect("unknown ones are ignored");
    assert_eq!(claim_ids(store, 0, 0), [0_u64; 0]);
    assert_eq!(claim_ids(store, 2, 0), [2, 3]);
    assert_eq!(claim_ids(store, 2, 0), [5, 6]);
    assert_eq!(claim_ids(store, 2, 0), [1], "a higher rank comes last");
    assert_eq!(claim_ids(store, 2, 0), [0_u64; 0], "everything is claimed");
}

pub(super) fn claims_run_out(store: &impl Store) {
    enqueue(store, 1..=3);
    let leases = store.claim(7, 3, 5, 100).expect("it can be read");
    assert_eq!(store.extend(&[leases[1].token, 1], 200), Ok(vec![1]), "no claim has the token 1");
    store.release(&[leases[2].token]).expect("it can be used");
    let claim = |at: usize, until_ms| {
        let Lease { planned, token, .. } = &leases[at];
        Claim { token: *token, id: planned.id, worker: 7, began_ms: 5, until_ms }
    };
    assert_eq!(store.claims(), Ok(vec![claim(0, 100), claim(1, 200)]));
    assert_eq!(claim_ids(store, 3, 99), [3], "it was released");
    assert_eq!(store.expire(99).wait(), Ok(Vec::new()));
    assert_eq!(claim_ids(store, 3, 100), [0_u64; 0], "nobody has ended the claim whose time is over");
    let silent = Attempt::of_silence(&claim(0, 100), 100);
    assert_eq!((silent.end, silent.worker, silent.began_ms, silent.ended_ms), (AttemptEnd::Silent, Some(7), 5, 100));
    assert_eq!(store.expire(100).wait(), Ok(vec![silent.clone()]));
    assert_eq!(store.expire(100).wait(), Ok(Vec::new()), "it has ended");
    assert_eq!(store.attempts(1), Ok(vec![silent]));
    assert_eq!(store.extend(&[leases[0].token], 300), Ok(vec![leases[0].token]), "it has ended");
    let next = store.claim(8, 3, 100, 200).expect("it can be read");
    assert_eq!(next.iter().map(|lease| (lease.planned.id, lease.attempts)).collect::<Vec<_>>(), [(1, 1)]);
    let late = &leases[0];
    assert_eq!(store.give_back(late, AttemptEnd::Spoilt, "late", 100).wait(), Ok(1), "the claim is over");
    assert_eq!(
        store.complete(of_lease(late, result(1))).wait(),
        Ok(Completion::Stored),
        "its result counts all the same"
    );
    assert_eq!(store.extend(&[next[0].token], 900), Ok(vec![next[0].token]), "the match is over");
    store.expire(900).wait().expect("it can be used");
    assert_eq!(claim_ids(store, 3, 1_000), [2, 3]);
}

/// Two machines play the same match to different results, and a third one asks for an answer that was lost.
pub(super) fn reports_are_told_apart_by_their_claims(store: &impl Store) {
    enqueue(store, 1..=2);
    let take = |worker, now_ms| store.claim(worker, 1, now_ms, now_ms + 10).expect("it can be read").remove(0);
    let first = take(1, 0);
    store.expire(10).wait().expect("it can be used");
    let second = take(2, 10);
    store.expire(20).wait().expect("it can be used");
    let third = take(3, 20);
    assert_eq!([&first, &second, &third].map(|lease| (lease.planned.id, lease.attempts)), [(1, 0), (1, 1), (1, 2)]);
    assert!(first.token < second.token && second.token < third.token);
    let by = |worker, score| RecordedResult { worker: Some(worker), ..result(score) };
    // In one write, in which each report has an answer of its own.
    let reports = vec![of_lease(&second, by(2, 5)), of_lease(&first, by(1, 6)), of_lease(&second, by(2, 5))];
    let answers = vec![Completion::Stored, Completion::Late, Completion::Duplicate];
    assert_eq!(store.complete_all(reports.clone()).wait(), Ok(answers));
    let again = vec![Completion::Duplicate, Completion::Late, Completion::Duplicate];
    assert_eq!(store.complete_all(reports).wait(), Ok(again), "the answers were lost");
    let third = of_lease(&third, by(3, 5));
    assert_eq!(store.complete(third.clone()).wait(), Ok(Completion::Late), "the same result, of another claim");
    assert_eq!(store.complete(third).wait(), Ok(Completion::Late));
    let stored = store.find(1).expect("it can be read").expect("it is there");
    assert_eq!((stored.result, stored.attempts), (Some(by(2, 5)), 2), "the first one stays");
    let attempts = store.attempts(1).expect("it can be read");
    let told: BTreeSet<_> =
        attempts.iter().map(|attempt| (attempt.worker, attempt.end.name(), &*attempt.why)).collect();
    let silent = "nothing was heard of its worker";
    let expected = [
        (Some(1), "late", "another result came first"),
        (Some(2), "silent", silent),
        (Some(3), "late", "the same result came first"),
    ];
    assert_eq!(told, BTreeSet::from(expected));
    assert_eq!(attempts.len(), 3, "each is noted once");
    assert_eq!(store.progress(), Ok(Progress { ready: 1, finished: 1, ..Progress::default() }));
}

/// Whoever does not know whether a write was made makes it again.
pub(super) fn a_lost_answer_is_asked_for_again(store: &impl Store) {
    for _ in 0..2 {
        enqueue(store, 1..=3);
    }
    let leases = store.claim(1, 3, 0, 10).expect("it can be read");
    let blob = Blob::new(b"orders").expect("packed");
    let whole = RecordedResult { replay: Some(blob.hash()), ..result(4) };
    let report = Report { blobs: vec![blob.clone()], ..of_lease(&leases[0], whole) };
    for expected in [Completion::Stored, Completion::Duplicate] {
        assert_eq!(store.complete_all(vec![report.clone()]).wait(), Ok(vec![expected]));
    }
    for _ in 0..2 {
        assert_eq!(store.give_back(&leases[1], AttemptEnd::Spoilt, "no memory", 5).wait(), Ok(1));
        assert_eq!(store.put(blob.clone()).wait(), Ok(blob.hash()));
        store.release(&[leases[2].token]).expect("it can be used");
    }
    assert_eq!(store.attempts(2).map(|attempts| attempts.len()), Ok(1));
    assert_eq!(store.progress(), Ok(Progress { ready: 2, finished: 1, ..Progress::default() }));
    assert_eq!(claim_ids(store, 9, 6), [2, 3]);
}

pub(super) fn many_workers_get_every_match_once(store: &impl Store) {
    const MATCHES: u64 = 400;
    enqueue(store, 1..=MATCHES);
    let work = |worker: u32| {
        let mut tickets = Vec::new();
        loop {
            let leases = store.claim(worker, 1 + worker as usize, 0, 100).expect("it can be read");
            if leases.is_empty() {
                break;
            }
            for lease in leases {
                let id = lease.planned.id;
                tickets.push((id, store.complete(of_lease(&lease, result(id.cast_signed())))));
            }
        }
        let stored = tickets.into_iter().map(|(id, ticket)| {
            assert_eq!(ticket.wait(), Ok(Completion::Stored), "match {id}");
            id
        });
        stored.collect::<Vec<u64>>()
    };
    let done: Vec<u64> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|worker| scope.spawn(move || work(worker))).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("it did not panic")).collect()
    });
    assert_eq!(done.len() as u64, MATCHES, "nobody got a match twice");
    assert_eq!(done.into_iter().collect::<BTreeSet<_>>(), (1..=MATCHES).collect());
    assert_eq!(store.progress(), Ok(Progress { finished: MATCHES, ..Progress::default() }));
}
