//! Portals, the game of the Prologin 2015 final. The rules on one page. `docs/games/portals.md` says what
//! the specification is and where it can be found, and defines the points (A1) that are cited.
//!
//! Two agents walk on a square map and fight for portals. A player turns portals that it owns into links and links into
//! fields; fields bring points by their area.
//!
//! * **Order of play.** 100 rounds; in each, player 0 has a turn, then player 1. No game ends early. Whoever has more
//!   points in the end has won (A12, specification "Score").
//! * **A turn** is a list of any number of actions. It starts with [`ACTION_POINTS`] action points and [`MOVE_POINTS`]
//!   movement points, whatever was left of the last one (specification "Déroulement d'un tour").
//! * **Move** to any cell, for one movement point a step. Nothing is in the way. **Turbo** buys one movement point for
//!   [`TURBO_COST`] action points (specification "Déplacement" and "Turbo").
//! * **Capture** the neutral portal under the agent: [`CAPTURE_COST`] points, [`CAPTURE_SCORE`] on the score at once.
//! * **Link** the portal under the agent to another one: [`LINK_COST`] points. Both are one's own, no link interferes
//!   (see [`geometry::segments_interfere`]), neither portal lies strictly inside a field; links and fields of both
//!   players count (A7, A8, specification "Relier deux portails").
//! * **Neutralise** the enemy portal under the agent: [`NEUTRALISATION_COST`] points and
//!   [`NEUTRALISATION_SHIELD_COST`] more for each shield. Its shields, its links and their fields are gone.
//! * **Shield** the own portal under the agent, up to [`MAX_SHIELDS`] times: [`SHIELD_COST`] points, and one more for
//!   each shield already there under [`ShieldCost::Rising`] (A1, specification "Ajouter un bouclier").
//! * **Fields** are all triangles of linked portals, small and large, nested ones too (specification "Portails, liens
//!   et champs").
//! * **Score.** At the end of a turn its player gets two points for each unit of area of each of its fields
//!   (specification "Score").
//! * **Undo** within the turn is the business of [`Turn`]; the referee is told what survives. A champion that is late or
//!   crashes loses its turn and plays no other; its fields keep scoring (A13, A15).
//!
//! Rule sets: [`Rules::SPEC`] (the words of the specification) and [`Rules::ORIGINAL`] (what the engine did); they
//! differ in the price of shields alone. Where the specification is silent both follow the engine: the order of checks
//! (A3), what the history lists (A14), moves that cost nothing (A4), and the orders of lists (A18).
//!
//! | file | what it holds |
//! | --- | --- |
//! | `map.rs`, `mapgen.rs` | map files, generated maps |
//! | `chart.rs`, `web.rs`, `position.rs`, `history.rs` | the state: map, links, everything, the last turns |
//! | `order.rs`, `turn.rs` | actions and refusals, the stages of a turn |
//! | `session.rs` | [`Turn`]: act, look, take back |
//! | `geometry.rs`, `view.rs`, `listing.rs` | the reads of the API, the order of fields |
//! | `rules.rs` | the rule sets |
//! | `dialogue.rs`, `client.rs` | the text protocol |
//! | `dump.rs`, `binary.rs`, `record.rs` | the original's replay formats |
//! | `contest.rs`, `sample.rs`, `frame.rs`, `bots.rs` | what the rest of Agon asks of a game |
#![no_std]

extern crate alloc;

pub mod binary;
mod bots;
mod chart;
mod client;
mod contest;
mod dialogue;
pub mod dump;
mod frame;
pub mod geometry;
mod history;
mod law_hooks;
mod listing;
mod map;
mod mapgen;
mod order;
mod position;
mod record;
mod rules;
mod sample;
mod session;
mod turn;
mod view;
mod web;

pub use client::BotClient;
pub use dialogue::RefereeDialogue;
pub use map::Map;
pub use order::{ERROR_NAMES, Event, Order, Refusal, error_code};
pub use position::{Position, Scratch};
pub use record::{Participant, Record};
pub use rules::{Rules, ShieldCost};
pub use session::Turn;
pub use view::{Field, Link, View};

/// `NB_TOURS`: rounds of a match.
pub const ROUNDS: u32 = 100;
/// The most rounds that a match may be given.
pub const MAX_ROUNDS: u32 = 100_000;
/// The largest map: cells on a side. The contest's is 30.
pub const MAX_SIDE: i32 = 100;
/// `NB_POINTS_DEPLACEMENT`: movement points of a turn.
pub const MOVE_POINTS: i32 = 6;
/// `NB_POINTS_ACTION`: action points of a turn.
pub const ACTION_POINTS: i32 = 42;
/// `COUT_CAPTURE`, in action points.
pub const CAPTURE_COST: i32 = 3;
/// `COUT_LIEN`, in action points.
pub const LINK_COST: i32 = 2;
/// `COUT_NEUTRALISATION`, in action points.
pub const NEUTRALISATION_COST: i32 = 10;
/// `COUT_NEUTRALISATION_BOUCLIER`, in action points for each shield.
pub const NEUTRALISATION_SHIELD_COST: i32 = 5;
/// `COUT_BOUCLIER`, in action points.
pub const SHIELD_COST: i32 = 3;
/// `COUT_TURBO`, in action points.
pub const TURBO_COST: i32 = 6;
/// `MAX_BOUCLIERS`: shields of a portal.
pub const MAX_SHIELDS: u8 = 6;
/// `POINTS_CAPTURE` (in the specification `POINTS_CREATION_PORTAIL`): points for a capture.
pub const CAPTURE_SCORE: i64 = 10;
/// `POINTS_CHAMP`: points for each unit of area of a field, each turn.
pub const FIELD_SCORE: i64 = 2;
/// The most actions of a turn that are recorded; one more counts as a crash. Only moves to the own cell, which cost
/// nothing, come near it.
pub const MAX_ACTIONS: usize = 4096;
