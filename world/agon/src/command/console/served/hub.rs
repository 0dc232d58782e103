//! The pages of a console: what they know, and what they are told.

use super::super::session::{Note, Session};
use super::{pieces::Pieces, routes::PageEvent, wire::Message};
use crate::error::{Error, Result};
use agon_replay::Writer;
use agon_server::http::{Lines, Token};
use agon_spec::{ConsoleDocument, Versioned};
use axum::extract::ws::Utf8Bytes;
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    time::Duration,
};
use tokio::sync::mpsc::Sender;

/// The version of the messages.
const SCHEMA: u32 = 1;

/// All pages of a console.
pub struct Hub {
    pages: BTreeMap<u64, Sender<Utf8Bytes>>,
    /// The pages that wait for an answer, by its number in the console.
    asked: BTreeMap<u64, (u64, u64)>,
    next: u64,
    /// Lets a page connect again.
    token: Token,
    writer: Writer<Lines>,
    lines: Lines,
    state: ConsoleDocument,
    said: Pieces,
}

impl Hub {
    /// Begins with the session as it stands.
    ///
    /// # Errors
    /// The replay of the session cannot be written.
    pub fn new(session: &mut Session<'_>, token: &Token) -> Result<Self> {
        let lines = Lines::default();
        let mut hub = Self {
            pages: BTreeMap::new(),
            asked: BTreeMap::new(),
            next: 0,
            token: token.clone(),
            writer: Writer::new(lines.clone(), env!("CARGO_PKG_VERSION")),
            lines,
            state: session.status(),
            said: Pieces::default(),
        };
        hub.writer.write(&session.beginning()).map_err(|why| unwritten(&why))?;
        hub.publish(session)?;
        Ok(hub)
    }

    /// Takes an event of a page, and lets the session carry a command out.
    ///
    /// # Errors
    /// A message cannot be written.
    pub fn take(&mut self, event: PageEvent, session: &mut Session<'_>) -> Result<()> {
        match event {
            PageEvent::Joined { page, messages } => {
                let hello = self.hello(session)?;
                self.pages.insert(page, messages);
                self.send(page, hello);
            }
            PageEvent::Left { page } => _ = self.pages.remove(&page),
            PageEvent::Failed(why) => {
                return Err(Error::system("the page is no longer served", &why));
            }
            PageEvent::Command { page, request } => {
                self.next += 1;
                if session.begin(self.next, &request.command) {
                    self.asked.insert(self.next, (page, request.id));
                }
            }
        }
        Ok(())
    }

    fn hello(&self, session: &Session<'_>) -> Result<String> {
        let replay = self.lines.since(0);
        let replay = String::from_utf8_lossy(&replay);
        // In the state that was told last, clocks may have run since.
        let (state, said) = (Versioned::of(session.status()), self.said.kept());
        let token = self.token.text();
        Message::Hello { schema: SCHEMA, token, replay: &replay, state, said, forgotten: self.said.forgotten }.json()
    }

    /// Returns whether a page is connected.
    pub fn has_pages(&self) -> bool {
        !self.pages.is_empty()
    }

    /// Returns after how much time there is more to [publish](Self::publish), if nothing else happens.
    pub fn left(&self, now: Duration) -> Option<Duration> {
        self.said.due().map(|due| due.saturating_sub(now))
    }

    /// Tells every page what has happened since the last call: first the turns, then the state, then what was said, unless there
    /// is soon more of it, then answers.
    ///
    /// # Errors
    /// A message cannot be written.
    pub fn publish(&mut self, session: &mut Session<'_>) -> Result<()> {
        let (notes, state) = (session.take_notes(), session.status());
        let answers: Vec<_> = std::iter::from_fn(|| session.next_answer()).collect();
        let is_changed = at_rest(&state) != at_rest(&self.state);
        if is_changed || !answers.is_empty() || notes.iter().any(|note| matches!(note, Note::Event(_))) {
            // It was said before.
            self.tell_said(session.now(), true)?;
        }
        for note in notes {
            match note {
                Note::Event(event) => {
                    let start = self.lines.size();
                    self.writer.write(&event).map_err(|why| unwritten(&why))?;
                    let line = self.lines.since(start);
                    self.tell(&Message::Line { line: &String::from_utf8_lossy(&line) })?;
                }
                Note::Said(piece) => self.said.add(piece),
            }
        }
        if is_changed {
            self.tell(&Message::State { state: Versioned::of(state.clone()) })?;
            self.state = state;
        }
        self.tell_said(session.now(), !answers.is_empty())?;
        for (id, document) in answers {
            let Some((page, id)) = self.asked.remove(&id) else { continue };
            let answer = Message::Answer { id, document: Versioned::of(*document) }.json()?;
            self.send(page, answer);
        }
        Ok(())
    }

    /// Says that the session has ended.
    ///
    /// # Errors
    /// The message cannot be written.
    pub fn end(&mut self) -> Result<()> {
        self.tell_said(Duration::ZERO, true)?;
        self.tell(&Message::End)
    }

    /// Lets go of all pages, which are closed when they have everything. Returns their numbers.
    pub fn close(self) -> BTreeSet<u64> {
        self.pages.into_keys().collect()
    }

    fn tell_said(&mut self, now: Duration, at_once: bool) -> Result<()> {
        let said = self.said.take(now, at_once);
        if !said.is_empty() {
            self.tell(&Message::Said { said: &said })?;
        }
        self.said.keep(said);
        Ok(())
    }

    fn tell(&mut self, message: &Message<'_>) -> Result<()> {
        if !self.pages.is_empty() {
            let text = Utf8Bytes::from(message.json()?);
            // A page that reads no more must not hold the others up.
            self.pages.retain(|_, page| page.try_send(text.clone()).is_ok());
        }
        Ok(())
    }

    fn send(&mut self, page: u64, text: String) {
        if self.pages.get(&page).is_some_and(|sender| sender.try_send(text.into()).is_err()) {
            self.pages.remove(&page);
        }
    }
}

/// Returns a state without what changes because clocks run. Pages count that down themselves.
fn at_rest(state: &ConsoleDocument) -> ConsoleDocument {
    let mut state = state.clone();
    for clock in state.seats.iter_mut().filter_map(|seat| seat.clock.as_mut()).filter(|clock| clock.runs) {
        (clock.left_us, clock.bank_us) = (None, None);
    }
    state
}

fn unwritten(why: &io::Error) -> Error {
    Error::system("cannot write the replay of the session", why)
}
