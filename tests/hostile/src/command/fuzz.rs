//! `agon selftest fuzz`: random system calls from inside the sandbox.

use super::{Level, ourselves};
use agon_cli::{
    Format,
    clean::clean,
    error::{Error, Result, reason},
    exit::Exit,
    interrupt,
    printer::Printer,
    seed,
};
use agon_core::{Seed, text::counted};
use agon_spec::{FuzzDocument, Isolation};
use clap::Args;
use std::{cell::Cell, time::Duration};

/// Make random system calls from inside the sandbox, and check that neither the host nor other matches notice.
///
/// Bots make calls with random numbers and plausible arguments in one match after the other. Meanwhile honest matches
/// are played, and Agon watches the processes, files, mounts, network cards, settings, keys and memory of this host.
/// docs/hostile.md says what counts as a finding. The exit code is 1 if there is one.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon selftest fuzz
  agon selftest fuzz --seconds 5 --level restricted
  agon selftest fuzz --seed 7 --format json")]
pub struct Fuzz {
    /// How long to play, in seconds.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,

    /// The seed of the first match; each match has the next one. Without it, the seed is random.
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    /// How the bots are isolated: full, restricted, none, or auto for the strongest level that works here. At none, no
    /// random calls are made: a bot leaves harmless traces, which must be found.
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t)]
    level: Level,

    /// How to print the result.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Fuzz {
    pub(super) fn run(&self, printer: &Printer) -> Result<Exit> {
        let fuzz = agon_hostile::Fuzz {
            program: ourselves()?,
            level: self.level.found()?,
            seed: self.seed.map_or_else(seed::fresh, Seed),
            time: Duration::from_secs(self.seconds),
        };
        let cancel = interrupt::armed()?;
        let stopped = Cell::new(false);
        let progress = |so_far: &FuzzDocument| {
            printer.progress(&format!("{} in {}", counted(so_far.calls, "call"), counted(so_far.matches, "match")));
        };
        let stop = || {
            stopped.set(cancel.is_cancelled());
            stopped.get()
        };
        let fuzzed = fuzz.run(&progress, &stop);
        printer.progress("");
        if stopped.get() {
            return Err(Error::user(format!("interrupted, seed {}", fuzz.seed)).exit(Exit::Interrupted));
        }
        let fuzzed = fuzzed.map_err(|why| Error::user(format!("cannot make random calls: {}", reason(&why))))?;
        let passed = fuzzed.passed;
        match self.format {
            Format::Json => printer.document(fuzzed)?,
            Format::Text => printer.data(text(&fuzzed))?,
        }
        Ok(if passed { Exit::Done } else { Exit::User })
    }
}

fn text(fuzzed: &FuzzDocument) -> String {
    let ends: Vec<String> = fuzzed.ends.iter().map(|end| format!("{} {}", clean(&end.end), end.matches)).collect();
    let mut lines = vec![format!("level   {}", fuzzed.level), format!("seed    {}", fuzzed.seed)];
    if fuzzed.level != Isolation::None {
        lines.push(format!(
            "calls   {} in {}, {} refused",
            fuzzed.calls,
            counted(fuzzed.matches, "match"),
            fuzzed.refused
        ));
    }
    lines.push(format!("ends    {}", ends.join("; ")));
    lines.push(format!("beside  {}", counted(fuzzed.honest_matches, "honest match")));
    lines.push(format!("host    {} things watched", fuzzed.watched));
    for finding in &fuzzed.findings {
        let seed = finding.seed.map_or_else(String::new, |seed| format!("seed {seed}: "));
        lines.push(format!("FOUND   {seed}{}", clean(&finding.what)));
    }
    let result = if fuzzed.passed { "passed".to_owned() } else { format!("{} found", fuzzed.findings.len()) };
    lines.push(format!("result  {result} after {} s", fuzzed.took_ms / 1000));
    lines.join("\n") + "\n"
}
