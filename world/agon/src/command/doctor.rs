//! `agon doctor`.

use super::Format;
use crate::{doctor::Report, error::Result, exit::Exit, interrupt, printer::Printer};
use clap::Args;

/// Find out how well bots are isolated here, by attacking that isolation.
///
/// The doctor sets up every level of isolation, makes harmless attacks inside the strongest one, and names what is
/// missing and what would help. The exit code is 40 if an attack gets through.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon doctor
  agon doctor --format json | jq -r .level
  agon doctor --format json | jq -r '.protections[] | [.name, .state] | @tsv'")]
pub struct Doctor {
    /// How to print the findings.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Doctor {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        // This takes about a second and ends everything that it starts, so an interrupt waits for it.
        let cancel = interrupt::armed()?;
        printer.progress("attacking …");
        let report = Report::make();
        printer.progress("");
        if cancel.is_cancelled() {
            return Err(interrupt::error());
        }
        match self.format {
            Format::Json => printer.document(report.document())?,
            Format::Text => printer.data(report.text(printer.colour))?,
        }
        Ok(if report.is_broken() { Exit::Sandbox } else { Exit::Done })
    }
}
