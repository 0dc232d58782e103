use crate::ground::{Bench, member, organiser};
use agon_contest::{
    copies::Fingerprints,
    submission::{MOST_ATTEMPTS, Step, StepEnd, SubmissionState},
};
use agon_server::{
    Refusal,
    submissions::{FileChange, Taken, VersionFile, choose, compare, copies, held, position, run_again, take_back},
};

/// What everybody has.
const KIT: &str = include_str!("killed.rs");

fn trouble() -> StepEnd {
    StepEnd::HostTrouble("no memory".to_owned())
}

#[test]
fn a_version_takes_its_steps_and_plays() {
    let bench = Bench::new();
    let receipt = bench.send(1, "a");
    let place = || {
        let version = bench.version(receipt.id);
        bench.database.read(move |sql| position(sql, &version))
    };
    assert_eq!(place(), Ok(Some(1)));
    bench.run_all();
    assert_eq!(bench.steps.run(), Step::ALL.map(|step| (receipt.id as u64, step)));
    let version = bench.version(receipt.id);
    assert_eq!(version.progress.state, SubmissionState::Accepted);
    assert!(version.is_chosen);
    assert_eq!(place(), Ok(None));
    let logs = bench.logs(receipt.id);
    let expected = Step::ALL.map(|step| (step, Some("passed".to_owned()), format!("log of {}\n", step.name())));
    let found: Vec<_> = logs.into_iter().map(|log| (log.step, log.result, log.log)).collect();
    assert_eq!(found, expected);
}

#[test]
fn what_is_refused_says_why_and_does_not_play() {
    for step in Step::ALL {
        let bench = Bench::new();
        let first = bench.send(1, "a");
        bench.run_all();
        let second = bench.send(1, "b");
        bench.steps.ends(second.id, step, [StepEnd::Refused("it is bad".to_owned())]);
        bench.steps.run();
        bench.run_all();
        let version = bench.version(second.id);
        assert_eq!(version.progress.state, SubmissionState::Refused(step));
        assert_eq!(version.progress.reason, "it is bad");
        assert_eq!(bench.steps.run().last(), Some(&(second.id as u64, step)), "nothing follows");
        assert!(!version.is_chosen && bench.version(first.id).is_chosen);
    }
}

#[test]
fn trouble_of_the_machine_is_tried_again_later_and_then_told() {
    let bench = Bench::new();
    let receipt = bench.send(1, "a");
    bench.steps.ends(receipt.id, Step::Check, vec![trouble(); MOST_ATTEMPTS as usize]);
    bench.run_all();
    assert_eq!(bench.version(receipt.id).progress.state, SubmissionState::Waiting(Step::Check));
    let other = bench.send(2, "b");
    bench.run_all();
    assert!(bench.version(other.id).is_chosen, "others do not wait for it");
    for minute in 1..=2 {
        assert_eq!(bench.database.read(|sql| held(sql, &organiser(0))).expect("it is read"), []);
        bench.clock.set(minute * 60_000);
        bench.run_all();
    }
    let version = bench.version(receipt.id);
    assert_eq!(version.progress.state, SubmissionState::Held(Step::Check));
    let found = bench.database.read(|sql| held(sql, &organiser(0))).expect("it is read");
    assert_eq!(found.iter().map(|held| held.id).collect::<Vec<_>>(), [receipt.id]);
    bench.steps.run();
    bench.database.transact(move |sql| run_again(sql, &organiser(0), &version)).expect("the organiser wants it");
    bench.run_all();
    // The files of the intake are gone, and what was sent gives them again.
    let steps = [Step::Intake, Step::Check, Step::Trial].map(|step| (receipt.id as u64, step));
    assert_eq!(bench.steps.run(), steps);
    assert_eq!(bench.version(receipt.id).progress.state, SubmissionState::Accepted);
    let logs = bench.logs(receipt.id);
    assert_eq!(logs.len(), 2 + MOST_ATTEMPTS as usize + 2, "every attempt has its log, and no other intake");
}

#[test]
fn a_stopping_server_uses_no_attempt() {
    let bench = Bench::new();
    let receipt = bench.send(1, "a");
    for _ in 0..10 {
        bench.steps.ends(receipt.id, Step::Build, [StepEnd::BrokenOff]);
        bench.pipeline.turn().expect("the database works");
        let progress = bench.version(receipt.id).progress;
        assert_eq!((progress.state, progress.attempts), (SubmissionState::Waiting(Step::Build), 0));
    }
}

#[test]
fn teams_take_turns() {
    let bench = Bench::new();
    let own: Vec<i64> = (0..3).map(|number| bench.send(1, &number.to_string()).id).collect();
    let other = bench.send(2, "x").id;
    bench.run_all();
    let order: Vec<u64> =
        bench.steps.run().into_iter().filter(|(_, step)| *step == Step::Trial).map(|(id, _)| id).collect();
    assert_eq!(order, [own[0], other, own[1], own[2]].map(|id| id as u64));
}

#[test]
fn a_new_team_waits_behind_those_that_wait() {
    let bench = Bench::new();
    let own: Vec<i64> = (0..2).map(|number| bench.send(1, &number.to_string()).id).collect();
    bench.pipeline.turn().expect("the database works");
    let other = bench.send(2, "x").id;
    bench.run_all();
    let order: Vec<u64> =
        bench.steps.run().into_iter().filter(|(_, step)| *step == Step::Trial).map(|(id, _)| id).collect();
    assert_eq!(order, [own[0], own[1], other].map(|id| id as u64));
}

