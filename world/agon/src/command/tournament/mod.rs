//! `agon tournament …`: tournaments from one file.

mod away;
mod check;
mod decide;
mod export;
mod live;
mod logs;
mod moved;
mod new;
mod panel;
mod readmit;
mod rename;
mod replay;
mod report;
mod rerun;
mod reveal;
mod run;
mod status;
mod table;
mod travel;
mod verify;
mod void;
mod withdraw;
mod workers;

use super::test::Kind;
use crate::{
    chosen::chosen,
    clean::{clean, shell_word},
    error::{Error, Result},
    exit::Exit,
    printer::Printer,
    stores::{StoreArg, StoreName},
};
use agon_play::{Cancel, Event, Helper, Tier};
use agon_store::{StoreError, StoreReader};
use agon_tournament::{Field, TournamentError, TournamentFile};
use clap::{Args, Subcommand};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Play a tournament that a file describes, and lose nothing.
///
/// `FILE.toml` has its store in `FILE.agon`. A finished match is on disk before it is shown. After an interruption of
/// any kind, `run` continues where it was.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
#[command(after_help = "Examples:
  agon tournament new --game grid --bots @greedy,me=mine/bot -o cup.toml
  agon tournament check cup.toml
  agon tournament run cup.toml
  agon tournament status cup.toml
  agon tournament report cup.toml")]
pub struct Tournament {
    #[command(subcommand)]
    action: Action,
}

/// What is done with a tournament.
#[derive(Subcommand, Debug)]
enum Action {
    New(new::New),
    Check(check::Check),
    Run(run::Run),
    Status(status::Status),
    Report(report::Report),
    Export(export::Export),
    Replay(replay::Replay),
    Void(void::Void),
    Rerun(rerun::Rerun),
    Withdraw(withdraw::Withdraw),
    Readmit(readmit::Readmit),
    Rename(rename::Rename),
    Reveal(reveal::Reveal),
    Logs(logs::Logs),
    Verify(verify::Verify),
    Workers(workers::Workers),
}

impl Tournament {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        match self.action {
            Action::New(command) => command.run(printer),
            Action::Check(command) => command.run(printer),
            Action::Run(command) => command.run(printer),
            Action::Status(command) => command.run(printer),
            Action::Report(command) => command.run(printer),
            Action::Export(command) => command.run(printer),
            Action::Replay(command) => command.run(printer),
            Action::Void(command) => command.run(printer),
            Action::Reveal(command) => command.run(printer),
            Action::Rerun(command) => command.run(printer),
            Action::Withdraw(command) => command.run(printer),
            Action::Readmit(command) => command.run(printer),
            Action::Rename(command) => command.run(printer),
            Action::Logs(command) => command.run(printer),
            Action::Verify(command) => command.run(printer),
            Action::Workers(command) => command.run(printer),
        }
    }
}

/// The file of a tournament and its text.
struct Source {
    /// The path of the file, also from the folder that was entered.
    path: PathBuf,
    /// The path as the user wrote it.
    name: String,
    text: String,
    file: TournamentFile,
    /// Where its results are.
    store: StoreName,
}

impl Source {
    /// Goes to the folder of a file, as `make -C` does, then reads and parses the file. All its paths are relative to
    /// this folder: those of maps, of bots in every form of BOT, and those that bots may read. Other relative paths of
    /// the command line must be used or made absolute before.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong. The error shows the line.
    fn enter(path: &Path, store: &StoreArg) -> Result<Self> {
        let failed = |why| Error::file("read the tournament", path, &why);
        let bytes = fs::read(path).map_err(failed)?;
        let name = path.display().to_string();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let path = folder.map_or_else(|| Ok(path.to_owned()), |_| std::path::absolute(path)).map_err(failed)?;
        if let Some(folder) = folder {
            std::env::set_current_dir(folder).map_err(|why| Error::file("go to the folder", folder, &why))?;
        }
        if bytes.len() > TournamentFile::MOST {
            let most = TournamentFile::MOST >> 20;
            return Err(Error::user(format!("`{}` is larger than {most} MiB", clean(&name))));
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| Error::user(format!("`{}` is not UTF-8", clean(&name))).hint("a tournament is a TOML file"))?;
        let file = TournamentFile::parse(&text).map_err(|flaw| Error::in_text(&name, text.as_bytes(), flaw))?;
        let store = store.of(&path);
        Ok(Self { path, name, text, file, store })
    }

    /// Converts an error of the tournament. One that is about values of the file shows their lines.
    fn error(&self, why: TournamentError) -> Error {
        let flaws = why.flaws_in(&self.text);
        let error = of_tournament(why);
        let exit = error.exit;
        let placed = flaws.into_iter().map(|flaw| Error::in_text(&self.name, self.text.as_bytes(), flaw));
        placed.reduce(Error::and).map_or(error, |placed| placed.exit(exit))
    }
}

