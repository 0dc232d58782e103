//! The steps as `agon` does them: each is a process of the program, with the words that a participant would type.
//!
//! So what a team is shown is what it sees at home, and whatever a bot does to such a process, the server goes on. The
//! processes die with the thread that has started them, also if the server is killed.

use super::{
    intake,
    step::{LOG, REPLAY, RunSteps, StepReport, StepRun},
};
use agon_contest::submission::{Step, StepEnd};
use agon_core::{Flaw, text::clean};
use agon_play::{Cancel, IsolationChoice};
use agon_run::{Environment, Program, Running};
use agon_sandbox::Capture;
use agon_spec::{BuildDocument, Isolation, Versioned};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use std::{
    ffi::OsString,
    fs::File,
    io::{self, Read},
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::ExitStatus,
    time::{Duration, Instant},
};

/// How long a step may take. Builds and matches have limits of their own, so that only a machine that stands still needs as long.
const WALL: Duration = Duration::from_secs(3_600);
/// The time between two looks whether to stop.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
/// A document of the program is not larger, in bytes.
const DOCUMENT: usize = 4 << 20;
/// The file of the replay, in the folder of the step.
const REPLAY_FILE: &str = "trial.jsonl.zst";
/// The variables that the program gets from the server. Others may be secrets.
const VARIABLES: &[&str] = &["PATH", "HOME", "LANG", "TMPDIR", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "USER", "LOGNAME"];

/// The exit codes of `agon`, see `agon help exit-codes`.
mod codes {
    pub const DONE: i32 = 0;
    pub const USER: i32 = 1;
    pub const NOT_STARTED: i32 = 20;
    pub const FORFEIT: i32 = 21;
}

/// Runs steps with the program `agon`.
#[derive(Clone, Debug)]
pub struct AgonSteps {
    /// The file of the program.
    pub program: PathBuf,
    /// How bots and the intake are isolated.
    pub isolation: IsolationChoice,
}

impl RunSteps for AgonSteps {
    fn run(&self, run: &StepRun<'_>) -> StepReport {
        let files = run.folder.join("files");
        let report = match (run.step, run.taken) {
            (Step::Intake, _) => match self.level() {
                Ok(level) => intake::run(&self.program, level, &run.folder.join("sent"), &files, run.cancel),
                Err(why) => StepReport::host_trouble(why),
            },
            (_, None) => StepReport::host_trouble("its files are not there"),
            (step, Some(taken)) => self.in_process(step, run, &files, &taken.bot),
        };
        // Whatever else has happened, the server was stopping.
        if run.cancel.is_killed() && report.end != StepEnd::Passed {
            return StepReport { end: StepEnd::BrokenOff, ..report };
        }
        report
    }
}

impl AgonSteps {
    fn level(&self) -> Result<Isolation, String> {
        match self.isolation {
            IsolationChoice::Exactly(level) => Ok(level),
            IsolationChoice::Auto => {
                let found = agon_play::strongest().map_err(|why| why.to_string())?;
                let none = "no sandbox works on this machine; `agon doctor` says why";
                if found.level == Isolation::None { Err(none.to_owned()) } else { Ok(found.level) }
            }
        }
    }

    fn in_process(&self, step: Step, run: &StepRun<'_>, files: &Path, bot: &str) -> StepReport {
        let words = match self.words(step, run, bot) {
            Ok(words) => words,
            Err(flaw) => return StepReport::host_trouble(flaw.to_string()),
        };
        let ended = match Process::run(words, files, run.cancel) {
            Ok(ended) => ended,
            Err(why) => return StepReport::host_trouble(format!("the program does not run: {why}")),
        };
        let (log, end) = (ended.log(step), ended.end(step));
        let mut report = StepReport::new(end, log);
        if let StepEnd::HostTrouble(why) = &report.end {
            report.log.push_str(&format!("the server could not run this step: {why}\n"));
        }
        if step == Step::Trial {
            report.replay = replay(&files.join(REPLAY_FILE));
        }
        report
    }

    /// Returns the command line of a step.
    fn words(&self, step: Step, run: &StepRun<'_>, bot: &str) -> Result<Vec<OsString>, Flaw> {
        let game = agon_games::find(run.game).ok_or_else(|| Flaw::new(format!("there is no game `{}`", run.game)))?;
        let info = game.info();
        let opponent = info.bots.first().map(|bot| format!("@{}", bot.name));
        let opponent = opponent.ok_or_else(|| Flaw::new("the game has no built-in bot"))?;
        let seed = run.seed.to_string();
        let mut words: Vec<&str> = match step {
            Step::Intake | Step::Build => vec!["build", bot, "--format", "json"],
            Step::Check => vec!["check", run.game, bot],
            Step::Trial => {
                let options = ["--seed", &seed, "--replay", REPLAY_FILE, "--fail-on-forfeit", "--stderr"];
                let mut words = vec!["match", run.game, bot];
                words.extend((1..info.default_seats).map(|_| &*opponent));
                words.extend(options);
                words
            }
        };
        let level = match self.isolation {
            IsolationChoice::Auto => "auto",
            IsolationChoice::Exactly(level) => level.name(),
        };
        words.extend(["--sandbox", level, "--color", "never"]);
        let program = self.program.as_os_str().to_owned();
        Ok([program].into_iter().chain(words.into_iter().map(OsString::from)).collect())
    }
}

/// How a process of the program ended.
struct Process {
    status: ExitStatus,
    stopped: Option<Stopped>,
    stdout: String,
    stderr: String,
}

