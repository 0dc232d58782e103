//! `agon tournament status`: how far a tournament is.

use super::{of_tournament, reader, table};
use crate::{
    clean::clean,
    command::Format,
    error::Result,
    exit::Exit,
    printer::Printer,
    stores::StoreArg,
    table::{Table, left, right},
};
use agon_spec::{BotShare, ReportSpoilt, TournamentStatusDocument, TournamentWorker};
use agon_store::StoredBot;
use agon_tournament::{decision_text, words};
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

    #[command(flatten)]
    store: StoreArg,

    /// How to print the status.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Status {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let status =
            agon_tournament::Status::read(&reader(&self.file, &self.store.of(&self.file))?).map_err(of_tournament)?;
        let shares = shares(&status, printer.colour);
        let agon_tournament::Status { progress, planned, bots, table: kept, spoilt, decisions, workers, .. } = status;
        let names: Vec<String> = bots.iter().map(|bot| bot.name.clone()).collect();
        let (after, standings) = kept.map_or((0, None), |(after, standings)| (after, Some(standings)));
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
                spoilt_bots: spoilt,
                waiting: progress.ready,
                planned,
                bots: bots.iter().map(share).collect(),
                standings_after: after,
                standings: standings.as_ref().map(|standings| table::rows(standings, &names)).unwrap_or_default(),
                decisions,
                workers,
            })?;
            return Ok(Exit::Done);
        }
        let mut out = match planned {
            Some(planned) => format!("{} of {} finished", progress.finished, words::matches(planned)),
            None => format!("{} finished", words::matches(progress.finished)),
        };
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
                out.push_str(&format!("(after {}; the next table follows)\n", words::matches(after)));
            }
            out.push('\n');
        }
        out.push_str(&shares);
        for bot in &bots {
            if let Some(why) = &bot.withdrawn {
                out.push_str(&format!("\n{} is withdrawn: {}\n", clean(&bot.name), clean(why)));
            }
        }
        if !spoilt.is_empty() {
            out.push_str("\nspoilt by the host, and nobody knows whose work it was:\n");
        }
        for ReportSpoilt { bot, cause, count, matches } in &spoilt {
            let (often, matches) = (words::count(*count, "time", "times"), words::matches(*matches));
            out.push_str(&format!("{}: {often} in {matches}: {}\n", clean(bot), clean(cause)));
        }
        if workers.len() > 1 {
            out.push_str(&format!("\n{}", machines(&workers, printer.colour)));
        }
        if !decisions.is_empty() {
            out.push_str("\ndecisions:\n");
            decisions.iter().for_each(|one| out.push_str(&format!("  {}\n", clean(&decision_text(one)))));
        }
        printer.data(out)?;
        Ok(Exit::Done)
    }
}

/// Returns the machines that have played.
fn machines(workers: &[TournamentWorker], colour: bool) -> String {
    let mut table = Table::new(vec![left("worker"), right("matches"), left("")]);
    for worker in workers {
        let aside = worker.put_aside.as_ref().map_or_else(String::new, |why| format!("put aside: {}", clean(why)));
        table.row(vec![left(clean(&worker.name)), right(worker.matches.to_string()), left(aside)]);
    }
    table.render(colour)
}

/// Returns each bot's share of the time of all decisions.
fn shares(status: &agon_tournament::Status, colour: bool) -> String {
    let mut table = Table::new(vec![left("bot"), right("matches"), right("faults"), right("time"), right("share")]);
    for (bot, share) in status.bots.iter().zip(status.shares()) {
        table.row(vec![
            left(clean(&bot.name)),
            right(bot.totals.played.to_string()),
            right(bot.totals.faults.to_string()),
            right(crate::report::print_micros(bot.totals.time_us)),
            right(format!("{:.0} %", 100.0 * share)),
        ]);
    }
    table.render(colour)
}