#[test]
fn an_older_version_that_is_accepted_later_does_not_play() {
    let bench = Bench::new();
    let older = bench.send(1, "a").id;
    bench.steps.ends(older, Step::Build, [trouble()]);
    let newer = bench.send(1, "b").id;
    bench.run_all();
    assert!(bench.version(newer).is_chosen);
    bench.clock.set(60_000);
    bench.run_all();
    assert_eq!(bench.version(older).progress.state, SubmissionState::Accepted);
    assert!(bench.version(newer).is_chosen && !bench.version(older).is_chosen);
}

#[test]
fn a_team_chooses_and_takes_back() {
    let bench = Bench::new();
    let [first, second, third] = ["a", "b", "c"].map(|bytes| bench.send(1, bytes).id);
    bench.steps.ends(third, Step::Check, [StepEnd::Refused("bad".to_owned())]);
    bench.run_all();
    let playing = || [first, second, third].map(|id| bench.version(id).is_chosen);
    assert_eq!(playing(), [false, true, false], "the newest that was accepted");
    let version = bench.version(third);
    let other = bench.version(second);
    let refused = bench.database.transact(move |sql| choose(sql, &member(2, 1), &other));
    assert_eq!(refused, Err(Refusal::NotAllowed.into()), "of another team");
    bench.database.transact(move |sql| choose(sql, &member(1, 1), &version)).expect_err("it was refused");
    let version = bench.version(second);
    bench.database.transact(move |sql| take_back(sql, &member(1, 2), &version)).expect("it is the team's own");
    assert_eq!(playing(), [true, false, false]);
    assert_eq!(bench.version(second).taken_back_ms, Some(2));
    let version = bench.version(first);
    bench.database.transact(move |sql| take_back(sql, &member(1, 3), &version)).expect("it is the team's own");
    assert_eq!(playing(), [false; 3], "none is left");
    let version = bench.version(second);
    bench.database.transact(move |sql| choose(sql, &member(1, 4), &version)).expect("it was accepted once");
    assert_eq!((playing(), bench.version(second).taken_back_ms), ([false, true, false], None));
    let fourth = bench.send(1, "d");
    let version = bench.version(fourth.id);
    bench.database.transact(move |sql| take_back(sql, &member(1, 5), &version)).expect("it is the team's own");
    bench.run_all();
    assert_eq!(bench.version(fourth.id).progress.state, SubmissionState::Accepted);
    assert_eq!(playing(), [false, true, false], "what was taken back while it waited does not play");
}

#[test]
fn files_of_versions_are_compared() {
    let file =
        |path: &str, byte: u8, executable| VersionFile { path: path.to_owned(), size: 1, executable, hash: [byte; 32] };
    let first = [file("a", 1, false), file("b", 1, false), file("c", 1, false), file("d", 1, false)];
    let other = [file("a", 1, false), file("b", 2, false), file("d", 1, true), file("e", 1, false)];
    let expected = [
        ("a", FileChange::Same),
        ("b", FileChange::Changed),
        ("c", FileChange::Removed),
        ("d", FileChange::Changed),
        ("e", FileChange::Added),
    ];
    assert_eq!(compare(&first, &other), expected.map(|(path, change)| (path.to_owned(), change)));
}

#[test]
fn copies_of_other_teams_are_hints_and_own_ones_are_none() {
    let source = include_str!("queue.rs");
    let bench = Bench::with_kits(Fingerprints::of(KIT));
    let taken = |content: u8, text: &str| Taken {
        bot: "./mine".to_owned(),
        content: [content; 32],
        files: Vec::new(),
        prints: Fingerprints::of(text),
    };
    let sends = [
        (1, taken(1, source)),
        (1, taken(2, source)),
        (2, taken(1, source)),
        (3, taken(4, &source.replace("bench", "mine").replace("    ", "\t"))),
        (4, taken(5, include_str!("receipts.rs"))),
        (5, taken(6, "print(1)")),
        (6, taken(6, "print(1)")),
        // A starter kit as it is, and one with something of the own in it.
        (7, taken(7, KIT)),
        (8, taken(7, KIT)),
        (9, taken(8, &format!("{KIT}\n{source}"))),
    ];
    let ids: Vec<i64> = sends
        .into_iter()
        .enumerate()
        .map(|(number, (team, taken))| {
            let receipt = bench.send(team, &number.to_string());
            bench.steps.taken.lock().expect("whole").insert(receipt.id as u64, taken);
            bench.run_all();
            receipt.id
        })
        .collect();
    let refused = bench.database.read(|sql| copies(sql, &member(1, 0)));
    assert_eq!(refused, Err(Refusal::NotAllowed.into()), "they are hints for those who lead");
    let found: Vec<_> = bench.database.read(|sql| copies(sql, &organiser(0))).expect("they are read");
    let found: Vec<_> =
        found.into_iter().map(|copy| (copy.version.0, copy.other.0, copy.share, copy.is_same)).collect();
    let expected = [
        (ids[9], ids[1], 1000, false),
        (ids[9], ids[2], 1000, false),
        (ids[9], ids[3], 1000, false),
        // The files are equal, and too small for any other hint.
        (ids[6], ids[5], 0, true),
        (ids[3], ids[1], 1000, false),
        (ids[3], ids[2], 1000, false),
        (ids[2], ids[0], 1000, true),
    ];
    assert_eq!(found, expected);
}
