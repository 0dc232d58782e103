//! Ctrl-C. The first one ends the command, kills the processes that it started, and keeps what has been played. A
//! second one ends the program immediately. A command that plays many games has one stage more: at the first Ctrl-C it
//! starts no new game and plays the running ones to their end.

use crate::{
    error::{Error, Result, reason},
    exit::Exit,
};
use agon_play::Cancel;
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// The flag that Ctrl-C sets. SIGTERM and the end of the terminal set it too.
pub struct Interrupt {
    cancel: Cancel,
    /// Whether the command looks at the flag. Before that, an interrupt ends the program, which may be waiting for a
    /// map from a pipe.
    armed: Arc<AtomicBool>,
}

impl Interrupt {
    /// Installs the handler. It is not armed yet. Call this once, before anything is started.
    ///
    /// # Errors
    /// The system has no descriptors left, or another handler is installed.
    pub fn new() -> Result<Self> {
        Self::install(false)
    }

    /// Installs a handler whose first interrupt only requests that nothing new starts.
    ///
    /// # Errors
    /// The same as those of [`Interrupt::new`].
    pub fn in_two_stages() -> Result<Self> {
        Self::install(true)
    }

    fn install(finishes_first: bool) -> Result<Self> {
        let cancel = Cancel::new().map_err(|why| refused(&reason(&why)))?;
        let interrupt = Self { cancel, armed: Arc::default() };
        let (cancel, armed) = (interrupt.cancel.clone(), Arc::clone(&interrupt.armed));
        ctrlc::set_handler(move || {
            if cancel.is_killed() || !armed.load(Ordering::Acquire) {
                std::process::exit(Exit::Interrupted as i32);
            }
            if finishes_first && !cancel.is_cancelled() {
                cancel.finish();
            } else {
                cancel.kill();
            }
        })
        .map_err(|why| refused(&why.to_string()))?;
        Ok(interrupt)
    }

    /// Arms the handler. From here on, the command starts things that it must end itself.
    pub fn arm(&self) {
        self.armed.store(true, Ordering::Release);
    }

    /// Takes the end of stdin as an interrupt, too.
    ///
    /// # Errors
    /// The system starts no thread.
    pub fn at_the_end_of_stdin(&self) -> Result<()> {
        let cancel = self.cancel.clone();
        let waiting = move || {
            // What comes there is for nobody. Where stdin cannot be read, it has ended.
            let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
            cancel.kill();
        };
        thread::Builder::new().spawn(waiting).map(drop).map_err(|why| Error::thread(&why))
    }

    /// Returns the flag that an interrupt sets.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

fn refused(why: &str) -> Error {
    Error::user(format!("cannot prepare for interrupts: {why}")).exit(Exit::Sandbox)
}

/// Returns the error of a command that was interrupted and has nothing to keep.
pub fn error() -> Error {
    agon_play::Error::Cancelled.into()
}

/// Installs an armed handler and returns the flag that it sets.
///
/// # Errors
/// The same as those of [`Interrupt::new`].
pub fn armed() -> Result<Cancel> {
    let interrupt = Interrupt::new()?;
    interrupt.arm();
    Ok(interrupt.cancel)
}

/// Lets an interrupt end the program as a success. This is for commands that show something until then.
///
/// # Errors
/// Another handler is installed, or the system starts no thread.
pub fn ends_the_command() -> Result<()> {
    ctrlc::set_handler(|| std::process::exit(Exit::Done as i32)).map_err(|why| refused(&why.to_string()))
}
