//! Results and what is answered to them.

use crate::desk::{Desk, answer_to, beat, lease, report, result, stored};
use agon_dispatch::{Answer, Do, In, Refusal, Request};
use agon_spec::{
    WorkerAnswer, WorkerBeaten, WorkerErrorCode, WorkerOutcome,
    WorkerOutcome::{Duplicate, Late, Stored, Unknown},
    WorkerReport, WorkerSettled,
};

fn outcomes(answer: Result<Answer, Refusal>) -> Vec<(u64, u64, WorkerOutcome)> {
    match answer {
        Ok(Answer::Reported(reported)) => {
            let mut all: Vec<_> = reported.answers.iter().map(|it| (it.id, it.token, it.outcome)).collect();
            all.sort_by_key(|it| (it.0, it.1));
            all
        }
        other => panic!("{other:?}"),
    }
}

/// Returns the results that the load is to store, and whether their leases are known.
fn stores(done: &[Do]) -> Vec<(u64, u64, bool)> {
    let stores = done.iter().filter_map(|it| match it {
        Do::Store { settled, known, .. } => Some((settled.id, settled.token, *known)),
        _ => None,
    });
    stores.collect()
}

#[test]
fn a_report_is_answered_when_all_of_it_is_on_disk() {
    let mut desk = Desk::with(&[("a", 2)]);
    desk.hand("a", 1, &[lease(1, 7), lease(2, 8)]);
    let (asker, done) = desk.ask("a", report(&[(1, 7), (2, 8)], 1));
    assert_eq!(stores(&done), [(1, 7, true), (2, 8, true)]);
    assert_eq!(desk.step(stored(1, 7)), []);
    let late = In::Settled(vec![WorkerAnswer { id: 2, token: 8, outcome: Late }]);
    let done = desk.step(late);
    assert_eq!(outcomes(answer_to(asker, done)), [(1, 7, Stored), (2, 8, Late)]);
    // The answer was lost.
    assert_eq!(outcomes(desk.answer("a", report(&[(1, 7), (2, 8)], 1))), [(1, 7, Duplicate), (2, 8, Late)]);
    assert_eq!((desk.dispatcher.outstanding(), desk.dispatcher.workers()[0].played), (0, 2));
}

#[test]
fn a_report_that_is_repeated_before_it_is_answered_is_stored_once() {
    let mut desk = Desk::with(&[("a", 1)]);
    desk.hand("a", 1, &[lease(1, 7)]);
    let (first, _) = desk.ask("a", report(&[(1, 7)], 1));
    let (second, done) = desk.ask("a", report(&[(1, 7)], 1));
    assert_eq!(stores(&done), []);
    let done = desk.step(stored(1, 7));
    assert_eq!(outcomes(answer_to(first, done.clone())), [(1, 7, Stored)]);
    assert_eq!(outcomes(answer_to(second, done)), [(1, 7, Duplicate)]);
}

#[test]
fn answers_belong_to_a_match_and_a_token() {
    let mut desk = Desk::with(&[("a", 2)]);
    desk.hand("a", 1, &[lease(1, 7), lease(2, 8)]);
    assert_eq!(outcomes(desk.answer("a", report(&[(2, 7)], 1))), [(2, 7, Unknown)], "the token of another match");
    desk.ask("a", report(&[(1, 7)], 1));
    desk.step(stored(1, 7));
    assert_eq!(outcomes(desk.answer("a", report(&[(2, 7)], 1))), [(2, 7, Unknown)]);
    assert_eq!(outcomes(desk.answer("a", report(&[(1, 7)], 1))), [(1, 7, Duplicate)]);
    let (_, done) = desk.ask("a", report(&[(1, 99)], 1));
    assert_eq!(stores(&done), [(1, 99, false)], "the load knows the leases of earlier runs");
    assert_eq!(desk.dispatcher.outstanding(), 1);
}

