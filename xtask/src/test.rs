//! `cargo xtask test` runs everything that CI runs, in an order that fails early, and prints a table at the end. Tests wait
//! for bots and clocks most of the time. What else there is uses that time: it runs beside them in two lanes, and what only
//! computes has the lowest priority.
//!
//! Tests are built once, by clippy's compiler, which lints what it compiles. Lints of their own would check everything again.

mod last_times;
mod runner;

use crate::{assets, e2e, postgres, root, target_folder, tools};
use last_times::LastTimes;
use runner::{OWN, Outcome, Place, Row, Step, step};
use std::{process::ExitCode, thread};

/// What fails early.
const FIRST: &[Step] = &[
    step("format", "every file looks as rustfmt prints it", &["cargo", "fmt", "--all", "--check"]),
    step("rings", "dependencies point inward, files are short, names are plain", &[OWN, "rings"]),
    step("citations", "each cited chapter and point of the rules exists", &[OWN, "citations"]),
    Step {
        env: LINTS,
        ..step(
            "build",
            "every program and test compiles, without a warning of the compiler or of clippy",
            &["cargo", "--config", CLIPPY, "test", "--workspace", "--all-features", "--no-run"],
        )
    },
];

/// The compiler of the project's own packages. Its artefacts lie beside those of the usual one.
const CLIPPY: &str = "build.rustc-workspace-wrapper='clippy-driver'";
/// What clippy is told. It compiles again where this differs.
const LINTS: &[(&str, &str)] = &[("CLIPPY_ARGS", "-Dwarnings")];

/// The tests.
const TESTS: &[Step] = &[Step {
    env: LINTS,
    skips: COPY_TESTS,
    repeats: true,
    ..step(
        "tests",
        "what the code does, with real bots in real sandboxes, and the examples in its documents",
        &[
            // Tests of the store need a server.
            OWN,
            "postgres",
            "--if-possible",
            "--",
            "cargo",
            "--config",
            CLIPPY,
            "test",
            "--workspace",
            "--all-features",
            "--no-fail-fast",
            "--",
        ],
    )
}];

/// The first lane beside the tests. It compiles in the folder of the tests, and so one after the other.
const COMPILING: &[Step] = &[
    Step {
        // The test starts cargo itself.
        env: &[LINTS[0], ("RUSTC_WORKSPACE_WRAPPER", "clippy-driver")],
        ..step(
            "copy",
            "one line in one list makes a game known to every command",
            &["cargo", "test", "--workspace", "--all-features", "--test", "one_line"],
        )
    },
    Step {
        env: &[("RUSTDOCFLAGS", "-D warnings")],
        ..step(
            "documents",
            "each link in the documents of the code leads somewhere",
            &[
                "cargo",
                "doc",
                "--workspace",
                "--no-deps",
                "--all-features",
                "--document-private-items",
                "--lib",
                "--bins",
            ],
        )
    },
];

/// The second lane beside the tests begins with what has a folder of its own, or is built already.
const COMPUTING: &[Step] = &[
    step("golden", "the rules reproduce the matches of the original engines", &["target/debug/agon-golden"]),
    step(
        "statistics",
        "tests and intervals are as often right as they say",
        &["target/debug/agon-statistics", "--quick"],
    ),
    Step {
        needs: tools::PAGE,
        ..step("assets", "the committed files of the page are those that the code makes", &[OWN, "assets", "--check"])
    },
];

/// Then come the other tests. Nothing holds them back, but in CI the tests that measure how fast bots are stopped are over by then.
const USING: &[Step] = &[
    Step {
        needs: e2e::BROWSER,
        ..step("browser", "people can use the pages of all games in a browser", &[OWN, "e2e", "--built", "--use"])
    },
    Step {
        needs: tools::KITS,
        ..step("kits", "every starter kit builds and plays", &["python3", "examples/test_kits.py"])
    },
];

/// What measures, and needs the cores for itself.
const LAST: &[Step] = &[
    step(
        "chaos",
        "whatever is killed, 1,000 workers lose and repeat no result, on each kind of store",
        &[OWN, "postgres", "--if-possible", "--", "target/debug/agon-chaos", "--matches", "60000", "--store", "each"],
    ),
    Step {
        needs: e2e::BROWSER,
        ..step("figures", "no page takes far too long", &[OWN, "e2e", "--built", "--measure"])
    },
];

/// The steps, in the order in which they are told.
const ALL: [&[Step]; 6] = [FIRST, TESTS, COMPILING, COMPUTING, USING, LAST];

/// The tests that compile a copy of the workspace.
const COPY_TESTS: &[&str] =
    &["one_line_makes_a_game_known_to_every_command", "a_program_that_looks_at_positions_links_no_bot"];

/// Runs the task.
pub fn run() -> ExitCode {
    if let Err(why) = tools::components() {
        eprintln!("error: {why}");
        return ExitCode::FAILURE;
    }
    let times = LastTimes::read(&target_folder().join("test-times"));
    print!("{}", times.told(&ALL));
    let unheard = if tools::in_ci() { tools::missing(tools::LANGUAGES) } else { tools::absent(tools::LANGUAGES) };
    // What steps that run side by side need is installed before.
    [COMPUTING, USING].into_iter().flatten().for_each(|step| drop(tools::missing(step.needs)));
    // The steps that need these packages say why they have none.
    let _ = assets::npm_packages();
    let in_turn = |groups: &[(&[Step], Place)]| -> Vec<Row> {
        groups.iter().flat_map(|(steps, place)| steps.iter().map(|step| step.run(*place))).collect()
    };
    let mut rows = in_turn(&[(FIRST, Place::Foreground)]);
    thread::scope(|scope| {
        let lanes: [&[(&[Step], Place)]; 2] =
            [&[(COMPILING, Place::Background)], &[(COMPUTING, Place::Background), (USING, Place::Beside)]];
        let lanes = lanes.map(|groups| scope.spawn(move || in_turn(groups)));
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
    if !postgres::is_installed() {
        println!("SKIPPED: tests with PostgreSQL, because there is no server: `apt-get install postgresql`");
    }
    for line in rows.iter().flat_map(|row| &row.unstable) {
        println!("{line}");
    }
    rows.iter().flat_map(Row::why_failed).for_each(|line| println!("{line}"));
    rows.iter().for_each(Row::show_result);
    times.renewed(&rows).write();
    let steps_failed = rows.iter().filter(|row| matches!(row.outcome, Outcome::Failed)).count() as u64;
    let (passed, failed) = rows.iter().fold((0, 0), |(passed, failed), row| (passed + row.passed, failed + row.failed));
    // A step that failed without a failed test (a lint, a mismatch) counts as one failure.
    println!("{passed} passed, {} failed", failed.max(steps_failed));
    if steps_failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
