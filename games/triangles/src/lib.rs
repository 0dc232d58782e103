//! Triangles, the contest of ITPW 2008: rules, maps, wire protocol, bots.
//!
//! # The rules
//!
//! `docs/games/triangles.md` says what the specification is, and defines the points (T1) and facts (P1) that are cited.
//!
//! The board has `n` points, 1 to 100, with whole coordinates from 1 to 100, pairwise different (specification
//! "Szczegóły").
//! The players draw in turn. A move joins two points by a segment, under two conditions:
//!
//! * no other point of the board lies inside the segment;
//! * the segment and each drawn segment have at most one point in common, and that point is an end of both.
//!
//! A move pays one point for each triangle that it closes: three drawn segments that meet in pairs at three points,
//! with no point of the board inside. It can close one such triangle on each side, so it pays 0, 1 or 2 (P1). A
//! triangle with a point inside never pays anything (T5).
//!
//! The game ends when no segment can be drawn. The player with more points wins; equal points are a draw. The length
//! of a game and the number of points that it pays follow from the board alone: with `h` points on the boundary of the
//! convex hull there are `3n - 3 - h` segments and `2n - 2 - h` triangles ([`Position::segments_in_all`],
//! [`Position::triangles_in_all`]). So a player cannot make the game longer or shorter. What counts is which player
//! must first draw a segment that gives points away.
//!
//! A program that ends before the game does keeps its points, and the other one draws alone (specification
//! "Protokół"). A bad answer and a time-out have the same consequence (T9, T10, [`Rules`]).
//!
//! # The files
//!
//! | file | what it holds |
//! | --- | --- |
//! | `segment`, `order` | segments; the order to draw one, why it may be refused, the events of a turn |
//! | `field` | what follows from the points alone, and the tables that make simulations fast |
//! | `position`, `turn`, `view` | a position, one turn in the order of the specification, what a bot may see |
//! | `rules` | what the specification leaves open |
//! | `map`, `map_file`, `mapgen` | boards: how they are edited, written to files, generated |
//! | `dialogue`, `answer`, `client` | both halves of the protocol |
//! | `bots`, `frame` | built-in bots; what a viewer draws |
//! | `contest` | how Agon sees all of it |

#![no_std]

extern crate alloc;
// Only to ask the processor for its features (`multiversion`), which `core` cannot.
#[cfg(any(test, target_arch = "x86_64"))]
extern crate std;

mod answer;
mod bots;
mod client;
mod contest;
mod dialogue;
mod field;
mod frame;
mod law_hooks;
mod map;
mod map_file;
mod mapgen;
mod order;
mod position;
mod rules;
mod segment;
mod turn;
mod view;

pub use client::BotClient;
pub use dialogue::RefereeDialogue;
pub use field::{LARGEST_COORDINATE, MOST_POINTS, MOST_SEGMENTS};
pub use map::{Map, Stroke};
pub use order::{Event, Order, Refusal};
pub use position::{Closed, Made, Position};
pub use rules::{Bad, RefusedPlay, Rules};
pub use segment::Segment;
pub use view::View;
