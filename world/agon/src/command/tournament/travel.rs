//! What the bots of a tournament take to other machines.

use super::Source;
use crate::{
    error::{Error, Result},
    printer::Printer,
};
use agon_play::IsolationChoice;
use agon_spec::{BundleRow, CannotTravelRow};
use agon_tournament::{Machines, TournamentFile, bundles_of, flaw_of_travel, words};

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

/// Returns what a machine needs to play, in words. `processes` is the number of bots of a match that are programs.
pub(super) fn needs(file: &TournamentFile, processes: usize) -> Vec<String> {
    let mut needs = Vec::new();
    if file.machines == Machines::Alike {
        needs.push("only machines with one processor play: that of the first match".to_owned());
    }
    if let IsolationChoice::Exactly(level) = file.sandbox
        && processes > 0
    {
        needs.push(format!("only machines play on which the sandbox `{level}` works"));
    }
    if (file.cores.is_some() || file.ponder) && processes > 0 {
        let cores = u64::from(file.cores.unwrap_or(1)) * processes as u64;
        let cores = words::count(cores, "core", "cores");
        needs.push(format!("a machine plays one match for every {cores}, whatever `--cores` says"));
    }
    needs
}
