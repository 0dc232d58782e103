//! Transcripts: every byte that bots read and wrote. They are separate from replays, so that a replay does not contain
//! the raw output of bots.

use crate::{FileError, Withheld};
use agon_core::Seat;
use agon_run::{Chunk, Stream};
use serde::Serialize;
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufWriter, Write},
    path::PathBuf,
};

/// The maximum number of bytes that each stream of each seat may take in the file. Without a limit, a bot that writes
/// to its stderr without end would fill the disk within minutes.
const KEPT: u64 = 64 << 20;

/// The destination of a transcript.
pub enum TranscriptSink {
    /// A file. An existing file is replaced. It grows where no bot of the match sees it, and moves there at the end, if one of
    /// them could read it at this path.
    File(PathBuf),
    /// A writer of the caller. It receives whole lines.
    Writer(Box<dyn Write + Send>),
}

/// How a transcript was written.
#[derive(Debug)]
pub struct TranscriptReport {
    /// The path of the file. `None` if the caller's writer received the transcript.
    pub path: Option<PathBuf>,
    /// The error that prevented the transcript from being written completely, if there was one. Such an error does not
    /// end the match.
    pub written: Result<(), io::Error>,
    /// The streams that were too long for the file, each with the number of bytes that were left out.
    pub left_out: Vec<(Seat, Stream, u64)>,
}

/// Returns whether a file that begins with these bytes is a transcript.
#[must_use]
pub fn begins_transcript(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line.starts_with(b"{\"ply\":") && line.windows(10).any(|part| part == b"\"stream\":\"")
}

/// Writes a transcript with one JSON object on each line: `{ply, seat, stream: in|out|err, at_us, bytes}`.
pub struct Transcript {
    path: Option<PathBuf>,
    output: Box<dyn Write + Send>,
    failed: Option<io::Error>,
    streams: BTreeMap<(Seat, &'static str), Written>,
    line: Vec<u8>,
    kept: u64,
    /// The file, if bots must not see it before it is finished. It comes after the output, which is dropped first.
    withheld: Option<Withheld>,
}

/// How much of one stream was written.
#[derive(Clone, Copy, Debug)]
struct Written {
    stream: Stream,
    /// The number of bytes that the stream takes in the file.
    file: u64,
    /// The number of bytes that were left out. `None` if the stream was not cut.
    left_out: Option<u64>,
}

#[derive(Serialize)]
struct Line<'a> {
    ply: u32,
    seat: u8,
    stream: &'a str,
    at_us: u64,
    /// One character for each byte (Latin-1). Any bytes can be written and read back, and ASCII stays readable.
    bytes: String,
    /// Whether this piece and all later pieces of the stream are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

/// A line at the end of the transcript for each stream that was cut.
#[derive(Serialize)]
struct LeftOut<'a> {
    seat: u8,
    stream: &'a str,
    left_out: u64,
}

