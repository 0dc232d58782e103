//! People who take part in a running match. Their decisions and requests come from other threads.

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

/// What a person asks a running match to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// Take this decision for the person's seat.
    Decide {
        /// The seat that decides.
        seat: Seat,
        /// A JSON array of orders, in the format of `orders` in a replay.
        orders: String,
    },
    /// Take plies back. The match does this after the bots that are thinking have answered.
    Undo {
        /// How many plies to take back. If fewer were played, all of them are taken back.
        plies: usize,
    },
    /// Continue from another position.
    Edit {
        /// The content of a map file.
        map: Vec<u8>,
    },
}

/// The match has ended or never began, so that it takes no requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the match is over")]
pub struct MatchOver;

/// Sends requests of people to a match. Clones of it may be on any thread. If the last clone is dropped while the
/// match waits for a person, the match is interrupted.
#[derive(Clone, Debug)]
pub struct PeopleHandle {
    requests: Sender<Request>,
    wake: Arc<OwnedFd>,
}

/// The requests of people, as the match receives them.
#[derive(Debug)]
pub struct People {
    requests: Receiver<Request>,
    /// Readable if there are requests, and after the last [`PeopleHandle`] was dropped.
    wakeup: OwnedFd,
}

impl People {
    /// Makes the two sides: the handle for the people and the receiver for the match.
    ///
    /// # Errors
    /// The system has no free file descriptors.
    pub fn new() -> std::io::Result<(PeopleHandle, Self)> {
        let (wakeup, wake) = wake_pipe()?;
        let (sender, requests) = channel();
        Ok((PeopleHandle { requests: sender, wake: Arc::new(wake) }, Self { requests, wakeup }))
    }

    pub(crate) fn wakeup(&self) -> BorrowedFd<'_> {
        self.wakeup.as_fd()
    }

    /// The next request, or `None` if there is none now. [`MatchOver`] means that no request can follow.
    pub(crate) fn next(&self) -> Result<Option<Request>, MatchOver> {
        match self.requests.try_recv() {
            Ok(request) => Ok(Some(request)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(MatchOver),
        }
    }

    /// Empties the wake-up pipe. Call this before reading the requests, or a request could be missed.
    pub(crate) fn drain_wakeups(&self) {
        let mut buffer = [0; 64];
        while matches!(io::read(&self.wakeup, &mut buffer), Ok(1..)) {}
    }
}

impl PeopleHandle {
    /// Sends a request. If the match refuses it, the answer is a [`Notice::Denied`](crate::Notice::Denied).
    ///
    /// # Errors
    /// The match is over.
    pub fn ask(&self, request: Request) -> Result<(), MatchOver> {
        self.requests.send(request).map_err(|_| MatchOver)?;
        // If the pipe is full, it is readable already, so that a failed write does no harm.
        let _ = io::write(&self.wake, b"!");
        Ok(())
    }

    /// Sends the decision of a seat. `orders` is a JSON array of orders, in the format of `orders` in a replay.
    ///
    /// # Errors
    /// The match is over.
    pub fn decide(&self, seat: Seat, orders: impl Into<String>) -> Result<(), MatchOver> {
        self.ask(Request::Decide { seat, orders: orders.into() })
    }

    /// Asks the match to take `plies` plies back. If fewer were played, all of them are taken back.
    ///
    /// # Errors
    /// The match is over.
    pub fn undo(&self, plies: usize) -> Result<(), MatchOver> {
        self.ask(Request::Undo { plies })
    }

    /// Asks the match to continue from another position. `map` is the content of a map file.
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
        people.drain_wakeups();
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
