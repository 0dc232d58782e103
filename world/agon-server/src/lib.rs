//! Serves a contest to people: accounts, teams, submissions and their pages, beside the matches in one store.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `database` | [`Database`](database::Database): the contest's tables, in SQLite or PostgreSQL |
//! | [`submissions`] | what teams send, from its receipt to its trial match |
//! | `clock` | [`Clock`]: the time as data |
//! | `people` | accounts, sessions, invites, teams, limits, audit |
//! | `contest` | [`Contest`](contest::Contest): the contest that a database has |
//! | `http` | what requests are answered, and how |
//! | `pages`, `routes` | what a contest answers, as pages and as documents |
//! | `server` | [`Server`](server::Server): the server of a contest |
//! | `words` | [`Words`](words::Words): the strings of pages in every language |
//! | `error`, `refusal` | [`Error`], [`Refusal`], [`Conflict`]: why something is not done |

mod clock;
pub mod contest;
pub mod database;
mod error;
pub mod http;
pub mod pages;
pub mod people;
mod refusal;
pub mod routes;
pub mod server;
pub mod submissions;
pub mod words;

pub use clock::{Clock, SystemClock};
pub use error::{Error, Result};
pub use refusal::{Conflict, Refusal};
