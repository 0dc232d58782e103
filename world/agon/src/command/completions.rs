//! `agon completions SHELL`.

use super::Cli;
use crate::{complete, error::Result, exit::Exit, printer::Printer};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print a completion script for a shell.
///
/// In bash, zsh and fish it also offers the built-in bots, rule sets, maps and formats of the game.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  source <(agon completions bash)    in bash; in ~/.bashrc for every new shell
  source <(agon completions zsh)     in zsh, after compinit; in ~/.zshrc, too
  agon completions fish | source     in fish; in config.fish, too")]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "agon", &mut script);
        if self.shell == Shell::Zsh {
            // In the script a colon ends the name of a value, and the shell would run what follows as a command.
            let text = String::from_utf8_lossy(&script).replace(":N:KEY=VALUE:", ":N\\:KEY=VALUE:");
            script = text.into_bytes();
        }
        script.extend_from_slice(complete::script(self.shell).unwrap_or_default().as_bytes());
        printer.data(script)?;
        Ok(Exit::Done)
    }
}
