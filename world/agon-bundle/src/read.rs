//! Reads a bundle, and refuses every byte that the canonical form does not have.

use crate::{
    BundleError, BundleHash, Limits,
    hash::Hashing,
    header::{BLOCK, Block, Header, Kind, LONG_NAME, NAME, name_of, padding},
    limits::size as in_units,
};
use agon_build::intake::Name;
use std::{
    collections::HashSet,
    io::{self, ErrorKind, Read},
};

/// A file in a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The path, with `/` between its parts. It is relative and leads nowhere else.
    pub path: String,
    /// Whether the file is executable: the mode 755 in place of 644.
    pub executable: bool,
    /// The number of bytes.
    pub size: u64,
}

/// Reads a bundle from a stream, one file after the other. Holds only the paths in memory.
pub struct BundleReader<R> {
    stream: Hashing<R>,
    limits: Limits,
    /// The bytes that are left of the data of the last entry, and the padding behind them.
    left: u64,
    padding: usize,
    last: String,
    /// The paths of all files, by which a file is told that is a folder elsewhere.
    paths: HashSet<String>,
}

impl<R: Read> BundleReader<R> {
    /// Begins to read.
    pub fn new(stream: R, limits: Limits) -> Self {
        Self { stream: Hashing::new(stream), limits, left: 0, padding: 0, last: String::new(), paths: HashSet::new() }
    }

    /// Returns the next file, or `None` at the end of the bundle. Skips what was not read of the file before.
    ///
    /// # Errors
    /// If the bundle is not in the canonical form or larger than its limits, or the stream cannot be read.
    pub fn next_entry(&mut self) -> Result<Option<Entry>, BundleError> {
        let mut portion = [0; 4096];
        while self.read_data(&mut portion)? > 0 {}
        let Some(block) = self.header()? else { return Ok(None) };
        let header = Header::decode(&block).map_err(|why| BundleError::refused(name_of(&block), why))?;
        let (header, path) = match header.kind {
            Kind::File => {
                let path = header.name.clone();
                (header, path)
            }
            Kind::LongName => self.long_name(&header)?,
        };
        let entry = self.checked(&header, &path)?;
        self.left = entry.size;
        self.padding = padding(entry.size);
        Ok(Some(entry))
    }

