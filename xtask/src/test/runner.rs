//! Runs a step and keeps what it said.

use crate::{root, tools};
use std::{
    io::{self, BufRead, BufReader},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// A part of the run.
pub struct Step {
    pub name: &'static str,
    pub words: &'static [&'static str],
    /// Names of tests that are left out here.
    pub skips: &'static [&'static str],
    pub env: &'static [(&'static str, &'static str)],
    pub needs: &'static [tools::Tool],
}

pub const fn step(name: &'static str, words: &'static [&'static str]) -> Step {
    Step { name, words, skips: &[], env: &[], needs: &[] }
}

/// Where a step runs.
#[derive(Clone, Copy, PartialEq)]
pub enum Place {
    /// It goes before those in the background, and its output is shown as it comes.
    Foreground,
    /// It takes what others leave of the cores, and its output is shown when it ends.
    Background,
}

/// What has come of a step.
pub struct Row {
    name: &'static str,
    pub outcome: Outcome,
    time: Duration,
    /// The tests that passed, as the step counted them.
    pub passed: u64,
    pub failed: u64,
    /// The lines about parts that failed and passed when they were repeated.
    pub unstable: Vec<String>,
    /// The output of a step in the background.
    output: Vec<String>,
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
        let (outcome, time) = (Outcome::Failed, Duration::ZERO);
        let mut row =
            Row { name: self.name, outcome, time, passed: 0, failed: 0, unstable: Vec::new(), output: Vec::new() };
        row.say(place, format!("\n=== {} ===", self.name));
        let missing = tools::missing(self.needs);
        row.outcome = if missing.is_empty() {
            match self.execute(place, &mut row) {
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
        if place == Place::Background {
            println!("{}", row.output.join("\n"));
        }
        row
    }

    fn execute(&self, place: Place, row: &mut Row) -> io::Result<bool> {
        let (output, input) = io::pipe()?;
        let mut command = match place {
            Place::Foreground => Command::new(self.words[0]),
            Place::Background => in_background(self.words[0]),
        };
        command.args(&self.words[1..]).args(self.skips.iter().flat_map(|name| ["--skip", name]));
        command.envs(self.env.iter().copied()).current_dir(root()).stdin(Stdio::null());
        if place == Place::Background {
            command.stderr(input.try_clone()?);
        }
        let mut child = command.stdout(input).spawn()?;
        // The reader below waits until nobody can write any more.
        drop(command);
        for line in BufReader::new(output).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            row.count(&line);
            // One line for each successful test would hide what matters.
            if !(line.starts_with("test ") && line.ends_with("... ok")) {
                row.say(place, line);
            }
        }
        Ok(child.wait()?.success())
    }
}

/// Returns a command that runs a program where others leave the cores alone.
fn in_background(program: &str) -> Command {
    let (lowest, words): (_, &[&str]) =
        if tools::find("chrt").is_some() { ("chrt", &["--idle", "0"]) } else { ("nice", &["-n", "19"]) };
    let mut command = Command::new(lowest);
    command.args(words).arg(program);
    command
}

impl Row {
    fn say(&mut self, place: Place, line: String) {
        match place {
            Place::Foreground => println!("{line}"),
            Place::Background => self.output.push(line),
        }
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

    /// Reads `test result: ok. 3 passed; 0 failed; …` of cargo, or `3 passed, 0 failed` of other runners, and keeps what was
    /// unstable.
    fn count(&mut self, line: &str) {
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
        let row = Step { skips: &["slow"], ..step("sample", FAILING) }.run(Place::Background);
        assert!(matches!(row.outcome, Outcome::Failed));
        assert_eq!((row.passed, row.failed), (3, 1));
        assert_eq!(row.output[1..], ["test result: FAILED. 3 passed; 1 failed; 0 ignored", "--skip slow"]);
    }

    #[test]
    fn closing_lines_of_all_runners_are_counted() {
        let mut row = step("sample", &["true"]).run(Place::Background);
        assert!(matches!(row.outcome, Outcome::Passed));
        for line in ["28 passed, 2 failed", "test result: ok. 4 passed; 0 failed; 0 ignored", "nothing passed"] {
            row.count(line);
        }
        row.count("UNSTABLE: a part failed, and passed when it was repeated");
        assert_eq!((row.passed, row.failed), (32, 2));
        assert_eq!(row.unstable.len(), 1);
    }
}
