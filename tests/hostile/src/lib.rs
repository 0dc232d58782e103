//! Hostile bots, each with a model of what must happen to it.
//!
//! A [`Kind`] is a small real program and its model: how it ends at each level of isolation, and what it must not
//! change. [`Suite`] plays every kind in a match against an honest bot and compares. Three processes take part in each
//! row: the *driver* (whoever calls [`Suite::run`]), which owns the victims and looks at them from outside; the
//! *referee*, one process a row, so that its memory and its life can be watched; and the bots. All of them are one
//! binary: its `main` begins with
//!
//! ```no_run
//! if let Some(role) = agon_hostile::Role::asked_for() {
//!     std::process::exit(role.run().into());
//! }
//! ```
//!
//! | module | what it defines |
//! | --- | --- |
//! | [`kind`] | [`Kind`]: a program and its model as data |
//! | `kinds` | all kinds, by what they attack |
//! | `tries` | [`Tries`]: what an attack has at hand, and how it tells what came of it |
//! | `attempt`, `errno` | one line of what was told |
//! | `player` | the honest half of every hostile bot |
//! | `facts` | [`Facts`]: what a bot knows about its victims |
//! | `role` | [`Role`]: what this process was started as |
//! | `victims`, `canary`, `leftovers` | what is attacked, and the proof from outside that nothing happened to it |
//! | `packing` | archives as nobody's tools make them |
//! | `submission` | what is given to `agon build` and to `agon replay verify`, and what came of it |
//! | `referee` | the process that plays one match and tells about it |
//! | `judge` | whether what was seen is what the model says |
//! | `suite`, `report` | all rows, side by side; the table |
//! | `probe` | [`probe()`]: all attacks that leave a process as it was, in a row, by one process |
//!
//! # Why it is safe
//!
//! An attack is only made where the level that contains it was tried a moment before, in the same referee process: a
//! bot of a first match tries to read a key, to signal a stranger, to fork and to open a socket. If any of it succeeds
//! the row is not run. Beyond that every bomb stops by itself at a few times its limit, every process ends by itself
//! after a minute, and calls that would change the machine have arguments that the kernel refuses. None of it trusts the
//! sandbox, which is what is tested.

pub mod attempt;
mod cage;
mod canary;
pub mod errno;
mod facts;
mod judge;
pub mod kind;
mod kinds;
mod leftovers;
mod packing;
mod player;
mod probe;
mod referee;
mod report;
mod role;
mod submission;
mod suite;
mod tries;
mod victims;

pub use facts::Facts;
pub use kind::Kind;
pub use kinds::{all as kinds, find};
pub use player::{Asked, Player, Tongue};
pub use probe::{Finding, probe};
pub use report::{Report, Row, State};
pub use role::{Bot, Role};
pub use suite::Suite;
pub use tries::Tries;

/// The first word of a process that is a bot; the second is its kind.
pub(crate) const BOT: &str = "hostile-bot";
/// The first word of a process that plays one match; the second is the kind, the third the level.
pub(crate) const REFEREE: &str = "hostile-referee";
/// The first word of the process that is the victim.
pub(crate) const CANARY: &str = "hostile-canary";
