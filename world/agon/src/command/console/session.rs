//! The world of a console: starts and stops bots, reads and writes files, and shows the answers.

use super::{
    Format,
    dialogue::{Dialogue, Piece, Way},
    process::{BotProcess, News, Report},
    replay::Recorded,
    text,
    words::Vocabulary,
};
use crate::{
    clean::clean,
    error::{Error, Result},
    overwriting,
    printer::Printer,
    terms::{Terms, prepare},
};
use agon_console::{Binding, Console, Effect, Saved};
use agon_core::{Flaw, Seat};
use agon_games::AnyGame;
use agon_play::{Cancel, MapSource, MatchFile, MatchPlan, NamedBot, PreparedBot, Preparer, Transcript, TranscriptSink};
use agon_referee::{MatchEvent, SeatKind};
use agon_run::{Chunk, Launch, Stream};
use agon_spec::{ConsoleDocument, Limits, MatchSpec, Versioned};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::{
    collections::VecDeque,
    fs::OpenOptions,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
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
    plan: MatchPlan,
    spec: MatchSpec,
    console: Console,
    bots: Vec<PreparedBot>,
    processes: Vec<Option<BotProcess>>,
    preparer: Preparer,
    printer: &'a Printer,
    cancel: Cancel,
    begun: Instant,
    report: Sender<Report>,
    reports: Receiver<Report>,
    answers: VecDeque<(u64, Box<ConsoleDocument>)>,
    dialogue: Dialogue,
    notes: Vec<Note>,
    /// The files that were read, and what they are. No file may replace them.
    read: Vec<(&'static str, PathBuf)>,
    transcript: Option<(PathBuf, Transcript)>,
    /// Whether there are turns or edits that no file has.
    is_unsaved: bool,
    /// Whether `quit` was carried out.
    pub has_quit: bool,
}

/// What has happened in a session, beside answers.
pub enum Note {
    /// A turn, an undo or an edit.
    Event(Box<MatchEvent>),
    /// Something that went through a pipe of a bot.
    Said(Piece),
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
        plan: MatchPlan,
        bots: Vec<PreparedBot>,
        preparer: Preparer,
        (terms, printer): (&Terms, &'a Printer),
        cancel: Cancel,
        wait: Duration,
    ) -> Result<Self> {
        let (spec, bindings) = (plan.spec(&bots), bots.iter().map(binding).collect());
        let map = if let MapSource::File(map) = &terms.map { Some(map.clone()) } else { None };
        let read = map.into_iter().map(|map| ("the map of the match", map)).collect();
        let console = Console::new(game, spec.clone(), bindings, Some(wait))?;
        let (report, reports) = bounded(UNHEARD);
        Ok(Self {
            game,
            plan,
            spec,
            console,
            processes: bots.iter().map(|_| None).collect(),
            bots,
            preparer,
            printer,
            cancel,
            begun: Instant::now(),
            report,
            reports,
            answers: VecDeque::new(),
            dialogue: Dialogue::default(),
            notes: Vec::new(),
            read,
            transcript: None,
            is_unsaved: false,
            has_quit: false,
        })
    }

    /// Returns the name of the game.
    pub fn game_name(&self) -> &'static str {
        self.game.name()
    }

    /// Says where the match came from, so that it can be begun again.
    pub fn origin(&self) -> String {
        format!("the map is {}, the seed {}", clean(&self.spec.map_name), self.spec.seed.0)
    }

    /// Returns the first event of the session's replay.
    pub fn beginning(&self) -> MatchEvent {
        self.console.beginning()
    }

    /// Returns the state of the session.
    pub fn status(&self) -> ConsoleDocument {
        self.console.status()
    }

    /// Returns where the threads of bots report. Give each report to [`hear`](Self::hear).
    pub fn reports(&self) -> &Receiver<Report> {
        &self.reports
    }

    /// Returns how long the console has nothing to do by itself. `None` is without end.
    pub fn left(&self) -> Option<Duration> {
        if self.console.peek().is_some() {
            return Some(Duration::ZERO);
        }
        self.console.deadline().map(|deadline| deadline.saturating_sub(self.begun.elapsed()))
    }

    /// Gives a command, whose answer has this number and comes when it comes.
    pub fn begin(&mut self, id: u64, line: &str) {
        self.console.command(self.begun.elapsed(), id, line);
        self.work();
    }

    /// Time has passed.
    pub fn tick(&mut self) {
        self.console.tick(self.begun.elapsed());
        self.work();
    }

    /// Returns the next answer.
    pub fn next_answer(&mut self) -> Option<(u64, Box<ConsoleDocument>)> {
        self.answers.pop_front()
    }

    /// Returns what has happened since the last call.
    pub fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// Begins with the turns of a replay. Nothing may overwrite its file.
    ///
    /// # Errors
    /// The replay does not reproduce, or has not so many turns.
    pub fn resume(mut self, recorded: Recorded) -> Result<Self> {
        self.console = self.console.resume(recorded.replay, recorded.ply)?;
        self.read.push(("the replay with which the session began", recorded.path));
        self.work();
        self.is_unsaved = false;
        Ok(self)
    }

    /// Returns the words that the next command can have.
    pub fn vocabulary(&mut self) -> Vocabulary {
        let orders = (0..self.spec.seats.len()).map(|seat| self.console.legal(Seat::new(seat))).collect();
        Vocabulary::new(self.game, orders)
    }

    /// Gives a command and waits for its answer. `None` if the line has none, or after an interrupt.
    pub fn command(&mut self, line: &str) -> Option<Box<ConsoleDocument>> {
        // A bot that writes without end must not keep the command from its turn.
        for _ in 0..UNHEARD {
            let Ok(report) = self.reports.try_recv() else { break };
            self.hear(report);
        }
        self.begin(0, line);
        loop {
            self.notes.clear();
            if let Some((_, answer)) = self.next_answer() {
                return Some(answer);
            }
            if !self.console.is_waiting() && self.console.peek().is_none() || self.cancel.is_cancelled() {
                return None;
            }
            match self.reports.recv_timeout(self.left().map_or(NAP, |left| left.min(NAP))) {
                Ok(report) => self.hear(report),
                Err(_) => self.tick(),
            }
        }
    }

    /// Takes a report of a bot.
    pub fn hear(&mut self, Report { seat, run, news }: Report) {
        let now = self.begun.elapsed();
        match news {
            News::Output(bytes) => {
                self.say(seat, run, Way::From, &bytes);
                self.console.heard(now, seat, run, &bytes);
            }
            News::Stderr { bytes, lost, is_last } => {
                if lost > 0 {
                    self.note(seat, run, format!("{lost} bytes of stderr found no room"));
                }
                self.say(seat, run, Way::Stderr, &bytes);
                if is_last {
                    self.note(seat, run, "no more of its stderr is shown".to_owned());
                }
            }
            News::OutputEnded => {
                // The report may be of a process that another one has replaced, and that one has not ended.
                let process = self.processes[seat.index()].as_mut().filter(|process| process.run == run);
                let how = process.map_or_else(String::new, BotProcess::ending);
                if !how.is_empty() {
                    self.note(seat, run, how.clone());
                }
                self.console.ended(now, seat, run, &how);
            }
        }
        self.work();
    }

    /// Writes all that bots read and write from now on to a file.
    ///
    /// # Errors
    /// The file would replace another one, a bot could read it, or it cannot be written.
    pub fn write_transcript(&mut self, path: &Path) -> Result<()> {
        self.refuse_file("--transcript", path)?;
        overwriting::refuse_what_is_no_transcript(path)?;
        MatchFile::Transcript.check(path, &self.bots).map_err(agon_play::Error::from)?;
        let transcript = Transcript::new(TranscriptSink::File(path.to_owned())).map_err(agon_play::Error::from)?;
        self.transcript = Some((path.to_owned(), transcript));
        Ok(())
    }

    fn say(&mut self, seat: Seat, run: u32, way: Way, bytes: &[u8]) {
        let stream = match way {
            Way::To => Some(Stream::In),
            Way::From => Some(Stream::Out),
            Way::Stderr => Some(Stream::Err),
            Way::Note => None,
        };
        if let (Some((_, transcript)), Some(stream)) = (&mut self.transcript, stream) {
            let ply = self.console.position().plies() + 1;
            transcript.add(Chunk { ply, seat, stream, at: self.begun.elapsed(), bytes });
        }
        let said = self.dialogue.piece(seat, run, way, self.begun.elapsed(), bytes);
        self.notes.extend(said.map(Note::Said));
    }

    fn note(&mut self, seat: Seat, run: u32, text: String) {
        let piece = self.dialogue.note(seat, run, self.begun.elapsed(), text);
        self.notes.push(Note::Said(piece));
    }

    /// Does what the console asks of the world, up to the second bot that thinks: others shall be heard before that.
    fn work(&mut self) {
        let mut has_thought = false;
        while !has_thought || !matches!(self.console.peek(), Some(Effect::Think { .. })) {
            let Some(effect) = self.console.next() else { break };
            match effect {
                Effect::Answer { id, document } => self.answers.push_back((id, document)),
                Effect::Record(event) => {
                    self.is_unsaved = true;
                    self.notes.push(Note::Event(event));
                }
                Effect::Bind { seat, words } => {
                    let bound = self.bind(seat, &words).map_err(|error| flaw(&error));
                    self.console.bind(seat, bound);
                }
                Effect::Start { seat, run } => {
                    let started = self.start(seat, run);
                    let text = started
                        .as_ref()
                        .map_or_else(|why| format!("it cannot be started: {why}"), |()| "it was started".into());
                    self.note(seat, run, text);
                    self.console.started(self.begun.elapsed(), seat, run, started);
                }
                Effect::Stop { seat } => {
                    if let Some(process) = self.processes[seat.index()].take() {
                        self.note(seat, process.run, "it was ended".to_owned());
                    }
                }
                Effect::Tell { seat, bytes } => {
                    if let Some(run) = self.processes[seat.index()].as_ref().map(|process| process.run) {
                        self.say(seat, run, Way::To, &bytes);
                    }
                    if let Some(process) = &self.processes[seat.index()] {
                        process.tell(bytes);
                    }
                }
                Effect::Think { seat } => {
                    let begun = self.begun;
                    self.console.think(seat, || begun.elapsed());
                    has_thought = true;
                }
                Effect::Load { name } => {
                    let map = self.load(&name).map_err(|error| flaw(&error));
                    self.console.loaded(map);
                }
                Effect::Save { what, name, bytes } => {
                    let written = self.save(Path::new(&name), &bytes).map_err(|error| flaw(&error));
                    self.is_unsaved &= written.is_err() || what != Saved::Replay;
                    self.console.saved(what, written);
                }
                Effect::Quit => self.has_quit = true,
            }
        }
    }

    fn bind(&mut self, seat: Seat, words: &str) -> Result<Binding> {
        let bot = parse_bot(self.game, words)?;
        let prepared = prepare_bot(&mut self.preparer, self.game, &bot, self.printer)?;
        if let Some((path, _)) = &self.transcript {
            MatchFile::Transcript.check(path, std::slice::from_ref(&prepared)).map_err(agon_play::Error::from)?;
        }
        let binding = binding(&prepared);
        // The console stops the old process when it takes the binding. The new bot has to be here when it starts.
        self.bots[seat.index()] = prepared;
        self.spec = self.plan.spec(&self.bots);
        self.console.describe(self.spec.clone());
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

    fn load(&mut self, name: &str) -> Result<String> {
        let source: MapSource = name.parse().map_err(|why: String| Error::user(why))?;
        if let MapSource::File(path) = &source {
            // A pipe might never end, and nobody else would be heard until then.
            if path.metadata().is_ok_and(|about| !about.is_file()) {
                return Err(Error::user(format!("`{}` is no file", clean(name))));
            }
            self.read.push(("a map of the session", path.clone()));
        }
        let map = source.load(self.game, self.spec.seed, self.spec.seats.len()).map_err(agon_play::Error::from)?;
        String::from_utf8(map.bytes).map_err(|_| Error::user(format!("`{}` is not UTF-8 text", clean(name))))
    }

    fn save(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.refuse_file("the file", path)?;
        overwriting::replace(path, bytes).map_err(|why| Error::file("write", path, &why))
    }

    /// Refuses a file that would replace one that is needed.
    fn refuse_file(&self, what: &str, path: &Path) -> Result<()> {
        let files: Vec<_> = self.bots.iter().flat_map(|bot| bot.bot().files()).collect();
        let mut read: Vec<overwriting::Named<'_>> = files.iter().map(|file| ("a file of a bot", &**file)).collect();
        read.extend(self.read.iter().map(|(what, file)| (*what, &**file)));
        read.extend(self.transcript.iter().map(|(transcript, _)| ("the transcript of the session", &**transcript)));
        overwriting::refuse(&[(what, path)], &read)
    }

    /// Writes the session to a file of its own if it was interrupted and has turns that no file has.
    pub fn rescue(&mut self) {
        if !self.is_unsaved {
            return;
        }
        let Ok(replay) = self.console.replay() else { return };
        let names = (1..).map(|number| PathBuf::from(format!("{}-console-{number}.jsonl", self.game.name())));
        for path in names.take(10_000) {
            let written = OpenOptions::new().write(true).create_new(true).open(&path);
            match written.and_then(|mut file| file.write_all(&replay)) {
                Ok(()) => return self.printer.tell(format!("the session is in {}", path.display())),
                Err(why) if why.kind() == ErrorKind::AlreadyExists => {}
                Err(why) => return self.printer.error(&Error::file("write", &path, &why)),
            }
        }
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
    ///
    /// # Errors
    /// The transcript is not complete.
    pub fn end(mut self) -> Result<()> {
        self.processes.iter_mut().flatten().for_each(BotProcess::close_input);
        let until = Instant::now() + GRACE;
        while Instant::now() < until && self.processes.iter_mut().flatten().any(BotProcess::is_running) {
            // A bot that writes must not wait for somebody who reads.
            match self.reports.recv_timeout(NAP) {
                Ok(Report { seat, run, news: News::Output(bytes) }) => self.say(seat, run, Way::From, &bytes),
                Ok(Report { seat, run, news: News::Stderr { bytes, .. } }) => self.say(seat, run, Way::Stderr, &bytes),
                _ => {}
            }
        }
        let Some((path, transcript)) = self.transcript.take() else { return Ok(()) };
        let report = transcript.finish();
        for (seat, stream, bytes) in report.left_out {
            let stream = stream.name();
            self.printer.warning(format!("the transcript leaves out {bytes} bytes of `{stream}` of seat {seat}"));
        }
        report.written.map_err(|why| Error::file("write the transcript", &path, &why))
    }
}

/// Returns an error of the world as one of the console.
fn flaw(error: &Error) -> Flaw {
    let document = error.flaw();
    Flaw { what: document.text, place: None, item: None, hint: document.hint.map(Into::into) }
}
