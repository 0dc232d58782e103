//! A place for each test, a clock that tests move, and steps that do what tests say.

use agon_contest::{
    Asker, Membership, Scope, Standing, Viewer,
    copies::Fingerprints,
    submission::{Step, StepEnd},
};
use agon_server::{
    Clock,
    database::Database,
    people::Ask,
    submissions::{
        Pipeline, PipelineOptions, Receipt, RunSteps, StepLog, StepReport, StepRun, Taken, Upload, UploadForm,
        UploadWriter, Version, logs, receive, versions,
    },
};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, AtomicU32, Ordering},
    },
};

/// The teams of a database of [`database`].
pub const TEAMS: i64 = 9;

/// Makes teams with numbers from 1, each with an account of ten times its number.
pub fn people(database: &Database) {
    let made = database.transact(|sql| {
        for team in 1..=TEAMS {
            let account = "INSERT INTO contest_accounts (id, name, name_key, standing, created_ms) VALUES ($1, $2, $2, 'player', 0)";
            sql.run(account, &[(team * 10).into(), format!("player {team}").into()])?;
            let insert = "INSERT INTO contest_teams (id, name, name_key, code, hidden, created_ms) VALUES ($1, $2, $2, $2, 0, 0)";
            sql.run(insert, &[team.into(), format!("team {team}").into()])?;
            let member = "INSERT INTO contest_members (id, team, account, captain, since_ms) VALUES ($1, $1, $2, 0, 0)";
            sql.run(member, &[team.into(), (team * 10).into()])?;
        }
        Ok(())
    });
    made.expect("the database works");
}

fn asker(standing: Standing, team: Option<i64>, now: i64) -> Ask {
    let account = team.unwrap_or(1) * 10;
    let team = team.map(|team| Membership { team, captain: false });
    let asker = Asker { account, name: "ana".to_owned(), standing, team, session: 1, scope: Scope::All };
    Ask { viewer: Viewer(Some(asker)), address: None, now }
}

/// What a member of a team asks.
pub fn member(team: i64, now: i64) -> Ask {
    asker(Standing::Player, Some(team), now)
}

/// What an organiser asks.
pub fn organiser(now: i64) -> Ask {
    asker(Standing::Organiser, None, now)
}

/// A folder that is removed at the end.
pub struct Ground(PathBuf);

impl Ground {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("submissions-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("the folder for tests can be written to");
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn upload(&self, form: UploadForm, name: &str, bytes: &[u8]) -> Upload {
        let mut writer = UploadWriter::new(&self.0).expect("a file");
        writer.add(bytes).expect("there is room");
        writer.finish(form, name).expect("it has bytes")
    }

    pub fn send(&self, database: &Database, team: i64, bytes: &[u8], now_ms: i64) -> Receipt {
        let upload = self.upload(UploadForm::TarGz, "mine.tar.gz", bytes);
        receive(database, &member(team, now_ms), team, upload).expect("it is stored")
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[derive(Debug, Default)]
pub struct HandClock(AtomicI64);

impl HandClock {
    pub fn set(&self, now_ms: i64) {
        self.0.store(now_ms, Ordering::Relaxed);
    }
}

impl Clock for HandClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Steps that end as the test says, and else pass. They note what was run.
#[derive(Default)]
pub struct Scripted {
    pub ends: Mutex<BTreeMap<(u64, &'static str), Vec<StepEnd>>>,
    pub run: Mutex<Vec<(u64, Step)>>,
    /// What the intake takes of each version.
    pub taken: Mutex<BTreeMap<u64, Taken>>,
}

impl Scripted {
    pub fn ends(&self, version: i64, step: Step, ends: impl IntoIterator<Item = StepEnd>) {
        let mut reversed: Vec<StepEnd> = ends.into_iter().collect();
        reversed.reverse();
        self.ends.lock().expect("whole").insert((version as u64, step.name()), reversed);
    }

    pub fn run(&self) -> Vec<(u64, Step)> {
        std::mem::take(&mut *self.run.lock().expect("whole"))
    }
}

impl RunSteps for Scripted {
    fn run(&self, run: &StepRun<'_>) -> StepReport {
        self.run.lock().expect("whole").push((run.seed, run.step));
        assert!(run.folder.join("sent/mine.tar.gz").is_file(), "what was sent is there");
        let mut ends = self.ends.lock().expect("whole");
        let end = ends.get_mut(&(run.seed, run.step.name())).and_then(Vec::pop).unwrap_or(StepEnd::Passed);
        let taken = (run.step == Step::Intake && end == StepEnd::Passed).then(|| {
            let usual = Taken {
                bot: "./mine".to_owned(),
                content: [run.seed as u8; 32],
                files: Vec::new(),
                prints: Default::default(),
            };
            self.taken.lock().expect("whole").get(&run.seed).cloned().unwrap_or(usual)
        });
        StepReport { taken, ..StepReport::new(end, format!("log of {}\n", run.step.name())) }
    }
}

/// A pipeline in memory.
pub struct Bench {
    pub ground: Ground,
    pub database: Database,
    pub clock: Arc<HandClock>,
    pub steps: Arc<Scripted>,
    pub pipeline: Pipeline,
}

impl Bench {
    pub fn new() -> Self {
        Self::with_kits(Fingerprints::default())
    }

    pub fn with_kits(kits: Fingerprints) -> Self {
        let (ground, database) = (Ground::new(), Database::memory().expect("there is memory"));
        people(&database);
        let (clock, steps) = (Arc::new(HandClock::default()), Arc::new(Scripted::default()));
        let pipeline = Pipeline::new(PipelineOptions {
            database: database.clone(),
            clock: clock.clone(),
            steps: steps.clone(),
            game: Arc::new(|_| Ok(Some("planet-wars".to_owned()))),
            folder: ground.path("work"),
            kits,
        });
        Self { ground, database, clock, steps, pipeline: pipeline.expect("a folder") }
    }

    pub fn send(&self, team: i64, bytes: &str) -> Receipt {
        self.ground.send(&self.database, team, bytes.as_bytes(), self.clock.now_ms())
    }

    pub fn version(&self, id: i64) -> Version {
        let all = (1..=TEAMS).flat_map(|team| {
            let versions = self.database.read(move |sql| versions(sql, &organiser(0), team));
            versions.expect("they are read")
        });
        all.into_iter().find(|version| version.id == id).expect("it is there")
    }

    pub fn logs(&self, id: i64) -> Vec<StepLog> {
        let version = self.version(id);
        self.database.read(move |sql| logs(sql, &version)).expect("they are read")
    }

    /// Runs everything that waits.
    pub fn run_all(&self) {
        while self.pipeline.turn().expect("the database works") {}
    }
}
