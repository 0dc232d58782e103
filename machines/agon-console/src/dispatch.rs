//! What each command does.

use crate::{
    command::{Command, Distance, WORDS, Word},
    console::Console,
    decision::over,
    edit::Edit,
    effect::{Binding, Effect, Saved},
    occupant::{Decider, Occupant, unique},
    program::{Program, Session},
    tree::PositionTree,
    waiting::{Asked, Task, no_program},
};
use agon_core::{Flaw, Seat, Seats};
use agon_referee::{MatchEvent, SeatKind};
use agon_spec::{ConsoleDocument, ConsoleText};

impl Console {
    /// Carries a command out, or begins to.
    pub(crate) fn carry_out(&mut self, asked: Asked, command: Command) -> Result<(), Flaw> {
        let seat = match &command {
            Command::Play(seat, _) | Command::Bot(seat, _) | Command::Restart(seat) => Some(*seat),
            Command::Kill(seat) | Command::Anyway(seat) => Some(*seat),
            Command::Ask { seat, .. } | Command::Raw { seat, .. } => Some(*seat),
            _ => None,
        };
        if let Some(seat) = seat.filter(|seat| seat.index() >= self.seats.len()) {
            return Err(
                Flaw::new(format!("there is no seat {seat}")).hint(format!("the seats are 1 to {}", self.seats.len()))
            );
        }
        if command.replaces_waiting() {
            // What a person does now matters more than what bots were asked for before.
            self.stop_waiting();
            if self.waiting.is_some() {
                return Err(Flaw::new("the console still waits for a file or for a bot to be built"));
            }
        }
        match command {
            Command::Play(seat, text) => self.give(asked, seat, &text),
            Command::Go { turns, wait } => {
                if self.tree.position().over() {
                    return Err(over());
                }
                self.wait_for(asked, Task::Turns(turns), wait.or(self.wait));
                Ok(())
            }
            Command::Ask { seat, wait } => self.ask(asked, seat, wait),
            Command::Raw { seat, text, wait } => {
                let occupant = &mut self.seats[seat.index()];
                let Some(program) = occupant.program() else { return Err(no_program(seat)) };
                if program.is_thinking() {
                    return Err(Flaw::new(format!("the bot of seat {seat} is thinking"))
                        .hint(format!("wait for it, or end it with `kill {seat}`")));
                }
                self.wait_for(asked, Task::Raw { seat, line: Some(text) }, wait.or(self.wait));
                Ok(())
            }
            Command::Bot(seat, words) => self.bot(asked, seat, words),
            Command::Restart(seat) => {
                self.stop_waiting_for_line(seat);
                self.about_program(asked, seat, |program, session| program.start(session))
            }
            Command::Kill(seat) => self
                .about_program(asked, seat, |program, session| program.kill("it was killed by hand", session.effects)),
            Command::Anyway(seat) => {
                let (occupant, session) = self.seat_and_session(seat);
                occupant.program().ok_or_else(|| no_program(seat))?.play_anyway(session.tree)?;
                self.answer(asked)
            }
            Command::Stop => {
                self.stop_waiting();
                self.answer(asked)
            }
            Command::Clock { run } => self.run_clocks(asked, run),
            Command::Undo(distance) => {
                let people = self.people();
                let counts = |seat| distance != Distance::Person || people.contains(seat);
                let was_given = (0..self.given.len()).any(|i| self.given[i].is_some() && counts(Seat::new(i)));
                // Before the first turn there are only its decisions to take back.
                let undo = |tree: &mut PositionTree| {
                    let (done, events) = tree.undo(distance, people)?;
                    Ok((done.max(u32::from(was_given)), events))
                };
                self.move_along(asked, undo, nothing(distance, "to take back"))
            }
            Command::Redo(distance) => {
                let people = self.people();
                self.move_along(asked, |tree| tree.redo(distance, people), nothing(distance, "to play again"))
            }
            Command::Branch(Some(branch)) => {
                self.move_along(asked, |tree| tree.choose(branch).map(|events| (1, events)), Flaw::new(""))
            }
            Command::Branch(None) => {
                let mut document = self.document(asked.word);
                document.branches = self.tree.branches();
                self.reply(asked.id, document);
                Ok(())
            }
            Command::Edit(edit) => self.edit(asked, &edit),
            Command::Load(name) => {
                self.wait_for(asked, Task::World(name.clone()), None);
                self.put(Effect::Load { name });
                Ok(())
            }
            Command::SaveMap(name) => {
                let bytes = self.tree.position().map().into_bytes();
                self.save(asked, Saved::Map, name, bytes);
                Ok(())
            }
            Command::SaveReplay(name) => {
                let bytes = self.replay()?;
                self.save(asked, Saved::Replay, name, bytes);
                Ok(())
            }
            Command::Show => {
                let mut document = self.document(asked.word);
                document.frame = Some(self.tree.position().picture());
                self.reply(asked.id, document);
                Ok(())
            }
            Command::ShowMap => {
                let mut document = self.document(asked.word);
                document.map = Some(self.tree.position().map());
                document.left_out = self.left_out();
                self.reply(asked.id, document);
                Ok(())
            }
            Command::ShowState => {
                let state = Some(self.game.state(self.tree.position())?);
                let document = ConsoleDocument { state, ..self.document(asked.word) };
                self.reply(asked.id, document);
                Ok(())
            }
            Command::ShowReplay => {
                let replay = self.replay()?;
                let mut document = self.document(asked.word);
                document.replay = Some(String::from_utf8_lossy(&replay).into_owned());
                self.reply(asked.id, document);
                Ok(())
            }
            Command::Status => self.answer(asked),
            Command::Help => {
                let mut document = self.document(asked.word);
                document.help = WORDS.iter().map(|Word { form, about, .. }| format!("{form}: {about}")).collect();
                self.reply(asked.id, document);
                Ok(())
            }
            Command::Quit => {
                self.stop_waiting();
                if let Some((earlier, name)) = self.end_world_task() {
                    let flaw = Flaw::new(format!("the session ends before `{name}` is ready"));
                    let document = self.refusal(earlier.word, ConsoleText::Command, &flaw);
                    self.reply(earlier.id, document);
                }
                for i in 0..self.seats.len() {
                    let (occupant, mut session) = self.seat_and_session(Seat::new(i));
                    if let Some(program) = occupant.program() {
                        program.farewell(&mut session)?;
                    }
                }
                self.answer(asked)?;
                self.put(Effect::Quit);
                Ok(())
            }
        }
    }

