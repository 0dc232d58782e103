//! Leases that end, and matches that are lost.

use crate::desk::{
    Desk, Spoken, about, answer_to, beat, claim, claimed, given_back, lease, notices, ready, report, settings, stored,
    tokens,
};
use agon_dispatch::{Answer, Do, In, Notice, Request, WorkerPresence};
use agon_spec::{WorkerBeaten, WorkerGiveBack, WorkerLease, WorkerRegister};

#[test]
fn the_matches_of_a_silent_worker_end_and_it_is_told_when_it_is_back() {
    let mut desk = Desk::with(&[("a", 2)]);
    desk.hand("a", 1, &[lease(1, 7), lease(2, 8)]);
    assert_eq!(given_back(&desk.wait(29_000)), []);
    let done = desk.wait(1_000);
    let why = "worker a was silent for 30 s".to_owned();
    assert_eq!(given_back(&done), [(7, why.clone()), (8, why)]);
    assert!(notices(&done).contains(&Notice::Gone { name: "a".into(), held: 0, silent: true }));
    assert_eq!(desk.dispatcher.workers()[0].presence, WorkerPresence::Silent);
    let (asker, done) = desk.ask("a", beat(&[(7, Some(3)), (8, None)]));
    assert!(notices(&done).contains(&Notice::Back { name: "a".into() }));
    assert_eq!(answer_to(asker, done), Ok(Answer::Beaten(WorkerBeaten { over: vec![7, 8] })));
}

#[test]
fn signs_of_life_keep_matches_as_long_as_they_go_on() {
    // The turns that a worker tells every 5 seconds, and after how many of them the match is lost.
    let rising: Vec<Option<u32>> = (0..40).map(Some).collect();
    let stuck: Vec<Option<u32>> = (0..40).map(|n| Some(n.min(4))).collect();
    let falls: Vec<Option<u32>> = (0..40).map(|n| Some(if n < 4 { n } else { 1 })).collect();
    // The host of a bot spoils its first attempt in turn 200.
    let again: Vec<Option<u32>> = (0..40).map(|n| Some(if n < 4 { 200 } else { n })).collect();
    let over: Vec<Option<u32>> = (0..40).map(|n| (n < 4).then_some(n)).collect();
    let never: Vec<Option<u32>> = vec![None; 40];
    for (plies, lost) in
        [(rising, None), (stuck, Some(17)), (falls, Some(17)), (again, None), (over, None), (never, Some(12))]
    {
        let mut desk = Desk::with(&[("a", 1)]);
        desk.hand("a", 1, &[lease(1, 7)]);
        let at = plies.iter().position(|ply| {
            let done = desk.wait(5_000);
            desk.ask("a", beat(&[(7, *ply)]));
            !given_back(&done).is_empty()
        });
        assert_eq!(at.map(|at| at + 1), lost, "{plies:?}");
    }
}

#[test]
fn matches_wait_for_their_turn_as_long_as_others_of_their_worker_go_on() {
    let mut desk = Desk::with(&[("a", 2)]);
    desk.hand("a", 1, &[lease(1, 7), lease(2, 8)]);
    for ply in 0..40 {
        let done = desk.wait_beating(5_000, &[("a", &[(7, Some(ply)), (8, None)])]);
        assert_eq!(given_back(&done), []);
    }
}

#[test]
fn leases_are_prolonged_in_the_store_now_and_then() {
    let mut desk = Desk::with(&[("a", 1)]);
    desk.hand("a", 1, &[lease(1, 7)]);
    let done = desk.wait_beating(40_000, &[("a", &[(7, Some(1))])]);
    let extended = done.iter().filter(|it| matches!(it, Do::Extend(tokens) if tokens == &[7])).count();
    assert_eq!(extended, 4);
}

#[test]
fn a_match_of_which_its_worker_does_not_speak_is_lost() {
    let mut desk = Desk::with(&[("a", 2)]);
    desk.hand("a", 1, &[lease(1, 7), lease(2, 8)]);
    let done = desk.wait_beating(35_000, &[("a", &[(7, Some(1))])]);
    assert_eq!(given_back(&done), [(8, "worker a did not speak of it for 30 s".to_owned())]);
}

#[test]
fn no_lease_is_endless() {
    let mut desk = Desk::with(&[("a", 1)]);
    desk.hand("a", 1, &[lease(1, 7)]);
    let mut ply = 0;
    let mut back = Vec::new();
    while back.is_empty() && ply < 20_000 {
        ply += 1;
        back = given_back(&desk.wait_beating(5_000, &[("a", &[(7, Some(ply))])]));
    }
    assert_eq!(back, [(7, "worker a had it for 86400 s".to_owned())]);
}

