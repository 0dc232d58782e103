//! Results of other machines that are checked: by a worker that has not played them, and by this machine where nobody else does it
//! or two disagree.

use super::{
    Load,
    examiner::{Case, Examiner, Means},
    result,
    result::sentence,
};
use crate::{
    Others, Replays, TournamentError, TournamentEvent,
    played::now_ms,
    recheck::{agrees, is_timeless},
};
use agon_dispatch::Notice;
use agon_spec::{WorkerCheck, WorkerFinding, WorkerFound};
use agon_store::{
    Attempt, AttemptEnd, BlobHash, Ending, PlannedMatch, RecordedResult, Records, Snapshot, Store, StoredMatch,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant},
};

/// The name of the number of the last result in the store before which all are checked.
const CHECKED: &str = "checked";
/// How many results are looked at together.
const PAGE: usize = 256;
/// How many results are being checked at most. The others wait in the store.
const OPEN: usize = 512;
/// How many a worker is given with a claim at most.
const GIVEN: usize = 16;
/// Results are looked for no more often.
const LOOKED_FOR_AFTER: Duration = Duration::from_millis(100);
/// For how long a result waits for a worker before this machine checks it, in milliseconds: while matches are played, and when all
/// are over, so that every worker which is there would have asked.
const PATIENCE_MS: (i64, i64) = (20_000, 2_000);
/// For how long a worker has a result to check before somebody else gets it, in milliseconds.
const GIVEN_MS: i64 = 20_000;
/// How often workers may find nothing, or not answer, before this machine checks a result.
const TRIES: u32 = 2;

/// Results that are being checked.
pub(super) struct Checks {
    /// How many of 100 results are checked.
    share: u32,
    /// What decides which, unknown to workers.
    key: [u8; 32],
    /// The number in the store of the last result that was looked at.
    looked: u64,
    looked_at: Option<Instant>,
    /// What is in the store of how far everything is checked.
    kept: u64,
    open: BTreeMap<u64, Check>,
    tokens: u64,
    /// Whether every result that is on disk was looked at.
    caught_up: bool,
    examiner: Examiner,
    /// [`PATIENCE_MS`], but for tests.
    pub(super) patience_ms: (i64, i64),
    /// The workers in the store: their names, and whether they are on other machines.
    workers: BTreeMap<u32, (String, bool)>,
}

/// A result that is being checked in one way.
struct Check {
    /// Its number in the store, which rises with each result.
    number: u64,
    planned: PlannedMatch,
    result: Arc<RecordedResult>,
    /// Its replay. Without it, the match is played again.
    replay: Option<BlobHash>,
    /// Since when it waits, in milliseconds since 1970.
    since_ms: i64,
    /// The worker that has it, and until when.
    given: Option<(u32, i64)>,
    tries: u32,
    /// Whether this machine checks it, and the worker that says the result is wrong.
    here: Option<Option<u32>>,
}

impl Checks {
    /// Returns `None` if none are to be checked.
    pub(super) fn new(share: u32, others: &dyn Others) -> Option<Self> {
        (share > 0).then(|| Self {
            share,
            key: others.seal_key(),
            looked: 0,
            looked_at: None,
            kept: 0,
            open: BTreeMap::new(),
            tokens: 0,
            caught_up: false,
            examiner: Examiner::new(),
            patience_ms: PATIENCE_MS,
            workers: BTreeMap::new(),
        })
    }

    /// Returns whether everything is checked that is on disk.
    pub(super) fn are_done(&self) -> bool {
        self.open.is_empty() && self.caught_up
    }

    /// Notes that there is another result.
    pub(super) fn stir(&mut self) {
        self.caught_up = false;
    }

    /// Returns whether this machine checks a result.
    #[cfg(test)]
    pub(super) fn is_examined(&self) -> bool {
        self.open.values().any(|check| check.here.is_some())
    }

