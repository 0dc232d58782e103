//! A bundle in pieces, as a store keeps it and a network sends it.

use crate::{BundleError, BundleHash, BundlePlan, PieceHash};
use std::io::{self, Write};

/// The number of bytes of a piece. Only the last piece of a bundle may have fewer.
pub const PIECE: usize = 1 << 20;

/// Whoever keeps the pieces of bundles.
pub trait PieceSink {
    /// Keeps a piece under the SHA-256 hash of its bytes, and returns the hash. A piece that is there already need not be kept
    /// again.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn put(&mut self, piece: &[u8]) -> io::Result<PieceHash>;
}

impl<S: PieceSink + ?Sized> PieceSink for &mut S {
    fn put(&mut self, piece: &[u8]) -> io::Result<PieceHash> {
        (**self).put(piece)
    }
}

/// A bundle whose pieces are in a store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredBundle {
    /// The hash of the whole bundle.
    pub hash: BundleHash,
    /// The size of the whole bundle in bytes.
    pub size: u64,
    /// The names of its pieces, in order. A piece may be there several times.
    pub pieces: Vec<PieceHash>,
}

/// Writes a bundle into a store, one piece after the other. Record it under its hash only after this has returned.
///
/// # Errors
/// If the files of the bot have changed since it was planned or cannot be read, or a piece cannot be kept. The pieces that were
/// kept already belong to nothing then.
pub fn store_bundle(sink: &mut dyn PieceSink, plan: &BundlePlan) -> Result<StoredBundle, BundleError> {
    let mut writer = PieceWriter::new(sink);
    let hash = plan.write(&mut writer)?;
    let pieces = writer.finish()?;
    Ok(StoredBundle { hash, size: plan.size(), pieces })
}

/// Divides a stream into pieces. Holds one of them in memory.
pub struct PieceWriter<S> {
    sink: S,
    piece: Vec<u8>,
    pieces: Vec<PieceHash>,
}

impl<S: PieceSink> PieceWriter<S> {
    /// Begins with the first piece.
    pub fn new(sink: S) -> Self {
        Self { sink, piece: Vec::with_capacity(PIECE), pieces: Vec::new() }
    }

    /// Keeps what is left as the last piece. Returns the names of all pieces, in order.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn finish(mut self) -> io::Result<Vec<PieceHash>> {
        if !self.piece.is_empty() {
            self.put()?;
        }
        Ok(self.pieces)
    }

    fn put(&mut self) -> io::Result<()> {
        self.pieces.push(self.sink.put(&self.piece)?);
        self.piece.clear();
        Ok(())
    }
}

impl<S: PieceSink> Write for PieceWriter<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(PIECE - self.piece.len());
        self.piece.extend_from_slice(&bytes[..n]);
        if self.piece.len() == PIECE {
            self.put()?;
        }
        Ok(n)
    }

    /// Does nothing: only the last piece may have fewer bytes than the others.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[derive(Default)]
    struct Kept(HashMap<PieceHash, Vec<u8>>);

    impl PieceSink for Kept {
        fn put(&mut self, piece: &[u8]) -> io::Result<PieceHash> {
            let hash = PieceHash::of(piece);
            self.0.insert(hash, piece.to_owned());
            Ok(hash)
        }
    }

    #[test]
    fn a_stream_comes_back_from_its_pieces() {
        for (length, count) in [(0, 0), (1, 1), (PIECE, 1), (PIECE + 1, 2), (3 * PIECE, 3)] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let mut kept = Kept::default();
            let mut writer = PieceWriter::new(&mut kept);
            bytes.chunks(70_001).for_each(|part| writer.write_all(part).expect("it is kept"));
            let pieces = writer.finish().expect("it is kept");
            assert_eq!(pieces.len(), count);
            let back: Vec<u8> = pieces.iter().flat_map(|piece| &kept.0[piece]).copied().collect();
            assert!(back == bytes, "{length}");
        }
    }
}
