//! Tournaments from one file.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `file` | [`TournamentFile`], [`TournamentBot`], [`Replays`]: what the file says |
//! | `kind` | the kinds of tournaments, and the keys that only some of them have |
//! | `text` | TOML with places |
//! | `print` | writes a file with every default spelled out |
//! | `difference` | what differs between two files, and whether the past stays true |

mod difference;
mod file;
mod kind;
mod print;
mod text;

pub use file::{Replays, TournamentBot, TournamentFile};
