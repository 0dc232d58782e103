//! The documents that describe a session, and its replay.

use crate::console::Console;
use agon_core::{Flaw, Frame, Seat};
use agon_referee::MatchEvent;
use agon_spec::{ConsoleDocument, ConsoleError, ConsoleText, MatchSpec, SeatSpec};
use std::collections::BTreeSet;

impl Console {
    /// Returns the description of the session, with those who are in the seats now.
    #[must_use]
    pub fn spec(&self) -> MatchSpec {
        let mut spec = self.spec.clone();
        for (seat, occupant) in spec.seats.iter_mut().zip(&self.seats) {
            *seat = SeatSpec { name: occupant.name.clone(), bot: occupant.words.clone(), ..seat.clone() };
        }
        spec
    }

    /// Returns the first event of the session's replay.
    #[must_use]
    pub fn beginning(&self) -> MatchEvent {
        MatchEvent::Started { spec: Box::new(self.spec()), fingerprint: self.tree.start() }
    }

    /// Returns the replay of the session, as `save replay` writes it.
    ///
    /// # Errors
    /// A line of the replay cannot be written.
    pub fn replay(&self) -> Result<Vec<u8>, Flaw> {
        let position = self.tree.position();
        let plies = self.tree.ply();
        let end = if position.over() {
            MatchEvent::Finished { standing: position.standing(), plies }
        } else {
            MatchEvent::Aborted { fault: None, spoilt: None, plies }
        };
        let mut writer = agon_replay::Writer::new(Vec::new(), env!("CARGO_PKG_VERSION"));
        let beginning = self.beginning();
        let mut events = std::iter::once(&beginning).chain(&self.journal).chain(std::iter::once(&end));
        let written = events.try_for_each(|event| writer.write(event)).and_then(|()| writer.finish());
        written.map_err(|why| Flaw::new(format!("the replay cannot be written: {why}")))
    }

    /// Returns what the position has and its map file cannot say.
    pub(crate) fn left_out(&self) -> Vec<String> {
        let position = self.tree.position();
        let spec = MatchSpec { map: position.map(), ..self.spec.clone() };
        let Ok(saved) = self.game.position(&spec) else { return vec!["everything: no match can start from it".into()] };
        if saved.fingerprint() == position.fingerprint() {
            return Vec::new();
        }
        let mut left_out = differences(&position.frame(None), &saved.frame(None));
        if left_out.is_empty() {
            left_out.push("what the rules remember of earlier turns".into());
        }
        left_out
    }

    /// Returns the answer to a command that was carried out.
    pub(crate) fn document(&self, command: &str) -> ConsoleDocument {
        let position = self.tree.position();
        let decided = |(occupant, given): (&crate::occupant::Occupant, &Option<_>)| {
            occupant.document(&self.tree, given.is_some())
        };
        let (undo, redo) = self.tree.distances();
        ConsoleDocument {
            command: command.to_owned(),
            ok: true,
            error: None,
            ply: self.tree.ply(),
            round: position.round(),
            fingerprint: position.fingerprint(),
            awaiting: if position.over() { Vec::new() } else { position.awaiting().iter().collect::<Vec<Seat>>() },
            over: position.over(),
            branch: self.tree.branch(),
            undo,
            redo,
            waiting: self.waiting.as_ref().map(|waiting| waiting.asked.word.to_owned()),
            seats: self.seats.iter().zip(&self.given).map(decided).collect(),
            turns: Vec::new(),
            answer: None,
            branches: Vec::new(),
            map: None,
            replay: None,
            frame: None,
            file: None,
            left_out: Vec::new(),
        }
    }

    /// Returns the answer to a command that was refused.
    pub(crate) fn refusal(&self, command: &str, text_of: ConsoleText, flaw: &Flaw) -> ConsoleDocument {
        let error = ConsoleError {
            text: flaw.what.clone(),
            line: flaw.place.map(|place| place.line),
            column: flaw.place.map(|place| place.column),
            length: flaw.place.map(|place| place.length),
            text_of,
            hint: flaw.hint.clone(),
        };
        ConsoleDocument { ok: false, error: Some(error), ..self.document(command) }
    }
}

/// Returns in words what a picture has and another one has not.
fn differences(one: &Frame, other: &Frame) -> Vec<String> {
    let mut words = Vec::new();
    if one.title != other.title {
        words.push(format!("the time: {}", one.title));
    }
    if one.captions != other.captions {
        words.push("the numbers of the seats".into());
    }
    let classes: BTreeSet<&str> = one.items.iter().chain(&other.items).map(|item| item.class).collect();
    for class in classes {
        let of = |frame: &Frame| frame.items.iter().filter(|item| item.class == class).cloned().collect::<Vec<_>>();
        if of(one) != of(other) {
            let called = one.legend.iter().find(|entry| entry.name == class).map_or(class, |entry| entry.called);
            words.push(format!("what is seen of each {called}"));
        }
    }
    if one.grids != other.grids {
        words.push("the cells".into());
    }
    words
}