impl Transcript {
    /// Starts to write a transcript, which is `withheld` if bots could read it at its place.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn new(sink: TranscriptSink, withheld: Option<Withheld>) -> Result<Self, FileError> {
        let (path, output): (_, Box<dyn Write + Send>) = match sink {
            TranscriptSink::Writer(writer) => (None, writer),
            TranscriptSink::File(path) => {
                let failed = |source| FileError { doing: "write the transcript", path: path.clone(), source };
                let file = File::create(withheld.as_ref().map_or(&*path, Withheld::path)).map_err(failed)?;
                (Some(path), Box::new(BufWriter::new(file)))
            }
        };
        Ok(Self { path, output, failed: None, streams: BTreeMap::new(), line: Vec::new(), kept: KEPT, withheld })
    }

    /// Writes a piece of a stream. An error is kept for [`Transcript::finish`], because the match continues without its
    /// transcript.
    pub fn add(&mut self, chunk: Chunk<'_>) {
        let stream = chunk.stream.name();
        let bytes = chunk.bytes.len() as u64;
        let written = self.streams.entry((chunk.seat, stream)).or_insert(Written {
            stream: chunk.stream,
            file: 0,
            left_out: None,
        });
        if let Some(left_out) = &mut written.left_out {
            *left_out += bytes;
            return;
        }
        let mut line = Line {
            ply: chunk.ply,
            seat: chunk.seat.number(),
            stream,
            at_us: u64::try_from(chunk.at.as_micros()).unwrap_or(u64::MAX),
            bytes: chunk.bytes.iter().map(|byte| char::from(*byte)).collect(),
            cut: false,
        };
        let mut printed = print(&mut self.line, &line);
        if written.file + self.line.len() as u64 > self.kept {
            (line.bytes, line.cut, written.left_out) = (String::new(), true, Some(bytes));
            printed = print(&mut self.line, &line);
        }
        written.file += self.line.len() as u64;
        self.put(printed);
    }

    /// Finishes the transcript and reports whether it is complete.
    #[must_use]
    pub fn finish(mut self) -> TranscriptReport {
        let cut = |(&(seat, _), written): (&(Seat, &'static str), &Written)| {
            written.left_out.map(|bytes| (seat, written.stream, bytes))
        };
        let left_out: Vec<(Seat, Stream, u64)> = self.streams.iter().filter_map(cut).collect();
        for &(seat, stream, bytes) in &left_out {
            let line = LeftOut { seat: seat.number(), stream: stream.name(), left_out: bytes };
            let printed = print(&mut self.line, &line);
            self.put(printed);
        }
        let flushed = self.output.flush();
        let released = self.withheld.map_or(Ok(()), Withheld::release);
        TranscriptReport { path: self.path, written: self.failed.map_or(flushed, Err).and(released), left_out }
    }

    fn put(&mut self, printed: io::Result<()>) {
        if let Err(why) = printed.and_then(|()| self.output.write_all(&self.line)) {
            self.failed.get_or_insert(why);
        }
    }
}

/// Writes one whole line into a buffer.
fn print(buffer: &mut Vec<u8>, line: &impl Serialize) -> io::Result<()> {
    buffer.clear();
    serde_json::to_writer(&mut *buffer, line)?;
    buffer.push(b'\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::time::Duration;

    #[test]
    fn a_stream_without_end_is_cut_and_the_others_are_not() {
        let path = std::env::temp_dir().join(format!("agon-transcript-{}.jsonl", std::process::id()));
        let file = Transcript::new(TranscriptSink::File(path.clone()), None).expect("a file");
        let mut transcript = Transcript { kept: 2000, ..file };
        for ply in 1..=1000 {
            for (stream, bytes) in [(Stream::Err, &b"\0"[..]), (Stream::Out, &[][..])] {
                if stream == Stream::Err || ply % 100 == 0 {
                    let at = Duration::from_micros(u64::from(ply));
                    transcript.add(Chunk { ply, seat: Seat::new(1), stream, at, bytes });
                }
            }
        }
        let report = transcript.finish();
        report.written.expect("it is written");
        let text = std::fs::read_to_string(&path).expect("it is there");
        std::fs::remove_file(&path).expect("it can be removed");
        assert!(text.len() < 2000 + 1000 + 200, "{}", text.len());
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let of = |stream: &str| lines.iter().filter(|line| line["stream"] == stream).collect::<Vec<_>>();
        assert_eq!(of("out").len(), 10, "also behind the cut");
        let errors = of("err");
        let [kept @ .., cut, last] = &errors[..] else { panic!("{errors:?}") };
        assert!(kept.len() > 10 && kept.iter().all(|line| line["bytes"] == "\0" && line["cut"].is_null()));
        assert_eq!((&cut["bytes"], &cut["cut"]), (&json!(""), &json!(true)));
        assert_eq!(last, &&json!({ "seat": 2, "stream": "err", "left_out": 1000 - kept.len() }));
        assert_eq!(report.left_out, [(Seat::new(1), Stream::Err, 1000 - kept.len() as u64)]);
    }
}
