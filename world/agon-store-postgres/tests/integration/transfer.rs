//! A tournament on its way from a file to a server and back.

use crate::server::Server;
use agon_store::{
    Artefact, AttemptEnd, Blob, BotVersion, Decision, EventKind, FileVersion, MatchQueue, OpenStore, Part,
    RecordedResult, Records, Registry, Report, Snapshot, Sqlite, SqliteReader, StoreError, StoreReader, StoredEvent,
    StoredMap, conformance,
};
use agon_store_postgres::{Postgres, PostgresReader};

fn play_again(store: &impl agon_store::Store, id: u64) {
    let event = StoredEvent { kind: EventKind::Rerun, at_ms: 10, id: Some(id), bot: None, text: "again".to_owned() };
    let decision = Decision { amendment: Some(format!("again {id}")), again: vec![id], bot: None, event };
    store.decide(decision).wait().expect("it is over");
}

/// Writes something of everything.
fn fill(store: &impl agon_store::Store) {
    let blob = Blob::new(b"a map").expect("packed");
    let hash = store.put(blob).wait().expect("it is stored");
    for name in ["a", "b\0"] {
        let bot = store.add_bot(name).wait().expect("the name is new");
        let version = BotVersion { number: 0, hash: Some(hash), words: "x".to_owned(), at_ms: 4 };
        store.add_version(bot, version).wait().expect("it is there");
    }
    store.withdraw(1, Some("late")).wait().expect("it is there");
    for (name, content) in [("gen", None), ("m", Some(hash))] {
        store.add_map(StoredMap { name: name.to_owned(), content }).wait().expect("it is stored");
    }
    store.add_artefact(Artefact { hash, size: 5, pieces: vec![hash] }).wait().expect("it is there");
    let worker = store.add_worker("pc", "{}", 3).wait().expect("it is stored");
    store.enqueue((1..=700).map(conformance::planned).collect()).wait().expect("they are new");
    let leases = store.claim(worker, 5, 0, 100).expect("they are there");
    let replay = Blob::new(b"replay").expect("packed");
    for lease in leases.iter().take(3) {
        let result = RecordedResult { worker: Some(worker), replay: Some(replay.hash()), ..conformance::result(7) };
        let report = Report::unclaimed(lease.planned.id, result, vec![replay.clone()]);
        store.complete(Report { token: Some(lease.token), ..report }).wait().expect("it is there");
    }
    store.give_back(&leases[3], AttemptEnd::Spoilt, "no memory", 8).wait().expect("it is there");
    store.void(1, "wrong", 9).wait().expect("it is there");
    play_again(store, 2);
    store.complete(Report::unclaimed(2, conformance::result(8), Vec::new())).wait().expect("it is there");
    store.keep("table", Snapshot { after: 3, text: "[]".to_owned() }).wait().expect("it is stored");
    store.add_file(FileVersion { text: "name".to_owned(), agon: "1".to_owned(), at_ms: 1 }).wait().expect("stored");
}

/// Returns every part, those without an order of their own in the order of their texts.
fn parts(store: &dyn StoreReader) -> Vec<String> {
    let mut parts = Vec::new();
    store
        .export(&mut |part| {
            let first = if matches!(part, Part::Blob(_)) { "0" } else { "1" };
            if let Part::Opened(_) = part {
                return Ok(());
            }
            // How plans lie in rows does not matter.
            let text = match part {
                Part::Ready(mut matches) => {
                    matches.sort_by_key(|(planned, _)| planned.id);
                    format!("{matches:?}")
                }
                other => format!("{other:?}"),
            };
            parts.push(format!("{first}{text}"));
            Ok(())
        })
        .expect("it can be read");
    let blobs = parts.iter().filter(|part| part.starts_with('0')).count();
    assert_eq!(blobs, 2);
    parts.sort_by_key(|part| if part.starts_with('0') { part.clone() } else { "1".to_owned() });
    parts
}