/// Opens the store of a tournament to read it, also while it is played.
///
/// # Errors
/// There is no store, or it cannot be read.
fn reader(path: &Path, store: &StoreName) -> Result<Box<dyn StoreReader>> {
    if !path.exists() && store.file().is_some_and(|store| !store.exists()) {
        return Err(Error::user(format!("there is no file `{}`", clean(&path.display().to_string())))
            .hint("`agon tournament new` writes one"));
    }
    let reader = store.read()?.map_err(|why| {
        // A path of a store does not say where the tournament's file is.
        let unplayed = matches!(why, StoreError::Missing(_) | StoreError::Empty(_)) && store.file() != Some(path);
        let error = Error::from(why);
        if unplayed {
            error.hint(format!("nothing was played yet: `agon tournament run {}`", shell_word(path)))
        } else {
            error
        }
    })?;
    refuse_other_kind(&*reader, store)?;
    Ok(reader)
}

/// Refuses the store of a test or of a run of tuning.
fn refuse_other_kind(reader: &dyn StoreReader, store: &StoreName) -> Result<()> {
    let files = reader.files()?;
    let Some(kind) = files.first().and_then(|file| Kind::of(&file.text)) else { return Ok(()) };
    let shown = store.shown();
    Err(Error::user(format!("`{shown}` is the store of {}, not of a tournament", kind.words())).hint(format!(
        "`agon {} … --store {}` tells its result",
        kind.command(),
        store.word()
    )))
}

/// Does the same, but what is written meanwhile is not seen: everything that is told of the tournament fits together.
///
/// # Errors
/// There is no store, or it cannot be read.
pub fn frozen_reader(path: &Path, store: &StoreName) -> Result<Box<dyn StoreReader>> {
    let store = reader(path, store)?;
    store.freeze()?;
    Ok(store)
}

/// Converts an error of the tournament.
pub fn of_tournament(why: TournamentError) -> Error {
    match why {
        TournamentError::Play(why) => why.into(),
        TournamentError::Bots(bots) => {
            let messages: Vec<String> = bots.iter().map(|bot| clean(&bot.to_string())).collect();
            let of_host = bots.iter().any(|bot| matches!(bot.tier, Tier::Isolation | Tier::Host));
            let exit = if of_host { Exit::Sandbox } else { Exit::NotStarted };
            let error = Error::user(messages.join("\nerror: ")).exit(exit);
            let hint = bots.iter().find_map(|bot| bot.hint.as_ref());
            match hint {
                Some(hint) => error.hint(clean(hint)),
                None => error,
            }
        }
        TournamentError::Store(why) => why.into(),
        other => {
            let error = Error::user(clean(&other.to_string()));
            match other.hint() {
                Some(hint) => error.hint(clean(&hint)),
                None => error,
            }
        }
    }
}

/// Reads the maps and builds the bots of a tournament. A line of progress names the bot that is being built. Bots that
/// cannot be built are those that [`Field::broken`] returns.
fn prepare(source: &Source, cancel: &Cancel, printer: &Printer) -> Result<Field> {
    let field = Field::prepare(&source.file, &Helper::ThisProgram, cancel, &mut |event| match event {
        Event::Planned { bot, plan } => printer.note(chosen(bot, plan)),
        Event::Building { bot, .. } => {
            printer.progress(&format!("building {}", clean(&bot.display().to_string())));
        }
        Event::Warning { text, .. } => printer.warning(clean(text)),
        _ => {}
    });
    printer.progress("");
    let field = field.map_err(|why| source.error(why))?;
    if let Some(warning) = field.warning() {
        printer.warning(clean(warning));
    }
    crate::names::warn_of_names(source.file.bots.iter().map(|bot| bot.name.as_str()), printer);
    tell_of_crash_handler(printer);
    Ok(field)
}

/// Warns of a handler of the host whose work counts against the opponents of bots that crash.
fn tell_of_crash_handler(printer: &Printer) {
    #[cfg(target_os = "linux")]
    if let Some(handler) = agon_sandbox::crash_handler() {
        printer.warning(clean(&handler.why()));
        printer.hint(agon_sandbox::CrashHandler::REMEDY);
    }
}

/// Starts every bot once, except those for which `skip` returns `true`. A line of progress names the bot.
fn try_starts(field: &mut Field, skip: &dyn Fn(&str) -> bool, cancel: &Cancel, printer: &Printer) -> Result<()> {
    let started = field.try_starts(cancel, skip, &mut |bot| printer.progress(&format!("starting {}", clean(bot))));
    printer.progress("");
    started.map_err(of_tournament)
}
