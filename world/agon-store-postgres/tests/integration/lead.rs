//! One process leads a tournament. Another one goes on after it, and what the first one writes then does not count.

use crate::server::{Server, cut};
use agon_store::{
    AttemptEnd, Completion, EventKind, MatchQueue, Progress, RecordedResult, Records, Registry, Report, StoreError,
    StoredEvent, conformance,
};
use agon_store_postgres::{Postgres, PostgresReader};

fn report(id: u64, token: u64) -> Report {
    Report { token: Some(token), ..Report::unclaimed(id, conformance::result(1), Vec::new()) }
}

#[test]
fn each_tournament_has_one_leader() {
    let Some(server) = Server::shared() else { return };
    let store = server.new_store();
    let first = Postgres::open(&store).expect("a new store");
    let why = Postgres::open(&store).expect_err("it is led");
    let expected = format!("process {} on `", std::process::id());
    assert!(matches!(&why, StoreError::Led { leader, .. } if leader.starts_with(&expected)), "{why:?}");
    assert!(why.hint().is_some_and(|hint| hint.contains("--stand-by")));

    let finals = format!("{store}&tournament=finals");
    assert_eq!(PostgresReader::open(&finals).err(), Some(StoreError::NoTournament("finals".to_owned())));
    let second = Postgres::open(&finals).expect("nobody leads this one");
    assert!(matches!(first.tournament("finals"), Err(StoreError::Led { .. })));
    for (store, matches) in [(&first, 3), (&second, 2)] {
        store.enqueue((1..=matches).map(conformance::planned).collect()).wait().expect("they are new");
        assert_eq!(
            store.complete(Report::unclaimed(2, conformance::result(1), Vec::new())).wait(),
            Ok(Completion::Stored)
        );
    }
    let tokens = [&first, &second].map(|store| store.claim(1, 9, 0, 9).expect("it is there").remove(0).token);
    assert_ne!(tokens[0], tokens[1]);
    second.close().expect("everything is written");
    let second = first.tournament("finals").expect("it is free");
    assert_eq!(second.progress(), Ok(Progress { ready: 1, finished: 1, ..Progress::default() }));
    assert_eq!(first.progress(), Ok(Progress { ready: 2, finished: 1, ..Progress::default() }));
    assert_eq!(first.tournaments(), Ok(vec![String::new(), "finals".to_owned()]));
}

#[test]
fn another_process_stands_by() {
    let Some(server) = Server::shared() else { return };
    let store = server.new_store();
    let first = Postgres::open(&store).expect("a new store");
    first.enqueue((1..=3).map(conformance::planned).collect()).wait().expect("they are new");
    let leases = first.claim(7, 2, 5, 100).expect("they are there");
    first.hurry();
    let mut first = Some(first);
    let mut pauses = 0;
    let second = Postgres::open_after(&store, &mut |why| {
        assert!(matches!(why, StoreError::Led { .. }), "{why:?}");
        pauses += 1;
        if pauses == 2 {
            first.take().expect("it is there").close().expect("everything is written");
        }
        true
    });
    let second = second.expect("nobody leads it");
    assert_eq!(pauses, 2);
    assert_eq!(second.claims().map(|claims| claims.len()), Ok(2), "whoever plays may go on");
    assert_eq!(second.complete(report(1, leases[0].token)).wait(), Ok(Completion::Stored));
    assert_eq!(second.complete(report(1, leases[0].token)).wait(), Ok(Completion::Duplicate));
    let next = second.claim(8, 9, 50, 150).expect("it is there");
    assert_eq!(next.iter().map(|lease| lease.planned.id).collect::<Vec<_>>(), [3]);
    assert!(next[0].token > leases[1].token);
    assert_eq!(second.expire(100).wait().map(|silent| silent.len()), Ok(1));
}

#[test]
fn whoever_led_before_changes_nothing() {
    let Some(server) = Server::shared() else { return };
    let store = server.new_store();
    let first = Postgres::open(&store).expect("a new store");
    first.enqueue((1..=3).map(conformance::planned).collect()).wait().expect("they are new");
    let lease = first.claim(7, 1, 0, 100).expect("it is there").remove(0);
    // Whoever looks waits for what is still to be committed. With that the first one would take the lead again by itself.
    first.progress().expect("it can be read");
    cut(&store);
    let second = Postgres::open(&store).expect("nobody holds the lock");
    let is_led = |why: &StoreError| matches!(why, StoreError::Led { .. });
    assert!(first.complete(report(1, lease.token)).wait().is_err_and(|why| is_led(&why)));
    assert!(first.claim(7, 1, 0, 100).is_err_and(|why| is_led(&why)));
    assert_eq!(second.progress(), Ok(Progress { ready: 3, ..Progress::default() }));
    second.close().expect("everything is written");
    assert!(first.enqueue(vec![conformance::planned(4)]).wait().is_err_and(|why| is_led(&why)), "also afterwards");
    assert!(first.close().is_err_and(|why| is_led(&why)));
}

