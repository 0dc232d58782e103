//! A referee that plays one match after the other in one process, so that what matches leave in it can be counted.

use super::{WARM, bot::COUNTS, host::children};
use crate::{
    Facts, SERIES,
    kind::{Scenario, TOY},
    referee,
    role::{CALLERS, HONEST, TRACES},
};
use agon_core::Seed;
use agon_referee::{Fault, MatchEvent};
use agon_run::Ended;
use agon_sandbox::MemoryWatch;
use agon_spec::Isolation;
use rustix::process::Pid;
use serde::{Deserialize, Serialize};
use std::{
    fs,
    io::{self, BufRead, BufReader, Write},
    os::{fd::AsRawFd, unix::process::CommandExt},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How long the threads that look at bots may take to let go of one after its match.
const SETTLING: Duration = Duration::from_secs(20);
/// The longest time that a match may take on a busy machine, in milliseconds.
const MATCH_TIMEOUT_MS: i32 = 60_000;
/// The bots of a series that have seat 1, by the first word of the series.
pub(super) const PLAYERS: [&str; 3] = [CALLERS[0], HONEST[0].0, TRACES];

/// What the referee reports about one match.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Played {
    /// Why nothing was played: the level could not be shown to work.
    pub unverified: Option<String>,
    /// Why there is no result. `None` if there is one.
    pub error: Option<String>,
    /// Whether the host spoilt the match.
    pub spoilt: bool,
    /// The fault of each seat.
    pub faults: Vec<Option<Fault>>,
    /// The place of each seat.
    pub places: Vec<u8>,
    /// The calls that the bot made, as far as it could report them.
    pub calls: u64,
    /// How many of them were refused.
    pub refused: u64,
    /// What the referee has after the match.
    pub has: Has,
}

/// What a process has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Has {
    pub files: usize,
    pub threads: usize,
    pub children: usize,
    pub memory_kib: u64,
}

impl Has {
    /// Returns what this process has now.
    fn now() -> Self {
        // A list of the threads lacks those behind one that ends while it is read, so the kernel's own count is taken.
        Self {
            files: fs::read_dir("/proc/self/fd").map_or(0, Iterator::count),
            threads: usize::try_from(referee::status("Threads:")).unwrap_or(usize::MAX),
            children: children().len(),
            memory_kib: referee::status("VmRSS:"),
        }
    }

