//! From lines to records, whatever the bytes.

use crate::{Footer, Header, Line, line::parse_header};
use agon_referee::PlyRecord;
use std::{
    fmt,
    io::{self, BufRead, Read},
};

/// The longest line in bytes. A decision of as many orders as a bot's inbox holds stays well below.
pub const LINE_LIMIT: usize = 16 << 20;
/// The most bytes of a replay that are read, after decompression.
pub const SIZE_LIMIT: u64 = 1 << 30;

/// About as many bytes of memory at most are taken by the turns of a replay. The same turn takes many times the memory
/// that it takes in a file, and a compressed file may be small.
pub(crate) const HELD_LIMIT: usize = 512 << 20;

/// Reads a replay line by line.
#[derive(Debug)]
pub struct Reader<R> {
    input: io::Take<R>,
    buffer: Vec<u8>,
    line: u32,
    ended: Option<Ended>,
    /// Whether turns were left out: only the footer may follow.
    cut: bool,
}

/// How the input ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ended {
    /// With a footer.
    Whole,
    /// Before one.
    Cut,
}

/// Why something is not a replay.
#[derive(Debug)]
pub enum ReadError {
    /// The input cannot be read.
    Io(io::Error),
    /// This line is not what it should be.
    Line {
        /// Counted from 1.
        line: u32,
        /// Why, a lower-case fragment.
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
    /// Reads the header.
    ///
    /// # Errors
    /// The input cannot be read, or its first line is no header that this version knows.
    pub fn new(input: R) -> Result<(Header, Self), ReadError> {
        let mut reader = Self { input: input.take(SIZE_LIMIT), buffer: Vec::new(), line: 0, ended: None, cut: false };
        if !reader.fill()? {
            let why = if reader.buffer.is_empty() { "there is nothing in it" } else { "the header is cut off" };
            return Err(reader.flaw(why));
        }
        let header = parse_header(&reader.buffer).map_err(|why| reader.flaw(why))?;
        Ok((header, reader))
    }

    /// The next line; `None` at the end of the input.
    ///
    /// # Errors
    /// The input cannot be read, or a line is not what it should be.
    pub fn next_line(&mut self) -> Result<Option<Line>, ReadError> {
        loop {
            let whole = self.fill()?;
            if self.ended == Some(Ended::Whole) {
                return if self.buffer.is_empty() { Ok(None) } else { Err(self.flaw("a line after the footer")) };
            }
            if self.buffer.is_empty() && !whole {
                self.ended = Some(Ended::Cut);
                return Ok(None);
            }
            match Line::parse(&self.buffer) {
                Ok(Some(line)) => {
                    match line {
                        Line::Footer(_) => self.ended = Some(Ended::Whole),
                        _ if self.cut => return Err(self.flaw("a line after the one that says that they are left out")),
                        _ => self.cut = matches!(line, Line::Cut(_)),
                    }
                    return Ok(Some(line));
                }
                Ok(None) => {}
                // The last line without its end was being written when that was broken off.
                Err(_) if !whole => {
                    self.ended = Some(Ended::Cut);
                    return Ok(None);
                }
                Err(why) => return Err(self.flaw(why)),
            }
        }
    }

    /// Whether the input ended before a footer: the match was still running, or whoever wrote it was killed.
    #[must_use]
    pub fn is_cut_off(&self) -> bool {
        self.ended == Some(Ended::Cut)
    }

    /// The number of the last line that was read, counted from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Reads one line into the buffer, without its end; whether it had one. A compressed input that ends in the middle
    /// of its stream counts as one that was cut off there.
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
            return Err(self.flaw(format!("longer than {LINE_LIMIT} bytes")));
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
    /// Everything between header and footer, in order.
    pub lines: Vec<Line>,
    /// The last line; `None` if the replay is cut off.
    pub footer: Option<Footer>,
}

impl Replay {
    /// Reads all of `input`.
    ///
    /// # Errors
    /// As [`Reader::new`] and [`Reader::next_line`]; and a replay that would take too much memory, which can still be
    /// read line by line.
    pub fn read(input: impl BufRead) -> Result<Self, ReadError> {
        let (header, mut reader) = Reader::new(input)?;
        let (mut lines, mut footer) = (Vec::new(), None);
        let mut held = 0usize;
        while let Some(line) = reader.next_line()? {
            held = held.saturating_add(line.weight(reader.buffer.len()));
            if held > HELD_LIMIT {
                return Err(reader.flaw("the turns up to here are too many to be held in memory"));
            }
            match line {
                Line::Footer(last) => footer = Some(last),
                line => lines.push(line),
            }
        }
        Ok(Self { header, lines, footer })
    }

    /// The turns in the order of the file. After an undo or an edit their numbers start again from a smaller one.
    pub fn plies(&self) -> impl Iterator<Item = &PlyRecord> {
        self.lines.iter().filter_map(|line| match line {
            Line::Ply(record) => Some(record),
            _ => None,
        })
    }
}
