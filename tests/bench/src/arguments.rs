//! The benches by name, with their options.

use crate::{
    Effort, console, exchange, fairness, matches,
    row::{Report, Row},
    sandbox, sim,
    timeouts::Timeouts,
    tournament,
};
use agon_cli::{
    Format, Global,
    error::{Error, Result},
    exit::Exit,
    interrupt,
    printer::Printer,
    values,
};
use agon_core::TimePolicy;
use agon_run::cores;
use clap::{Args, Parser, Subcommand, builder::PossibleValuesParser};
use std::{process::ExitCode, time::Duration};

/// Measure what an exchange, a match and a turn cost on this machine.
///
/// Where possible, a bench also measures a floor in the same run: the least that the work can cost. The ratio of the
/// two carries over to other machines better than either figure. docs/bench.md says what each figure includes.
#[derive(Parser, Debug)]
#[command(name = "agon-bench", bin_name = "cargo xtask bench", version, max_term_width = 100)]
#[command(arg_required_else_help = true)]
#[command(after_help = "Examples:
  cargo xtask bench exchange               one prompt and one answer
  cargo xtask bench sim planet-wars        turns inside the process
  cargo xtask bench timeouts --hog         is a quick bot ever called late?
  cargo xtask bench fairness               does a bot slow down its opponents?
  cargo xtask bench all --quick --format json | jq -c '.rows[]'

Measure on a quiet machine; a busy one, or rounds that disagree, are warned about on stderr.")]
pub struct Bench {
    #[command(flatten)]
    global: Global,

    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Exchange(Exchange),
    Match(Match),
    Sandbox(Sandbox),
    Timeouts(Late),
    Fairness(Fairness),
    Sim(Sim),
    Tournament(Tournament),
    Console(Console),
    All(All),
}

/// One prompt and one answer of an instant bot, beside a bare ping-pong over pipes with the same messages.
///
/// Everything runs on one core. The figure is the CPU time of referee and bots; rows that end in `-wall` show wall
/// time.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  cargo xtask bench exchange
  cargo xtask bench exchange --quick --format json")]
struct Exchange {
    #[command(flatten)]
    how: How,
}

/// Matches per second with fresh processes, and the time from the start of a process to its first prompt.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  cargo xtask bench match
  cargo xtask bench match --quick --format json")]
struct Match {
    #[command(flatten)]
    how: How,
}

/// What the sandbox costs, and what a bot costs that hangs or floods.
///
/// Measures the start of a bot and an exchange with it inside the sandbox, and the same outside; a match with a bot
/// that never answers; and the referee's memory while a bot writes 400 MB.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  cargo xtask bench sandbox
  cargo xtask bench sandbox --quick --format json")]
struct Sandbox {
    #[command(flatten)]
    how: How,
}

/// Check that a bot which answers at once is never called late: many matches, more at once than there are cores.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  cargo xtask bench timeouts
  cargo xtask bench timeouts --matches 10000 --at-once 16 --hog --limit 50ms
  cargo xtask bench timeouts --at-once 16 --hog 4 --limit 10ms --policy wall")]
struct Late {
    /// The number of matches.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    matches: Option<u32>,

    /// The number of matches at once.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=256))]
    at_once: u32,

    /// The limit for a decision.
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = duration)]
    limit: Duration,

    /// How much more time the first decision has, because it includes the start of the bot.
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = values::time)]
    first: Duration,

    /// Which time counts: wall, fair or cpu.
    #[arg(long, value_name = "POLICY", default_value = "fair", value_parser = policy)]
    policy: TimePolicy,

    /// Run N threads that do nothing but use a core; without a number, one for each core.
    #[arg(long, value_name = "N", num_args = 0..=1, value_parser = clap::value_parser!(u32).range(0..=256))]
    hog: Option<Option<u32>>,

    #[command(flatten)]
    how: How,
}

/// Check that a bot which computes outside its turn takes no time from its opponents.
///
/// An honest bot needs 100 ms of computing for each answer, 10 ms with `--quick`. Measures how long its answers take
/// beside bots that compute, and beside bots that sleep, and for how long the referee has no core.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  cargo xtask bench fairness
  cargo xtask bench fairness planet-wars
  taskset -c 0 cargo xtask bench fairness --format json | jq '.rows[].ratio'")]
struct Fairness {
    /// Measure only this game.
    #[arg(value_name = "GAME", value_parser = PossibleValuesParser::new(fairness::games()))]
    game: Option<String>,

    #[command(flatten)]
    how: How,
}

/// Turns of each game inside one process: random lawful orders, whole matches, one core.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  cargo xtask bench sim
  cargo xtask bench sim grid
  cargo xtask bench sim planet-wars --quick --format json")]
struct Sim {
    /// Measure only this game.
    #[arg(value_name = "GAME", value_parser = values::game(), hide_possible_values = true)]
    game: Option<String>,

    #[command(flatten)]
    how: How,
}

/// Tournaments: the store, many matches at once, recording, memory, and the status of a million matches.
///
/// The stores are in the temporary folder (`TMPDIR`). On a disk they measure the disk as well.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  cargo xtask bench tournament
  TMPDIR=. cargo xtask bench tournament --quick --format json")]
