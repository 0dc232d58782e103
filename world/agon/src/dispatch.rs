//! The server of a tournament's workers on other machines.
//!
//! | module | what it does |
//! | --- | --- |
//! | `key` | what workers must have |
//! | `server` | connections |
//! | `routes` | requests, from their bytes to the dispatcher and back |
//! | `body` | bodies that are large or slow |
//! | `shelf` | what workers fetch |
//! | `blobs` | replays that wait for their results |
//! | `desk` | the thread of the dispatcher |

mod blobs;
mod body;
mod desk;
mod key;
mod routes;
mod server;
mod shelf;

pub use agon_server::http::ListenAddress;
pub use blobs::WaitingBlobs;
pub use desk::Desk;
pub use key::WorkerKey;
pub use routes::Routes;
pub use server::serve;
#[cfg(test)]
use server::serve_with_patience;
pub use shelf::{ReadBundle, Shelf};

#[cfg(test)]
mod tests;
