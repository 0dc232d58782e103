//! What a contest of people is, without the world: no file, no socket, no clock. Times come in as milliseconds since 1970.
//!
//! ```
//! use agon_contest::{Act, ContestFile, Registration, Viewer, may};
//!
//! let contest = ContestFile::parse("name = \"Cup 2027\"\ngame = \"planet-wars\"\n")?;
//! assert_eq!(contest.registration, Registration::Invited);
//! assert!(may(&Viewer::VISITOR, &Act::SeeContest) && !may(&Viewer::VISITOR, &Act::Lead));
//! # Ok::<(), agon_core::Flaw>(())
//! ```
//!
//! | module | what it defines |
//! | --- | --- |
//! | `file` | [`ContestFile`]: what the organiser writes |
//! | `name` | [`AccountName`], [`TeamName`]: names that people give to themselves |
//! | `role` | [`Viewer`], [`Role`], [`Standing`], [`Scope`]: who asks |
//! | `rights` | [`Act`], [`may`]: who may do what |
//! | `limits` | [`Limits`], [`Rate`]: how often somebody may ask |
//! | [`submission`] | the steps of a submission, its states, and its turn in the queue |
//! | [`copies`] | how much of one bot's sources is in another bot's |

pub mod copies;
mod file;
mod limits;
mod name;
mod rights;
mod role;
pub mod submission;

pub use file::{ContestFile, Registration};
pub use limits::{Earlier, Kind, KindLimits, Limits, Rate};
pub use name::{AccountName, NameError, TeamName};
pub use rights::{Act, may};
pub use role::{Asker, Membership, Role, Scope, Standing, Viewer};
