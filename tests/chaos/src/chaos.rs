//! A tournament that is killed at random, and so are its workers.

use crate::{
    acknowledged::Answers,
    check::Found,
    crowd::Crowd,
    crowds::Crowds,
    leader::{Leader, MATCHES_A_ROUND},
    store::Store,
};
use agon_core::{Rng, Seed};
use agon_sandbox::TemporaryFolder;
use serde::Serialize;
use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs,
    io::{self, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// How often the driver looks.
const LOOK: Duration = Duration::from_millis(100);
/// After how long without a result nothing comes any more.
const STUCK: Duration = Duration::from_secs(60);
/// How long workers may take to leave after the end.
const PARTING: Duration = Duration::from_secs(30);
/// One process of workers is killed in so many matches, and the tournament, and the server of its store.
const MATCHES_A_KILL: (u64, u64, u64) = (5_000, 20_000, 30_000);
/// The least processes of workers, so that some are left when one is killed.
const PROCESSES: u32 = 4;
/// The longest time for which what was killed is not started again.
const DEAD_MS: u32 = 2_000;

/// What to do.
#[derive(Clone)]
pub struct Chaos {
    pub matches: u64,
    pub workers: u32,
    pub seed: u64,
    /// How many matches a worker claims at once.
    pub most: u32,
    pub lease_s: u64,
    /// Nothing is killed, and nothing goes wrong.
    pub calm: bool,
    /// The new folder for everything, which stays. `None` for one that is removed if all is well.
    pub folder: Option<PathBuf>,
    /// The address of the server that has the store. `None` for a store in one file.
    pub server: Option<String>,
}

/// What came of it.
#[derive(Debug, Serialize)]
pub struct Summary {
    pub matches: u64,
    pub workers: u32,
    pub seed: u64,
    /// How often a process of workers was killed, and how many workers that were; and how often the tournament was.
    pub processes_killed: u64,
    pub workers_killed: u64,
    pub leaders_killed: u64,
    /// How often the server of the store was.
    pub servers_killed: u64,
    pub seconds: f64,
    /// Results a second, with everything that was killed.
    pub rate: f64,
    /// How many results each commit of the store had, over the whole run. `None` if the process that counts was killed.
    pub results_a_commit: Option<f64>,
    pub found: Found,
}

/// What is killed next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Victim {
    Workers,
    Leader,
    Server,
}

/// The beginning of the names of folders. Those of failed runs have another one, so that later runs do not remove them.
const PREFIX: &str = "agon-chaos-run-";
const FAILED: &str = "agon-chaos-failed-";

/// Makes a folder for a run, which is named if the run fails.
///
/// # Errors
/// The system refuses it.
pub fn folder() -> Result<TemporaryFolder, String> {
    TemporaryFolder::sweep(&std::env::temp_dir(), PREFIX);
    TemporaryFolder::new(&std::env::temp_dir(), PREFIX, 0o700).map_err(|why| format!("no folder: {why}"))
}

/// Keeps the folder of a failed run. Returns its new name.
fn keep(folder: TemporaryFolder) -> PathBuf {
    let path = folder.path().to_owned();
    folder.keep();
    let name = path.file_name().unwrap_or_default().to_string_lossy().replacen(PREFIX, FAILED, 1);
    let kept = path.with_file_name(name);
    if fs::rename(&path, &kept).is_ok() { kept } else { path }
}

/// Returns the workers of a tournament.
pub fn crowd_of(leader: &Leader, workers: u32, most: u32, seed: u64, calm: bool) -> Crowd {
    let (key, acknowledged) = (leader.key(), Path::new("").to_owned());
    Crowd { address: leader.address, key, acknowledged, first: 0, workers, most, seed, calm }
}

