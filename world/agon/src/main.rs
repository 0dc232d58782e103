//! The program `agon`. All of its code is in [`agon_cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    agon_cli::agon()
}