    /// Looks again and again until this process has no more than `usual`, or until the time is over.
    fn after_match(usual: Option<Self>) -> Self {
        let start = Instant::now();
        loop {
            let has = Self::now();
            if usual.is_none_or(|usual| has.is_within(usual)) || start.elapsed() > SETTLING {
                return has;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn is_within(self, usual: Self) -> bool {
        self.files <= usual.files && self.threads <= usual.threads && self.children <= usual.children
    }

    fn least(self, other: Self) -> Self {
        Self {
            files: self.files.min(other.files),
            threads: self.threads.min(other.threads),
            children: self.children.min(other.children),
            memory_kib: self.memory_kib.min(other.memory_kib),
        }
    }
}

/// Returns the word on the command lines of the processes of one match.
pub(super) fn marker(facts: &Facts, seed: Seed) -> String {
    format!("{}{seed}.", facts.row)
}

/// Plays a match for each seed on stdin and prints a report for each, until the input ends.
pub(crate) fn run(player: &str, level: Isolation, facts: &Facts) -> u8 {
    let unverified =
        referee::warm_up(level, facts, &mut |_| ()).err().or_else(|| start_looks().err().map(|e| e.to_string()));
    let mut usual = None;
    for (number, line) in (0..).zip(io::stdin().lock().lines()) {
        let Some(seed) = line.ok().and_then(|line| line.parse().ok().map(Seed)) else { return 1 };
        let mut played = match &unverified {
            Some(why) => Played { unverified: Some(why.clone()), ..Played::default() },
            None => play(player, level, facts, seed),
        };
        played.has = Has::after_match(usual);
        if number >= WARM {
            usual = Some(usual.map_or(played.has, |usual: Has| usual.least(played.has)));
        }
        let line = serde_json::to_string(&played).unwrap_or_default();
        if writeln!(io::stdout(), "{line}").is_err() {
            return 1;
        }
    }
    0
}

/// Starts the threads that look at the memory of bots. They stay, and most matches need only one of them.
fn start_looks() -> io::Result<()> {
    let mut command = Command::new("sleep");
    let mut child = command.arg("100").process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
    let looked_at = wait_for_look(&child);
    child.kill()?;
    child.wait()?;
    looked_at
}

/// Watches the memory of a child until a thread has looked at it.
fn wait_for_look(child: &Child) -> io::Result<()> {
    let watch = MemoryWatch::of_group(Pid::from_child(child), u32::MAX)?;
    let start = Instant::now();
    while watch.peak() == 0 {
        if start.elapsed() > SETTLING {
            return Err(io::Error::other("no thread looks at the memory of programs"));
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn play(player: &str, level: Isolation, facts: &Facts, seed: Seed) -> Played {
    let facts = Facts { row: marker(facts, seed), seed: seed.0, ..facts.clone() };
    // At full isolation every second match has a bot that may start processes.
    let children = player == CALLERS[0] && level == Isolation::Full && seed.0 % 2 == 1;
    let scenario = Scenario {
        stones: 60,
        clock: if player == CALLERS[0] { "greeting=30s,move=150ms" } else { "greeting=10s,move=1s" },
        processes: if children { 8 } else { 1 },
        ..TOY
    };
    let first = if children { CALLERS[1] } else { player };
    let mut spoilt = false;
    let mut observe = |event: &MatchEvent| spoilt |= matches!(event, MatchEvent::Aborted { spoilt: Some(_), .. });
    let mut played = match referee::play_match(&scenario, level, &facts, [first, HONEST[0].0], &mut observe) {
        Err(error) => Played { error: Some(error.to_string()), ..Played::default() },
        Ok((outcome, faults)) => {
            let [calls, refused] = counts(&outcome.seats[0].stderr.text());
            Played {
                error: match &outcome.ended {
                    Ended::Finished => None,
                    Ended::NeverStarted(seats) => seats.first().map(|(_, why)| format!("never started: {why}")),
                    Ended::Interrupted => Some("interrupted".to_owned()),
                    Ended::Short(shortage) => Some(format!("the host is short of {shortage}")),
                },
                places: outcome.standing.places.clone(),
                faults,
                calls,
                refused,
                ..Played::default()
            }
        }
    };
    if spoilt {
        (played.spoilt, played.error) = (true, None);
    }
    played
}

/// The last counts that a bot has reported.
fn counts(text: &str) -> [u64; 2] {
    let counts = |line: &str| {
        let (made, refused) = line.strip_prefix(COUNTS)?.split_once(' ')?;
        Some([made.parse().ok()?, refused.parse().ok()?])
    };
    text.lines().rev().find_map(counts).unwrap_or_default()
}

/// A series under way, seen from the driver. Dropping it kills the referee, and its bots end with it.
#[derive(Debug)]
pub(super) struct Series {
    child: Child,
    requests: Option<ChildStdin>,
    reports: BufReader<ChildStdout>,
}

impl Series {
    pub(super) fn start(program: &Path, player: &str, level: Isolation, facts: &Facts) -> io::Result<Self> {
        let mut child = Command::new(program)
            .args([SERIES, player, level.name()])
            .args(facts.words())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (requests @ Some(_), Some(reports)) => Ok(Self { child, requests, reports: BufReader::new(reports) }),
            _ => Err(io::Error::other("the referee has no pipes")),
        }
    }

    /// The number of the referee's process.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Plays the match with this seed.
    pub(super) fn play(&mut self, seed: Seed) -> io::Result<Played> {
        let ended = || io::Error::other("the referee has ended");
        writeln!(self.requests.as_mut().ok_or_else(ended)?, "{seed}")?;
        let mut poll = libc::pollfd { fd: self.reports.get_ref().as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: the kernel reads and writes one `pollfd`.
        if unsafe { libc::poll(&mut poll, 1, MATCH_TIMEOUT_MS) } != 1 {
            return Err(io::Error::other("the referee does not answer"));
        }
        let mut line = String::new();
        self.reports.read_line(&mut line)?;
        serde_json::from_str(&line).map_err(|_| ended())
    }

    /// Lets the referee end by itself.
    pub(super) fn end(mut self) -> io::Result<()> {
        self.requests = None;
        let mut rest = String::new();
        self.reports.read_line(&mut rest)?;
        let status = self.child.wait()?;
        if status.success() { Ok(()) } else { Err(io::Error::other(format!("the referee ended with {status}"))) }
    }
}

impl Drop for Series {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_counts_are_read() {
        assert_eq!(counts("noise\nfuzz 256 80\nfuzz x\nfuzz 512 161\n\u{fffd}fuzz 9 9"), [512, 161]);
        assert_eq!(counts(""), [0, 0]);
    }
}
