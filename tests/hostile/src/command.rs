//! The commands of the program: checks that what Agon promises about bots holds on this machine.

#[cfg(target_os = "linux")]
mod fuzz;

use agon_cli::{
    Format, Global,
    clean::{clean, cut},
    error::{Error, Result, reason},
    exit::Exit,
    interrupt,
    printer::{Printer, Style},
    table::{Table, left, right},
    works,
};
use agon_hostile::{Kind, Report, Row, State, Suite, kinds};
use agon_spec::Isolation;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::{
    path::PathBuf,
    process::ExitCode,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Check on this machine that Agon keeps its promises about bots.
#[derive(Parser, Debug)]
#[command(name = "agon-selftest", bin_name = "agon selftest", version, max_term_width = 100)]
#[command(arg_required_else_help = true)]
#[command(after_help = "Examples:
  agon selftest hostile
  agon selftest hostile --list
  agon selftest hostile --only fork-bomb tcp
  agon selftest hostile --format json > hostile.json
  agon selftest fuzz")]
struct Selftest {
    #[command(flatten)]
    global: Global,

    #[command(subcommand)]
    what: What,
}

/// What is checked.
#[derive(Subcommand, Debug)]
enum What {
    Hostile(Hostile),
    #[cfg(target_os = "linux")]
    Fuzz(fuzz::Fuzz),
}

/// Play every kind of hostile bot against an honest one, and compare each outcome with the expected one.
///
/// Each row is a match of real processes. Agon starts a kind only at a level of isolation that contains it, and only
/// after trying that level in the same process. docs/hostile.md lists all kinds. The exit code is 1 if a row differs.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon selftest hostile
  agon selftest hostile --level restricted
  agon selftest hostile --only fork-bomb tcp --format json")]
struct Hostile {
    /// How the bots are isolated: full, restricted, none, or auto for the strongest level that works here.
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t)]
    level: Level,

    /// Play only these kinds.
    #[arg(long, value_name = "NAME", num_args = 1..)]
    only: Vec<String>,

    /// List all kinds with their expected outcomes, and play none.
    #[arg(long)]
    list: bool,

    /// How to print the table.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Level {
    #[default]
    Auto,
    Full,
    Restricted,
    None,
}

impl Level {
    /// Returns the level, if it works here.
    fn found(self) -> Result<Isolation> {
        let level = match self {
            Self::Auto => return Ok(agon_play::strongest()?.level),
            Self::None => return Ok(Isolation::None),
            Self::Full => Isolation::Full,
            Self::Restricted => Isolation::Restricted,
        };
        works("--level", level).map(|()| level)
    }
}

/// The number of rows that are played at once. More rows would only wait for each other's processes.
const AT_ONCE: usize = 2;
/// The number of rows between two looks at the interrupt flag. Each row ends by itself and leaves nothing behind.
const BATCH: usize = 24;
/// The maximum number of characters in the column of what was seen.
const WIDTH: usize = 72;

/// Parses the arguments of this process and runs the command.
pub fn run() -> ExitCode {
    let arguments = std::env::args_os().skip(1).collect();
    agon_cli::run::<Selftest>(arguments, |selftest| &selftest.global, |selftest, printer| selftest.what.run(printer))
}

/// Returns the path of this program, which becomes bots, referees and victims.
fn ourselves() -> Result<PathBuf> {
    std::env::current_exe()
        .map_err(|why| Error::user(format!("cannot find the path of the running program: {}", reason(&why))))
}

impl What {
    fn run(self, printer: &Printer) -> Result<Exit> {
        match self {
            Self::Hostile(hostile) => hostile.run(printer),
            #[cfg(target_os = "linux")]
            Self::Fuzz(fuzz) => fuzz.run(printer),
        }
    }
}

