//! The tests that every back end must pass. They panic where one fails.

use crate::{
    Blob, BotChange, BotVersion, Completion, Decision, EarlierResult, Ending, EventKind, FileVersion, MatchState,
    PlannedMatch, Progress, RecordedFault, RecordedRefusals, RecordedResult, RecordedSeat, Report, Snapshot, Store,
    StoreError, StoredEvent, StoredMap,
};
use std::{collections::BTreeSet, sync::Arc};

/// Runs every test, each on a new store from `make`.
///
/// # Panics
/// If the back end does not do what [`MatchQueue`](crate::MatchQueue), [`BlobStore`](crate::BlobStore),
/// [`Records`](crate::Records) and [`Registry`](crate::Registry) say.
pub fn all<S: Store>(make: &mut dyn FnMut() -> S) {
    matches_are_claimed_in_order(&make());
    claims_run_out(&make());
    enqueuing_twice_changes_nothing(&make());
    a_result_is_stored_once(&make());
    results_are_stored_together(&make());
    a_result_comes_back_as_it_was(&make());
    blobs_are_named_by_content(&make());
    a_spoilt_match_is_played_again(&make());
    a_void_match_does_not_count(&make());
    a_decision_changes_all_or_nothing(&make());
    bots_have_versions_and_sums(&make());
    notes_are_kept(&make());
    extreme_values_are_kept(&make());
    many_workers_get_every_match_once(&make());
}

/// Returns a match of bots 0 and 1.
#[must_use]
pub fn planned(id: u64) -> PlannedMatch {
    PlannedMatch {
        id,
        round: 1,
        seed: id.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        bots: vec![0, 1],
        ..PlannedMatch::default()
    }
}

/// Returns a result of such a match, another one for each `score`.
#[must_use]
pub fn result(score: i64) -> RecordedResult {
    let seat = |score, place| RecordedSeat {
        version: 1,
        score,
        place,
        decisions: 9,
        time_us: 70,
        max_us: 20,
        ..RecordedSeat::default()
    };
    RecordedResult {
        reason: "limit".to_owned(),
        seats: vec![seat(score, 1), seat(-score, 2)],
        plies: 9,
        fingerprint: Some(score.unsigned_abs()),
        started_ms: 1_000,
        wall_us: 2_000,
        ..RecordedResult::default()
    }
}

fn enqueue(store: &impl Store, ids: impl IntoIterator<Item = u64>) {
    store.enqueue(ids.into_iter().map(planned).collect()).wait().expect("they are new");
}

fn claim(store: &impl Store, count: usize, now_ms: i64) -> Vec<u64> {
    let leases = store.claim("w", count, now_ms, now_ms + 100).expect("it can be read");
    leases.into_iter().map(|lease| lease.planned.id).collect()
}

fn complete(store: &impl Store, id: u64, result: RecordedResult) -> Completion {
    store.complete(id, result, Vec::new()).wait().expect("there is such a match")
}

fn matches_are_claimed_in_order(store: &impl Store) {
    enqueue(store, [3, 1, 2]);
    enqueue(store, [6, 5]);
    store.rerank(vec![1, 99], 1).wait().expect("unknown ones are ignored");
    assert_eq!(claim(store, 0, 0), [0_u64; 0]);
    assert_eq!(claim(store, 2, 0), [2, 3]);
    assert_eq!(claim(store, 2, 0), [5, 6]);
    assert_eq!(claim(store, 2, 0), [1], "a higher rank comes last");
    assert_eq!(claim(store, 2, 0), [0_u64; 0], "everything is claimed");
}

fn claims_run_out(store: &impl Store) {
    enqueue(store, 1..=3);
    let leases = store.claim("w", 3, 0, 100).expect("it can be read");
    store.extend(&[leases[1].token], 200).expect("it can be used");
    store.release(&[leases[2].token]).expect("it can be used");
    assert_eq!(claim(store, 3, 99), [3], "it was released");
    assert_eq!(claim(store, 3, 100), [1], "its time is over");
    let late = &leases[0];
    assert_eq!(store.give_back(late, "late", 100).wait(), Ok(0), "the claim is over");
    assert_eq!(complete(store, 1, result(1)), Completion::Stored, "its result counts all the same");
    assert_eq!(claim(store, 3, 1_000), [2, 3]);
}

