//! `cargo xtask test` runs everything that CI runs, in an order that fails early, and prints a table at the end.

use crate::{e2e, root, tools};
use std::{
    io::{BufRead, BufReader},
    process::{Command, ExitCode, Stdio},
    time::Instant,
};

/// A step: its name, its command line, its environment, and the tools that it needs.
struct Step {
    name: &'static str,
    words: &'static [&'static str],
    env: &'static [(&'static str, &'static str)],
    needs: &'static [tools::Tool],
}

const fn step(name: &'static str, words: &'static [&'static str]) -> Step {
    Step { name, words, env: &[], needs: &[] }
}

const STEPS: &[Step] = &[
    step("format", &["cargo", "fmt", "--all", "--check"]),
    step("rings", &["cargo", "xtask", "rings"]),
    step("citations", &["cargo", "xtask", "citations"]),
    step("lints", &["cargo", "clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"]),
    step("tests", &["cargo", "test", "--workspace", "--all-features", "--no-fail-fast"]),
    step("golden", &["cargo", "xtask", "golden"]),
    step("statistics", &["cargo", "xtask", "stats", "--quick"]),
    Step {
        name: "documents",
        words: &["cargo", "doc", "--workspace", "--no-deps", "--all-features", "--document-private-items"],
        env: &[("RUSTDOCFLAGS", "-D warnings")],
        needs: &[],
    },
    Step { needs: tools::PAGE, ..step("assets", &["cargo", "xtask", "assets", "--check"]) },
    Step { name: "browser", words: &["cargo", "xtask", "e2e", "--built"], env: &[], needs: e2e::BROWSER },
    Step { name: "kits", words: &["python3", "examples/test_kits.py"], env: &[], needs: tools::KITS },
];

/// The result of a step.
enum Outcome {
    Passed,
    Failed,
    Skipped(String),
}

/// The number of single tests, read from the last lines of the runners.
#[derive(Default)]
struct Count {
    passed: u64,
    failed: u64,
}

/// Runs the task.
pub fn run() -> ExitCode {
    if let Err(why) = tools::components() {
        eprintln!("error: {why}");
        return ExitCode::FAILURE;
    }
    let unheard = if tools::in_ci() { tools::missing(tools::LANGUAGES) } else { tools::absent(tools::LANGUAGES) };
    let mut rows = Vec::new();
    let mut count = Count::default();
    for step in STEPS {
        println!("\n=== {} ===", step.name);
        let start = Instant::now();
        let missing = tools::missing(step.needs);
        let outcome = if missing.is_empty() {
            match execute(step, &mut count) {
                Ok(true) => Outcome::Passed,
                Ok(false) => Outcome::Failed,
                Err(why) => {
                    eprintln!("error: {}: {why}", step.words.join(" "));
                    Outcome::Failed
                }
            }
        } else if tools::in_ci() {
            eprintln!("error: not installed: {}", missing.join(", "));
            Outcome::Failed
        } else {
            Outcome::Skipped(format!("SKIPPED, because not installed: {}", missing.join(", ")))
        };
        rows.push((step.name, outcome, start.elapsed()));
    }
    println!();
    if !root().join("../shared/maps").is_dir() {
        println!("SKIPPED: tests with the official maps, because the maps are not beside this checkout");
    }
    if !root().join("../shared/oracles").is_dir() {
        println!(
            "SKIPPED: comparisons of statistics with independent implementations, because their tables are not beside \
             this checkout"
        );
    }
    if !unheard.is_empty() {
        println!("SKIPPED: tests of bots that need {}, because these tools are not installed", unheard.join(", "));
    }
    let mut steps_failed = 0;
    for (name, outcome, time) in &rows {
        let word = match outcome {
            Outcome::Passed => "ok",
            Outcome::Failed => "FAILED",
            Outcome::Skipped(why) => why,
        };
        steps_failed += u64::from(matches!(outcome, Outcome::Failed));
        println!("{name:<10} {:>6.1} s  {word}", time.as_secs_f64());
    }
    // A step that failed without a failed test (a lint, a mismatch) counts as one failure.
    println!("{} passed, {} failed", count.passed, count.failed.max(steps_failed));
    if steps_failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn execute(step: &Step, count: &mut Count) -> std::io::Result<bool> {
    let mut child = Command::new(step.words[0])
        .args(&step.words[1..])
        .envs(step.env.iter().copied())
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let output = child.stdout.take().expect("stdout is piped");
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        // One line for each successful test would hide what matters.
        if !(line.starts_with("test ") && line.ends_with("... ok")) {
            println!("{line}");
        }
        read_closing_line(&line, count);
    }
    Ok(child.wait()?.success())
}

/// Reads `test result: ok. 3 passed; 0 failed; …` of cargo, or `3 passed, 0 failed` of other runners.
fn read_closing_line(line: &str, count: &mut Count) {
    let Some(counts) = line.strip_prefix("test result:").or(line.contains(" passed, ").then_some(line)) else { return };
    let mut words = counts.split([' ', ';', ',', '.']).filter(|w| !w.is_empty()).peekable();
    while let Some(word) = words.next() {
        if let (Ok(number), Some(next)) = (word.parse::<u64>(), words.peek()) {
            match *next {
                "passed" => count.passed += number,
                "failed" => count.failed += number,
                _ => {}
            }
        }
    }
}
