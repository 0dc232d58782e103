//! `agon tournament workers`: the machines that have played, and what becomes of their results.

use super::{
    Source,
    decide::{Why, decide},
    frozen_reader, of_tournament, reader, table,
};
use crate::{
    clean::{clean, shell_word},
    command::Format,
    error::Result,
    exit::Exit,
    printer::{Printer, Style},
    stores::StoreArg,
    table::{Table, left, right},
};
use agon_spec::{PurgedBot, TournamentPurgeDocument, TournamentWorkersDocument, WorkerComparison, WorkerResidual};
use agon_store::Records;
use agon_tournament::{
    PurgePreview, facts_text, preview_purge, take_back,
    words::{self, Real},
};
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};

/// Show the machines that have played a tournament, and how each compares with the others. Works while it is played.
///
/// Every worker is compared with what the same bots did on all others: how often they were late there, how often matches were spoilt,
/// and how long decisions took. ± is the number of standard deviations.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = false)]
#[command(after_help = "Examples:
  agon tournament workers cup.toml
  agon tournament workers cup.toml purge lab-3 --why 'its clock is wrong'
  agon tournament workers cup.toml readmit lab-3 --why 'it has a new one'")]
pub struct Workers {
    /// The tournament.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    #[command(flatten)]
    store: StoreArg,

    #[command(subcommand)]
    action: Option<Action>,

    /// How to print the workers.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

/// What is done with a worker.
#[derive(Subcommand, Debug)]
enum Action {
    Purge(Purge),
    Readmit(Readmit),
}

/// Put a worker aside, and play all of its matches again. Without `--yes`, only say what that would change.
///
/// Every result that comes from a worker with this name is void, and its match is played again by the next run: the same bots, seats, map
/// and seed. The store keeps the old results and the reason. What was drawn by them stays as it is. The worker gets no more matches, and
/// every match that any worker has at that moment is played again, because what they have been given is void.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament workers cup.toml purge lab-3 --why 'its clock is wrong'
  agon tournament workers cup.toml purge lab-3 --why 'its clock is wrong' --yes")]
struct Purge {
    /// The name of the worker.
    #[arg(value_name = "NAME")]
    worker: String,

    #[command(flatten)]
    why: Why,

    /// Do it. Otherwise nothing changes.
    #[arg(long)]
    yes: bool,

    /// How to print what changes.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

/// Give a worker matches again that was put aside. Its old results stay void.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament workers cup.toml readmit lab-3 --why 'it has a new clock'")]
struct Readmit {
    /// The name of the worker.
    #[arg(value_name = "NAME")]
    worker: String,

