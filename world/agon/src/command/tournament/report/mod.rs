//! `agon tournament report`: what a tournament says about its bots.

mod text;

use super::{of_tournament, reader};
use crate::{clean::clean_lines, error::Result, exit::Exit, printer::Printer};
use agon_tournament::{report_csv, report_markdown};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Sum up a tournament: standings with what decided them, cross table, bracket, faults, time. Works while it is played.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament report cup.toml
  agon tournament report cup.toml --format markdown > cup.md")]
pub struct Report {
    /// The tournament.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    /// The form of the report on stdout.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: ReportFormat,
}

/// The form of a report on stdout.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum ReportFormat {
    /// Tables for people.
    #[default]
    Text,
    /// Tables in Markdown.
    Markdown,
    /// The standings, one line for each bot.
    Csv,
    /// One JSON document.
    Json,
}

impl Report {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let store = reader(&self.file)?;
        let report = agon_tournament::report(&store).map_err(of_tournament)?;
        match self.format {
            ReportFormat::Text => printer.data(text::render(&report, printer.colour))?,
            ReportFormat::Markdown => printer.data(report_markdown(&report))?,
            ReportFormat::Csv => printer.data(clean_lines(&report_csv(&report)))?,
            ReportFormat::Json => printer.document(report)?,
        }
        Ok(Exit::Done)
    }
}
