//! `agon tournament verify`: checks everything that a store has.

use super::{frozen_reader, of_tournament, reader};
use crate::{
    clean::clean,
    command::Format,
    error::{Error, Result},
    exit::Exit,
    interrupt,
    printer::{Printer, Style},
    stores::StoreArg,
};
use agon_spec::{SeedsCheck, StandingsCheck, TournamentDocument, TournamentVerifyDocument, VerifyFinding};
use agon_store::Records;
use agon_tournament::{Finding, Verification, verify_export, verify_seeds, verify_table, words};
use clap::Args;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Play every kept replay again, compare it with the stored result, make the standings anew, and check the seeds of all matches and
/// the file of the store.
///
/// Of what was published it checks the seeds, and the replays of an archive: give the export, or the folder of the archive. Bots are
/// not needed. The exit code is 30 if anything differs.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament verify cup.toml
  agon tournament verify cup.toml --format json
  agon tournament verify cup.json
  agon tournament verify cup-archive")]
pub struct Verify {
    /// The tournament; or its export as JSON (`.json`), or a folder that `report --dir` has written.
    #[arg(value_name = "FILE.toml|EXPORT.json|DIR")]
    file: PathBuf,

    #[command(flatten)]
    store: StoreArg,

    /// How to print the result.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

/// What a verification has found.
struct Found {
    verification: Verification,
    standings: StandingsCheck,
    seeds: SeedsCheck,
}

impl Verify {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let is_export = self.file.is_dir() || self.file.extension().is_some_and(|end| end == "json");
        let found = if is_export { of_export(&self.file, printer) } else { of_store(&self.file, &self.store, printer) };
        let Found { verification: Verification { matches, replays, findings }, standings, seeds } = found?;
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
            (0, StandingsCheck::NotCompared) if is_export => "everything that was published agrees".to_owned(),
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
                SeedsCheck::NotCompared => "not compared: those of an older tournament follow from its schedule",
            }
        ));
        printer.data(out)?;
        Ok(exit)
    }
}

fn of_store(file: &Path, store: &StoreArg, printer: &Printer) -> Result<Found> {
    let name = store.of(file);
    let store = reader(file, &name)?;
    let cancel = interrupt::armed()?;
    let bar = printer.bar(store.progress()?.over());
    let found = agon_tournament::verify(&store, &|hash| store.get(hash), &mut |_| {
        bar.inc(1);
        !cancel.is_cancelled()
    });
    bar.finish_and_clear();
    let mut verification = found.map_err(of_tournament)?;
    if cancel.is_cancelled() {
        return Err(interrupt::error());
    }
    let findings = &mut verification.findings;
    // Results and table must be those of one moment, also while the tournament is played. Not before now: the log beside the
    // store grows as long as somebody reads an old state.
    let frozen = frozen_reader(file, &name)?;
    let standings = verify_table(&frozen).map_err(of_tournament)?;
    if standings == StandingsCheck::Differ {
        findings.push(Finding { id: None, what: "the stored table is not that of the results".to_owned() });
    }
    let seeds = verify_seeds(&frozen, findings).map_err(of_tournament)?;
    for flaw in frozen.flaws()? {
        findings.push(Finding { id: None, what: format!("the store is damaged: {flaw}") });
    }
    Ok(Found { verification, standings, seeds })
}

/// Checks an export, or an archive with its replays.
fn of_export(path: &Path, printer: &Printer) -> Result<Found> {
    let archive = path.is_dir().then_some(path);
    let file = archive.map_or_else(|| path.to_owned(), |folder| folder.join("export.json"));
    let text = fs::read_to_string(&file).map_err(|why| Error::file("read the export", &file, &why))?;
    let document: TournamentDocument = serde_json::from_str(&text).map_err(|why| {
        let shown = clean(&file.display().to_string());
        Error::user(format!("`{shown}` is no export of a tournament: {}", clean(&why.to_string())))
            .hint("`agon tournament export cup.toml > cup.json` writes one")
    })?;
    let cancel = interrupt::armed()?;
    let bar = printer.bar(document.matches.len() as u64);
    let mut failed = PathBuf::new();
    let mut replay = |id: u64| {
        let Some(folder) = archive else { return Ok(None) };
        failed = folder.join(format!("replays/{id}.jsonl"));
        match fs::read(&failed) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        }
    };
    let found = verify_export(&document, &mut replay, &mut |_| {
        bar.inc(1);
        !cancel.is_cancelled()
    });
    bar.finish_and_clear();
    let (verification, seeds) = found.map_err(|why| Error::file("read the replay", &failed, &why))?;
    if cancel.is_cancelled() {
        return Err(interrupt::error());
    }
    Ok(Found { verification, standings: StandingsCheck::NotCompared, seeds })
}
