//! Matches, their results and their attempts.

use super::{claim_ids, complete, enqueue, planned, result};
use crate::{
    Attempt, AttemptEnd, Blob, Completion, Decision, Ending, EventKind, MatchState, PlannedMatch, Progress,
    RecordedFault, RecordedRefusals, RecordedResult, RecordedSeat, Report, Store, StoreError, StoredEvent,
};

pub(super) fn enqueuing_twice_changes_nothing(store: &impl Store) {
    enqueue(store, 1..=2);
    enqueue(store, 1..=3);
    let other = PlannedMatch { seed: 0, ..planned(3) };
    let refused = store.enqueue(vec![planned(4), other, planned(5)]).wait();
    assert_eq!(refused, Err(StoreError::OtherPlan(3)));
    let reranked = PlannedMatch { rank: 1, ..planned(1) };
    assert_eq!(store.enqueue(vec![reranked]).wait(), Ok(()), "it is the same match");
    let ids: Vec<u64> = store.matches(0, 10).expect("it can be read").iter().map(|stored| stored.planned.id).collect();
    assert_eq!(ids, [1, 2, 3], "all or nothing");
    assert_eq!(store.progress(), Ok(Progress { ready: 3, ..Progress::default() }));
}

pub(super) fn a_result_is_stored_once(store: &impl Store) {
    enqueue(store, 1..=3);
    assert_eq!(complete(store, 2, result(7)), Completion::Stored);
    let slower = RecordedResult { wall_us: 9_000_000, started_ms: 0, ..result(7) };
    assert_eq!(complete(store, 2, slower), Completion::Duplicate);
    assert_eq!(complete(store, 2, result(8)), Completion::Late);
    let unknown = Report::unclaimed(4, result(7), Vec::new());
    assert_eq!(store.complete(unknown).wait(), Err(StoreError::NoMatch(4)));
    let stored = store.find(2).expect("it can be read").expect("it is there");
    assert_eq!(stored.result, Some(result(7)), "the first one stays");
    assert_eq!(store.progress(), Ok(Progress { ready: 2, finished: 1, ..Progress::default() }));
    assert_eq!(claim_ids(store, 3, 0), [1, 3], "it is over");
}

pub(super) fn results_are_stored_together(store: &impl Store) {
    enqueue(store, 1..=4);
    let report = |id: u64| Report::unclaimed(id, result(id.cast_signed()), Vec::new());
    complete(store, 2, result(7));
    let reports = vec![report(3), report(2), report(1), report(3)];
    let completions = [Completion::Stored, Completion::Late, Completion::Stored, Completion::Duplicate];
    assert_eq!(store.complete_all(reports).wait(), Ok(completions.to_vec()));
    assert_eq!(store.complete_all(vec![report(4), report(5)]).wait(), Err(StoreError::NoMatch(5)));
    assert_eq!(store.progress(), Ok(Progress { ready: 1, finished: 3, ..Progress::default() }), "all or none");
    assert_eq!(store.complete_all(Vec::new()).wait(), Ok(Vec::new()));
    assert_eq!(claim_ids(store, 9, 0), [4]);
}

pub(super) fn a_result_comes_back_as_it_was(store: &impl Store) {
    let plan = PlannedMatch {
        round: 3,
        map: 2,
        bots: vec![4, 0, 2],
        probability: Some(0.125),
        rank: 1,
        map_seed: 77,
        ..planned(1)
    };
    store.enqueue(vec![plan.clone()]).wait().expect("it is new");
    let fault =
        RecordedFault {
            kind: "crashed".to_owned(), ply: 4, text: "it's “so” \u{1b}[31m\n\0".to_owned(), cause: None
        };
    let known = RecordedFault { cause: Some("no_flush".to_owned()), ..fault.clone() };
    let refused = RecordedRefusals { count: 3, of: 5, top: vec![("it is \"far\"".to_owned(), 2), (String::new(), 1)] };
    let (replay, log) = (Blob::new(b"orders").expect("packed"), Blob::new(b"").expect("packed"));
    let mut whole = RecordedResult { worker: Some(3), ..result(5) };
    whole.seats.push(RecordedSeat { fault: Some(fault), ..RecordedSeat::default() });
    whole.seats.push(RecordedSeat { fault: Some(known), refused: refused.clone(), ..RecordedSeat::default() });
    whole.seats.push(RecordedSeat { refused, ..RecordedSeat::default() });
    (whole.replay, whole.log) = (Some(replay.hash()), Some(log.hash()));
    let blobs = vec![replay.clone(), log.clone()];
    assert_eq!(store.complete(Report::unclaimed(1, whole.clone(), blobs)).wait(), Ok(Completion::Stored));
    let stored = store.matches(0, 9).expect("it can be read");
    assert_eq!(stored.len(), 1);
    assert_eq!((&stored[0].planned, &stored[0].result), (&plan, &Some(whole)));
    assert_eq!(stored[0].state(), MatchState::Over(Ending::Finished));
    assert_eq!(store.find(1), Ok(Some(stored[0].clone())));
    assert_eq!(store.get(replay.hash()), Ok(Some(b"orders".to_vec())));
    assert_eq!(store.get(log.hash()), Ok(Some(Vec::new())));
    assert_eq!(store.find(2), Ok(None));
    assert_eq!(store.matches(1, 9), Ok(Vec::new()));
    assert_eq!(store.matches(u64::MAX, 9), Ok(Vec::new()));
}

