//! The documents of Agon: what describes a match.
//!
//! Games know nothing of these types. Everything that starts, records or reports a match does.
//!
//! | module | what it defines |
//! | --- | --- |
//! | [`spec`](MatchSpec) | one match, described |
//! | [`isolation`](Isolation) | how far bots are kept from everything else |
//! | [`fuel`] | how many instructions a WASM bot may use |

pub mod fuel;
mod isolation;
mod spec;

pub use fuel::Fuel;
pub use isolation::Isolation;
pub use spec::{Limits, MatchSpec, SeatSpec};
