//! Requests for matches.

use crate::desk::{Desk, about, answer_to, claim, claimed, lease, ready, report, settings, stored, tokens};
use agon_dispatch::{Do, In, Request};
use agon_spec::{WorkerErrorCode, WorkerReady, WorkerReadyBot};

/// Returns the claims for which matches are wanted, each with their number.
fn wants(done: &[Do]) -> Vec<(u64, usize)> {
    let wants = done.iter().filter_map(|it| match it {
        Do::Want { asker, count, .. } => Some((*asker, *count)),
        _ => None,
    });
    wants.collect()
}

fn released(done: &[Do]) -> Vec<u64> {
    let released = done.iter().filter_map(|it| match it {
        Do::Release(tokens) => Some(tokens.clone()),
        _ => None,
    });
    released.flatten().collect()
}

#[test]
fn a_claim_waits_until_there_is_a_match() {
    let mut desk = Desk::with(&[("a", 1)]);
    let (asker, done) = desk.ask("a", claim(1, 10));
    assert_eq!(wants(&done), [(asker, 1)]);
    let done = desk.step(In::Given { asker, leases: vec![], checks: vec![], passed: vec![] });
    assert_eq!(done, [], "it waits, and the load is not asked again and again");
    assert_eq!(wants(&desk.step(In::More)), [(asker, 1)]);
    let done = desk.step(In::Given { asker, leases: vec![lease(1, 7)], checks: vec![], passed: vec![] });
    let answer = claimed(answer_to(asker, done));
    assert_eq!((tokens(&answer), answer.until_ms, answer.finished), (vec![7], 30_000, false));
}

#[test]
fn a_wait_ends_in_time_and_what_comes_later_goes_back() {
    let mut desk = Desk::with(&[("a", 1)]);
    let (asker, _) = desk.ask("a", claim(1, 10));
    let done = desk.wait(20_000);
    assert_eq!(claimed(answer_to(asker, done)).leases, []);
    assert_eq!(
        released(&desk.step(In::Given { asker, leases: vec![lease(1, 7)], checks: vec![], passed: vec![] })),
        [7]
    );
    // Nobody waits for an answer whose connection is lost.
    let (asker, _) = desk.ask("a", claim(2, 10));
    desk.step(In::Hung { asker });
    assert_eq!(
        released(&desk.step(In::Given { asker, leases: vec![lease(1, 8)], checks: vec![], passed: vec![] })),
        [8]
    );
    assert_eq!(desk.dispatcher.outstanding(), 0);
}

#[test]
fn a_claim_whose_answer_was_lost_gives_the_same_matches_again() {
    let mut desk = Desk::with(&[("a", 2)]);
    assert_eq!(tokens(&desk.hand("a", 1, &[lease(1, 7), lease(2, 8)])), [7, 8]);
    assert_eq!(tokens(&claimed(desk.answer("a", claim(1, 100)))), [7, 8]);
    desk.ask("a", report(&[(1, 7)], 1_000_000));
    desk.step(stored(1, 7));
    assert_eq!(tokens(&claimed(desk.answer("a", claim(1, 100)))), [8], "without those that are over");
}

#[test]
fn a_claim_that_is_repeated_while_it_waits_is_answered_where_it_was_asked_last() {
    let mut desk = Desk::with(&[("a", 2)]);
    let (first, _) = desk.ask("a", claim(1, 2));
    let (second, done) = desk.ask("a", claim(1, 2));
    assert_eq!((claimed(answer_to(first, done.clone())).leases, wants(&done)), (vec![], vec![]));
    let (third, _) = desk.ask("a", claim(1, 2));
    let done = desk.step(In::Given { asker: first, leases: vec![lease(1, 7)], checks: vec![], passed: vec![] });
    assert_eq!(tokens(&claimed(answer_to(third, done))), [7]);
    assert!(second < third && desk.asker() == third);
}

#[test]
fn a_batch_is_as_large_as_matches_are_short() {
    // The time of a match in milliseconds, the cores, and how many matches are wanted.
    for (match_ms, cores, wanted) in [(10_000, 1, 2), (10_000, 8, 10), (2_000, 1, 2), (100, 1, 21), (1, 2, 512)] {
        let mut desk = Desk::with(&[("a", cores)]);
        desk.hand("a", 1, &[lease(1, 7)]);
        desk.ask("a", report(&[(1, 7)], match_ms * 1_000));
        desk.step(stored(1, 7));
        let (asker, done) = desk.ask("a", claim(2, 1_000));
        assert_eq!(wants(&done), [(asker, wanted)], "{match_ms} {cores}");
    }
}

