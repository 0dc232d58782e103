//! Workers that are put aside, and what they have played.

use super::{HEAD, bots, exported, open, play, results};
use agon_spec::{DecisionKind, StandingsCheck};
use agon_store::{
    Blob, MatchQueue, Memory, RecordedFault, RecordedResult, RecordedSeat, Records, Registry, Report, Store,
};
use agon_tournament::{
    RunEnd, Tournament, TournamentError, decisions, preview_purge, purges, put_aside, take_back, verify_table, workers,
};

const FACTS: &str =
    "{\"away\":true,\"agon\":\"0.1.0\",\"kernel\":\"Linux 6.1\",\"cpu\":\"Z80\",\"cores\":4,\"isolation\":\"full\"}";

/// Lets a worker finish some matches that wait in the store. The last bot is late in all of them.
fn lie(store: &impl Store, name: &str, count: usize) -> Vec<u64> {
    let worker = store.add_worker(name, FACTS, 1).wait().expect("it is stored");
    let leases = store.claim(worker, count, 1, 1_000_000).expect("it can be read");
    let replay = store.put(Blob::new(b"not true").expect("packed")).wait().expect("it is stored");
    let ids = leases.iter().map(|lease| {
        let seats = (1..).zip(&lease.planned.bots).map(|(place, bot)| {
            let fault = (*bot == 2).then(|| RecordedFault { kind: "late".to_owned(), ..RecordedFault::default() });
            let score = -i64::from(place);
            RecordedSeat { version: 1, score, place, fault, decisions: 1, time_us: 9, ..RecordedSeat::default() }
        });
        let seats = seats.collect();
        let result = RecordedResult { seats, worker: Some(worker), replay: Some(replay), ..RecordedResult::default() };
        let report = Report { token: Some(lease.token), ..Report::unclaimed(lease.planned.id, result, Vec::new()) };
        store.complete(report).wait().expect("it waits");
        lease.planned.id
    });
    ids.collect()
}

/// Plays a tournament of which a worker has invented some results.
fn cup(keys: &str) -> (String, Tournament<Memory>, Vec<u64>) {
    let words = ["@random", "@greedy", "@frontier", "@random", "@greedy", "@frontier"];
    let text = format!("{HEAD}{keys}\n{}", bots(&words[..if keys.contains("kind") { 6 } else { 3 }]));
    let mut tournament = open(Memory::new(), &text).expect("it is new");
    play(&mut tournament, 1, 3);
    let store = tournament.into_store();
    let mut lied = lie(&store, "lab-3", 2);
    assert_eq!((lied.len(), lie(&store, "lab-1", 1).len()), (2, 1));
    lied.extend(lie(&store, "lab-3", 1));
    let mut tournament = open(store, &text).expect("it continues");
    assert_eq!(play(&mut tournament, 1, usize::MAX).0, RunEnd::Complete);
    (text, tournament, lied)
}

fn refused<T: std::fmt::Debug>(result: Result<T, TournamentError>) -> (String, String) {
    let why = result.expect_err("it is refused");
    (why.to_string(), why.hint().unwrap_or_default())
}

