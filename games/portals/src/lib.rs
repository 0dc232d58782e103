//! Portals, the game of the Prologin 2015 final. This page gives the rules. `docs/games/portals.md` says what the
//! specification is and where it can be found, and defines the points (A1) that are cited.
//!
//! Two agents walk on a square map and fight for portals. A player links its portals, and links make fields. Fields
//! bring points by their area.
//!
//! * **Order of play.** A match has 100 rounds. In each, player 0 has a turn, then player 1. No game ends early. The
//!   player with more points at the end wins (A12, specification "Score").
//! * **A turn** is a list of any number of actions. It starts with [`ACTION_POINTS`] action points and
//!   [`MOVE_POINTS`] movement points, regardless of what was left of the last turn (specification "Déroulement d'un
//!   tour").
//! * **Move** to any cell, for one movement point for each step. There are no obstacles. **Turbo** buys one movement
//!   point for [`TURBO_COST`] action points (specification "Déplacement" and "Turbo").
//! * **Capture** the neutral portal under the agent: it costs [`CAPTURE_COST`] action points and adds
//!   [`CAPTURE_SCORE`] to the score.
//! * **Link** the portal under the agent to another one: it costs [`LINK_COST`] action points. The player must own
//!   both portals, no link may interfere (see [`geometry::segments_interfere`]), and neither portal may lie strictly
//!   inside a field. Links and fields of both players count (A7, A8, specification "Relier deux portails").
//! * **Neutralise** the enemy portal under the agent: it costs [`NEUTRALISATION_COST`] action points and
//!   [`NEUTRALISATION_SHIELD_COST`] more for each shield. The portal loses its shields, its links and their fields.
//! * **Shield** the own portal under the agent, up to [`MAX_SHIELDS`] times: each costs [`SHIELD_COST`] action
//!   points. Under [`ShieldCost::Rising`] it costs one more for each shield already there (A1, specification "Ajouter
//!   un bouclier").
//! * **Fields** are all triangles of linked portals, including those that contain others (specification "Portails,
//!   liens et champs").
//! * **Score.** At the end of a turn its player gets two points for each unit of area of each of its fields
//!   (specification "Score").
//! * **Undo** within the turn is handled by [`Turn`]; the referee receives only the actions that remain. A champion
//!   that is late or crashes loses this turn and all later ones; its fields keep scoring (A13, A15).
//!
//! There are two rule sets: [`Rules::SPEC`] (the words of the specification) and [`Rules::ORIGINAL`] (what the engine
//! did). They differ only in the price of shields. Where the specification says nothing, both follow the engine: the
//! order of checks (A3), what the history lists (A14), moves that cost nothing (A4), and the orders of lists (A18).
//!
//! | file | what it holds |
//! | --- | --- |
//! | `map.rs`, `mapgen.rs` | map files, generated maps |
//! | `chart.rs`, `web.rs`, `position.rs`, `history.rs` | the state: map, links, whole position, last turns |
//! | `order.rs`, `turn.rs` | actions and refusals, the stages of a turn |
//! | `session.rs` | [`Turn`]: a turn in progress, with undo |
//! | `geometry.rs`, `view.rs`, `listing.rs` | the questions of the API, the order of fields |
//! | `state.rs` | what a position has beyond its map |
//! | `rules.rs` | the rule sets |
//! | `dialogue.rs`, `client.rs` | the text protocol |
//! | `dump.rs`, `binary.rs`, `record.rs` | the original's replay formats |
//! | `contest.rs`, `sample.rs`, `frame.rs`, `bots.rs` | how Agon sees all of it |
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
mod refused;
mod rules;
mod sample;
mod session;
mod state;
mod turn;
mod view;
mod web;

pub use client::{BotClient, write_refused};
pub use dialogue::RefereeDialogue;
pub use map::Map;
pub use order::{ERROR_NAMES, Event, Order, Refusal, error_code};
pub use position::{Position, Scratch};
pub use record::{Participant, Record};
pub use rules::{Rules, ShieldCost};
pub use session::Turn;
pub use view::{Field, Link, View};

/// `NB_TOURS`: the number of rounds of a match.
pub const ROUNDS: u32 = 100;
/// The largest number of rounds that a match may have.
pub const MAX_ROUNDS: u32 = 100_000;
/// The side of the largest map, in cells. The contest's map has 30.
pub const MAX_SIDE: i32 = 100;
/// `NB_POINTS_DEPLACEMENT`: the number of movement points of a turn.
pub const MOVE_POINTS: i32 = 6;
/// `NB_POINTS_ACTION`: the number of action points of a turn.
pub const ACTION_POINTS: i32 = 42;
/// `COUT_CAPTURE`: the price of a capture, in action points.
pub const CAPTURE_COST: i32 = 3;
/// `COUT_LIEN`: the price of a link, in action points.
pub const LINK_COST: i32 = 2;
/// `COUT_NEUTRALISATION`: the price of a neutralisation, in action points.
pub const NEUTRALISATION_COST: i32 = 10;
/// `COUT_NEUTRALISATION_BOUCLIER`: the additional price of a neutralisation for each shield, in action points.
pub const NEUTRALISATION_SHIELD_COST: i32 = 5;
/// `COUT_BOUCLIER`: the price of a shield, in action points.
pub const SHIELD_COST: i32 = 3;
/// `COUT_TURBO`: the price of a movement point, in action points.
pub const TURBO_COST: i32 = 6;
/// `MAX_BOUCLIERS`: the largest number of shields of a portal.
pub const MAX_SHIELDS: u8 = 6;
/// `POINTS_CAPTURE` (in the specification `POINTS_CREATION_PORTAIL`): the points for a capture.
pub const CAPTURE_SCORE: i64 = 10;
/// `POINTS_CHAMP`: the points for each unit of area of a field, in each turn.
pub const FIELD_SCORE: i64 = 2;
/// The largest number of actions of a turn. One more counts as a crash. Only a turn full of moves to the agent's own
/// cell, which cost nothing, can come near it.
pub const MAX_ACTIONS: usize = 4096;
