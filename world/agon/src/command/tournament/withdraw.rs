//! `agon tournament withdraw`: takes a bot out of a tournament.

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
use clap::Args;
use std::path::PathBuf;

/// Take a bot out of a tournament. Its matches that have not begun are not played.
///
/// What becomes of those that it has played is the key `withdrawn` of the file. The store keeps the reason.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament withdraw cup.toml rusty --why 'its author asked for it'")]
pub struct Withdraw {
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

impl Withdraw {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let source = Source::enter(&self.file, &self.store)?;
        let bot = number_of(&source, &self.bot)?;
        decide(source, printer, |tournament| tournament.withdraw(bot, &self.why.why))?;
        let (bot, file) = (clean(&self.bot), shell_word(&self.file));
        printer.note(format!("`{bot}` is withdrawn; `agon tournament run {file}` plays the others"));
        Ok(Exit::Done)
    }
}
