//! Versions as documents. The pages show the same ones.

use super::{
    receipt::Receipt,
    version::{StepLog, Version, VersionFile, files, logs, position},
};
use crate::{Result, database::Sql};
use agon_contest::submission::{Step, SubmissionState};
use agon_spec::{
    SubmissionDocument, SubmissionFile, SubmissionLog, SubmissionReceipt, SubmissionResult, SubmissionRow,
    SubmissionStatus, SubmissionStep,
};

/// Returns the receipt of a team as a document.
#[must_use]
pub fn receipt_document(team: i64, receipt: &Receipt) -> SubmissionReceipt {
    SubmissionReceipt {
        team,
        version: receipt.number,
        hash: digits(&receipt.hash),
        size: receipt.size,
        time_received_ms: receipt.received_ms,
    }
}

/// Returns a version as a row of the list.
///
/// # Errors
/// If the database cannot be read.
pub fn row(sql: &mut dyn Sql, version: &Version) -> Result<SubmissionRow> {
    let status = match version.progress.state {
        SubmissionState::Waiting(_) => SubmissionStatus::Waiting,
        SubmissionState::Running(_) => SubmissionStatus::Running,
        SubmissionState::Accepted => SubmissionStatus::Accepted,
        SubmissionState::Refused(_) => SubmissionStatus::Refused,
        SubmissionState::Held(_) => SubmissionStatus::Held,
    };
    Ok(SubmissionRow {
        receipt: SubmissionReceipt {
            team: version.team,
            version: version.number,
            hash: digits(&version.hash),
            size: version.size,
            time_received_ms: version.received_ms,
        },
        name: version.name.clone(),
        status,
        step: version.progress.state.step().map(step),
        position: if status == SubmissionStatus::Waiting {
            position(sql, version)?.map(|place| place as u64)
        } else {
            None
        },
        reason: version.progress.reason.clone(),
        plays: version.is_chosen,
        time_taken_back_ms: version.taken_back_ms,
    })
}

/// Returns a version with its logs and its files.
///
/// # Errors
/// If the database cannot be read.
pub fn whole(sql: &mut dyn Sql, version: &Version) -> Result<SubmissionDocument> {
    Ok(SubmissionDocument {
        version: row(sql, version)?,
        logs: logs(sql, version)?.iter().map(log).collect(),
        files: files(sql, version)?.iter().map(file).collect(),
    })
}

fn log(log: &StepLog) -> SubmissionLog {
    SubmissionLog {
        number: log.number,
        step: step(log.step),
        time_began_ms: log.began_ms,
        time_ended_ms: log.ended_ms,
        result: log.result.as_deref().map(|result| match result {
            "passed" => SubmissionResult::Passed,
            "refused" => SubmissionResult::Refused,
            "broken-off" => SubmissionResult::BrokenOff,
            _ => SubmissionResult::HostTrouble,
        }),
        log: log.log.clone(),
        replay: log.has_replay,
    }
}

fn file(file: &VersionFile) -> SubmissionFile {
    SubmissionFile { path: file.path.clone(), size: file.size, hash: digits(&file.hash) }
}

fn step(step: Step) -> SubmissionStep {
    match step {
        Step::Intake => SubmissionStep::Intake,
        Step::Build => SubmissionStep::Build,
        Step::Check => SubmissionStep::Check,
        Step::Trial => SubmissionStep::Trial,
    }
}

fn digits(hash: &[u8; 32]) -> String {
    agon_bundle::BundleHash::from_bytes(*hash).to_string()
}
