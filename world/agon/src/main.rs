//! The program `agon`. [`agon_cli`] has everything, with a table of its modules.

use std::process::ExitCode;

fn main() -> ExitCode {
    agon_cli::agon()
}