    /// Learns the names of workers, if it does not know this one.
    fn know(&mut self, worker: u32, records: &impl Records) -> Result<(), TournamentError> {
        if !self.workers.contains_key(&worker) {
            let workers = records.workers()?.into_iter();
            self.workers = workers.map(|one| (one.number, (one.name, super::is_away(&one.facts)))).collect();
        }
        Ok(())
    }

    /// Returns whether a result is among those that are checked. Nobody who does not know the key can tell.
    pub(super) fn is_drawn(&self, number: u64, id: u64) -> bool {
        let bytes = [&self.key[..], b"check", &id.to_le_bytes(), &number.to_le_bytes()].concat();
        let hash = BlobHash::of(&bytes);
        // A share of the 256 * 256 values of two bytes.
        let [high, low, ..] = *hash.bytes();
        u32::from(u16::from_be_bytes([high, low])) * 100 < self.share << 16
    }

    /// Gives up to check results of these matches, which are to be played again.
    pub(super) fn leave(&mut self, again: &BTreeSet<u64>) {
        self.open.retain(|_, check| !again.contains(&check.planned.id));
        self.caught_up = false;
    }

    /// Returns the number of the last result before which all are checked.
    pub(super) fn checked(&self) -> u64 {
        self.open.values().map(|check| check.number - 1).min().unwrap_or(self.looked)
    }
}

