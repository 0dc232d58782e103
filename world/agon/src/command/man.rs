//! `agon man`.

use super::Cli;
use crate::{
    clean::{clean, shell_word},
    error::{Error, Result, reason},
    exit::Exit,
    printer::Printer,
};
use clap::{Args, Command, CommandFactory, builder::Resettable};
use clap_mangen::Man as Page;
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Print the man page, or write a page for each command into a folder.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon man | man -l -
  mkdir -p ~/.local/share/man/man1 && agon man --dir ~/.local/share/man/man1")]
pub struct Man {
    /// Write agon.1, agon-match.1 and so on into this folder instead. It must exist.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let mut all = Cli::command().disable_help_subcommand(true);
        all.build();
        if let Some(dir) = self.dir {
            if !dir.is_dir() {
                let shown = clean(&dir.display().to_string());
                return Err(Error::user(format!("`{shown}` is not a folder"))
                    .hint(format!("`mkdir -p {}` makes one; nothing was written", shell_word(&dir))));
            }
            write_all(&all, &dir).map_err(|e| Error::file("write to", &dir, &e))?;
            return Ok(Exit::Done);
        }
        let page = page(&all).map_err(|e| Error::user(format!("cannot make the man page: {}", reason(&e))))?;
        printer.data(page)?;
        Ok(Exit::Done)
    }
}

/// Writes a page for `command` and for every command below it.
fn write_all(command: &Command, dir: &Path) -> io::Result<()> {
    for below in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        write_all(below, dir)?;
    }
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    std::fs::write(dir.join(format!("{name}.1")), page(command)?)
}

/// Returns one page: what clap generates, then the examples of the help.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let examples = command.get_after_help().map(ToString::to_string);
    Page::new(command.clone().after_help(Resettable::Reset)).render(&mut page)?;
    if let Some(examples) = examples {
        writeln!(page, ".SH EXAMPLES\n.nf")?;
        for line in examples.lines().filter(|line| *line != "Examples:") {
            writeln!(page, "{}", literal(line))?;
        }
        writeln!(page, ".fi")?;
    }
    if command.get_name() == "agon" {
        exit_codes(&mut page)?;
    }
    Ok(page)
}

/// Writes the section about exit codes, which clap does not generate.
fn exit_codes(page: &mut impl Write) -> io::Result<()> {
    writeln!(page, ".SH \"EXIT STATUS\"")?;
    for exit in Exit::ALL {
        writeln!(page, ".TP\n.B {}\n{}", exit as u8, literal(exit.about()))?;
    }
    Ok(())
}

/// Escapes a line, so that roff shows it unchanged.
fn literal(line: &str) -> String {
    let escaped = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq").replace('`', "\\(ga");
    if escaped.starts_with('.') { format!("\\&{escaped}") } else { escaped }
}
