//! Writes events as lines while they happen.

use crate::{Cut, FORMAT_VERSION, Header, LINE_LIMIT, Line, Replay, SIZE_LIMIT, Tally};
use agon_referee::{JsonList, MatchEvent, PlyRecord};
use serde::Serialize;
use std::io::{self, Write};

/// The most bytes that a writer writes before the footer. With the footer a replay then stays below [`SIZE_LIMIT`], so
/// that it can be read back.
pub const WRITE_LIMIT: u64 = SIZE_LIMIT - LINE_LIMIT as u64;

/// Writes a replay. Every call of [`Writer::write`] writes whole lines, so the output can be read at any time.
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
    /// Creates a writer. `engine` is the version of the program, for the header.
    pub fn new(output: W, engine: &str) -> Self {
        let (engine, tally, line) = (engine.to_owned(), Tally::default(), Vec::new());
        Self { output, engine, tally, line, plies: 0, written: 0, limit: WRITE_LIMIT, cut: None }
    }

    /// Limits the bytes before the footer, to at most [`WRITE_LIMIT`]. A limit is necessary because bots decide how
    /// large the record of a turn is. The writer leaves out later turns and events, and a `cut` line says so. It always
    /// writes the header and the footer.
    #[must_use]
    pub fn limited(mut self, bytes: u64) -> Self {
        self.limit = bytes.min(WRITE_LIMIT);
        self
    }

    /// Returns where turns were left out, or `None` if none were.
    pub fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// Writes an event of the match. Of a turn it leaves out the events and the standing, because they follow from the
    /// orders.
    ///
    /// # Errors
    /// Fails if the output fails.
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
                self.line.clear();
                if record.events.is_empty() && record.standing.is_none() {
                    record.write_json(&mut self.line);
                } else {
                    PlyRecord { events: JsonList::default(), standing: None, ..record.clone() }
                        .write_json(&mut self.line);
                }
                self.line.push(b'\n');
                self.put_line()?;
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

    /// Flushes the output and returns it.
    ///
    /// # Errors
    /// Fails if the output fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.flush()?;
        Ok(self.output)
    }

    fn put(&mut self, value: &impl Serialize) -> io::Result<()> {
        print(&mut self.line, value)?;
        self.put_line()
    }

    fn put_line(&mut self) -> io::Result<()> {
        let bytes = self.written + self.line.len() as u64;
        // The first line is the header. It is never left out.
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

/// Writes a whole replay in the form in which [`Writer`] writes it.
///
/// # Errors
/// Fails if the output fails.
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

/// Writes one whole line in a single write.
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
