//! `agon tournament reveal`: publishes the secret from which every seed follows.

use super::{of_tournament, reader};
use crate::{
    error::{Error, Result},
    exit::Exit,
    printer::Printer,
    stores::StoreArg,
};
use agon_tournament::Seeds;
use clap::Args;
use std::path::PathBuf;

/// Reveal the secret from which the seeds of a tournament follow, so that anybody can check them.
///
/// It is revealed by itself when the last match has ended, except in a ladder, which has no last match. Whoever knows it can
/// compute every map and every seed of the matches that are still to be played.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament reveal ladder.toml")]
pub struct Reveal {
    /// The tournament.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    #[command(flatten)]
    store: StoreArg,
}

impl Reveal {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        // There must be something to reveal.
        let name = self.store.of(&self.file);
        let seeds = Seeds::read(&reader(&self.file, &name)?).map_err(of_tournament)?;
        if !matches!(seeds, Seeds::Secret { .. }) {
            return Err(Error::user("the tournament has no secret: its seeds follow from `seed` in its file"));
        }
        let store = name.open()?;
        Seeds::reveal(&store).map_err(of_tournament)?;
        let published = Seeds::read(&store).map_err(of_tournament)?.published();
        store.close()?;
        let [secret, commitment] = [published.secret, published.commitment].map(Option::unwrap_or_default);
        printer.data(format!("secret   {secret}\nSHA-256  {commitment}\n"))?;
        printer.note("whoever knows it can compute the maps and seeds of all matches that are still to be played");
        Ok(Exit::Done)
    }
}
