//! `agon tournament withdraw`: takes a bot out of a tournament.

use super::{Source, of_tournament, prepare};
use crate::{
    clean::{clean, shell_word},
    error::{Error, Result},
    exit::Exit,
    interrupt,
    printer::Printer,
};
use agon_store::Sqlite;
use agon_tournament::Tournament;
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

    /// The name of the bot.
    #[arg(value_name = "BOT")]
    bot: String,

    /// The reason, for the record.
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    why: String,
}

impl Withdraw {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let source = Source::enter(&self.file)?;
        // Only what has begun has a store that keeps the reason.
        drop(super::reader(&source.path)?);
        let bot = source.file.bots.iter().position(|bot| bot.name == self.bot);
        let shown = clean(&self.bot);
        let bot = bot.and_then(|bot| u32::try_from(bot).ok()).ok_or_else(|| {
            let names: Vec<String> = source.file.bots.iter().map(|bot| format!("`{}`", clean(&bot.name))).collect();
            Error::user(format!("there is no bot `{shown}`")).hint(format!("the bots are {}", names.join(", ")))
        })?;
        let cancel = interrupt::armed()?;
        let field = prepare(&source, &cancel, printer)?;
        let store = Sqlite::open(&source.store())?;
        let path = shell_word(&self.file);
        let mut tournament = Tournament::open(store, &source.text, source.file, field).map_err(of_tournament)?;
        tournament.withdraw(bot, &self.why).map_err(of_tournament)?;
        tournament.into_store().close()?;
        printer.note(format!("`{shown}` is withdrawn; `agon tournament run {path}` plays the others"));
        Ok(Exit::Done)
    }
}
