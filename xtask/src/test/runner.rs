//! Runs a step and keeps what it said.

use crate::{root, target_folder, tools};
use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// The first word of a step that is a task of this program. Through `cargo xtask` it would wait for other builds to end.
pub const OWN: &str = "xtask";
/// What the first word of a step begins with that is a program from the build of the tests.
const BUILT: &str = "target/debug/";

/// A part of the run.
pub struct Step {
    pub name: &'static str,
    /// What is known when it has passed.
    pub purpose: &'static str,
    /// The command line. It begins with a program, or with [`OWN`]. Words below [`BUILT`] are programs of the build.
    pub words: &'static [&'static str],
    /// Names of tests that are left out here.
    pub skips: &'static [&'static str],
    pub env: &'static [(&'static str, &'static str)],
    pub needs: &'static [tools::Tool],
    /// Whether tests that fail run once more. It must be a run of `cargo test` whose words end with `--`.
    pub repeats: bool,
}

pub const fn step(name: &'static str, purpose: &'static str, words: &'static [&'static str]) -> Step {
    Step { name, purpose, words, skips: &[], env: &[], needs: &[], repeats: false }
}

/// The most failed tests that are repeated. More of them are no races.
const MOST_REPEATED: usize = 3;

/// Where a step runs.
#[derive(Clone, Copy, PartialEq)]
pub enum Place {
    /// Its output is shown as it comes.
    Foreground,
    /// It runs beside those in the foreground, like them, and its output is shown when it ends.
    Beside,
    /// It takes what all others leave of the cores, and its output is shown when it ends.
    Background,
}

/// What came of a step.
pub struct Row {
    pub name: &'static str,
    pub outcome: Outcome,
    pub time: Duration,
    /// The tests that passed, as the step counted them.
    pub passed: u64,
    pub failed: u64,
    /// The names of the tests that failed.
    failures: Vec<String>,
    /// The lines about what failed and passed when it was repeated.
    pub unstable: Vec<String>,
    /// What the tests that failed said, or the last lines of a step that failed without one.
    reasons: Reasons,
    /// The output of a step in the background.
    output: Vec<String>,
}

/// What is told once more at the end, where nobody has to look for it among thousands of lines.
#[derive(Default)]
struct Reasons {
    /// What cargo's runner shows of each test that failed.
    shown: Vec<String>,
    /// Whether the lines that come belong to such a test.
    showing: bool,
    last: VecDeque<String>,
}

/// The most lines that are told once more of a step.
const MOST_REASONS: usize = 80;
/// How many lines are told of a step that failed without a failed test.
const LAST_LINES: usize = 15;

impl Reasons {
    fn read(&mut self, line: &str) {
        self.showing = (self.showing && line != "failures:") || is_title_of_failure(line);
        if self.showing && self.shown.len() < MOST_REASONS {
            self.shown.push(line.to_owned());
        }
        self.last.push_back(line.to_owned());
        if self.last.len() > LAST_LINES {
            self.last.pop_front();
        }
    }
}

/// Cargo's runner begins with this line what a test said that failed.
fn is_title_of_failure(line: &str) -> bool {
    line.starts_with("---- ") && line.ends_with(" stdout ----")
}

/// The result of a step.
pub enum Outcome {
    Passed,
    Failed,
    Skipped(String),
}

impl Step {
    /// Runs the step.
    pub fn run(&self, place: Place) -> Row {
        let start = Instant::now();
        let mut row = Row::new(self.name);
        row.say(place, format!("\n=== {} ===", self.name));
        let missing = tools::missing(self.needs);
        row.outcome = if missing.is_empty() {
            let passed =
                self.execute(place, &mut row, &[]).and_then(|passed| Ok(passed || self.repeat(place, &mut row)?));
            match passed {
                Ok(true) => Outcome::Passed,
                Ok(false) => Outcome::Failed,
                Err(why) => {
                    row.say(place, format!("error: {}: {why}", self.words.join(" ")));
                    Outcome::Failed
                }
            }
        } else if tools::in_ci() {
            row.say(place, format!("error: not installed: {}", missing.join(", ")));
            Outcome::Failed
        } else {
            Outcome::Skipped(format!("SKIPPED, because not installed: {}", missing.join(", ")))
        };
        row.time = start.elapsed();
        if place != Place::Foreground {
            println!("{}", row.output.join("\n"));
        }
        row
    }

    /// Runs the tests that failed once more. Returns whether all of them pass: then each is told as unstable.
    fn repeat(&self, place: Place, row: &mut Row) -> io::Result<bool> {
        if !self.repeats || row.failures.is_empty() || row.failures.len() > MOST_REPEATED {
            return Ok(false);
        }
        row.say(place, format!("\n=== {}: what failed, once more ===", self.name));
        let mut again = Row::new(self.name);
        let names: Vec<&str> = ["--exact"].into_iter().chain(row.failures.iter().map(String::as_str)).collect();
        let passed = self.execute(place, &mut again, &names)? && again.passed >= row.failures.len() as u64;
        row.output.append(&mut again.output);
        row.reasons.shown.append(&mut again.reasons.shown);
        if passed {
            let told = |name| format!("UNSTABLE: `{name}` failed, and passed when it was repeated");
            row.unstable.extend(row.failures.drain(..).map(told));
            (row.passed, row.failed) = (row.passed + row.failed, 0);
        }
        Ok(passed)
    }

