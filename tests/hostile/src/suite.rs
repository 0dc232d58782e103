//! Plays all rows, several at the same time where no measurement suffers.

use crate::{
    AGON, BOT, Facts, Kind, REFEREE, Report, Row, State,
    comparison::{Comparison, compare},
    kind::{Behaviour, End},
    leftovers,
    others::CpuUse,
    poisoning::poison,
    referee::{MatchReport, PLAYING},
    submission::{is_installed, submit},
    victims::Victims,
};
use agon_spec::Isolation;
use std::{
    ffi::OsString,
    io::{self, Read},
    os::fd::AsRawFd,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// The maximum duration of a match, even on a busy machine. The longest limit of a clock is 30 s, so a fault that only
/// this limit reveals is a failure of the row. Submissions have their own limit.
const MAX_DURATION: Duration = Duration::from_secs(25);
/// How often a row is played again that failed while others kept the cores busy.
const MORE_ATTEMPTS: u32 = 2;
/// After this time the suite kills a referee.
const REFEREE_TIMEOUT: Duration = Duration::from_secs(60);
/// The lines that a name or a stderr must not be able to forge.
const FORGED: [&str; 2] = ["random wins after 1 turn", "me wins after 1 turn"];

/// Which kinds to play, and how.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The program that becomes bot, referee and victim. Its `main` must begin with
    /// [`Role::asked_for`](crate::Role::asked_for). With the first argument [`AGON`] it must be `agon`, which plays
    /// matches, builds bots and verifies replays for some kinds.
    pub program: PathBuf,
    /// The level of isolation of the bots.
    pub level: Isolation,
    /// The kinds to play, in any order.
    pub kinds: Vec<&'static Kind>,
    /// How many rows to play at the same time. Kinds that must be alone are played one by one.
    pub at_once: usize,
}

impl Suite {
    /// Plays all rows. Calls `done` with each row when it ends.
    ///
    /// # Errors
    /// If the victims cannot be created.
    pub fn run(&self, done: &(dyn Fn(&Row) + Sync)) -> io::Result<Report> {
        let (alone, together): (Vec<&'static Kind>, Vec<&'static Kind>) =
            self.kinds.iter().copied().partition(|kind| kind.scenario.alone);
        let rows = Mutex::new(Vec::new());
        for (kinds, workers) in [(together, self.at_once.max(1)), (alone, 1)] {
            let queue = Mutex::new(kinds.into_iter());
            let work = || -> io::Result<()> {
                let mut victims = None;
                loop {
                    let Some(kind) = queue.lock().unwrap_or_else(|e| e.into_inner()).next() else { return Ok(()) };
                    let row = self.settled(kind, &mut victims)?;
                    done(&row);
                    rows.lock().unwrap_or_else(|e| e.into_inner()).push(row);
                }
            };
            thread::scope(|scope| {
                let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
                let workers: Vec<_> = (0..workers).map_while(start).collect();
                // Where the system starts no thread, this one works.
                let own = if workers.is_empty() { work() } else { Ok(()) };
                let ended = workers.into_iter().map(|worker| {
                    worker.join().unwrap_or_else(|_| Err(io::Error::other("a worker of the suite has panicked")))
                });
                // All workers end before the first error is returned.
                own.and(ended.collect::<Vec<_>>().into_iter().collect::<io::Result<()>>())
            })?;
        }
        let mut rows = rows.into_inner().unwrap_or_else(|e| e.into_inner());
        let place = |row: &Row| self.kinds.iter().position(|kind| kind.name == row.kind.name);
        rows.sort_by_key(place);
        Ok(Report { level: self.level, rows })
    }

