//! Plays the statistics against themselves; `cargo xtask stats` builds and runs it. Results are drawn from known truths, and a
//! table says how often intervals and tests were right. Seeds are fixed, so the table is always the same; `--time` adds how
//! long large leagues take.

mod comparison;
mod league;
mod test;
mod time;

use std::process::ExitCode;

/// How much is simulated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// A few seconds, for CI.
    Quick,
    /// Minutes.
    Full,
}

impl Effort {
    /// Returns the number of runs.
    fn runs(self, quick: u32, full: u32) -> u32 {
        if self == Self::Quick { quick } else { full }
    }
}

/// How often something happened, and how often it may.
struct Row {
    what: String,
    happened: u32,
    runs: u32,
    least: f64,
    most: f64,
}

impl Row {
    fn share(&self) -> f64 {
        f64::from(self.happened) / f64::from(self.runs.max(1))
    }

    /// Returns three standard errors of the simulation at a share.
    fn slack(&self, share: f64) -> f64 {
        3.0 * (share * (1.0 - share) / f64::from(self.runs.max(1))).sqrt()
    }

    /// Returns whether the share is within its bounds, as far as the number of runs can tell.
    fn holds(&self) -> bool {
        let (least, most) = (self.least - self.slack(self.least), self.most + self.slack(self.most));
        self.runs > 0 && (least..=most).contains(&self.share())
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (effort, timed) = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => (Effort::Full, false),
        ["--quick"] => (Effort::Quick, false),
        ["--time"] => (Effort::Quick, true),
        _ => {
            eprintln!("usage: cargo xtask stats [--quick|--time]");
            return ExitCode::from(2);
        }
    };
    let mut rows = test::errors(effort);
    rows.extend(comparison::errors(effort));
    rows.extend(test::estimates(effort));
    rows.extend(test::always(effort));
    rows.extend(league::coverage(effort));
    rows.extend(league::seats(effort));
    rows.extend(league::more_players(effort));
    println!("{:<74} {:>6} {:>8} {:>15} {:>7}", "what", "runs", "share", "may be", "");
    let mut failed = 0;
    for row in &rows {
        let verdict = if row.holds() { "ok" } else { "FAILED" };
        failed += usize::from(!row.holds());
        let bounds = format!("{:.1} to {:.1} %", 100.0 * row.least, 100.0 * row.most);
        println!("{:<74} {:>6} {:>6.2} % {bounds:>15} {verdict:>7}", row.what, row.runs, 100.0 * row.share());
    }
    println!("bounds hold within three standard errors of the simulation");
    if timed {
        time::print();
    }
    println!("{} passed, {failed} failed", rows.len() - failed);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