    /// Reads bytes of the last entry, and returns their number. 0 is its end.
    ///
    /// # Errors
    /// If the bundle ends before, or its padding is not of zeros, or the stream cannot be read.
    pub fn read_data(&mut self, into: &mut [u8]) -> Result<usize, BundleError> {
        if self.left == 0 {
            let mut zeros = [0; BLOCK];
            let zeros = &mut zeros[..std::mem::take(&mut self.padding)];
            self.exactly(zeros)?;
            if zeros.iter().any(|byte| *byte != 0) {
                return Err(self.refused("is followed by something in place of zeros"));
            }
            return Ok(0);
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(into.len());
        loop {
            match self.stream.read(&mut into[..most]) {
                Ok(0) if most > 0 => return Err(self.cut_off()),
                Ok(n) => {
                    self.left -= n as u64;
                    return Ok(n);
                }
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(why) => return Err(why.into()),
            }
        }
    }

    /// Returns the hash and the size in bytes of what was read: of the whole bundle, if its end was reached.
    #[must_use]
    pub fn finish(self) -> (BundleHash, u64) {
        let size = self.stream.count();
        (self.stream.hash(), size)
    }

    /// Reads a header. `None` at the end of the bundle.
    fn header(&mut self) -> Result<Option<Block>, BundleError> {
        let mut block = [0; BLOCK];
        self.exactly(&mut block)?;
        if block != [0; BLOCK] {
            return Ok(Some(block));
        }
        self.exactly(&mut block)?;
        if block != [0; BLOCK] {
            return Err(self.refused("is followed by one block of zeros in place of two"));
        }
        let mut more = [0];
        loop {
            match self.stream.read(&mut more) {
                Ok(0) => return Ok(None),
                Ok(_) => return Err(self.refused("is not the last: the bundle goes on behind its end")),
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(why) => return Err(why.into()),
            }
        }
    }

    /// Reads a long path and the header behind it.
    fn long_name(&mut self, header: &Header) -> Result<(Header, Vec<u8>), BundleError> {
        let wrong = |why: &str| BundleError::refused(LONG_NAME, why);
        if header.name != LONG_NAME || header.executable {
            return Err(BundleError::refused(&header.name, "describes the next entry in another way than bundles do"));
        }
        // The path and a NUL byte. Whoever writes a longer one wants our memory.
        if header.size > self.limits.path as u64 + 1 {
            return Err(wrong(&format!("names a path of more than {} bytes", self.limits.path)));
        }
        let mut path = vec![0; header.size as usize];
        self.exactly(&mut path)?;
        let mut zeros = vec![0; padding(header.size)];
        self.exactly(&mut zeros)?;
        if path.pop() != Some(0) || zeros.iter().any(|byte| *byte != 0) {
            return Err(BundleError::refused(&path, "is a path that is not followed by zeros"));
        }
        if path.len() <= NAME {
            return Err(BundleError::refused(&path, "is written as a long path, and is none"));
        }
        let mut block = [0; BLOCK];
        self.exactly(&mut block)?;
        let header = Header::decode(&block).map_err(|why| BundleError::refused(&path, why))?;
        if header.kind != Kind::File || header.name != path[..NAME] {
            return Err(BundleError::refused(&path, "is followed by the header of another file"));
        }
        Ok((header, path))
    }

    /// Checks the path and the size of an entry, and notes the path.
    fn checked(&mut self, header: &Header, path: &[u8]) -> Result<Entry, BundleError> {
        let wrong = |why: String| BundleError::refused(path, why);
        let limits = self.limits;
        let name = Name::check(path, &limits.of_names()).map_err(|flaw| wrong(format!("is refused: {}", flaw.what)))?;
        let name = name.filter(|name| name.as_str().as_bytes() == path);
        let name = name.ok_or_else(|| wrong("is a path that can be written in a shorter way".to_owned()))?;
        let text = name.as_str();
        if !self.paths.is_empty() && text.as_bytes() <= self.last.as_bytes() {
            let why = if text == self.last { "is there twice" } else { "is not in the order of the paths" };
            return Err(wrong(why.to_owned()));
        }
        // What begins with the path of a file is behind it, so that all files above are known.
        let mut above = text.match_indices('/').map(|(end, _)| &text[..end]);
        if let Some(file) = above.find(|folder| self.paths.contains(*folder)) {
            return Err(wrong(format!("is in `{}`, which is a file", crate::error::shown(file.as_bytes()))));
        }
        if self.paths.len() >= limits.files {
            return Err(wrong(format!("is one more than {} files", limits.files)));
        }
        let end =
            self.stream.count().saturating_add(header.size).saturating_add((padding(header.size) + 2 * BLOCK) as u64);
        if end > limits.bytes {
            return Err(wrong(format!("makes the bundle larger than {}", in_units(limits.bytes))));
        }
        text.clone_into(&mut self.last);
        self.paths.insert(text.to_owned());
        Ok(Entry { path: text.to_owned(), executable: header.executable, size: header.size })
    }

    fn exactly(&mut self, into: &mut [u8]) -> Result<(), BundleError> {
        match self.stream.read_exact(into) {
            Err(why) if why.kind() == ErrorKind::UnexpectedEof => Err(self.cut_off()),
            other => Ok(other?),
        }
    }

    fn cut_off(&self) -> BundleError {
        self.refused("is the last that is whole or begun: the bundle is cut off")
    }

    /// Refuses what follows the last entry.
    fn refused(&self, why: &str) -> BundleError {
        let last = if self.paths.is_empty() { "the beginning" } else { &self.last };
        BundleError::refused(last.as_bytes(), why)
    }
}

impl<R: Read> Read for BundleReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Ok(self.read_data(into)?)
    }
}