#[test]
fn what_a_worker_has_played_is_played_again() {
    let (text, tournament, lied) = cup("rounds = 4");
    let store = tournament.into_store();
    let (table, before) = (exported(&store)["standings"].clone(), results(&store));
    let preview = preview_purge(&store, "lab-3").expect("it has played");
    assert_eq!((&preview.results, preview.resting, preview.held), (&lied, 0, 0));
    assert_eq!(preview.bots.values().sum::<u64>(), 2 * lied.len() as u64);
    assert_ne!(preview.before, preview.after);
    assert_eq!(preview.aside, None);
    assert_eq!(
        (exported(&store)["standings"].clone(), results(&store)),
        (table, before.clone()),
        "nothing has changed"
    );
    let (what, hint) = refused(preview_purge(&store, "lab-4"));
    assert_eq!(what, "no worker `lab-4` has played");
    assert!(hint.contains("`lab-1`, `lab-3`"), "{hint}");

    let mut tournament = open(store, &text).expect("it continues");
    assert!(tournament.purge("lab-4", "").is_err());
    let purged = tournament.purge("lab-3", "its clock is wrong").expect("it has played");
    assert_eq!((purged.again, purged.left_out), (3, 0));
    assert_eq!(tournament.standings(), preview.after);
    assert_eq!(verify_table(tournament.store()).expect("it can be read"), StandingsCheck::Agree);
    let told = decisions(tournament.store()).expect("they can be read");
    let told = told.last().expect("a decision");
    assert_eq!(
        (told.decision, told.worker.as_deref(), &*told.why),
        (DecisionKind::PutAside, Some("lab-3"), "its clock is wrong")
    );
    assert_eq!(agon_tournament::decision_text(told), "worker lab-3 was put aside: its clock is wrong");

    // A process that is killed here has lost nothing.
    let mut again = open(tournament.into_store(), &text).expect("it continues");
    assert_eq!(put_aside(again.store()).expect("it can be read")["lab-3"], "its clock is wrong");
    let (end, told) = play(&mut again, 1, usize::MAX);
    assert_eq!((end, told.iter().filter(|event| event.name() == "match").count()), (RunEnd::Complete, 3));
    for (now, before) in results(again.store()).iter().zip(&before) {
        let (result, was) = (now.result.as_ref().expect("it is over"), before.result.as_ref().expect("it was over"));
        assert_eq!(result.agrees(was), !lied.contains(&now.planned.id), "{}", now.planned.id);
    }
    let earlier = again.store().earlier().expect("it can be read");
    assert_eq!(earlier.iter().map(|one| one.stored.planned.id).collect::<Vec<_>>(), lied);
    let store = again.into_store();
    assert_eq!(preview_purge(&store, "lab-3").expect("it is known").results, [0; 0]);

    assert!(refused(take_back(&store, "lab-1", "")).1.contains("put aside: `lab-3`"));
    take_back(&store, "lab-3", "it has a new one").expect("it is put aside");
    assert!(put_aside(&store).expect("it can be read").is_empty());
    assert_eq!(purges(&store).expect("it can be read"), 1, "it was put aside once");
    assert_eq!(refused(take_back(&store, "lab-3", "")).1, "no worker is");
    let mut tournament = open(store, &text).expect("it continues");
    tournament.purge("lab-3", "again").expect("it is known");
    assert_eq!(put_aside(tournament.store()).expect("it can be read")["lab-3"], "again");
}

#[test]
fn an_undisturbed_tournament_has_the_same_table_in_the_end() {
    for keys in ["rounds = 4", "kind = \"swiss\"\nrounds = 3", "kind = \"ladder\"\nrounds = 20"] {
        let (text, mut tournament, lied) = cup(keys);
        let preview = preview_purge(tournament.store(), "lab-3").expect("it has played");
        let rests = keys.contains("kind");
        assert_eq!(preview.resting > 0, rests, "{keys}: {preview:?}");
        tournament.purge("lab-3", "it lies").expect("it has played");
        tournament.purge("lab-1", "so does this one").expect("it has played");
        let mut again = open(tournament.into_store(), &text).expect("it continues");
        let (end, told) = play(&mut again, 2, usize::MAX);
        assert_eq!((end, told.iter().filter(|one| one.name() == "match").count()), (RunEnd::Complete, lied.len() + 1));
        let table = again.standings();
        let anew = open(again.into_store(), &text).expect("it continues");
        assert_eq!((anew.is_complete(), anew.standings()), (true, table.clone()));
        if !rests {
            let mut fair = open(Memory::new(), &text).expect("it is new");
            play(&mut fair, 1, usize::MAX);
            assert_eq!(table, fair.standings());
        }
    }
}

