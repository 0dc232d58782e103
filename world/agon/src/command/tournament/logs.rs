//! `agon tournament logs`: what one bot wrote to its stderr.

use super::{frozen_reader, of_tournament};
use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    printer::Printer,
    stores::StoreArg,
};
use agon_tournament::{BotLog, TournamentError, logs_of, words};
use clap::Args;
use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Write what one bot wrote to its stderr, for its author alone: a file for each match. Works while it is played.
///
/// The last 16 KiB of each match are kept. What other bots wrote is not among them.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament logs cup.toml rusty for-the-author-of-rusty")]
pub struct Logs {
    /// The tournament.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    #[command(flatten)]
    store: StoreArg,

    /// The name of the bot.
    #[arg(value_name = "BOT")]
    bot: String,

    /// The folder to write. It must be new or empty.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Logs {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let store = frozen_reader(&self.file, &self.store.of(&self.file))?;
        let folder = &self.folder;
        let (mut written, mut unknown) = (0, 0);
        let mut take = |BotLog { id, seat, text }: BotLog| -> std::result::Result<(), Failed> {
            let Some(text) = text else {
                unknown += 1;
                return Ok(());
            };
            if written == 0 {
                make(folder)?;
            }
            let path = folder.join(format!("{id}-seat-{seat}.txt"));
            let file = OpenOptions::new().write(true).create_new(true).open(&path);
            file.and_then(|mut file| file.write_all(&text)).map_err(|why| Failed::File(path, why))?;
            written += 1;
            Ok(())
        };
        logs_of(&store, &|hash| store.get(hash), &self.bot, &mut take).map_err(|why| match why {
            Failed::Tournament(why) => of_tournament(why),
            Failed::File(path, why) => Error::file("write the log", &path, &why),
            Failed::NotEmpty(path) => {
                Error::user(format!("`{}` is not empty", clean(&path.display().to_string()))).hint("name a new folder")
            }
        })?;
        let bot = clean(&self.bot);
        if unknown > 0 {
            let matches = words::matches(unknown);
            printer.warning(format!(
                "{matches} left out: an earlier version of Agon has kept their stderr, and nothing says which bot wrote what"
            ));
        }
        printer.note(match written {
            0 => format!("`{bot}` wrote nothing to its stderr"),
            _ => format!(
                "wrote {} of `{bot}` to `{}`",
                words::count(written, "log", "logs"),
                clean(&folder.display().to_string())
            ),
        });
        Ok(Exit::Done)
    }
}

/// Why the logs cannot be written.
enum Failed {
    Tournament(TournamentError),
    File(PathBuf, io::Error),
    NotEmpty(PathBuf),
}

impl From<TournamentError> for Failed {
    fn from(why: TournamentError) -> Self {
        Self::Tournament(why)
    }
}

/// Makes the folder, or takes an empty one.
fn make(folder: &Path) -> std::result::Result<(), Failed> {
    let failed = |why| Failed::File(folder.to_owned(), why);
    fs::create_dir_all(folder).map_err(failed)?;
    match fs::read_dir(folder).map_err(failed)?.next() {
        None => Ok(()),
        Some(_) => Err(Failed::NotEmpty(folder.to_owned())),
    }
}