/// Lets a worker die with a match that it plays alone. Returns what is done.
fn lose(desk: &mut Desk, worker: &str, others: &[&str], request: u32, lease: WorkerLease) -> Vec<Do> {
    let token = lease.token;
    let given = desk.hand(worker, request, &[lease]);
    assert_eq!(tokens(&given), [token]);
    let others: Vec<(&str, &Spoken)> = others.iter().map(|name| (*name, &[][..])).collect();
    desk.wait_beating(30_000, &others)
}

#[test]
fn a_match_that_kills_one_worker_after_another_is_spoilt() {
    let mut desk = Desk::with(&[("a", 1), ("b", 1)]);
    assert_eq!(given_back(&lose(&mut desk, "a", &["b"], 1, lease(1, 7))).len(), 1);
    assert_eq!(given_back(&lose(&mut desk, "b", &[], 1, lease(1, 8))).len(), 1);
    desk.ask("b", beat(&[]));
    let done = lose(&mut desk, "a", &["b"], 2, lease(1, 9));
    assert_eq!(given_back(&done), []);
    let spoilt = done.iter().find_map(|it| match it {
        Do::Spoil { token: 9, id: 1, why } => Some(why.clone()),
        _ => None,
    });
    assert_eq!(spoilt.unwrap(), "3 attempts were lost, on the workers a, b: worker a was silent for 30 s");
}

#[test]
fn workers_of_one_name_are_several() {
    let mut desk = Desk::new(settings());
    for instance in ["a", "b"] {
        desk.register(WorkerRegister { name: "node".into(), ..about(instance, 1) }).expect("it is known");
        desk.ask(instance, ready(&[0, 1, 2]));
    }
    lose(&mut desk, "a", &["b"], 1, lease(1, 7));
    // The one that has not lost it is the first to try it again.
    desk.ask("a", beat(&[]));
    let (from_a, _) = desk.ask("a", claim(2, 1));
    let (from_b, _) = desk.ask("b", claim(2, 1));
    let done = desk.step(In::Given { asker: from_a, leases: vec![lease(1, 8)], checks: vec![], passed: vec![] });
    assert!(!done.iter().any(|it| matches!(it, Do::Answer { asker, .. } if *asker == from_a)), "{done:?}");
    let done = desk.step(In::Given { asker: from_b, leases: vec![], checks: vec![], passed: vec![] });
    assert_eq!(tokens(&claimed(answer_to(from_b, done))), [8]);
    assert_eq!(given_back(&desk.wait_beating(30_000, &[("a", &[])])).len(), 1);
    desk.ask("b", beat(&[]));
    let done = lose(&mut desk, "b", &["a"], 3, lease(1, 9));
    let spoilt = done.iter().any(|it| matches!(it, Do::Spoil { why, .. } if why.contains("node, node#2: ")));
    assert!(spoilt, "{done:?}");
}

#[test]
fn one_worker_alone_makes_no_match_spoilt() {
    let mut desk = Desk::with(&[("a", 1)]);
    for attempt in 0..9 {
        let done = lose(&mut desk, "a", &[], attempt, lease(1, 100 + u64::from(attempt)));
        assert_eq!(given_back(&done).len(), 1);
    }
}

#[test]
fn a_match_that_was_lost_is_played_alone_and_by_another_worker() {
    let mut desk = Desk::with(&[("a", 4), ("b", 4)]);
    desk.hand("a", 1, &[lease(1, 7)]);
    desk.hand("b", 1, &[lease(2, 8)]);
    let other: &Spoken = &[(8, None)];
    desk.wait_beating(30_000, &[("b", other)]);
    desk.ask("a", beat(&[]));
    let (from_a, _) = desk.ask("a", claim(2, 4));
    let (from_b, _) = desk.ask("b", claim(2, 4));
    // The first that asks has lost it, and the other one plays something.
    let done =
        desk.step(In::Given { asker: from_a, leases: vec![lease(1, 9), lease(3, 10)], checks: vec![], passed: vec![] });
    assert_eq!(tokens(&claimed(answer_to(from_a, done.clone()))), [10]);
    let done = desk.step(In::Given { asker: from_b, leases: vec![lease(4, 11)], checks: vec![], passed: vec![] });
    assert_eq!(tokens(&claimed(answer_to(from_b, done))), [11], "it was on its way already");
    let (from_b, done) = desk.ask("b", claim(3, 4));
    assert!(!done.iter().any(|it| matches!(it, Do::Want { .. })), "it is kept free: {done:?}");
    desk.ask("b", report(&[(2, 8), (4, 11)], 1_000_000));
    desk.step(stored(2, 8));
    let done = desk.step(stored(4, 11));
    assert_eq!(tokens(&claimed(answer_to(from_b, done))), [9], "alone");
    let (from_b, done) = desk.ask("b", claim(4, 4));
    assert!(!done.iter().any(|it| matches!(it, Do::Want { .. })), "and nothing beside it: {done:?}");
    desk.ask("b", report(&[(1, 9)], 1_000_000));
    let done = desk.step(stored(1, 9));
    assert!(done.iter().any(|it| matches!(it, Do::Want { asker, .. } if *asker == from_b)), "{done:?}");
}

