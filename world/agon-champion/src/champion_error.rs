//! Why a champion cannot be built.

use agon_core::Flaw;
use agon_sandbox::Refused;
use thiserror::Error;

/// Why a champion cannot be built.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ChampionError {
    /// Something is wrong with the sources or this machine. The text may have many lines, with the messages of the
    /// compiler.
    #[error(transparent)]
    Flaw(#[from] Flaw),
    /// The sandbox for the compilers cannot be set up.
    #[error("cannot set up the sandbox for the compiler: {0}")]
    Sandbox(#[source] Refused),
    /// The build was cancelled.
    #[error("the build was cancelled")]
    Cancelled,
}
