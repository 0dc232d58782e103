//! From events to lines, as they happen.

use crate::{Cut, FORMAT_VERSION, Header, LINE_LIMIT, Line, Replay, SIZE_LIMIT, Tally};
use agon_referee::{JsonList, MatchEvent, PlyRecord};
use serde::Serialize;
use std::io::{self, Write};

/// The most bytes of turns and events that are written: with the footer that is no more than is read again.
pub const WRITE_LIMIT: u64 = SIZE_LIMIT - LINE_LIMIT as u64;

/// Writes a replay. Every call of [`Writer::write`] ends with a whole line in the output, so that whatever is there can
/// be read at any time.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    engine: String,
    tally: Tally,
    line: Vec<u8>,
    plies: u32,
    written: u64,
    limit: u64,
    cut: Option<Cut>,
}

impl<W: Write> Writer<W> {
    /// A writer of a match; `engine` is the version of the program.
    pub fn new(output: W, engine: &str) -> Self {
        let (engine, tally, line) = (engine.to_owned(), Tally::default(), Vec::new());
        Self { output, engine, tally, line, plies: 0, written: 0, limit: WRITE_LIMIT, cut: None }
    }

    /// At most so many bytes of turns and events, and no more than [`WRITE_LIMIT`]: bots decide how large the record of
    /// a turn is. What is beyond is left out, which a line says; the footer is always written.
    #[must_use]
    pub fn limited(mut self, bytes: u64) -> Self {
        self.limit = bytes.min(WRITE_LIMIT);
        self
    }

    /// Where turns were left out, if they were.
    pub fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// Writes what happened. Events and standings of a turn, which follow from the orders, are left out.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write(&mut self, event: &MatchEvent) -> io::Result<()> {
        let footer = self.tally.add(event);
        if let Some(footer) = footer {
            put(&mut self.output, &mut self.line, &footer)?;
            return self.output.flush();
        }
        if self.cut.is_some() {
            return Ok(());
        }
        match event {
            MatchEvent::Started { spec, fingerprint } => {
                let (engine, spec) = (self.engine.clone(), (**spec).clone());
                self.put(&Header { agon: FORMAT_VERSION, engine, fingerprint: *fingerprint, spec })
            }
            MatchEvent::Ply(record) => {
                if record.events.is_empty() && record.standing.is_none() {
                    self.put(record)?;
                } else {
                    self.put(&PlyRecord { events: JsonList::default(), standing: None, ..record.clone() })?;
                }
                self.plies = record.ply;
                Ok(())
            }
            other => {
                self.put(other)?;
                match other {
                    MatchEvent::Rewound { ply, .. } => self.plies = *ply,
                    MatchEvent::Edited { .. } => self.plies = 0,
                    _ => {}
                }
                Ok(())
            }
        }
    }

    /// The output, flushed.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.flush()?;
        Ok(self.output)
    }

    fn put(&mut self, value: &impl Serialize) -> io::Result<()> {
        print(&mut self.line, value)?;
        let bytes = self.written + self.line.len() as u64;
        // The first line is the header, without which nothing is a replay.
        if self.written > 0 && (bytes > self.limit || self.line.len() > LINE_LIMIT) {
            let cut = Cut { plies: self.plies, bytes: self.written };
            self.cut = Some(cut);
            self.line = Vec::new();
            return put(&mut self.output, &mut self.line, &cut);
        }
        self.written = bytes;
        self.output.write_all(&self.line)
    }
}

/// Writes a whole replay, as [`Writer`] would have written it.
///
/// # Errors
/// Those of the output.
pub fn write_replay(replay: &Replay, output: &mut impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    put(output, &mut line, &replay.header)?;
    for next in &replay.lines {
        match next {
            Line::Ply(record) => put(output, &mut line, record)?,
            Line::Event(event) => put(output, &mut line, event)?,
            Line::Cut(cut) => put(output, &mut line, cut)?,
            Line::Footer(footer) => put(output, &mut line, footer)?,
        }
    }
    if let Some(footer) = &replay.footer {
        put(output, &mut line, footer)?;
    }
    output.flush()
}

/// One whole line in one write.
fn put(output: &mut impl Write, line: &mut Vec<u8>, value: &impl Serialize) -> io::Result<()> {
    print(line, value)?;
    output.write_all(line)
}

fn print(line: &mut Vec<u8>, value: &impl Serialize) -> io::Result<()> {
    line.clear();
    serde_json::to_writer(&mut *line, value)?;
    line.push(b'\n');
    Ok(())
}
