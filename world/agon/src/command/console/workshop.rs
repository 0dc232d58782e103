//! Bots that are prepared beside the session. A build may take minutes, in which the session goes on.

use super::session::prepare_bot;
use crate::{error::Result, printer::Printer};
use agon_core::Seat;
use agon_games::AnyGame;
use agon_play::{Cancel, NamedBot, PreparedBot, Preparer};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::thread::{self, JoinHandle};

/// A bot for a seat, or why there is none.
pub type Delivery = (Seat, Result<PreparedBot>);

/// Prepares bots in a thread of its own, one after the other. Dropping it ends a build.
pub struct Workshop {
    orders: Option<Sender<(Seat, NamedBot)>>,
    deliveries: Receiver<Delivery>,
    thread: Option<JoinHandle<()>>,
    cancel: Cancel,
}

impl Workshop {
    /// Opens a workshop. `cancel` ends the builds of the preparer, and is used when the workshop closes.
    pub fn new(mut preparer: Preparer, game: &'static dyn AnyGame, printer: Printer, cancel: Cancel) -> Self {
        let (orders, ordered) = unbounded();
        let (deliver, deliveries) = unbounded();
        let work = move || {
            while let Ok((seat, bot)) = ordered.recv() {
                let prepared = prepare_bot(&mut preparer, game, &bot, &printer);
                if deliver.send((seat, prepared)).is_err() {
                    break;
                }
            }
        };
        Self { orders: Some(orders), deliveries, thread: Some(thread::spawn(work)), cancel }
    }

    /// Orders a bot. It comes among the deliveries when it is ready.
    pub fn order(&self, seat: Seat, bot: NamedBot) {
        // The thread lives as long as `self`.
        let _ = self.orders.as_ref().map(|orders| orders.send((seat, bot)));
    }

    /// Returns where bots are delivered.
    pub fn deliveries(&self) -> &Receiver<Delivery> {
        &self.deliveries
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        self.orders = None;
        self.cancel.finish();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
