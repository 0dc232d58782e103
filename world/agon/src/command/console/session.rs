//! The world of a console: starts and stops bots, reads and writes files, and shows the answers.

use super::{
    Format,
    process::{BotProcess, News, Report},
    text,
};
use crate::{
    clean::clean,
    error::{Error, Result},
    overwriting,
    printer::Printer,
    terms::{Terms, prepare},
};
use agon_console::{Binding, Console, Effect};
use agon_core::{Flaw, Seat};
use agon_games::AnyGame;
use agon_play::{Cancel, MapSource, NamedBot, PreparedBot, Preparer};
use agon_referee::SeatKind;
use agon_run::Launch;
use agon_spec::{ConsoleDocument, Limits, MatchSpec, Versioned};
use std::{
    path::Path,
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    time::{Duration, Instant},
};

/// How many pieces of output of bots may wait. Bots wait when there are more.
const UNHEARD: usize = 64;
/// The maximum time between two looks at the interrupt flag.
const NAP: Duration = Duration::from_millis(20);
/// How long bots may take to end by themselves.
const GRACE: Duration = Duration::from_secs(1);

/// A console with its bots.
pub struct Session<'a> {
    game: &'static dyn AnyGame,
    spec: MatchSpec,
    console: Console,
    bots: Vec<PreparedBot>,
    processes: Vec<Option<BotProcess>>,
    preparer: Preparer,
    terms: &'a Terms,
    printer: &'a Printer,
    cancel: Cancel,
    begun: Instant,
    report: SyncSender<Report>,
    reports: Receiver<Report>,
    answer: Option<Box<ConsoleDocument>>,
    /// Whether `quit` was carried out.
    pub has_quit: bool,
}

/// Returns what a console calls a bot.
pub fn binding(bot: &PreparedBot) -> Binding {
    let kind = bot.seat_kind();
    let words = if kind == SeatKind::Human { "human" } else { &bot.bot().words };
    Binding { name: bot.bot().name.clone(), words: words.to_owned(), kind }
}

/// Reads what takes a seat: `human`, or a bot.
pub fn parse_bot(game: &dyn AnyGame, words: &str) -> Result<NamedBot> {
    match words.split_once('=') {
        _ if words == "human" => Ok(NamedBot::human("human")),
        Some((name, "human")) => Ok(NamedBot { name: name.to_owned(), ..NamedBot::human("human") }),
        _ => Ok(NamedBot::parse(game, words).map_err(agon_play::Error::from)?),
    }
}

/// Prepares a bot. A person needs no preparation.
pub fn prepare_bot(
    preparer: &mut Preparer,
    game: &dyn AnyGame,
    bot: &NamedBot,
    printer: &Printer,
) -> Result<PreparedBot> {
    if matches!(bot.spec, agon_play::BotSpec::Human) {
        return Ok(PreparedBot::human(&bot.name));
    }
    prepare(preparer, game, bot, printer)
}

impl<'a> Session<'a> {
    /// Begins a session.
    ///
    /// # Errors
    /// No match can start.
    pub fn new(
        game: &'static dyn AnyGame,
        (spec, bots): (MatchSpec, Vec<PreparedBot>),
        preparer: Preparer,
        (terms, printer): (&'a Terms, &'a Printer),
        cancel: Cancel,
        wait: Duration,
    ) -> Result<Self> {
        let bindings = bots.iter().map(binding).collect();
        let console = Console::new(game, spec.clone(), bindings, Some(wait))?;
        let (report, reports) = sync_channel(UNHEARD);
        Ok(Self {
            game,
            spec,
            console,
            processes: bots.iter().map(|_| None).collect(),
            bots,
            preparer,
            terms,
            printer,
            cancel,
            begun: Instant::now(),
            report,
            reports,
            answer: None,
            has_quit: false,
        })
    }