    fn bot(&mut self, asked: Asked, seat: Seat, words: String) -> Result<(), Flaw> {
        let builtin =
            words.strip_prefix('@').map(|name| (name, self.game.info().bots.iter().find(|bot| bot.name == name)));
        let (name, kind) = match builtin {
            _ if words == "human" => ("human".to_owned(), SeatKind::Human),
            Some((name, Some(bot))) => (name.to_owned(), SeatKind::Builtin(bot.name)),
            Some((name, None)) => return Err(self.game.info().no_bot("@", name)),
            None => {
                self.wait_for(asked, Task::World(words.clone()), None);
                self.put(Effect::Bind { seat, words });
                return Ok(());
            }
        };
        self.seat_bot(seat, Binding { name, words, kind })?;
        self.answer(asked)
    }

    pub(crate) fn seat_bot(&mut self, seat: Seat, binding: Binding) -> Result<(), Flaw> {
        let i = seat.index();
        let seed = self.spec.bot_seed(seat);
        let new = Occupant::new(self.game, seat, seed, self.spec.limits.inbox as usize, binding)?.after(&self.seats[i]);
        if let Some(program) = self.seats[i].program() {
            program.stop(&mut self.effects);
        }
        self.seats[i] = new;
        self.seats[i].name = unique(&self.seats, i);
        // Another one in the seat does not give the time back that has run out.
        if self.given[i].as_ref().is_none_or(|given| given.fault.is_none()) {
            self.given[i] = None;
            if let Some(clocks) = &mut self.clocks {
                clocks.restore_one(seat, self.tree.budgets());
            }
        }
        Ok(())
    }

    fn about_program(
        &mut self,
        asked: Asked,
        seat: Seat,
        act: impl FnOnce(&mut Program, &mut Session<'_>),
    ) -> Result<(), Flaw> {
        let (occupant, mut session) = self.seat_and_session(seat);
        let Some(program) = occupant.program() else { return Err(no_program(seat)) };
        act(program, &mut session);
        self.answer(asked)
    }

    /// Goes to another position. `nothing` is the flaw if there is none.
    fn move_along(
        &mut self,
        asked: Asked,
        go: impl FnOnce(&mut PositionTree) -> Result<(u32, Vec<MatchEvent>), Flaw>,
        nothing: Flaw,
    ) -> Result<(), Flaw> {
        self.stop_waiting();
        let (done, events) = go(&mut self.tree)?;
        if done == 0 {
            return Err(nothing);
        }
        self.forget_decisions();
        self.rest_clocks();
        let mut document = self.document(asked.word);
        for event in events {
            if let MatchEvent::Ply(record) = &event {
                document.turns.push(record.clone());
            }
            self.record(event);
        }
        self.reply(asked.id, document);
        Ok(())
    }

    fn edit(&mut self, asked: Asked, edit: &Edit) -> Result<(), Flaw> {
        self.stop_waiting();
        let begun_anew = self.replace(edit, None)?;
        let document = ConsoleDocument { begun_anew, ..self.document(asked.word) };
        self.reply(asked.id, document);
        Ok(())
    }

    fn save(&mut self, asked: Asked, what: Saved, name: String, bytes: Vec<u8>) {
        self.wait_for(asked, Task::World(name.clone()), None);
        self.put(Effect::Save { what, name, bytes });
    }

    /// Returns the seats of people.
    fn people(&self) -> Seats {
        let is_person = |(_, occupant): &(usize, &Occupant)| matches!(occupant.decider, Decider::Human);
        self.seats.iter().enumerate().filter(is_person).map(|(i, _)| Seat::new(i)).collect()
    }
}

/// The flaw of an undo or a redo that leads nowhere.
fn nothing(distance: Distance, what: &str) -> Flaw {
    match distance {
        Distance::Steps(_) => Flaw::new(format!("there is nothing {what}")),
        Distance::Person => Flaw::new(format!("there is no decision of a person {what}")),
    }
}
