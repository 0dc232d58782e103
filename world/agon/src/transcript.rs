//! Transcripts: every byte that bots read and wrote, apart from replays, so that what bots say stays out of those.

use crate::{
    clean::one_char_a_byte,
    error::{Error, Result},
};
use agon_run::Chunk;
use serde::Serialize;
use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// Writes one JSON object a line: `{ply, seat, stream: in|out|err, at_us, bytes}`.
pub struct Transcript {
    path: PathBuf,
    output: BufWriter<File>,
    failed: Option<io::Error>,
}

#[derive(Serialize)]
struct Line<'a> {
    ply: u32,
    seat: u8,
    stream: &'a str,
    at_us: u64,
    /// One character a byte (Latin-1): any bytes can be written and read back, and ASCII stays readable.
    bytes: String,
}

impl Transcript {
    /// Creates (or replaces) the file.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create(path: &Path) -> Result<Self> {
        let file = File::create(path).map_err(|e| Error::file("write the transcript", path, &e))?;
        Ok(Self { path: path.to_owned(), output: BufWriter::new(file), failed: None })
    }

    /// Adds a piece. An error is kept for [`Transcript::finish`]: the match goes on.
    pub fn add(&mut self, chunk: Chunk<'_>) {
        let line = Line {
            ply: chunk.ply,
            seat: chunk.seat.number(),
            stream: chunk.stream.name(),
            at_us: u64::try_from(chunk.at.as_micros()).unwrap_or(u64::MAX),
            bytes: one_char_a_byte(chunk.bytes),
        };
        let written = serde_json::to_writer(&mut self.output, &line).map_err(io::Error::from);
        if let Err(why) = written.and_then(|()| self.output.write_all(b"\n")) {
            self.failed.get_or_insert(why);
        }
    }

    /// Everything is in the file.
    ///
    /// # Errors
    /// Not everything is.
    pub fn finish(mut self) -> Result<()> {
        let flushed = self.output.flush();
        match self.failed.map_or(flushed, Err) {
            Ok(()) => Ok(()),
            Err(why) => Err(Error::file("write the transcript", &self.path, &why)),
        }
    }
}
