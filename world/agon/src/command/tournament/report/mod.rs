//! `agon tournament report`: what a tournament says about its bots.

mod text;

use super::{frozen_reader, of_tournament};
use crate::{
    clean::{clean, shell_word},
    error::{Error, Result},
    exit::Exit,
    overwriting,
    page::{Page, Source},
    printer::Printer,
    stores::StoreArg,
};
use agon_spec::TournamentReportDocument;
use agon_store::{StoreReader, files_of_store};
use agon_tournament::{
    ArchiveError, PagesOf, StderrOf, WatchPages, report_csv, report_html, report_markdown, write_archive,
};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Sum up a tournament: standings with what decided them, cross table, bracket, faults, time. Works while it is played.
///
/// With `--html` or `--dir`, nothing is printed on stdout unless there is a `--format`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament report cup.toml
  agon tournament report cup.toml --format markdown > cup.md
  agon tournament report cup.toml --html cup.html
  agon tournament report cup.toml --dir cup-archive
  agon tournament report cup.toml --dir cup-archive --pages all
  agon tournament report cup.toml --dir for-myself --with-stderr")]
pub struct Report {
    /// The tournament.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    #[command(flatten)]
    store: StoreArg,

    /// The form of the report on stdout. The default is `text`.
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<ReportFormat>,

    /// Write the report as one page that needs nothing else.
    #[arg(long, value_name = "PAGE")]
    html: Option<PathBuf>,

    /// Write everything to a folder that anybody can verify: the page, the kept replays, the export, the
    /// tournament's file.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Which matches get a page in DIR on which they can be watched, about 600 kB each, if their replay was kept.
    #[arg(long, value_enum, value_name = "MATCHES", requires = "dir", default_value_t)]
    pages: Pages,

    /// Leave the last lines of stderr of bots that crashed in the replays and pages of DIR. Without it they are for the organiser and,
    /// by `agon tournament logs`, for the author of the bot.
    #[arg(long, requires = "dir")]
    with_stderr: bool,

    /// Write to DIR even if it is not empty. Files of an earlier archive are replaced, others stay.
    #[arg(long, requires = "dir")]
    force: bool,
}

/// The form of a report on stdout.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ReportFormat {
    /// Tables for people.
    Text,
    /// Tables in Markdown.
    Markdown,
    /// The standings, one line for each bot.
    Csv,
    /// One JSON document.
    Json,
}

/// The matches with a page on which they can be watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Pages {
    /// No match.
    None,
    /// The matches that the report gives as examples of faults; their links lead to the turn.
    #[default]
    Faults,
    /// Every match.
    All,
}

impl Report {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let name = self.store.of(&self.file);
        let store = frozen_reader(&self.file, &name)?;
        let report = agon_tournament::report(&store).map_err(of_tournament)?;
        if let Some(page) = &self.html {
            let own = name.file().map(files_of_store).unwrap_or_default();
            let mut read: Vec<overwriting::Named<'_>> = own.iter().map(|file| ("its store", &**file)).collect();
            read.push(("the tournament", &self.file));
            overwriting::refuse(&[("--html", page)], &read)?;
            let written = overwriting::replace(page, report_html(&report, None).as_bytes());
            written.map_err(|why| Error::file("write the page", page, &why))?;
            printer.note(format!("wrote {}", clean(&page.display().to_string())));
        }
        if let Some(dir) = &self.dir {
            self.archive(store, &report, dir, printer)?;
        }
        let silent = self.html.is_some() || self.dir.is_some();
        match self.format.or((!silent).then_some(ReportFormat::Text)) {
            Some(ReportFormat::Text) => printer.data(text::render(&report, printer.colour))?,
            Some(ReportFormat::Markdown) => printer.data(report_markdown(&report))?,
            Some(ReportFormat::Csv) => printer.data(report_csv(&report))?,
            Some(ReportFormat::Json) => printer.document(report)?,
            None => {}
        }
        Ok(Exit::Done)
    }

    fn archive(
        &self,
        store: Box<dyn StoreReader>,
        report: &TournamentReportDocument,
        dir: &Path,
        printer: &Printer,
    ) -> Result<()> {
        let folder = |path: &Path| path.canonicalize().ok();
        let own = self.file.parent().map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
        if folder(dir).is_some_and(|dir| own.and_then(folder) == Some(dir)) {
            let what = format!("`{}` is the folder of the tournament itself", clean(&dir.display().to_string()));
            return Err(Error::user(what).hint("name a new folder"));
        }
        let of = match self.pages {
            Pages::None => PagesOf::Nothing,
            Pages::Faults => PagesOf::Faults,
            Pages::All => PagesOf::All,
        };
        let write = |replay: &[u8]| {
            Page {
                source: Source::Replay(replay),
                transcript: None,
                file: None,
                beside: None,
                bots: false,
                plays: false,
            }
            .html()
        };
        let pages = WatchPages { of, write: &write };
        let stderr = if self.with_stderr { StderrOf::Everybody } else { StderrOf::Nobody };
        let replays = write_archive(&store, &|hash| store.get(hash), report, dir, pages, stderr, self.force)
            .map_err(of_archive)?;
        let count = if replays == 1 { "1 replay".to_owned() } else { format!("{replays} replays") };
        printer.note(format!("wrote {} and {count}", clean(&dir.join("index.html").display().to_string())));
        printer.note(format!(
            "{} has the commands and the variables of the bots: read it before you publish it",
            shell_word(&dir.join("tournament.toml"))
        ));
        Ok(())
    }
}

fn of_archive(why: ArchiveError) -> Error {
    match why {
        ArchiveError::Tournament(why) => of_tournament(why),
        ArchiveError::Write { path, source } => Error::file("write", &path, &source),
        ArchiveError::NotEmpty(_) => Error::user(clean(&why.to_string()))
            .hint("name a new folder, or use `--force` to replace the files of an earlier archive"),
        ArchiveError::Foreign(_) => Error::user(clean(&why.to_string())).hint("move it away, or name a new folder"),
        other => Error::user(clean(&other.to_string())),
    }
}
