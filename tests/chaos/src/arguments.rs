//! What can be asked for.

use crate::{
    chaos::{Chaos, Summary},
    crowd::Crowd,
    figures,
};
use clap::{Parser, Subcommand, ValueEnum};
use std::{path::PathBuf, process::ExitCode, time::SystemTime};

/// Plays a tournament with simulated workers, kills both at random, and looks whether every result is there.
///
/// The tournament is the real program with a real store. Workers say what real ones say, and play nothing: the result of a match
/// is a function of the match. The seed on the first line repeats a run as far as times allow.
#[derive(Parser, Debug)]
#[command(
    name = "cargo xtask chaos",
    after_help = "Examples:
  cargo xtask chaos                            a million matches, 1,000 workers
  cargo xtask chaos --matches 60000 --seed 7
  cargo xtask chaos --calm --format json       nothing is killed
  cargo xtask chaos --figures                  1,000 workers beside 10
  cargo xtask postgres -- cargo xtask chaos --store postgres"
)]
struct Arguments {
    /// How many matches there are, a multiple of 20.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(20..=10_000_000))]
    matches: u64,
    /// How many workers there are.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=4_000))]
    workers: u32,
    /// The seed of what is killed, and of what goes wrong. The default is drawn.
    #[arg(long)]
    seed: Option<u64>,
    /// How many matches a worker claims at once.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=512))]
    most: u32,
    /// The lease of a match, in seconds.
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u64).range(2..=3_600))]
    lease: u64,
    /// Kill workers and the tournament. This is the default.
    #[arg(long, conflicts_with = "calm")]
    kill: bool,
    /// Kill nothing, and let nothing go wrong.
    #[arg(long)]
    calm: bool,
    /// Play in this new folder, and keep it.
    #[arg(long, conflicts_with = "store")]
    folder: Option<PathBuf>,
    /// Measure instead how many results a second 1,000 workers bring, beside 10, and how many share a commit.
    #[arg(long, conflicts_with_all = ["kill", "calm", "folder", "matches", "workers"])]
    figures: bool,
    /// Where the results are. A server of PostgreSQL is killed, too; the variable AGON_POSTGRES has its address, as `cargo xtask
    /// postgres` sets it, and it must be on this machine.
    #[arg(long, value_enum, default_value_t)]
    store: Where,
    /// How to print the summary.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(subcommand)]
    process: Option<Process>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Format {
    #[default]
    Text,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Where {
    /// In one file.
    #[default]
    File,
    /// On a server.
    Postgres,
    /// First in one file, and then on a server if there is one.
    Each,
}

/// The variable with the address of a server.
const SERVER: &str = "AGON_POSTGRES";

#[derive(Subcommand, Debug)]
enum Process {
    /// A process of workers.
    #[command(hide = true)]
    Workers(Crowd),
}

/// Does what was asked for.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.process {
        Some(Process::Workers(crowd)) => crowd.work().map(|()| true),
        None => arguments.play(),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

impl Arguments {
    /// Returns whether everything is as it must be.
    fn play(&self) -> Result<bool, String> {
        let server = std::env::var(SERVER);
        match (self.store, server) {
            (Where::File, _) => self.play_on(None),
            (Where::Postgres, Ok(server)) => self.play_on(Some(server)),
            (Where::Postgres, Err(_)) => Err(format!(
                "{SERVER} has no address of a server: `cargo xtask postgres -- cargo xtask chaos --store postgres` starts one"
            )),
            (Where::Each, Ok(server)) => Ok(self.play_on(None)? & self.play_on(Some(server))?),
            (Where::Each, Err(_)) => {
                println!("SKIPPED: chaos on PostgreSQL, because {SERVER} has no address of a server");
                self.play_on(None)
            }
        }
    }

    fn play_on(&self, server: Option<String>) -> Result<bool, String> {
        if self.figures {
            let figures = figures::measure(self.most, self.lease, server.as_deref())?;
            match self.format {
                Format::Text => println!(
                    "1,000 workers reach {:.2} of the rate of 10; {:.0} results a commit",
                    figures.ratio, figures.results_a_commit
                ),
                Format::Json => println!("{}", serde_json::to_string_pretty(&figures).map_err(|why| why.to_string())?),
            }
            return Ok(true);
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let seed = self.seed.unwrap_or(u64::from(now.subsec_nanos()));
        let Self { matches, workers, most, lease, calm, .. } = *self;
        let place = if server.is_some() { " --store postgres" } else { "" };
        let words =
            format!("--matches {matches} --workers {workers} --most {most} --lease {lease} --seed {seed}{place}");
        eprintln!("seed {seed}: `cargo xtask chaos {words}` kills after the same results again");
        let folder = self.folder.clone();
        let summary = Chaos { matches, workers, seed, most, lease_s: lease, calm, folder, server }.run()?;
        match self.format {
            Format::Text => print!("{}", table(&summary)),
            Format::Json => println!("{}", serde_json::to_string_pretty(&summary).map_err(|why| why.to_string())?),
        }
        for example in &summary.found.examples {
            eprintln!("MISTAKE: {example}");
        }
        Ok(summary.found.mistakes == 0)
    }
}

fn table(summary: &Summary) -> String {
    let found = &summary.found;
    let commit = summary.results_a_commit.map_or_else(|| "not counted".to_owned(), |count| format!("{count:.0}"));
    let rows = [
        ("matches", summary.matches.to_string()),
        ("workers", summary.workers.to_string()),
        ("seed", summary.seed.to_string()),
        (
            "processes of workers killed",
            format!("{}, with {} workers", summary.processes_killed, summary.workers_killed),
        ),
        ("tournament killed", summary.leaders_killed.to_string()),
        ("server of the store killed", summary.servers_killed.to_string()),
        ("time", format!("{:.0} s", summary.seconds)),
        ("results a second", format!("{:.0}", summary.rate)),
        ("results a commit", commit),
        ("results in the store", format!("{}: {} finished, {} spoilt", found.results, found.finished, found.spoilt)),
        ("played again", found.repeated.to_string()),
        (
            "told to workers",
            format!(
                "{} stored, {} repeated, {} late, {} unknown, of which {} are stored",
                found.stored, found.duplicate, found.late, found.unknown, found.denied
            ),
        ),
        ("mistakes", found.mistakes.to_string()),
    ];
    rows.iter().map(|(name, value)| format!("{name:<28} {value}\n")).collect()
}
