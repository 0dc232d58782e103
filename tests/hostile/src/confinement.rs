//! How the suite confines its bots. The limits are low, so that a bomb reaches them quickly.

use crate::{Facts, kind::Scenario, kinds::limits};
use agon_sandbox::Confinement;
use agon_spec::Isolation;
use std::path::Path;

/// Returns what a bot of the suite may read and use at a level. `None` without a sandbox.
pub(crate) fn confinement(scenario: &Scenario, level: Isolation, program: &Path, facts: &Facts) -> Option<Confinement> {
    if level == Isolation::None {
        return None;
    }
    Some(Confinement {
        read: vec![program.to_owned(), facts.own()],
        memory_mib: Some(limits::MEMORY_MIB),
        processes: scenario.processes,
        threads: scenario.threads,
        // Several processes share them.
        open_files: limits::DESCRIPTORS * scenario.processes.min(4),
        file_mib: limits::FILE_MIB,
        scratch_mib: limits::SCRATCH_MIB,
        ..Confinement::new(level)
    })
}