impl<S: Store> Load<'_, S> {
    /// Goes on where an earlier run has stopped to check.
    pub(super) fn begin_checks(&mut self) -> Result<(), TournamentError> {
        let Some(checks) = &mut self.checks else { return Ok(()) };
        if let Some(kept) = self.tournament.store.snapshot(CHECKED)? {
            (checks.looked, checks.kept) = (kept.after, kept.after);
        }
        Ok(())
    }

    /// Does what is due: looks for results that are to be checked, and checks here what nobody else does.
    pub(super) fn lead_checks(&mut self) -> Result<(), TournamentError> {
        let Some(checks) = &mut self.checks else { return Ok(()) };
        let is_early = checks.looked_at.is_some_and(|at| at.elapsed() < LOOKED_FOR_AFTER);
        let found = checks.examiner.found();
        if !is_early {
            checks.looked_at = Some(Instant::now());
            self.look_for_results()?;
            self.check_what_waits()?;
            self.keep_checked();
        }
        found.into_iter().try_for_each(|(token, found)| self.judge(token, found))
    }

    fn look_for_results(&mut self) -> Result<(), TournamentError> {
        let is_still = self.reports.is_empty() && self.underway.is_empty();
        let Some(checks) = &mut self.checks else { return Ok(()) };
        if checks.caught_up || checks.open.len() >= OPEN {
            return Ok(());
        }
        let page = self.tournament.store.over_since(checks.looked, PAGE)?;
        checks.caught_up = page.len() < PAGE && is_still;
        let before = checks.open.len();
        for (number, stored) in page {
            self.open_check(number, stored)?;
        }
        if self.checks.as_ref().is_some_and(|checks| checks.open.len() > before) {
            self.stir();
        }
        Ok(())
    }

    /// Begins to check a result, if it is among those that are checked.
    fn open_check(&mut self, number: u64, stored: StoredMatch) -> Result<(), TournamentError> {
        let Some(checks) = &mut self.checks else { return Ok(()) };
        checks.looked = number;
        let StoredMatch { planned, result: Some(result), .. } = stored else { return Ok(()) };
        let Some(worker) = result.worker.filter(|_| result.ending == Ending::Finished) else { return Ok(()) };
        checks.know(worker, &self.tournament.store)?;
        if !checks.workers.get(&worker).is_some_and(|(_, is_away)| *is_away) || !checks.is_drawn(number, planned.id) {
            return Ok(());
        }
        let by_rules = result.replay.map(Some);
        // Another version of a bot may do something else.
        let versions = planned.bots.iter().map(|bot| self.tournament.versions.get(*bot as usize));
        let are_same = versions.eq(result.seats.iter().map(|seat| Some(&seat.version)));
        let by_playing = (are_same && is_timeless(&self.tournament.field, &planned)).then_some(None);
        if by_rules.is_none() && by_playing.is_none() && self.tournament.file.replays == Replays::All {
            let (id, why) = (planned.id, "it came without a replay".to_owned());
            (self.events)(TournamentEvent::Workers(Notice::Unchecked { id, why }));
        }
        let result = Arc::new(result);
        for replay in by_rules.into_iter().chain(by_playing) {
            checks.tokens += 1;
            let (planned, result) = (planned.clone(), Arc::clone(&result));
            let check =
                Check { number, planned, result, replay, since_ms: now_ms(), given: None, tries: 0, here: None };
            checks.open.insert(checks.tokens, check);
        }
        Ok(())
    }

    /// Returns results that a worker is to check: none that it has played itself.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(super) fn checks_for(&mut self, worker: u32, without: &[u32]) -> Result<Vec<WorkerCheck>, TournamentError> {
        let until_ms = now_ms().saturating_add(GIVEN_MS);
        let Some(checks) = &mut self.checks else { return Ok(Vec::new()) };
        checks.know(worker, &self.tournament.store)?;
        let names = &checks.workers;
        let name = |number: u32| names.get(&number).map(|(name, _)| name);
        let fits = |check: &Check| {
            let is_own = check.result.worker.is_none_or(|player| player == worker || name(player) == name(worker));
            let is_free = check.here.is_none() && check.given.is_none();
            is_free && !is_own && !check.planned.bots.iter().any(|bot| without.contains(bot))
        };
        let mut given = Vec::new();
        for (token, check) in checks.open.iter_mut().filter(|(_, check)| fits(check)).take(GIVEN) {
            check.given = Some((worker, until_ms));
            let replay = check.replay.map(|hash| hash.hex());
            given.push(WorkerCheck { token: *token, planned: result::sent(&check.planned), replay });
        }
        Ok(given)
    }

    /// Takes what a worker has found.
    pub(super) fn checked(&mut self, worker: u32, findings: Vec<WorkerFinding>) -> Result<(), TournamentError> {
        for WorkerFinding { id, token, found } in findings {
            let Some(checks) = &mut self.checks else { return Ok(()) };
            let Some(check) = checks.open.get_mut(&token) else { continue };
            let is_its = check.given.is_some_and(|(given, _)| given == worker) && check.planned.id == id;
            if !is_its || check.here.is_some() {
                continue;
            }
            match found {
                WorkerFound::End(end) if agrees(&end, &check.result) => self.confirm(token, worker),
                WorkerFound::End(_) | WorkerFound::Wrong(_) => self.check_here(token, Some(worker))?,
                WorkerFound::Nothing(_) => {
                    check.tries += 1;
                    (check.given, check.since_ms) = (None, now_ms());
                    if check.tries >= TRIES {
                        self.check_here(token, None)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes results back from workers that do not answer, and checks here what waits for too long.
    fn check_what_waits(&mut self) -> Result<(), TournamentError> {
        let is_over = self.waiting.is_empty();
        let known: Vec<Option<u32>> = self.away.iter().flat_map(|away| away.known()).collect();
        let Some(checks) = &mut self.checks else { return Ok(()) };
        let patience_ms = if is_over { checks.patience_ms.1 } else { checks.patience_ms.0 };
        let now_ms = now_ms();
        let workers = &checks.workers;
        let name = |number: u32| workers.get(&number).map(|(name, _)| name);
        let (mut late, mut is_free) = (Vec::new(), false);
        for (token, check) in checks.open.iter_mut().filter(|(_, check)| check.here.is_none()) {
            if check.given.is_some_and(|(_, until_ms)| until_ms <= now_ms) {
                (check.given, check.since_ms, is_free) = (None, now_ms, true);
                check.tries += 1;
            }
            let player = check.result.worker.and_then(name);
            let is_alone = known.iter().all(|number| number.is_some_and(|number| name(number) == player));
            let is_late = check.since_ms.saturating_add(patience_ms) <= now_ms || is_alone || check.tries >= TRIES;
            if check.given.is_none() && is_late {
                late.push(*token);
            }
        }
        if is_free {
            self.stir();
        }
        late.into_iter().try_for_each(|token| self.check_here(token, None))
    }

    /// Checks a result on this machine. `accuser` is the worker that says it is wrong.
    fn check_here(&mut self, token: u64, accuser: Option<u32>) -> Result<(), TournamentError> {
        // A withdrawal or a report on its way may come with its replay.
        self.report();
        let Some(checks) = &mut self.checks else { return Ok(()) };
        let Some(check) = checks.open.get_mut(&token) else { return Ok(()) };
        check.here = Some(accuser);
        let replay = match check.replay {
            Some(hash) => match self.tournament.store.get(hash)? {
                Some(bytes) => Some(bytes),
                None => return self.judge(token, WorkerFound::Nothing(format!("its replay {hash} is missing"))),
            },
            None => None,
        };
        let case = Case { token, planned: check.planned.clone(), replay };
        let tournament = &*self.tournament;
        let means = || Means {
            field: Arc::clone(&tournament.field),
            versions: tournament.versions.clone(),
            cancel: self.cancel.clone(),
        };
        match checks.examiner.examine(case, means) {
            Ok(()) => Ok(()),
            Err(why) => self.judge(token, WorkerFound::Nothing(agon_play::system_words(&why))),
        }
    }

    /// Takes what was found on this machine, which counts.
    fn judge(&mut self, token: u64, found: WorkerFound) -> Result<(), TournamentError> {
        let Some(check) = self.checks.as_ref().and_then(|checks| checks.open.get(&token)) else { return Ok(()) };
        let (id, accuser, player) = (check.planned.id, check.here.flatten(), check.result.worker);
        let way = if check.replay.is_some() { "by the rules" } else { "when it was played again" };
        let wrong = match found {
            WorkerFound::End(end) if agrees(&end, &check.result) => None,
            WorkerFound::End(_) => Some(format!("its result of match {id} is another one {way}")),
            WorkerFound::Wrong(why) => Some(format!("its result of match {id}: {}", sentence(why))),
            WorkerFound::Nothing(why) => {
                self.close(token);
                (self.events)(TournamentEvent::Workers(Notice::Unchecked { id, why: sentence(why) }));
                return Ok(());
            }
        };
        let (guilty, why) = match wrong {
            None => {
                self.confirm(token, self.worker);
                (accuser, format!("it calls the result of match {id} wrong, which is right {way}"))
            }
            Some(why) => {
                self.note_check(token, self.worker, AttemptEnd::Refuted, &why);
                (player, why)
            }
        };
        self.close(token);
        guilty.map_or(Ok(()), |guilty| self.put_aside_number(guilty, &why))
    }

    /// Notes that a result was found to be right.
    fn confirm(&mut self, token: u64, checker: u32) {
        self.note_check(token, checker, AttemptEnd::Confirmed, "");
        self.close(token);
    }

    fn note_check(&mut self, token: u64, checker: u32, end: AttemptEnd, why: &str) {
        let Some(check) = self.checks.as_ref().and_then(|checks| checks.open.get(&token)) else { return };
        let now_ms = now_ms();
        let id = check.planned.id;
        let attempt = Attempt {
            id,
            token: None,
            worker: Some(checker),
            began_ms: now_ms,
            ended_ms: now_ms,
            end,
            why: why.to_owned(),
        };
        // Its order among the writes is enough: what says how far everything is checked follows it.
        drop(self.tournament.store.add_attempt(attempt));
    }

    fn close(&mut self, token: u64) {
        if let Some(checks) = &mut self.checks {
            checks.open.remove(&token);
        }
    }

    /// Stores how far everything is checked.
    pub(super) fn keep_checked(&mut self) {
        let Some(checks) = &mut self.checks else { return };
        let checked = checks.checked();
        if checked > checks.kept {
            checks.kept = checked;
            // A later one replaces it.
            drop(self.tournament.store.keep(CHECKED, Snapshot { after: checked, text: String::new() }));
        }
    }
}
