use crate::ground::{Bench, Ground};
use agon_server::{
    Error, Refusal,
    database::Database,
    submissions::{MOST_WAITING, Sender, UPLOADS_AN_HOUR, UploadForm, ask, receipt, receive, versions},
};

const HOUR_MS: i64 = 3_600_000;

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
    let receipts: Vec<_> = std::thread::scope(|scope| {
        let send = |at: i64| ground.send(&database, 1, b"the same", at);
        let threads: Vec<_> = (0..8).map(|at| scope.spawn(move || send(at))).collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    assert!(receipts.iter().all(|receipt| *receipt == receipts[0]), "{receipts:?}");
    assert_eq!(database.read(|sql| versions(sql, 1)).expect("it is read").len(), 1);
}

#[test]
fn a_receipt_is_on_disk() {
    let ground = Ground::new();
    let path = ground.path("cup.agon");
    let store = agon_store::Sqlite::open(&path).expect("a store");
    let database = Database::sqlite(&path).expect("a store");
    let bytes = vec![7; 3 << 20];
    let first = ground.send(&database, 1, &bytes, 5);
    drop((database, store));
    let _store = agon_store::Sqlite::open(&path).expect("a store");
    let database = Database::sqlite(&path).expect("a store");
    assert_eq!(ground.send(&database, 1, &bytes, 9), first);
}

#[test]
fn requests_are_counted_by_team() {
    let database = Database::memory().expect("there is memory");
    let sender = |team| Sender { team, account: 1 };
    for at in 0..UPLOADS_AN_HOUR {
        ask(&database, sender(1), at).expect("it is allowed");
    }
    let refused = ask(&database, sender(1), 1_000_000).expect_err("one more");
    assert_eq!(refused, Error::Refused(Refusal::TooOften { after_ms: HOUR_MS - 1_000_000 }));
    ask(&database, sender(2), 1_000_000).expect("others are not concerned");
    ask(&database, sender(1), HOUR_MS + 1).expect("an hour later");
    let noted = "SELECT count(*) FROM contest_submission_requests WHERE team = 1 AND refused = 1";
    assert_eq!(database.read(|sql| sql.int(noted, &[])), Ok(1), "what is refused is noted, too");
}

#[test]
fn a_team_has_so_many_waiting_versions() {
    let bench = Bench::new();
    let sender = Sender { team: 1, account: 1 };
    for number in 0..MOST_WAITING {
        bench.send(1, &number.to_string());
    }
    let refused = ask(&bench.database, sender, 0).expect_err("too many wait");
    assert!(matches!(refused, Error::Refused(Refusal::Conflict(_))), "{refused}");
    bench.run_all();
    ask(&bench.database, sender, 0).expect("none waits");
}

#[test]
fn a_receipt_needs_bytes() {
    let ground = Ground::new();
    let database = Database::memory().expect("there is memory");
    let upload = ground.upload(UploadForm::Zip, "x.zip", b"not a zip");
    let receipt = receive(&database, Sender { team: 1, account: 1 }, upload, 0).expect("nobody looks into it");
    assert_eq!(receipt.size, 9);
}