fn enqueuing_twice_changes_nothing(store: &impl Store) {
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

fn a_result_is_stored_once(store: &impl Store) {
    enqueue(store, 1..=3);
    assert_eq!(complete(store, 2, result(7)), Completion::Stored);
    let slower = RecordedResult { wall_us: 9_000_000, started_ms: 0, ..result(7) };
    assert_eq!(complete(store, 2, slower), Completion::Duplicate);
    assert_eq!(complete(store, 2, result(8)), Completion::Conflict);
    assert_eq!(store.complete(4, result(7), Vec::new()).wait(), Err(StoreError::NoMatch(4)));
    let stored = store.find(2).expect("it can be read").expect("it is there");
    assert_eq!(stored.result, Some(result(7)), "the first one stays");
    assert_eq!(store.progress(), Ok(Progress { ready: 2, finished: 1, ..Progress::default() }));
    assert_eq!(claim(store, 3, 0), [1, 3], "it is over");
}

fn results_are_stored_together(store: &impl Store) {
    enqueue(store, 1..=4);
    let report = |id: u64| Report { id, result: Arc::new(result(id.cast_signed())), blobs: Vec::new() };
    complete(store, 2, result(7));
    let reports = vec![report(3), report(2), report(1), report(3)];
    let completions = [Completion::Stored, Completion::Conflict, Completion::Stored, Completion::Duplicate];
    assert_eq!(store.complete_all(reports).wait(), Ok(completions.to_vec()));
    assert_eq!(store.complete_all(vec![report(4), report(5)]).wait(), Err(StoreError::NoMatch(5)));
    assert_eq!(store.progress(), Ok(Progress { ready: 1, finished: 3, ..Progress::default() }), "all or none");
    assert_eq!(store.complete_all(Vec::new()).wait(), Ok(Vec::new()));
    assert_eq!(claim(store, 9, 0), [4]);
}

fn a_result_comes_back_as_it_was(store: &impl Store) {
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
    let mut whole = result(5);
    whole.seats.push(RecordedSeat { fault: Some(fault), ..RecordedSeat::default() });
    whole.seats.push(RecordedSeat { fault: Some(known), refused: refused.clone(), ..RecordedSeat::default() });
    whole.seats.push(RecordedSeat { refused, ..RecordedSeat::default() });
    (whole.replay, whole.log) = (Some(replay.hash()), Some(log.hash()));
    let blobs = vec![replay.clone(), log.clone()];
    assert_eq!(store.complete(1, whole.clone(), blobs).wait(), Ok(Completion::Stored));
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

fn blobs_are_named_by_content(store: &impl Store) {
    let blob = |bytes: &[u8]| Blob::new(bytes).expect("it can be packed");
    let first = store.put(blob(b"one")).wait().expect("it is stored");
    assert_eq!(store.put(blob(b"one")).wait(), Ok(first), "the same bytes are one blob");
    let second = store.put(blob(&[0; 100_000])).wait().expect("it is stored");
    assert_eq!(store.get(first), Ok(Some(b"one".to_vec())));
    assert_eq!(store.get(second), Ok(Some(vec![0; 100_000])));
    assert_eq!(store.get(blob(b"none").hash()), Ok(None));
}

fn a_spoilt_match_is_played_again(store: &impl Store) {
    enqueue(store, 1..=2);
    for attempts in 0..3 {
        let lease = store.claim("w", 1, 0, 100).expect("it can be read").remove(0);
        assert_eq!((lease.planned.id, lease.attempts), (1, attempts));
        assert_eq!(store.give_back(&lease, "others had the cores", 50).wait(), Ok(attempts + 1));
        assert_eq!(store.give_back(&lease, "again", 50).wait(), Ok(attempts + 1), "an attempt counts once");
    }
    let spoilt = RecordedResult { ending: Ending::Spoilt, reason: "others".to_owned(), ..RecordedResult::default() };
    assert_eq!(complete(store, 1, spoilt.clone()), Completion::Stored);
    let stored = store.find(1).expect("it can be read").expect("it is there");
    assert_eq!((stored.attempts, stored.result), (3, Some(spoilt)));
    assert_eq!(store.progress(), Ok(Progress { ready: 1, spoilt: 1, ..Progress::default() }));
    let events = store.events(9).expect("it can be read");
    let event = |event: &StoredEvent| (event.kind, event.id, event.at_ms) == (EventKind::Spoilt, Some(1), 50);
    assert!(events.len() == 3 && events.iter().all(event), "{events:?}");
}

fn a_void_match_does_not_count(store: &impl Store) {
    for name in ["a", "b"] {
        store.add_bot(name).wait().expect("the name is new");
    }
    enqueue(store, 1..=3);
    complete(store, 1, result(3));
    let played =
        |store: &dyn Store| store.bots().expect("it can be read").iter().map(|bot| bot.totals.played).sum::<u64>();
    assert_eq!(played(store), 2);
    store.void(1, "the map was wrong", 5).wait().expect("there is such a match");
    store.void(2, "nobody came", 5).wait().expect("there is such a match");
    assert_eq!(store.void(9, "", 5).wait(), Err(StoreError::NoMatch(9)));
    let found = store.find(1).expect("it can be read").and_then(|stored| stored.result).expect("it is there");
    assert_eq!(found, RecordedResult { ending: Ending::Void, reason: "the map was wrong".to_owned(), ..result(3) });
    assert_eq!(store.progress(), Ok(Progress { ready: 1, void: 2, ..Progress::default() }));
    assert_eq!(played(store), 0);
    store.void(1, "twice", 6).wait().expect("there is such a match");
    assert_eq!((store.progress().map(|progress| progress.void), played(store)), (Ok(2), 0));
    assert_eq!(complete(store, 2, result(3)), Completion::Conflict, "what was declared void stays void");
    assert_eq!(claim(store, 9, 0), [3]);
    assert_eq!(
        store.events(2).expect("it can be read").last().map(|event| event.text.clone()),
        Some("twice".to_owned())
    );
}

fn a_decision_changes_all_or_nothing(store: &impl Store) {
    for name in ["a", "b"] {
        store.add_bot(name).wait().expect("the name is new");
    }
    enqueue(store, 1..=3);
    store.rerank(vec![1], 1).wait().expect("it is there");
    complete(store, 1, result(3));
    store.void(2, "nobody came", 5).wait().expect("there is such a match");
    store.withdraw(0, Some("it went home")).wait().expect("it is there");
    let event = |kind, text: &str| StoredEvent { kind, at_ms: 7, id: None, bot: None, text: text.to_owned() };
    let decision = |again: &[u64], bot, kind| Decision {
        amendment: Some(format!("{again:?}")),
        again: again.to_vec(),
        bot,
        event: event(kind, "why"),
    };
    let renamed = |bot, name: &str| Some(BotChange::Renamed(bot, name.to_owned()));
    for (wrong, why) in [
        (decision(&[1, 3], None, EventKind::Rerun), StoreError::NoMatch(3)),
        (decision(&[1, 9], Some(BotChange::Readmitted(0)), EventKind::Rerun), StoreError::NoMatch(9)),
        (decision(&[1], renamed(0, "b"), EventKind::Renamed), StoreError::SameName("b".to_owned())),
        (decision(&[1], Some(BotChange::Readmitted(2)), EventKind::Readmitted), StoreError::NoBot(2)),
    ] {
        assert_eq!(store.decide(wrong).wait(), Err(why));
    }
    assert_eq!(store.progress(), Ok(Progress { ready: 1, finished: 1, void: 1, ..Progress::default() }));
    assert_eq!((store.amendments(), store.earlier()), (Ok(Vec::new()), Ok(Vec::new())));

    let before = [1, 2].map(|id| store.find(id).expect("it can be read").expect("it is there"));
    store.decide(decision(&[1, 2], Some(BotChange::Readmitted(0)), EventKind::Readmitted)).wait().expect("it can be");
    assert_eq!(store.progress(), Ok(Progress { ready: 3, ..Progress::default() }));
    let bots = store.bots().expect("it can be read");
    assert!(bots.iter().all(|bot| bot.totals.played == 0 && bot.withdrawn.is_none()), "{bots:?}");
    let earlier: Vec<_> = before.iter().map(|stored| EarlierResult { stored: stored.clone(), at_ms: 7 }).collect();
    assert_eq!(store.earlier(), Ok(earlier.clone()));
    assert_eq!(store.amendments(), Ok(vec!["[1, 2]".to_owned()]));
    assert_eq!(store.events(1), Ok(vec![event(EventKind::Readmitted, "why")]));
    let ids = |stored: Vec<crate::StoredMatch>| stored.iter().map(|stored| stored.planned.id).collect::<Vec<_>>();
    assert_eq!(store.matches(0, 9).map(ids), Ok(vec![1, 2, 3]), "each is there once");
    enqueue(store, 1..=3);
    assert_eq!(claim(store, 9, 0), [1, 2, 3], "they have their turn again");
    assert_eq!(complete(store, 1, result(4)), Completion::Stored);
    assert_eq!(store.find(1).map(|stored| stored.and_then(|stored| stored.result)), Ok(Some(result(4))));
    assert_eq!(store.earlier(), Ok(earlier));

    store.decide(decision(&[], renamed(1, "b"), EventKind::Renamed)).wait().expect("its own name");
    store.decide(decision(&[], renamed(1, "c"), EventKind::Renamed)).wait().expect("a new name");
    let bots = store.bots().expect("it can be read");
    assert_eq!((bots[1].name.as_str(), bots[1].totals.played), ("c", 1));
}

fn bots_have_versions_and_sums(store: &impl Store) {
    assert_eq!(store.add_bot("Équipe 3").wait(), Ok(0));
    assert_eq!(store.add_bot("b").wait(), Ok(1));
    assert_eq!(store.add_bot("b").wait(), Err(StoreError::SameName("b".to_owned())));
    let hash = Blob::new(b"bot").expect("packed").hash();
    let version = |words: &str| BotVersion { number: 0, hash: Some(hash), words: words.to_owned(), at_ms: -1 };
    assert_eq!(store.add_version(1, version("./old")).wait(), Ok(1));
    assert_eq!(store.add_version(1, BotVersion { hash: None, ..version("./new") }).wait(), Ok(2));
    assert_eq!(store.add_version(2, version("./old")).wait(), Err(StoreError::NoBot(2)));
    store.withdraw(0, Some("it went home")).wait().expect("it is there");
    assert_eq!(store.withdraw(2, None).wait(), Err(StoreError::NoBot(2)));
    enqueue(store, 1..=2);
    let mut failed = result(2);
    failed.seats[1].fault = Some(RecordedFault::default());
    complete(store, 1, failed);
    complete(store, 2, RecordedResult { ending: Ending::Spoilt, ..result(2) });
    let bots = store.bots().expect("it can be read");
    assert_eq!(bots.iter().map(|bot| (bot.number, bot.name.as_str())).collect::<Vec<_>>(), [(0, "Équipe 3"), (1, "b")]);
    assert_eq!(bots[0].withdrawn.as_deref(), Some("it went home"));
    let known =
        [BotVersion { number: 1, ..version("./old") }, BotVersion { number: 2, hash: None, ..version("./new") }];
    assert_eq!(bots[1].versions, known);
    let sums = |bot: usize| (bots[bot].totals.played, bots[bot].totals.faults, bots[bot].totals.time_us);
    assert_eq!((sums(0), sums(1)), ((1, 0, 70), (1, 1, 70)), "a spoilt match does not count");
    store.withdraw(0, None).wait().expect("it is there");
    assert_eq!(store.bots().expect("it can be read")[0].withdrawn, None);
}

fn notes_are_kept(store: &impl Store) {
    for text in ["kind = \"swiss\"", "kind = \"ladder\""] {
        let file = FileVersion { text: text.to_owned(), agon: "0.1.0".to_owned(), at_ms: 5 };
        store.add_file(file).wait().expect("it is stored");
    }
    let files = store.files().expect("it can be read");
    assert_eq!(
        files.iter().map(|file| file.text.as_str()).collect::<Vec<_>>(),
        ["kind = \"swiss\"", "kind = \"ladder\""]
    );
    let content = Blob::new(b"map").expect("packed").hash();
    let maps = [("gen:10x10", None), ("maps/a.txt", Some(content))];
    let maps = maps.map(|(name, content)| StoredMap { name: name.to_owned(), content });
    for map in maps.clone() {
        store.add_map(map).wait().expect("it is stored");
    }
    assert_eq!(store.maps(), Ok(maps.to_vec()));
    for (number, kind) in (0..).zip(EventKind::ALL) {
        let event = StoredEvent { kind, at_ms: 1, id: None, bot: Some(number), text: kind.to_string() };
        store.record(event).wait().expect("it is stored");
    }
    let last: Vec<_> = store.events(2).expect("it can be read").iter().map(|event| event.bot).collect();
    let count = EventKind::ALL.len() as u32;
    assert_eq!(last, [Some(count - 2), Some(count - 1)]);
    for text in ["withdraw 1", "void 3"] {
        store.amend(text).wait().expect("it is stored");
    }
    assert_eq!(store.amendments(), Ok(vec!["withdraw 1".to_owned(), "void 3".to_owned()]));
    assert_eq!(store.snapshot("standings"), Ok(None));
    for (after, text) in [(3, "{}"), (4, "[]")] {
        let snapshot = Snapshot { after, text: text.to_owned() };
        let kept = store.keep("standings", snapshot);
        store.hurry();
        kept.wait().expect("it is stored");
    }
    assert_eq!(store.snapshot("standings"), Ok(Some(Snapshot { after: 4, text: "[]".to_owned() })));
}

/// Nothing depends on whether times are true, and no number is too large.
fn extreme_values_are_kept(store: &impl Store) {
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

fn many_workers_get_every_match_once(store: &impl Store) {
    const MATCHES: u64 = 400;
    enqueue(store, 1..=MATCHES);
    let work = |worker: usize| {
        let mut tickets = Vec::new();
        loop {
            let leases = store.claim(&worker.to_string(), 1 + worker, 0, 100).expect("it can be read");
            if leases.is_empty() {
                break;
            }
            for lease in leases {
                let id = lease.planned.id;
                tickets.push((id, store.complete(id, result(id.cast_signed()), Vec::new())));
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
