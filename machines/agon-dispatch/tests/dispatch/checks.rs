//! Results of others that workers check.

use crate::desk::{Desk, answer_to, claim, claimed, lease};
use agon_dispatch::{Answer, Do, In, Request};
use agon_spec::{WorkerCheck, WorkerChecked, WorkerErrorCode, WorkerFinding, WorkerFound};

fn check(token: u64) -> WorkerCheck {
    WorkerCheck { token, planned: lease(1, 0).planned, replay: None }
}

fn finding(found: WorkerFound) -> WorkerFinding {
    WorkerFinding { id: 1, token: 5, found }
}

#[test]
fn checks_come_with_matches_or_alone_and_are_no_leases() {
    let mut desk = Desk::with(&[("a", 1)]);
    let (asker, _) = desk.ask("a", claim(1, 10));
    let done = desk.step(In::Given { asker, leases: vec![], checks: vec![check(5)], passed: vec![] });
    let answer = claimed(answer_to(asker, done));
    assert_eq!((answer.leases.len(), answer.checks), (0, vec![check(5)]));
    let (asker, _) = desk.ask("a", claim(2, 10));
    let done = desk.step(In::Given { asker, leases: vec![lease(1, 7)], checks: vec![check(6)], passed: vec![] });
    let answer = claimed(answer_to(asker, done));
    assert_eq!((answer.leases.len(), answer.checks), (1, vec![check(6)]));
    assert_eq!(desk.dispatcher.outstanding(), 1);
    // Whoever asks again for an answer that was lost has the matches; the load gives the check to somebody else.
    let again = claimed(desk.answer("a", claim(2, 10)));
    assert_eq!((again.leases.len(), again.checks.len()), (1, 0));
}

#[test]
fn what_was_found_goes_to_the_load() {
    let mut desk = Desk::with(&[("a", 1)]);
    let findings = vec![finding(WorkerFound::Nothing("no disk".into()))];
    let (asker, done) = desk.ask("a", Request::Checked(WorkerChecked { findings: findings.clone() }));
    assert!(done.contains(&Do::Checked { worker: 1, findings }), "{done:?}");
    assert_eq!(answer_to(asker, done), Ok(Answer::Noted));
}

#[test]
fn words_and_findings_without_end_are_not_kept() {
    let mut desk = Desk::with(&[("a", 1)]);
    let findings = vec![finding(WorkerFound::Wrong("ü".repeat(100_000)))];
    let (_, done) = desk.ask("a", Request::Checked(WorkerChecked { findings }));
    let words = done.iter().find_map(|it| match it {
        Do::Checked { findings, .. } => match &findings[0].found {
            WorkerFound::Wrong(why) => Some(why.len()),
            _ => None,
        },
        _ => None,
    });
    assert!(words.is_some_and(|words| words < 5_000), "{words:?}");
    let findings = vec![finding(WorkerFound::Wrong(String::new())); 5_000];
    let refused = desk.answer("a", Request::Checked(WorkerChecked { findings })).expect_err("they are too many");
    assert_eq!(refused.error.code, WorkerErrorCode::BadRequest);
}
