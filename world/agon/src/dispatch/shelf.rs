//! What workers fetch: the tournament, its maps and its bots.

use agon_spec::WorkerField;
use agon_store::BlobHash;
use std::{collections::BTreeMap, io};

/// What workers fetch.
pub struct Shelf {
    /// The tournament.
    pub field: WorkerField,
    /// The maps that are files.
    pub maps: BTreeMap<BlobHash, Vec<u8>>,
    /// The bundles of bots, each with its size.
    pub bundles: BTreeMap<BlobHash, u64>,
    /// Reads bundles.
    pub reader: Box<dyn ReadBundle>,
}

/// Reads bundles piece by piece, and knows what is stored.
pub trait ReadBundle: Send + Sync {
    /// Reads a bundle from the byte `from` on. Ends early when `take` returns `false`.
    ///
    /// # Errors
    /// It cannot be read.
    fn read(&self, bundle: BlobHash, from: u64, take: &mut dyn FnMut(Vec<u8>) -> bool) -> io::Result<()>;

    /// Returns the bytes of a replay or a log. `None` if there are none.
    ///
    /// # Errors
    /// They cannot be read.
    fn blob(&self, blob: BlobHash) -> io::Result<Option<Vec<u8>>>;

    /// Returns whether a replay or a log is stored already.
    fn has(&self, blob: BlobHash) -> bool;
}
