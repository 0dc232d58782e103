//! `agon tournament status`: how far a tournament is.

use super::{of_store, reader, table};
use crate::{
    clean::clean,
    command::Format,
    error::{Error, Result},
    exit::Exit,
    printer::Printer,
    table::{Table, left, right},
};
use agon_spec::{BotShare, TournamentStatusDocument};
use agon_store::{Records, StoredBot};
use agon_tourney::Standings;
use clap::Args;
use std::path::PathBuf;

/// Show how far a tournament is: matches, standings, and each bot's share of the machine time. Works while it is
/// played.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament status cup.toml
  agon tournament status cup.toml --format json")]
pub struct Status {
    /// The tournament.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    /// How to print the status.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Status {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let store = reader(&self.file)?;
        let failed = |why| of_store(&why);
        let (progress, bots) = (store.progress().map_err(failed)?, store.bots().map_err(failed)?);
        let snapshot = store.snapshot("standings").map_err(failed)?;
        let standings = snapshot.as_ref().map(|snapshot| serde_json::from_str::<Standings>(&snapshot.text));
        let standings =
            standings.transpose().map_err(|why| Error::user(format!("the stored table cannot be read: {why}")))?;
        let names: Vec<String> = bots.iter().map(|bot| bot.name.clone()).collect();
        let after = snapshot.map_or(0, |snapshot| snapshot.after);
        if self.format == Format::Json {
            let share = |bot: &StoredBot| BotShare {
                name: bot.name.clone(),
                played: bot.totals.played,
                faults: bot.totals.faults,
                time_us: bot.totals.time_us,
                withdrawn: bot.withdrawn.clone(),
            };
            printer.document(TournamentStatusDocument {
                finished: progress.finished,
                spoilt: progress.spoilt,
                void: progress.void,
                waiting: progress.ready,
                bots: bots.iter().map(share).collect(),
                standings_after: after,
                standings: standings.as_ref().map(|standings| table::rows(standings, &names)).unwrap_or_default(),
            })?;
            return Ok(Exit::Done);
        }
        let mut out = format!("{} finished", table::matches(progress.finished));
        for (count, what) in
            [(progress.spoilt, "spoilt by the host"), (progress.void, "void"), (progress.ready, "drawn and waiting")]
        {
            if count > 0 {
                out.push_str(&format!(", {count} {what}"));
            }
        }
        out.push_str("\n\n");
        if let Some(standings) = &standings {
            out.push_str(&table::render(standings, &names, printer.colour));
            if after < progress.over() {
                out.push_str(&format!("(after {}; the next table follows)\n", table::matches(after)));
            }
            out.push('\n');
        }
        out.push_str(&shares(&bots, printer.colour));
        for bot in &bots {
            if let Some(why) = &bot.withdrawn {
                out.push_str(&format!("\n{} is withdrawn: {}\n", clean(&bot.name), clean(why)));
            }
        }
        printer.data(out)?;
        Ok(Exit::Done)
    }
}

/// Returns each bot's share of the time of all decisions.
fn shares(bots: &[StoredBot], colour: bool) -> String {
    let all: u64 = bots.iter().map(|bot| bot.totals.time_us).sum();
    let mut table = Table::new(vec![left("bot"), right("matches"), right("faults"), right("time"), right("share")]);
    for bot in bots {
        let share = if all == 0 { 0.0 } else { bot.totals.time_us as f64 / all as f64 * 100.0 };
        table.row(vec![
            left(clean(&bot.name)),
            right(bot.totals.played.to_string()),
            right(bot.totals.faults.to_string()),
            right(crate::report::print_micros(bot.totals.time_us)),
            right(format!("{share:.0} %")),
        ]);
    }
    table.render(colour)
}
