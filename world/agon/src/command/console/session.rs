//! The world of a console: starts and stops bots, reads and writes files, and shows the answers.

mod effects;
#[cfg(test)]
mod tests;

use super::{
    Format,
    dialogue::{Dialogue, Piece, Way},
    files::{self, Files},
    preparation::{PreparedSeat, PreparerThread},
    process::{BotProcess, News, Report},
    recorder::Recorder,
    replay::Recorded,
    text,
    words::Vocabulary,
};
use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    printer::Printer,
    terms::{Terms, prepare},
};
use agon_console::{Binding, Console};
use agon_core::Seat;
use agon_games::AnyGame;
use agon_play::{Cancel, MatchPlan, NamedBot, PreparedBot, Preparer};
use agon_referee::{MatchEvent, SeatKind};
use agon_spec::{ConsoleDocument, MatchSpec, Versioned};
use crossbeam_channel::{Receiver, Sender, bounded, select};
use std::{
    collections::VecDeque,
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// How many pieces of output of bots may wait. Bots wait when there are more.
const UNHEARD: usize = 64;
/// The maximum time between two looks at the interrupt flag.
const NAP: Duration = Duration::from_millis(20);
/// The time between two looks whether a process has ended that has closed its output.
const ENDING: Duration = Duration::from_millis(2);
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
    preparer: PreparerThread,
    printer: &'a Printer,
    cancel: Cancel,
    recorder: Recorder,
    report: Sender<Report>,
    reports: Receiver<Report>,
    answers: VecDeque<(u64, Box<ConsoleDocument>)>,
    dialogue: Dialogue,
    notes: Vec<Note>,
    files: Files,
    /// Whether there are turns or edits that no file has.
    is_unsaved: bool,
    /// Whether `quit` was carried out.
    pub has_quit: bool,
    /// Whether a bot could not be started because the host was short of something.
    is_short: bool,
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
    let bot = NamedBot::parse(game, words).map_err(agon_play::Error::from)?;
    Ok(if bot.words == "human" { NamedBot::human(&bot.name) } else { bot })
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
        let map = terms.map_files().next().map(|(_, path)| path.to_owned());
        let mut files = Files::default();
        map.into_iter().for_each(|map| files.keep("the map of the match", map));
        let console = Console::new(game, spec.clone(), bindings, Some(wait))?;
        let (report, reports) = bounded(UNHEARD);
        Ok(Self {
            game,
            plan,
            spec,
            console,
            processes: bots.iter().map(|_| None).collect(),
            bots,
            preparer: PreparerThread::new(preparer, game, *printer, cancel.clone())?,
            printer,
            cancel,
            recorder: Recorder::new(),
            report,
            reports,
            answers: VecDeque::new(),
            dialogue: Dialogue::default(),
            notes: Vec::new(),
            files,
            is_unsaved: false,
            has_quit: false,
            is_short: false,
        })
    }

    /// Returns the time since the session began.
    pub fn now(&self) -> Duration {
        self.recorder.now()
    }

    /// Returns the exit code of a session that ends because a command was refused. If a bot could not be started because
    /// the host was short of something, that may be why.
    pub fn exit_of_refusal(&self) -> Exit {
        match (self.is_short, self.console.line_of_play().2.is_empty()) {
            (false, _) => Exit::User,
            (true, true) => Exit::Sandbox,
            (true, false) => Exit::Spoilt,
        }
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

    /// Returns where bots come from that were prepared. Give each to [`seat`](Self::seat).
    pub fn prepared(&self) -> &Receiver<PreparedSeat> {
        self.preparer.prepared()
    }

    /// Returns how long the console has nothing to do by itself. `None` is without end.
    pub fn left(&self) -> Option<Duration> {
        if self.console.peek().is_some() {
            return Some(Duration::ZERO);
        }
        let deadline = self.console.deadline().map(|deadline| deadline.saturating_sub(self.recorder.now()));
        deadline.into_iter().chain(self.is_ending().then_some(ENDING)).min()
    }

    /// Gives a command, whose answer has this number and comes when it comes. Returns whether the line has an answer.
    pub fn begin(&mut self, id: u64, line: &str) -> bool {
        // A bot that has answered in time must not be late because a command is heard first.
        let now = self.recorder.certain();
        self.hear_all();
        let has_answer = self.console.command(now, id, line);
        self.work();
        has_answer
    }

    /// Time has passed.
    pub fn tick(&mut self) {
        // A bot that has answered before this instant is heard before anybody is judged.
        let now = self.recorder.certain();
        self.hear_all();
        self.console.tick(now);
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
        self.files.keep("the replay with which the session began", recorded.path);
        self.work();
        self.is_unsaved = false;
        Ok(self)
    }

    /// Returns the words that the next command can have.
    pub fn vocabulary(&self) -> Vocabulary {
        let orders = (0..self.spec.seats.len()).map(|seat| self.console.legal(Seat::new(seat))).collect();
        Vocabulary::new(self.game, orders)
    }

    /// Gives a command and waits for its answer. `None` if the line has none, or after an interrupt.
    pub fn command(&mut self, line: &str) -> Option<Box<ConsoleDocument>> {
        // A file of commands is the same session whether a bot's end is seen a moment sooner or later.
        self.hear_all();
        while self.is_ending() && !self.cancel.is_cancelled() {
            thread::sleep(ENDING);
            self.work();
        }
        if !self.begin(0, line) {
            return None;
        }
        loop {
            self.notes.clear();
            if let Some((_, answer)) = self.next_answer() {
                return Some(answer);
            }
            if !self.console.is_waiting() && self.console.peek().is_none() || self.cancel.is_cancelled() {
                return None;
            }
            select! {
                recv(self.reports) -> report => report.into_iter().for_each(|report| self.hear(report)),
                recv(self.preparer.prepared()) -> bot => bot.into_iter().for_each(|bot| self.seat(bot)),
                default(self.left().map_or(NAP, |left| left.min(NAP))) => self.tick(),
            }
        }
    }

    /// Returns whether the end of a process is awaited.
    fn is_ending(&self) -> bool {
        self.processes.iter().flatten().any(BotProcess::is_ending)
    }

    /// Takes the reports that wait. A bot that writes without end must not keep others from their turn.
    fn hear_all(&mut self) {
        for _ in 0..UNHEARD {
            let Ok(report) = self.reports.try_recv() else { break };
            self.take(report);
        }
    }

    /// Takes a report of a bot, and those that wait behind it. Where one comes after the other, time passes nevertheless.
    pub fn hear(&mut self, report: Report) {
        self.take(report);
        self.tick();
    }

    fn take(&mut self, Report { seat, run, at, news }: Report) {
        match news {
            News::Output(bytes) => {
                self.say(seat, run, at, Way::From, &bytes);
                self.console.heard(at, seat, run, &bytes);
            }
            News::Stderr { bytes, lost, is_last } => {
                if lost > 0 {
                    self.note(seat, run, format!("{lost} bytes of stderr found no room"));
                }
                self.say(seat, run, at, Way::Stderr, &bytes);
                if is_last {
                    self.note(seat, run, "no more of its stderr is shown".to_owned());
                }
                return;
            }
            News::OutputEnded => {
                // The report may be of a process that another one has replaced, and that one has not ended.
                let process = self.processes[seat.index()].as_mut().filter(|process| process.run == run);
                process.into_iter().for_each(BotProcess::close_output);
            }
        }
        self.work();
    }

    /// Tells the console of processes that have ended.
    fn tell_endings(&mut self) {
        for i in 0..self.processes.len() {
            let Some(process) = &mut self.processes[i] else { continue };
            let run = process.run;
            if let Some(how) = process.ending() {
                self.note(Seat::new(i), run, how.clone());
                self.console.ended(self.recorder.now(), Seat::new(i), run, &how);
            }
        }
    }

    /// Writes all that bots read and write from now on to a file.
    ///
    /// # Errors
    /// The file would replace another one, a bot could read it, or it cannot be written.
    pub fn write_transcript(&mut self, path: &Path) -> Result<()> {
        self.files.open_transcript(path, &self.recorder, &self.bots)
    }

    fn say(&mut self, seat: Seat, run: u32, at: Duration, way: Way, bytes: &[u8]) {
        let said = self.dialogue.piece(seat, run, way, at, bytes);
        self.notes.extend(said.map(Note::Said));
    }

    fn note(&mut self, seat: Seat, run: u32, text: String) {
        self.notes.push(Note::Said(Piece::note(seat, run, self.recorder.now(), text)));
    }

    /// Writes the session to a file of its own if it has turns that no file has.
    pub fn rescue(&mut self) {
        if !self.is_unsaved {
            return;
        }
        let replay = self.console.replay().map_err(|why| Error::user(format!("the session cannot be kept: {why}")));
        match replay.and_then(|replay| files::rescue(self.game, &replay)) {
            Ok(path) => {
                self.is_unsaved = false;
                self.printer.tell(format!("the session is in {}", path.display()));
            }
            Err(why) => self.printer.error(&why),
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
            (Format::Text, Some(error)) => {
                self.printer.data(text::turns(&document))?;
                self.printer.error(&text::error(line, error));
            }
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
        while Instant::now() < until && !self.processes.iter_mut().flatten().all(BotProcess::is_over) {
            // A bot that writes must not wait for somebody who reads.
            let _ = self.reports.recv_timeout(NAP);
        }
        self.files.close_transcript(&self.recorder, self.printer)
    }
}
