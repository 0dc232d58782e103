//! `agon replay export FILE`.

use super::import::format;
use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    overwriting,
    printer::Printer,
};
use agon_play::load_replay;
use clap::Args;
use std::path::PathBuf;

/// Write a recorded match in a format of the original contest.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon replay export game.jsonl > playback.txt
  agon replay export game.jsonl --to playback --output playback.txt

`agon games GAME` lists the formats of a game.")]
pub struct Export {
    /// The replay.
    file: PathBuf,
    /// The format. The default is the game's first one.
    #[arg(long, value_name = "NAME")]
    to: Option<String>,
    /// Write to this file instead of stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Export {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        if let Some(output) = &self.output {
            overwriting::refuse(&[("--output", output)], &[("the replay", &self.file)])?;
        }
        let (replay, game) = load_replay(&self.file)?;
        let format = format(game, self.to.as_deref(), |_| true)?;
        let bytes = (format.export)(&replay).map_err(|mut flaw| {
            flaw.what = clean(&flaw.what);
            Error::from(flaw).context(&format!("cannot be written as {}", format.name))
        })?;
        match &self.output {
            None => printer.data(bytes)?,
            Some(path) => {
                overwriting::replace(path, &bytes).map_err(|e| Error::file("write", path, &e))?;
                printer.note(format!("{} is in {}", format.about, clean(&path.display().to_string())));
            }
        }
        Ok(Exit::Done)
    }
}
