//! The project's own tasks: `cargo xtask test` is everything that CI runs.

mod citations;
mod golden;
mod names;
mod rings;
mod test;
mod tools;

use std::{path::Path, process::ExitCode};

const USAGE: &str = "usage: cargo xtask TASK

tasks:
  test             everything that CI runs: format, lints, tests, recordings, documents, kits; installs what it needs
  golden [DIR]     replay every recording of the original engines below DIR (default: ../shared/golden, else fixtures/golden)
  rings            check that every dependency points inward, that files keep their size and that names are plain
  citations        check that every point and chapter of rules that is cited is defined in docs/games";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => test::run(),
        ["golden"] => golden::run(None),
        ["golden", dir] => golden::run(Some(dir)),
        ["rings"] => rings::run(),
        ["citations"] => citations::run(),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// The workspace's folder.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}
