//! The queue of versions that wait for their steps, and the threads that run them.
//!
//! Nothing of the queue is in memory: what waits is in the database, and a server that is killed goes on where it was. A step
//! that ran then is run again.

use super::{
    copies, intake,
    step::{RunSteps, StepReport, StepRun},
    taken::Taken,
    upload::{UploadForm, unwritable},
    version::{let_play, take_turn, version, waiting, write_progress},
};
use crate::{
    Clock, Error, Result,
    database::{Database, DatabaseError, Sql},
};
use agon_contest::{
    copies::Fingerprints,
    submission::{Progress, Step, StepEnd, SubmissionState, turns},
};
use agon_play::Cancel;
use agon_sandbox::TemporaryFolder;
use std::{
    collections::BTreeSet,
    fmt,
    fs::{self, File},
    io::Write as _,
    num::NonZeroUsize,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

/// The folders of versions whose steps run begin so.
const PREFIX: &str = "check-";
/// A lane looks for what waits at least so often: what was put off has no other sign.
const LOOK: Duration = Duration::from_secs(1);
/// The pause after trouble with the database.
const PAUSE: Duration = Duration::from_secs(5);

/// Returns the name of the contest's game. `None` while there is no contest, and then nothing is run.
pub type GameOfContest = Arc<dyn Fn(&mut dyn Sql) -> Result<Option<String>> + Send + Sync>;

/// What a pipeline needs.
#[derive(Clone)]
pub struct PipelineOptions {
    /// The database.
    pub database: Database,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// What runs the steps.
    pub steps: Arc<dyn RunSteps>,
    /// The game.
    pub game: GameOfContest,
    /// A folder for uploads on their way and for the files of versions whose steps run. Nothing in it has to be kept.
    pub folder: PathBuf,
    /// The fingerprints of the sources that everybody has, such as those of starter kits.
    pub kits: Fingerprints,
}

/// The queue of versions. Clones are the same queue.
#[derive(Clone)]
pub struct Pipeline(Arc<Shared>);

struct Shared {
    options: PipelineOptions,
    cancel: Cancel,
    state: Mutex<State>,
    woken: Condvar,
}

#[derive(Default)]
struct State {
    /// The versions whose steps run in this process.
    busy: BTreeSet<i64>,
    stopped: bool,
}

/// The threads that run steps. Dropping this value stops them.
pub struct Lanes {
    pipeline: Pipeline,
    threads: Vec<JoinHandle<()>>,
}

impl Pipeline {
    /// Makes a pipeline, and its folder if it is missing.
    ///
    /// # Errors
    /// If the folder cannot be made, or the system has no descriptors left.
    pub fn new(mut options: PipelineOptions) -> Result<Self> {
        // The processes of steps begin in other folders.
        options.folder = std::path::absolute(&options.folder).map_err(|why| unwritable(&options.folder, &why))?;
        let failed = |why: std::io::Error| unwritable(&options.folder, &why);
        // Others on this machine must not read what teams send.
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&options.folder).map_err(failed)?;
        TemporaryFolder::sweep(&options.folder, PREFIX);
        let cancel = Cancel::new().map_err(failed)?;
        Ok(Self(Arc::new(Shared { options, cancel, state: Mutex::default(), woken: Condvar::new() })))
    }

    /// Starts this many threads. `trouble` is told what the organiser has to know.
    ///
    /// # Errors
    /// If the system starts no thread.
    pub fn start(&self, lanes: NonZeroUsize, trouble: impl Fn(&Error) + Send + Sync + 'static) -> Result<Lanes> {
        let mut started = Lanes { pipeline: self.clone(), threads: Vec::new() };
        let trouble = Arc::new(trouble);
        for _ in 0..lanes.get() {
            let (pipeline, trouble) = (self.clone(), Arc::clone(&trouble));
            let thread = thread::Builder::new().name("submissions".to_owned());
            let thread = thread.spawn(move || pipeline.lane(&*trouble));
            started.threads.push(thread.map_err(|why| unwritable(&self.0.options.folder, &why))?);
        }
        Ok(started)
    }

    /// Tells a thread that something may wait.
    pub fn wake(&self) {
        self.0.woken.notify_all();
    }

    /// Returns the database.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.0.options.database
    }

    /// Returns the clock.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.0.options.clock
    }

    /// Returns the folder for uploads on their way.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.0.options.folder
    }

    /// Takes the version whose turn it is, and runs its steps until it is accepted, refused or put off. Returns whether there
    /// was one.
    ///
    /// # Errors
    /// If the database or the folder cannot be used. The version stays in the queue.
    pub fn turn(&self) -> Result<bool> {
        let Some((id, game)) = self.take()? else { return Ok(false) };
        let done = self.advance(id, &game);
        self.state().busy.remove(&id);
        done.map(|()| true)
    }

    fn lane(&self, trouble: &(dyn Fn(&Error) + Send + Sync)) {
        loop {
            let pause = match self.turn() {
                Ok(true) => Duration::ZERO,
                Ok(false) => LOOK,
                Err(why) => {
                    trouble(&why);
                    PAUSE
                }
            };
            let state = self.state();
            if state.stopped {
                return;
            }
            if !pause.is_zero() {
                // Whatever has woken it, it looks again.
                drop(self.0.woken.wait_timeout(state, pause));
            }
        }
    }

    /// Takes the version whose turn it is, with the name of the game.
    fn take(&self) -> Result<Option<(i64, String)>> {
        let mut state = self.state();
        if state.stopped {
            return Ok(None);
        }
        let (now_ms, busy) = (self.now(), state.busy.clone());
        let game = Arc::clone(&self.0.options.game);
        let free = busy.clone();
        let found = self.database().transact(move |sql| {
            bury(sql, &busy, now_ms)?;
            let Some(game) = game(sql)? else { return Ok(None) };
            let order = turns(&waiting(sql, now_ms)?);
            let Some(id) = order.into_iter().find(|id| !free.contains(id)) else { return Ok(None) };
            let team = version(sql, id)?.team;
            take_turn(sql, team)?;
            Ok(Some((id, game)))
        })?;
        if let Some((id, _)) = &found {
            state.busy.insert(*id);
        }
        Ok(found)
    }

    fn advance(&self, id: i64, game: &str) -> Result<()> {
        let folder = TemporaryFolder::new(self.folder(), PREFIX, 0o755);
        let folder = folder.map_err(|why| unwritable(self.folder(), &why))?;
        self.fetch(id, &folder.path().join("sent"))?;
        let (mut taken, mut compared): (Option<Taken>, _) = (None, false);
        while let Some((number, step)) = self.begin(id)? {
            let run = |step, taken| {
                let (path, cancel) = (folder.path(), &self.0.cancel);
                let run = StepRun { step, game, seed: id.unsigned_abs(), folder: path, taken, cancel };
                self.0.options.steps.run(&run)
            };
            // The files of an intake before this start of the server are gone. What was sent gives the same ones again.
            let again = (step != Step::Intake && taken.is_none()).then(|| run(Step::Intake, None));
            let report = match again {
                Some(StepReport { taken: Some(again), .. }) => run(step, Some(&*taken.insert(again))),
                Some(StepReport { end: StepEnd::BrokenOff, log, .. }) => StepReport::new(StepEnd::BrokenOff, log),
                Some(_) => StepReport::host_trouble("its files could not be taken in again"),
                None => run(step, taken.as_ref()),
            };
            if step == Step::Intake {
                taken.clone_from(&report.taken);
            }
            let is_passed = report.end == StepEnd::Passed;
            // Before the end of the step, so that a server that dies meanwhile does it again.
            if !compared && let Some(taken) = &taken {
                copies::note(self.database(), id, taken, &self.0.options.kits, self.now())?;
                compared = true;
            }
            self.end(id, number, report)?;
            if !is_passed {
                break;
            }
        }
        Ok(())
    }

    /// Writes what was sent into the new folder `sent`.
    fn fetch(&self, id: i64, sent: &Path) -> Result<()> {
        let failed = |why: std::io::Error| unwritable(sent, &why);
        let (name, upload, form) = self.database().read(move |sql| {
            let find = "SELECT v.name, u.id, u.form FROM contest_versions v JOIN contest_uploads u ON u.id = v.upload
                        WHERE v.id = $1";
            let found = sql.row(find, &[id.into()])?;
            let row = found.ok_or(crate::Refusal::Unknown("version"))?;
            Ok((row.text(0)?.to_owned(), row.int(1)?, row.text(2)?.to_owned()))
        })?;
        let form = UploadForm::named(&form).ok_or_else(|| DatabaseError::Damaged {
            place: "the table of uploads".to_owned(),
            why: "it has a form that there is not".to_owned(),
        })?;
        fs::create_dir(sent).map_err(failed)?;
        let mut file = File::create_new(sent.join(intake::file_name(&name, form))).map_err(failed)?;
        for number in 0.. {
            let piece = self.database().read(move |sql| {
                let find = "SELECT bytes FROM contest_upload_pieces WHERE upload = $1 AND number = $2";
                let found = sql.row(find, &[upload.into(), i64::from(number).into()])?;
                found.map(|row| Ok(row.bytes(0)?.to_owned())).transpose()
            })?;
            let Some(piece) = piece else { break };
            file.write_all(&piece).map_err(failed)?;
        }
        Ok(())
    }

    /// Begins the step that waits. Returns it with the number of its attempt. `None` if there is none.
    fn begin(&self, id: i64) -> Result<Option<(i64, Step)>> {
        let now_ms = self.now();
        if self.0.cancel.is_killed() {
            return Ok(None);
        }
        self.database().transact(move |sql| {
            let Some(progress) = version(sql, id)?.progress.begin() else { return Ok(None) };
            write_progress(sql, id, &progress)?;
            let SubmissionState::Running(step) = progress.state else { return Ok(None) };
            let last = "SELECT coalesce(max(number), 0) FROM contest_version_steps WHERE version = $1";
            let number = sql.int(last, &[id.into()])? + 1;
            let insert =
                "INSERT INTO contest_version_steps (version, number, step, began_ms, log) VALUES ($1, $2, $3, $4, '')";
            sql.run(insert, &[id.into(), number.into(), step.name().into(), now_ms.into()])?;
            Ok(Some((number, step)))
        })
    }

    fn end(&self, id: i64, number: i64, report: StepReport) -> Result<()> {
        let now_ms = self.now();
        self.database().transact(move |sql| {
            let current = version(sql, id)?;
            let progress = current.progress.end(report.end.clone(), now_ms);
            write_progress(sql, id, &progress)?;
            close(sql, (id, number), &report, now_ms)?;
            if let Some(taken) = &report.taken {
                keep(sql, id, taken)?;
            }
            let newer = "SELECT count(*) FROM contest_versions
                         WHERE team = $1 AND number > $2 AND state = 'accepted' AND taken_back_ms IS NULL";
            let is_newest = sql.int(newer, &[current.team.into(), current.number.into()])? == 0;
            if progress.state == SubmissionState::Accepted && current.taken_back_ms.is_none() && is_newest {
                let_play(sql, current.team, id, now_ms)?;
            }
            Ok(())
        })
    }

    fn now(&self) -> i64 {
        self.0.options.clock.now_ms()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline").field("folder", &self.0.options.folder).finish_non_exhaustive()
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        self.pipeline.state().stopped = true;
        self.pipeline.0.cancel.kill();
        self.pipeline.wake();
        for thread in self.threads.drain(..) {
            // What it panicked with was printed.
            let _ = thread.join();
        }
    }
}

