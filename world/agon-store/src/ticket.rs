//! A write that is on its way to the disk.

use crate::{Result, StoreError};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};

/// A write that is on its way to the disk. Writes reach the disk in the order in which they were made, in groups. If
/// one of them cannot be written, none of the later ones is.
///
/// A ticket that is dropped does not take its write back.
#[derive(Debug)]
#[must_use = "the write may fail; wait for it before you show what it wrote"]
pub struct Ticket<T> {
    answer: Receiver<Result<T>>,
}

impl<T> Ticket<T> {
    /// Makes a ticket, for a back end, and what answers it. If that is dropped without an answer, the write has failed
    /// with [`StoreError::Closed`].
    pub fn new() -> (SyncSender<Result<T>>, Self) {
        let (sender, answer) = sync_channel(1);
        (sender, Self { answer })
    }

    /// Makes a ticket of a write that is over.
    pub fn over(result: Result<T>) -> Self {
        let (sender, ticket) = Self::new();
        // The channel has room for one answer.
        let _ = sender.send(result);
        ticket
    }

    /// Waits until the write is on disk.
    ///
    /// # Errors
    /// If the write failed. Then nothing of it is stored.
    pub fn wait(self) -> Result<T> {
        self.answer.recv().unwrap_or(Err(StoreError::Closed))
    }

    /// Returns the outcome if it is known. Returns the ticket if it is not.
    ///
    /// # Errors
    /// The ticket, if the write is still on its way.
    pub fn try_wait(self) -> Result<Result<T>, Self> {
        match self.answer.try_recv() {
            Ok(result) => Ok(result),
            Err(TryRecvError::Empty) => Err(self),
            Err(TryRecvError::Disconnected) => Ok(Err(StoreError::Closed)),
        }
    }
}