    #[command(flatten)]
    why: Why,
}

impl Workers {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        match self.action {
            None => show(&self.file, &self.store, self.format, printer),
            Some(Action::Purge(action)) => action.run(&self.file, &self.store, printer),
            Some(Action::Readmit(action)) => action.run(&self.file, &self.store, printer),
        }
    }
}

impl Purge {
    fn run(self, file: &Path, store: &StoreArg, printer: &Printer) -> Result<Exit> {
        let source = Source::enter(file, store)?;
        let store = frozen_reader(&source.path, &source.store)?;
        let preview = preview_purge(&store, &self.worker).map_err(of_tournament)?;
        let names: Vec<String> = store.bots()?.into_iter().map(|bot| bot.name).collect();
        drop(store);
        if self.format == Format::Text {
            printer.data(preview_text(&self.worker, &preview, &names, printer))?;
        }
        if self.yes {
            decide(source, printer, |tournament| tournament.purge(&self.worker, &self.why.why))?;
        }
        if self.format == Format::Json {
            printer.document(document(self.worker, self.yes, preview, &names))?;
            return Ok(Exit::Done);
        }
        let (worker, file) = (clean(&self.worker), shell_word(file));
        if self.yes {
            printer.note(format!("`{worker}` is put aside; `agon tournament run {file}` plays its matches again"));
        } else {
            printer.note("nothing has changed");
            printer.hint("`--yes` does it");
        }
        Ok(Exit::Done)
    }
}

impl Readmit {
    fn run(self, file: &Path, store: &StoreArg, printer: &Printer) -> Result<Exit> {
        let store = store.of(file);
        // Only what has begun has workers.
        drop(reader(file, &store)?);
        let store = store.open()?;
        take_back(&store, &self.worker, &self.why.why).map_err(of_tournament)?;
        store.close()?;
        printer.note(format!("`{}` gets matches again in the next run", clean(&self.worker)));
        Ok(Exit::Done)
    }
}

fn show(file: &Path, store: &StoreArg, format: Format, printer: &Printer) -> Result<Exit> {
    let document = agon_tournament::workers(&frozen_reader(file, &store.of(file))?).map_err(of_tournament)?;
    if format == Format::Json {
        printer.document(document)?;
        return Ok(Exit::Done);
    }
    let TournamentWorkersDocument { workers, .. } = &document;
    let mut out = comparison(workers, printer.colour);
    out.push('\n');
    out.push_str(&machines(workers, printer.colour));
    for one in workers {
        let name = clean(&one.worker.name);
        if let Some(why) = &one.worker.put_aside {
            out.push_str(&format!("\n{name} is put aside: {}\n", clean(why)));
        }
        if let Some(why) = &one.stands_out {
            out.push_str(&format!("\n{name} stands out: {}\n", clean(why)));
        }
    }
    printer.data(out)?;
    let suspect = workers.iter().find(|one| one.stands_out.is_some() && one.worker.put_aside.is_none());
    if let Some(one) = suspect {
        let (file, name) = (shell_word(file), clean(&shell_word(Path::new(&one.worker.name))));
        printer.hint(format!("`agon tournament workers {file} purge {name} --why …` says what it would change to play again what it has played"));
    }
    Ok(Exit::Done)
}

fn comparison(workers: &[WorkerComparison], colour: bool) -> String {
    let mut table = Table::new(vec![
        left("worker"),
        right("matches"),
        right("late"),
        right("expected"),
        right("±"),
        right("faults"),
        right("±"),
        right("spoilt"),
        right("expected"),
        right("±"),
        right("time"),
        right("±"),
    ]);
    let deviations = |value: Option<f64>| right(value.map_or_else(String::new, |value| format!("{:+.1}", Real(value))));
    let expected =
        |one: &WorkerResidual| right(one.deviations.map_or_else(String::new, |_| format!("{:.1}", Real(one.expected))));
    for one in workers {
        let style = if one.stands_out.is_some() || one.worker.put_aside.is_some() { Style::Bad } else { Style::Faint };
        table.row(vec![
            left(clean(&one.worker.name)).style(style),
            right(one.worker.matches.to_string()),
            right(one.late.to_string()),
            expected(&one.late_residual),
            deviations(one.late_residual.deviations),
            right(one.other_faults.to_string()),
            deviations(one.fault_residual.deviations),
            right(one.spoilt.to_string()),
            expected(&one.spoilt_residual),
            deviations(one.spoilt_residual.deviations),
            right(one.time_ratio.map_or_else(String::new, |ratio| format!("{:.2}x", Real(ratio)))),
            deviations(one.time_deviations),
        ]);
    }
    table.render(colour)
}

fn machines(workers: &[WorkerComparison], colour: bool) -> String {
    let mut table = Table::new(vec![left("worker"), left("machine"), left("Agon")]);
    for one in workers {
        for facts in &one.worker.machines {
            let here = if facts.away { "" } else { " (leads)" };
            table.row(vec![
                left(clean(&one.worker.name)),
                left(clean(&facts_text(facts)) + here),
                left(clean(&facts.agon)),
            ]);
        }
    }
    table.render(colour)
}

/// Returns what a purge changes, for people.
fn preview_text(worker: &str, preview: &PurgePreview, names: &[String], printer: &Printer) -> String {
    let PurgePreview { results, left_out, held, held_elsewhere, resting, bots, before, after, aside } = preview;
    let mut lines = vec![match results.len() as u64 {
        0 => format!("no result comes from `{}`", clean(worker)),
        1 => format!("1 result of `{}` is void, and its match is played again", clean(worker)),
        count => format!("{count} results of `{}` are void, and their matches are played again", clean(worker)),
    }];
    if !left_out.is_empty() {
        let matches = words::matches(left_out.len() as u64);
        lines.push(format!("but not {matches} of bots that are withdrawn: they count as left out"));
    }
    if *held > 0 {
        lines.push(format!("{} that it has now: others play them", words::matches(*held)));
    }
    if *held_elsewhere > 0 {
        lines.push(format!("{} that other workers have now: they are played again", words::matches(*held_elsewhere)));
    }
    if *resting > 0 {
        lines.push(format!("{} that were drawn by results: they stay as they were drawn", words::matches(*resting)));
    }
    if let Some(why) = aside {
        lines.push(format!("it is put aside already: {}", clean(why)));
    }
    let mut out = lines.join("\n") + "\n";
    if results.is_empty() {
        return out;
    }
    let mut heading =
        vec![left("bot"), right("results lost"), right("place"), right("then"), right("points"), right("then")];
    let mut table = Table::new(std::mem::take(&mut heading));
    for row in &before.rows {
        let name = names.get(row.entrant.index()).map_or_else(String::new, |name| clean(name));
        let then = after.rows.iter().find(|then| then.entrant == row.entrant);
        table.row(vec![
            left(name),
            right(bots.get(&row.entrant.0).copied().unwrap_or(0).to_string()),
            right(row.place.to_string()),
            right(then.map_or_else(String::new, |then| then.place.to_string())),
            right(row.points.to_string()),
            right(then.map_or_else(String::new, |then| then.points.to_string())),
        ]);
    }
    out.push('\n');
    out.push_str(&table.render(printer.colour));
    out
}

fn document(worker: String, done: bool, preview: PurgePreview, names: &[String]) -> TournamentPurgeDocument {
    let bot = |(bot, results): (&u32, &u64)| PurgedBot {
        bot: names.get(*bot as usize).cloned().unwrap_or_default(),
        results: *results,
    };
    TournamentPurgeDocument {
        worker,
        done,
        put_aside: preview.aside,
        results: preview.results,
        left_out: preview.left_out,
        held: preview.held,
        held_elsewhere: preview.held_elsewhere,
        resting: preview.resting,
        bots: preview.bots.iter().map(bot).collect(),
        before: table::rows(&preview.before, names),
        after: table::rows(&preview.after, names),
    }
}