    /// Runs the program with further arguments.
    fn execute(&self, place: Place, row: &mut Row, further: &[&str]) -> io::Result<bool> {
        let (output, input) = io::pipe()?;
        let program = program(self.words[0])?;
        let mut command = match place {
            Place::Foreground | Place::Beside => Command::new(program),
            Place::Background => in_background(&program),
        };
        let words = self.words[1..].iter().map(|word| built(word).unwrap_or_else(|| word.into()));
        command.args(words).args(self.skips.iter().flat_map(|name| ["--skip", name])).args(further);
        command.envs(self.env.iter().copied()).current_dir(root()).stdin(Stdio::null());
        if place != Place::Foreground {
            command.stderr(input.try_clone()?);
        }
        let mut child = command.stdout(input).spawn()?;
        // The reader below waits until nobody can write any more.
        drop(command);
        for line in BufReader::new(output).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            row.count(&line);
            row.reasons.read(&line);
            // One line for each successful test would hide what matters.
            if !(line.starts_with("test ") && line.ends_with("... ok")) {
                row.say(place, line);
            }
        }
        Ok(child.wait()?.success())
    }
}

/// Returns the path of a program of the build that a step names.
fn built(word: &str) -> Option<PathBuf> {
    Some(target_folder().join("debug").join(word.strip_prefix(BUILT)?))
}

/// Returns the path of a step's program.
fn program(word: &str) -> io::Result<PathBuf> {
    if let Some(path) = built(word) {
        return Ok(path);
    }
    if word != OWN {
        return Ok(word.into());
    }
    // The build of the tests has other features, and puts its own program in the place of this one.
    let running = PathBuf::from(format!("/proc/{}/exe", std::process::id()));
    if running.exists() { Ok(running) } else { std::env::current_exe() }
}

/// Returns a command that runs a program where others leave the cores alone.
fn in_background(program: &Path) -> Command {
    let (lowest, words): (_, &[&str]) =
        if tools::find("chrt").is_some() { ("chrt", &["--idle", "0"]) } else { ("nice", &["-n", "19"]) };
    // Each of the two lanes has half of the cores.
    let jobs = std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2));
    let mut command = Command::new(lowest);
    command.args(words).arg(program).env("CARGO_BUILD_JOBS", jobs.to_string());
    command
}

impl Row {
    fn new(name: &'static str) -> Self {
        let (outcome, time, output) = (Outcome::Failed, Duration::ZERO, Vec::new());
        let (failures, unstable, reasons) = (Vec::new(), Vec::new(), Reasons::default());
        Self { name, outcome, time, passed: 0, failed: 0, failures, unstable, reasons, output }
    }

    fn say(&mut self, place: Place, line: String) {
        match place {
            Place::Foreground => println!("{line}"),
            Place::Beside | Place::Background => self.output.push(line),
        }
    }

    /// The lines that say why a step failed, or nothing if it passed.
    pub fn why_failed(&self) -> Vec<String> {
        if !matches!(self.outcome, Outcome::Failed) {
            return Vec::new();
        }
        let Reasons { shown, last, .. } = &self.reasons;
        let lines: Vec<&String> = if shown.is_empty() { last.iter().collect() } else { shown.iter().collect() };
        let names = self.failures.iter().map(|name| format!("FAILED: {}: `{name}`", self.name));
        let title = self.failures.is_empty().then(|| format!("FAILED: {}, whose last lines were:", self.name));
        title.into_iter().chain(names).chain(lines.into_iter().map(|line| format!("  {line}"))).collect()
    }

    /// Prints the line of the table.
    pub fn show_result(&self) {
        let word = match &self.outcome {
            Outcome::Passed => "ok",
            Outcome::Failed => "FAILED",
            Outcome::Skipped(why) => why,
        };
        println!("{:<10} {:>6.1} s  {word}", self.name, self.time.as_secs_f64());
    }

