//! Planet Wars, the game of the Google AI Challenge 2010: two players send fleets between planets that grow ships.
//!
//! # The rules
//!
//! `docs/games/planet-wars.md` says what the specification is and where it can be found, and defines the points (W1)
//! that are cited.
//!
//! * **Planets** (specification "Planets") have a position, an owner (neutral, player 1 or 2), ships and a growth
//!   rate. The ID of a planet is its index in the map file. **Fleets** (specification "Fleets") fly from planet to
//!   planet and cannot be redirected; a trip takes the Euclidean distance in turns, rounded up (W20,
//!   [`chart::trip_length`]).
//! * **A turn** (specification "Turns", [`turn`]): both bots get the whole state. Without seeing each other's
//!   answer, each gives any number of orders `<source> <destination> <ships>` ([`order`]). Then
//!   1. *departure*: the ships leave their planets, in the order of the orders;
//!   2. *advancement*: every planet that a player owns grows, and the remaining time of every fleet falls by one turn;
//!   3. *arrival*: at each planet the forces of the garrison and the arriving fleets are combined by owner. The
//!      largest force wins and loses as many ships as the second largest had. If the two largest are equal, the owner
//!      stays and has no ships left (W21, [`turn::battle`]).
//! * **The end** (specification "Endgame Conditions"): a player without ships on planets and in fleets has lost. At the
//!   turn limit (200) the player with more ships wins. A bot forfeits the game by an unlawful order, by a line that is
//!   not part of the protocol, and by a time-out.
//! * **The protocol** (specification "Bot I/O", [`dialogue`]): the state in the map's own format and `go` to the bot,
//!   its orders and `go` back. Every bot sees itself as player 1.
//!
//! The specification and the engines of the contest differ in some points (W1 to W14, [`rules`]). Each point can be set
//! by itself; the rule sets `spec`, `original` and `playgame` set all of them.
//!
//! # The modules
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`map`], [`coordinate`] | map files: reading, printing, flaws with line and column |
//! | [`mapgen`] | the two generators of the contest, and a small one |
//! | [`chart`] | what never changes: positions, growth, trip lengths |
//! | [`arrivals`] | all ships in flight as a calendar, the heart of a position's layout |
//! | [`Position`], [`turn`], [`order`] | positions and the stages of a turn |
//! | [`view`] | what one seat may know |
//! | [`rules`] | rule sets |
//! | [`dialogue`], [`client`] | the two halves of the wire protocol |
//! | [`playback`] | the playback string: export, import, and playing it again |
//! | [`bots`] | built-in bots |
#![no_std]

extern crate alloc;

pub mod arrivals;
pub mod bots;
pub mod chart;
pub mod client;
mod contest;
pub mod coordinate;
mod decimal;
pub mod dialogue;
mod fleets;
mod frame;
mod law_hooks;
pub mod map;
pub mod mapgen;
pub mod order;
mod planets;
pub mod playback;
mod position;
mod python2;
pub mod rules;
pub mod turn;
pub mod view;

pub use arrivals::Arrivals;
pub use chart::Chart;
pub use client::BotClient;
pub use dialogue::RefereeDialogue;
pub use map::{Fleet, Map, Planet};
pub use order::{Event, Order, Refusal};
pub use playback::Playback;
pub use position::{Position, Scratch};
pub use rules::{DEFAULT_LIMIT, MAX_LIMIT, Rules};
pub use view::{Owner, View};
