//! Results of other machines that are checked: workers as a table of what they say.

use super::{
    distant::{Run, Told, want},
    *,
};
use crate::{Field, Player, PlayerEnd, TournamentFile};
use agon_core::Derivation;
use agon_dispatch::{Do, In, Notice};
use agon_play::{CorePlacement, Helper, SharedWorkload as _};
use agon_spec::{
    Mark, WorkerCheck, WorkerEnding, WorkerFault, WorkerFinding, WorkerFound, WorkerLease, WorkerMatchEnd,
    WorkerOutcome, WorkerRefusals, WorkerResult, WorkerSeat, WorkerSettled,
};
use agon_store::{Blob, BlobStore as _, Memory, RecordedResult, Records as _};
use std::{num::NonZeroUsize, sync::atomic::AtomicU32};

const TEXT: &str = r#"
game = "grid"
limit = 30
seed = 5
verify = 100
[[bot]]
name = "bot 0"
run = "@random"
[[bot]]
name = "bot 1"
run = "@greedy"
"#;

/// A worker on another machine that plays honestly.
struct Honest(Player);

impl Honest {
    fn new(text: &str) -> Self {
        let file = TournamentFile::parse(text).expect("it is a tournament");
        let cancel = Cancel::new().expect("a flag");
        let field = Field::prepare(&file, &Helper::ThisProgram, &cancel, &mut |_| ()).expect("bots of our own");
        Self(Player::new(&file, field, Derivation::Keyed, vec![1; 3], NonZeroUsize::MIN, &CorePlacement::Anywhere))
    }

    /// Plays a match, and sends its replay.
    fn play(&self, lease: &WorkerLease, told: &Told) -> WorkerSettled {
        let (cancel, turn) = (Cancel::new().expect("a flag"), AtomicU32::new(0));
        let end = self.0.play(0, &planned(&lease.planned), &cancel, &turn).expect("it can be played");
        let PlayerEnd::Over { result, files, .. } = end else { panic!("{end:?}") };
        told.has_come(files.iter().map(|file| Blob::new(file).expect("packed")));
        WorkerSettled { id: lease.planned.id, token: lease.token, result: sent(&result), spoilt: Vec::new() }
    }

    fn check(&self, check: &WorkerCheck, load: &Load<'_, Memory>) -> WorkerFinding {
        let hash = check.replay.as_ref().and_then(|hex| agon_store::BlobHash::from_hex(hex));
        let replay = hash.map(|hash| load.tournament.store.get(hash).expect("it can be read").expect("it is there"));
        let cancel = Cancel::new().expect("a flag");
        let found = self.0.check(0, &planned(&check.planned), replay.as_deref(), &cancel);
        WorkerFinding { id: check.planned.id, token: check.token, found }
    }
}

fn planned(sent: &agon_spec::WorkerMatch) -> PlannedMatch {
    let agon_spec::WorkerMatch { id, round, map, map_seed, seed, bots, probability } = sent.clone();
    PlannedMatch { id, round, map, map_seed: map_seed.0, seed: seed.0, bots, probability, rank: 0 }
}

fn sent(result: &RecordedResult) -> WorkerResult {
    let seat = |seat: &agon_store::RecordedSeat| WorkerSeat {
        version: seat.version,
        score: seat.score,
        place: seat.place,
        fault: None,
        refused: WorkerRefusals::default(),
        decisions: seat.decisions,
        time_us: seat.time_us,
        max_us: seat.max_us,
    };
    WorkerResult {
        ending: WorkerEnding::Finished,
        reason: result.reason.clone(),
        seats: result.seats.iter().map(seat).collect(),
        plies: result.plies,
        fingerprint: result.fingerprint.map(Mark),
        replay: result.replay.map(|hash| hash.hex()),
        log: None,
        started_ms: 1,
        wall_us: 2,
    }
}

