//! Reads lines into records, and refuses bytes that are not a replay.

use crate::{Footer, Header, Line, Tally, line::parse_header};
use agon_referee::{MatchEvent, PlyRecord};
use std::{
    fmt,
    io::{self, BufRead, Read},
};

/// The longest line, in bytes. Even a decision that fills a bot's inbox with orders stays well below it.
pub const LINE_LIMIT: usize = 16 << 20;
/// The largest replay, in bytes after decompression.
pub const SIZE_LIMIT: u64 = 1 << 30;

/// The approximate limit of the memory for the turns of a replay, in bytes. A turn takes much more memory than it takes
/// in a file, and a compressed file may be small.
pub const HELD_LIMIT: usize = 512 << 20;

/// Reads a replay line by line. If the input grows by whole lines after its end, the reader goes on.
#[derive(Debug)]
pub struct Reader<R> {
    input: io::Take<R>,
    buffer: Vec<u8>,
    line: u32,
    ended: Option<Ended>,
    /// Whether turns were left out. Then only the footer may follow.
    cut: bool,
}

/// How the input ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ended {
    /// The input ended with a footer.
    Whole,
    /// The input ended before a footer.
    Cut,
}

/// Why the input cannot be read as a replay.
#[derive(Debug)]
pub enum ReadError {
    /// The input cannot be read.
    Io(io::Error),
    /// A line is not valid.
    Line {
        /// The number of the line, counted from 1.
        line: u32,
        /// What is wrong, as a lower-case fragment.
        why: String,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(why) => write!(f, "{why}"),
            Self::Line { line, why } => write!(f, "line {line}: {why}"),
        }
    }
}

impl std::error::Error for ReadError {}

impl<R: BufRead> Reader<R> {
    /// Reads the header and creates a reader of the other lines.
    ///
    /// # Errors
    /// Fails if the input cannot be read, or if its first line is not a header of a known version.
    pub fn new(input: R) -> Result<(Header, Self), ReadError> {
        let mut reader = Self { input: input.take(SIZE_LIMIT), buffer: Vec::new(), line: 0, ended: None, cut: false };
        if !reader.fill()? {
            let why = if reader.buffer.is_empty() { "the file is empty" } else { "the header is cut off" };
            return Err(reader.flaw(why));
        }
        let header = parse_header(&reader.buffer).map_err(|why| reader.flaw(why))?;
        Ok((header, reader))
    }

    /// Returns the next line, or `None` at the end of the input. It skips events that this version does not know.
    ///
    /// # Errors
    /// Fails if the input cannot be read, or if a line is not valid.
    pub fn next_line(&mut self) -> Result<Option<Line>, ReadError> {
        loop {
            let whole = self.fill()?;
            if self.buffer.is_empty() && !whole {
                // There was no line.
                self.line -= 1;
            }
            if self.ended == Some(Ended::Whole) {
                return if self.buffer.is_empty() { Ok(None) } else { Err(self.flaw("a line follows the footer")) };
            }
            if self.buffer.is_empty() && !whole {
                self.ended = Some(Ended::Cut);
                return Ok(None);
            }
            match Line::parse(&self.buffer) {
                Ok(Some(line)) => {
                    match line {
                        Line::Footer(_) => self.ended = Some(Ended::Whole),
                        _ if self.cut => return Err(self.flaw("only the footer may follow a `cut` line")),
                        _ => self.cut = matches!(line, Line::Cut(_)),
                    }
                    return Ok(Some(line));
                }
                Ok(None) => {}
                // The last line has no line feed: its writer was interrupted.
                Err(_) if !whole => {
                    self.ended = Some(Ended::Cut);
                    return Ok(None);
                }
                Err(why) => return Err(self.flaw(why)),
            }
        }
    }

    /// Returns whether the input ended before a footer. Then the match was still running, or its writer was killed.
    #[must_use]
    pub fn is_cut_off(&self) -> bool {
        self.ended == Some(Ended::Cut)
    }

    /// Returns the number of the last line that was read, counted from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Reads one line into the buffer, without its line feed. Returns whether the line had one. A compressed input that
    /// ends in the middle of its stream counts as cut off there.
    fn fill(&mut self) -> Result<bool, ReadError> {
        self.buffer.clear();
        self.line = self.line.saturating_add(1);
        let mut limited = (&mut self.input).take(LINE_LIMIT as u64 + 1);
        match limited.read_until(b'\n', &mut self.buffer) {
            Ok(_) => {}
            Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => {}
            Err(why) => return Err(ReadError::Io(why)),
        }
        if self.buffer.last() == Some(&b'\n') {
            self.buffer.pop();
            return Ok(true);
        }
        if self.buffer.len() > LINE_LIMIT {
            return Err(self.flaw(format!("the line is longer than {LINE_LIMIT} bytes")));
        }
        if self.input.limit() == 0 {
            return Err(self.flaw(format!("the replay is larger than {SIZE_LIMIT} bytes")));
        }
        Ok(false)
    }

    fn flaw(&self, why: impl Into<String>) -> ReadError {
        ReadError::Line { line: self.line, why: why.into() }
    }
}

/// A whole replay in memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Replay {
    /// The first line.
    pub header: Header,
    /// The lines between header and footer, in order.
    pub lines: Vec<Line>,
    /// The last line. `None` if the replay is cut off.
    pub footer: Option<Footer>,
}

impl Replay {
    /// Reads the whole `input`.
    ///
    /// # Errors
    /// Fails as [`Reader::new`] and [`Reader::next_line`] do, and if the replay would take too much memory. A
    /// [`Reader`] can still read such a replay line by line.
    pub fn read(input: impl BufRead) -> Result<Self, ReadError> {
        let (header, mut reader) = Reader::new(input)?;
        let (mut lines, mut footer) = (Vec::new(), None);
        let mut held = 0usize;
        while let Some(line) = reader.next_line()? {
            held = held.saturating_add(line.weight(reader.buffer.len()));
            if held > HELD_LIMIT {
                return Err(reader.flaw("the replay up to here takes too much memory"));
            }
            match line {
                Line::Footer(last) => footer = Some(last),
                line => lines.push(line),
            }
        }
        Ok(Self { header, lines, footer })
    }

    /// Returns the faults, the times and the refused commands of the turns that the replay has.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let Header { spec, fingerprint, .. } = &self.header;
        let mut tally = Tally::default();
        tally.add(&MatchEvent::Started { spec: Box::new(spec.clone()), fingerprint: *fingerprint });
        for line in &self.lines {
            match line {
                Line::Ply(record) => tally.ply(record),
                Line::Event(event) => _ = tally.add(event),
                Line::Cut(_) | Line::Footer(_) => {}
            }
        }
        tally
    }

    /// Returns all turns in the order of the file, also those that were taken back: after an undo or an edit their numbers
    /// continue from a smaller one. Only [`line_of_play`](Replay::line_of_play) has the turns that count.
    pub fn plies(&self) -> impl Iterator<Item = &PlyRecord> {
        self.lines.iter().filter_map(|line| match line {
            Line::Ply(record) => Some(record),
            _ => None,
        })
    }
}