/// Why a process was stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stopped {
    Cancelled,
    TooLong,
}

impl Process {
    fn run(words: Vec<OsString>, dir: &Path, cancel: &Cancel) -> io::Result<Self> {
        let variable = |name: &&str| std::env::var_os(name).map(|value| (OsString::from(name), value));
        let environment = VARIABLES.iter().filter_map(variable).collect();
        let program =
            Program { dir: Some(dir.to_owned()), environment: Environment::Only(environment), ..Program::new(words) };
        let mut running = program.run().map_err(io::Error::other)?;
        drop(running.stdin.take());
        let begun = Instant::now();
        let (mut stdout, mut stderr) = (Capture::new(DOCUMENT), Capture::new(LOG));
        let (mut out, mut err) = (running.stdout.take(), running.stderr.take());
        let mut stopped = None;
        let status = loop {
            listen(&mut out, &mut stdout)?;
            listen(&mut err, &mut stderr)?;
            if out.is_none()
                && err.is_none()
                && let Some(status) = ended(&mut running)?
            {
                break status;
            }
            stopped = match () {
                () if cancel.is_killed() => Some(Stopped::Cancelled),
                () if begun.elapsed() >= WALL => Some(Stopped::TooLong),
                () => None,
            };
            if stopped.is_some() {
                break ExitStatus::from_raw(rustix::process::Signal::KILL.as_raw());
            }
        };
        Ok(Self { status, stopped, stdout: stdout.text(), stderr: stderr.text() })
    }

    fn end(&self, step: Step) -> StepEnd {
        match (self.stopped, self.status.code()) {
            (Some(Stopped::Cancelled), _) => StepEnd::BrokenOff,
            (Some(Stopped::TooLong), _) => {
                StepEnd::HostTrouble(format!("it takes longer than {} minutes", WALL.as_secs() / 60))
            }
            (None, Some(codes::DONE)) => StepEnd::Passed,
            (None, Some(codes::USER | codes::NOT_STARTED | codes::FORFEIT)) => StepEnd::Refused(self.reason(step)),
            (None, Some(code)) => StepEnd::HostTrouble(format!("{} (exit code {code})", self.reason(step))),
            (None, None) => {
                let signal = self.status.signal().unwrap_or_default();
                StepEnd::HostTrouble(format!("the process was killed by signal {signal}"))
            }
        }
    }

    /// Returns why it failed, in one line.
    fn reason(&self, step: Step) -> String {
        let error = self.stderr.lines().find_map(|line| line.strip_prefix("error: "));
        let last = self.stdout.lines().rev().find(|line| !line.trim().is_empty());
        let forfeit = || Some("the bot forfeited the match").filter(|_| self.status.code() == Some(codes::FORFEIT));
        let why = match step {
            Step::Check => error.or(last),
            _ => error.or_else(forfeit),
        };
        clean(why.unwrap_or("the log has the reason"))
    }

    /// Returns what the team is shown.
    fn log(&self, step: Step) -> String {
        let document = serde_json::from_str::<Versioned<BuildDocument>>(&self.stdout).ok();
        let data = match (step, document) {
            (Step::Build, Some(built)) => described(&built.document),
            _ => self.stdout.clone(),
        };
        let text = format!("{data}{}", self.stderr);
        let mut kept = Capture::new(LOG);
        text.lines().for_each(|line| kept.add(format!("{}\n", clean(line)).as_bytes()));
        kept.text()
    }
}

/// Returns what a team is shown of how its bot was built, without the places of the server.
fn described(built: &BuildDocument) -> String {
    let mut out = format!("language  {}, as {}\n", built.language.as_deref().unwrap_or("by agon.toml"), built.why);
    let mut line = |title: &str, text: String| {
        if !text.is_empty() {
            out.push_str(&format!("{title:<10}{text}\n"));
        }
    };
    line("start", built.start.clone().unwrap_or_default());
    line("left out", built.left_out.join(", "));
    line("notes", built.notes.join("; "));
    built.build.iter().for_each(|command| line("build", command.clone()));
    let took = if built.build.is_empty() {
        "nothing to build".to_owned()
    } else {
        format!("in {:.1} s, {}", built.took_ms as f64 / 1000.0, built.sandbox.as_deref().unwrap_or("no sandbox"))
    };
    line("built", took);
    out + &built.log
}

/// Reads what is there within a short time. Takes the pipe away at its end.
fn listen(pipe: &mut Option<impl Read + std::os::fd::AsFd>, into: &mut Capture) -> io::Result<()> {
    let Some(open) = pipe else { return Ok(()) };
    match poll(&mut [PollFd::new(open, PollFlags::IN)], Some(&LOOK)) {
        Ok(0) | Err(Errno::INTR) => return Ok(()),
        Ok(_) => {}
        Err(why) => return Err(why.into()),
    }
    let mut bytes = [0; 16 << 10];
    match open.read(&mut bytes)? {
        0 => *pipe = None,
        n => into.add(&bytes[..n]),
    }
    Ok(())
}

/// Returns how a process ended whose pipes are closed, or waits for a short time.
fn ended(running: &mut Running) -> io::Result<Option<ExitStatus>> {
    let status = running.ended()?;
    if status.is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(status)
}

/// Reads the replay of a trial. `None` if there is none, or it is too large to be kept.
fn replay(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(REPLAY + 1).read_to_end(&mut bytes).ok()?;
    (!bytes.is_empty() && bytes.len() as u64 <= REPLAY).then_some(bytes)
}
