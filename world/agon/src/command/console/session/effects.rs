//! Does what a console asks of the world.

use super::{
    super::{dialogue::Way, preparation::PreparedSeat, process::BotProcess},
    Note, Session, binding, parse_bot,
};
use crate::{
    command::start_error::start_error,
    error::{Error, Result},
};
use agon_console::{Binding, Effect, Saved};
use agon_core::{Flaw, Seat};
use agon_play::PreparedBot;
use agon_run::{Launch, StartError, Stream};
use agon_spec::Limits;
use std::path::Path;

impl Session<'_> {
    /// Does what the console asks of the world, up to the second bot that thinks: others shall be heard before that.
    pub(super) fn work(&mut self) {
        self.tell_endings();
        self.recorder.set_ply(self.console.position().plies() + 1);
        let mut has_thought = false;
        while !has_thought || !matches!(self.console.peek(), Some(Effect::Think { .. })) {
            let Some(effect) = self.console.next() else { break };
            match effect {
                Effect::Answer { id, document } => self.answers.push_back((id, document)),
                Effect::Record(event) => {
                    self.is_unsaved = true;
                    self.recorder.set_ply(self.console.position().plies() + 1);
                    self.notes.push(Note::Event(event));
                }
                Effect::Bind { seat, words } => match parse_bot(self.game, &words) {
                    Ok(bot) => self.preparer.request(seat, bot),
                    Err(why) => self.console.bind(self.recorder.now(), seat, Err(flaw(&why))),
                },
                Effect::Start { seat, run } => {
                    let started = self.start(seat, run);
                    self.is_short |= started.as_ref().is_err_and(|why| why.shortage().is_some());
                    let started = started.map_err(|why| why.to_string());
                    let text = started
                        .as_ref()
                        .map_or_else(|why| format!("it cannot be started: {why}"), |()| "it was started".into());
                    self.note(seat, run, text);
                    self.console.started(self.recorder.now(), seat, run, started);
                }
                Effect::Stop { seat } => {
                    if let Some(process) = self.processes[seat.index()].take() {
                        self.note(seat, process.run, "it was ended".to_owned());
                    }
                }
                Effect::Tell { seat, bytes } => {
                    if let Some(run) = self.processes[seat.index()].as_ref().map(|process| process.run) {
                        let at = self.recorder.add(seat, Stream::In, &bytes);
                        self.say(seat, run, at, Way::To, &bytes);
                    }
                    if let Some(process) = &self.processes[seat.index()] {
                        process.tell(bytes);
                    }
                }
                Effect::Think { seat } => {
                    let recorder = &self.recorder;
                    self.console.think(seat, || recorder.now());
                    has_thought = true;
                }
                Effect::Load { name } => {
                    let map = self.files.load(&name, self.game, &self.spec).map_err(|error| flaw(&error));
                    self.console.loaded(self.recorder.now(), map);
                }
                Effect::Save { what, name, bytes } => {
                    let written = self.files.save(Path::new(&name), &bytes, &self.bots).map_err(|error| flaw(&error));
                    self.is_unsaved &= written.is_err() || what != Saved::Replay;
                    self.console.saved(self.recorder.now(), what, written);
                }
                Effect::Quit => self.has_quit = true,
            }
        }
    }

    /// Takes a bot that was prepared.
    pub fn seat(&mut self, (seat, prepared): PreparedSeat) {
        let bound = prepared.and_then(|bot| self.bind(seat, bot)).map_err(|error| flaw(&error));
        self.console.bind(self.recorder.now(), seat, bound);
        self.work();
    }

    fn bind(&mut self, seat: Seat, prepared: PreparedBot) -> Result<Binding> {
        self.files.check_bot(&prepared)?;
        if let Err(why) = self.check_start(seat, &prepared) {
            return Err(start_error(self.game, &[(&prepared, &why)]));
        }
        let binding = binding(&prepared);
        // The console stops the old process when it takes the binding. The new bot has to be here when it starts.
        self.bots[seat.index()] = prepared;
        self.spec = self.plan.spec(&self.bots);
        self.console.describe(self.spec.clone());
        Ok(binding)
    }

    /// Finds out whether the programs of the bots with which the session begins are there.
    ///
    /// # Errors
    /// Names all bots that cannot be started.
    pub fn check_starts(&self) -> Result<()> {
        let seats = (0..self.bots.len()).map(Seat::new);
        let checked = seats.zip(&self.bots).map(|(seat, bot)| (bot, self.check_start(seat, bot)));
        let failed: Vec<_> = checked.filter_map(|(bot, found)| Some((bot, found.err()?))).collect();
        let failed: Vec<_> = failed.iter().map(|(bot, why)| (*bot, why)).collect();
        if failed.is_empty() { Ok(()) } else { Err(start_error(self.game, &failed)) }
    }

    fn check_start(&self, seat: Seat, bot: &PreparedBot) -> std::result::Result<(), StartError> {
        match bot.launch(&self.spec.limits, self.spec.seed, seat) {
            Launch::Program(program) => program.check(),
            _ => Ok(()),
        }
    }

    fn start(&mut self, seat: Seat, run: u32) -> std::result::Result<(), StartError> {
        let limits = Limits { memory_mib: self.spec.memory_mib(seat), ..self.spec.limits };
        let Launch::Program(program) = self.bots[seat.index()].launch(&limits, self.spec.seed, seat) else {
            return Err(StartError::Empty);
        };
        let process = BotProcess::start(&program, limits.memory_mib, (seat, run), &self.report, &self.recorder)?;
        self.processes[seat.index()] = Some(process);
        Ok(())
    }
}

/// Returns an error of the world as one of the console.
fn flaw(error: &Error) -> Flaw {
    let document = error.flaw();
    Flaw { what: document.text, place: None, item: None, hint: document.hint.map(Into::into) }
}
