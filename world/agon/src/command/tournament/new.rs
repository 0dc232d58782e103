//! `agon tournament new`: writes the file of a tournament.

use super::moved::moved;
use crate::{
    clean::{clean, shell_word},
    error::{Error, Result},
    exit::Exit,
    printer::Printer,
    terms::parse_bots,
    values,
};
use agon_core::Seed;
use agon_play::NamedBot;
use agon_tournament::{KINDS, TournamentBot, TournamentFile};
use agon_tourney::Kind;
use clap::{Args, builder::PossibleValuesParser};
use std::{
    fs::OpenOptions,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

/// Write the file of a tournament with every default spelled out.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament new --game grid --bots @random,@greedy -o cup.toml
  agon tournament new --game lighthouses --bots 'a=python3 a.py','b=./b',@weaver --kind swiss --rounds 5 -o cup.toml")]
pub struct New {
    /// The game; `agon games` lists them.
    #[arg(long, value_parser = values::game(), hide_possible_values = true)]
    game: String,

    /// The bots, separated by commas: `@builtin` or a command, optionally with a name. May be repeated. Paths are relative to
    /// the current folder; the file has them relative to its own.
    #[arg(long, value_name = "BOT,…", value_delimiter = ',', required = true)]
    bots: Vec<String>,

    /// How matches are drawn.
    #[arg(long, value_name = "KIND", default_value = "round-robin", value_parser = kinds())]
    kind: String,

    /// The number of rounds.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// The source of everything random. Without it, Agon draws a fresh seed.
    #[arg(long, value_name = "SEED", value_parser = values::seed, allow_negative_numbers = true)]
    seed: Option<u64>,

    /// The file to write. It must not exist.
    #[arg(short, long, value_name = "FILE.toml")]
    output: PathBuf,
}

fn kinds() -> PossibleValuesParser {
    PossibleValuesParser::new(KINDS.map(|kind| kind.name()))
}

impl New {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let game = crate::game::find(&self.game)?;
        let named = parse_bots(game, &self.bots)?;
        let name = self.output.file_stem().and_then(|name| name.to_str()).unwrap_or("tournament");
        let bots = self.bots(named)?;
        let file = TournamentFile {
            name: name.to_owned(),
            rounds: self.rounds,
            seed: self.seed.map_or_else(crate::seed::fresh, Seed),
            bots,
            kind: KINDS.into_iter().find(|kind| kind.name() == self.kind).unwrap_or(Kind::RoundRobin),
            ..TournamentFile::new(game)
        };
        let text = file.to_string();
        // What it writes must be what it reads, as far as that does not depend on its folder.
        TournamentFile::parse(&text).map_err(Error::from)?;
        let written = OpenOptions::new().write(true).create_new(true).open(&self.output);
        let written = written.and_then(|mut out| out.write_all(text.as_bytes()));
        written.map_err(|why| {
            let error = Error::file("write the tournament", &self.output, &why);
            if why.kind() == ErrorKind::AlreadyExists {
                error.hint("name a new file, or remove this one")
            } else {
                error
            }
        })?;
        let path = clean(&shell_word(&self.output));
        printer.note(format!(
            "wrote {path}; `agon tournament check {path}` looks at it, `agon tournament run {path}` plays it"
        ));
        Ok(Exit::Done)
    }

    /// Returns the bots as the file names them. Its paths are relative to its folder, those of the command line to the
    /// current one.
    fn bots(&self, named: Vec<NamedBot>) -> Result<Vec<TournamentBot>> {
        let folder = self.output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let real = |path: &Path| path.canonicalize().map_err(|why| Error::file("find the folder", path, &why));
        let (here, folder) = (real(Path::new("."))?, real(folder)?);
        let bot = |bot: NamedBot| {
            let run = moved(&bot, &here, &folder).ok_or_else(|| {
                let what =
                    format!("`{}` names a module, which is looked up in the folder of the file", clean(&bot.words));
                Error::user(what).hint("write the file into the folder of the module, or name the file of the bot")
            })?;
            Ok(TournamentBot { name: bot.name, run, ..TournamentBot::default() })
        };
        named.into_iter().map(bot).collect()
    }
}
