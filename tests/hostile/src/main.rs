//! The program `agon-selftest`, which `agon selftest` runs.

mod command;

use agon_hostile::{AGON, Role};
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|word| word == AGON) {
        return agon_cli::agon(std::env::args_os().skip(2), None);
    }
    agon_play::helper();
    // A hostile bot, its referee and its victim share nothing with the rest of this program.
    if let Some(role) = Role::asked_for() {
        return role.run().into();
    }
    command::run()
}
