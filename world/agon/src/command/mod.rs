//! The commands, one file each.

mod bench;
mod bot;
mod build;
mod champion;
mod check;
mod climb;
mod completions;
mod console;
mod doctor;
mod exit_codes;
mod games;
mod man;
mod map;
mod match_;
mod new;
mod rate;
mod replay;
mod rules;
mod schema;
mod selftest;
mod series;
mod serve;
mod start_error;
mod stats;
mod store;
mod submit;
mod test;
mod tournament;
mod tune;
mod worker;

use crate::{
    error::Result,
    exit::Exit,
    printer::{Printer, When},
};
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Referee and arena for contests between programs.
///
/// Agon plays five classic contest games, each through the wire protocol that its bots were written for.
#[derive(Parser, Debug)]
#[command(name = "agon", version, max_term_width = 100, disable_help_subcommand = false, arg_required_else_help = true)]
#[command(after_help = "Examples:
  agon games                                    which games and bots there are
  agon rules planet-wars                        what its rules are
  agon match planet-wars @random @random        two built-in bots play
  agon match planet-wars me='python3 mine/bot.py' @random --replay game.jsonl
  agon test planet-wars ./old ./new             is my new version better?
  agon replay verify game.jsonl                 play it again and compare
  agon check planet-wars 'python3 bot.py'       does my bot speak the protocol?

`agon help exit-codes` explains the exit codes.")]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,

    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Args, Debug)]
pub struct Global {
    /// Print nothing but data and errors.
    #[arg(short, long, global = true, help_heading = "For all commands")]
    quiet: bool,

    /// When to use colours: auto (on a terminal, unless NO_COLOR is set), always or never.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    #[arg(hide_possible_values = true, help_heading = "For all commands")]
    color: When,
}

impl Global {
    /// Returns a printer with these options.
    pub fn printer(&self) -> Printer {
        Printer::new(self.quiet, self.color)
    }
}

/// All commands of Agon.
#[derive(Subcommand, Debug)]
pub enum Command {
    Match(match_::Match),
    Test(test::Test),
    Climb(climb::Climb),
    Tune(tune::Tune),
    Tournament(tournament::Tournament),
    Worker(worker::Worker),
    Serve(serve::Serve),
    Submit(submit::Submit),
    Store(store::Store),
    Rate(rate::Rate),
    Stats(stats::Stats),
    Replay(replay::Replay),
    Check(check::Check),
    Console(console::ConsoleCommand),
    New(new::New),
    Map(map::Map),
    Build(build::Build),
    Bot(bot::Bot),
    Bench(bench::Bench),
    Selftest(selftest::Selftest),
    Champion(champion::Champion),
    Doctor(doctor::Doctor),
    Games(games::Games),
    Rules(rules::Rules),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
    ExitCodes(exit_codes::ExitCodes),
}

impl Command {
    /// Returns whether the command plays matches or reads what matches have written.
    #[must_use]
    pub fn is_about_matches(&self) -> bool {
        matches!(
            self,
            Self::Match(_)
                | Self::Test(_)
                | Self::Climb(_)
                | Self::Tune(_)
                | Self::Tournament(_)
                | Self::Worker(_)
                | Self::Replay(_)
                | Self::Check(_)
                | Self::Console(_)
        )
    }

    /// Runs the command.
    ///
    /// # Errors
    /// The command fails. The error says why.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        match self {
            Self::Match(args) => args.run(printer),
            Self::Test(test) => test.run(printer),
            Self::Climb(climb) => climb.run(printer),
            Self::Tune(tune) => tune.run(printer),
            Self::Tournament(tournament) => tournament.run(printer),
            Self::Worker(worker) => worker.run(printer),
            Self::Serve(serve) => serve.run(printer),
            Self::Submit(submit) => submit.run(printer),
            Self::Store(store) => store.run(printer),
            Self::Rate(rate) => rate.run(printer),
            Self::Stats(stats) => stats.run(printer),
            Self::Replay(replay) => replay.run(printer),
            Self::Check(check) => check.run(printer),
            Self::Console(console) => console.run(printer),
            Self::New(new) => new.run(printer),
            Self::Map(map) => map.run(printer),
            Self::Build(build) => build.run(printer),
            Self::Bot(bot) => bot.run(),
            Self::Bench(bench) => bench.run(),
            Self::Selftest(_) => match crate::selftest_program::execute()? {},
            Self::Champion(champion) => champion.run(printer),
            Self::Doctor(doctor) => doctor.run(printer),
            Self::Games(games) => games.run(printer),
            Self::Rules(rules) => rules.run(printer),
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

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::{Command, CommandFactory};

    /// Clap breaks a longer line anywhere, also within a command that people copy.
    fn with_short_examples(command: &Command, path: &str) {
        let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in after.lines().filter(|line| line.starts_with("  ")) {
            assert!(line.chars().count() <= 80, "{path}: more than 80 columns: {line}");
        }
        for subcommand in command.get_subcommands() {
            with_short_examples(subcommand, &format!("{path} {}", subcommand.get_name()));
        }
    }

    #[test]
    fn examples_fit_a_terminal_of_80_columns() {
        with_short_examples(&Cli::command(), "agon");
    }

    fn with_ply(command: &Command, path: &str, found: &mut Vec<String>) {
        for arg in command.get_arguments() {
            assert_ne!(arg.get_long(), Some("turn"), "{path}: --turn is another name of --ply and nothing else");
            if arg.get_long() == Some("ply") {
                assert_eq!(arg.get_visible_aliases(), Some(vec!["turn"]), "{path}");
                found.push(path.to_owned());
            }
        }
        for subcommand in command.get_subcommands() {
            with_ply(subcommand, &format!("{path} {}", subcommand.get_name()), found);
        }
    }

    #[test]
    fn wherever_a_ply_is_asked_for_it_can_be_called_a_turn() {
        let mut found = Vec::new();
        with_ply(&Cli::command(), "agon", &mut found);
        found.sort_unstable();
        let expected = ["console", "replay ask", "replay gif", "replay png", "replay show", "replay svg"];
        let expected = expected.map(|what| format!("agon {what}"));
        assert_eq!(found, expected);
    }
}
