//! Writes a bundle.

use crate::{
    BundleError, BundleHash,
    hash::Hashing,
    header::{BLOCK, Header, Kind, LONG_NAME, NAME, padding},
};
use std::io::{Read, Write};

/// The bytes that are copied at once.
const PORTION: usize = 64 << 10;

/// Writes the canonical form of a bundle to a stream.
///
/// It checks nothing but the sizes of files: whoever uses it gives names that are allowed, in the order of their bytes.
/// [`BundleReader`](crate::BundleReader) refuses others.
pub struct BundleWriter<W> {
    stream: Hashing<W>,
    portion: Vec<u8>,
}

impl<W: Write> BundleWriter<W> {
    /// Begins a bundle.
    pub fn new(stream: W) -> Self {
        Self { stream: Hashing::new(stream), portion: vec![0; PORTION] }
    }

    /// Adds a file of `size` bytes, which `data` yields until its end.
    ///
    /// # Errors
    /// If `data` has another size or cannot be read, or the stream cannot be written.
    pub fn file(&mut self, path: &str, executable: bool, size: u64, data: &mut dyn Read) -> Result<(), BundleError> {
        if path.len() > NAME {
            let data = [path.as_bytes(), b"\0"].concat();
            let size = data.len() as u64;
            self.header(Header { kind: Kind::LongName, name: LONG_NAME.to_vec(), executable: false, size })?;
            self.stream.write_all(&data)?;
            self.zeros(padding(size))?;
        }
        self.header(Header { kind: Kind::File, name: path.as_bytes().to_vec(), executable, size })?;
        let mut left = size;
        loop {
            let n = match data.read(&mut self.portion) {
                Ok(n) => n,
                Err(why) if why.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(source) => return Err(BundleError::Source { path: path.into(), source }),
            };
            let Some(rest) = left.checked_sub(n as u64).filter(|rest| n > 0 || *rest == 0) else {
                return Err(BundleError::Changed(crate::error::shown(path.as_bytes())));
            };
            if n == 0 {
                break;
            }
            left = rest;
            self.stream.write_all(&self.portion[..n])?;
        }
        self.zeros(padding(size))
    }

    /// Ends the bundle. Returns its hash and its size in bytes.
    ///
    /// # Errors
    /// If the stream cannot be written.
    pub fn finish(mut self) -> Result<(BundleHash, u64), BundleError> {
        self.zeros(2 * BLOCK)?;
        self.stream.flush()?;
        let size = self.stream.count();
        Ok((self.stream.hash(), size))
    }

    fn header(&mut self, header: Header) -> Result<(), BundleError> {
        Ok(self.stream.write_all(&header.encode())?)
    }

    fn zeros(&mut self, count: usize) -> Result<(), BundleError> {
        Ok(self.stream.write_all(&[0; 2 * BLOCK][..count])?)
    }
}
