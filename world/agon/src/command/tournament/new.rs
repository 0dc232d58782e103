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
use agon_tournament::{PRESETS, Preset, TournamentBot, TournamentFile};
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
  agon tournament new --preset google-2010 --bots me=mine/bot,@rage -o cup.toml
  agon tournament new --game grid --bots mine/bot,@warden --kind swiss -o c.toml")]
pub struct New {
    /// The game; `agon games` lists them.
    #[arg(long, value_parser = values::game(), hide_possible_values = true, required_unless_present = "preset")]
    game: Option<String>,

    /// The format of a contest: its game, rules, clock, seatings, points and so on.
    #[arg(long, value_name = "PRESET", value_parser = presets())]
    preset: Option<String>,

    /// The bots, separated by commas: `@builtin` or a command, optionally with a name. May be repeated. Paths are
    /// relative to the current folder; the file has them relative to its own.
    #[arg(long, value_name = "BOT,…", value_delimiter = ',', required = true)]
    bots: Vec<String>,

    /// How matches are drawn. The default is that of the preset, or `round-robin`.
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    kind: Option<String>,

    /// The number of rounds. The default is that of the preset, or 1.
    #[arg(long, value_name = "N", value_parser = values::whole(1..=u32::MAX), allow_negative_numbers = true)]
    rounds: Option<u32>,

    /// The source of everything random, which everybody who sees the file knows. Without it, the first run draws a secret, and keeps
    /// it in the store.
    #[arg(long, value_name = "SEED", value_parser = values::seed, allow_negative_numbers = true)]
    seed: Option<u64>,

    /// The file to write. It must not exist.
    #[arg(short, long, value_name = "FILE.toml")]
    output: PathBuf,
}

fn kinds() -> PossibleValuesParser {
    PossibleValuesParser::new(Kind::ALL.map(Kind::name))
}

fn presets() -> PossibleValuesParser {
    PossibleValuesParser::new(PRESETS.each_ref().map(|preset| preset.name))
}

impl New {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let preset = self.preset.as_deref().and_then(Preset::find);
        if let (Some(preset), Some(game)) = (preset, &self.game)
            && preset.game != game
        {
            let what = format!("`{}` is the format of a contest in `{}`, not in `{game}`", preset.name, preset.game);
            return Err(Error::user(what).hint("leave out `--game`"));
        }
        let name = preset.map(|preset| preset.game).or(self.game.as_deref()).unwrap_or_default();
        let game = crate::game::find(name)?;
        let usual = preset.map_or_else(|| Ok(TournamentFile::new(game)), Preset::file).map_err(Error::from)?;
        let named = parse_bots(game, &self.bots)?;
        let name = self.output.file_stem().and_then(|name| name.to_str()).unwrap_or("tournament");
        let bots = self.bots(named)?;
        let file = TournamentFile {
            // A later version of Agon may have other defaults.
            rules: usual.full_rules(),
            clock: if usual.clock.is_empty() { usual.full_clock() } else { usual.clock.clone() },
            name: name.to_owned(),
            rounds: self.rounds.unwrap_or(usual.rounds),
            seed: self.seed.map(Seed),
            bots,
            kind: self
                .kind
                .as_ref()
                .and_then(|name| Kind::ALL.into_iter().find(|kind| kind.name() == name))
                .unwrap_or(usual.kind),
            ..usual
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
