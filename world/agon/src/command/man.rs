//! `agon man`.

use super::Cli;
use crate::{
    error::{Error, Result, reason},
    exit::Exit,
    printer::Printer,
};
use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;
use std::path::PathBuf;

/// Print the man page, or write those of all commands into a folder.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon man | man -l -
  agon man --dir ~/.local/share/man/man1")]
pub struct Man {
    /// Write agon.1, agon-match.1 and so on into this folder instead.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        if let Some(dir) = self.dir {
            std::fs::create_dir_all(&dir).map_err(|e| Error::file("create", &dir, &e))?;
            clap_mangen::generate_to(Cli::command(), &dir).map_err(|e| Error::file("write to", &dir, &e))?;
            return Ok(Exit::Done);
        }
        let mut page = Vec::new();
        let man = Page::new(Cli::command());
        man.render(&mut page)
            .and_then(|()| exit_codes(&mut page))
            .map_err(|e| Error::user(format!("cannot make the man page: {}", reason(&e))))?;
        printer.data(page)?;
        Ok(Exit::Done)
    }
}

/// The section that clap does not know of.
fn exit_codes(page: &mut impl std::io::Write) -> std::io::Result<()> {
    writeln!(page, ".SH \"EXIT STATUS\"")?;
    for exit in Exit::ALL {
        writeln!(page, ".TP\n.B {}\n{}", exit as u8, exit.about().replace('-', "\\-"))?;
    }
    Ok(())
}
