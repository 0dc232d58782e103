//! `cargo xtask e2e` opens pages of all games in real browsers and uses them as a person does.

use crate::{assets, root, tools};
use std::process::{Command, ExitCode, Stdio};

/// The browsers, and what drives them.
pub const BROWSER: &[tools::Tool] = &[
    tools::Tool { program: "chromium", package: "chromium" },
    tools::Tool { program: "firefox-esr", package: "firefox-esr" },
    tools::Tool { program: "node", package: "nodejs" },
    tools::Tool { program: "npm", package: "npm" },
];

/// Runs the task. With `pictures`, screenshots of every board are in that folder afterwards.
pub fn run(pictures: Option<&str>) -> ExitCode {
    if !succeeds(Command::new("cargo").args(["build", "-p", "agon", "--bin", "agon"]).current_dir(root())) {
        return ExitCode::FAILURE;
    }
    run_built(pictures)
}

/// Runs the task with the program that was built last. Another choice of packages than that of the tests would build most of
/// it again.
pub fn run_built(pictures: Option<&str>) -> ExitCode {
    let missing = tools::missing(BROWSER);
    if !missing.is_empty() {
        eprintln!("error: not installed: {}", missing.join(", "));
        return ExitCode::FAILURE;
    }
    let viewer = root().join("viewer");
    if let Err(why) = assets::npm_packages() {
        eprintln!("error: {why}");
        return ExitCode::FAILURE;
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), Into::into);
    let mut drive = Command::new("node");
    drive.arg(viewer.join("e2e/run.mjs")).arg(target.join("debug/agon")).args(pictures);
    if succeeds(&mut drive) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn succeeds(command: &mut Command) -> bool {
    match command.stdin(Stdio::null()).status() {
        Ok(status) => status.success(),
        Err(why) => {
            eprintln!("error: {}: {why}", command.get_program().to_string_lossy());
            false
        }
    }
}
