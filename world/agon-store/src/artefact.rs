//! Files that are too large for one blob.

use crate::BlobHash;

/// A sequence of bytes in pieces. Each piece is a blob, so that nobody holds the whole in memory, and pieces that two
/// artefacts share are stored once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Artefact {
    /// The hash of all bytes.
    pub hash: BlobHash,
    /// The number of all bytes.
    pub size: u64,
    /// The pieces in their order.
    pub pieces: Vec<BlobHash>,
}