#[test]
fn a_late_result_is_for_the_load_to_judge() {
    let mut desk = Desk::with(&[("a", 1)]);
    desk.hand("a", 1, &[lease(1, 7)]);
    desk.wait(31_000);
    let (asker, done) = desk.ask("a", report(&[(1, 7)], 1));
    assert_eq!(stores(&done), [(1, 7, true)]);
    let done = desk.step(In::Settled(vec![WorkerAnswer { id: 1, token: 7, outcome: Late }]));
    assert_eq!(outcomes(answer_to(asker, done)), [(1, 7, Late)]);
}

#[test]
fn a_worker_with_another_instance_reports_what_it_had_before_it_was_killed() {
    let mut desk = Desk::with(&[("a", 1), ("b", 1)]);
    desk.hand("a", 1, &[lease(1, 7)]);
    let (asker, done) = desk.ask("b", report(&[(1, 7)], 1));
    assert_eq!(stores(&done), [(1, 7, true)]);
    let done = desk.step(stored(1, 7));
    assert_eq!(outcomes(answer_to(asker, done)), [(1, 7, Stored)]);
}

#[test]
fn a_result_on_its_way_to_the_disk_is_not_lost_with_its_worker() {
    let mut desk = Desk::with(&[("a", 1)]);
    desk.hand("a", 1, &[lease(1, 7)]);
    desk.ask("a", report(&[(1, 7)], 1));
    let done = desk.wait(100_000);
    assert!(!done.iter().any(|it| matches!(it, Do::GiveBack { .. })), "{done:?}");
}

#[test]
fn results_that_cannot_be_are_refused_and_change_nothing() {
    let mut desk = Desk::with(&[("a", 2)]);
    desk.hand("a", 1, &[lease(1, 7), lease(2, 8)]);
    let good = WorkerSettled { id: 2, token: 8, result: result(1), spoilt: vec![] };
    let mut few = result(1);
    few.seats.pop();
    let mut far = result(1);
    far.seats[0].place = 9;
    let mut none = result(1);
    none.seats[1].place = 0;
    for wrong in [few, far, none] {
        let wrong = WorkerSettled { id: 1, token: 7, result: wrong, spoilt: vec![] };
        let report = WorkerReport { results: vec![good.clone(), wrong] };
        let (asker, done) = desk.ask("a", Request::Report(report));
        assert_eq!(stores(&done), []);
        assert_eq!(answer_to(asker, done).expect_err("it is refused").error.code, WorkerErrorCode::BadRequest);
    }
}

#[test]
fn leases_of_an_earlier_run_are_taken_over_if_they_count() {
    let mut desk = Desk::with(&[("a", 1)]);
    let (asker, done) = desk.ask("a", beat(&[(7, Some(3)), (8, None)]));
    assert!(done.contains(&Do::Adopt { worker: 1, tokens: vec![7, 8] }));
    assert_eq!(answer_to(asker, done), Ok(Answer::Beaten(WorkerBeaten { over: vec![] })), "it is not known yet");
    desk.step(In::Adopted { worker: 1, leases: vec![lease(1, 7)], strange: vec![8] });
    let (asker, done) = desk.ask("a", beat(&[(7, Some(4)), (8, None)]));
    assert_eq!(answer_to(asker, done), Ok(Answer::Beaten(WorkerBeaten { over: vec![8] })));
    assert_eq!(desk.dispatcher.workers()[0].held, [(1, Some(4))]);
}

#[test]
fn leases_of_another_worker_are_not_said() {
    let mut desk = Desk::with(&[("a", 1), ("b", 1)]);
    desk.hand("a", 1, &[lease(1, 7)]);
    let (asker, done) = desk.ask("b", beat(&[(7, Some(100))]));
    assert_eq!(answer_to(asker, done), Ok(Answer::Beaten(WorkerBeaten { over: vec![7] })));
    assert_eq!(desk.dispatcher.workers()[0].held, [(1, None)]);
}

#[test]
fn matches_that_are_over_are_told_with_the_next_sign_of_life() {
    let mut desk = Desk::with(&[("a", 1)]);
    desk.hand("a", 1, &[lease(1, 7)]);
    desk.step(In::Ended(vec![7]));
    let (asker, done) = desk.ask("a", beat(&[(7, Some(1))]));
    assert_eq!(answer_to(asker, done), Ok(Answer::Beaten(WorkerBeaten { over: vec![7] })));
}
