//! `agon tournament void`: declares that a match does not count.

use super::{Source, of_tournament, prepare};
use crate::{clean::clean, error::Result, exit::Exit, interrupt, printer::Printer, values};
use agon_store::Sqlite;
use agon_tournament::{Tournament, Voided};
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

    /// The number of the match.
    #[arg(value_name = "ID", value_parser = values::whole(1..=u64::MAX), allow_negative_numbers = true)]
    id: u64,

    /// The reason, for the record.
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    why: String,
}

impl Void {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let source = Source::enter(&self.file)?;
        // There must be something to declare void.
        drop(super::reader(&source.path)?);
        let cancel = interrupt::armed()?;
        let field = prepare(&source, &cancel, printer)?;
        let store = Sqlite::open(&source.store())?;
        let mut tournament = Tournament::open(store, &source.text, source.file, field).map_err(of_tournament)?;
        let voided = tournament.void(self.id, &self.why).map_err(of_tournament)?;
        tournament.into_store().close()?;
        let id = self.id;
        printer.note(match voided {
            Voided::Now => format!("match {id} does not count"),
            Voided::Before(why) => format!("match {id} did not count before, and keeps its reason: {}", clean(&why)),
        });
        Ok(Exit::Done)
    }
}
