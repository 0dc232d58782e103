//! The program `agon`. All of its code is in [`agon_cli`].

mod champion_library;

use std::process::ExitCode;

fn main() -> ExitCode {
    agon_cli::agon(champion_library::carried())
}