/// Puts versions back into the queue whose steps ran when the server died.
fn bury(sql: &mut dyn Sql, busy: &BTreeSet<i64>, now_ms: i64) -> Result<()> {
    let running = sql.rows("SELECT id FROM contest_versions WHERE state = 'running' ORDER BY id", &[])?;
    for row in running {
        let id = row.int(0)?;
        if busy.contains(&id) {
            continue;
        }
        let progress: Progress = version(sql, id)?.progress.after_death();
        write_progress(sql, id, &progress)?;
        let open = "SELECT number FROM contest_version_steps WHERE version = $1 AND ended_ms IS NULL";
        for row in sql.rows(open, &[id.into()])? {
            let log = "the server died while this step ran; it is run again\n";
            let report = StepReport::new(StepEnd::HostTrouble(String::new()), log);
            close(sql, (id, row.int(0)?), &report, now_ms)?;
        }
    }
    Ok(())
}

/// Writes how an attempt of a step ended.
fn close(sql: &mut dyn Sql, (id, number): (i64, i64), report: &StepReport, now_ms: i64) -> Result<()> {
    let result = match &report.end {
        StepEnd::Passed => "passed",
        StepEnd::Refused(_) => "refused",
        StepEnd::HostTrouble(_) => "host-trouble",
        StepEnd::BrokenOff => "broken-off",
    };
    let update = "UPDATE contest_version_steps SET ended_ms = $3, result = $4, log = $5, replay = $6
                  WHERE version = $1 AND number = $2";
    let replay = report.replay.clone();
    sql.run(update, &[id.into(), number.into(), now_ms.into(), result.into(), (&report.log).into(), replay.into()])?;
    Ok(())
}

/// Writes what the intake has taken.
fn keep(sql: &mut dyn Sql, id: i64, taken: &Taken) -> Result<()> {
    let update = "UPDATE contest_versions SET content = $2, prints = $3 WHERE id = $1";
    sql.run(update, &[id.into(), taken.content.into(), taken.prints.to_bytes().into()])?;
    // The organiser may have wanted the intake again.
    sql.run("DELETE FROM contest_version_files WHERE version = $1", &[id.into()])?;
    for file in &taken.files {
        let insert =
            "INSERT INTO contest_version_files (version, path, size, executable, hash) VALUES ($1, $2, $3, $4, $5)";
        let values = [id.into(), (&file.path).into(), file.size.into(), file.executable.into(), file.hash.into()];
        sql.run(insert, &values)?;
    }
    Ok(())
}
