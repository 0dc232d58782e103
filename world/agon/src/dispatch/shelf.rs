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

    /// Returns whether a replay or a log is stored already.
    fn has(&self, blob: BlobHash) -> bool;
}

/// Reads 64 hexadecimal digits.
pub fn hash_of(hex: &str) -> Option<BlobHash> {
    if hex.len() != 64 || !hex.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(BlobHash::from_bytes(bytes))
}

/// Returns a hash as 64 hexadecimal digits.
#[cfg(test)]
pub fn hex_of(hash: BlobHash) -> String {
    hash.bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_written_and_read() {
        let hash = BlobHash::of(b"abc");
        assert_eq!(hash_of(&hex_of(hash)), Some(hash));
        for wrong in ["", "ab", &"g".repeat(64), &"0".repeat(63), &"é".repeat(32), "../../../../etc/passwd"] {
            assert_eq!(hash_of(wrong), None, "{wrong}");
        }
    }
}
