//! `agon tournament rerun`: lets a match be played again.

use super::{
    Source,
    decide::{Why, decide},
};
use crate::{clean::shell_word, error::Result, exit::Exit, printer::Printer, stores::StoreArg, values};
use clap::Args;
use std::path::PathBuf;

/// Let the next run play a match again that is over: one that counts, is void or was spoilt. The store keeps the old result and
/// the reason.
///
/// The bots as they are then, the seats, the map and the seed are the same. What was drawn by the old result stays as it is.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament rerun cup.toml 17 --why 'the disk was full'")]
pub struct Rerun {
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

impl Rerun {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let source = Source::enter(&self.file, &self.store)?;
        let id = self.id;
        decide(source, printer, |tournament| tournament.rerun(id, &self.why.why))?;
        let file = shell_word(&self.file);
        printer.note(format!("match {id} is to be played again: `agon tournament run {file}` plays it"));
        Ok(Exit::Done)
    }
}
