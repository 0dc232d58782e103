//! Grid: two players capture tiles of a rectangle at the same time.
//!
//! This page gives the rules. Chapters in quotes are those of the specification, the contest's rules page of 2015. G1
//! to G32 are the points where it leaves a choice; `docs/games/grid.md` defines them and says where the page can be
//! found.
//!
//! * **The map** is a rectangle of tiles, each empty or owned by player 1 or 2. Coordinates count from 0 at the top
//!   left; x is the column (G1). On the contest's maps, such as 10x10, player 1 owns the top left tile and player 2
//!   the bottom right one (G26). There is no fog of war.
//! * **A turn**: both players see the map and order captures; neither sees the other's orders (specification "Player
//!   communication"). All orders are judged on that map (G4): captures of one turn do not build on each other (G5).
//! * **Reach** (specification "Order format"): a player can capture a tile if it owns one of the tile's
//!   side-neighbours. The tile may be empty, the enemy's (G9), or the player's own (G10).
//! * **Energy** (specification "Energy budget"): at most 1 + N/3 captures in a turn. N is the number of empty tiles
//!   that have strictly more side-neighbours of the player than of the enemy (G3). The rule set decides whether N/3 is
//!   rounded up or down (G2). A tile that is ordered twice costs twice (G14).
//! * **Suffocation** (specification "Tile suffocation"): a tile becomes empty if none of its eight neighbours is
//!   empty. Nothing beyond the border is empty (G8). All tiles suffocate at the same time (G7), before the captures
//!   (G6).
//! * **Captures**: a tile that only one player ordered becomes that player's. A tile that both ordered stays as
//!   suffocation left it (G12). An order for an own tile therefore keeps the enemy out and saves the tile from
//!   suffocation (G11). Players may swap tiles (G13).
//! * **Faults** (specification "Disqualification conditions"): a bot that is late, crashes, closes a pipe or writes a
//!   line that is not an order loses. The orders are judged only if neither bot did so; a bot then loses if it ordered
//!   too many tiles, or one that is out of its reach or outside the map (G16). So a bot with an unlawful order wins if
//!   the other writes garbage in the same turn; two faults of the same kind leave no winner (G18).
//! * **The end** (specification "Victory conditions"): a player without tiles has lost; if neither player has
//!   tiles, the match is a draw (G20 to G22). After 200 turns the player with more tiles wins; with equal numbers the
//!   match is a draw (G23).
//!
//! | module | what it holds |
//! | --- | --- |
//! | `rules` | the rule sets `spec` and `original` and their points |
//! | `map`, `mapgen` | map files; maps from a seed |
//! | `board`, `planes`, `pair` | tiles as bits; the passes over them, of any size and of two words |
//! | `position` | a position, what it refuses, how it is scored |
//! | `turn` | a turn, stage by stage |
//! | `order`, `view` | what a bot may order and what comes of it; what it may know |
//! | `sample` | random lawful orders |
//! | `dialogue`, `client` | both halves of the wire protocol |
//! | [`replay_text`] | the contest's replay format, both ways |
//! | `bots`, `frame` | built-in bots; what a viewer draws |
//! | `contest` | how Agon sees all of it |
//!
//! ```
//! use agon_core::{Contest, Game, Seat, Seed, Setup, Terms};
//! use agon_grid::{Position, Rules};
//!
//! let map = Position::generate("10x10", Seed(1), 2).unwrap();
//! let terms = Terms { rules: Rules::SPEC, seats: 2, limit: None };
//! let game = Position::from_map(map, &terms).unwrap();
//! // N is 2 in a corner: 1 + 2/3, rounded up.
//! assert_eq!(game.energy(Seat::new(0)), 2);
//! assert!(!game.over());
//! ```
#![no_std]

extern crate alloc;
// Only for asking the processor what it can do (`multiversion`), which `core` cannot.
#[cfg(any(test, target_arch = "x86_64"))]
extern crate std;

mod board;
mod bots;
mod client;
mod contest;
mod dialogue;

mod frame;
mod law_hooks;
mod map;
mod mapgen;
mod order;
mod pair;
mod planes;
mod position;
pub mod replay_text;
mod rules;
mod sample;
mod turn;
mod view;

pub use board::{Board, MOST_SIDE};
pub use client::BotClient;
pub use dialogue::{LONGEST_LINE, MOST_MESSAGES, RefereeDialogue};
pub use map::Map;
pub use order::{Event, Line, MOST_CHARACTERS, Order, Piece, Refusal, lines};
pub use position::Position;
pub use rules::{ClosedInput, DEFAULT_LIMIT, Elimination, LineEnds, Rounding, Rules};
pub use turn::Scratch;
pub use view::View;
