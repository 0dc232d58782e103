//! What all decisions of the organiser have in common.

use super::{Source, of_tournament, prepare, reader};
use crate::{
    clean::clean,
    error::{Error, Result},
    interrupt,
    printer::Printer,
};
use agon_store::OpenStore;
use agon_tournament::{Tournament, TournamentError};
use clap::Args;

/// Why something is decided.
#[derive(Args, Debug)]
pub struct Why {
    /// The reason, for the record.
    #[arg(
        long,
        visible_alias = "reason",
        value_name = "TEXT",
        value_parser = clap::builder::NonEmptyStringValueParser::new()
    )]
    pub why: String,
}

/// Opens a tournament that has begun, and decides something about it.
pub fn decide<T>(
    source: Source,
    printer: &Printer,
    decide: impl FnOnce(&mut Tournament<Box<dyn OpenStore>>) -> std::result::Result<T, TournamentError>,
) -> Result<T> {
    // Only what has begun has a store that keeps the decision.
    drop(reader(&source.path, &source.store)?);
    let cancel = interrupt::armed()?;
    let field = prepare(&source, &cancel, printer)?;
    let store = source.store.open()?;
    let mut tournament = Tournament::open(store, &source.text, source.file, field).map_err(of_tournament)?;
    let decided = decide(&mut tournament).map_err(of_tournament)?;
    tournament.into_store().close()?;
    Ok(decided)
}

/// Returns the number of a bot in the file, from 0.
pub fn number_of(source: &Source, bot: &str) -> Result<u32> {
    let number = source.file.bots.iter().position(|own| own.name == bot);
    let number = number.and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| no_such_bot(bot, source.file.bots.iter().map(|own| own.name.as_str())))
}

/// Returns the error of a name that no bot has. `names` are those that bots have.
pub fn no_such_bot<'a>(bot: &str, names: impl Iterator<Item = &'a str>) -> Error {
    let names: Vec<String> = names.map(|name| format!("`{}`", clean(name))).collect();
    Error::user(format!("there is no bot `{}`", clean(bot))).hint(format!("the bots are {}", names.join(", ")))
}
