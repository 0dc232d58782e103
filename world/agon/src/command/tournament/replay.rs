//! `agon tournament replay`: plays a match again.

use super::{Source, prepare, reader};
use crate::{
    clean::clean, command::Format, error::Result, exit::Exit, interrupt, printer::Printer, report::turns,
    stores::StoreArg, values,
};
use agon_spec::{Mark, PlayedResult, TournamentReplayDocument};
use agon_store::RecordedResult;
use agon_tournament::play_again;
use clap::Args;
use std::path::PathBuf;

/// Play a match of a tournament again and compare the fingerprints. Stores nothing.
///
/// The exit code is 30 if the results differ: a bot has changed, or does not answer the same every time.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament replay cup.toml 17")]
pub struct Replay {
    /// The tournament.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    #[command(flatten)]
    store: StoreArg,

    /// The number of the match.
    #[arg(value_name = "ID", value_parser = values::whole(1..=u64::MAX), allow_negative_numbers = true)]
    id: u64,

    /// How to print the result.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Replay {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let source = Source::enter(&self.file, &self.store)?;
        let store = reader(&source.path, &source.store)?;
        let cancel = interrupt::armed()?;
        let field = prepare(&source, &cancel, printer)?;
        let played = play_again(&store, &source.file, field, self.id, &cancel).map_err(|why| source.error(why))?;
        let Some(played) = played else { return Err(interrupt::error()) };
        let same = played.agrees();
        let exit = if same { Exit::Done } else { Exit::Differs };
        let (stored, now) = (result(&played.stored), result(&played.now));
        if self.format == Format::Json {
            let (changed_bots, worker) = (played.changed, played.worker);
            printer.document(TournamentReplayDocument { id: self.id, same, stored, now, changed_bots, worker })?;
            return Ok(exit);
        }
        let on = played.worker.as_ref().map_or_else(String::new, |worker| format!(", played on {}", clean(worker)));
        let mut out = format!("stored  {}{on}\nnow     {}\n\n", line(&stored), line(&now));
        out.push_str(if same { "the same match\n" } else { "the matches differ\n" });
        printer.data(out)?;
        if !same && !played.changed.is_empty() {
            let bots: Vec<String> = played.changed.iter().map(|bot| clean(bot)).collect();
            printer.hint(format!("these bots have changed since: {}", bots.join(", ")));
        }
        Ok(exit)
    }
}

fn result(played: &RecordedResult) -> PlayedResult {
    PlayedResult {
        plies: played.plies,
        fingerprint: played.fingerprint.map(Mark),
        places: played.seats.iter().map(|seat| seat.place).collect(),
    }
}

fn line(result: &PlayedResult) -> String {
    let places: Vec<String> = result.places.iter().map(u32::to_string).collect();
    let mark = result.fingerprint.map_or_else(|| "none".to_owned(), |mark| mark.to_string());
    format!("{}, last position {mark}, places {}", turns(result.plies), places.join(" "))
}
