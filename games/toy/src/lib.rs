//! A toy game: two seats take stones from a heap until it is empty.
//!
//! It is in no list of games. It is the worked example of the recipe "add a game" (every file that a game has, each as
//! short as it can be), the game of the referee's tests, and what the exchange bench plays: no line of its protocol is
//! longer than 16 bytes.
//!
//! # The rules
//!
//! The two seats take turns. The seat to move names how many stones it takes: at least 1, at most the number that the
//! map gives, and never more than are left. **The seat that takes the last stone wins** (`last=wins`) or loses
//! (`last=loses`).
//!
//! With `turns=together` both seats name their numbers in the same turn, and both numbers are taken away as far as
//! there are stones. The last stone then counts for the seat that named the smaller number. With equal numbers it counts
//! for neither seat, and the match is a draw.
//!
//! A seat that does not answer or breaks the protocol loses; if both do so in one turn, both lose. A number that is not
//! allowed also loses the match (`unlawful=forfeit`) or only costs the turn (`unlawful=pass`). When the limit of turns is
//! reached, the match is a draw.
//!
//! # The protocol
//!
//! ```text
//! referee  toy wins          the greeting: what the last stone does
//! bot      ok
//! referee  heap 21 3         21 stones are left, at most 3 may be taken
//! bot      take 2
//! referee  yes | no          only with the seat's option confirm=yes: whether that was lawful
//! referee  end               the match is over
//! ```
//!
//! | file | what it holds |
//! | --- | --- |
//! | `map` | the map file: how it is read and written |
//! | `mapgen` | generated maps |
//! | `rules` | the points in which rule sets differ |
//! | `position` | [`Position`]: the heap, the seat to move and the result |
//! | `order` | what a seat may order, and why an order is refused |
//! | `turn` | the stages of a turn |
//! | `view` | what a seat knows |
//! | `dialogue`, `client` | the two halves of the protocol |
//! | `frame` | what a viewer draws |
//! | `bots` | the built-in bots |
//! | `contest` | how Agon sees all of it |
#![no_std]

extern crate alloc;

mod bots;
mod client;
mod contest;
mod dialogue;
mod frame;
mod law_hooks;
mod map;
mod mapgen;
mod order;
mod position;
mod rules;
mod turn;
mod view;

pub use client::BotClient;
pub use dialogue::RefereeDialogue;
pub use map::Map;
pub use order::{Event, Order, Refusal};
pub use position::Position;
pub use rules::{LastStone, Rules, Turns, Unlawful};
pub use view::View;
