//! Why a champion cannot be made from its sources.

use agon_core::Flaw;
use agon_sandbox::Refused;
use thiserror::Error;

/// Why a champion cannot be made from its sources.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ChampionError {
    /// Its sources, or this machine; the text may have many lines, those of the compiler.
    #[error(transparent)]
    Flaw(#[from] Flaw),
    /// The sandbox that keeps compilers cannot be made.
    #[error("compilers cannot be kept in a sandbox: {0}")]
    Sandbox(#[source] Refused),
    /// Somebody has cancelled.
    #[error("the build was cancelled")]
    Cancelled,
}
