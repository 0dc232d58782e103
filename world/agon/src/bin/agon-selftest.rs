//! The program `agon-selftest`, which `agon selftest` and `agon doctor` run.

use std::process::ExitCode;

fn main() -> ExitCode {
    agon_cli::agon_selftest()
}
