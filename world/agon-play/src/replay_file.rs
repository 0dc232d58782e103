//! Replays on disk: `.jsonl` files, or `.jsonl.zst` files, which are compressed.

use crate::{ContentHash, FileError, NoGame, Withheld, find_game};
use agon_games::AnyGame;
use agon_referee::MatchEvent;
use agon_replay::{Cut, ReadError, Replay, Writer};
use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The level of compression. It costs little time and saves most of the space.
const ZSTD_LEVEL: i32 = 3;
/// The maximum number of bytes that a compressed replay loses if the program is killed.
const HELD: usize = 32 << 10;
/// A compressed replay is flushed with the first line after this time. If the program is killed, the replay loses only
/// what was written within this time before its last line.
const HELD_FOR: Duration = Duration::from_secs(1);
/// The first bytes of a zstd stream.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The first bytes of a gzip stream.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Why a replay cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The ending of the file name is not one of a replay.
    #[error("`{}` is not a valid name for a replay", .0.display())]
    Name(PathBuf),
    /// The path is a folder.
    #[error("`{}` is a folder, not a replay", .0.display())]
    Folder(PathBuf),
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A line of the file does not belong in a replay.
    #[error("`{}`, line {line}: {why}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u32,
        /// What is wrong, as a lower-case fragment.
        why: String,
    },
    /// The replay is of an unknown game.
    #[error("{}: {source}", .path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// The game that the header names.
        source: NoGame,
    },
}

impl ReplayError {
    /// Returns a hint on how to fix the problem, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Name(_) => "the name must end with `.jsonl`, or with `.jsonl.zst` for a compressed replay".to_owned(),
            Self::Line { line: 1, .. } => "`agon match … --replay FILE.jsonl` writes replays".to_owned(),
            Self::Game { source, .. } => source.hint(),
            Self::Folder(_) | Self::File(_) | Self::Line { .. } => return None,
        })
    }

    /// Converts the reason why the file at `path` cannot be read as a replay.
    #[must_use]
    pub fn unreadable(path: &Path, why: ReadError) -> Self {
        let path = path.to_owned();
        match why {
            ReadError::Io(source) => FileError { doing: "read the replay", path, source }.into(),
            ReadError::Line { line, why } => Self::Line { path, line, why },
        }
    }
}

/// A replay file that is being written. The file can be read while it grows, and even if the program is killed.
pub struct ReplayFile {
    path: PathBuf,
    packing: Packing,
}

enum Packing {
    Plain(Bytes),
    Zstd {
        file: zstd::Encoder<'static, Bytes>,
        /// The number of bytes since the last flush.
        held: usize,
        /// The time of the last flush.
        flushed: Instant,
    },
}

