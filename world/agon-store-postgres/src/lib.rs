//! Keeps tournaments in PostgreSQL: the same as a store in one file, for a server of their own, with several machines of which
//! one can go on when another ends.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `store` | [`Postgres`]: a back end of `agon-store` |
//! | `reader` | [`PostgresReader`]: a store that is only read |
//! | `place` | [`is_address`], [`shown_address`]: `postgres://USER@HOST/DATABASE`, and what is shown of it |
//! | `password` | `PGPASSWORD` and `~/.pgpass` |
//! | `lead` | who leads a tournament: an advisory lock, and an epoch that fences off whoever led before |
//! | `writer` | the only thread that writes; it commits in groups, and makes a group again whose connection broke |
//! | `state` | what it keeps in memory |
//! | `write`, `read`, `rows` | the statements |
//! | `transfer` | a tournament on its way from one store to another |
//! | `beside` | for tables that another crate keeps in the same schema |
//! | `schema` | the tables, and how older ones become newer ones |
//!
//! There is one connection for each process that leads, and one for each that reads. Nothing is notified: a `NOTIFY` in the commit
//! of a result would make all commits wait for each other.

pub mod beside;
mod db;
mod failure;
mod lead;
mod nul;
mod password;
mod place;
mod read;
mod reader;
mod records;
mod rows;
mod schema;
mod state;
mod store;
mod transfer;
mod write;
mod writer;

pub use place::{is_address, shown_address};
pub use reader::PostgresReader;
pub use store::Postgres;
