//! Results of a worker that nobody trusts any more: they are played again, and the worker gets no more matches.

use crate::{
    Tournament, TournamentError,
    outcome::{WITHDRAWN, of_match},
    past::{PAGE, Past, parse},
    played::now_ms,
    tournament::wait,
};
use agon_core::Flaw;
use agon_store::{Ending, EventKind, Records, Snapshot, Store, StoredEvent, StoredWorker};
use agon_tourney::{MatchId, Outcome, Standings};
use std::collections::{BTreeMap, BTreeSet};

/// What [`Tournament::purge`] would do.
#[derive(Clone, PartialEq, Debug)]
pub struct PurgePreview {
    /// The matches whose results come from the worker and do not count any more, lowest first.
    pub results: Vec<u64>,
    /// Those of them that nobody plays again, because a bot of theirs is withdrawn: they count as left out.
    pub left_out: Vec<u64>,
    /// How many matches the worker has now.
    pub held: u64,
    /// How many matches other workers have now. They are played again, too, because no token is good any more.
    pub held_elsewhere: u64,
    /// How many later matches were drawn by results, so that they rest on these. They stay as they were drawn.
    pub resting: u64,
    /// How many results each bot loses, by the numbers of the bots. Those that lose none are not there.
    pub bots: BTreeMap<u32, u64>,
    /// The table as it is.
    pub before: Standings,
    /// The table without these results.
    pub after: Standings,
    /// Why the worker is put aside already. `None` if it is not.
    pub aside: Option<String>,
}

/// What [`Tournament::purge`] has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Purged {
    /// How many matches are played again.
    pub again: usize,
    /// How many more have no result any more and are not played again, because a bot of theirs is withdrawn.
    pub left_out: usize,
}

/// Returns the workers that are put aside, each with the reason.
///
/// # Errors
/// If the store cannot be read.
pub fn put_aside(records: &impl Records) -> Result<BTreeMap<String, String>, TournamentError> {
    let mut aside = BTreeMap::new();
    for event in records.events(usize::MAX)? {
        match (event.kind, event.worker()) {
            (EventKind::PutAside, Some((name, why))) => drop(aside.insert(name.to_owned(), why.to_owned())),
            (EventKind::TakenBack, Some((name, _))) => drop(aside.remove(name)),
            _ => {}
        }
    }
    Ok(aside)
}

/// Returns when each worker was put aside last, in milliseconds since 1970.
pub(crate) fn last_put_aside(records: &impl Records) -> Result<BTreeMap<String, i64>, TournamentError> {
    let events = records.events(usize::MAX)?;
    let aside = events.iter().filter(|event| event.kind == EventKind::PutAside);
    Ok(aside.filter_map(|event| Some((event.worker()?.0.to_owned(), event.at_ms))).collect())
}

/// The name of the snapshot that says how often everything was void that workers had.
const EPOCH: &str = "epoch";

/// Returns how often a worker was purged while nothing was played. What workers have got before the last time is void.
///
/// # Errors
/// If the store cannot be read.
pub fn purges(records: &impl Records) -> Result<u64, TournamentError> {
    Ok(records.snapshot(EPOCH)?.map_or(0, |kept| kept.after))
}

/// Returns what a purge of a worker would do. Nothing changes.
///
/// # Errors
/// If there is no such worker, no tournament has begun, or the store cannot be read.
pub fn preview_purge(records: &impl Records, worker: &str) -> Result<PurgePreview, TournamentError> {
    let numbers = numbers(&records.workers()?, worker)?;
    let files = records.files()?;
    let first = parse(files.first().ok_or(TournamentError::NotBegun)?)?;
    let mut schedule = Past::read_undrawn(records, &first, records.maps()?.len())?.schedule;
    let found = results_of(records, &numbers)?;
    let results: Vec<u64> = found.again.keys().map(|id| id.0).collect();
    let before = schedule.standings();
    let mut left_out = Vec::new();
    if !found.again.is_empty() {
        (_, left_out) = schedule.rerun_all(found.again).map_err(TournamentError::Schedule)?;
    }
    let claims = records.claims()?;
    let held = claims.iter().filter(|claim| numbers.contains(&claim.worker)).count() as u64;
    Ok(PurgePreview {
        left_out: left_out.into_iter().map(|id| id.0).collect(),
        held,
        held_elsewhere: claims.len() as u64 - held,
        resting: if schedule.rests_on_results() { found.later } else { 0 },
        bots: found.bots,
        before,
        after: schedule.standings(),
        aside: put_aside(records)?.remove(worker),
        results,
    })
}

/// Lets a worker play again that was put aside.
///
/// # Errors
/// If it is not put aside, or the store cannot be written.
pub fn take_back(store: &impl Store, worker: &str, why: &str) -> Result<(), TournamentError> {
    let aside = put_aside(store)?;
    if !aside.contains_key(worker) {
        let flaw = Flaw::new(format!("the worker `{worker}` is not put aside"));
        return Err(TournamentError::Schedule(match aside.keys().next() {
            None => flaw.hint("no worker is"),
            Some(_) => flaw.hint(format!("put aside: {}", listed(aside.keys().map(String::as_str)))),
        }));
    }
    let event = StoredEvent::of_worker(EventKind::TakenBack, worker, why, now_ms());
    Ok(wait(store, store.record(event))?)
}

