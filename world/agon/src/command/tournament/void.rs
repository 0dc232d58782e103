//! `agon tournament void`: declares that a match does not count.

use super::{
    Source,
    decide::{Why, decide},
};
use crate::{clean::clean, error::Result, exit::Exit, printer::Printer, stores::StoreArg, values};
use agon_tournament::Voided;
use clap::Args;
use std::path::PathBuf;

/// Declare that a match does not count. Its record stays, with the reason.
///
/// A match that does not count already keeps its first reason, and the exit code is 0.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament void cup.toml 17 --why 'the network was down'")]
pub struct Void {
    /// The tournament.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    #[command(flatten)]
    store: StoreArg,

    /// The number of the match.
    #[arg(value_name = "ID", value_parser = values::whole(1..=u64::MAX), allow_negative_numbers = true)]
    id: u64,

    #[command(flatten)]
    why: Why,
}

impl Void {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let source = Source::enter(&self.file, &self.store)?;
        let id = self.id;
        let voided = decide(source, printer, |tournament| tournament.void(id, &self.why.why))?;
        printer.note(match voided {
            Voided::Now => format!("match {id} does not count"),
            Voided::Before(why) => format!("match {id} did not count before, and keeps its reason: {}", clean(&why)),
        });
        Ok(Exit::Done)
    }
}
