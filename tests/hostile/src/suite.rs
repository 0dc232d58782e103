//! All rows, two side by side where that disturbs nobody.

use crate::{
    BOT, Facts, Kind, REFEREE, Report, Row, State,
    judge::{Seen, judge},
    kind::{Deed, End},
    leftovers,
    referee::{PLAYING, Told},
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

/// The most that a match may take, also on a busy machine. The longest limit of a clock is 30 s: a fault that is only
/// noticed by it is no success. What is submitted has a patience of its own.
const BOUND: Duration = Duration::from_secs(25);
/// At this a referee is killed.
const PATIENCE: Duration = Duration::from_secs(60);
/// The line that a name or a stderr must not be able to forge.
const FORGED: [&str; 2] = ["random wins after 1 turn", "me wins after 1 turn"];

/// Which kinds to play, and how.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The binary that is bot, referee and victim; its `main` begins with [`Role::asked_for`](crate::Role::asked_for).
    pub program: PathBuf,
    /// How the bots are isolated.
    pub level: Isolation,
    /// In any order.
    pub kinds: Vec<&'static Kind>,
    /// How many rows are played at once, those apart that need to be alone.
    pub at_once: usize,
}

impl Suite {
    /// Plays all rows. `done` is told of each as it ends.
    ///
    /// # Errors
    /// If the victims cannot be set up.
    pub fn run(&self, done: &(dyn Fn(&Row) + Sync)) -> io::Result<Report> {
        let (alone, together): (Vec<&'static Kind>, Vec<&'static Kind>) =
            self.kinds.iter().copied().partition(|kind| kind.stage.alone);
        let rows = Mutex::new(Vec::new());
        for (kinds, workers) in [(together, self.at_once.max(1)), (alone, 1)] {
            let queue = Mutex::new(kinds.into_iter());
            let work = || -> io::Result<()> {
                let mut victims = None;
                loop {
                    let Some(kind) = queue.lock().unwrap_or_else(|e| e.into_inner()).next() else { return Ok(()) };
                    let row = self.row(kind, &mut victims)?;
                    done(&row);
                    rows.lock().unwrap_or_else(|e| e.into_inner()).push(row);
                }
            };
            thread::scope(|scope| {
                let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
                let ended = workers.into_iter().map(|worker| {
                    worker.join().unwrap_or_else(|_| Err(io::Error::other("a worker of the suite has panicked")))
                });
                // All of them are waited for before the first error counts.
                ended.collect::<Vec<_>>().into_iter().collect::<io::Result<()>>()
            })?;
        }
        let mut rows = rows.into_inner().unwrap_or_else(|e| e.into_inner());
        let place = |row: &Row| self.kinds.iter().position(|kind| kind.name == row.kind.name);
        rows.sort_by_key(place);
        Ok(Report { level: self.level, rows })
    }

