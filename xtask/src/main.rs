//! The project's own tasks. `cargo xtask test` runs everything that CI runs.

mod assets;
mod cgroup2;
mod citations;
mod dist;
mod e2e;
mod names;
mod postgres;
mod rings;
mod test;
mod tools;
mod traps;

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// The packages of tasks that know the games. They are not a part of this one, which everybody compiles first.
const GOLDEN: &str = "agon-golden";
const STATISTICS: &str = "agon-statistics";
const BENCHES: &str = "agon-bench";
const CHAOS: &str = "agon-chaos";

const USAGE: &str = "usage: cargo xtask TASK

tasks:
  test             run everything that CI runs: format, lints, tests, recordings, documents, kits; install missing tools
  golden [DIR]     replay every recording of the original engines below DIR (default: ../shared/golden, else fixtures/golden)
  e2e [DIR] [--built] [--use|--measure]
                   use the pages of all games in a real browser, and write pictures of the boards to DIR; measure how long
                   pages take; only one of the two with --use or --measure; with --built, take target/debug/agon as it was
                   built last
  bench [WHAT]     measure what an exchange, a match and a turn cost here (docs/bench.md); builds the benches with optimisation,
                   which takes some minutes for the first time
  chaos [OPTION…]  play a tournament of a million matches of no cost with 1,000 simulated workers, kill both at random, and check that
                   every result is there, once (--matches N, --workers N, --seed S, --calm; --figures; --help)
  rings            check that dependencies point inward, that files are not too long, and that names are plain
  cgroup2          show Agon at work with control groups of version 2, in an emulated machine (by hand; about six minutes)
  assets [--check [--positions N]]
                   build the module and the page of the viewer; with --check only compare them with the committed ones
  dist             make the archive of a release: static programs for Linux with completions, man pages, licences and checksums;
                   use it in an empty root; build the Dockerfile where a container builder works (about 15 minutes)
  stats [--quick|--time]
                   simulate tests, estimates and ratings with known truths, and say how often they are right (--quick: seconds
                   instead of minutes; --time: also how long large leagues take)
  postgres [-- COMMAND]
                   start a server of PostgreSQL as an ordinary user in a temporary folder, and say where it is; or run COMMAND with
                   its address in AGON_POSTGRES (--if-possible -- COMMAND: without one where it cannot be installed, except in CI)
  citations        check that docs/games defines every point and chapter of the rules that is cited";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => test::run(),
        ["golden", words @ ..] => run_package(GOLDEN, &["--quiet"], words),
        ["bench", words @ ..] => run_package(BENCHES, &["--release"], words),
        ["chaos", words @ ..] => run_package(CHAOS, &["--release"], words),
        ["rings"] => rings::run(),
        ["e2e", words @ ..] => e2e::run(words).unwrap_or_else(misused),
        ["cgroup2"] => cgroup2::run(),
        ["assets"] => assets::run(false, assets::POSITIONS),
        ["assets", "--check"] => assets::run(true, assets::POSITIONS),
        ["assets", "--check", "--positions", count] => assets::run(true, count),
        ["stats", words @ ..] => run_package(STATISTICS, &["--quiet"], words),
        ["dist"] => dist::run(),
        ["postgres", words @ ..] => postgres::run(words).unwrap_or_else(misused),
        ["citations"] => citations::run(),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => misused(),
    }
}

/// Says how the program is used.
fn misused() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

/// Builds the program of a package, with these options of cargo, and runs it.
fn run_package(package: &str, options: &[&str], words: &[&str]) -> ExitCode {
    let mut cargo = Command::new("cargo");
    // The folders among the words are those of whoever calls.
    cargo.args(["run", "--manifest-path"]).arg(root().join("Cargo.toml"));
    match cargo.args(options).args(["--package", package, "--"]).args(words).status() {
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(why) => {
            eprintln!("error: cargo: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the folder in which cargo builds.
fn target_folder() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |named| root().join(named))
}

/// Returns the folder of the workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}
