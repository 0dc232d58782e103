//! The machines that have played, and whether bots do on one of them as they do elsewhere.

use crate::{
    TournamentError,
    file::Machines,
    past::{PAGE, parse},
    purge::{last_put_aside, purges, put_aside},
    words::{Real, count},
};
use agon_spec::{TournamentWorker, TournamentWorkersDocument, WorkerComparison, WorkerFacts, WorkerResidual};
use agon_stats::{Excess, MachineResiduals, MachineSeat, StandsOut};
use agon_store::{Attempt, AttemptEnd, Ending, RecordedResult, Records, StoredMatch, StoredWorker};
use std::collections::BTreeMap;

/// Counts what happens on workers, and compares them. Those with one name are one worker.
#[derive(Debug)]
pub struct Residuals {
    machines: MachineResiduals,
    /// The place of each worker in `names`, by its number in the store.
    places: BTreeMap<u32, u32>,
    names: Vec<String>,
}

impl Residuals {
    /// Counts nothing yet. Only of machines that are `alike`, decisions that take long say something.
    #[must_use]
    pub fn new(alike: bool) -> Self {
        Self { machines: MachineResiduals::new(alike), places: BTreeMap::new(), names: Vec::new() }
    }

    /// Counts everything that a store has.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn read(records: &impl Records, alike: bool) -> Result<Self, TournamentError> {
        let mut residuals = Self::new(alike);
        let workers = records.workers()?;
        workers.iter().for_each(|worker| residuals.know(worker));
        // What a worker did before it was put aside says nothing of what it does after it was taken back.
        let since = last_put_aside(records)?;
        let is_before = |attempt: &Attempt| {
            let worker = workers.iter().find(|worker| attempt.worker == Some(worker.number));
            worker.and_then(|worker| since.get(&worker.name)).is_some_and(|at_ms| attempt.ended_ms <= *at_ms)
        };
        each_match(records, |stored| {
            if let Some(result) = &stored.result {
                residuals.add(&stored.planned.bots, result);
            }
            if stored.attempts > 0 {
                for attempt in records.attempts(stored.planned.id)?.into_iter().filter(|attempt| !is_before(attempt)) {
                    residuals.add_attempt(&attempt, &stored.planned.bots);
                }
            }
            Ok(())
        })?;
        Ok(residuals)
    }

    /// Learns the name of a worker. What comes from others is not counted.
    pub fn know(&mut self, worker: &StoredWorker) {
        let known = self.names.iter().position(|name| *name == worker.name);
        let place = known.unwrap_or_else(|| {
            self.names.push(worker.name.clone());
            self.names.len() - 1
        });
        self.places.insert(worker.number, u32::try_from(place).unwrap_or(u32::MAX));
    }

    /// Adds a result, if it is one that a worker has played to its end.
    pub fn add(&mut self, bots: &[u32], result: &RecordedResult) {
        let Some(place) = result.worker.and_then(|worker| self.places.get(&worker)) else { return };
        if result.ending != Ending::Finished {
            return;
        }
        let seat = |(bot, seat): (&u32, &agon_store::RecordedSeat)| {
            let late = seat.fault.as_ref().is_some_and(|fault| fault.kind == "late");
            MachineSeat {
                bot: *bot,
                version: seat.version,
                late,
                fault: seat.fault.is_some() && !late,
                decisions: seat.decisions,
                time_us: seat.time_us,
            }
        };
        let seats: Vec<MachineSeat> = bots.iter().zip(&result.seats).map(seat).collect();
        self.machines.add(*place, &seats);
    }

    /// Adds an attempt to play a match of these bots, if its worker has spoilt it.
    pub fn add_attempt(&mut self, attempt: &Attempt, bots: &[u32]) {
        let place = attempt.worker.and_then(|worker| self.places.get(&worker));
        if let Some(place) = place
            && attempt.end == AttemptEnd::Spoilt
        {
            self.machines.add_spoilt(*place, bots);
        }
    }

    /// Forgets what a worker has played, because it does not count any more.
    pub fn remove(&mut self, name: &str) {
        if let Some(place) = self.names.iter().position(|known| known == name) {
            self.machines.remove(u32::try_from(place).unwrap_or(u32::MAX));
        }
    }

    /// Returns a worker that stands out, by name, and why. It may be asked after every result: nearly always there is nothing new to
    /// look at. Among all fair workers of a million tournaments, one stands out.
    pub fn stands_out(&mut self) -> Option<(String, String)> {
        let (place, why) = self.machines.stands_out()?;
        Some((self.names.get(place as usize)?.clone(), in_words(&why)))
    }

    fn comparison(&self, place: u32, worker: TournamentWorker) -> WorkerComparison {
        let residual = self.machines.residual(place);
        WorkerComparison {
            worker,
            finished: residual.matches,
            late: residual.late,
            other_faults: residual.faults,
            spoilt: residual.spoilt,
            decisions: residual.decisions,
            time_us: residual.time_us,
            late_residual: shown(residual.late_excess),
            fault_residual: shown(residual.fault_excess),
            spoilt_residual: shown(residual.spoilt_excess),
            time_ratio: residual.slowness.map(|slow| slow.times),
            time_deviations: residual.slowness.map(|slow| slow.deviations),
            stands_out: self.machines.why(place).map(|why| in_words(&why)),
        }
    }
}

