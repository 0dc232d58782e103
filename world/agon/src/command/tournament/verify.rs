//! `agon tournament verify`: checks everything that a store has.

use super::{frozen_reader, of_tournament, reader};
use crate::{
    clean::clean,
    command::Format,
    error::Result,
    exit::Exit,
    interrupt,
    printer::{Printer, Style},
};
use agon_spec::{SeedsCheck, StandingsCheck, TournamentVerifyDocument, VerifyFinding};
use agon_store::Records;
use agon_tournament::{Finding, Verification, verify_seeds, verify_table, words};
use clap::Args;
use std::path::PathBuf;

/// Play every kept replay again, compare it with the stored result, make the standings anew, and check the seeds of all matches and
/// the file of the store.
///
/// Bots are not needed. The exit code is 30 if anything differs.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament verify cup.toml
  agon tournament verify cup.toml --format json")]
pub struct Verify {
    /// The tournament.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    /// How to print the result.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Verify {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let store = reader(&self.file)?;
        let cancel = interrupt::armed()?;
        let bar = printer.bar(store.progress()?.over());
        let found = agon_tournament::verify(&store, &|hash| store.get(hash), &mut |_| {
            bar.inc(1);
            !cancel.is_cancelled()
        });
        bar.finish_and_clear();
        let Verification { matches, replays, mut findings } = found.map_err(of_tournament)?;
        if cancel.is_cancelled() {
            return Err(interrupt::error());
        }
        // Results and table must be those of one moment, also while the tournament is played. Not before now: the log beside the
        // store grows as long as somebody reads an old state.
        let frozen = frozen_reader(&self.file)?;
        let standings = verify_table(&frozen).map_err(of_tournament)?;
        if standings == StandingsCheck::Differ {
            findings.push(Finding { id: None, what: "the stored table is not that of the results".to_owned() });
        }
        let seeds = verify_seeds(&frozen, &mut findings).map_err(of_tournament)?;
        for flaw in frozen.flaws()? {
            findings.push(Finding { id: None, what: format!("the store is damaged: {flaw}") });
        }
        let exit = if findings.is_empty() { Exit::Done } else { Exit::Differs };
        if self.format == Format::Json {
            let findings = findings.into_iter().map(|finding| VerifyFinding { id: finding.id, what: finding.what });
            let findings = findings.collect();
            printer.document(TournamentVerifyDocument { matches, replays, standings, seeds, findings })?;
            return Ok(exit);
        }
        let mut out = String::new();
        for finding in &findings {
            let what = clean(&finding.what);
            let line = finding.id.map_or_else(|| what.clone(), |id| format!("match {id}: {what}"));
            out.push_str(&format!("{}\n", Style::Bad.paint(&line, printer.colour)));
        }
        let checked = format!("{} and {}", words::matches(matches), words::count(replays, "replay", "replays"));
        let result = match (findings.len(), standings) {
            (0, StandingsCheck::NotCompared) => {
                "everything agrees, but the standings were not compared: none are stored after the last match"
                    .to_owned()
            }
            (0, _) => "everything agrees, the standings too".to_owned(),
            (wrong, _) => format!("{wrong} wrong"),
        };
        out.push_str(&format!("{checked}: {result}\n"));
        out.push_str(&format!(
            "seeds: {}\n",
            match seeds {
                SeedsCheck::Agree => "they follow from what was published",
                SeedsCheck::NotYetRevealed => "not yet revealed",
                SeedsCheck::Differ => "they do not follow from what was published",
            }
        ));
        printer.data(out)?;
        Ok(exit)
    }
}