    /// Reads `test result: ok. 3 passed; 0 failed; …` of cargo, or `3 passed, 0 failed` of other runners, and keeps what failed
    /// and what was unstable.
    fn count(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("test ").and_then(|line| line.strip_suffix(" ... FAILED")) {
            self.failures.push(name.strip_suffix(" - should panic").unwrap_or(name).to_owned());
        }
        if line.starts_with("UNSTABLE: ") {
            self.unstable.push(line.to_owned());
        }
        let closing = line.strip_prefix("test result:").or(line.contains(" passed, ").then_some(line));
        let words = closing.unwrap_or_default().split([' ', ';', ',', '.']).filter(|word| !word.is_empty());
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            if let (Ok(number), Some(next)) = (word.parse::<u64>(), words.peek()) {
                match *next {
                    "passed" => self.passed += number,
                    "failed" => self.failed += number,
                    _ => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is skipped becomes arguments of the script.
    const FAILING: &[&str] = &[
        "sh",
        "-c",
        "echo 'test one ... ok'; echo 'test result: FAILED. 3 passed; 1 failed; 0 ignored'; echo \"$*\" >&2; exit 1",
        "sh",
    ];

    #[test]
    fn a_step_in_the_background_keeps_what_it_said_and_counts_tests() {
        let row = Step { skips: &["slow"], ..step("sample", "", FAILING) }.run(Place::Background);
        assert!(matches!(row.outcome, Outcome::Failed));
        assert_eq!((row.passed, row.failed), (3, 1));
        assert_eq!(row.output[1..], ["test result: FAILED. 3 passed; 1 failed; 0 ignored", "--skip slow"]);
    }

    /// Fails with the tests that `NAMES` lists, and passes for two of them.
    const UNSTABLE: &[&str] = &[
        "sh",
        "-c",
        "case \"$*\" in
        '--exact one three') echo 'test result: ok. 2 passed; 0 failed'; exit 0;;
        *) for name in $NAMES; do echo \"test $name ... FAILED\"; done; echo 'test result: FAILED. 3 passed; 2 failed'; exit 1;;
        esac",
        "sh",
    ];

    #[test]
    fn a_few_tests_that_fail_run_once_more() {
        let run = |names, repeats| Step { env: names, repeats, ..step("sample", "", UNSTABLE) }.run(Place::Background);
        let row = run(&[("NAMES", "one three")], true);
        assert!(matches!(row.outcome, Outcome::Passed));
        assert_eq!((row.passed, row.failed), (5, 0));
        assert_eq!(row.unstable[1], "UNSTABLE: `three` failed, and passed when it was repeated");
        for (names, repeats) in [
            (&[("NAMES", "one three")], false),
            (&[("NAMES", "one broken")], true),
            (&[("NAMES", "one two three four")], true),
            (&[("NAMES", "")], true),
        ] {
            let row = run(names, repeats);
            assert!(matches!(row.outcome, Outcome::Failed) && row.unstable.is_empty(), "{names:?}");
            assert_eq!((row.passed, row.failed), (3, 2), "{names:?}");
        }
    }

    /// Runs this test in a copy of its program, which removes itself.
    #[test]
    fn a_task_runs_after_its_program_was_replaced() {
        const NAME: &str = "test::runner::tests::a_task_runs_after_its_program_was_replaced";
        let list = || step("list", "", &[OWN, "--list"]);
        if std::env::var_os("XTASK_COPY").is_some() {
            std::fs::remove_file(std::env::current_exe().unwrap()).unwrap();
            for place in [Place::Foreground, Place::Beside, Place::Background] {
                assert!(matches!(list().run(place).outcome, Outcome::Passed));
            }
            return;
        }
        let copy = target_folder().join(format!("tmp/xtask-{}", std::process::id()));
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
        let ran = Command::new(&copy).args(["--exact", NAME]).env("XTASK_COPY", "1").output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
        assert!(!copy.exists(), "the copy did not run");
    }

    #[test]
    fn a_program_of_the_build_lies_in_its_folder() {
        assert_eq!(program("target/debug/agon-golden").unwrap(), target_folder().join("debug/agon-golden"));
        assert_eq!(program("cargo").unwrap(), Path::new("cargo"));
    }

    #[test]
    fn a_repeated_test_that_does_not_run_has_not_passed() {
        let script: &[&str] = &["sh", "-c", "echo 'test one ... FAILED'; test -n \"$*\"", "sh"];
        let row = Step { repeats: true, ..step("sample", "", script) }.run(Place::Background);
        assert!(matches!(row.outcome, Outcome::Failed));
    }

    #[test]
    fn a_step_that_failed_says_why_once_more() {
        const FAILING: &str = "echo 'test one ... FAILED'; echo 'failures:'; echo '---- one stdout ----'; \
                               echo 'left: 3'; echo; echo 'failures:'; echo '    one'; exit 1";
        let why = |words: &'static [&'static str]| step("sample", "", words).run(Place::Background).why_failed();
        assert_eq!(why(&["sh", "-c", FAILING]), ["FAILED: sample: `one`", "  ---- one stdout ----", "  left: 3", "  "]);
        assert_eq!(why(&["sh", "-c", "echo no; exit 1"]), ["FAILED: sample, whose last lines were:", "  no"]);
        assert!(why(&["true"]).is_empty());
    }

    #[test]
    fn closing_lines_of_all_runners_are_counted() {
        let mut row = step("sample", "", &["true"]).run(Place::Background);
        assert!(matches!(row.outcome, Outcome::Passed));
        for line in ["28 passed, 2 failed", "test result: ok. 4 passed; 0 failed; 0 ignored", "nothing passed"] {
            row.count(line);
        }
        row.count("UNSTABLE: a part failed, and passed when it was repeated");
        assert_eq!((row.passed, row.failed), (32, 2));
        assert_eq!(row.unstable.len(), 1);
    }
}