impl<S: Store> Tournament<S> {
    /// Puts a worker aside and opens every match again whose result comes from it, whatever the machine was that had its name.
    /// Results that were declared void stay void. Nobody has a match from then on: the tokens of all workers are void.
    ///
    /// # Errors
    /// If there is no such worker, or the store cannot be written.
    pub fn purge(&mut self, worker: &str, why: &str) -> Result<Purged, TournamentError> {
        let numbers = numbers(&self.store.workers()?, worker)?;
        let epoch = Snapshot { after: purges(&self.store)? + 1, text: String::new() };
        wait(&self.store, self.store.keep(EPOCH, epoch))?;
        let (again, left_out) = self.annul(&numbers, worker, why, &|_| true)?;
        Ok(Purged { again: again.len() - left_out, left_out })
    }

    /// Does the same while the tournament is played: other workers keep what they have. Returns the matches that were opened.
    /// `numbers` are those of the worker in the store.
    pub(crate) fn purge_in_run(
        &mut self,
        numbers: &BTreeSet<u32>,
        worker: &str,
        why: &str,
    ) -> Result<BTreeSet<u64>, TournamentError> {
        let (again, _) = self.annul(numbers, worker, why, &|holder| numbers.contains(&holder))?;
        Ok(again)
    }

    /// Opens the matches of a worker with these numbers, and ends the claims of those that `loses` means. Returns the matches, and
    /// how many of them nobody plays.
    fn annul(
        &mut self,
        numbers: &BTreeSet<u32>,
        worker: &str,
        why: &str,
        loses: &dyn Fn(u32) -> bool,
    ) -> Result<(BTreeSet<u64>, usize), TournamentError> {
        let found = results_of(&self.store, numbers)?;
        // A claim that ends too early costs nothing, so it may end before the decision is made.
        let claims = self.store.claims()?;
        let tokens: Vec<u64> = claims.iter().filter(|claim| loses(claim.worker)).map(|claim| claim.token).collect();
        self.store.release(&tokens)?;
        let ids: Vec<u64> = found.again.keys().map(|id| id.0).collect();
        let (mut amendment, mut left_out) = (None, Vec::new());
        if !ids.is_empty() {
            let decided = self.schedule.rerun_all(found.again).map_err(TournamentError::Schedule)?;
            (amendment, left_out) = (Some(decided.0), decided.1);
        }
        let event = StoredEvent::of_worker(EventKind::PutAside, worker, why, now_ms());
        self.decide(amendment.as_ref(), ids.clone(), None, event)?;
        // A run would leave them out as well.
        for id in &left_out {
            wait(&self.store, self.store.void(id.0, WITHDRAWN, now_ms()))?;
        }
        self.over += left_out.len() as u64;
        self.faults.begin_again();
        Ok((ids.into_iter().collect(), left_out.len()))
    }
}

/// What a worker has played.
struct Found {
    again: BTreeMap<MatchId, Outcome>,
    /// How many matches are of later rounds than the first of them.
    later: u64,
    bots: BTreeMap<u32, u64>,
}

fn results_of(records: &impl Records, numbers: &BTreeSet<u32>) -> Result<Found, TournamentError> {
    let mut found = Found { again: BTreeMap::new(), later: 0, bots: BTreeMap::new() };
    let (mut after, mut first_round) = (0, u32::MAX);
    loop {
        let page = records.matches(after, PAGE)?;
        let Some(last) = page.last() else { return Ok(found) };
        after = last.planned.id;
        for stored in &page {
            let counts = |ending| matches!(ending, Ending::Finished | Ending::Spoilt);
            let result = stored.result.as_ref().filter(|result| counts(result.ending));
            let is_of = result.and_then(|result| result.worker).is_some_and(|worker| numbers.contains(&worker));
            let is_later = stored.planned.round > first_round;
            if is_of && let Some(outcome) = of_match(stored) {
                first_round = first_round.min(stored.planned.round);
                found.again.insert(MatchId(stored.planned.id), outcome);
                stored.planned.bots.iter().for_each(|bot| *found.bots.entry(*bot).or_default() += 1);
            } else if is_later {
                found.later += 1;
            }
        }
    }
}

/// Returns the numbers that a worker has in the store, one for each description of itself.
fn numbers(workers: &[StoredWorker], name: &str) -> Result<BTreeSet<u32>, TournamentError> {
    let numbers: BTreeSet<u32> =
        workers.iter().filter(|worker| worker.name == name).map(|worker| worker.number).collect();
    if !numbers.is_empty() {
        return Ok(numbers);
    }
    let names: BTreeSet<&str> = workers.iter().map(|worker| worker.name.as_str()).collect();
    let flaw = Flaw::new(format!("no worker `{name}` has played"));
    Err(TournamentError::Schedule(flaw.hint(format!("the workers are {}", listed(names.into_iter())))))
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Refuses to play on this machine if it was put aside.
pub(crate) fn refuse_aside(records: &impl Records, name: &str) -> Result<(), TournamentError> {
    let Some(why) = put_aside(records)?.remove(name) else { return Ok(()) };
    let flaw = Flaw::new(format!("this machine, `{name}`, was put aside: {why}"));
    Err(TournamentError::Schedule(flaw.hint(
        "`agon tournament workers FILE readmit NAME` takes it back; or it leads alone, with `--listen` and `--cores 0`",
    )))
}
