//! The program `agon`. All of its code is in [`agon_cli`].

mod champion_library;

use std::process::ExitCode;

fn main() -> ExitCode {
    agon_cli::agon(std::env::args_os().skip(1), champion_library::carried())
}
