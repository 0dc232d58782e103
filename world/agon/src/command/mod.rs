//! The commands, one file each.

mod bench;
mod bot;
mod build;
mod champion;
mod check;
mod completions;
mod doctor;
mod exit_codes;
mod games;
mod man;
mod map;
mod match_;
mod new;
mod replay;
mod schema;
mod selftest;

use crate::{
    error::Result,
    exit::Exit,
    printer::{Printer, When},
};
use clap::{Parser, Subcommand, ValueEnum};

/// Referee and arena for contests between programs.
///
/// Agon plays five classic contest games, each through the wire protocol that its bots were written for.
#[derive(Parser, Debug)]
#[command(name = "agon", version, max_term_width = 100, disable_help_subcommand = false, arg_required_else_help = true)]
#[command(after_help = "Examples:
  agon games                                    which games and built-in bots there are
  agon match planet-wars @random @random        two built-in bots play
  agon match planet-wars me='python3 bot.py' @random --replay game.jsonl
  agon replay verify game.jsonl                 play it again and compare
  agon check planet-wars 'python3 bot.py'       does my bot speak the protocol?

`agon help exit-codes` explains the exit codes.")]
pub struct Cli {
    /// Print nothing but data and errors.
    #[arg(short, long, global = true, help_heading = "For all commands")]
    pub quiet: bool,

    /// When to use colours: auto (on a terminal, unless NO_COLOR is set), always or never.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    #[arg(hide_possible_values = true, help_heading = "For all commands")]
    pub color: When,

    #[command(subcommand)]
    pub command: Command,
}

/// All commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    Match(match_::Match),
    Replay(replay::Replay),
    Check(check::Check),
    New(new::New),
    Map(map::Map),
    Build(build::Build),
    Bot(bot::Bot),
    Bench(bench::Bench),
    Selftest(selftest::Selftest),
    Champion(champion::Champion),
    Doctor(doctor::Doctor),
    Games(games::Games),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
    ExitCodes(exit_codes::ExitCodes),
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// Whatever keeps it from being done.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        match self {
            Self::Match(args) => args.run(printer),
            Self::Replay(replay) => replay.run(printer),
            Self::Check(check) => check.run(printer),
            Self::New(new) => new.run(printer),
            Self::Map(map) => map.run(printer),
            Self::Build(build) => build.run(printer),
            Self::Bot(bot) => bot.run(),
            Self::Bench(bench) => bench.run(printer),
            Self::Selftest(selftest) => selftest.run(printer),
            Self::Champion(champion) => champion.run(printer),
            Self::Doctor(doctor) => doctor.run(printer),
            Self::Games(games) => games.run(printer),
            Self::Schema(schema) => schema.run(printer),
            Self::Completions(completions) => completions.run(printer),
            Self::Man(man) => man.run(printer),
            Self::ExitCodes(codes) => codes.run(printer),
        }
    }
}

/// How data is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON document on stdout, nothing else.
    Json,
}