/// Whether the group was committed before its connection broke or is made again, nobody sees a difference.
#[test]
fn a_group_whose_connection_broke_is_made_again() {
    let Some(server) = Server::shared() else { return };
    for is_committed in [false, true] {
        let address = server.new_store();
        let store = Postgres::open(&address).expect("a new store");
        for name in ["a", "b"] {
            store.add_bot(name).wait().expect("the name is new");
        }
        store.enqueue((1..=5).map(conformance::planned).collect()).wait().expect("they are new");
        let leases = store.claim(1, 4, 0, 100).expect("they are there");
        store.extend(&[leases[3].token], 900).expect("it holds");
        // Until it is sent, all of this is only in the open group and in memory.
        let worker = store.add_worker("pc", "{}", 5);
        let enqueued = store.enqueue(vec![conformance::planned(6)]);
        let result = RecordedResult { reason: "a NUL: \0".to_owned(), ..conformance::result(1) };
        let stored = store.complete(Report { result: result.clone().into(), ..report(1, leases[0].token) });
        let given_back = store.give_back(&leases[1], AttemptEnd::Spoilt, "no memory\0", 50);
        let late = store.complete(report(1, 1));
        let silent = store.expire(100);
        let event = StoredEvent { kind: EventKind::Rerun, at_ms: 1, id: None, bot: None, text: "\u{1}".to_owned() };
        let event_kept = store.record(event.clone());
        if is_committed {
            store.hurry();
        }
        cut(&address);
        let last = store.claim(2, 9, 100, 200).expect("memory is not lost");
        assert_eq!(
            last.iter().map(|lease| (lease.planned.id, lease.attempts)).collect::<Vec<_>>(),
            [(2, 1), (3, 1), (5, 0), (6, 0)]
        );
        assert_eq!((stored.wait(), late.wait()), (Ok(Completion::Stored), Ok(Completion::Late)));
        assert_eq!((enqueued.wait(), event_kept.wait()), (Ok(()), Ok(())));
        let workers = store.workers().map(|workers| workers.iter().map(|known| known.number).collect::<Vec<_>>());
        assert_eq!(workers, worker.wait().map(|number| vec![number]));
        assert_eq!((given_back.wait(), silent.wait().map(|silent| silent.len())), (Ok(1), Ok(1)));

        assert_eq!(store.progress(), Ok(Progress { ready: 5, finished: 1, ..Progress::default() }));
        assert_eq!(store.find(1).map(|found| found.and_then(|stored| stored.result)), Ok(Some(result)));
        let bots = store.bots().expect("they can be read");
        assert_eq!(bots.iter().map(|bot| bot.totals.played).collect::<Vec<_>>(), [1, 1]);
        assert_eq!(store.attempts(2).map(|attempts| attempts[0].why.clone()), Ok("no memory\0".to_owned()));
        let events = store.events(9).expect("they can be read");
        assert_eq!((events.len(), events.last()), (4, Some(&event)), "{events:?}");
        let claims = |store: &dyn Records| {
            let claims = store.claims().expect("they can be read");
            claims.iter().map(|claim| (claim.id, claim.worker)).collect::<Vec<_>>()
        };
        let expected = [(2, 2), (3, 2), (4, 1), (5, 2), (6, 2)];
        assert_eq!(claims(&store), expected);
        store.close().expect("everything is written");
        let reader = PostgresReader::open(&address).expect("it can be read");
        assert_eq!((claims(&reader), reader.flaws()), (expected.to_vec(), Ok(Vec::new())));
        let again = Postgres::open(&address).expect("it can be opened");
        assert_eq!(claims(&again), expected);
    }
}

#[test]
fn a_reader_sees_one_moment() {
    let Some(server) = Server::shared() else { return };
    let address = server.new_store();
    assert!(matches!(PostgresReader::open(&address), Err(StoreError::Empty(_))));
    let store = Postgres::open(&address).expect("a new store");
    store.enqueue((1..=2).map(conformance::planned).collect()).wait().expect("they are new");
    let [frozen, reader] = [(); 2].map(|()| PostgresReader::open(&address).expect("it can be read"));
    frozen.freeze().expect("it can be");
    store.complete(Report::unclaimed(1, conformance::result(1), Vec::new())).wait().expect("it is there");
    let over = |reader: &PostgresReader| {
        reader.matches(0, 9).map(|found| found.iter().filter(|stored| stored.result.is_some()).count())
    };
    assert_eq!((over(&frozen), over(&reader)), (Ok(0), Ok(1)));
}
