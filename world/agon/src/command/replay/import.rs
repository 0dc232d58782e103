//! `agon replay import GAME FILE`.

use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    game::list,
    overwriting,
    printer::Printer,
    report::turns,
    values,
};
use agon_core::Flaw;
use agon_games::{AnyGame, Format};
use agon_play::{ReplayFile, unpacked};
use agon_replay::{End, Replay, write_replay};
use clap::Args;
use std::{fs::File, io::Read, path::PathBuf};

/// The maximum size of a record in a format of the contest, in bytes.
const SIZE_LIMIT: u64 = 64 << 20;

/// Read a recorded match in a format of the original contest, and write it as a replay.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon replay import planet-wars playback.txt > game.jsonl
  agon replay import planet-wars playback.txt --rules original -o game.jsonl

`agon games GAME` lists the formats of a game.")]
pub struct Import {
    /// The game.
    #[arg(value_parser = values::game(), hide_possible_values = true)]
    game: String,
    /// The recorded match.
    file: PathBuf,
    /// The format. The default is the game's first one that can read the file.
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// The rule set of the match. The default is the first one that explains it.
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Write the replay to this file instead of stdout.
    #[arg(short, long, value_name = "FILE.jsonl[.zst]")]
    output: Option<PathBuf>,
}

impl Import {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let game = crate::game::find(&self.game)?;
        if let Some(output) = &self.output {
            overwriting::refuse(&[("--output", output)], &[("the recorded match", &self.file)])?;
        }
        let first = format(game, self.from.as_deref(), |format| format.import.is_some())?;
        if first.import.is_none() {
            return Err(Error::user(format!(
                "the format {} does not contain enough to read a match from it",
                first.name
            )));
        }
        if let Some(rules) = &self.rules {
            game.rules(rules).map_err(|flaw| Error::from(flaw).context("--rules"))?;
        }
        let failed = |e: std::io::Error| Error::file("read", &self.file, &e);
        let mut bytes = Vec::new();
        unpacked(File::open(&self.file).map_err(failed)?)
            .and_then(|file| file.take(SIZE_LIMIT + 1).read_to_end(&mut bytes))
            .map_err(failed)?;
        let name = self.file.display().to_string();
        if bytes.len() as u64 > SIZE_LIMIT {
            return Err(Error::user(format!("`{}` is larger than {SIZE_LIMIT} bytes", clean(&name))));
        }
        if bytes.starts_with(b"{\"agon\":") {
            return Err(Error::user(format!("`{}` is already a replay of Agon", clean(&name)))
                .hint("`agon replay export` writes it in a format of the contest"));
        }
        let formats = match self.from {
            Some(_) => std::slice::from_ref(first),
            None => game.formats(),
        };
        let replay = self.read(formats, &name, &bytes)?;
        let count = replay.plies().count() as u32;
        let rules = replay.header.spec.rules.clone();
        match &self.output {
            None => {
                let mut out = Vec::new();
                write_replay(&replay, &mut out).map_err(|e| Error::user(format!("cannot write the replay: {e}")))?;
                printer.data(out)?;
            }
            Some(path) => {
                let mut output = ReplayFile::create(path)?;
                let written = write_replay(&replay, &mut output).and_then(|()| output.close().map(drop));
                written.map_err(|e| Error::file("write the replay", path, &e))?;
            }
        }
        if replay.footer.as_ref().is_some_and(|footer| footer.end == End::Aborted) {
            printer.warning(format!(
                "`{}` ends before the match does: it was cut, and {} of it are whole",
                clean(&name),
                turns(count)
            ));
        }
        printer.note(format!("{} by the rules `{rules}`", turns(count)));
        Ok(Exit::Done)
    }
}

impl Import {
    /// Reads the record with the first format that can read it. If none can, the error is that of the first format.
    fn read(&self, formats: &[Format], name: &str, bytes: &[u8]) -> Result<Replay> {
        let mut wrong = None;
        for import in formats.iter().filter_map(|format| format.import) {
            match import(bytes, self.rules.as_deref()) {
                Ok(replay) => return Ok(replay),
                Err(flaw) => _ = wrong.get_or_insert(flaw),
            }
        }
        let mut flaw = wrong.unwrap_or_else(|| Flaw::new("the game has no format that Agon can read"));
        if formats.len() > 1 {
            let names = list(formats.iter().filter(|f| f.import.is_some()).map(|f| f.name.to_owned()));
            flaw.hint.get_or_insert(format!("`--from NAME` names the format of the file: {names}").into());
        }
        Err(Error::in_text(name, bytes, Flaw { what: clean(&flaw.what), ..flaw }))
    }
}

/// Returns the format with this name, or else the first format that `fits`.
pub fn format(game: &dyn AnyGame, name: Option<&str>, fits: impl Fn(&Format) -> bool) -> Result<&'static Format> {
    let formats = game.formats();
    let names = || list(formats.iter().filter(|f| fits(f)).map(|f| f.name.to_owned()));
    match name {
        Some(name) => formats.iter().find(|f| f.name == name).ok_or_else(|| {
            let error = Error::user(format!("{} has no format `{}`", game.info().title, clean(name)));
            if formats.is_empty() { error } else { error.hint(format!("there are: {}", names())) }
        }),
        None => formats
            .iter()
            .find(|f| fits(f))
            .ok_or_else(|| Error::user(format!("{} has no format of its own for recorded matches", game.info().title))),
    }
}