struct Tournament {
    #[command(flatten)]
    how: How,
}

/// The console: a raw command beside the same bytes over a bare pipe, and undo and redo over many turns.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  cargo xtask bench console
  cargo xtask bench console --quick --format json")]
struct Console {
    #[command(flatten)]
    how: How,
}

/// All benches, one after the other, as one table or document.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  cargo xtask bench all
  cargo xtask bench all --format json > figures.json")]
struct All {
    #[command(flatten)]
    how: How,
}

#[derive(Args, Debug)]
struct How {
    /// Take a few seconds instead of a minute, with fewer and shorter rounds that scatter more.
    #[arg(long)]
    quick: bool,

    /// The number of the core for everything that runs on one core; the default is the last one.
    #[arg(long, value_name = "N")]
    core: Option<usize>,

    /// How to print the figures.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

fn policy(text: &str) -> std::result::Result<TimePolicy, String> {
    text.parse().map_err(values::one_line)
}

fn duration(text: &str) -> std::result::Result<Duration, String> {
    match values::time(text) {
        Ok(time) if time.is_zero() => Err("no bot can answer in no time".to_owned()),
        other => other,
    }
}

/// Parses the arguments of this process and measures.
pub fn run() -> ExitCode {
    let arguments = std::env::args_os().skip(1).collect();
    agon_cli::run::<Bench>(arguments, |bench| &bench.global, |bench, printer| bench.run(printer))
}

impl Bench {
    fn run(self, printer: &Printer) -> Result<Exit> {
        let (name, how) = match &self.what {
            What::Exchange(args) => ("exchange", &args.how),
            What::Match(args) => ("match", &args.how),
            What::Sandbox(args) => ("sandbox", &args.how),
            What::Timeouts(args) => ("timeouts", &args.how),
            What::Fairness(args) => ("fairness", &args.how),
            What::Sim(args) => ("sim", &args.how),
            What::Tournament(args) => ("tournament", &args.how),
            What::Console(args) => ("console", &args.how),
            What::All(args) => ("all", &args.how),
        };
        if let Some(core) = how.core.filter(|core| !cores().contains(core)) {
            let known: Vec<String> = cores().iter().map(usize::to_string).collect();
            return Err(Error::user(format!("--core {core}: this program may not run on that core"))
                .hint(format!("it may run on: {}", known.join(", "))));
        }
        let effort = Effort { quick: how.quick, core: how.core, cancel: interrupt::armed()? };
        let mut report = Report::begin(name);
        report.rows = self.rows(&effort, printer)?;
        match how.format {
            Format::Json => printer.document(report.document())?,
            Format::Text => printer.data(report.text(printer.colour))?,
        }
        for doubt in report.doubts() {
            printer.note(format!("warning: {doubt}"));
        }
        Ok(Exit::Done)
    }

    fn rows(&self, effort: &Effort, printer: &Printer) -> Result<Vec<Row>> {
        match &self.what {
            What::Exchange(_) => exchange::run(effort),
            What::Match(_) => matches::run(effort),
            What::Sandbox(_) => sandbox::run(effort),
            What::Timeouts(args) => args.timeouts(effort).run(effort),
            What::Fairness(args) => fairness::run(effort, args.game.as_deref()),
            What::Sim(args) => sim::run(effort, args.game.as_deref()),
            What::Tournament(_) => tournament::run(effort),
            What::Console(_) => console::run(effort),
            What::All(_) => {
                let late = Timeouts {
                    matches: usual_matches(effort),
                    at_once: 8,
                    limit: Duration::from_millis(100),
                    first: Duration::from_secs(2),
                    policy: TimePolicy::Fair,
                    hogs: 0,
                };
                type Part<'a> = (&'a str, &'a dyn Fn() -> Result<Vec<Row>>);
                let parts: [Part<'_>; 8] = [
                    ("exchange", &|| exchange::run(effort)),
                    ("match", &|| matches::run(effort)),
                    ("sandbox", &|| sandbox::run(effort)),
                    ("sim", &|| sim::run(effort, None)),
                    ("timeouts", &|| late.run(effort)),
                    ("fairness", &|| fairness::run(effort, None)),
                    ("tournament", &|| tournament::run(effort)),
                    ("console", &|| console::run(effort)),
                ];
                let mut rows = Vec::new();
                for (name, part) in parts {
                    printer.progress(&format!("bench {name} …"));
                    rows.extend(part()?);
                }
                printer.progress("");
                Ok(rows)
            }
        }
    }
}

impl Late {
    fn timeouts(&self, effort: &Effort) -> Timeouts {
        let matches = self.matches.unwrap_or_else(|| usual_matches(effort));
        let hogs = self.hog.map_or(0, |hogs| hogs.unwrap_or(cores().len().max(1) as u32));
        Timeouts { matches, at_once: self.at_once, limit: self.limit, first: self.first, policy: self.policy, hogs }
    }
}

/// Returns the default number of matches of `timeouts`.
fn usual_matches(effort: &Effort) -> u32 {
    if effort.quick { 100 } else { 2000 }
}
