//! What a run does for workers on other machines: the dispatcher is a list of what it was told.

use super::{orders::open, *};
use agon_dispatch::{Do, In};
use agon_play::{CorePlacement, Post, SharedWorkload};
use agon_spec::{
    WorkerAnswer, WorkerEnding, WorkerLease, WorkerMachine, WorkerOutcome, WorkerRefusals, WorkerRegister,
    WorkerResult, WorkerSeat, WorkerSettled,
};
use agon_store::{Blob, BlobHash, Memory, RecordedSeat, Records as _, Registry as _};
use std::{cell::RefCell, num::NonZeroUsize};

const TEXT: &str = r#"
game = "grid"
limit = 30
seed = 5
verify = 0
[[bot]]
name = "bot 0"
run = "@random"
[[bot]]
name = "bot 1"
run = "@random"
[[bot]]
name = "bot 2"
run = "@random"
"#;

/// What the dispatcher was told, and the blobs that workers have sent.
#[derive(Default)]
pub(super) struct Told(RefCell<Vec<In>>, RefCell<Vec<Blob>>);

impl Others for Told {
    fn begin(&self, _: Post<Do>) {}

    fn tell(&self, message: In) {
        self.0.borrow_mut().push(message);
    }

    fn take_blob(&self, hash: BlobHash) -> Option<Blob> {
        let mut blobs = self.1.borrow_mut();
        let at = blobs.iter().position(|blob| blob.hash() == hash)?;
        Some(blobs.remove(at))
    }

    fn plays_here(&self) -> bool {
        false
    }

    fn lease_ms(&self) -> u64 {
        30_000
    }

    fn seal_key(&self) -> [u8; 32] {
        [7; 32]
    }
}

impl Told {
    /// Notes that workers have sent these.
    pub(super) fn has_come(&self, blobs: impl Iterator<Item = Blob>) {
        self.1.borrow_mut().extend(blobs);
    }

    pub(super) fn take(&self) -> Vec<In> {
        std::mem::take(&mut *self.0.borrow_mut())
    }
}

/// Returns what became of results.
pub(super) fn outcomes(told: &[In]) -> Vec<(u64, WorkerOutcome)> {
    let settled = told.iter().filter_map(|message| match message {
        In::Settled(answers) => Some(answers.clone()),
        _ => None,
    });
    settled.flatten().map(|WorkerAnswer { id, outcome, .. }| (id, outcome)).collect()
}

fn played(lease: &WorkerLease, score: i64) -> WorkerSettled {
    let seat = |place| WorkerSeat {
        version: 1,
        score,
        place,
        fault: None,
        refused: WorkerRefusals::default(),
        decisions: 1,
        time_us: 1,
        max_us: 1,
    };
    let result = WorkerResult {
        ending: WorkerEnding::Finished,
        reason: "limit".into(),
        seats: vec![seat(1), seat(2)],
        plies: 3,
        fingerprint: None,
        replay: None,
        log: None,
        started_ms: 1,
        wall_us: 2,
    };
    WorkerSettled { id: lease.planned.id, token: lease.token, result, spoilt: Vec::new() }
}

fn meet(worker: u32) -> Do {
    let machine = WorkerMachine { cores: 1, ..WorkerMachine::default() };
    let (name, instance) = (format!("w{worker}"), format!("{worker:016x}"));
    Do::Meet { worker, about: Box::new(WorkerRegister { name, instance, machine, isolation: None, tools: Vec::new() }) }
}

/// Runs a tournament between three bots in one round of six matches.
pub(super) struct Run {
    pub(super) tournament: Tournament<Memory>,
    pub(super) told: Told,
    options: RunOptions,
}

impl Run {
    fn new() -> Self {
        Self::of(Memory::new(), TEXT)
    }

    /// Continues what is in the store.
    pub(super) fn of(store: Memory, text: &str) -> Self {
        let tournament = open(store, text);
        let cancel = Cancel::new().expect("a flag");
        let options = RunOptions { at_once: NonZeroUsize::MIN, cancel, placement: CorePlacement::Anywhere };
        Self { tournament, told: Told::default(), options }
    }

    /// Opens the tournament again, as the next program does.
    fn again(&mut self) {
        self.again_of(TEXT);
    }

    /// Opens the tournament with this file again.
    pub(super) fn again_of(&mut self, text: &str) {
        let Run { tournament, .. } = std::mem::replace(self, Self::new());
        self.tournament = open(tournament.into_store(), text);
    }

