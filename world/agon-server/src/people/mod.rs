//! People: accounts, sessions, teams, invitations, limits, and what those who lead have done.
//!
//! Functions that take `&mut dyn Sql` are parts of a transaction, so that several of them make one. Those that take a [`Database`]
//! make transactions of their own: a password takes a tenth of a second to compare, and nobody else is to wait for that; and an
//! attempt is on disk before it is tried, so that no crash makes it uncounted. Rights are asked for by each function itself, of the
//! [`Ask`] that it is given: to be exact, make the [`Viewer`] in the same transaction.
//!
//! ```
//! use agon_contest::ContestFile;
//! use agon_server::{database::Database, people::{self, Ask, accounts, links, teams}};
//!
//! let db = Database::memory()?;
//! let file = ContestFile::new("Cup", "grid").expect("a name");
//! let visitor = Ask::visitor(None, 0);
//!
//! // The organiser opens the link that the server has printed, and chooses a name and a password.
//! let link = db.transact(|sql| links::first(sql, 0))?.expect("nobody leads yet");
//! let secret = links::redeem_first(&db, &file.limits, &visitor, &link, "ana", "correct horse")?;
//! let viewer = people::visit(&db, Some(&secret), 0)?;
//! assert!(agon_contest::may(&viewer, &agon_contest::Act::Lead));
//! # Ok::<(), agon_server::Error>(())
//! ```
//!
//! | module | what it defines |
//! | --- | --- |
//! | `ask` | [`Ask`]: who asks, from where, and when |
//! | `secret` | [`Secret`], [`new_code`]: what nobody can guess |
//! | `password` | [`check_password`]: passwords, and what is kept of them |
//! | `accounts` | who takes part: registration, log-in, passwords |
//! | `sessions` | [`viewer`], [`visit`]: sessions of browsers, and tokens of programs |
//! | `links` | one-time links: for the first organiser, and for whoever has lost a password |
//! | `invites` | codes with which people make accounts |
//! | `teams` | teams and their members |
//! | `requests` | [`allow`]: how often somebody may ask |
//! | `audit` | what those who lead have done |

pub mod accounts;
mod ask;
pub mod audit;
pub mod invites;
pub mod links;
mod password;
mod requests;
mod secret;
pub mod sessions;
pub mod teams;
#[cfg(test)]
mod tests;

pub use ask::Ask;
pub(crate) use password::HASHED_AT_ONCE;
pub use password::{TOO_COMMON, check_password};
pub use requests::{Who, allow};
pub use secret::{Secret, new_code, read_code};
pub use sessions::{viewer, visit};

#[cfg(doc)]
use crate::database::Database;
#[cfg(doc)]
use agon_contest::Viewer;
