//! The command line of Agon. It turns arguments into a command. The command prints data to stdout and everything else
//! to stderr, and returns an exit code.
//!
//! The program `agon` is this library. The programs of other packages use it for what every command line needs: the benches
//! (`tests/bench`) and the suite of hostile bots (`tests/hostile`).
//!
//! | module | what it defines |
//! | --- | --- |
//! | `command` | the commands, one file each, and their arguments |
//! | `selftest_program` | the program with the hostile bots, which `agon selftest` finds and executes |
//! | `exit`, `error`, `panic` | exit codes, errors of users, and bugs |
//! | `printer`, `table`, `clean`, `overwriting` | what is printed and where; tables; text that is safe on a terminal; files that exist |
//! | `terms`, `core_placement`, `sandbox_options`, `values`, `seed` | arguments that several commands share, and their meaning |
//! | `game`, `board`, `picture` | games by name; positions in a terminal and as pictures |
//! | `live`, `report`, `stderr_lines` | what a match shows while it runs and at its end |
//! | `stores` | `--store`: where results are, in a file or on a server |
//! | `unfinished` | what matches have left that were killed |
//! | `page`, `live_page`, `console_page` | pages that open in a browser |
//! | `talk` | a conversation with one bot, outside a match |
//! | `interrupt`, `streams` | Ctrl-C; how the program was started |
//! | `complete` | what shells offer for bots, rule sets, maps and formats |
//! | `machine` | the machine of a measurement |
//! | `doctor` | what isolates bots on this host |

mod board;
mod browser;
mod cause;
mod chosen;
pub mod clean;
mod command;
mod complete;
mod console_page;
mod copies;
mod core_placement;
mod dispatch;
mod doctor;
pub mod error;
pub mod exit;
mod forecast;
pub mod game;
pub mod interrupt;
mod live;
mod live_page;
pub mod machine;
mod names;
mod nothing_new;
mod overwriting;
mod page;
mod panic;
mod picture;
mod pipe;
pub mod printer;
mod report;
mod sandbox_options;
mod screen;
pub mod seed;
mod selftest_program;
mod stderr_lines;
mod stores;
mod streams;
pub mod table;
mod talk;
mod terms;
mod unfinished;
pub mod values;

pub use command::{Format, Global};
pub use report::fault_line;
pub use sandbox_options::works;

use clap::{
    Parser,
    error::{ContextKind, ContextValue},
};
use command::Cli;
use error::Error;
use exit::Exit;
use printer::Printer;
use std::{
    ffi::OsString,
    process::{ExitCode, Termination},
};

/// The `main` function of `agon`, with the arguments of the process after its name. The program may carry the library for
/// champions in Python.
#[must_use]
pub fn agon(arguments: impl Iterator<Item = OsString>, champion_library: Option<&'static [u8]>) -> ExitCode {
    // This process may have been started to become a bot instead of running a command.
    agon_play::helper();
    agon_server::submissions::intake_helper();
    let arguments: Vec<OsString> = arguments.collect();
    doctor::become_canary(&arguments);
    if let Some(bytes) = champion_library {
        agon_champion::carry_library(bytes);
    }
    if complete::asked_for(&arguments) {
        return ExitCode::SUCCESS;
    }
    run::<Cli>(
        arguments,
        |cli| &cli.global,
        |cli, printer| {
            if cli.command.is_about_matches() {
                unfinished::tell(printer);
            }
            cli.command.run(printer)
        },
    )
}

/// Parses arguments, runs their command and returns its exit code. Errors are printed for people, and so is a bug.
#[must_use]
pub fn run<C: Parser>(
    arguments: Vec<OsString>,
    global: fn(&C) -> &Global,
    command: impl FnOnce(C, &Printer) -> error::Result<Exit>,
) -> ExitCode {
    panic::hide();
    if streams::stdout_was_closed() {
        let error = Error::user("stdout is closed").hint("`> /dev/null` drops what is printed");
        Printer::new(false, printer::When::Auto).error(&error);
        return error.exit.report();
    }
    agon_sandbox::open_files::raise();
    agon_sandbox::file_sizes::fail_beyond_the_limit();
    let cli = match C::try_parse_from([OsString::new()].iter().chain(&arguments)) {
        Ok(cli) => cli,
        Err(other) => return usage(&other, arguments).report(),
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
fn not_utf8(arguments: Vec<OsString>) -> String {
    let bad = arguments.into_iter().enumerate().filter(|(_, word)| word.to_str().is_none());
    let named: Vec<String> = bad
        .map(|(at, word)| {
            format!("argument {} is not UTF-8: `{}`", at + 1, clean::escape_bytes(word.as_encoded_bytes()))
        })
        .collect();
    format!("error: {}\n\nhint: give the file another name, such as one without accents", named.join("\nerror: "))
}

/// Prints what clap returns instead of a command: help, the version, or what is wrong with the arguments.
fn usage(other: &clap::Error, arguments: Vec<OsString>) -> Exit {
    if other.use_stderr() {
        // The text quotes arguments, which may contain file names chosen by strangers.
        let printer = Printer::new(false, printer::When::Auto);
        printer.usage(&if other.kind() == clap::error::ErrorKind::InvalidUtf8 {
            not_utf8(arguments)
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
            let why = Error::system("cannot write to stdout", &why);
            Printer::new(false, printer::When::Auto).error(&why);
            why.exit
        }
        _ => Exit::Done,
    }
}