#[test]
fn no_more_is_handed_out_than_a_worker_may_have() {
    let mut desk = Desk::with(&[("a", 2)]);
    desk.hand("a", 1, &[lease(1, 7), lease(2, 8)]);
    let (asker, done) = desk.ask("a", claim(2, 5));
    assert_eq!(wants(&done), [], "as long as nothing is known of their length");
    desk.ask("a", report(&[(1, 7)], 60_000_000));
    assert_eq!(wants(&desk.step(stored(1, 7))), [(asker, 2)]);
}

#[test]
fn matches_go_only_to_workers_that_have_their_bots_ready() {
    let mut desk = Desk::new(settings());
    desk.register(about("a", 1)).expect("it is known");
    let (asker, done) = desk.ask("a", claim(1, 1));
    assert_eq!(done, [], "it has none");
    let (_, done) = desk.ask("a", ready(&[0]));
    assert!(done.iter().any(|it| matches!(it, Do::Want { without, .. } if without == &[1, 2])), "{done:?}");
    desk.step(In::Given { asker, leases: vec![], checks: vec![], passed: vec![] });
    let (_, done) = desk.ask("a", ready(&[2]));
    assert!(done.iter().any(|it| matches!(it, Do::Want { without, .. } if without == &[1])), "{done:?}");
    // What it says of another edition is of other bots.
    let bots = vec![WorkerReadyBot { number: 1, ok: true, why: None }];
    let (_, done) = desk.ask("a", Request::Ready(WorkerReady { edition: 2, bots }));
    assert_eq!(wants(&done), []);
}

#[test]
fn the_end_is_told_to_all_that_wait_and_ask() {
    let mut desk = Desk::with(&[("a", 1), ("b", 1)]);
    let (asker, _) = desk.ask("a", claim(1, 1));
    let done = desk.step(In::Finished);
    assert!(claimed(answer_to(asker, done)).finished);
    assert!(claimed(desk.answer("b", claim(1, 1))).finished);
}

#[test]
fn a_run_that_closes_hands_nothing_out() {
    let mut desk = Desk::with(&[("a", 1)]);
    let (asker, _) = desk.ask("a", claim(1, 1));
    desk.step(In::Closing);
    assert_eq!(
        released(&desk.step(In::Given { asker, leases: vec![lease(1, 7)], checks: vec![], passed: vec![] })),
        [7]
    );
    assert_eq!(wants(&desk.step(In::More)), []);
    let done = desk.wait(20_000);
    assert!(!claimed(answer_to(asker, done)).finished);
}

#[test]
fn a_flood_of_one_worker_is_refused_and_leaves_others_alone() {
    let mut desk = Desk::with(&[("a", 1), ("b", 1)]);
    let mut refused = 0;
    for request in 0..1_000 {
        let (asker, done) = desk.ask("a", claim(request, 0));
        if let Err(refusal) = answer_to(asker, done) {
            assert_eq!(refusal.error.code, WorkerErrorCode::Busy);
            assert!((1..=2).contains(&refusal.retry_after_s.expect("a time")));
            refused += 1;
        }
    }
    assert_eq!(refused, 1_000 - 199, "the burst, without that it is ready");
    assert!(desk.answer("b", claim(1, 0)).is_ok());
    desk.wait(1_000);
    assert!(desk.answer("a", claim(2_000, 0)).is_ok());
}

#[test]
fn malformed_claims_are_refused() {
    let mut desk = Desk::with(&[("a", 1)]);
    for request in ["", "0123", "zzzzzzzzzzzzzzzz", &"0".repeat(65)] {
        let claim = agon_spec::WorkerClaim { request: request.to_owned(), most: 1, wait_ms: 0 };
        let refusal = desk.answer("a", Request::Claim(claim)).expect_err("it is refused");
        assert_eq!(refusal.error.code, WorkerErrorCode::BadRequest, "{request}");
    }
}