pub(super) fn a_spoilt_match_is_played_again(store: &impl Store) {
    enqueue(store, 1..=2);
    for attempts in 0..3 {
        let lease = store.claim(1, 1, 0, 100).expect("it can be read").remove(0);
        assert_eq!((lease.planned.id, lease.attempts), (1, attempts));
        let give_back = |why| store.give_back(&lease, AttemptEnd::Spoilt, why, 50).wait();
        assert_eq!(give_back("others had the cores"), Ok(attempts + 1));
        assert_eq!(give_back("again"), Ok(attempts + 1), "an attempt counts once");
    }
    // While the claim goes on.
    let attempt = Attempt {
        id: 1,
        token: None,
        worker: Some(1),
        began_ms: 7,
        ended_ms: 50,
        end: AttemptEnd::Spoilt,
        why: "no memory".to_owned(),
    };
    assert_eq!(store.add_attempt(attempt.clone()).wait(), Ok(4));
    assert_eq!(store.add_attempt(Attempt { id: 9, ..attempt.clone() }).wait(), Err(StoreError::NoMatch(9)));
    let attempts = store.attempts(1).expect("it can be read");
    assert_eq!((attempts.len(), &attempts[3]), (4, &attempt));
    let spoilt = RecordedResult { ending: Ending::Spoilt, reason: "others".to_owned(), ..RecordedResult::default() };
    assert_eq!(complete(store, 1, spoilt.clone()), Completion::Stored);
    let stored = store.find(1).expect("it can be read").expect("it is there");
    assert_eq!((stored.attempts, stored.result), (4, Some(spoilt)));
    assert_eq!(store.progress(), Ok(Progress { ready: 1, spoilt: 1, ..Progress::default() }));
    let events = store.events(9).expect("it can be read");
    let event = |event: &StoredEvent| (event.kind, event.id, event.at_ms) == (EventKind::Spoilt, Some(1), 50);
    assert!(events.len() == 4 && events.iter().all(event), "{events:?}");
}

pub(super) fn matches_that_are_over_are_told_in_order(store: &impl Store) {
    enqueue(store, 1..=5);
    assert_eq!(store.over_since(0, 9), Ok(Vec::new()));
    for id in [4, 2, 5] {
        complete(store, id, result(1));
    }
    let told = |after, count| {
        let over = store.over_since(after, count).expect("it can be read");
        let ids: Vec<u64> = over.iter().map(|(_, stored)| stored.planned.id).collect();
        (over.last().map_or(after, |(number, _)| *number), ids)
    };
    let (second, ids) = told(0, 2);
    assert_eq!(ids, [4, 2]);
    let (third, ids) = told(second, 9);
    assert_eq!(ids, [5]);
    assert_eq!(told(third, 9), (third, Vec::new()));
    store.void(2, "the map was wrong", 5).wait().expect("there is such a match");
    store.void(1, "nobody came", 5).wait().expect("there is such a match");
    let (last, ids) = told(third, 9);
    assert_eq!(ids, [2, 1], "what has changed comes again");
    assert_eq!(told(0, 9).1, [4, 5, 2, 1], "each is there once");
    let event = StoredEvent { kind: EventKind::Rerun, at_ms: 7, id: Some(1), bot: None, text: String::new() };
    let decision = Decision { amendment: None, again: vec![1], bot: None, event };
    store.decide(decision).wait().expect("it can be");
    assert_eq!(told(last, 9).1, [0_u64; 0], "it is to be played");
    complete(store, 1, result(3));
    let (number, ids) = told(last, 9);
    assert!(number > last && ids == [1], "no number is given twice");
    assert_eq!(store.over_since(u64::MAX, 9), Ok(Vec::new()));
}

/// Nothing depends on whether times are true, and no number is too large.
pub(super) fn extreme_values_are_kept(store: &impl Store) {
    let most = PlannedMatch {
        id: i64::MAX.unsigned_abs(),
        seed: u64::MAX,
        map_seed: u64::MAX,
        map: u32::MAX,
        round: u32::MAX,
        ..planned(1)
    };
    enqueue(store, [1]);
    store.enqueue(vec![most.clone()]).wait().expect("it is new");
    let future =
        RecordedResult { started_ms: i64::MAX, wall_us: u64::MAX, fingerprint: Some(u64::MAX), ..result(i64::MIN + 1) };
    assert_eq!(complete(store, most.id, future.clone()), Completion::Stored);
    let past = RecordedResult { started_ms: i64::MIN, ..result(0) };
    assert_eq!(complete(store, 1, past.clone()), Completion::Stored);
    let stored = store.matches(0, 9).expect("it can be read");
    assert_eq!(stored.into_iter().map(|stored| stored.result).collect::<Vec<_>>(), [Some(past), Some(future)]);
}