impl Hostile {
    fn run(&self, printer: &Printer) -> Result<Exit> {
        let kinds = self.kinds()?;
        let level = self.level.found()?;
        if self.list {
            match self.format {
                Format::Json => {
                    let described = |kind: &&Kind| kind.document(level.max(kind.needs));
                    printer.json(&kinds.iter().map(described).collect::<Vec<_>>())?;
                }
                Format::Text => printer.data(list(&kinds, level, printer.colour))?,
            }
            return Ok(Exit::Done);
        }
        let program = ourselves()?;
        let cancel = interrupt::armed()?;
        let (count, ended) = (kinds.len(), AtomicUsize::new(0));
        let mut report = Report { level, rows: Vec::new() };
        for batch in kinds.chunks(BATCH) {
            let suite = Suite { program: program.clone(), level, kinds: batch.to_vec(), at_once: AT_ONCE };
            let played = suite.run(&|row| {
                let ended = ended.fetch_add(1, Ordering::Relaxed) + 1;
                printer.progress(&format!("{ended} of {count}: {}", row.kind.name));
            });
            if cancel.is_cancelled() {
                let played = report.rows.len();
                return Err(Error::user(format!("interrupted after {played} of {count} kinds, no table"))
                    .exit(Exit::Interrupted));
            }
            let played = played.map_err(|why| {
                Error::user(format!("cannot run the suite: {}", reason(&why))).hint(format!(
                    "it needs space for files in `{}`; TMPDIR names another folder",
                    std::env::temp_dir().display()
                ))
            })?;
            report.rows.extend(played.rows);
        }
        printer.progress("");
        match self.format {
            Format::Json => printer.document(report.document())?,
            Format::Text => printer.data(table(&report, printer.colour))?,
        }
        Ok(self.verdict(&report))
    }

    fn kinds(&self) -> Result<Vec<&'static Kind>> {
        if self.only.is_empty() {
            return Ok(kinds());
        }
        let find = |name: &String| {
            agon_hostile::find(name).ok_or_else(|| {
                Error::user(format!("there is no kind `{}` of hostile bot", clean(&cut(name, 40))))
                    .hint("`agon selftest hostile --list` prints all kinds")
            })
        };
        self.only.iter().map(find).collect()
    }

    /// Returns the exit code. A row that was not run is a failure only if the user chose no level, because then every
    /// row must run.
    fn verdict(&self, report: &Report) -> Exit {
        let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
        let missed = report.count(State::NotRun) > 0 && in_ci && self.level == Level::Auto;
        if report.count(State::Failed) > 0 || missed { Exit::User } else { Exit::Done }
    }
}

fn list(kinds: &[&'static Kind], level: Isolation, colour: bool) -> String {
    let mut table =
        Table::new(vec![right("no."), left("kind"), left("contained by"), left("attacks"), left("expected")]);
    for kind in kinds {
        table.row(vec![
            right(kind.number.to_string()),
            left(kind.name),
            left(kind.needs.name()),
            left(kind.attacks),
            left(kind.expected(level.max(kind.needs))),
        ]);
    }
    table.render(colour)
}

fn table(report: &Report, colour: bool) -> String {
    let mut table =
        Table::new(vec![left("kind"), left("attacks"), left("expected"), left("seen"), left("ok"), right("time")]);
    for row in &report.rows {
        let (word, style) = match row.state {
            State::Passed => ("yes", Style::Good),
            State::Failed => ("NO", Style::Bad),
            State::NotRun => ("-", Style::Note),
        };
        table.row(vec![
            left(row.kind.name),
            left(row.kind.attacks),
            left(cut(&row.expected, WIDTH)),
            left(seen(row)),
            left(word).style(style),
            right(format!("{}ms", row.took.as_millis())),
        ]);
    }
    let counts = [State::Passed, State::Failed, State::NotRun].map(|state| report.count(state));
    let [passed, failed, not_run] = counts;
    let repeated = match report.rows.iter().filter(|row| row.repeated > 0).count() {
        0 => String::new(),
        rows => format!(", {rows} repeated because other programs kept the cores busy"),
    };
    let text = table.render(colour);
    format!("{text}\nlevel   {}\nresult  {passed} passed, {failed} failed, {not_run} not run{repeated}\n", report.level)
}

/// Returns what was seen, with more details where it is wrong.
fn seen(row: &Row) -> String {
    let text = clean(&row.seen);
    cut(&text, if row.state == State::Failed { 3 * WIDTH } else { WIDTH })
}