    /// Leads the run, with two workers.
    pub(super) fn lead(&mut self, lead: impl FnOnce(&mut Load<'_, Memory>, &Told)) -> Option<TournamentError> {
        self.lead_telling(&mut Vec::new(), lead)
    }

    /// Does the same, and keeps what people are told.
    pub(super) fn lead_telling(
        &mut self,
        events: &mut Vec<TournamentEvent>,
        lead: impl FnOnce(&mut Load<'_, Memory>, &Told),
    ) -> Option<TournamentError> {
        let mut keep = |event: TournamentEvent| events.push(event);
        let here = self.tournament.store.add_worker("here", "{}", 1).wait().expect("it can be written");
        let Self { tournament, told, options } = self;
        let mut load = Load::new(tournament, options, here, false, Some(&*told), &mut keep);
        load.begin(Post::new(|_| true));
        load.hear(meet(1));
        load.hear(meet(2));
        lead(&mut load, told);
        load.end().2
    }
}

pub(super) fn want(
    load: &mut Load<'_, Memory>,
    told: &Told,
    worker: u32,
    count: usize,
    without: &[u32],
) -> Vec<WorkerLease> {
    load.hear(Do::Want { asker: 1, worker, count, without: without.to_vec() });
    let given = told.take().into_iter().find_map(|message| match message {
        In::Given { leases, .. } => Some(leases),
        _ => None,
    });
    given.expect("every want is answered")
}

/// Stores a result and returns what became of it.
fn report(load: &mut Load<'_, Memory>, told: &Told, settled: WorkerSettled, known: bool) -> Vec<(u64, WorkerOutcome)> {
    load.hear(Do::Store { worker: 1, settled, known });
    load.tell_written(true);
    load.lead_away();
    load.tell_late().expect("the store can be used");
    outcomes(&told.take())
}

#[test]
fn workers_play_everything_and_the_run_ends() {
    let mut run = Run::new();
    let failed = run.lead(|load, told| {
        let mut stored = 0;
        while load.awaits() {
            for lease in want(load, told, 1 + stored % 2, 2, &[]) {
                assert_eq!(report(load, told, played(&lease, 1), true), [(lease.planned.id, WorkerOutcome::Stored)]);
                stored += 1;
            }
        }
        assert_eq!(stored, 6);
    });
    assert!(failed.is_none() && run.tournament.is_complete());
    assert_eq!(run.told.take().last(), Some(&In::Finished));
    let stored = run.tournament.store.find(1).expect("it can be read").expect("it is there");
    let result = stored.result.expect("it was played");
    let seats: Vec<u32> = result.seats.iter().map(|seat| seat.version).collect();
    let worker = run.tournament.store.workers().expect("it can be read")
        [result.worker.expect("it is known") as usize - 1]
        .clone();
    assert_eq!((seats, worker.name.as_str(), is_away(&worker.facts)), (vec![1, 1], "w1", true));
}

#[test]
fn a_worker_gets_no_match_of_a_bot_that_it_has_not() {
    Run::new().lead(|load, told| {
        let leases = want(load, told, 1, 100, &[2]);
        assert_eq!(leases.len(), 2);
        assert!(leases.iter().all(|lease| !lease.planned.bots.contains(&2)));
        load.hear(Do::Want { asker: 1, worker: 1, count: 1, without: vec![2] });
        let told_now = told.take();
        let passed = told_now.iter().find_map(|message| match message {
            In::Given { leases, passed, .. } if leases.is_empty() => Some(passed.len()),
            _ => None,
        });
        assert_eq!(passed, Some(4));
        assert_eq!(want(load, told, 2, 100, &[]).len(), 4, "another one gets them");
    });
}

#[test]
fn the_first_result_counts_also_if_it_is_late() {
    Run::new().lead(|load, told| {
        let first = want(load, told, 1, 1, &[]).remove(0);
        let id = first.planned.id;
        load.hear(Do::GiveBack { token: first.token, silent: true, why: "it was silent".into() });
        let second = want(load, told, 2, 1, &[]).remove(0);
        assert_eq!((second.planned.id, second.attempts), (id, 1));
        load.hear(Do::Store { worker: 1, settled: played(&first, 5), known: true });
        assert!(told.take().contains(&In::Ended(vec![second.token])), "whoever plays it now can stop");
        load.tell_written(true);
        assert_eq!(outcomes(&told.take()), [(id, WorkerOutcome::Stored)]);
        assert_eq!(report(load, told, played(&second, 6), true), [(id, WorkerOutcome::Late)]);
        assert_eq!(report(load, told, played(&first, 5), true), [(id, WorkerOutcome::Duplicate)]);
        let stored = load.tournament.store.find(id).expect("it can be read").expect("it is there");
        assert_eq!(stored.result.expect("it counts").seats[0].score, 5);
        let attempts = load.tournament.store.attempts(id).expect("it can be read");
        let ends: Vec<AttemptEnd> = attempts.iter().map(|attempt| attempt.end).collect();
        assert_eq!(ends, [AttemptEnd::Silent, AttemptEnd::Late]);
    });
}

#[test]
fn a_token_that_was_made_up_changes_nothing() {
    Run::new().lead(|load, told| {
        let lease = want(load, told, 1, 1, &[]).remove(0);
        for (id, token) in [(lease.planned.id, 1), (2, lease.token ^ 1), (lease.planned.id, u64::MAX), (77, 77)] {
            let lie = WorkerSettled { id, token, ..played(&lease, 9) };
            assert_eq!(report(load, told, lie, false), [(id, WorkerOutcome::Unknown)], "{id} {token}");
        }
        assert_eq!(load.tournament.over, 0);
        assert!(load.tournament.store.attempts(lease.planned.id).expect("it can be read").is_empty());
        assert_eq!(report(load, told, played(&lease, 1), true), [(lease.planned.id, WorkerOutcome::Stored)]);
    });
}

#[test]
fn a_match_that_costs_workers_ends_as_spoilt_and_names_its_bots() {
    Run::new().lead(|load, told| {
        let lease = want(load, told, 1, 1, &[]).remove(0);
        let id = lease.planned.id;
        load.hear(Do::Spoil { token: lease.token, id, why: "3 attempts were lost".into() });
        load.tell_written(true);
        let stored = load.tournament.store.find(id).expect("it can be read").expect("it is there");
        let result = stored.result.expect("it is over");
        assert_eq!(result.ending, Ending::Spoilt);
        let names: Vec<String> = lease.planned.bots.iter().map(|bot| format!("bot {bot}")).collect();
        assert_eq!(result.reason, format!("3 attempts were lost; its bots are {}", names.join(", ")));
        assert_eq!(load.tournament.over, 1);
    });
}

#[test]
fn the_next_run_lets_workers_go_on_with_what_they_have() {
    let mut run = Run::new();
    let mut had = Vec::new();
    run.lead(|load, told| had = want(load, told, 1, 2, &[]));
    assert_eq!(run.told.take().last(), Some(&In::Closing));
    run.again();
    run.lead(|load, told| {
        told.take();
        let tokens = vec![had[0].token, 99];
        load.hear(Do::Adopt { worker: 1, tokens });
        let adopted = told.take();
        assert_eq!(adopted, [In::Adopted { worker: 1, leases: vec![had[0].clone()], strange: vec![99] }]);
        // Another worker does not get what somebody has.
        load.hear(Do::Adopt { worker: 2, tokens: vec![had[1].token] });
        let adopted = told.take();
        assert_eq!(adopted, [In::Adopted { worker: 2, leases: vec![], strange: vec![had[1].token] }]);
        let others = want(load, told, 2, 100, &[]);
        assert!(others.iter().all(|lease| had.iter().all(|had| had.planned.id != lease.planned.id)));
        assert_eq!(others.len(), 4);
        assert_eq!(report(load, told, played(&had[0], 3), true), [(had[0].planned.id, WorkerOutcome::Stored)]);
        // It was played before anybody had spoken of it.
        assert_eq!(report(load, told, played(&had[1], 3), false), [(had[1].planned.id, WorkerOutcome::Stored)]);
    });
}

#[test]
fn a_result_whose_answer_was_lost_with_the_run_is_a_repetition() {
    let mut run = Run::new();
    let mut had = Vec::new();
    run.lead(|load, told| {
        had = want(load, told, 1, 2, &[]);
        assert_eq!(report(load, told, played(&had[0], 3), true), [(had[0].planned.id, WorkerOutcome::Stored)]);
    });
    run.again();
    run.lead(|load, told| {
        assert_eq!(report(load, told, played(&had[0], 3), false), [(had[0].planned.id, WorkerOutcome::Duplicate)]);
        let lie = WorkerSettled { token: had[0].token ^ 1, ..played(&had[0], 3) };
        assert_eq!(report(load, told, lie, false), [(had[0].planned.id, WorkerOutcome::Unknown)]);
    });
}

#[test]
fn a_result_is_not_stored_twice_while_it_is_played_here() {
    let mut run = Run::new();
    run.lead(|load, told| {
        let lease = want(load, told, 1, 1, &[]).remove(0);
        load.hear(Do::GiveBack { token: lease.token, silent: true, why: "it was silent".into() });
        let here = load.next().expect("a match");
        assert_eq!(here.planned.id, lease.planned.id);
        assert_eq!(report(load, told, played(&lease, 5), true), [(here.planned.id, WorkerOutcome::Late)]);
        let seat = |place| RecordedSeat { place, ..RecordedSeat::default() };
        let result = RecordedResult { seats: vec![seat(1), seat(2)], ..RecordedResult::default() };
        load.done((here, Ok(Some(Played { result, blobs: Vec::new(), spoilt: Vec::new() }))));
        load.tell_written(true);
        assert_eq!((load.tournament.over, load.failed.is_none()), (1, true));
    });
}

#[test]
fn a_late_result_that_the_host_has_spoilt_leaves_the_match_to_others() {
    Run::new().lead(|load, told| {
        let first = want(load, told, 1, 1, &[]).remove(0);
        let id = first.planned.id;
        load.hear(Do::GiveBack { token: first.token, silent: true, why: "it was silent".into() });
        let second = want(load, told, 2, 1, &[]).remove(0);
        assert_eq!(second.planned.id, id);
        let mut spoilt = played(&first, 0);
        spoilt.result.ending = WorkerEnding::Spoilt;
        assert_eq!(report(load, told, spoilt, true), [(id, WorkerOutcome::Stored)]);
        let ids: Vec<u64> = want(load, told, 2, 9, &[]).iter().map(|lease| lease.planned.id).collect();
        assert!(ids.len() == 6 && ids.last() == Some(&id), "it is played behind all others: {ids:?}");
    });
}

#[test]
fn a_match_of_another_version_of_a_bot_is_played_again() {
    Run::new().lead(|load, told| {
        let lease = want(load, told, 1, 1, &[]).remove(0);
        let mut other = played(&lease, 1);
        other.result.seats[1].version = 2;
        assert_eq!(report(load, told, other, true), [(lease.planned.id, WorkerOutcome::Unknown)]);
        assert_eq!(want(load, told, 2, 1, &[]).remove(0).planned.id, lease.planned.id);
    });
}

#[test]
fn results_that_name_the_same_log_all_have_it() {
    let mut run = Run::new();
    run.lead(|load, told| {
        let log = Blob::new(b"ready\n").expect("packed");
        let hash: String = log.hash().bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        told.1.borrow_mut().push(log);
        for lease in want(load, told, 1, 2, &[]) {
            let mut settled = played(&lease, 1);
            settled.result.log = Some(hash.clone());
            load.hear(Do::Store { worker: 1, settled, known: true });
        }
        load.tell_written(true);
    });
    let matches = run.tournament.store.matches(0, 9).expect("it can be read");
    let logs = matches.iter().filter(|stored| stored.result.as_ref().is_some_and(|result| result.log.is_some()));
    assert_eq!(logs.count(), 2);
}

#[test]
fn a_run_goes_on_where_an_earlier_one_had_handed_out_much_more() {
    let text = TEXT.replace("limit = 30", "limit = 30\nrounds = 60");
    let mut run = Run::of(Memory::new(), &text);
    let failed = run.lead(|load, told| {
        for worker in [1, 2] {
            assert_eq!(want(load, told, worker, 100, &[]).len(), 100);
        }
    });
    assert!(failed.is_none());
    let mut run = Run::of(run.tournament.into_store(), &text);
    let failed = run.lead(|load, told| {
        let leases = want(load, told, 2, 50, &[]);
        assert!(
            leases.len() == 50 && leases.iter().all(|lease| lease.planned.id > 200),
            "the others still have theirs"
        );
        for lease in leases {
            assert_eq!(report(load, told, played(&lease, 1), true), [(lease.planned.id, WorkerOutcome::Stored)]);
        }
    });
    assert!(failed.is_none(), "{failed:?}");
}