    /// Plays one row. Victims that were harmed are replaced.
    fn row(&self, kind: &'static Kind, victims: &mut Option<Victims>) -> io::Result<Row> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let start = Instant::now();
        let row = |seen: Seen, state, growth_kib| Row {
            kind,
            expected: kind.expected(self.level),
            seen: seen.text,
            state,
            took: start.elapsed(),
            growth_kib,
        };
        if kind.needs > self.level {
            return Ok(row(Seen::wrong(format!("not run: needs {}", kind.needs)), State::NotRun, None));
        }
        if let Some(tool) = kind.tool.filter(|tool| !is_installed(tool)) {
            return Ok(row(
                Seen::wrong(format!("not run: needs `{tool}`, which is not installed")),
                State::NotRun,
                None,
            ));
        }
        let theirs = match victims {
            Some(victims) => victims,
            None => victims.insert(Victims::new(&self.program)?),
        };
        let marker = format!("agon-row-{}-{}.", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let facts = theirs.facts(&marker);
        let (mut seen, growth, ran) = match kind.ends_at(self.level) {
            _ if matches!(kind.deed, Deed::Submits(_)) => {
                (submit(&self.program, self.level, kind, &facts)?, None, true)
            }
            [End::Harmless] => (self.by_command(kind, &facts)?, None, true),
            [End::DiesWithItsReferee] => (self.orphaned(kind, &facts)?, None, true),
            _ => {
                let told = self.told(kind, &facts)?;
                match told.unverified {
                    Some(why) => {
                        (Seen::wrong(format!("not run: {} is not what it should be: {why}", self.level)), None, false)
                    }
                    None => (judge(kind, self.level, &told), Some(told.growth_kib), true),
                }
            }
        };
        let left = leftovers::after(&marker);
        let harm = theirs.harm();
        if !left.is_empty() {
            seen = Seen::wrong(format!("{}, and {} processes were left", seen.text, left.len()));
        }
        if !harm.is_empty() {
            seen = Seen::wrong(format!("{}, and {}", seen.text, harm.join(", ")));
            *victims = None;
        }
        if start.elapsed() > BOUND && !matches!(kind.deed, Deed::Submits(_)) {
            seen = Seen::wrong(format!("{}, but after {} s", seen.text, start.elapsed().as_secs()));
        }
        let state = match (ran, seen.ok) {
            (true, true) => State::Passed,
            (true, false) => State::Failed,
            (false, _) => State::NotRun,
        };
        Ok(row(seen, state, growth))
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

    /// What the referee of a row tells about its match.
    fn told(&self, kind: &Kind, facts: &Facts) -> io::Result<Told> {
        let mut child = self.referee(kind, facts)?;
        let text = listen(&mut child, |_| false);
        let status = child.wait()?;
        let mut words = String::new();
        child.stderr.take().map(|mut stderr| stderr.read_to_string(&mut words));
        let told = text.lines().rev().find_map(|line| serde_json::from_str(line).ok());
        Ok(told.unwrap_or_else(|| Told {
            broken: Some(format!("the referee ended with {status}: {}", words.trim())),
            ..Told::default()
        }))
    }

    /// Kills the referee in the middle of its match. What is left is looked for by the caller.
    fn orphaned(&self, kind: &Kind, facts: &Facts) -> io::Result<Seen> {
        let mut child = self.referee(kind, facts)?;
        // Two seats greet in the match that tries the level, then the two of the match itself.
        let text = listen(&mut child, |text| text.matches(PLAYING).count() >= 4);
        child.kill()?;
        child.wait()?;
        if text.matches(PLAYING).count() < 4 {
            return Ok(Seen::wrong(format!("the match did not begin: {}", text.trim())));
        }
        Ok(Seen { text: End::DiesWithItsReferee.to_string(), ok: true })
    }

    /// Plays by `agon match`, as text and as a document, and looks at every character that comes out.
    fn by_command(&self, kind: &Kind, facts: &Facts) -> io::Result<Seen> {
        let name = kind.stage.called.unwrap_or("me");
        let mut bot = OsString::from(format!("{name}="));
        let words = [self.program.clone().into_os_string(), BOT.into(), kind.name.into()];
        for word in words.into_iter().chain(facts.words()) {
            bot.push("'");
            bot.push(word);
            bot.push("' ");
        }
        for format in ["text", "json"] {
            let output = Command::new(&self.program)
                .args(["match", kind.stage.tongue.game()])
                .arg(&bot)
                .args(["@random", "--seed", "1", "--rounds", "3", "--format", format, "--sandbox", self.level.name()])
                .stdin(Stdio::null())
                .output()?;
            let text =
                [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
            if let Some(c) = text.chars().find(|c| *c != '\n' && is_hidden(*c)) {
                return Ok(Seen::wrong(format!("U+{:04X} came out as {format}", c as u32)));
            }
            if let Some(line) = text.lines().find(|line| FORGED.contains(line)) {
                return Ok(Seen::wrong(format!("forged: {line}")));
            }
            // That no bot can be called so is a good answer as well: then nothing was played.
            if !matches!(output.status.code(), Some(0 | 1 | 20)) {
                return Ok(Seen::wrong(format!("{}: {}", output.status, text.trim())));
            }
        }
        Ok(Seen { text: End::Harmless.to_string(), ok: true })
    }
}

/// Characters that move a cursor, change a colour, turn the direction of writing or cannot be seen.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// What a process says until it ends, has said enough, or nobody waits any longer; then it is killed.
fn listen(child: &mut Child, enough: impl Fn(&str) -> bool) -> String {
    let start = Instant::now();
    let mut text = String::new();
    let Some(mut stdout) = child.stdout.take() else { return text };
    let mut buffer = [0; 16 << 10];
    loop {
        let left = PATIENCE.saturating_sub(start.elapsed());
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