#[test]
fn a_tournament_is_the_same_after_two_ways() {
    let Some(server) = Server::shared() else { return };
    let folder = std::env::temp_dir().join(format!("agon-transfer-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let [first, second] = ["first.agon", "second.agon"].map(|name| folder.join(name));
    let store = Sqlite::open(&first).expect("a new store");
    fill(&store);
    store.close().expect("it is written");
    let read = || Box::new(SqliteReader::open(&first).expect("it can be read"));
    let expected = parts(&*read());

    let address = server.new_store();
    let far: Box<dyn OpenStore> = Box::new(Postgres::open(&address).expect("a new store"));
    let copied = far.import(read()).wait().expect("it is empty");
    assert_eq!((copied.over, copied.ready, copied.blobs), (3, 697, 2));
    assert_eq!(far.import(read()).wait(), Err(StoreError::NotEmpty));
    let lease = far.claim(1, 1, 0, 9).expect("it is there").remove(0);
    let given = (1 << 32) + 5;
    assert!(lease.token > given, "no token is given twice: {}", lease.token);
    far.release(&[lease.token]).expect("it holds");
    far.close().expect("it is written");
    let far = PostgresReader::open(&address).expect("it can be read");
    assert_eq!(parts(&far), expected);
    assert_eq!(far.flaws(), Ok(Vec::new()));

    let back = Sqlite::open(&second).expect("a new store");
    back.import(Box::new(far)).wait().expect("it is empty");
    back.close().expect("it is written");
    let back = SqliteReader::open(&second).expect("it can be read");
    assert_eq!((parts(&back), back.flaws()), (expected, Ok(Vec::new())));
    let again = Sqlite::open(&second).expect("it is there");
    assert_eq!(again.import(read()).wait(), Err(StoreError::NotEmpty));
    assert!(again.claim(1, 1, 0, 9).expect("it is there")[0].token > given);
    again.complete(Report::unclaimed(9, conformance::result(1), Vec::new())).wait().expect("its number is free");
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

/// The same from one server to another: nothing in between.
#[test]
fn a_tournament_can_be_copied_to_another_schema() {
    let Some(server) = Server::shared() else { return };
    let [from, to] = [server.new_store(), server.new_store()];
    let store = Postgres::open(&from).expect("a new store");
    fill(&store);
    store.close().expect("it is written");
    let read = |address: &str| Box::new(PostgresReader::open(address).expect("it can be read"));
    let target = Postgres::open(&to).expect("a new store");
    OpenStore::import(&target, read(&from)).wait().expect("it is empty");
    target.add_worker("another", "{}", 1).wait().expect("its number is free");
    target.close().expect("it is written");
    let without_worker =
        |parts: Vec<String>| -> Vec<String> { parts.into_iter().filter(|part| !part.starts_with("1Worker")).collect() };
    assert_eq!(without_worker(parts(&*read(&to))), without_worker(parts(&*read(&from))));
}

/// The match with the last number is played again, then copied: its result must not get that number once more.
#[test]
fn numbers_of_results_go_on_after_a_copy() {
    let Some(server) = Server::shared() else { return };
    let folder = std::env::temp_dir().join(format!("agon-numbers-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let [first, second] = ["first.agon", "second.agon"].map(|name| folder.join(name));
    let over = |id| Report::unclaimed(id, conformance::result(7), Vec::new());
    let near = Sqlite::open(&first).expect("a new store");
    near.enqueue((1..=3).map(conformance::planned).collect()).wait().expect("they are new");
    for id in 1..=3 {
        near.complete(over(id)).wait().expect("it is there");
    }
    play_again(&near, 3);
    near.close().expect("it is written");

    let address = server.new_store();
    let far = Postgres::open(&address).expect("a new store");
    let source = Box::new(SqliteReader::open(&first).expect("it can be read"));
    OpenStore::import(&far, source).wait().expect("it is empty");
    far.complete(over(3)).wait().expect("it is there");
    let numbers = |store: &dyn Records, after| -> Vec<u64> {
        let over = store.over_since(after, 9).expect("it can be read");
        over.into_iter().map(|(number, _)| number).collect()
    };
    assert_eq!(numbers(&far, 3), [4]);
    play_again(&far, 3);
    far.close().expect("it is written");

    let back = Sqlite::open(&second).expect("a new store");
    let source = Box::new(PostgresReader::open(&address).expect("it can be read"));
    OpenStore::import(&back, source).wait().expect("it is empty");
    back.complete(over(3)).wait().expect("it is there");
    assert_eq!(numbers(&back, 4), [5]);
    back.close().expect("it is written");
    std::fs::remove_dir_all(&folder).expect("it is ours");
}
