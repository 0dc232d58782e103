//! Bots that are prepared beside the session. A build may take minutes, in which the session goes on.

use super::session::prepare_bot;
use crate::{
    error::{Error, Result},
    printer::Printer,
};
use agon_core::Seat;
use agon_games::AnyGame;
use agon_play::{Cancel, NamedBot, PreparedBot, Preparer};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::thread::{self, JoinHandle};

/// The bot that a seat shall have, or why there is none.
pub type PreparedSeat = (Seat, Result<PreparedBot>);

/// Prepares bots in a thread of its own, one after the other. Dropping it ends a build.
pub struct PreparerThread {
    requests: Option<Sender<(Seat, NamedBot)>>,
    prepared: Receiver<PreparedSeat>,
    thread: Option<JoinHandle<()>>,
    cancel: Cancel,
}

impl PreparerThread {
    /// Starts the thread. `cancel` ends the builds of the preparer, and is used when this is dropped.
    ///
    /// # Errors
    /// The system starts no thread.
    pub fn new(mut preparer: Preparer, game: &'static dyn AnyGame, printer: Printer, cancel: Cancel) -> Result<Self> {
        let (requests, requested) = unbounded();
        let (results, prepared) = unbounded();
        let work = move || {
            while let Ok((seat, bot)) = requested.recv() {
                let bot = prepare_bot(&mut preparer, game, &bot, &printer);
                if results.send((seat, bot)).is_err() {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().spawn(work).map_err(|why| Error::thread(&why))?;
        Ok(Self { requests: Some(requests), prepared, thread: Some(thread), cancel })
    }

    /// Requests a bot for a seat.
    pub fn request(&self, seat: Seat, bot: NamedBot) {
        // The thread lives as long as `self`.
        let _ = self.requests.as_ref().map(|requests| requests.send((seat, bot)));
    }

    /// Returns where the results come from.
    pub fn prepared(&self) -> &Receiver<PreparedSeat> {
        &self.prepared
    }
}

impl Drop for PreparerThread {
    fn drop(&mut self) {
        self.requests = None;
        self.cancel.finish();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
