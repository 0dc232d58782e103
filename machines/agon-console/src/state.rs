//! The documents that describe a session, and its replay.

use crate::{console::Console, edit::Edit, fit};
use agon_core::{Flaw, Seat, State};
use agon_referee::MatchEvent;
use agon_spec::{ConsoleDocument, ConsoleError, ConsoleText, MatchSpec, SeatSpec};

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

    /// Continues from a changed position. `state` is what it has beyond its map; if there is none, it is what the position
    /// has now, changed by the edit. Returns what of it does not fit the changed map, in words.
    pub(crate) fn replace(&mut self, edit: &Edit, state: Option<State>) -> Result<Vec<String>, Flaw> {
        let map = self.tree.position().map();
        let (map, fitted) = match edit {
            Edit::Map(edit) => {
                let map = edit.apply(&map)?;
                let state = state.map_or_else(|| self.tree.state(), Ok)?;
                let fitted = fit::fitting_part(self.game, &self.spec, &map, state)?;
                (map, fitted)
            }
            Edit::State(edit) => {
                let state = edit.apply(self.game.state(self.tree.position())?)?;
                let fitted = fit::whole(self.game, &self.spec, &map, state);
                let fitted = fitted.map_err(|flaw| if flaw.item.is_none() { flaw.of(edit.path()) } else { flaw })?;
                (map, fitted)
            }
        };
        let begun_anew = fitted.begun_anew.clone();
        let event = self.tree.edit(map, fitted);
        self.record(event);
        self.forget_decisions();
        self.rest_clocks();
        Ok(begun_anew)
    }

    /// Returns what the position has and its map file cannot say.
    pub(crate) fn left_out(&self) -> Vec<String> {
        let position = self.tree.position();
        let spec = MatchSpec { map: position.map(), state: State::default(), ..self.spec.clone() };
        let Ok(saved) = self.game.position(&spec) else { return vec!["everything: no match can start from it".into()] };
        if saved.board().fingerprint() == position.fingerprint() {
            return Vec::new();
        }
        let state = |position| self.game.state(position).unwrap_or_default();
        differences(&state(position), &state(saved.board()))
    }

    /// Returns the answer to a command that was carried out.
    pub(crate) fn document(&self, command: &str) -> ConsoleDocument {
        let position = self.tree.position();
        let seat = |(i, occupant): (usize, &crate::occupant::Occupant)| {
            let clock = self.clocks.as_ref().map(|clocks| clocks.document(Seat::new(i), self.now));
            occupant.document(&self.tree, self.given[i].is_some(), clock)
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
            clocks_run: self.clocks.as_ref().map(|clocks| !clocks.stand),
            seats: self.seats.iter().enumerate().map(seat).collect(),
            turns: Vec::new(),
            answer: None,
            branches: Vec::new(),
            map: None,
            replay: None,
            frame: None,
            file: None,
            left_out: Vec::new(),
            state: None,
            begun_anew: Vec::new(),
            help: Vec::new(),
        }
    }

    /// Returns the answer to a command that was refused.
    pub(crate) fn refusal(&self, command: &str, text_of: ConsoleText, flaw: &Flaw) -> ConsoleDocument {
        let error = ConsoleError {
            text: flaw.what.clone(),
            line: flaw.place.map(|place| place.line),
            column: flaw.place.map(|place| place.column),
            length: flaw.place.map(|place| place.length),
            text_of: if flaw.item.is_some() { ConsoleText::State } else { text_of },
            item: flaw.item.as_deref().map(str::to_owned),
            hint: flaw.hint.as_deref().map(str::to_owned),
        };
        ConsoleDocument { ok: false, error: Some(error), ..self.document(command) }
    }
}

/// Returns in words which items of a state are not the same in another one.
fn differences(one: &State, other: &State) -> Vec<String> {
    let of = |state: &State, name: &str| {
        state.items().iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let added = other.items().iter().filter(|(name, _)| !one.items().iter().any(|(known, _)| known == name));
    let mut words = Vec::new();
    for (name, _) in one.items().iter().chain(added) {
        let (value, saved) = (of(one, name), of(other, name));
        if value == saved {
            continue;
        }
        words.push(match &value {
            State::Number(number) => format!("{name}: {number}"),
            State::Text(text) => format!("{name}: {text}"),
            State::List(list) => format!("{name}: {} in all", list.len()),
            State::Items(items) => {
                let differs = items.iter().filter(|(name, value)| of(&saved, name) != *value);
                let gone = saved.items().iter().filter(|(name, _)| !items.iter().any(|(known, _)| known == name));
                let differ: Vec<&str> = differs.chain(gone).map(|(name, _)| &**name).collect();
                match &*differ {
                    few if few.len() <= 4 => format!("{name}: {}", few.join("; ")),
                    [first, second, rest @ ..] => format!("{name}: {first}; {second}; {} more", rest.len()),
                    [] | [_] => name.clone(),
                }
            }
        });
    }
    words
}
