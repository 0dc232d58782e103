//! The documents of Agon: what describes a match, and what commands print as JSON.
//!
//! Games know nothing of these types. Everything that starts, records or reports a match does.
//!
//! | module | what it defines |
//! | --- | --- |
//! | [`spec`](MatchSpec) | one match, described |
//! | [`isolation`](Isolation) | how far bots are kept from everything else |
//! | [`fuel`] | how many instructions a WASM bot may use |
//! | `document` | what each command prints, one file a command |
//! | [`schema`](DocumentKind) | the list of documents ([`DOCUMENTS`]) and their JSON Schemas |
//! | `shape` | what the types of `agon-core` look like in a document |

mod document;
pub mod fuel;
mod isolation;
mod schema;
mod shape;
mod spec;

pub use document::*;
pub use fuel::Fuel;
pub use isolation::Isolation;
pub use schema::{DocumentKind, SCHEMA_VERSION, Versioned};
pub use spec::{Limits, MatchSpec, SeatSpec};

/// Every kind of document, in the order in which `agon schema --list` names them.
pub const DOCUMENTS: &[DocumentKind] = &[
    DocumentKind::new::<MatchSpec>("match-spec", "the header of a replay"),
    DocumentKind::new::<Versioned<CheckDocument>>("check", "agon check"),
    DocumentKind::new::<Versioned<MapCheckDocument>>("map-check", "agon map check"),
    DocumentKind::new::<Versioned<MapShowDocument>>("map-show", "agon map show"),
    DocumentKind::new::<Versioned<BuildDocument>>("build", "agon build"),
    DocumentKind::new::<Versioned<CleanDocument>>("build-clean", "agon build --clean"),
    DocumentKind::new::<Versioned<BenchDocument>>("bench", "agon bench"),
    DocumentKind::new::<Versioned<HostileDocument>>("selftest-hostile", "agon selftest hostile"),
    DocumentKind::new::<Vec<HostileKind>>("selftest-hostile-list", "agon selftest hostile --list"),
    DocumentKind::new::<Versioned<DoctorDocument>>("doctor", "agon doctor"),
    DocumentKind::new::<Vec<GameDocument>>("games", "agon games"),
    DocumentKind::new::<Versioned<GameDocument>>("game", "agon games GAME"),
];
