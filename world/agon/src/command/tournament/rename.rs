//! `agon tournament rename`: gives a bot another name.

use super::{
    Source,
    decide::{Why, no_such_bot},
    of_tournament, reader,
};
use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    overwriting,
    printer::Printer,
    stores::StoreArg,
};
use agon_store::Records;
use agon_tournament::{TournamentFile, rename};
use clap::Args;
use std::path::PathBuf;

/// Give a bot another name, in the store and in the tournament's file. What it has played stays its own; the store keeps the
/// reason.
///
/// Replays keep the name under which they were played.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament rename cup.toml bot7 'Rusty II' --why 'its author asked'")]
pub struct Rename {
    /// The tournament. Its file has the new name afterwards.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    #[command(flatten)]
    store: StoreArg,

    /// The name that the bot has.
    #[arg(value_name = "OLD")]
    old: String,

    /// The name that it gets.
    #[arg(value_name = "NEW")]
    new: String,

    #[command(flatten)]
    why: Why,
}

impl Rename {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let source = Source::enter(&self.file, &self.store)?;
        let stored = reader(&source.path, &source.store)?.bots()?;
        let [old, new] = [&self.old, &self.new].map(|name| clean(name));
        // A command that was killed may have changed the store and not the file.
        let is_old = |bot: &&agon_store::StoredBot| bot.name == self.old;
        let is_new = |bot: &&agon_store::StoredBot| bot.name == self.new;
        let found = stored.iter().find(is_old).or_else(|| {
            let named = |bot: &&agon_store::StoredBot| {
                source.file.bots.get(bot.number as usize).is_some_and(|own| own.name == self.old)
            };
            stored.iter().find(is_new).filter(named)
        });
        let bot = found.ok_or_else(|| no_such_bot(&self.old, stored.iter().map(|bot| bot.name.as_str())))?;
        let number = bot.number as usize;
        let own = source.file.bots.get(number).map(|own| own.name.as_str()).unwrap_or_default();
        if own != self.old && own != self.new {
            let what = format!("bot {} of the file is `{}`, not `{old}`", number + 1, clean(own));
            return Err(Error::user(what).hint("bots are told by their order: take the change back"));
        }
        let text = TournamentFile::renamed(&source.text, number, &self.new)
            .map_err(|flaw| Error::user(format!("`{new}` cannot be its name: {}", clean(&flaw.what))))?;
        if bot.name != self.new {
            let store = source.store.open()?;
            rename(&store, bot.number, &self.new, &self.why.why).map_err(of_tournament)?;
            store.close()?;
        }
        if text != source.text {
            let written = overwriting::replace(&source.path, text.as_bytes());
            written.map_err(|why| {
                Error::file("write the tournament", &source.path, &why)
                    .hint(format!("the store has the new name: write `name = \"{new}\"` yourself"))
            })?;
        }
        printer.note(format!("`{old}` is `{new}` from now on, and `{}` names it so", clean(&source.name)));
        Ok(Exit::Done)
    }
}
