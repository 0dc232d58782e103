//! Hostile bots, each with a model of what must happen to it.
//!
//! A [`Kind`] is a small real program with its model: how it must end at each level of isolation. [`Suite`] plays every
//! kind in a match against an honest bot and compares the result with the model. Three kinds of processes take part in
//! each row: the *driver*, which calls [`Suite::run`], owns the victims and checks them from outside; the *referee*,
//! one process for each row, so that its memory and its end can be observed; and the bots. All of them run the same
//! program, whose `main` begins with
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
//! | `attack` | [`Attack`]: what an attack has at hand, and how it reports its results |
//! | `attempt`, `errno` | one line of such a report |
//! | `client` | [`Client`]: the honest half of every hostile bot |
//! | `facts` | [`Facts`]: what a bot knows about its victims |
//! | `role` | [`Role`]: what this process was started for |
//! | `victims`, `victim_process`, `leftovers` | what attacks aim at, and the check from outside that it was not harmed |
//! | `confinement` | how the suite confines its bots |
//! | `cpu` | the CPU time of processes |
//! | `archives` | archives that no tool would write |
//! | `submission` | what is passed to `agon build` and `agon replay verify` |
//! | `poisoning` | attacks on what `agon` keeps, and what an honest user gets afterwards |
//! | `referee` | the process that plays one match and reports it |
//! | `comparison` | compares a match with the model of its kind |
//! | `suite`, `report` | the suite, which plays all rows, and its results |
//! | `random_calls` | [`Fuzz`]: random system calls from inside the sandbox |
//!
//! # Why it is safe
//!
//! Before an attack, the same referee process checks the level of isolation that must contain it: in a first match, a
//! bot tries to read a key, to signal other processes, to fork and to open a socket. If one of these attempts succeeds,
//! the row is not run. In addition, every bomb stops at a few times its limit, every process ends after a minute, and
//! system calls that would change the machine have arguments that the kernel refuses. None of this relies on the
//! sandbox, which is what the suite tests.

mod archives;
mod attack;
pub mod attempt;
mod client;
mod comparison;
mod confinement;
mod cpu;
pub mod errno;
mod facts;
pub mod kind;
mod kinds;
mod leftovers;
mod others;
mod poisoning;
#[cfg(target_os = "linux")]
mod random_calls;
mod referee;
mod report;
mod role;
mod submission;
mod suite;
mod victim_process;
mod victims;

pub use attack::Attack;
pub use client::{Client, Protocol, Question};
pub use facts::Facts;
pub use kind::Kind;
pub use kinds::{FORMER_NAMES, all as kinds, find};
pub use poisoning::Poisoning;
#[cfg(target_os = "linux")]
pub use random_calls::Fuzz;
pub use report::{Report, Row, State};
pub use role::{Bot, Role};
pub use suite::Suite;

/// The first argument with which the program is `agon`.
pub const AGON: &str = "agon";
/// The first argument of a bot; the second is its name.
pub(crate) const BOT: &str = "hostile-bot";
/// The first argument of a referee; the second is the kind, the third the level.
pub(crate) const REFEREE: &str = "hostile-referee";
/// The first argument of the referee of a series; the second is the bot, the third the level.
#[cfg(target_os = "linux")]
pub(crate) const SERIES: &str = "hostile-series";
/// The first argument of the victim process.
pub(crate) const VICTIM: &str = "hostile-victim";