fn shown(excess: Excess) -> WorkerResidual {
    WorkerResidual { seen: excess.seen, expected: excess.expected, deviations: excess.deviations }
}

fn in_words(why: &StandsOut) -> String {
    let excess = |what: &str, excess: &Excess| {
        let seen = count(excess.seen, "time", "times");
        format!(
            "{what} {seen}, and {:.1} times were to be expected from the same bots elsewhere",
            Real(excess.expected)
        )
    };
    match why {
        StandsOut::Late(seen) => excess("bots were late on it", seen),
        StandsOut::Spoilt(seen) => excess("it has spoilt matches of bots", seen),
        StandsOut::Slow(slow) => {
            format!(
                "decisions take {:.1} times as long on it as elsewhere, although machines are alike",
                Real(slow.times)
            )
        }
    }
}

/// Compares the machines that have played.
///
/// # Errors
/// If the store cannot be read or has no tournament.
pub fn workers(records: &impl Records) -> Result<TournamentWorkersDocument, TournamentError> {
    let files = records.files()?;
    let file = parse(files.last().ok_or(TournamentError::NotBegun)?)?;
    let residuals = Residuals::read(records, file.machines == Machines::Alike)?;
    let known = known_workers(records)?;
    let compared = (0..).zip(known).map(|(place, worker)| residuals.comparison(place, worker)).collect();
    Ok(TournamentWorkersDocument { workers: compared, purges: purges(records)? })
}

/// Returns the workers in the order in which they came first, each with the number of its results.
///
/// # Errors
/// If the store cannot be read.
pub(crate) fn known_workers(records: &impl Records) -> Result<Vec<TournamentWorker>, TournamentError> {
    let stored = records.workers()?;
    let mut aside = put_aside(records)?;
    let mut known: Vec<TournamentWorker> = Vec::new();
    let mut places = BTreeMap::new();
    for StoredWorker { number, name, facts, .. } in stored {
        let place = known.iter().position(|worker| worker.name == name).unwrap_or_else(|| {
            known.push(TournamentWorker { put_aside: aside.remove(&name), name, ..TournamentWorker::default() });
            known.len() - 1
        });
        // What another version has written may lack some of them.
        known[place].machines.push(serde_json::from_str(&facts).unwrap_or_default());
        places.insert(number, place);
    }
    each_match(records, |stored| {
        let worker = stored.result.as_ref().and_then(|result| result.worker);
        if let Some(place) = worker.and_then(|worker| places.get(&worker)) {
            known[*place].matches += 1;
        }
        Ok(())
    })?;
    Ok(known)
}

/// Returns the name of each worker, by its number.
///
/// # Errors
/// If the store cannot be read.
pub(crate) fn worker_names(records: &impl Records) -> Result<BTreeMap<u32, String>, TournamentError> {
    Ok(records.workers()?.into_iter().map(|worker| (worker.number, worker.name)).collect())
}

/// Returns what a machine is, as a line. Clean it before you show it.
#[must_use]
pub fn facts_text(facts: &WorkerFacts) -> String {
    let isolation = facts.isolation.map_or_else(String::new, |level| format!(", sandbox {level}"));
    let cores = count(facts.cores.into(), "core", "cores");
    format!("{}, {cores}, {}{isolation}", facts.cpu, facts.kernel)
}

fn each_match(
    records: &impl Records,
    mut take: impl FnMut(&StoredMatch) -> Result<(), TournamentError>,
) -> Result<(), TournamentError> {
    let mut after = 0;
    loop {
        let page = records.matches(after, PAGE)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.planned.id;
        page.iter().try_for_each(&mut take)?;
    }
}

/// Returns the processor that every machine must have if they are to be alike: that of the machine of the first result. `None` if
/// there is no result yet.
///
/// # Errors
/// If the store cannot be read.
pub fn first_processor(records: &impl Records) -> Result<Option<String>, TournamentError> {
    let mut after = 0;
    loop {
        let page = records.over_since(after, PAGE)?;
        let Some((last, _)) = page.last() else { return Ok(None) };
        after = *last;
        let played = page.iter().find_map(|(_, stored)| stored.result.as_ref()?.worker);
        if let Some(number) = played {
            let workers = records.workers()?;
            let facts = workers.into_iter().find(|worker| worker.number == number).map(|worker| worker.facts);
            let facts: WorkerFacts = facts.and_then(|facts| serde_json::from_str(&facts).ok()).unwrap_or_default();
            return Ok(Some(facts.cpu).filter(|cpu| !cpu.is_empty()));
        }
    }
}
