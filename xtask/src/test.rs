//! `cargo xtask test` runs everything that CI runs, in an order that fails early, and prints a table at the end. Tests wait
//! for bots and clocks most of the time. What else there is uses that time: it runs beside them in two lanes, and what only
//! computes has the lowest priority.

mod runner;

use crate::{assets, e2e, root, tools};
use runner::{OWN, Outcome, Place, Row, Step, step};
use std::{process::ExitCode, thread};

/// What fails early.
const FIRST: &[Step] = &[
    step("format", &["cargo", "fmt", "--all", "--check"]),
    step("rings", &[OWN, "rings"]),
    step("citations", &[OWN, "citations"]),
];

/// The lints fail early for a developer, who waits for them. In CI, which compiles everything anew, they begin the first lane of the
/// background.
const LINTS: &[Step] =
    &[step("lints", &["cargo", "clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"])];

/// The build of the tests.
const BUILD: &[Step] = &[step("build", &["cargo", "test", "--workspace", "--all-features", "--no-run"])];

/// The tests.
const TESTS: &[Step] = &[Step {
    skips: COPY_TESTS,
    repeats: true,
    ..step("tests", &["cargo", "test", "--workspace", "--all-features", "--no-fail-fast", "--"])
}];

/// The documents of all packages. Because an example is among them, dependencies get the same features as for the lints, which have
/// checked them already. No other example has the name `positions`.
const DOCUMENTS: &[&str] = &[
    "cargo",
    "doc",
    "--workspace",
    "--no-deps",
    "--all-features",
    "--document-private-items",
    "--lib",
    "--bins",
    "--example",
    "positions",
];

/// The first lane beside the tests. It compiles in the folder of the tests, and so one after the other.
const COMPILING: &[Step] = &[
    Step { env: &[("RUSTDOCFLAGS", "-D warnings")], ..step("documents", DOCUMENTS) },
    step("copy", &["cargo", "test", "--workspace", "--all-features", "--test", "one_line"]),
];

/// The second lane beside the tests begins with what has a folder of its own, or is built already.
const COMPUTING: &[Step] = &[
    step("golden", &["target/debug/agon-golden"]),
    step("statistics", &["target/debug/agon-statistics", "--quick"]),
    Step { needs: tools::PAGE, ..step("assets", &[OWN, "assets", "--check"]) },
];

/// Then come the other tests. Nothing holds them back, but in CI the tests that measure how fast bots are stopped are over by then.
const USING: &[Step] = &[
    Step { needs: e2e::BROWSER, ..step("browser", &[OWN, "e2e", "--built", "--use"]) },
    Step { needs: tools::KITS, ..step("kits", &["python3", "examples/test_kits.py"]) },
];

/// What measures, and needs the cores for itself.
const LAST: &[Step] = &[Step { needs: e2e::BROWSER, ..step("figures", &[OWN, "e2e", "--built", "--measure"]) }];

/// The tests that compile a copy of the workspace.
const COPY_TESTS: &[&str] = &["one_line_makes_a_game_known_to_every_command", "who_looks_at_positions_links_no_bot"];

/// Runs the task.
pub fn run() -> ExitCode {
    if let Err(why) = tools::components() {
        eprintln!("error: {why}");
        return ExitCode::FAILURE;
    }
    let unheard = if tools::in_ci() { tools::missing(tools::LANGUAGES) } else { tools::absent(tools::LANGUAGES) };
    // What steps that run side by side need is installed before.
    [COMPUTING, USING].into_iter().flatten().for_each(|step| drop(tools::missing(step.needs)));
    // The steps that need these packages say why they have none.
    let _ = assets::npm_packages();
    let in_turn = |groups: &[(&[Step], Place)]| -> Vec<Row> {
        groups.iter().flat_map(|(steps, place)| steps.iter().map(|step| step.run(*place))).collect()
    };
    let (before, beside) = if tools::in_ci() { (&[][..], LINTS) } else { (LINTS, &[][..]) };
    let mut rows = in_turn(&[FIRST, before, BUILD].map(|steps| (steps, Place::Foreground)));
    thread::scope(|scope| {
        let lanes = [
            [(beside, Place::Background), (COMPILING, Place::Background)],
            [(COMPUTING, Place::Background), (USING, Place::Beside)],
        ]
        .map(|groups| scope.spawn(move || in_turn(&groups)));
        rows.extend(in_turn(&[(TESTS, Place::Foreground)]));
        rows.extend(lanes.into_iter().flat_map(|lane| lane.join().expect("a step does not panic")));
    });
    rows.extend(in_turn(&[(LAST, Place::Foreground)]));
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
    for line in rows.iter().flat_map(|row| &row.unstable) {
        println!("{line}");
    }
    rows.iter().for_each(Row::show_result);
    let steps_failed = rows.iter().filter(|row| matches!(row.outcome, Outcome::Failed)).count() as u64;
    let (passed, failed) = rows.iter().fold((0, 0), |(passed, failed), row| (passed + row.passed, failed + row.failed));
    // A step that failed without a failed test (a lint, a mismatch) counts as one failure.
    println!("{passed} passed, {} failed", failed.max(steps_failed));
    if steps_failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
