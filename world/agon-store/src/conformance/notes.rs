//! What is kept beside the matches, and what the organiser decides.

use super::{claim_ids, complete, enqueue, result};
use crate::{
    Artefact, Blob, BlobHash, BotChange, BotVersion, Completion, Decision, EarlierResult, Ending, EventKind,
    FileVersion, Progress, RecordedFault, RecordedResult, Snapshot, Store, StoreError, StoredEvent, StoredMap,
    StoredMatch, StoredWorker,
};

pub(super) fn blobs_are_named_by_content(store: &impl Store) {
    let blob = |bytes: &[u8]| Blob::new(bytes).expect("it can be packed");
    let first = store.put(blob(b"one")).wait().expect("it is stored");
    assert_eq!(store.put(blob(b"one")).wait(), Ok(first), "the same bytes are one blob");
    let second = store.put(blob(&[0; 100_000])).wait().expect("it is stored");
    assert_eq!(store.get(first), Ok(Some(b"one".to_vec())));
    assert_eq!(store.get(second), Ok(Some(vec![0; 100_000])));
    assert_eq!(store.get(blob(b"none").hash()), Ok(None));
}

pub(super) fn a_void_match_does_not_count(store: &impl Store) {
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
    assert_eq!(complete(store, 2, result(3)), Completion::Late, "what was declared void stays void");
    assert_eq!(claim_ids(store, 9, 0), [3]);
    let events = store.events(9).expect("it can be read");
    assert!(events.iter().any(|event| event.kind == EventKind::Void && event.text == "twice"), "{events:?}");
}

pub(super) fn a_decision_changes_all_or_nothing(store: &impl Store) {
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
    let ids = |stored: Vec<StoredMatch>| stored.iter().map(|stored| stored.planned.id).collect::<Vec<_>>();
    assert_eq!(store.matches(0, 9).map(ids), Ok(vec![1, 2, 3]), "each is there once");
    enqueue(store, 1..=3);
    assert_eq!(claim_ids(store, 9, 0), [1, 2, 3], "they have their turn again");
    assert_eq!(complete(store, 1, result(4)), Completion::Stored);
    assert_eq!(store.find(1).map(|stored| stored.and_then(|stored| stored.result)), Ok(Some(result(4))));
    assert_eq!(store.earlier(), Ok(earlier));

    store.decide(decision(&[], renamed(1, "b"), EventKind::Renamed)).wait().expect("its own name");
    store.decide(decision(&[], renamed(1, "c"), EventKind::Renamed)).wait().expect("a new name");
    let bots = store.bots().expect("it can be read");
    assert_eq!((bots[1].name.as_str(), bots[1].totals.played), ("c", 1));
}

pub(super) fn bots_have_versions_and_sums(store: &impl Store) {
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

pub(super) fn workers_and_artefacts_are_kept(store: &impl Store) {
    let add = |name: &str, facts: &str, at_ms| store.add_worker(name, facts, at_ms).wait().expect("it is stored");
    assert_eq!([add("pc", "{}", 1), add("lab-3", "{\"cores\":4}", 2), add("pc", "{}", 3)], [1, 2, 1]);
    assert_eq!(add("pc", "{\"kernel\":\"6.1\"}", 4), 3, "another machine, as far as anybody knows");
    let workers = store.workers().expect("it can be read");
    assert_eq!(workers.iter().map(|worker| worker.number).collect::<Vec<_>>(), [1, 2, 3]);
    let pc = StoredWorker { number: 1, name: "pc".to_owned(), facts: "{}".to_owned(), at_ms: 1 };
    assert_eq!(workers[0], pc);
    let pieces = [&b"one"[..], b"two", b"one"].map(|bytes| Blob::new(bytes).expect("packed"));
    let whole = BlobHash::of(b"onetwoone");
    let artefact = Artefact { hash: whole, size: 9, pieces: pieces.iter().map(Blob::hash).collect() };
    assert_eq!(store.add_artefact(artefact.clone()).wait(), Err(StoreError::NoBlob(pieces[0].hash())));
    assert_eq!(store.artefact(whole), Ok(None), "all or nothing");
    for piece in pieces {
        store.put(piece).wait().expect("it is stored");
    }
    for _ in 0..2 {
        assert_eq!(store.add_artefact(artefact.clone()).wait(), Ok(()));
    }
    assert_eq!(store.artefact(whole), Ok(Some(artefact)));
    assert_eq!(store.artefact(BlobHash::of(b"none")), Ok(None));
}

pub(super) fn notes_are_kept(store: &impl Store) {
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
    let aside = StoredEvent::of_worker(EventKind::PutAside, "lab\n3", "its clock\nis wrong", 2);
    store.record(aside.clone()).wait().expect("it is stored");
    assert_eq!(store.events(1), Ok(vec![aside.clone()]), "a text of several lines comes back as it was");
    assert_eq!(aside.worker(), Some(("lab 3", "its clock\nis wrong")));
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
