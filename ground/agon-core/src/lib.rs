//! The ground of Agon: what a game, a dialogue, a bot and a match *are*.
//!
//! *Rules are values. Speech is bytes. The referee is a pure machine between them. Only the outermost ring touches the
//! world.* This crate and the games compile without `std`, so a rule cannot reach a file, a clock or a thread.
//!
//! | module | what it defines |
//! | --- | --- |
//! | [`seat`](Seat) | places in a match |
//! | [`game`](Game) | positions, orders, the one change ([`Game::resolve`]), [`judge`] |
//! | [`standing`](Standing) | scores, places, why a match ended |
//! | [`state`](State) | what a position has beyond its map |
//! | [`contest`](Contest) | the whole contract of a game: maps, rule sets, dialogues, bots, frames |
//! | [`info`](GameInfo) | facts about a game that need no position |
//! | [`rules`] | rule sets and their points |
//! | [`dialogue`](Dialogue) | the two halves of a wire protocol, built-in bots |
//! | [`lines`](Lines) | splits the bytes of a wire protocol into lines |
//! | [`clock`] | how long a bot may take |
//! | [`frame`](Frame) | what a viewer draws; `frame_class` and `frame_grid` are its parts |
//! | `facts` | what a viewer says about a thing on the board |
//! | [`incident`](Incident) | what happened in a turn, in words |
//! | [`geometry`] | exact predicates on integer points |
//! | [`sort`](sort_few()) | sorts short lists |
//! | [`text`] | characters that must not be shown as they are |
//! | [`rng`](Rng), [`Fingerprint`] | seeds, random numbers, hashes of positions |
#![cfg_attr(feature = "laws", doc = "| [`laws`] | the laws that every game must obey, as one generic test |")]
#![no_std]

extern crate alloc;
#[cfg(any(test, feature = "laws"))]
extern crate std;

pub mod clock;
mod contest;
mod dialogue;
mod facts;
mod fingerprint;
mod flaw;
mod frame;
mod frame_class;
mod frame_grid;
mod game;
pub mod geometry;
mod incident;
mod info;
mod law_hooks;
#[cfg(feature = "laws")]
pub mod laws;
mod lines;
mod rng;
pub mod rules;
mod seat;
mod sort;
mod standing;
mod state;
pub mod text;

pub use clock::{ClockPolicy, TimePolicy};
pub use contest::{Contest, Setup, Terms};
pub use dialogue::{Asked, Bot, Client, Dialogue, GREETING_NAME, Nonsense, RefusedCommand, Remaining, Said};
pub use facts::Fact;
pub use fingerprint::Fingerprint;
pub use flaw::{Flaw, Flawed, ItemPath, Place};
pub use frame::{Frame, Item, Key, Shape};
pub use frame_class::{ItemClass, Naming};
pub use frame_grid::{Codes, Grid};
pub use game::{Entry, Failure, Game, Joint, Penalty, Refused, Sink, judge};
pub use incident::{Incident, Weight};
pub use info::{BotKind, DialectOption, GameInfo, IntoStep, MapKind, TurnLimit};
pub use law_hooks::LawHooks;
pub use lines::{Line, Lines};
pub use rng::{Derivation, Rng, Seed, SeedKey};
pub use rules::{RulePoint, RuleSet, RuleValue};
pub use seat::{MAX_SEATS, Seat, Seats};
pub use sort::{sort_few, sort_few_by_key};
pub use standing::{Ending, Standing, forfeited_by_all};
pub use state::{State, StateItem};
