//! `agon exit-codes`, also reached as `agon help exit-codes`.

use crate::{error::Result, exit::Exit, printer::Printer};
use clap::Args;

/// What the exit codes mean.
#[derive(Args, Debug)]
#[command(long_about = long_about(), after_help = "Examples:
  agon exit-codes
  agon match grid @random ./bot --fail-on-forfeit || echo \"exit code $?\"")]
pub struct ExitCodes {}

fn long_about() -> String {
    format!(
        "What the exit codes mean.\n\nThey are part of the public interface, like arguments and JSON:\n\n{}",
        Exit::table()
    )
}

impl ExitCodes {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        printer.data(Exit::table())?;
        Ok(Exit::Done)
    }
}
