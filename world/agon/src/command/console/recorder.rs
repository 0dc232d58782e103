//! The time of a session, and its transcript. The threads of pipes write it, so that it has what a page or a person never sees.

use agon_core::Seat;
use agon_play::{FileError, Transcript, TranscriptReport, TranscriptSink, Withheld};
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
    /// When bytes were read that nobody has been told of yet.
    unreported: Mutex<Vec<Duration>>,
}

/// Bytes that were read. Drop it when they were reported: until then nothing later is certain.
pub struct Unreported {
    recorder: Recorder,
    /// When they were read, since the session began.
    pub at: Duration,
}

impl Drop for Unreported {
    fn drop(&mut self) {
        let mut unreported = self.recorder.unreported();
        if let Some(i) = unreported.iter().position(|at| *at == self.at) {
            unreported.swap_remove(i);
        }
    }
}

impl Recorder {
    /// Begins to count the time. Nothing is recorded yet.
    pub fn new() -> Self {
        Self(Arc::new(Shared {
            begun: Instant::now(),
            ply: AtomicU32::new(1),
            transcript: Mutex::default(),
            unreported: Mutex::default(),
        }))
    }

    /// Returns the time since the session began.
    pub fn now(&self) -> Duration {
        self.0.begun.elapsed()
    }

    /// Notes that bytes were read now.
    pub fn read(&self) -> Unreported {
        let mut unreported = self.unreported();
        let at = self.now();
        unreported.push(at);
        Unreported { recorder: self.clone(), at }
    }

    /// Notes that bytes were read at an instant, as if the thread had stood still since then.
    #[cfg(test)]
    pub fn read_at(&self, at: Duration) -> Unreported {
        self.unreported().push(at);
        Unreported { recorder: self.clone(), at }
    }

    /// Returns the last instant of which everything is known: all that was read before it has been reported. It is now, or the
    /// instant of the oldest [`Unreported`].
    pub fn certain(&self) -> Duration {
        let unreported = self.unreported();
        let now = self.now();
        unreported.iter().copied().min().map_or(now, |oldest| oldest.min(now))
    }

    /// Begins to record in a file, which is withheld if bots could read it at its place.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn open(&self, path: PathBuf, withheld: Option<Withheld>) -> Result<(), FileError> {
        let transcript = Transcript::new(TranscriptSink::File(path), withheld)?;
        *self.transcript() = Some(transcript);
        Ok(())
    }

    /// Sets the turn that is played next.
    pub fn set_ply(&self, ply: u32) {
        self.0.ply.store(ply, Ordering::Relaxed);
    }

    /// Records bytes that are written or read now. Returns the time.
    pub fn add(&self, seat: Seat, stream: Stream, bytes: &[u8]) -> Duration {
        let at = self.now();
        self.add_at(at, seat, stream, bytes);
        at
    }

    /// Records bytes with their time.
    pub fn add_at(&self, at: Duration, seat: Seat, stream: Stream, bytes: &[u8]) {
        if let Some(transcript) = &mut *self.transcript() {
            let ply = self.0.ply.load(Ordering::Relaxed);
            transcript.add(Chunk { ply, seat, stream, at, bytes });
        }
    }

    /// Ends the transcript. `None` if there is none.
    pub fn finish(&self) -> Option<TranscriptReport> {
        self.transcript().take().map(Transcript::finish)
    }

    fn unreported(&self) -> MutexGuard<'_, Vec<Duration>> {
        self.0.unreported.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn recorded_bytes_have_their_turn_and_their_time() {
        let path = std::env::temp_dir().join(format!("agon-recorder-{}.jsonl", std::process::id()));
        let recorder = Recorder::new();
        recorder.add(Seat::new(0), Stream::Out, b"before the file is open");
        recorder.open(path.clone(), None).expect("a file");
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

    #[test]
    fn nothing_is_certain_after_what_was_read_and_not_reported() {
        let recorder = Recorder::new();
        let (older, younger) = (recorder.read(), recorder.read());
        let older_at = older.at;
        assert_eq!(recorder.certain(), older_at);
        drop(older);
        assert_eq!(recorder.certain(), younger.at);
        let before = recorder.now();
        drop(younger);
        assert!(recorder.certain() >= before);
    }
}