    /// Gives a command and waits for its answer. `None` if the line has none, or after an interrupt.
    pub fn command(&mut self, line: &str) -> Option<Box<ConsoleDocument>> {
        while let Ok(report) = self.reports.try_recv() {
            self.hear(report);
        }
        let now = self.begun.elapsed();
        self.console.command(now, line);
        loop {
            self.work();
            if self.answer.is_some() || !self.console.is_waiting() {
                return self.answer.take();
            }
            if self.cancel.is_cancelled() {
                return None;
            }
            let left = self.console.deadline().map(|deadline| deadline.saturating_sub(self.begun.elapsed()));
            match self.reports.recv_timeout(left.map_or(NAP, |left| left.min(NAP))) {
                Ok(report) => self.hear(report),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    self.console.tick(self.begun.elapsed());
                }
            }
        }
    }

    fn hear(&mut self, Report { seat, run, news }: Report) {
        let now = self.begun.elapsed();
        match news {
            News::Output(bytes) => self.console.heard(now, seat, run, &bytes),
            News::OutputEnded => {
                // The report may be of a process that another one has replaced, and that one has not ended.
                let process = self.processes[seat.index()].as_mut().filter(|process| process.run == run);
                let how = process.map_or_else(String::new, BotProcess::ending);
                self.console.ended(now, seat, run, &how);
            }
        }
        self.work();
    }

    /// Does everything that the console asks of the world.
    fn work(&mut self) {
        while let Some(effect) = self.console.next() {
            match effect {
                Effect::Answer(document) => self.answer = Some(document),
                Effect::Record(_) => {}
                Effect::Bind { seat, words } => {
                    let bound = self.bind(seat, &words).map_err(|error| flaw(&error));
                    self.console.bind(seat, bound);
                }
                Effect::Start { seat, run } => {
                    let started = self.start(seat, run);
                    self.console.started(self.begun.elapsed(), seat, run, started);
                }
                Effect::Stop { seat } => self.processes[seat.index()] = None,
                Effect::Tell { seat, bytes } => {
                    if let Some(process) = &self.processes[seat.index()] {
                        process.tell(bytes);
                    }
                }
                Effect::Think { seat } => self.console.think(seat),
                Effect::Load { name } => {
                    let map = self.load(&name).map_err(|error| flaw(&error));
                    self.console.loaded(map);
                }
                Effect::Save { what, name, bytes } => {
                    let written = self.save(Path::new(&name), &bytes).map_err(|error| flaw(&error));
                    self.console.saved(what, written);
                }
                Effect::Quit => self.has_quit = true,
            }
        }
    }

    fn bind(&mut self, seat: Seat, words: &str) -> Result<Binding> {
        let bot = parse_bot(self.game, words)?;
        let prepared = prepare_bot(&mut self.preparer, self.game, &bot, self.printer)?;
        let binding = binding(&prepared);
        // The console stops the old process when it takes the binding. The new bot has to be here when it starts.
        self.bots[seat.index()] = prepared;
        Ok(binding)
    }

    fn start(&mut self, seat: Seat, run: u32) -> std::result::Result<(), String> {
        let limits = Limits { memory_mib: self.spec.memory_mib(seat), ..self.spec.limits };
        let Launch::Program(program) = self.bots[seat.index()].launch(&limits, self.spec.seed, seat) else {
            return Err("it is no program".to_owned());
        };
        let process = BotProcess::start(&program, limits.memory_mib, (seat, run), &self.report)?;
        self.processes[seat.index()] = Some(process);
        Ok(())
    }

    fn load(&self, name: &str) -> Result<String> {
        let source: MapSource = name.parse().map_err(|why: String| Error::user(why))?;
        let map = source.load(self.game, self.spec.seed, self.spec.seats.len()).map_err(agon_play::Error::from)?;
        String::from_utf8(map.bytes).map_err(|_| Error::user(format!("`{}` is not UTF-8 text", clean(name))))
    }

    fn save(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let files: Vec<_> = self.bots.iter().flat_map(|bot| bot.bot().files()).collect();
        let mut read: Vec<overwriting::Named<'_>> = files.iter().map(|file| ("a file of a bot", &**file)).collect();
        if let MapSource::File(map) = &self.terms.map {
            read.push(("the map of the match", map));
        }
        overwriting::refuse(&[("the file", path)], &read)?;
        std::fs::write(path, bytes).map_err(|why| Error::file("write", path, &why))
    }

    /// Shows an answer. Returns whether the command was carried out.
    ///
    /// # Errors
    /// Stdout cannot be written.
    pub fn show(&self, line: &str, document: Box<ConsoleDocument>, format: Format) -> Result<bool> {
        let ok = document.ok;
        match (format, &document.error) {
            (Format::Json, _) => {
                let json = serde_json::to_string(&Versioned::of(*document))
                    .map_err(|why| Error::user(format!("cannot write the answer as JSON: {why}")))?;
                self.printer.data(crate::clean::clean_json(&json) + "\n")?;
            }
            (Format::Text, Some(error)) => self.printer.error(&text::error(line, error)),
            (Format::Text, None) => self.printer.data(text::text(&document, self.printer.colour))?,
        }
        Ok(ok)
    }

    /// Lets every bot end by itself for a moment, and kills those that are left.
    pub fn end(mut self) {
        self.processes.iter_mut().flatten().for_each(BotProcess::close_input);
        let until = Instant::now() + GRACE;
        while Instant::now() < until && self.processes.iter_mut().flatten().any(BotProcess::is_running) {
            // A bot that writes must not wait for somebody who reads.
            let _ = self.reports.recv_timeout(NAP);
        }
    }
}

/// Returns an error of the world as one of the console.
fn flaw(error: &Error) -> Flaw {
    let document = error.flaw();
    Flaw { what: document.text, place: None, hint: document.hint }
}
