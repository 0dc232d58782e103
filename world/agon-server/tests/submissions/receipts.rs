use crate::ground::{Bench, Ground, member, people};
use agon_contest::{Kind, Limits};
use agon_server::{
    Error, Refusal,
    database::Database,
    submissions::{MOST_WAITING, UploadForm, announce, receipt, receive, versions},
};

#[test]
fn the_same_bytes_give_the_same_receipt() {
    let bench = Bench::new();
    bench.clock.set(1_000);
    let first = bench.send(1, "a");
    assert_eq!((first.number, first.size, first.received_ms), (1, 1, 1_000));
    bench.clock.set(2_000);
    assert_eq!(bench.send(1, "a"), first, "also later");
    assert_eq!(bench.send(1, "b").number, 2);
    let other = bench.send(2, "a");
    assert_eq!((other.number, other.received_ms, other.hash), (1, 2_000, first.hash), "another team has its own");
    bench.run_all();
    assert_eq!(bench.send(1, "a"), first, "also behind its steps");
    let found = bench.database.read(move |sql| receipt(sql, 1, first.hash, UploadForm::TarGz)).expect("it is read");
    assert_eq!(found.map(|receipt| receipt.id), Some(first.id));
    let unknown = bench.database.read(move |sql| receipt(sql, 1, first.hash, UploadForm::Zip)).expect("it is read");
    assert_eq!(unknown, None, "the same bytes of another form are something else");
}

#[test]
fn many_at_the_same_time_get_one_receipt() {
    let (ground, database) = (Ground::new(), Database::memory().expect("there is memory"));
    people(&database);
    let receipts: Vec<_> = std::thread::scope(|scope| {
        let send = |at: i64| ground.send(&database, 1, b"the same", at);
        let threads: Vec<_> = (0..8).map(|at| scope.spawn(move || send(at))).collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    assert!(receipts.iter().all(|receipt| *receipt == receipts[0]), "{receipts:?}");
    assert_eq!(database.read(|sql| versions(sql, &member(1, 0), 1)).expect("it is read").len(), 1);
}

#[test]
fn a_receipt_is_on_disk() {
    let ground = Ground::new();
    let path = ground.path("cup.agon");
    let store = agon_store::Sqlite::open(&path).expect("a store");
    let database = Database::sqlite(&path).expect("a store");
    people(&database);
    let bytes = vec![7; 3 << 20];
    let first = ground.send(&database, 1, &bytes, 5);
    drop((database, store));
    let _store = agon_store::Sqlite::open(&path).expect("a store");
    let database = Database::sqlite(&path).expect("a store");
    assert_eq!(ground.send(&database, 1, &bytes, 9), first);
}

#[test]
fn requests_are_counted_and_rights_are_asked_for() {
    let (database, limits) = (Database::memory().expect("there is memory"), Limits::default());
    people(&database);
    let most = limits.of(Kind::Submit).team.expect("teams have a limit").most;
    for at in 0..i64::from(most) {
        announce(&database, &limits, &member(1, at)).expect("it is allowed");
    }
    let refused = announce(&database, &limits, &member(1, 1_000)).expect_err("one more");
    assert!(matches!(refused, Error::Refused(Refusal::TooOften { .. })), "{refused}");
    announce(&database, &limits, &member(2, 1_000)).expect("others are not concerned");
    let ground = Ground::new();
    let upload = ground.upload(UploadForm::Zip, "x.zip", b"x");
    assert_eq!(receive(&database, &member(2, 0), 1, upload), Err(Refusal::NotAllowed.into()));
    assert_eq!(database.read(|sql| versions(sql, &member(2, 0), 1)), Err(Refusal::NotAllowed.into()));
}

#[test]
fn a_team_has_so_many_waiting_versions() {
    let bench = Bench::new();
    let (ground, database) = (Ground::new(), bench.database.clone());
    let send = |bytes: &str| {
        let upload = ground.upload(UploadForm::TarGz, "mine.tar.gz", bytes.as_bytes());
        receive(&database, &member(1, 0), 1, upload)
    };
    let sent = |number: i64| send(&number.to_string());
    let first = sent(1).expect("there is room");
    for number in 2..=MOST_WAITING {
        sent(number).expect("there is room");
    }
    let refused = send("one more").expect_err("too many wait");
    assert!(matches!(refused, Error::Refused(Refusal::Conflict(_))), "{refused}");
    assert_eq!(sent(1), Ok(first), "what was received stays received");
    bench.run_all();
    send("one more").expect("none waits");
}

#[test]
fn a_receipt_needs_bytes() {
    let ground = Ground::new();
    let database = Database::memory().expect("there is memory");
    people(&database);
    let upload = ground.upload(UploadForm::Zip, "x.zip", b"not a zip");
    let receipt = receive(&database, &member(1, 0), 1, upload).expect("nobody looks into it");
    assert_eq!(receipt.size, 9);
}
