//! A conversation with one bot outside a match. It has no clock, only a time limit for each wait, and it shows every
//! byte.

use crate::pipe::{feed, pump};
use agon_games::AnyWireBot;
use agon_run::{CancelFlag, Running, StartError};
use std::{
    io,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, RecvTimeoutError, Sender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

/// The maximum time between two looks at the interrupt flag.
const NAP: Duration = Duration::from_millis(20);
/// How many bytes of a bot's stderr are kept.
const STDERR: usize = 16 << 10;
/// The maximum number of unread pieces of output. The bot waits when there are more.
const UNHEARD: usize = 16;

/// One bot that can be sent bytes and answers with bytes.
pub enum Talk {
    /// A bot that is a process.
    Process(Box<Process>),
    /// A built-in bot behind its wire protocol.
    Builtin {
        /// The bot.
        bot: Box<dyn AnyWireBot>,
        /// Output that has not been read yet.
        said: Vec<u8>,
    },
}

/// What came from the bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Received {
    /// Bytes of its output.
    Bytes(Vec<u8>),
    /// The end of its output.
    End,
    /// No output within the time.
    Nothing,
    /// An interrupt.
    Cancelled,
}

/// A process with one thread for each of its pipes, so that no pipe can block another.
pub struct Process {
    /// The process, which is killed when this is dropped.
    _running: Running,
    /// Sends bytes to the thread that writes. `None` after the input was closed.
    tell: Option<Sender<Vec<u8>>>,
    hear: Receiver<Vec<u8>>,
    stderr: Arc<Mutex<Vec<u8>>>,
}

impl Talk {
    /// Starts a program.
    ///
    /// # Errors
    /// The program, or a thread for one of its pipes, cannot be started.
    pub fn start(program: &agon_run::Program) -> Result<Self, StartError> {
        let mut running = program.run()?;
        let (stdout, stderr) = (running.stdout.take(), running.stderr.take());
        let no_thread = |why: io::Error| StartError::io("cannot start a thread", &why);
        let tell = feed(running.stdin.take()).map_err(no_thread)?;
        let (say, hear) = sync_channel(UNHEARD);
        let reading = move || pump(stdout, |bytes| say.send(bytes.to_vec()).is_ok());
        thread::Builder::new().spawn(reading).map_err(no_thread)?;
        let kept = Arc::new(Mutex::new(Vec::new()));
        let ours = Arc::clone(&kept);
        let keeping = move || {
            pump(stderr, |bytes| {
                if let Ok(mut kept) = ours.lock() {
                    kept.extend_from_slice(bytes);
                    let surplus = kept.len().saturating_sub(STDERR);
                    kept.drain(..surplus);
                }
                true
            });
        };
        thread::Builder::new().spawn(keeping).map_err(no_thread)?;
        Ok(Self::Process(Box::new(Process { _running: running, tell: Some(tell), hear, stderr: kept })))
    }

    /// Starts a conversation with a built-in bot.
    pub fn builtin(bot: Box<dyn AnyWireBot>) -> Self {
        Self::Builtin { bot, said: Vec::new() }
    }

    /// Sends bytes to the bot.
    ///
    /// # Errors
    /// A built-in bot does not understand the bytes.
    pub fn tell(&mut self, bytes: &[u8]) -> Result<(), String> {
        match self {
            Self::Process(process) => {
                // If the bot no longer reads, that shows when it does not answer.
                let _ = process.tell.as_ref().map(|tell| tell.send(bytes.to_vec()));
                Ok(())
            }
            Self::Builtin { bot, said } => bot.hear(bytes, said).map(drop),
        }
    }

    /// Waits for output until the instant `until`, or until `cancel` is set.
    pub fn hear(&mut self, until: Instant, cancel: &CancelFlag) -> Received {
        match self {
            Self::Process(process) => loop {
                let left = until.saturating_duration_since(Instant::now());
                match process.hear.recv_timeout(left.min(NAP)) {
                    Ok(bytes) => return Received::Bytes(bytes),
                    Err(RecvTimeoutError::Disconnected) => return Received::End,
                    Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => return Received::Cancelled,
                    Err(RecvTimeoutError::Timeout) if left.is_zero() => return Received::Nothing,
                    Err(RecvTimeoutError::Timeout) => {}
                }
            },
            Self::Builtin { said, .. } if said.is_empty() => Received::Nothing,
            Self::Builtin { said, .. } => Received::Bytes(std::mem::take(said)),
        }
    }

    /// Returns the end of the bot's stderr.
    pub fn stderr(&self) -> String {
        match self {
            Self::Process(process) => {
                // The last words of a dying bot take a moment to arrive.
                thread::sleep(Duration::from_millis(20));
                process.stderr.lock().map_or_else(|_| String::new(), |kept| String::from_utf8_lossy(&kept).into_owned())
            }
            Self::Builtin { .. } => String::new(),
        }
    }
}