    /// Plays one row. Some rows need a thread of Agon to get a core in time, which is not sure on a machine that others keep
    /// busy. These rows are played alone, and again if they fail at such a time. No delay explains a process that is left or
    /// a victim that was harmed, so after these no row is played again.
    fn settled(&self, kind: &'static Kind, victims: &mut Option<Victims>) -> io::Result<Row> {
        let mut first = None;
        let mut repeated = 0;
        loop {
            let before = CpuUse::now();
            let (row, traces) = self.row(kind, victims)?;
            let busy = before.zip(CpuUse::now()).is_some_and(|(before, now)| before.others_were_busy(&now));
            let settled = row.state != State::Failed || !kind.scenario.alone || !busy || traces;
            if settled || repeated == MORE_ATTEMPTS {
                return Ok(row.after(repeated, first));
            }
            first.get_or_insert(row.seen);
            repeated += 1;
        }
    }

    /// Plays one row. Replaces victims that were harmed. Also returns whether processes were left or a victim was harmed.
    fn row(&self, kind: &'static Kind, victims: &mut Option<Victims>) -> io::Result<(Row, bool)> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let start = Instant::now();
        let row = |comparison: Comparison, state, growth_kib| Row {
            kind,
            expected: kind.expected(self.level),
            seen: comparison.seen,
            state,
            missing_tool: None,
            took: start.elapsed(),
            growth_kib,
            repeated: 0,
        };
        if kind.needs > self.level {
            let why = Comparison::wrong(format!("not run: needs {}", kind.needs));
            return Ok((row(why, State::NotRun, None), false));
        }
        if let Some(tool) = kind.tool.filter(|tool| !is_installed(tool)) {
            let why = Comparison::wrong(format!("not run: needs `{tool}`, which is not installed"));
            return Ok((Row { missing_tool: Some(tool), ..row(why, State::NotRun, None) }, false));
        }
        let theirs = match victims {
            Some(victims) => victims,
            None => victims.insert(Victims::new(&self.program)?),
        };
        let marker = format!("agon-row-{}-{}.", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let facts = theirs.facts(&marker);
        let (mut comparison, growth, ran) = match kind.ends_at(self.level) {
            _ if matches!(kind.behaviour, Behaviour::Submission(_)) => {
                (submit(&self.program, self.level, kind, &facts)?, None, true)
            }
            _ if matches!(kind.behaviour, Behaviour::Poisoning(_)) => {
                (poison(&self.program, self.level, kind, &facts)?, None, true)
            }
            [End::Harmless] => (self.by_command(kind, &facts)?, None, true),
            [End::EndsWithReferee] => (self.kill_referee(kind, &facts)?, None, true),
            _ => {
                let report = self.match_report(kind, &facts)?;
                match report.unverified {
                    Some(why) => (
                        Comparison::wrong(format!("not run: {} does not contain the minimum: {why}", self.level)),
                        None,
                        false,
                    ),
                    None => (compare(kind, self.level, &report), Some(report.growth_kib), true),
                }
            }
        };
        let left = leftovers::kill(&marker);
        let harm = theirs.harm();
        let traces = !left.is_empty() || !harm.is_empty();
        if !left.is_empty() {
            comparison = Comparison::wrong(format!("{}, and {} processes were left", comparison.seen, left.len()));
        }
        if !harm.is_empty() {
            comparison = Comparison::wrong(format!("{}, and {}", comparison.seen, harm.join(", ")));
            *victims = None;
        }
        let by_command = matches!(kind.behaviour, Behaviour::Submission(_) | Behaviour::Poisoning(_));
        if start.elapsed() > MAX_DURATION && !by_command {
            comparison = Comparison::wrong(format!("{}, but after {} s", comparison.seen, start.elapsed().as_secs()));
        }
        let state = match (ran, comparison.ok) {
            (true, true) => State::Passed,
            (true, false) => State::Failed,
            (false, _) => State::NotRun,
        };
        Ok((row(comparison, state, growth), traces))
    }

    /// Starts the referee of a row.
    fn referee(&self, kind: &Kind, facts: &Facts) -> io::Result<Child> {
        Command::new(&self.program)
            .args([REFEREE, kind.name, self.level.name()])
            .args(facts.words())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }

    /// Runs the referee of a row and reads its report.
    fn match_report(&self, kind: &Kind, facts: &Facts) -> io::Result<MatchReport> {
        let mut child = self.referee(kind, facts)?;
        let text = read_until(&mut child, |_| false);
        let status = child.wait()?;
        let mut words = String::new();
        child.stderr.take().map(|mut stderr| stderr.read_to_string(&mut words));
        let report = text.lines().rev().find_map(|line| serde_json::from_str(line).ok());
        Ok(report.unwrap_or_else(|| MatchReport {
            error: Some(format!("the referee ended with {status}: {}", words.trim())),
            ..MatchReport::default()
        }))
    }

    /// Kills the referee during its match. The caller looks for processes and files that are left.
    fn kill_referee(&self, kind: &Kind, facts: &Facts) -> io::Result<Comparison> {
        let mut child = self.referee(kind, facts)?;
        // Two greetings in the match that checks the level, and two in the match itself.
        let text = read_until(&mut child, |text| text.matches(PLAYING).count() >= 4);
        child.kill()?;
        child.wait()?;
        if text.matches(PLAYING).count() < 4 {
            return Ok(Comparison::wrong(format!("the match did not begin: {}", text.trim())));
        }
        Ok(Comparison { seen: End::EndsWithReferee.to_string(), ok: true })
    }

    /// Plays the match with `agon match`, in both output formats, and checks every character of the output.
    fn by_command(&self, kind: &Kind, facts: &Facts) -> io::Result<Comparison> {
        let name = kind.scenario.bot_name.unwrap_or("me");
        let mut bot = OsString::from(format!("{name}="));
        let words = [self.program.clone().into_os_string(), BOT.into(), kind.name.into()];
        for word in words.into_iter().chain(facts.words()) {
            bot.push("'");
            bot.push(word);
            bot.push("' ");
        }
        for format in ["text", "json"] {
            let output = Command::new(&self.program)
                .args([AGON, "match", kind.scenario.protocol.game()])
                .arg(&bot)
                .args(["@random", "--seed", "1", "--rounds", "3", "--format", format, "--sandbox", self.level.name()])
                .stdin(Stdio::null())
                .output()?;
            let text =
                [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
            if let Some(c) = text.chars().find(|c| *c != '\n' && is_hidden(*c)) {
                return Ok(Comparison::wrong(format!("U+{:04X} came out as {format}", c as u32)));
            }
            if let Some(line) = text.lines().find(|line| FORGED.contains(line)) {
                return Ok(Comparison::wrong(format!("forged: {line}")));
            }
            // It is also correct to refuse the name. Then nothing was played.
            if !matches!(output.status.code(), Some(0 | 1 | 20)) {
                return Ok(Comparison::wrong(format!("{}: {}", output.status, text.trim())));
            }
        }
        Ok(Comparison { seen: End::Harmless.to_string(), ok: true })
    }
}

/// Whether a character moves the cursor, changes colours or the direction of writing, or is invisible.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Reads the output of a process until the process ends or `enough` accepts the output. Kills the process when the time
/// is over.
fn read_until(child: &mut Child, enough: impl Fn(&str) -> bool) -> String {
    let start = Instant::now();
    let mut text = String::new();
    let Some(mut stdout) = child.stdout.take() else { return text };
    let mut buffer = [0; 16 << 10];
    loop {
        let left = REFEREE_TIMEOUT.saturating_sub(start.elapsed());
        let mut poll = libc::pollfd { fd: stdout.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: the kernel reads and writes one `pollfd`.
        let ready = unsafe { libc::poll(&mut poll, 1, left.as_millis() as i32) };
        if left.is_zero() || (ready <= 0 && io::Error::last_os_error().kind() != io::ErrorKind::Interrupted) {
            text.push_str("\nit did not end by itself");
            let _ = child.kill();
            return text;
        }
        match stdout.read(&mut buffer) {
            Ok(0) | Err(_) => return text,
            Ok(bytes) => text.push_str(&String::from_utf8_lossy(&buffer[..bytes])),
        }
        if enough(&text) {
            return text;
        }
    }
}
