//! `agon tournament export`.

use super::{frozen_reader, of_tournament};
use crate::{error::Result, exit::Exit, printer::Printer, stores::StoreArg};
use agon_tournament::to_csv;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Print everything that was played, for other programs. Works while it is played.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament export cup.toml > cup.json
  agon tournament export cup.toml --format csv > cup.csv")]
pub struct Export {
    /// The tournament's file.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    #[command(flatten)]
    store: StoreArg,

    /// The form of the data.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: ExportFormat,
}

/// The form of exported data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum ExportFormat {
    /// One JSON document.
    #[default]
    Json,
    /// The matches, one line for each seat.
    Csv,
}

impl Export {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let document =
            agon_tournament::export(&frozen_reader(&self.file, &self.store.of(&self.file))?).map_err(of_tournament)?;
        match self.format {
            ExportFormat::Json => printer.document(document)?,
            ExportFormat::Csv => printer.data(to_csv(&document))?,
        }
        Ok(Exit::Done)
    }
}