impl Chaos {
    /// Plays the tournament to its end, and looks at what is in its store.
    ///
    /// # Errors
    /// It does not come to its end, or the system refuses something.
    pub fn run(&self) -> Result<Summary, String> {
        if let Some(folder) = &self.folder {
            fs::create_dir(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
            let folder = folder.canonicalize().map_err(|why| why.to_string())?;
            return self.run_in(&folder);
        }
        let folder = folder()?;
        let played = self.run_in(folder.path());
        if played.as_ref().is_ok_and(|summary| summary.found.mistakes == 0) {
            return played;
        }
        let before = folder.path().display().to_string();
        let kept = keep(folder).display().to_string();
        eprintln!("what there is stays in {kept}");
        // It may name a file in the folder.
        played.map_err(|why| why.replace(&before, &kept))
    }

    fn run_in(&self, folder: &Path) -> Result<Summary, String> {
        let failed = |why: io::Error| why.to_string();
        let matches = self.matches.next_multiple_of(MATCHES_A_ROUND);
        let store = Store::new(folder, self.server.as_deref());
        let mut leader = Leader::new(folder, matches, self.lease_s, store).map_err(failed)?;
        let crowd = crowd_of(&leader, self.workers, self.most, self.seed, self.calm);
        let mut crowds = Crowds::new(folder, &crowd, PROCESSES);
        let mut rng = Rng::new(Seed(self.seed));
        let mut plan = if self.calm { BTreeMap::new() } else { plan(matches, leader.store.has_server(), &mut rng) };
        let begun = Instant::now();
        leader.start().map_err(failed)?;
        wait_for_key(&mut leader)?;
        (0..crowds.len()).try_for_each(|number| crowds.start(number)).map_err(failed)?;
        let (mut killed, mut results_a_commit) = ((0, 0, 0, 0), None);
        let mut progress = Progress::new(matches);
        // What is dead, and when it is started again.
        let (mut dead, mut dead_leader) = (BTreeMap::new(), None);
        loop {
            thread::sleep(LOOK);
            let over = leader.store.over();
            progress.show(over)?;
            if let (true, Ok(commits @ 1..)) = (killed.2 == 0, leader.store.commits()) {
                results_a_commit = Some(over as f64 / f64::from(commits));
            }
            if let Some(status) = leader.ended().map_err(failed)? {
                if over == matches {
                    break;
                }
                return Err(format!("the tournament ended early, {status}: see {}", leader.log().display()));
            }
            for number in 0..crowds.len() {
                if !dead.contains_key(&number) {
                    crowds.runs(number)?;
                }
            }
            let pause = |rng: &mut Rng| Instant::now() + Duration::from_millis(rng.below(DEAD_MS).into());
            while let Some(due) = plan.first_entry().filter(|next| *next.key() <= over) {
                match due.remove() {
                    Victim::Leader if dead_leader.is_none() => {
                        leader.kill().map_err(failed)?;
                        dead_leader = Some(pause(&mut rng));
                        (killed.2, results_a_commit) = (killed.2 + 1, None);
                    }
                    Victim::Workers => {
                        let number = rng.index(crowds.len());
                        if let Entry::Vacant(place) = dead.entry(number) {
                            crowds.kill(number).map_err(failed)?;
                            place.insert(pause(&mut rng));
                            killed.0 += 1;
                            killed.1 += u64::from(crowds.workers_of(number));
                        }
                    }
                    Victim::Leader => {}
                    Victim::Server => {
                        leader.store.kill_server()?;
                        killed.3 += 1;
                    }
                }
            }
            if dead_leader.is_some_and(|until| until <= Instant::now()) {
                leader.start().map_err(failed)?;
                dead_leader = None;
            }
            let due: Vec<usize> =
                dead.iter().filter(|(_, until)| **until <= Instant::now()).map(|(number, _)| *number).collect();
            for number in due {
                dead.remove(&number);
                crowds.start(number).map_err(failed)?;
            }
        }
        let seconds = begun.elapsed().as_secs_f64();
        progress.end();
        // Workers whose last answer is on its way.
        let parting = Instant::now();
        while parting.elapsed() < PARTING && !crowds.have_ended()? {
            thread::sleep(LOOK);
        }
        crowds.leave()?;
        let answers = Answers::read(crowds.acknowledged.iter().map(PathBuf::as_path)).map_err(failed)?;
        let store = leader.store.open().map_err(|why| why.to_string())?;
        let found = Found::look(&*store, matches, &answers).map_err(|why| why.to_string())?;
        drop(store);
        if found.mistakes == 0 {
            leader.store.remove()?;
        }
        Ok(Summary {
            matches,
            workers: self.workers,
            seed: self.seed,
            processes_killed: killed.0,
            workers_killed: killed.1,
            leaders_killed: killed.2,
            servers_killed: killed.3,
            seconds,
            rate: matches as f64 / seconds,
            results_a_commit,
            found,
        })
    }
}

/// Waits until the tournament has made its key, which is the last that it does before it listens.
///
/// # Errors
/// It ends before.
pub fn wait_for_key(leader: &mut Leader) -> Result<(), String> {
    while fs::read(leader.key()).map_or(0, |key| key.len()) == 0 {
        if let Some(status) = leader.ended().map_err(|why| why.to_string())? {
            let log = fs::read_to_string(leader.log()).unwrap_or_default();
            return Err(format!("the tournament does not begin, {status}: {log}"));
        }
        thread::sleep(LOOK);
    }
    Ok(())
}

/// Draws after how many results what is killed.
fn plan(matches: u64, has_server: bool, rng: &mut Rng) -> BTreeMap<u64, Victim> {
    let mut plan = BTreeMap::new();
    let mut add = |victim, count: u64| {
        for _ in 0..count {
            let at = (matches as f64 * (0.02 + 0.93 * rng.unit())) as u64;
            plan.insert(at, victim);
        }
    };
    add(Victim::Workers, (matches / MATCHES_A_KILL.0).max(2));
    add(Victim::Leader, (matches / MATCHES_A_KILL.1).max(1));
    if has_server {
        add(Victim::Server, (matches / MATCHES_A_KILL.2).max(1));
    }
    plan
}

/// How far a run is.
struct Progress {
    matches: u64,
    begun: Instant,
    over: u64,
    /// When the last result came.
    came: Instant,
    shown: Instant,
}

impl Progress {
    fn new(matches: u64) -> Self {
        let now = Instant::now();
        Self { matches, begun: now, over: 0, came: now, shown: now }
    }

    /// Shows how far it is, now and then.
    ///
    /// # Errors
    /// Nothing comes any more.
    fn show(&mut self, over: u64) -> Result<(), String> {
        if over > self.over {
            (self.over, self.came) = (over, Instant::now());
        }
        if self.came.elapsed() > STUCK {
            return Err(format!("no result has come for {} s: {} of {}", STUCK.as_secs(), self.over, self.matches));
        }
        let is_terminal = io::stderr().is_terminal();
        if self.shown.elapsed() >= Duration::from_secs(if is_terminal { 1 } else { 10 }) {
            self.shown = Instant::now();
            let rate = self.over as f64 / self.begun.elapsed().as_secs_f64();
            let left = (self.matches - self.over.min(self.matches)) as f64 / rate.max(1.0);
            let end = if is_terminal { "\x1b[K\r" } else { "\n" };
            eprint!("{} of {} results, {rate:.0} a second, {left:.0} s left{end}", self.over, self.matches);
            let _ = io::stderr().flush();
        }
        Ok(())
    }

    fn end(&self) {
        if io::stderr().is_terminal() {
            eprint!("\x1b[K");
        }
    }
}