#[test]
fn a_worker_that_has_nothing_takes_the_match_for_which_another_is_kept_free() {
    let mut desk = Desk::with(&[("a", 4), ("b", 4), ("c", 4)]);
    desk.hand("a", 1, &[lease(1, 7)]);
    desk.hand("b", 1, &[lease(2, 8)]);
    let other: &Spoken = &[(8, None)];
    desk.wait_beating(30_000, &[("b", other), ("c", &[])]);
    let (from_b, _) = desk.ask("b", claim(2, 4));
    let done = desk.step(In::Given { asker: from_b, leases: vec![lease(1, 9)], checks: vec![], passed: vec![] });
    assert!(!done.iter().any(|it| matches!(it, Do::Answer { .. } | Do::Want { .. })), "b is kept free: {done:?}");
    let (from_c, done) = desk.ask("c", claim(1, 4));
    assert_eq!(tokens(&claimed(answer_to(from_c, done.clone()))), [9]);
    assert!(done.iter().any(|it| matches!(it, Do::Want { asker, .. } if *asker == from_b)), "{done:?}");
}

#[test]
fn a_worker_that_gives_back_waits_longer_each_time() {
    let mut desk = Desk::with(&[("a", 1)]);
    for (attempt, pause) in [1_000, 2_000, 4_000].into_iter().enumerate() {
        let token = 10 + attempt as u64;
        desk.hand("a", attempt as u32, &[lease(token, token)]);
        let (_, done) = desk.ask("a", Request::GiveBack(WorkerGiveBack { token, why: "no disk".into() }));
        assert_eq!(given_back(&done), [(token, "worker a could not play it: no disk".to_owned())]);
        let (asker, done) = desk.ask("a", claim(100 + attempt as u32, 1));
        assert_eq!(done, []);
        assert_eq!(desk.wait(pause - 1), []);
        assert!(matches!(desk.wait(1)[..], [Do::Want { asker: wanted, .. }] if wanted == asker));
        desk.step(In::Hung { asker });
    }
}

#[test]
fn nobody_reads_a_book_about_why_a_match_was_not_played() {
    let mut desk = Desk::with(&[("a", 1)]);
    desk.hand("a", 1, &[lease(1, 7)]);
    let why = "é".repeat(2 << 20);
    let (_, done) = desk.ask("a", Request::GiveBack(WorkerGiveBack { token: 7, why }));
    let expected = format!("worker a could not play it: {}…", "é".repeat(2_000));
    assert_eq!(given_back(&done), [(7, expected.clone())]);
    assert!(notices(&done).contains(&Notice::Lost { id: 1, why: expected }));
}

#[test]
fn a_match_that_was_not_played_is_no_attempt() {
    let mut desk = Desk::with(&[("a", 1), ("b", 1)]);
    desk.hand("a", 1, &[lease(1, 7)]);
    let release = |token| Request::Release(agon_spec::WorkerRelease { tokens: vec![token] });
    assert!(!desk.ask("b", release(7)).1.contains(&Do::Release(vec![7])), "it is not the match of this worker");
    assert!(desk.ask("a", release(7)).1.contains(&Do::Release(vec![7])));
    desk.hand("a", 2, &[lease(1, 8)]);
    let (_, done) = desk.ask("a", Request::Leave);
    assert!(done.contains(&Do::Release(vec![8])) && given_back(&done).is_empty());
    assert_eq!(desk.dispatcher.workers()[0].presence, WorkerPresence::Left);
}
