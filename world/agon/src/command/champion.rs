//! `agon champion` compiles champions of the Prologin 2015 final.

use crate::{
    clean::{clean, clean_lines},
    error::{Error, Result},
    exit::Exit,
    printer::Printer,
};
use agon_build::Tools;
use agon_champion::{ChampionError, ChosenPython, Language, Taken};
use agon_core::Flaw;
use agon_play::BuildError;
use clap::{Args, Subcommand};
use std::{fs, path::PathBuf};

/// Compile champions for Portals from the unmodified sources of the Prologin 2015 final.
///
/// A champion is not a program. It is a library, or a Python module, whose functions the match calls. Every command
/// that plays Portals takes `champion:DIR` and `champion:FILE.so` as bots.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
#[command(after_help = "Examples:
  agon champion build my-champion
  agon match portals champion:my-champion @builder")]
pub struct Champion {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Build(Build),
}

/// Compile a champion in C, C++ or OCaml, or check one in Python.
///
/// The main file tells the language: prologin.c, prologin.cc, prologin.ml or prologin.py with the names of 2015;
/// champion.c, champion.cc, champion.ml or Champion.py with the names since 2020. Agon uses headers in the folder instead of its own. It keeps
/// the result, and `champion:DIR` uses it until a file changes. CC and CXX name compilers other than gcc and g++.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon champion build my-champion
  agon match portals champion:my-champion @builder
  agon champion build my-champion --out mine.so
  agon match portals champion:mine.so champion:theirs.so")]
struct Build {
    /// The folder with the sources.
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Also write the shared object to this file.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Champion {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        match self.command {
            Command::Build(build) => build.run(printer),
        }
    }
}

impl Build {
    fn run(self, printer: &Printer) -> Result<Exit> {
        let warn = &mut |text: String| printer.warning(clean(&text));
        let submission = agon_champion::open_folder(&self.folder).map_err(flawed)?;
        let taken = Taken::of(&submission, warn).map_err(flawed)?;
        let source = taken.source();
        if source.language == Language::Python {
            if self.out.is_some() {
                return Err(Error::user("--out: a champion in Python is not compiled, so there is no file to write")
                    .hint("play it from its folder with `champion:DIR`"));
            }
            let python = ChosenPython::of(&taken, &Tools::here(), warn).map_err(flawed)?;
            agon_champion::check_python(&taken, &python, agon_play::strongest()?.level, &|| false, warn)
                .map_err(failed)?;
            printer.data(format!("{}\n", clean(&source.named.join(source.main).display().to_string())))?;
            return Ok(Exit::Done);
        }
        let built = agon_champion::build(&taken, agon_play::strongest()?.level, &|| false, warn).map_err(failed)?;
        if !built.remarks.is_empty() {
            printer.note(clean_lines(&built.remarks).trim_end());
        }
        let path = match self.out {
            Some(out) => {
                fs::copy(&built.library, &out).map_err(|why| Error::file("write", &out, &why))?;
                out
            }
            None => built.library,
        };
        printer.data(format!("{}\n", clean(&path.display().to_string())))?;
        Ok(Exit::Done)
    }
}

/// Returns the error for a champion that cannot be compiled. A compiler's message has several lines.
fn flawed(flaw: Flaw) -> Error {
    agon_play::Error::Build(BuildError::Champion(flaw)).into()
}

/// What a compiler refuses is the user's own affair here; what the host refuses is told as everywhere.
fn failed(why: ChampionError) -> Error {
    match why {
        ChampionError::Flaw(flaw) => flawed(flaw),
        other => agon_play::Error::from(other).into(),
    }
}
