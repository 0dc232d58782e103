//! The command line of Agon. It turns arguments into a command. The command prints data to stdout and everything else
//! to stderr, and returns an exit code.
//!
//! Three programs share this crate. They are installed side by side:
//!
//! | program | what it is |
//! | --- | --- |
//! | `agon` | the command line; it knows the arguments of every command, including those of the other two programs |
//! | `agon-bench` | `agon bench`, with its bots |
//! | `agon-selftest` | `agon selftest` and `agon doctor`, with the hostile bots |
//!
//! | module | what it defines |
//! | --- | --- |
//! | `command` | the commands, one file each, and their arguments |
//! | `program` | the three programs, and how one finds and executes another |
//! | `exit`, `error`, `panic` | exit codes, errors of users, and bugs |
//! | `printer`, `table`, `clean`, `overwriting` | what is printed and where; tables; text that is safe on a terminal; files that exist |
//! | `terms`, `core_placement`, `sandbox_options`, `values`, `seed` | arguments that several commands share, and their meaning |
//! | `game`, `board`, `picture` | games by name; positions in a terminal and as pictures |
//! | `live`, `report`, `stderr_lines` | what a match shows while it runs and at its end |
//! | `page`, `live_page`, `console_page` | pages that open in a browser |
//! | `talk` | a conversation with one bot, outside a match |
//! | `interrupt` | Ctrl-C |
//! | `complete` | what shells offer for bots, rule sets, maps and formats |
//! | `bench` | the benches |
//! | `doctor` | what isolates bots on this host |

mod bench;
mod board;
mod browser;
mod cause;
mod chosen;
mod clean;
mod command;
mod complete;
mod console_page;
mod copies;
mod core_placement;
mod doctor;
mod error;
mod exit;
mod forecast;
mod game;
mod interrupt;
mod live;
mod live_page;
mod nothing_new;
mod overwriting;
mod page;
mod panic;
mod picture;
mod pipe;
mod printer;
mod program;
mod report;
mod sandbox_options;
mod screen;
mod seed;
mod serve;
mod stderr_lines;
mod table;
mod talk;
mod terms;
mod values;

pub use bench::CountingAllocator;

use clap::{
    Parser,
    error::{ContextKind, ContextValue},
};
use command::{BenchCli, Cli, Global, SelftestCli};
use error::Error;
use exit::Exit;
use printer::Printer;
use std::{
    ffi::OsString,
    process::{ExitCode, Termination},
};

/// The `main` function of `agon`. The program may carry the library for champions in Python.
#[must_use]
pub fn agon(champion_library: Option<&'static [u8]>) -> ExitCode {
    // This process may have been started to become a bot instead of running a command.
    agon_play::helper();
    if let Some(bytes) = champion_library {
        agon_champion::carry_library(bytes);
    }
    if complete::asked_for() {
        return ExitCode::SUCCESS;
    }
    run::<Cli>(|cli| &cli.global, |cli, printer| cli.command.run(printer))
}

/// The `main` function of `agon-bench`.
#[must_use]
pub fn agon_bench() -> ExitCode {
    // This comes first, because a bench measures how long the bot takes to start.
    if let Some(bot) = bench::InstantBot::asked_for() {
        return bot.run().report();
    }
    if let Some(bot) = bench::BusyBot::asked_for() {
        return bot.run().report();
    }
    agon_play::helper();
    run::<BenchCli>(|cli| &cli.global, |cli, printer| cli.bench.run(printer))
}

/// The `main` function of `agon-selftest`.
#[must_use]
pub fn agon_selftest() -> ExitCode {
    agon_play::helper();
    // A hostile bot, its referee and its victim share nothing with the rest of this program.
    if let Some(role) = agon_hostile::Role::asked_for() {
        return role.run().into();
    }
    run::<SelftestCli>(|cli| &cli.global, |cli, printer| cli.command.run(printer))
}

/// Parses the arguments of this process and runs its command.
fn run<C: Parser>(global: fn(&C) -> &Global, command: impl FnOnce(C, &Printer) -> error::Result<Exit>) -> ExitCode {
    panic::hide();
    let cli = match C::try_parse() {
        Ok(cli) => cli,
        Err(other) => return usage(&other).report(),
    };
    let printer = global(&cli).printer();
    let exit = match panic::caught(|| command(cli, &printer)) {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => {
            printer.error(&error);
            error.exit
        }
        Err(bug) => {
            printer.tell(bug.to_string());
            Exit::Internal
        }
    };
    exit.report()
}

/// Names the arguments that are not UTF-8, which clap does not.
fn not_utf8(arguments: impl Iterator<Item = OsString>) -> String {
    let bad = arguments.enumerate().filter(|(_, word)| word.to_str().is_none());
    let named: Vec<String> = bad
        .map(|(at, word)| {
            format!("argument {} is not UTF-8: `{}`", at + 1, clean::escape_bytes(word.as_encoded_bytes()))
        })
        .collect();
    format!("error: {}\n\nhint: give the file another name, such as one without accents", named.join("\nerror: "))
}

/// Prints what clap returns instead of a command: help, the version, or what is wrong with the arguments.
fn usage(other: &clap::Error) -> Exit {
    if other.use_stderr() {
        // The text quotes arguments, which may contain file names chosen by strangers.
        let printer = Printer::new(false, printer::When::Auto);
        printer.usage(&if other.kind() == clap::error::ErrorKind::InvalidUtf8 {
            not_utf8(std::env::args_os().skip(1))
        } else {
            other.render().to_string()
        });
        if let Some(ContextValue::String(word)) = other.get(ContextKind::InvalidSubcommand) {
            if agon_games::find(word).is_some() {
                printer.hint(format!("`agon match {word} BOT…` plays a match"));
            } else if [".jsonl", ".jsonl.zst"].iter().any(|ending| word.ends_with(ending)) {
                printer.hint("`agon replay show FILE` shows a recorded match");
            }
        }
        return Exit::Usage;
    }
    match other.print() {
        Err(why) if why.kind() != std::io::ErrorKind::BrokenPipe => {
            let why = Error::user(format!("cannot write to stdout: {}", error::reason(&why)));
            Printer::new(false, printer::When::Auto).error(&why);
            why.exit
        }
        _ => Exit::Done,
    }
}
