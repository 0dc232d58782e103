//! What the bots of a tournament take to other machines.

use super::Source;
use crate::{
    error::{Error, Result},
    printer::Printer,
};
use agon_spec::{BundleRow, CannotTravelRow};
use agon_tournament::{bundles_of, flaw_of_travel};

/// Plans the bundle of each bot that can start. Returns what each takes to another machine, and those that cannot go.
pub(super) fn bundles(
    source: &Source,
    is_broken: &dyn Fn(&str) -> bool,
    printer: &Printer,
) -> Result<(Vec<BundleRow>, Vec<CannotTravelRow>)> {
    printer.progress("packing the bots");
    let folder = std::env::current_dir().map_err(|why| Error::file("find the folder", &source.path, &why))?;
    let planned = bundles_of(&source.file, &folder);
    printer.progress("");
    let (mut bundles, mut cannot_travel) = (Vec::new(), Vec::new());
    for (number, (bot, planned)) in source.file.bots.iter().zip(planned).enumerate() {
        match planned {
            Ok(plan) => bundles.push(BundleRow {
                bot: bot.name.clone(),
                hash: plan.hash().to_string(),
                bytes: plan.size(),
                files: plan.files().len() as u64,
            }),
            // Why it cannot start is told already.
            Err(_) if is_broken(&bot.name) => {}
            Err(why) => {
                let place = flaw_of_travel(&why, number, &source.text).and_then(|flaw| flaw.place);
                cannot_travel.push(CannotTravelRow {
                    line: place.map(|place| place.line),
                    key: place.map(|_| why.key.to_owned()),
                    bot: why.bot,
                    word: why.word,
                    why: why.why,
                    hint: why.hint,
                });
            }
        }
    }
    Ok((bundles, cannot_travel))
}