/// Returns what the worker gets to check, when it is looked for again and again.
fn checks(load: &mut Load<'_, Memory>, told: &Told, worker: u32) -> Vec<WorkerCheck> {
    for _ in 0..10_000 {
        load.lead_away();
        load.hear(Do::Want { asker: 1, worker, count: 0, without: Vec::new() });
        let given = told.take().into_iter().find_map(|message| match message {
            In::Given { checks, .. } if !checks.is_empty() => Some(checks),
            _ => None,
        });
        if let Some(checks) = given {
            return checks;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("there is nothing to check")
}

/// Leads until everything is checked. Returns what the dispatcher was told.
fn until_checked(load: &mut Load<'_, Memory>, told: &Told) -> Vec<In> {
    let mut all = Vec::new();
    for _ in 0..10_000 {
        load.lead_away();
        all.extend(told.take());
        if load.checks.as_ref().is_none_or(Checks::are_done) {
            return all;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("nobody checks")
}

fn ends(load: &Load<'_, Memory>, id: u64) -> Vec<AttemptEnd> {
    load.tournament.store.attempts(id).expect("it can be read").into_iter().map(|attempt| attempt.end).collect()
}

fn store(load: &mut Load<'_, Memory>, told: &Told, worker: u32, settled: WorkerSettled) {
    let id = settled.id;
    load.hear(Do::Store { worker, settled, known: true });
    load.tell_written(true);
    let outcomes = super::distant::outcomes(&told.take());
    assert_eq!(outcomes, [(id, WorkerOutcome::Stored)]);
}

#[test]
fn another_worker_confirms_what_is_right_before_the_run_ends() {
    let honest = Honest::new(TEXT);
    let mut run = Run::of(Memory::new(), TEXT);
    run.lead(|load, told| {
        let leases = want(load, told, 1, 9, &[]);
        assert_eq!(leases.len(), 2);
        for lease in &leases {
            let settled = honest.play(lease, told);
            store(load, told, 1, settled);
        }
        assert!(load.waiting.is_empty() && load.awaits(), "the results are still to be checked");
        let checks = checks(load, told, 2);
        assert_eq!(checks.len(), 4, "each by the rules, and played again");
        let findings = checks.iter().map(|check| honest.check(check, load)).collect();
        load.hear(Do::Checked { worker: 2, findings });
        until_checked(load, told);
        assert!(!load.awaits());
        for lease in &leases {
            assert_eq!(ends(load, lease.planned.id), [AttemptEnd::Confirmed; 2]);
        }
    });
    assert_eq!(run.tournament.over, 2);
    let kept = run.tournament.store.snapshot("checked").expect("it can be read").expect("it was written");
    run.again_of(TEXT);
    run.lead(|load, told| {
        assert_eq!(load.checks.as_ref().map(Checks::checked), Some(kept.after));
        until_checked(load, told);
        load.hear(Do::Want { asker: 1, worker: 2, count: 1, without: Vec::new() });
        let given = told.take().into_iter().any(|told| matches!(told, In::Given { checks, .. } if !checks.is_empty()));
        assert!(!given, "what is checked is not checked again");
    });
}

#[test]
fn who_has_played_a_match_does_not_check_it() {
    let honest = Honest::new(TEXT);
    Run::of(Memory::new(), TEXT).lead(|load, told| {
        let lease = want(load, told, 1, 1, &[]).remove(0);
        let settled = honest.play(&lease, told);
        store(load, told, 1, settled);
        assert_eq!(checks(load, told, 2).len(), 2);
        load.hear(Do::Want { asker: 1, worker: 1, count: 0, without: Vec::new() });
        let given = told.take().into_iter().any(|told| matches!(told, In::Given { checks, .. } if !checks.is_empty()));
        assert!(!given);
    });
}

#[test]
fn this_machine_checks_what_nobody_else_does() {
    let honest = Honest::new(TEXT);
    Run::of(Memory::new(), TEXT).lead(|load, told| {
        load.checks.as_mut().expect("results are checked").patience_ms = (0, 0);
        for lease in want(load, told, 1, 9, &[]) {
            let settled = honest.play(&lease, told);
            store(load, told, 1, settled);
        }
        let told = until_checked(load, told);
        assert!(!told.iter().any(|told| matches!(told, In::PutAside { .. })));
        assert_eq!(ends(load, 1), [AttemptEnd::Confirmed; 2]);
        let here = load.worker;
        let attempts = load.tournament.store.attempts(2).expect("it can be read");
        assert!(attempts.iter().all(|attempt| attempt.worker == Some(here)), "{attempts:?}");
    });
}

/// What a worker says that lies.
type Lie = fn(&mut WorkerSettled, &WorkerSettled);

#[test]
fn a_worker_that_lies_is_put_aside_and_its_matches_are_played_again() {
    let lies: [(&str, Lie); 6] = [
        ("another score", |settled, _| settled.result.seats[0].score += 1),
        ("exchanged places", |settled, _| {
            let places: Vec<u32> = settled.result.seats.iter().map(|seat| 3 - seat.place).collect();
            settled.result.seats.iter_mut().zip(places).for_each(|(seat, place)| seat.place = place.max(1));
        }),
        ("fewer turns", |settled, _| settled.result.plies -= 1),
        ("a fault that was none", |settled, _| {
            let fault = WorkerFault { kind: "late".into(), ply: 3, text: "it was late".into(), cause: None };
            settled.result.seats[1].fault = Some(fault);
        }),
        ("no fingerprint", |settled, _| settled.result.fingerprint = None),
        ("the replay and the result of another match", |settled, other| {
            settled.result = other.result.clone();
        }),
    ];
    let honest = Honest::new(TEXT);
    for (lie, change) in lies {
        let mut run = Run::of(Memory::new(), TEXT);
        let mut notices = Vec::new();
        run.lead_telling(&mut notices, |load, told| {
            let leases = want(load, told, 1, 9, &[]);
            let first = honest.play(&leases[0], told);
            let mut second = honest.play(&leases[1], told);
            change(&mut second, &first);
            store(load, told, 1, first);
            store(load, told, 1, second);
            let checks = checks(load, told, 2);
            let findings = checks.iter().map(|check| honest.check(check, load)).collect();
            load.hear(Do::Checked { worker: 2, findings });
            let told_of = until_put_aside(load, told);
            assert_eq!(told_of, ["w1"], "{lie}");
            assert!(ends(load, leases[1].planned.id).contains(&AttemptEnd::Refuted), "{lie}");
            let again: Vec<u64> = want(load, told, 2, 9, &[]).iter().map(|lease| lease.planned.id).collect();
            assert_eq!(again, [1, 2], "{lie}: everything that it has played");
        });
        let put_aside = |event: &&TournamentEvent| matches!(event, TournamentEvent::Workers(Notice::PutAside { name, .. }) if name == "w1");
        assert_eq!(notices.iter().filter(put_aside).count(), 1, "{lie}: {notices:?}");
    }
}

#[test]
fn this_machine_plays_again_what_a_liar_has_played() {
    let honest = Honest::new(TEXT);
    let text = TEXT.replace("limit = 30", "limit = 30\nrounds = 100");
    Run::of(Memory::new(), &text).lead(|load, told| {
        let leases = want(load, told, 1, 2, &[]);
        for lease in &leases {
            let mut settled = honest.play(lease, told);
            settled.result.seats[0].score += 1;
            store(load, told, 1, settled);
        }
        let checks = checks(load, told, 2);
        let findings = checks.iter().map(|check| honest.check(check, load)).collect();
        load.hear(Do::Checked { worker: 2, findings });
        until_put_aside(load, told);
        let mut ids: Vec<u64> = (0..2).map(|_| load.next().expect("there is a match").planned.id).collect();
        ids.sort_unstable();
        assert_eq!(ids, [1, 2]);
    });
}

#[test]
fn what_comes_from_a_worker_after_it_was_put_aside_does_not_count() {
    let honest = Honest::new(TEXT);
    Run::of(Memory::new(), TEXT).lead(|load, told| {
        let leases = want(load, told, 1, 2, &[]);
        let late = honest.play(&leases[1], told);
        let mut lie = honest.play(&leases[0], told);
        lie.result.seats[0].score += 1;
        store(load, told, 1, lie);
        let checks = checks(load, told, 2);
        let findings = checks.iter().map(|check| honest.check(check, load)).collect();
        load.hear(Do::Checked { worker: 2, findings });
        until_put_aside(load, told);
        let id = late.id;
        load.hear(Do::Store { worker: 1, settled: late, known: true });
        assert_eq!(super::distant::outcomes(&told.take()), [(id, WorkerOutcome::Unknown)]);
        let again: Vec<u64> = want(load, told, 2, 9, &[]).iter().map(|lease| lease.planned.id).collect();
        assert_eq!(again, [1, 2]);
    });
}

#[test]
fn a_worker_on_which_bots_are_late_is_put_aside_while_others_play() {
    let text = TEXT.replace("verify = 100", "verify = 0").replace("limit = 30", "limit = 30\nrounds = 200");
    let mut events = Vec::new();
    Run::of(Memory::new(), &text).lead_telling(&mut events, |load, told| {
        let honest = Honest::new(&text);
        for round in 0..150 {
            for worker in [1, 2] {
                let lease = want(load, told, worker, 1, &[]).remove(0);
                let mut settled = honest.play(&lease, told);
                if worker == 1 {
                    let fault = WorkerFault { kind: "late".into(), ply: 3, text: "it was late".into(), cause: None };
                    settled.result.seats[0].fault = Some(fault);
                }
                load.hear(Do::Store { worker, settled, known: true });
                load.lead_away();
                if told.take().into_iter().any(|told| matches!(told, In::PutAside { name, .. } if name == "w1")) {
                    assert!(round >= 19, "nobody is blamed for few matches: {round}");
                    let again = want(load, told, 2, 9, &[]).remove(0);
                    assert_eq!(again.planned.id, 1, "its matches are played again");
                    return;
                }
            }
        }
        panic!("nobody is put aside");
    });
    let why = events.into_iter().find_map(|event| match event {
        TournamentEvent::Workers(Notice::PutAside { why, .. }) => Some(why),
        _ => None,
    });
    assert!(why.as_ref().is_some_and(|why| why.contains("late")), "{why:?}");
}

#[test]
fn a_worker_that_accuses_others_wrongly_is_put_aside_itself() {
    let honest = Honest::new(TEXT);
    let end = |plies| {
        let places = vec![1, 2];
        WorkerFound::End(WorkerMatchEnd {
            plies,
            fingerprint: Mark(3),
            scores: vec![0, 0],
            places,
            faults: vec![None, None],
        })
    };
    for found in [WorkerFound::Wrong("it is a lie".into()), end(1), end(u32::MAX)] {
        Run::of(Memory::new(), TEXT).lead(|load, told| {
            let lease = want(load, told, 1, 1, &[]).remove(0);
            let settled = honest.play(&lease, told);
            store(load, told, 1, settled);
            let checks = checks(load, told, 2);
            let finding =
                |check: &WorkerCheck| WorkerFinding { id: check.planned.id, token: check.token, found: found.clone() };
            load.hear(Do::Checked { worker: 2, findings: checks.iter().map(finding).collect() });
            assert_eq!(until_put_aside(load, told), ["w2"]);
            let stored = load.tournament.store.find(lease.planned.id).expect("it can be read").expect("it is there");
            assert!(stored.result.is_some(), "the result counts");
        });
    }
}

#[test]
fn what_somebody_says_who_was_not_asked_is_not_heard() {
    let honest = Honest::new(TEXT);
    Run::of(Memory::new(), TEXT).lead(|load, told| {
        let lease = want(load, told, 1, 1, &[]).remove(0);
        let settled = honest.play(&lease, told);
        store(load, told, 1, settled);
        let asked = checks(load, told, 2);
        let wrong = |worker, id, token| Do::Checked {
            worker,
            findings: vec![WorkerFinding { id, token, found: WorkerFound::Wrong("no".into()) }],
        };
        for (worker, id, token) in [(1, asked[0].planned.id, asked[0].token), (2, 7, asked[0].token), (2, 1, 99)] {
            load.hear(wrong(worker, id, token));
        }
        assert!(load.checks.as_ref().is_some_and(|checks| !checks.is_examined()), "nobody is accused");
        // Nothing is no accusation either: somebody else is asked.
        let nothing = |check: &WorkerCheck| WorkerFinding {
            id: check.planned.id,
            token: check.token,
            found: WorkerFound::Nothing("no disk".into()),
        };
        load.hear(Do::Checked { worker: 2, findings: asked.iter().map(nothing).collect() });
        assert_eq!(checks(load, told, 2).len(), 2);
    });
}

#[test]
fn a_share_of_the_results_is_checked() {
    for (share, range) in [("verify = 0\n", 0..=0), ("", 1..=70), ("verify = 50\n", 300..=700)] {
        let text = TEXT.replace("verify = 100\n", share).replace("limit = 30", "limit = 30\nrounds = 500");
        let run = Run::of(Memory::new(), &text);
        let checks = Checks::new(run.tournament.file.verified_share(), &run.told);
        let drawn = |id: &u64| checks.as_ref().is_some_and(|checks| checks.is_drawn(2 * id, *id));
        let count = (1..=1_000).filter(drawn).count();
        assert!(range.contains(&count), "{share}: {count}");
    }
}

/// Leads until somebody is put aside. Returns who.
fn until_put_aside(load: &mut Load<'_, Memory>, told: &Told) -> Vec<String> {
    for _ in 0..10_000 {
        load.lead_away();
        let aside = told.take().into_iter().filter_map(|message| match message {
            In::PutAside { name, .. } => Some(name),
            _ => None,
        });
        let aside: Vec<String> = aside.collect();
        if !aside.is_empty() {
            return aside;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("nobody is put aside")
}
