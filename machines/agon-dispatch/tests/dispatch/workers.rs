//! Workers that come and go.

use crate::desk::{Desk, about, beat, claim, lease, notices, settings};
use agon_dispatch::{Answer, Do, In, Notice, Passed, Processors, Request, Settings, WorkerPresence};
use agon_spec::{Isolation, WorkerErrorCode, WorkerReady, WorkerReadyBot, WorkerRegister, WorkerTool};
use std::collections::BTreeMap;

fn number(answer: Answer) -> u32 {
    match answer {
        Answer::Registered(registered) => registered.worker,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_worker_that_registers_again_is_the_same() {
    let mut desk = Desk::with(&[("a", 1)]);
    desk.hand("a", 1, &[lease(1, 7)]);
    let Ok(Answer::Registered(again)) = desk.register(about("a", 1)) else { panic!("it is known") };
    assert_eq!((again.worker, again.held, again.lease_ms, again.beat_ms), (1, vec![7], 30_000, 5_000));
    let other = WorkerRegister { instance: "f".repeat(16), ..about("a", 1) };
    assert_eq!(desk.register(other).map(number), Ok(2));
    let names: Vec<String> = desk.dispatcher.workers().into_iter().map(|worker| worker.name).collect();
    assert_eq!(names, ["a", "a#2"]);
}

#[test]
fn strange_workers_are_refused() {
    let mut desk = Desk::new(settings());
    let usual = about("a", 1);
    let of_version = |agon: &str| {
        let mut about = usual.clone();
        about.machine.agon = agon.to_owned();
        about
    };
    let with_cores = |cores| about("a", cores);
    let tools = vec![WorkerTool { name: "x".into(), version: "y".repeat(1_000) }];
    for (strange, code) in [
        (of_version("1.2.4"), WorkerErrorCode::OtherVersion),
        (of_version(&"1".repeat(1_000)), WorkerErrorCode::BadRequest),
        (WorkerRegister { name: String::new(), ..usual.clone() }, WorkerErrorCode::BadRequest),
        (WorkerRegister { name: "\u{1b}[2J".into(), ..usual.clone() }, WorkerErrorCode::BadRequest),
        (WorkerRegister { name: "n".repeat(65), ..usual.clone() }, WorkerErrorCode::BadRequest),
        (WorkerRegister { instance: "../../etc/passwd".into(), ..usual.clone() }, WorkerErrorCode::BadRequest),
        (WorkerRegister { tools, ..usual.clone() }, WorkerErrorCode::BadRequest),
        (with_cores(0), WorkerErrorCode::BadRequest),
        (with_cores(1_000_000), WorkerErrorCode::BadRequest),
    ] {
        assert_eq!(desk.register(strange.clone()).expect_err("it is refused").error.code, code, "{strange:?}");
    }
    let unknown = desk.answer("b", claim(1, 1)).expect_err("it is refused");
    assert_eq!(unknown.error.code, WorkerErrorCode::UnknownWorker);
    assert!(desk.dispatcher.workers().is_empty());
}

#[test]
fn there_is_room_for_so_many_workers_and_the_silent_ones_make_room() {
    let mut desk = Desk::new(Settings { most_workers: 2, ..settings() });
    for name in ["a", "b"] {
        desk.register(about(name, 1)).expect("there is room");
    }
    let full = desk.register(about("c", 1)).expect_err("it is full");
    assert_eq!(full.error.code, WorkerErrorCode::Unavailable);
    assert!((60..=120).contains(&full.retry_after_s.expect("a time")));
    desk.wait_beating(31_000, &[("b", &[])]);
    assert_eq!(desk.register(about("c", 1)).map(number), Ok(3));
    assert_eq!(desk.answer("a", beat(&[])).expect_err("forgotten").error.code, WorkerErrorCode::UnknownWorker);
}

#[test]
fn silent_workers_are_forgotten_after_a_while() {
    let mut desk = Desk::with(&[("a", 1)]);
    desk.wait(599_000);
    assert_eq!(desk.dispatcher.workers()[0].presence, WorkerPresence::Silent);
    desk.wait(1_000);
    assert!(desk.dispatcher.workers().is_empty());
}

#[test]
fn a_bot_that_fails_on_one_worker_is_told_once() {
    let mut desk = Desk::with(&[("a", 1), ("b", 1)]);
    let fails = |why: &str| {
        let bot = WorkerReadyBot { number: 1, ok: false, why: Some(why.to_owned()) };
        Request::Ready(WorkerReady { edition: 1, bots: vec![bot] })
    };
    let why = "no python3".to_owned();
    let (_, done) = desk.ask("a", fails("no python3"));
    assert_eq!(notices(&done), [Notice::BotFails { name: "a".into(), bot: 1, why }]);
    assert_eq!(notices(&desk.ask("a", fails("no python3")).1), []);
    let (_, done) = desk.ask("a", claim(1, 1));
    assert!(done.iter().any(|it| matches!(it, Do::Want { without, .. } if without == &[1])), "{done:?}");
    let strange = WorkerReadyBot { number: 3, ok: true, why: None };
    let mut of_edition =
        |edition| desk.answer("a", Request::Ready(WorkerReady { edition, bots: vec![strange.clone()] }));
    assert_eq!(of_edition(1).expect_err("there is none").error.code, WorkerErrorCode::BadRequest);
    assert_eq!(of_edition(0), Ok(Answer::Noted), "the tournament may have had more bots then");
}

#[test]
fn a_match_that_nobody_can_play_is_told_once() {
    let mut desk = Desk::with(&[("a", 1)]);
    let bot = WorkerReadyBot { number: 1, ok: false, why: None };
    desk.ask("a", Request::Ready(WorkerReady { edition: 1, bots: vec![bot] }));
    let mut told = Vec::new();
    for request in 0..8 {
        let (asker, _) = desk.ask("a", claim(request, 1));
        let passed = vec![Passed { id: 5, bots: vec![1, 2] }, Passed { id: 6, bots: vec![2, 0] }];
        desk.step(In::Given { asker, leases: vec![], checks: vec![], passed });
        told.extend(notices(&desk.wait_beating(20_000, &[("a", &[])])));
    }
    assert_eq!(told, [Notice::Nobody { id: 5, bots: vec![1, 2] }]);
}

#[test]
fn that_there_is_no_worker_is_told_where_nobody_else_plays() {
    for (local, told) in [(true, vec![]), (false, vec![Notice::NoWorker])] {
        let mut desk = Desk::new(Settings { local, ..settings() });
        assert_eq!(notices(&desk.wait(200_000)), told);
    }
    let mut desk = Desk::with(&[("a", 1)]);
    let done = desk.wait_beating(200_000, &[("a", &[])]);
    assert_eq!(notices(&done), []);
    assert!(notices(&desk.wait(100_000)).contains(&Notice::NoWorker));
}

#[test]
fn a_worker_that_is_put_aside_gets_nothing_and_its_matches_go_elsewhere() {
    let mut desk = Desk::with(&[("a", 1)]);
    desk.hand("a", 1, &[lease(1, 7)]);
    let done = desk.step(In::PutAside { name: "a".into(), why: "its clock is wrong".into() });
    assert!(done.contains(&Do::Release(vec![7])), "no fault of the match: {done:?}");
    for request in [claim(2, 1), beat(&[]), crate::desk::report(&[(1, 7)], 1)] {
        assert_eq!(desk.answer("a", request).expect_err("it is refused").error.code, WorkerErrorCode::PutAside);
    }
    assert_eq!(desk.register(about("a", 1)).expect_err("the same").error.code, WorkerErrorCode::PutAside);
    let again = WorkerRegister { instance: "b".repeat(32), ..about("a", 1) };
    let refused = desk.register(again).expect_err("its name is known").error;
    assert_eq!((refused.code, refused.message.as_str()), (WorkerErrorCode::PutAside, "its clock is wrong"));
    desk.wait(1_000_000);
    assert_eq!(desk.dispatcher.workers().len(), 1, "nobody forgets it");
}

#[test]
fn a_worker_that_was_put_aside_before_the_run_is_refused_with_the_reason() {
    let put_aside = BTreeMap::from([("a".to_owned(), "its clock is wrong".to_owned())]);
    let mut desk = Desk::new(Settings { put_aside, ..settings() });
    let refusal = desk.register(about("a", 1)).expect_err("it is put aside");
    assert_eq!((refusal.error.code, refusal.error.message.as_str()), (WorkerErrorCode::PutAside, "its clock is wrong"));
    desk.register(about("b", 1)).expect("another one");
    assert_eq!(desk.dispatcher.workers().len(), 1);
}

#[test]
fn machines_that_the_tournament_cannot_use_are_refused() {
    let of = |name: &str, cpu: &str, isolation| {
        let mut about = about(name, 1);
        (about.machine.cpu, about.isolation) = (cpu.to_owned(), isolation);
        about
    };
    let refused = |desk: &mut Desk, about| {
        let error = desk.register(about).expect_err("it is refused").error;
        assert_eq!(error.code, WorkerErrorCode::Unfit);
        assert!(error.hint.is_some());
        error.message
    };
    let mut desk = Desk::new(Settings { processors: Processors::Alike(None), ..settings() });
    desk.register(of("a", "Z80", None)).expect("the first one says which");
    assert!(refused(&mut desk, of("b", "6502", None)).contains("`Z80`; this one has `6502`"));
    desk.register(of("c", "Z80", None)).expect("the same");
    let own = Processors::Alike(Some("6502".to_owned()));
    let mut desk = Desk::new(Settings { processors: own, ..settings() });
    refused(&mut desk, of("a", "Z80", None));
    let mut desk = Desk::new(Settings { least_isolation: Some(Isolation::Full), ..settings() });
    for level in [None, Some(Isolation::None), Some(Isolation::Restricted)] {
        assert!(refused(&mut desk, of("a", "", level)).contains("needs the sandbox `full`"));
    }
    desk.register(of("a", "", Some(Isolation::Full))).expect("it is strong enough");
}
