//! `agon tournament readmit`: lets a withdrawn bot play again.

use super::{
    Source,
    decide::{Why, decide, number_of},
};
use crate::{
    clean::{clean, shell_word},
    error::Result,
    exit::Exit,
    printer::Printer,
    stores::StoreArg,
};
use agon_tournament::words;
use clap::Args;
use std::path::PathBuf;

/// Let a withdrawn bot play again. The store keeps the reason.
///
/// Its matches that were left out are played by the next run, unless later rounds were drawn meanwhile that rest on them: then its
/// opponents keep their walkovers, and it plays in the rounds that are drawn from now on.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament readmit cup.toml rusty --why 'its author has mended it'")]
pub struct Readmit {
    /// The tournament.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    #[command(flatten)]
    store: StoreArg,

    /// The name of the bot.
    #[arg(value_name = "BOT")]
    bot: String,

    #[command(flatten)]
    why: Why,
}

impl Readmit {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let source = Source::enter(&self.file, &self.store)?;
        let bot = number_of(&source, &self.bot)?;
        let missed = decide(source, printer, |tournament| tournament.readmit(bot, &self.why.why))?;
        let (bot, file) = (clean(&self.bot), shell_word(&self.file));
        printer.note(match missed {
            0 => format!(
                "`{bot}` plays again in what `agon tournament run {file}` draws; nothing that it has missed is played"
            ),
            missed => {
                let missed = words::count(missed as u64, "match that was", "matches that were");
                format!("`{bot}` plays again: `agon tournament run {file}` plays {missed} left out")
            }
        });
        Ok(Exit::Done)
    }
}
