//! `agon store …`: stores of tournaments, whatever they are.

use super::Format;
use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    interrupt,
    printer::{Printer, Style},
    stores::StoreName,
};
use agon_spec::{StoreCheckDocument, VerifyFinding};
use agon_store::{Audit, StoreError, audit};
use agon_tournament::words;
use clap::{Args, Subcommand};

/// Copy the store of a tournament, or check that it is whole.
///
/// STORE is a file, or `postgres://USER@HOST/DATABASE`, with `?tournament=NAME` for another tournament than the first. The password
/// comes from `PGPASSWORD` or `~/.pgpass`.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
#[command(after_help = "Examples:
  agon store copy cup.agon postgres://cup@db/contest
  agon store copy postgres://cup@db/contest kept.agon
  agon store check cup.agon")]
pub struct Store {
    #[command(subcommand)]
    action: Action,
}

/// What is done with a store.
#[derive(Subcommand, Debug)]
enum Action {
    Copy(Copy),
    Check(Check),
}

/// Copy the tournament of a store to another one, as a whole or not at all. Works while it is played.
///
/// Everything is copied but the claims of those who play: their matches are played again.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon store copy cup.agon postgres://cup@db/contest
  agon store copy 'postgres://cup@db/contest?tournament=finals' finals.agon")]
struct Copy {
    /// The store that has it.
    #[arg(value_name = "FROM")]
    from: StoreName,

    /// The store that gets it. It must have no tournament yet.
    #[arg(value_name = "TO")]
    to: StoreName,
}

/// Read a whole store, and check that everything is there that its results name, and that it is as it was stored.
///
/// The exit code is 30 if anything is wrong.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon store check cup.agon
  agon store check postgres://cup@db/contest --format json")]
struct Check {
    /// The store.
    #[arg(value_name = "STORE")]
    store: StoreName,

    /// How to print the result.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Store {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        match self.action {
            Action::Copy(command) => command.run(printer),
            Action::Check(command) => command.run(printer),
        }
    }
}

impl Copy {
    fn run(self, printer: &Printer) -> Result<Exit> {
        let source = self.from.read()??;
        let target = self.to.open()?;
        let copied = target.import(source);
        target.hurry();
        let copied = copied.wait().map_err(|why| match why {
            StoreError::NotEmpty => Error::user(format!("`{}` has a tournament already", self.to.shown()))
                .hint("name a new file, or another schema in the same database: `?schema=NAME`"),
            other => other.into(),
        })?;
        target.close()?;
        let blobs = words::count(copied.blobs, "blob", "blobs");
        let (over, ready) = (words::matches(copied.over), words::matches(copied.ready));
        printer.note(format!("copied {over} that are over, {ready} to be played, and {blobs}, to {}", self.to.shown()));
        Ok(Exit::Done)
    }
}

impl Check {
    fn run(self, printer: &Printer) -> Result<Exit> {
        let store = self.store.read()??;
        let cancel = interrupt::armed()?;
        let found = audit(&*store, &mut || !cancel.is_cancelled())?;
        let Audit { over, ready, earlier, blobs, artefacts, findings } = found.ok_or_else(interrupt::error)?;
        let exit = if findings.is_empty() { Exit::Done } else { Exit::Differs };
        if self.format == Format::Json {
            let findings = findings.into_iter().map(|(id, what)| VerifyFinding { id, what }).collect();
            printer.document(StoreCheckDocument { over, ready, earlier, blobs, artefacts, findings })?;
            return Ok(exit);
        }
        let mut out = String::new();
        for (id, what) in &findings {
            let what = clean(what);
            let line = id.map_or_else(|| what.clone(), |id| format!("match {id}: {what}"));
            out += &format!("{}\n", Style::Bad.paint(&line, printer.colour));
        }
        let parts = [
            format!("{} over", words::matches(over)),
            format!("{ready} to be played"),
            words::count(earlier, "earlier result", "earlier results"),
            words::count(blobs, "blob", "blobs"),
            words::count(artefacts, "artefact", "artefacts"),
        ];
        let result = if findings.is_empty() {
            "everything is there".to_owned()
        } else {
            words::count(findings.len() as u64, "thing is wrong", "things are wrong")
        };
        printer.data(out + &format!("checked {}: {result}\n", parts.join(", ")))?;
        Ok(exit)
    }
}
