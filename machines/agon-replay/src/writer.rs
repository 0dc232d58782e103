//! From events to lines, as they happen.

use crate::{FORMAT_VERSION, Header, Line, Replay, Tally};
use agon_referee::{JsonList, MatchEvent, PlyRecord};
use serde::Serialize;
use std::io::{self, Write};

/// Writes a replay. Every call of [`Writer::write`] ends with a whole line in the output, so that whatever is there can
/// be read at any time.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    engine: String,
    tally: Tally,
    line: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// A writer of a match; `engine` is the version of the program.
    pub fn new(output: W, engine: &str) -> Self {
        Self { output, engine: engine.to_owned(), tally: Tally::default(), line: Vec::new() }
    }

    /// Writes what happened. Events and standings of a turn, which follow from the orders, are left out.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write(&mut self, event: &MatchEvent) -> io::Result<()> {
        let footer = self.tally.add(event);
        if let Some(footer) = footer {
            self.put(&footer)?;
            return self.output.flush();
        }
        match event {
            MatchEvent::Started { spec, fingerprint } => {
                let (engine, spec) = (self.engine.clone(), (**spec).clone());
                self.put(&Header { agon: FORMAT_VERSION, engine, fingerprint: *fingerprint, spec })
            }
            MatchEvent::Ply(record) if record.events.is_empty() && record.standing.is_none() => self.put(record),
            MatchEvent::Ply(record) => {
                self.put(&PlyRecord { events: JsonList::default(), standing: None, ..record.clone() })
            }
            other => self.put(other),
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
        put(&mut self.output, &mut self.line, value)
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
    line.clear();
    serde_json::to_writer(&mut *line, value)?;
    line.push(b'\n');
    output.write_all(line)
}
