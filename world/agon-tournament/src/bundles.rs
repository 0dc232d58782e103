//! What the bots of a tournament need on other machines.

use crate::{TournamentFile, field::named, text::Text};
use agon_bundle::{BundlePlan, CannotTravel, Traveller};
use agon_core::Flaw;
use std::path::Path;

/// Plans the bundle of each bot of a file, in the order of the file. `folder` is that of the file, and the current folder of the
/// process, from which the words of bots are looked up.
///
/// This reads the files of all bots once. A bot that cannot be started here may still travel: [`Field`](crate::Field) says
/// what is wrong with it.
#[must_use]
pub fn bundles_of(file: &TournamentFile, folder: &Path) -> Vec<Result<BundlePlan, CannotTravel>> {
    let game = file.game();
    let plan = |bot: &crate::TournamentBot| {
        let named = named(game, bot).map_err(|why| CannotTravel {
            bot: bot.name.clone(),
            key: "run",
            word: None,
            why: why.to_string(),
            hint: why.hint(),
        })?;
        let traveller = Traveller { name: &bot.name, spec: &named.spec, read: &bot.read };
        agon_bundle::plan(&traveller, folder).map_err(|why| {
            // The words of a command that starts in its `dir` begin with that.
            let is_dir = why.word.is_some() && why.word.as_deref() == bot.dir.as_deref().and_then(Path::to_str);
            CannotTravel { key: if is_dir { "dir" } else { why.key }, ..why }
        })
    };
    file.bots.iter().map(plan).collect()
}

/// Returns the flaw of the file with this text, at the value that keeps a bot from travelling, by the bot's place in the list,
/// from 0. `None` if the text is not that of the file. Clean it before you show it.
#[must_use]
pub fn flaw_of_travel(why: &CannotTravel, number: usize, text: &str) -> Option<Flaw> {
    let flaw = Text(text).flaw_of_bot(number, why.key, format!("`{}`: {why}", why.key))?;
    Some(match &why.hint {
        Some(hint) => flaw.hint(hint.clone()),
        None => flaw,
    })
}