#[test]
fn matches_of_withdrawn_bots_are_left_out_and_claims_end() {
    let (text, mut tournament, lied) = cup("rounds = 4");
    let of_two = results(tournament.store()).into_iter().filter(|one| lied.contains(&one.planned.id));
    let of_two: Vec<u64> = of_two.filter(|one| one.planned.bots.contains(&2)).map(|one| one.planned.id).collect();
    assert!(!of_two.is_empty());
    tournament.withdraw(2, "it went home").expect("it plays");
    let free = |one: &agon_store::StoredMatch| !one.planned.bots.contains(&2) && !lied.contains(&one.planned.id);
    let free = results(tournament.store()).into_iter().find(free).expect("there are some").planned.id;
    tournament.rerun(free, "so that somebody may have it").expect("it is over");
    let store = tournament.into_store();
    let other = store.add_worker("lab-1", FACTS, 1).wait().expect("it is known");
    assert_eq!(store.claim(other, 1, 1, 1_000_000).map(|leases| leases.len()), Ok(1));
    let preview = preview_purge(&store, "lab-3").expect("it has played");
    assert_eq!((&preview.left_out, preview.held, preview.held_elsewhere), (&of_two, 0, 1));
    let mut tournament = open(store, &text).expect("it continues");
    let purged = tournament.purge("lab-3", "it lies").expect("it has played");
    assert_eq!((purged.again, purged.left_out), (lied.len() - of_two.len(), of_two.len()));
    assert_eq!(tournament.store().claims().map(|claims| claims.len()), Ok(0));
    let mut again = open(tournament.into_store(), &text).expect("it continues");
    assert_eq!(play(&mut again, 1, usize::MAX).0, RunEnd::Complete);
    assert_eq!(verify_table(again.store()).expect("it can be read"), StandingsCheck::Agree);
    let anew = open(again.into_store(), &text).expect("it continues");
    assert!(anew.is_complete());
}

#[test]
fn this_machine_does_not_play_once_it_is_put_aside() {
    let (text, tournament, _) = cup("rounds = 4");
    let here = tournament.store().workers().expect("it can be read")[0].name.clone();
    let mut tournament = open(tournament.into_store(), &text).expect("it continues");
    tournament.purge(&here, "it was busy").expect("it has played");
    let cancel = agon_play::Cancel::new().expect("a flag");
    let placement = agon_play::CorePlacement::Anywhere;
    let options = agon_tournament::RunOptions { at_once: std::num::NonZeroUsize::MIN, cancel, placement };
    let (what, hint) = refused(tournament.run(&options, &mut |_| ()));
    assert_eq!(what, format!("this machine, `{here}`, was put aside: it was busy"));
    assert!(hint.contains("readmit"), "{hint}");
    take_back(tournament.store(), &here, "it is idle now").expect("it is put aside");
    assert_eq!(play(&mut tournament, 1, usize::MAX).0, RunEnd::Complete);
}

#[test]
fn workers_are_compared_with_each_other() {
    let text = format!("{HEAD}rounds = 40\n{}", bots(&["@random", "@greedy", "@frontier"]));
    let mut tournament = open(Memory::new(), &text).expect("it is new");
    play(&mut tournament, 1, 100);
    let store = tournament.into_store();
    lie(&store, "lab-3", 60);
    let mut tournament = open(store, &text).expect("it continues");
    play(&mut tournament, 1, usize::MAX);
    let document = workers(tournament.store()).expect("it has begun");
    let [here, lab] = &document.workers[..] else { panic!("{document:?}") };
    assert_eq!((lab.worker.name.as_str(), lab.finished, lab.spoilt), ("lab-3", lab.worker.matches, 0));
    assert!(lab.finished >= 20 && lab.late > 10, "{lab:?}");
    assert_eq!((lab.worker.machines[0].cpu.as_str(), lab.worker.machines[0].cores), ("Z80", 4));
    assert!(lab.stands_out.as_ref().is_some_and(|why| why.starts_with("bots were late on it")), "{lab:?}");
    assert_eq!((here.late, &here.stands_out, document.purges), (0, &None, 0));
    assert!(lab.late_residual.deviations.is_some_and(|z| z > 4.0) && here.late_residual.seen == 0);
    assert_eq!(here.worker.matches + lab.worker.matches, 240);
    let exported = agon_tournament::export(tournament.store()).expect("it has begun");
    let of_lab = exported.matches.iter().filter(|row| row.worker.as_deref() == Some("lab-3")).count();
    assert_eq!((of_lab as u64, exported.workers.len()), (lab.worker.matches, 2));
    let csv = agon_tournament::to_csv(&exported);
    assert_eq!(csv.lines().filter(|line| line.ends_with(",lab-3")).count(), 2 * of_lab);
}
