//! Bots as folders and archives: from SPEC to a program that can be started.

use crate::{
    clean::{clean, clean_lines},
    error::{Error, Result},
    exit::Exit,
    interrupt,
    printer::Printer,
    sandbox::Wish,
};
use agon_build::{Cache, News, Preparation, Prepared, Tools, Unconfined, Unprepared, Workshop, intake::Kind};
use agon_run::{CancelFlag, Program};
use agon_spec::Isolation;
use std::path::{Path, PathBuf};

/// What keeps a bot from the host while it is built and played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shelter {
    /// A sandbox of this level.
    Sandbox(Isolation),
    /// None works here: what must be built is refused.
    Nowhere,
    /// The user does without one.
    Waived,
}

impl Shelter {
    /// What follows from a wish and the level that was decided on: to do without a sandbox must be wished.
    pub fn of(wish: Wish, level: Isolation) -> Self {
        match (wish, level) {
            (Wish::Exactly(Isolation::None), _) => Self::Waived,
            (_, Isolation::None) => Self::Nowhere,
            (_, level) => Self::Sandbox(level),
        }
    }

    /// Where builds run.
    fn workshop(self) -> Option<Box<dyn Workshop>> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Sandbox(level) => Some(Box::new(agon_build::Confined { level })),
            Self::Waived => Some(Box::new(Unconfined)),
            _ => None,
        }
    }

    /// The level that a build had, for people and programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sandbox(level) => level.name(),
            Self::Nowhere | Self::Waived => Isolation::None.name(),
        }
    }
}

thread_local! {
    /// Asking the tools where they are takes longer than most bots take to build.
    static TOOLS: Tools = Tools::here();
}

/// Takes in and builds the bot at `path`, unless that was done before.
///
/// # Errors
/// It cannot be taken, told or built. The log of a build that has failed is part of the error, unless it was `told`.
pub fn prepare(
    path: &Path,
    kind: Kind,
    shelter: Shelter,
    cancel: &dyn Fn() -> bool,
    told: bool,
    news: &mut dyn FnMut(News<'_>),
) -> Result<Prepared> {
    if kind == Kind::Folder && shelter != Shelter::Waived {
        may_be_taken(path)?;
    }
    let cache = Cache::of_user().map_err(Error::from)?;
    let workshop = shelter.workshop();
    let prepared = TOOLS.with(|tools| {
        let mut preparation = Preparation { cache: &cache, tools, workshop: workshop.as_deref(), cancel, news };
        agon_build::prepare(path, kind, &mut preparation)
    });
    let named = clean(&path.display().to_string());
    prepared.map_err(|why| match why {
        Unprepared::Flaw(flaw) => Error::from(flaw).context(&format!("the bot `{named}`")),
        Unprepared::Manifest(text, flaw) => {
            Error::in_text(&format!("{named}: {}", agon_build::Manifest::FILE), &text, flaw)
        }
        Unprepared::Failed(flaw, log) => {
            let log = if told { String::new() } else { clean_lines(&String::from_utf8_lossy(&log)) };
            let hint = flaw.hint.as_deref().map(clean).unwrap_or_default();
            let what = clean(&flaw.to_string());
            Error::user(format!("the bot `{named}`: {what}\n{}", log.trim_end()).trim_end())
                .hint(hint)
                .exit(Exit::NotStarted)
        }
        Unprepared::Cancelled => interrupt::error(),
    })
}

/// Everything in the folder is copied to where the bot plays, and it can read that.
#[cfg(target_os = "linux")]
fn may_be_taken(folder: &Path) -> Result<()> {
    agon_sandbox::may_be_shown(folder).map_err(|why| crate::sandbox::not_shown(why).context("the bot"))
}

/// There is no sandbox on this system.
#[cfg(not(target_os = "linux"))]
fn may_be_taken(_: &Path) -> Result<()> {
    Ok(())
}

/// The program of the bot at `path`, and what it must see. A line of the terminal says what is built.
///
/// # Errors
/// As [`prepare`].
pub fn program(
    path: &Path,
    kind: Kind,
    shelter: Shelter,
    printer: &Printer,
    cancel: &CancelFlag,
) -> Result<(Program, Vec<PathBuf>)> {
    let mut news = |news: News<'_>| {
        if let News::Building(language) = news {
            let language = language.map(|language| format!(" ({language})")).unwrap_or_default();
            printer.progress(&format!("building {}{language}", clean(&path.display().to_string())));
        }
    };
    let prepared = prepare(path, kind, shelter, &|| cancel.is_cancelled(), false, &mut news);
    printer.progress("");
    let mut prepared = prepared?;
    prepared.read.push(prepared.folder.clone());
    Ok((Program { dir: Some(prepared.folder), ..Program::new(prepared.words) }, prepared.read))
}
