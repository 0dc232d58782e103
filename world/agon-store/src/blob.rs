//! Replays and logs, named by their content.

use crate::{Result, StoreError};
use sha2::{Digest, Sha256};
use std::{cell::RefCell, fmt, io::Read, sync::Arc};
use zstd::bulk::Compressor;

/// The level of compression. It costs little time and saves most of the space.
const ZSTD_LEVEL: i32 = 1;

/// The SHA-256 hash of a blob's bytes before compression. Its text is `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobHash([u8; 32]);

/// Bytes that are hashed and compressed, ready to be stored. Make it on the thread that has the bytes, so that the
/// thread that writes has less to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blob {
    hash: BlobHash,
    size: u64,
    /// Shared, because a report is kept until its answer has come.
    packed: Arc<[u8]>,
}

impl BlobHash {
    /// Computes the hash of these bytes. `sha256sum` prints the same digits.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Makes a hash of its 32 bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reads 64 hexadecimal digits. `None` if the text is something else.
    #[must_use]
    pub fn from_hex(digits: &str) -> Option<Self> {
        if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// Returns the hash as 64 hexadecimal digits.
    #[must_use]
    pub fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the 32 bytes of the hash.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Blob {
    /// Hashes and compresses these bytes.
    ///
    /// # Errors
    /// If the compression fails, which means that memory ran out.
    pub fn new(bytes: &[u8]) -> Result<Self> {
        let packed = pack(bytes).map_err(|why| StoreError::Blob(why.to_string()))?;
        Ok(Self { hash: BlobHash::of(bytes), size: bytes.len() as u64, packed: packed.into() })
    }

    /// Makes a blob of what another one had as [`packed`](Self::packed), as a back end has stored it. Nothing is checked before
    /// [`unpacked`](Self::unpacked).
    #[must_use]
    pub fn from_packed(hash: BlobHash, size: u64, packed: Vec<u8>) -> Self {
        Self { hash, size, packed: packed.into() }
    }

    /// Returns the bytes before compression.
    ///
    /// # Errors
    /// If they do not have the hash and the size that the blob names: they are damaged.
    pub fn unpacked(&self) -> Result<Vec<u8>> {
        unpack(self.hash, self.size, &self.packed)
    }

    /// Returns the hash of the bytes.
    #[must_use]
    pub fn hash(&self) -> BlobHash {
        self.hash
    }

    /// Returns the number of bytes before compression.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the compressed bytes.
    #[must_use]
    pub fn packed(&self) -> &[u8] {
        &self.packed
    }
}

/// Compresses these bytes. Each thread keeps its working memory, because preparing that takes longer than compressing
/// the replay of a short match.
fn pack(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    thread_local! {
        static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    }
    COMPRESSOR.with_borrow_mut(|compressor| {
        let compressor = match compressor {
            Some(compressor) => compressor,
            none => none.insert(Compressor::new(ZSTD_LEVEL)?),
        };
        compressor.compress(bytes)
    })
}

/// Returns the bytes of a blob, and checks that they are still those that were stored.
///
/// # Errors
/// If they are not those with this hash and size.
fn unpack(hash: BlobHash, size: u64, packed: &[u8]) -> Result<Vec<u8>> {
    let damaged = |why: String| StoreError::Blob(format!("the blob {hash} is damaged: {why}"));
    let mut bytes = Vec::new();
    let decoder = zstd::Decoder::new(packed).map_err(|why| damaged(why.to_string()))?;
    // Damaged bytes could unpack to more than the memory has.
    decoder.take(size.saturating_add(1)).read_to_end(&mut bytes).map_err(|why| damaged(why.to_string()))?;
    if BlobHash::of(&bytes) == hash { Ok(bytes) } else { Err(damaged("it has another hash".to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_comes_back_as_it_was() {
        let bytes = b"{\"agon\":2}\n".repeat(500);
        let blob = Blob::new(&bytes).expect("it can be compressed");
        assert!(blob.packed().len() * 10 < bytes.len(), "it is compressed");
        assert_eq!(unpack(blob.hash(), blob.size(), blob.packed()).expect("it is whole"), bytes);
    }

    #[test]
    fn a_damaged_blob_is_refused() {
        let blob = Blob::new(&[7; 100]).expect("it can be compressed");
        let other = BlobHash::of(b"something else");
        assert!(unpack(other, 100, blob.packed()).is_err());
        assert!(unpack(blob.hash(), 100, &blob.packed()[..5]).is_err(), "cut off");
        assert!(unpack(blob.hash(), 50, blob.packed()).is_err(), "longer than it says");
    }

    #[test]
    fn a_hash_is_written_as_sha256sum_has_it() {
        let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let hash = BlobHash::of(b"abc");
        assert_eq!((hash.to_string().as_str(), hash.hex().as_str()), (abc, &abc[7..]));
        assert_eq!(BlobHash::from_hex(&hash.hex()), Some(hash));
        let wrong =
            ["", "ab", &"g".repeat(64), &"+f".repeat(32), &"0".repeat(63), &"é".repeat(32), "../../../../etc/passwd"];
        assert!(wrong.iter().all(|wrong| BlobHash::from_hex(wrong).is_none()));
    }
}
