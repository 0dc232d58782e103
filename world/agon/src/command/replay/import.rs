//! `agon replay import GAME FILE`.

use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    game::list,
    printer::Printer,
    replay_file::Output,
    report::turns,
};
use agon_core::Flaw;
use agon_games::{AnyGame, Format};
use agon_replay::write_replay;
use clap::Args;
use std::{fs::File, io::Read, path::PathBuf};

/// The largest foreign record in bytes.
const SIZE_LIMIT: u64 = 64 << 20;

/// Read a recorded match in a format of the original contest, and write it as a replay.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon replay import planet-wars playback.txt > game.jsonl
  agon replay import planet-wars playback.txt --rules original --output game.jsonl.zst

`agon games GAME` lists the formats of a game.")]
pub struct Import {
    /// The game.
    game: String,
    /// The recorded match.
    file: PathBuf,
    /// The format; the first one of the game that can be read if there is none.
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// The rule set that it was played by; the first that explains it if there is none.
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Write the replay to this file instead of stdout.
    #[arg(short, long, value_name = "FILE.jsonl[.zst]")]
    output: Option<PathBuf>,
}

impl Import {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let game = crate::game::find(&self.game)?;
        let format = format(game, self.from.as_deref(), |format| format.import.is_some())?;
        let Some(import) = format.import else {
            return Err(Error::user(format!("{} does not hold enough to be read back", format.name)));
        };
        if let Some(rules) = &self.rules {
            game.rules(rules).map_err(|flaw| Error::from(flaw).context("--rules"))?;
        }
        let mut bytes = Vec::new();
        let failed = |e: std::io::Error| Error::file("read", &self.file, &e);
        File::open(&self.file).map_err(failed)?.take(SIZE_LIMIT + 1).read_to_end(&mut bytes).map_err(failed)?;
        let name = self.file.display().to_string();
        if bytes.len() as u64 > SIZE_LIMIT {
            return Err(Error::user(format!("`{}` is larger than {SIZE_LIMIT} bytes", clean(&name))));
        }
        let replay = import(&bytes, self.rules.as_deref())
            .map_err(|flaw| Error::in_text(&name, &bytes, Flaw { what: clean(&flaw.what), ..flaw }))?;
        let count = replay.plies().count() as u32;
        let rules = replay.header.spec.rules.clone();
        match &self.output {
            None => {
                let mut out = Vec::new();
                write_replay(&replay, &mut out).map_err(|e| Error::user(format!("cannot write the replay: {e}")))?;
                printer.data(out)?;
            }
            Some(path) => {
                let mut output = Output::create(path)?;
                let written = write_replay(&replay, &mut output).and_then(|()| output.close());
                written.map_err(|e| Error::file("write the replay", path, &e))?;
            }
        }
        printer.note(format!("{} by the rules `{rules}`", turns(count)));
        Ok(Exit::Done)
    }
}

/// The format of this name, or the first that `fits`.
pub fn format(game: &dyn AnyGame, name: Option<&str>, fits: impl Fn(&Format) -> bool) -> Result<&'static Format> {
    let formats = game.formats();
    let names = || list(formats.iter().filter(|f| fits(f)).map(|f| f.name.to_owned()));
    match name {
        Some(name) => formats.iter().find(|f| f.name == name).ok_or_else(|| {
            let error = Error::user(format!("{} has no format `{}`", game.title(), clean(name)));
            if formats.is_empty() { error } else { error.hint(format!("there are: {}", names())) }
        }),
        None => formats
            .iter()
            .find(|f| fits(f))
            .ok_or_else(|| Error::user(format!("{} has no format of its own for recorded matches", game.title()))),
    }
}
