//! `agon map new|check|show GAME`.

use super::Format;
use crate::{
    board::{self, Room},
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    picture::svg,
    printer::Printer,
    values,
};
use agon_core::{Seed, text::counted};
use agon_games::{AnyGame, MapReport};
use agon_play::{MapFile, MapSource};
use agon_spec::{MapCheckDocument, MapShowDocument};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Make, check and show maps.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon map new lighthouses --kind island --seed 7 > island.txt
  agon map check lighthouses island.txt
  agon map show lighthouses island.txt")]
pub struct Map {
    #[command(subcommand)]
    command: MapCommand,
}

#[derive(Subcommand, Debug)]
enum MapCommand {
    New(New),
    Check(Check),
    Show(Show),
}

/// Generate a map and print it.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon map new planet-wars > map.txt
  agon map new lighthouses --kind island --seed 7 --seats 4 --output island.txt")]
struct New {
    /// The game.
    #[arg(value_parser = values::game(), hide_possible_values = true)]
    game: String,
    /// The kind of map; `agon games GAME` lists them.
    #[arg(long)]
    kind: Option<String>,
    /// The same seed makes the same map. Without it, Agon draws a fresh seed and prints it.
    #[arg(long, value_name = "SEED", value_parser = values::seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// The number of bots that the map is for.
    #[arg(long, value_name = "N", value_parser = values::seats, allow_negative_numbers = true)]
    seats: Option<usize>,
    /// Write the map to this file instead of stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Say whether a map can be played; if not, what is wrong and where.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon map check planet-wars map.txt
  agon map check lighthouses island.txt --seats 4 --rules original")]
struct Check {
    #[command(flatten)]
    given: Given,
    /// How to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

/// Draw a map in the terminal.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon map show planet-wars map.txt
  agon map show lighthouses gen:island:7 --seats 3
  agon map show planet-wars gen:7 --format json      the display list
  agon map show portals gen:7 --svg > map.svg")]
struct Show {
    #[command(flatten)]
    given: Given,
    /// Draw the map as an SVG picture, on stdout.
    #[arg(long, conflicts_with = "format")]
    svg: bool,
    /// How to print: drawn, or the map as Agon would write it with its display list.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

/// A map as a match would take it.
#[derive(Args, Debug)]
struct Given {
    /// The game.
    #[arg(value_parser = values::game(), hide_possible_values = true)]
    game: String,
    /// FILE, or `gen[:KIND][:SEED]` for a generated map.
    #[arg(value_name = "MAP", value_parser = values::map)]
    map: MapSource,
    /// The number of bots that the map is for.
    #[arg(long, value_name = "N", value_parser = values::seats, allow_negative_numbers = true)]
    seats: Option<usize>,
    /// The rule set: SET[,POINT=VALUE]…
    #[arg(long, value_name = "RULES", default_value = "", hide_default_value = true)]
    rules: String,
}

impl Map {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        match self.command {
            MapCommand::New(new) => new.run(printer),
            MapCommand::Check(check) => check.run(printer),
            MapCommand::Show(show) => show.run(printer),
        }
    }
}

impl New {
    fn run(self, printer: &Printer) -> Result<Exit> {
        let game = crate::game::find(&self.game)?;
        let seats = seats(game, self.seats)?;
        let seed = self.seed.map_or_else(crate::seed::fresh, Seed);
        let map = MapSource::Generated { kind: self.kind, seed: Some(seed) }.load(game, seed, seats)?;
        match &self.output {
            Some(path) => {
                std::fs::write(path, &map.bytes).map_err(|e| Error::file("write the map", path, &e))?;
                printer.note(format!(
                    "{} for {} is in {}",
                    map.name,
                    counted(seats, "bot"),
                    clean(&path.display().to_string())
                ));
            }
            None => {
                printer.note(format!("{} for {}", map.name, counted(seats, "bot")));
                printer.data(&map.bytes)?;
            }
        }
        Ok(Exit::Done)
    }
}

impl Check {
    fn run(self, printer: &Printer) -> Result<Exit> {
        let (map, game, seats) = self.given.load(printer)?;
        let judged = self.given.judge(&map, game, seats);
        if self.format == Format::Text {
            judged?;
            printer.data(format!(
                "{} is a map of {} for {}\n",
                clean(&map.name),
                game.info().title,
                counted(seats, "bot")
            ))?;
            return Ok(Exit::Done);
        }
        printer.document(MapCheckDocument {
            game: game.name().to_owned(),
            map: map.name,
            seats,
            fingerprint: judged.as_ref().ok().map(|report| format!("{:016x}", report.fingerprint)),
            flaw: judged.as_ref().err().map(Error::flaw),
        })?;
        Ok(if judged.is_ok() { Exit::Done } else { Exit::User })
    }
}

impl Show {
    fn run(self, printer: &Printer) -> Result<Exit> {
        let (map, game, seats) = self.given.load(printer)?;
        let report = self.given.judge(&map, game, seats)?;
        if self.svg {
            printer.data(svg(&report.frame, &[]))?;
            return Ok(Exit::Done);
        }
        match self.format {
            Format::Text => printer.data(board::render(&report.frame, &[], Room::default(), printer.colour))?,
            Format::Json => printer.document(MapShowDocument {
                game: game.name().to_owned(),
                map: map.name,
                seats,
                text: report.normal,
                frame: report.frame,
            })?,
        }
        Ok(Exit::Done)
    }
}

impl Given {
    /// Returns the map, its game and its number of bots.
    fn load(&self, printer: &Printer) -> Result<(MapFile, &'static dyn AnyGame, usize)> {
        let game = crate::game::find(&self.game)?;
        let seats = seats(game, self.seats)?;
        game.rules(&self.rules).map_err(|flaw| Error::from(flaw).context("--rules"))?;
        let seed = crate::seed::fresh();
        let map = self.map.load(game, seed, seats)?;
        if map.name.starts_with("gen:") {
            printer.note(format!("{} for {}", map.name, counted(seats, "bot")));
        }
        Ok((map, game, seats))
    }

    /// Lets the game check the map. The error says what is wrong.
    fn judge(&self, map: &MapFile, game: &dyn AnyGame, seats: usize) -> Result<MapReport> {
        Ok(map.check(game, &self.rules, seats)?)
    }
}

/// Returns the number of bots of the map: the number that the user gave if the game allows it, or else the default.
fn seats(game: &dyn AnyGame, asked: Option<usize>) -> Result<usize> {
    match asked {
        None => Ok(game.info().default_seats),
        Some(seats) if game.info().seats.contains(&seats) => Ok(seats),
        Some(seats) => Err(Error::user(format!(
            "{} is played by {} bots, not by {seats}",
            game.info().title,
            crate::game::seat_range(game)
        ))),
    }
}
