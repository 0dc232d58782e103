//! People who take part in a match that runs: what they decide and ask for comes in from other threads.

use crate::cancel::wake_pipe;
use agon_core::Seat;
use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    io,
};
use std::sync::{
    Arc,
    mpsc::{Receiver, Sender, TryRecvError, channel},
};

/// What a person wants of a match that runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// A decision.
    Decide {
        /// The seat that this is about.
        seat: Seat,
        /// A JSON array of orders, as a replay has them in `orders`.
        orders: String,
    },
    /// Go back, once the processes that are thinking have answered.
    Undo {
        /// So many turns, or as many as there are.
        plies: usize,
    },
    /// Play on from another position.
    Edit {
        /// A map file.
        map: Vec<u8>,
    },
}

/// The match has ended, or never began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the match is over")]
pub struct MatchOver;

/// The side of the people: clones of it may be on any threads. A match that waits for a person is broken off when the
/// last one is dropped.
#[derive(Clone, Debug)]
pub struct PeopleHandle {
    requests: Sender<Request>,
    wake: Arc<OwnedFd>,
}

/// The side of the match.
#[derive(Debug)]
pub struct People {
    requests: Receiver<Request>,
    /// Readable when there are requests, and when there is nobody left to make any.
    wakes: OwnedFd,
}

impl People {
    /// Both sides.
    ///
    /// # Errors
    /// If the system has no more descriptors.
    pub fn new() -> std::io::Result<(PeopleHandle, Self)> {
        let (wakes, wake) = wake_pipe()?;
        let (sender, requests) = channel();
        Ok((PeopleHandle { requests: sender, wake: Arc::new(wake) }, Self { requests, wakes }))
    }

    pub(crate) fn wakes(&self) -> BorrowedFd<'_> {
        self.wakes.as_fd()
    }

    /// The next request; an error if there is none and will be none.
    pub(crate) fn next(&self) -> Result<Option<Request>, MatchOver> {
        match self.requests.try_recv() {
            Ok(request) => Ok(Some(request)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(MatchOver),
        }
    }

    /// Forgets what has woken us. Before the requests are looked at, so that none is overlooked.
    pub(crate) fn settle(&self) {
        let mut buffer = [0; 64];
        while matches!(io::read(&self.wakes, &mut buffer), Ok(1..)) {}
    }
}

impl PeopleHandle {
    /// Asks for something. What cannot be done is told by the match, not here.
    ///
    /// # Errors
    /// The match is over.
    pub fn ask(&self, request: Request) -> Result<(), MatchOver> {
        self.requests.send(request).map_err(|_| MatchOver)?;
        // A full pipe is readable as well: nothing is lost if this write is.
        let _ = io::write(&self.wake, b"!");
        Ok(())
    }

    /// A decision: a JSON array of orders, as a replay has them in `orders`.
    ///
    /// # Errors
    /// The match is over.
    pub fn decide(&self, seat: Seat, orders: impl Into<String>) -> Result<(), MatchOver> {
        self.ask(Request::Decide { seat, orders: orders.into() })
    }

    /// Goes back so many turns, or as many as there are.
    ///
    /// # Errors
    /// The match is over.
    pub fn undo(&self, plies: usize) -> Result<(), MatchOver> {
        self.ask(Request::Undo { plies })
    }

    /// Plays on from another position, given as a map file.
    ///
    /// # Errors
    /// The match is over.
    pub fn edit(&self, map: impl Into<Vec<u8>>) -> Result<(), MatchOver> {
        self.ask(Request::Edit { map: map.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_come_in_their_order_until_nobody_can_make_any() {
        let (handle, people) = People::new().expect("descriptors");
        assert_eq!(people.next(), Ok(None));
        let other = handle.clone();
        handle.decide(Seat::new(1), "[]").expect("it is not over");
        other.undo(2).expect("it is not over");
        drop((handle, other));
        people.settle();
        assert_eq!(people.next(), Ok(Some(Request::Decide { seat: Seat::new(1), orders: "[]".into() })));
        assert_eq!(people.next(), Ok(Some(Request::Undo { plies: 2 })));
        assert_eq!(people.next(), Err(MatchOver));
    }

    #[test]
    fn a_match_that_is_over_takes_no_requests() {
        let (handle, people) = People::new().expect("descriptors");
        drop(people);
        assert_eq!(handle.edit("x"), Err(MatchOver));
    }
}
