//! The process of a bot in a console. It is kept alive between turns, and everything that it writes is reported at once.

use super::recorder::{Recorder, Unreported};
use crate::pipe::{feed, pump};
use agon_core::Seat;
use agon_run::{Program, Running, StartError, Stream};
use crossbeam_channel::Sender as Reports;
use std::{
    io,
    os::unix::process::ExitStatusExt,
    sync::{Arc, Mutex, PoisonError, mpsc::Sender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// How long a process may take to end after it has closed its output, before it counts as one that only closed it.
const END: Duration = Duration::from_millis(500);
/// How much of the stderr of one process is reported. A bot that logs without end would fill every page.
const MOST_STDERR: usize = 4 << 20;
/// How much of the end of stderr may tell why a bot has ended.
const MOST_WORDS: usize = 512;

/// What the thread of a pipe reports.
pub struct Report {
    pub seat: Seat,
    /// The number of the start of the process.
    pub run: u32,
    /// When it was read, since the session began.
    pub at: Duration,
    pub news: News,
}

/// What has happened at a pipe.
pub enum News {
    /// Bytes of the output.
    Output(Vec<u8>),
    /// Bytes of stderr.
    Stderr {
        bytes: Vec<u8>,
        /// How many bytes before these found no room.
        lost: usize,
        /// Whether the process has written so much that nothing more of it is reported.
        is_last: bool,
    },
    /// The end of the output.
    OutputEnded,
}

/// A running bot. Dropping it kills the bot and everything that it has started.
pub struct BotProcess {
    /// The number of its start.
    pub run: u32,
    running: Running,
    /// The thread that reads the output.
    output: JoinHandle<()>,
    /// The thread that reads stderr.
    errors: JoinHandle<()>,
    /// When its output has ended.
    closed: Option<Instant>,
    /// The end of stderr.
    tail: Arc<Mutex<Vec<u8>>>,
    /// Sends bytes to the thread that writes. `None` after the input was closed.
    tell: Option<Sender<Vec<u8>>>,
}

impl BotProcess {
    /// Starts a program.
    ///
    /// # Errors
    /// The program, or a thread for one of its pipes, cannot be started.
    pub fn start(
        program: &Program,
        memory_mib: Option<u32>,
        (seat, run): (Seat, u32),
        reports: &Reports<Report>,
        recorder: &Recorder,
    ) -> Result<Self, StartError> {
        let mut running = program.run()?;
        if let Some(limit) = memory_mib.filter(|_| program.sandbox.is_none()) {
            running.limit_memory(limit).map_err(|why| StartError::io("cannot watch its memory", &why))?;
        }
        let (stdout, stderr) = (running.stdout.take(), running.stderr.take());
        let no_thread = |why: io::Error| StartError::io("cannot start a thread", &why);
        let tell = feed(running.stdin.take()).map_err(no_thread)?;
        let (reports, errors) = (reports.clone(), reports.clone());
        let (output_recorder, error_recorder) = (recorder.clone(), recorder.clone());
        let reading = move || {
            // It is certain what was said until then when the report is in the channel.
            let report = |reading: Unreported, news| reports.send(Report { seat, run, at: reading.at, news }).is_ok();
            pump(stdout, |bytes| {
                let reading = output_recorder.read();
                output_recorder.add_at(reading.at, seat, Stream::Out, bytes);
                report(reading, News::Output(bytes.to_vec()))
            });
            report(output_recorder.read(), News::OutputEnded);
        };
        let output = thread::Builder::new().spawn(reading).map_err(no_thread)?;
        let tail = Arc::<Mutex<Vec<u8>>>::default();
        let end = Arc::clone(&tail);
        // A bot must never wait because nobody reads its stderr: what finds no room is left out.
        let reading = move || {
            let (mut room, mut lost) = (MOST_STDERR, 0);
            pump(stderr, |bytes| {
                keep(&end, bytes);
                let at = error_recorder.add(seat, Stream::Err, bytes);
                if room > 0 {
                    let part = &bytes[..bytes.len().min(room)];
                    let news = News::Stderr { bytes: part.to_vec(), lost, is_last: part.len() == room };
                    match errors.try_send(Report { seat, run, at, news }) {
                        Ok(()) => (room, lost) = (room - part.len(), 0),
                        Err(_) => lost += bytes.len(),
                    }
                }
                true
            });
        };
        let errors = thread::Builder::new().spawn(reading).map_err(no_thread)?;
        Ok(Self { run, running, output, errors, closed: None, tail, tell: Some(tell) })
    }

    /// Sends bytes. If the bot no longer reads, that shows when it does not answer.
    pub fn tell(&self, bytes: Vec<u8>) {
        let _ = self.tell.as_ref().map(|tell| tell.send(bytes));
    }

    /// Closes the input.
    pub fn close_input(&mut self) {
        self.tell = None;
    }

    /// Returns whether the process has ended, and all that it and its children wrote has been read.
    pub fn is_over(&mut self) -> bool {
        let runs = matches!(self.running.ended(), Ok(None));
        !runs && self.output.is_finished() && self.errors.is_finished()
    }

    /// Returns the last line of stderr that has something in it.
    fn last_words(&self) -> Option<String> {
        let end = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&end).into_owned();
        text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
    }

    /// Learns that the output has ended.
    pub fn close_output(&mut self) {
        self.closed = Some(Instant::now());
    }

    /// Returns how the process has ended that has closed its output, as a lower-case fragment. `None` as long as its end is
    /// awaited.
    pub fn ending(&mut self) -> Option<String> {
        let is_over = self.closed?.elapsed() >= END;
        let how = match self.running.ended() {
            Ok(Some(_)) if self.running.ran_out_of_memory() => "it used too much memory".to_owned(),
            // What it wrote last may say why.
            Ok(Some(_)) if !self.errors.is_finished() && !is_over => return None,
            Ok(Some(status)) => {
                let how = match (status.code(), status.signal()) {
                    (Some(code), _) => format!("it ended with the exit code {code}"),
                    (None, Some(signal)) => format!("{} ended it", agon_run::signal_name(signal)),
                    (None, None) => "it ended".to_owned(),
                };
                self.last_words().map_or_else(|| how.clone(), |words| format!("{how}; on stderr: {words}"))
            }
            Ok(None) if !is_over => return None,
            _ => "it closed its output".to_owned(),
        };
        self.closed = None;
        Some(how)
    }

    /// Returns whether the end of the process is awaited.
    pub fn is_ending(&self) -> bool {
        self.closed.is_some()
    }
}

/// Keeps the end of what was written.
fn keep(end: &Mutex<Vec<u8>>, bytes: &[u8]) {
    let mut end = end.lock().unwrap_or_else(PoisonError::into_inner);
    end.extend_from_slice(bytes);
    let surplus = end.len().saturating_sub(MOST_WORDS);
    end.drain(..surplus);
}
