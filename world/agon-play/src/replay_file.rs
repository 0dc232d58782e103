//! Replays on disk: `.jsonl`, or `.jsonl.zst` compressed.

use crate::{ContentHash, FileError, NoGame, find_game};
use agon_games::AnyGame;
use agon_referee::MatchEvent;
use agon_replay::{Cut, ReadError, Replay, Writer};
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
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

/// Why a replay cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The file's ending says nothing that is known.
    #[error("`{}` is no name for a replay", .0.display())]
    Name(PathBuf),
    /// It is a folder.
    #[error("`{}` is a folder, not a replay", .0.display())]
    Folder(PathBuf),
    /// It cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A line is not one of a replay.
    #[error("`{}`, line {line}: {why}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u32,
        /// What is wrong, a lower-case fragment.
        why: String,
    },
    /// It is of a game that there is not.
    #[error("{}: {source}", .path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// The game that the header names.
        source: NoGame,
    },
}

impl ReplayError {
    /// The way out, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Name(_) => "its ending is `.jsonl`, or `.jsonl.zst` for a compressed one".to_owned(),
            Self::Line { line: 1, .. } => "a replay is what `agon match … --replay FILE.jsonl` writes".to_owned(),
            Self::Game { source, .. } => source.hint(),
            Self::Folder(_) | Self::File(_) | Self::Line { .. } => return None,
        })
    }

    /// Why a file is not a replay.
    #[must_use]
    pub fn unreadable(path: &Path, why: ReadError) -> Self {
        let path = path.to_owned();
        match why {
            ReadError::Io(source) => FileError { doing: "read the replay", path, source }.into(),
            ReadError::Line { line, why } => Self::Line { path, line, why },
        }
    }
}

/// A replay that is being written. What was written can be read at any time, also if the program is killed.
pub struct ReplayFile {
    path: PathBuf,
    packing: Packing,
}

enum Packing {
    Plain(Bytes),
    Zstd {
        file: zstd::Encoder<'static, Bytes>,
        /// Bytes since the last flush.
        held: usize,
        /// When that was.
        flushed: Instant,
    },
}

/// The bytes of a file on their way there, counted as they will lie there.
struct Bytes {
    file: BufWriter<File>,
    hash: Sha256,
}

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hash.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl ReplayFile {
    /// Creates (or replaces) the file.
    ///
    /// # Errors
    /// Another ending than `.jsonl` and `.jsonl.zst`, or a file that cannot be created.
    pub fn create(path: &Path) -> Result<Self, ReplayError> {
        let name = path.to_string_lossy();
        let compressed = name.ends_with(".jsonl.zst");
        if !compressed && !name.ends_with(".jsonl") {
            return Err(ReplayError::Name(path.to_owned()));
        }
        let failed = |source| FileError { doing: "write the replay", path: path.to_owned(), source };
        let file = Bytes { file: BufWriter::new(File::create(path).map_err(failed)?), hash: Sha256::new() };
        let packing = if compressed {
            let file = zstd::Encoder::new(file, ZSTD_LEVEL).map_err(failed)?;
            Packing::Zstd { file, held: HELD, flushed: Instant::now() }
        } else {
            Packing::Plain(file)
        };
        Ok(Self { path: path.to_owned(), packing })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what is still to be written, as a compressed replay has an end of its own. Gives the hash of the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn close(self) -> io::Result<ContentHash> {
        let mut file = match self.packing {
            Packing::Plain(file) => file,
            Packing::Zstd { file, .. } => file.finish()?,
        };
        file.flush()?;
        Ok(ContentHash::finished(file.hash))
    }
}

impl Write for ReplayFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.packing {
            Packing::Plain(file) => {
                // Whole lines are on their way at once: a plain replay can be followed while it grows.
                file.write_all(bytes)?;
                if bytes.ends_with(b"\n") {
                    file.flush()?;
                }
                Ok(bytes.len())
            }
            Packing::Zstd { file, held, flushed } => {
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
        match &mut self.packing {
            Packing::Plain(file) => file.flush(),
            Packing::Zstd { file, .. } => file.flush(),
        }
    }
}

/// Where a replay goes.
pub enum ReplaySink {
    /// A file, as [`ReplayFile::create`] makes it.
    File(PathBuf),
    /// Whatever the caller has; it gets whole lines.
    Writer(Box<dyn Write + Send>),
}

/// What became of a replay.
#[derive(Debug)]
pub struct ReplayReport {
    /// Its file, if it was written to one.
    pub path: Option<PathBuf>,
    /// Of all its bytes as they were written; or why it is not whole: then the match is worth more than its replay.
    pub written: Result<ContentHash, io::Error>,
    /// Where turns were left out because bots made them too large, if they were.
    pub cut: Option<Cut>,
}

/// Writes a replay while a match is played.
pub(crate) struct ReplayRecorder {
    path: Option<PathBuf>,
    writer: Option<Writer<Output>>,
    cut: Option<Cut>,
    failed: Option<io::Error>,
}

enum Output {
    File(ReplayFile),
    Writer(Box<dyn Write + Send>, Sha256),
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Writer(writer, hash) => {
                let count = writer.write(bytes)?;
                hash.update(&bytes[..count]);
                Ok(count)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Writer(writer, _) => writer.flush(),
        }
    }
}

impl ReplayRecorder {
    /// # Errors
    /// As [`ReplayFile::create`].
    pub(crate) fn new(sink: ReplaySink) -> Result<Self, ReplayError> {
        let (path, output) = match sink {
            ReplaySink::File(path) => (Some(path.clone()), Output::File(ReplayFile::create(&path)?)),
            ReplaySink::Writer(writer) => (None, Output::Writer(writer, Sha256::new())),
        };
        let writer = Writer::new(output, env!("CARGO_PKG_VERSION"));
        Ok(Self { path, writer: Some(writer), cut: None, failed: None })
    }

    /// The match goes on whatever becomes of its replay.
    pub(crate) fn add(&mut self, event: &MatchEvent) {
        if let Some(writer) = &mut self.writer {
            if let Err(why) = writer.write(event) {
                self.failed.get_or_insert(why);
                self.writer = None;
                return;
            }
            self.cut = writer.cut();
        }
    }

    /// Everything is written that can be.
    pub(crate) fn finish(self) -> ReplayReport {
        let Self { path, writer, cut, failed } = self;
        let written = match (failed, writer) {
            (Some(why), _) => Err(why),
            (None, None) => Err(io::ErrorKind::BrokenPipe.into()),
            (None, Some(writer)) => writer.finish().and_then(|output| match output {
                Output::File(file) => file.close(),
                Output::Writer(mut writer, hash) => writer.flush().map(|()| ContentHash::finished(hash)),
            }),
        };
        ReplayReport { path, written, cut }
    }
}

/// Opens a replay for reading; a compressed one is told by its first bytes.
///
/// # Errors
/// A file that cannot be read.
pub fn open_replay(path: &Path) -> Result<Box<dyn BufRead>, ReplayError> {
    let failed = |source| FileError { doing: "read the replay", path: path.to_owned(), source };
    if path.is_dir() {
        return Err(ReplayError::Folder(path.to_owned()));
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
pub fn load_replay(path: &Path) -> Result<(Replay, &'static dyn AnyGame), ReplayError> {
    let replay = Replay::read(open_replay(path)?).map_err(|why| ReplayError::unreadable(path, why))?;
    let game = find_game(&replay.header.spec.game);
    let game = game.map_err(|source| ReplayError::Game { path: path.to_owned(), source })?;
    Ok((replay, game))
}
