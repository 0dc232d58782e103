//! The process of a bot in a console. It is kept alive between turns, and everything that it writes is reported at once.

use agon_core::Seat;
use agon_run::{Program, Running};
use std::{
    io::{Read, Write},
    os::unix::process::ExitStatusExt,
    sync::mpsc::{Sender, SyncSender, channel},
    thread,
    time::{Duration, Instant},
};

/// How long a process may take to end after it has closed its output, before it counts as one that only closed it.
const END: Duration = Duration::from_millis(500);
/// The time between two looks whether a process has ended.
const NAP: Duration = Duration::from_millis(2);

/// What the thread of a pipe reports.
pub struct Report {
    pub seat: Seat,
    /// The number of the start of the process.
    pub run: u32,
    pub news: News,
}

/// What has happened at a pipe.
pub enum News {
    /// Bytes of the output.
    Output(Vec<u8>),
    /// The end of the output.
    OutputEnded,
}

/// A running bot. Dropping it kills the bot and everything that it has started.
pub struct BotProcess {
    /// The number of its start.
    pub run: u32,
    running: Running,
    /// Sends bytes to the thread that writes. `None` after the input was closed.
    tell: Option<Sender<Vec<u8>>>,
}

impl BotProcess {
    /// Starts a program.
    ///
    /// # Errors
    /// Says why the program cannot be started.
    pub fn start(
        program: &Program,
        memory_mib: Option<u32>,
        (seat, run): (Seat, u32),
        reports: &SyncSender<Report>,
    ) -> Result<Self, String> {
        let mut running = program.run().map_err(|why| why.to_string())?;
        if let Some(limit) = memory_mib.filter(|_| program.sandbox.is_none()) {
            running.limit_memory(limit).map_err(|why| why.to_string())?;
        }
        let (mut stdin, stdout, stderr) = (running.stdin.take(), running.stdout.take(), running.stderr.take());
        let (tell, told) = channel::<Vec<u8>>();
        // Each pipe has a thread, so that none can block another. They end with the pipes.
        thread::spawn(move || {
            for bytes in told {
                let Some(pipe) = &mut stdin else { break };
                if pipe.write_all(&bytes).and_then(|()| pipe.flush()).is_err() {
                    break;
                }
            }
        });
        let reports = reports.clone();
        thread::spawn(move || {
            let report = |news| reports.send(Report { seat, run, news }).is_ok();
            pump(stdout, |bytes| report(News::Output(bytes.to_vec())));
            report(News::OutputEnded)
        });
        // A bot must never wait because nobody reads its stderr.
        thread::spawn(move || pump(stderr, |_| true));
        Ok(Self { run, running, tell: Some(tell) })
    }

    /// Sends bytes. If the bot no longer reads, that shows when it does not answer.
    pub fn tell(&self, bytes: Vec<u8>) {
        let _ = self.tell.as_ref().map(|tell| tell.send(bytes));
    }

    /// Closes the input.
    pub fn close_input(&mut self) {
        self.tell = None;
    }

    /// Returns whether the process runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.running.ended(), Ok(None))
    }

    /// Returns how the process has ended that has closed its output, as a lower-case fragment.
    pub fn ending(&mut self) -> String {
        let until = Instant::now() + END;
        loop {
            match self.running.ended() {
                Ok(Some(_)) if self.running.ran_out_of_memory() => return "it used too much memory".to_owned(),
                Ok(Some(status)) => {
                    return match (status.code(), status.signal()) {
                        (Some(code), _) => format!("it ended with the exit code {code}"),
                        (None, Some(signal)) => format!("signal {signal} ended it"),
                        (None, None) => "it ended".to_owned(),
                    };
                }
                Ok(None) if Instant::now() < until => thread::sleep(NAP),
                _ => return "it closed its output".to_owned(),
            }
        }
    }
}

/// Reads a pipe to its end, or until `take` returns `false`.
fn pump(pipe: Option<impl Read>, mut take: impl FnMut(&[u8]) -> bool) {
    let Some(mut pipe) = pipe else { return };
    let mut buffer = vec![0; 16 << 10];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) if take(&buffer[..count]) => {}
            Ok(_) => return,
            Err(why) if why.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
