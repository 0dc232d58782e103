//! What teams send: from the receipt to the trial match.
//!
//! What was received is on disk when the receipt is given, and the same bytes of the same team always give the same receipt.
//! Then a version takes its steps: intake, build, check and a trial match. Each is a process of its own, the intake in a
//! sandbox, so that nothing that a stranger has written is unpacked or run by the server. Steps have threads of their own: they
//! never wait behind matches.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `upload` | [`Upload`], [`UploadWriter`], [`FolderWriter`]: what is sent, on its way |
//! | `receipt` | [`announce`], [`receive`], [`Receipt`]: what was received is on disk |
//! | `version` | [`Version`], [`StepLog`], [`VersionFile`]: what became of it, which one plays, what differs |
//! | `pipeline` | [`Pipeline`], [`Lanes`]: the queue, and the threads that run steps |
//! | `step` | [`RunSteps`]: what runs a step |
//! | `program` | [`AgonSteps`]: steps as processes of `agon` |
//! | `intake`, `taken` | [`intake_helper`], [`source_prints`]: the process that unpacks, and what it says of the files |
//! | `documents` | [`whole`], [`row`]: versions as documents |
//! | `routes`, `receiving`, `page` | [`ROUTES`], [`receiving()`]: what is asked about versions, and how it is answered |
//! | `copies` | [`NearCopy`]: versions that are very like those of other teams |

mod copies;
mod documents;
mod intake;
mod page;
mod pipeline;
mod program;
mod receipt;
mod receiving;
mod routes;
mod step;
mod taken;
#[cfg(test)]
mod tests;
mod upload;
mod version;

pub use copies::{NearCopy, copies};
pub use documents::{receipt_document, row, whole};
pub use intake::{intake_helper, source_prints};
pub use pipeline::{GameOfContest, Lanes, Pipeline, PipelineOptions};
pub use program::AgonSteps;
pub use receipt::{MOST_WAITING, Receipt, announce, receipt, receive};
pub use receiving::receiving;
pub use routes::ROUTES;
pub use step::{LOG, REPLAY, RunSteps, StepReport, StepRun};
pub use taken::Taken;
pub use upload::{FILES_LIMIT, FolderWriter, UPLOAD_LIMIT, Upload, UploadForm, UploadWriter};
pub use version::{
    FileChange, StepLog, Version, VersionFile, choose, compare, files, held, logs, position, replay, run_again,
    take_back, version_of_team, versions,
};
