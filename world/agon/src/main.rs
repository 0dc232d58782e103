//! The command line of Agon. Reads like this: arguments to a command, the command to data on stdout, everything else
//! to stderr, and an exit code that means something.

mod bench;
mod board;
mod clean;
mod command;
mod core_placement;
mod doctor;
mod error;
mod exit;
mod game;
mod interrupt;
mod live;
mod overwriting;
mod panic;
mod picture;
mod printer;
mod report;
mod sandbox_options;
mod seed;
mod stderr_lines;
mod table;
mod talk;
mod terms;
mod values;

use clap::Parser;
use command::Cli;
use error::Error;
use exit::Exit;
use printer::Printer;

/// Prints what was asked for instead of a command, as help or the version, or what is wrong with the arguments.
fn usage(other: &clap::Error) -> Exit {
    if other.use_stderr() {
        // It quotes arguments, and those may be names that strangers gave to their files.
        let printer = Printer::new(false, printer::When::Auto);
        printer.usage(&other.render().to_string());
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

fn main() -> Exit {
    // Before anything else: how long it takes to start is part of what is measured with it.
    if let Some(bot) = bench::InstantBot::asked_for() {
        return bot.run();
    }
    // Not a command either: it becomes a bot in a sandbox, or plays one.
    agon_play::helper();
    // A hostile bot, its referee or its victim: as far from the rest of this program as another program.
    if let Some(role) = agon_hostile::Role::asked_for() {
        std::process::exit(role.run().into());
    }
    panic::hide();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(other) => return usage(&other),
    };
    let printer = Printer::new(cli.quiet, cli.color);
    match panic::caught(|| cli.command.run(&printer)) {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => {
            printer.error(&error);
            error.exit
        }
        Err(bug) => {
            printer.tell(bug.to_string());
            Exit::Internal
        }
    }
}
