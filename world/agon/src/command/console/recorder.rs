//! The transcript of a session. The threads of pipes write it, so that it has what a page or a person never sees.

use agon_core::Seat;
use agon_play::{FileError, Transcript, TranscriptReport, TranscriptSink};
use agon_run::{Chunk, Stream};
use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

/// Tells the time of a session, and records what goes through pipes. Copies share both.
#[derive(Clone)]
pub struct Recorder(Arc<Shared>);

struct Shared {
    begun: Instant,
    /// The turn that is played next.
    ply: AtomicU32,
    transcript: Mutex<Option<Transcript>>,
}

impl Recorder {
    /// Begins to count the time. Nothing is recorded yet.
    pub fn new() -> Self {
        Self(Arc::new(Shared { begun: Instant::now(), ply: AtomicU32::new(1), transcript: Mutex::default() }))
    }

    /// Returns the time since the session began.
    pub fn now(&self) -> Duration {
        self.0.begun.elapsed()
    }

    /// Begins to record in a file.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn open(&self, path: PathBuf) -> Result<(), FileError> {
        let transcript = Transcript::new(TranscriptSink::File(path))?;
        *self.transcript() = Some(transcript);
        Ok(())
    }

    /// Sets the turn that is played next.
    pub fn set_ply(&self, ply: u32) {
        self.0.ply.store(ply, Ordering::Relaxed);
    }

    /// Records bytes. Returns the time.
    pub fn add(&self, seat: Seat, stream: Stream, bytes: &[u8]) -> Duration {
        let at = self.now();
        if let Some(transcript) = &mut *self.transcript() {
            let ply = self.0.ply.load(Ordering::Relaxed);
            transcript.add(Chunk { ply, seat, stream, at, bytes });
        }
        at
    }

    /// Ends the transcript. `None` if there is none.
    pub fn finish(&self) -> Option<TranscriptReport> {
        self.transcript().take().map(Transcript::finish)
    }

    fn transcript(&self) -> MutexGuard<'_, Option<Transcript>> {
        self.0.transcript.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn what_is_recorded_has_its_turn_and_its_time() {
        let path = std::env::temp_dir().join(format!("agon-recorder-{}.jsonl", std::process::id()));
        let recorder = Recorder::new();
        recorder.add(Seat::new(0), Stream::Out, b"before the file is open");
        recorder.open(path.clone()).expect("a file");
        recorder.add(Seat::new(0), Stream::In, b"go\n");
        recorder.set_ply(2);
        let other = recorder.clone();
        let at = std::thread::spawn(move || other.add(Seat::new(1), Stream::Err, b"\xff")).join().expect("it ends");
        recorder.finish().expect("a transcript").written.expect("it is written");
        recorder.add(Seat::new(0), Stream::Out, b"after the end");
        let text = std::fs::read_to_string(&path).expect("it is there");
        std::fs::remove_file(&path).expect("it can be removed");
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let of =
            |line: &Value| (line["ply"].as_u64(), line["seat"].as_u64(), line["bytes"].as_str().map(str::to_owned));
        assert_eq!(of(&lines[0]), (Some(1), Some(1), Some("go\n".into())));
        assert_eq!(of(&lines[1]), (Some(2), Some(2), Some("\u{ff}".into())));
        assert_eq!((lines.len(), lines[1]["at_us"].as_u64()), (2, Some(at.as_micros() as u64)));
    }
}