/// A file that is being written, with the hash of its bytes.
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
    /// Returns whether a replay of this name is compressed.
    ///
    /// # Errors
    /// If the path ends with neither `.jsonl` nor `.jsonl.zst`.
    pub fn is_compressed(path: &Path) -> Result<bool, ReplayError> {
        let name = path.to_string_lossy();
        let compressed = name.ends_with(".jsonl.zst");
        if compressed || name.ends_with(".jsonl") { Ok(compressed) } else { Err(ReplayError::Name(path.to_owned())) }
    }

    /// Creates the file. An existing file is replaced.
    ///
    /// # Errors
    /// If the path ends with neither `.jsonl` nor `.jsonl.zst`, or the file cannot be created.
    pub fn create(path: &Path) -> Result<Self, ReplayError> {
        let compressed = Self::is_compressed(path)?;
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

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Finishes the file and returns its hash. Call this for every replay: a compressed file is not complete without
    /// it.
    ///
    /// # Errors
    /// If the rest of the file cannot be written.
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
                // Flush each whole line, so that another program can follow a plain replay while it grows.
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

/// The destination of a replay.
pub enum ReplaySink {
    /// A file, created by [`ReplayFile::create`]. It grows where no bot of the match sees it, and moves there at the end,
    /// if one of them could read it at this path.
    File(PathBuf),
    /// A writer of the caller. It receives whole lines.
    Writer(Box<dyn Write + Send>),
}

/// How a replay was written.
#[derive(Debug)]
pub struct ReplayReport {
    /// The path of the file. `None` if the caller's writer received the replay.
    pub path: Option<PathBuf>,
    /// The hash of all written bytes. If the replay is incomplete, the error that prevented it from being written.
    /// Such an error does not end the match.
    pub written: Result<ContentHash, io::Error>,
    /// Where turns were left out because bots made the replay too large. `None` if no turn was left out.
    pub cut: Option<Cut>,
}

/// Writes a replay while a match is played.
pub(crate) struct ReplayRecorder {
    path: Option<PathBuf>,
    writer: Option<Writer<Output>>,
    cut: Option<Cut>,
    failed: Option<io::Error>,
    /// The file, if bots must not see it before it is finished. It comes after the writer, which is dropped first.
    withheld: Option<Withheld>,
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
    /// Starts to write a replay, which is `withheld` if bots could read it at its place.
    ///
    /// # Errors
    /// The same as those of [`ReplayFile::create`].
    pub(crate) fn new(sink: ReplaySink, withheld: Option<Withheld>) -> Result<Self, ReplayError> {
        let (path, output) = match sink {
            ReplaySink::File(path) => {
                let file = ReplayFile::create(withheld.as_ref().map_or(&*path, Withheld::path))?;
                (Some(path), Output::File(file))
            }
            ReplaySink::Writer(writer) => (None, Output::Writer(writer, Sha256::new())),
        };
        let writer = Writer::new(output, env!("CARGO_PKG_VERSION"));
        Ok(Self { path, writer: Some(writer), cut: None, failed: None, withheld })
    }

    /// Writes an event. An error is kept for [`ReplayRecorder::finish`], because the match continues without its
    /// replay.
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

    /// Finishes the replay and reports whether it is complete.
    pub(crate) fn finish(self) -> ReplayReport {
        let Self { path, writer, cut, failed, withheld } = self;
        let written = match (failed, writer) {
            (Some(why), _) => Err(why),
            (None, None) => Err(io::ErrorKind::BrokenPipe.into()),
            (None, Some(writer)) => writer.finish().and_then(|output| match output {
                Output::File(file) => file.close(),
                Output::Writer(mut writer, hash) => writer.flush().map(|()| ContentHash::finished(hash)),
            }),
        };
        let released = withheld.map_or(Ok(()), Withheld::release);
        ReplayReport { path, written: written.and_then(|hash| released.map(|()| hash)), cut }
    }
}

/// Opens a replay for reading. Recognises a compressed file by its first bytes.
///
/// # Errors
/// If the file cannot be read.
pub fn open_replay(path: &Path) -> Result<Box<dyn BufRead>, ReplayError> {
    let failed = |source| FileError { doing: "read the replay", path: path.to_owned(), source };
    let input: Box<dyn Read> = match path {
        path if path.as_os_str() == "-" => Box::new(io::stdin()),
        path if path.is_dir() => return Err(ReplayError::Folder(path.to_owned())),
        path => Box::new(File::open(path).map_err(failed)?),
    };
    Ok(unpacked(input).map_err(failed)?)
}

/// Unpacks a file that is compressed with zstd or gzip, whatever its name. Any other file stays as it is.
///
/// # Errors
/// If the first bytes cannot be read.
pub fn unpacked(input: impl Read + 'static) -> io::Result<Box<dyn BufRead>> {
    let mut file = BufReader::new(input);
    let start = file.fill_buf()?;
    if start.starts_with(&ZSTD_MAGIC) {
        return Ok(Box::new(BufReader::new(zstd::Decoder::with_buffer(file)?)));
    }
    if start.starts_with(&GZIP_MAGIC) {
        return Ok(Box::new(BufReader::new(MultiGzDecoder::new(file))));
    }
    Ok(Box::new(file))
}

/// Reads a whole replay and finds its game.
///
/// # Errors
/// If the file cannot be read, is not a replay, or is of an unknown game.
pub fn load_replay(path: &Path) -> Result<(Replay, &'static dyn AnyGame), ReplayError> {
    let replay = Replay::read(open_replay(path)?).map_err(|why| ReplayError::unreadable(path, why))?;
    let game = find_game(&replay.header.spec.game);
    let game = game.map_err(|source| ReplayError::Game { path: path.to_owned(), source })?;
    Ok((replay, game))
}
