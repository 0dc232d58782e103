//! The arguments that say how bots are isolated: `--sandbox`, `--bot-dir`, `--read`, `--processes`, `--env`.

use crate::{error::Error, exit::Exit, values::Known};
use agon_play::{IsolationChoice, SandboxError, Variable, level_works};
use agon_spec::Isolation;
use clap::Args;
use std::path::PathBuf;

/// The arguments of every command that starts bots.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Isolation")]
pub struct SandboxOptions {
    /// How to isolate bots from the host and from each other: `full`, `restricted`, `none`, or `auto` for the strongest
    /// level that works here. `agon doctor` says which one does, and why.
    #[arg(long, value_name = "LEVEL", default_value = "auto", value_parser = levels(), hide_possible_values = true)]
    pub sandbox: IsolationChoice,

    /// The bot's folder, for a command that names no file in it. The bot may read this folder.
    #[arg(long, value_name = "DIR")]
    pub bot_dir: Option<PathBuf>,

    /// Let every bot read this file or folder as well. May be repeated.
    #[arg(long, value_name = "PATH")]
    pub read: Vec<PathBuf>,

    /// How many processes a bot may run at once. Threads do not count. The default is 16 where control groups hold all
    /// processes of a bot, else 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), allow_negative_numbers = true)]
    pub processes: Option<u32>,

    /// An environment variable for every bot that is a process. May be repeated.
    #[arg(long = "env", value_name = "KEY=VALUE")]
    pub variables: Vec<Variable>,
}

/// The parser of `--sandbox`, for every command that has it.
pub fn levels() -> Known<IsolationChoice> {
    Known::new(
        || ["auto"].into_iter().chain(Isolation::ALL.map(Isolation::name)).collect(),
        |text| text.parse().map_err(str::to_owned),
    )
}

impl SandboxOptions {
    /// Returns the options in the form that `agon-play` takes.
    pub fn options(&self) -> agon_play::SandboxOptions {
        agon_play::SandboxOptions {
            isolation: self.sandbox,
            bot_dir: self.bot_dir.clone(),
            read: self.read.clone(),
            processes: self.processes,
            variables: self.variables.clone(),
        }
    }
}

/// Tries a level that another option than `--sandbox` asks for.
///
/// # Errors
/// The level does not work here. The exit code is 40; the message has the reason and the way out.
pub fn works(option: &str, level: Isolation) -> Result<(), Error> {
    level_works(level).map_err(|error| {
        let why = match &error {
            #[cfg(target_os = "linux")]
            SandboxError::Unavailable { refused, .. } => crate::clean::clean(&refused.to_string()),
            SandboxError::NotLinux(_) => "isolation needs Linux".to_owned(),
            _ => return agon_play::Error::from(error).into(),
        };
        let shown = Error::user(format!("{option} {level}: {why}")).exit(Exit::Sandbox);
        match error.hint() {
            Some(hint) => shown.hint(hint),
            None => shown,
        }
    })
}
