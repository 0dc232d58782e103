//! `agon doctor`.

use super::Format;
use crate::{doctor::Report, error::Result, exit::Exit, interrupt, printer::Printer};
use clap::Args;

/// Find out what keeps bots from this host and from each other, by attacking it.
///
/// Every level of isolation is made and left again, harmless attacks are made inside the strongest one, and what is
/// missing is named with what would help. Exit code 40 if an attack gets through.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon doctor
  agon doctor --format json | jq -r .level
  agon doctor --format json | jq -r '.protections[] | select(.state != \"active\") | [.name, .why, .remedy] | @tsv'")]
pub struct Doctor {
    /// How to print what was found.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Doctor {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        // It takes about a second, and what was started for it ends with it: an interrupt waits for that.
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
