//! Replays on disk: `.jsonl`, or `.jsonl.zst` compressed.

use crate::{
    clean::clean,
    error::{Error, Result},
};
use agon_games::AnyGame;
use agon_replay::{ReadError, Replay};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Write},
    path::Path,
    time::{Duration, Instant},
};

/// The level that costs little and saves most.
const ZSTD_LEVEL: i32 = 3;
/// At most so many bytes, and what was written within so long a time before the last line, are lost from a compressed
/// replay if the program is killed.
const HELD: usize = 32 << 10;
const HELD_FOR: Duration = Duration::from_secs(1);
/// The first bytes of a zstd stream.
pub const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A replay that is being written. What was written can be read at any time, also if the program is killed.
pub struct Output {
    kind: Kind,
}

enum Kind {
    Plain(BufWriter<File>),
    Zstd {
        file: zstd::Encoder<'static, BufWriter<File>>,
        /// Bytes since the last flush.
        held: usize,
        /// When that was.
        flushed: Instant,
    },
}

impl Output {
    /// Creates (or replaces) the file.
    ///
    /// # Errors
    /// Another ending than `.jsonl` and `.jsonl.zst`, or a file that cannot be created.
    pub fn create(path: &Path) -> Result<Self> {
        let name = path.to_string_lossy();
        let compressed = name.ends_with(".jsonl.zst");
        if !compressed && !name.ends_with(".jsonl") {
            return Err(Error::user(format!("`{}` is no name for a replay", clean(&name)))
                .hint("its ending is `.jsonl`, or `.jsonl.zst` for a compressed one"));
        }
        let failed = |e: io::Error| Error::file("write the replay", path, &e);
        let file = BufWriter::new(File::create(path).map_err(failed)?);
        let kind = if compressed {
            Kind::Zstd {
                file: zstd::Encoder::new(file, ZSTD_LEVEL).map_err(failed)?,
                held: HELD,
                flushed: Instant::now(),
            }
        } else {
            Kind::Plain(file)
        };
        Ok(Self { kind })
    }

    /// Writes what is still to be written: a compressed replay has an end of its own.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn close(self) -> io::Result<()> {
        match self.kind {
            Kind::Plain(mut file) => file.flush(),
            Kind::Zstd { file, .. } => file.finish()?.flush(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.kind {
            Kind::Plain(file) => {
                // Whole lines are on their way at once: a plain replay can be followed while it grows.
                file.write_all(bytes)?;
                if bytes.ends_with(b"\n") {
                    file.flush()?;
                }
                Ok(bytes.len())
            }
            Kind::Zstd { file, held, flushed } => {
                file.write_all(bytes)?;
                *held += bytes.len();
                if bytes.ends_with(b"\n") && (*held >= HELD || flushed.elapsed() >= HELD_FOR) {
                    (*held, *flushed) = (0, Instant::now());
                    file.flush()?;
                }
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.kind {
            Kind::Plain(file) => file.flush(),
            Kind::Zstd { file, .. } => file.flush(),
        }
    }
}

/// Opens a replay for reading; a compressed one is told by its first bytes.
///
/// # Errors
/// A file that cannot be read.
pub fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    let failed = |e: io::Error| Error::file("read the replay", path, &e);
    if path.is_dir() {
        return Err(Error::user(format!("`{}` is a folder, not a replay", clean(&path.display().to_string()))));
    }
    let mut file = BufReader::new(File::open(path).map_err(failed)?);
    if file.fill_buf().map_err(failed)?.starts_with(&ZSTD_MAGIC) {
        return Ok(Box::new(BufReader::new(zstd::Decoder::with_buffer(file).map_err(failed)?)));
    }
    Ok(Box::new(file))
}

/// Reads a whole replay and finds its game.
///
/// # Errors
/// A file that cannot be read, is no replay, or is of a game that there is not.
pub fn load(path: &Path) -> Result<(Replay, &'static dyn AnyGame)> {
    let replay = Replay::read(open(path)?).map_err(|why| unreadable(path, &why))?;
    let of = || clean(&path.display().to_string());
    let game = crate::game::find(&replay.header.spec.game).map_err(|error| error.context(&of()))?;
    Ok((replay, game))
}

/// Why a file is not a replay.
pub fn unreadable(path: &Path, why: &ReadError) -> Error {
    let name = clean(&path.display().to_string());
    match why {
        ReadError::Io(why) => Error::file("read the replay", path, why),
        ReadError::Line { line, why } => {
            let error = Error::user(format!("`{name}`, line {line}: {}", clean(why)));
            if *line == 1 { error.hint("a replay is what `agon match … --replay FILE.jsonl` writes") } else { error }
        }
    }
}
