//! Workers on other machines, as a run sees them.

use agon_dispatch::{Do, In};
use agon_play::Post;
use agon_store::{Blob, BlobHash};

/// What stands between a run and the workers on other machines: a [`Dispatcher`](agon_dispatch::Dispatcher) on a thread of its
/// own.
pub trait Others {
    /// Called once, when the run can take orders.
    fn begin(&self, orders: Post<Do>);

    /// Tells the dispatcher what it has asked for, and what has changed.
    fn tell(&self, message: In);

    /// Returns a replay or a log that a worker has sent, and forgets it.
    fn take_blob(&self, hash: BlobHash) -> Option<Blob>;

    /// Returns whether matches are played on this machine, too.
    fn plays_here(&self) -> bool;

    /// For how long a match stays with a worker that is silent, in milliseconds. The store keeps claims for twice as long, so that
    /// workers can go on when another run leads.
    fn lease_ms(&self) -> u64;

    /// Returns what makes the tokens of workers unguessable. It must be the same in every run.
    fn seal_key(&self) -> [u8; 32];
}
