//! What commands print with `--format json`, one file a command.

mod bench;
mod build;
mod check;
mod doctor;
mod games;
mod hostile;
mod map;

pub use bench::{BenchDocument, Figure, Machine};
pub use build::{BuildDocument, CleanDocument};
pub use check::{CheckDocument, CheckFinding, CheckStep, StepResult};
pub use doctor::{Clocks, DoctorDocument, LanguageTool, Protection, ProtectionState};
pub use games::{
    DialectDescription, FormatDescription, GameDocument, LimitDescription, NameDescription, PointDescription,
};
pub use hostile::{HostileDocument, HostileKind, HostileRow};
pub use map::{FlawDocument, MapCheckDocument, MapShowDocument};
