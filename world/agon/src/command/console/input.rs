//! Where the lines of a console come from: a prompt, or whatever stdin is.

use super::words::Vocabulary;
use crate::error::{Error, Result, reason};
use agon_play::Cancel;
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use rustyline::{
    Completer, Config, Editor, Helper, Highlighter, Hinter, Validator, completion::Completer as Complete,
    error::ReadlineError, history::MemHistory,
};
use std::{
    io::{self, BufRead, IsTerminal},
    thread,
    time::Duration,
};

/// The longest line that is read. A map fits into it.
const LONGEST: usize = 8 << 20;
/// The maximum time between two looks at the interrupt flag.
const NAP: Duration = Duration::from_millis(50);

/// A source of commands.
pub enum Input {
    /// A person at a terminal, with history and completion.
    Prompt(Box<Editor<Words, MemHistory>>),
    /// One command a line, from a thread that reads stdin: a pipe may be silent for long, and Ctrl-C must work then.
    Lines(Receiver<Result<String>>),
}

/// The help for a person at the prompt.
#[derive(Helper, Completer, Hinter, Highlighter, Validator)]
pub struct Words {
    #[rustyline(Completer)]
    commands: Commands,
}

/// Completes the words of commands in the prompt.
pub struct Commands(Vocabulary);

impl Complete for Commands {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &rustyline::Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.0.complete(line.get(..at).unwrap_or(line)))
    }
}

impl Input {
    /// Opens stdin.
    ///
    /// # Errors
    /// The terminal cannot be used.
    pub fn open() -> Result<Self> {
        if !io::stdin().is_terminal() {
            let (lines, received) = bounded(1);
            thread::spawn(move || {
                let mut stdin = io::stdin().lock();
                while let Some(line) = read_line(&mut stdin).transpose() {
                    let failed = line.is_err();
                    if lines.send(line).is_err() || failed {
                        break;
                    }
                }
            });
            return Ok(Self::Lines(received));
        }
        let failed = |why: ReadlineError| Error::user(format!("cannot use the terminal: {why}"));
        let config = Config::builder().auto_add_history(true).build();
        let editor = Editor::with_history(config, MemHistory::new()).map_err(failed)?;
        Ok(Self::Prompt(Box::new(editor)))
    }

    pub fn is_prompt(&self) -> bool {
        matches!(self, Self::Prompt(_))
    }

    /// Returns the next line, or `None` at the end. A prompt completes `words`.
    ///
    /// # Errors
    /// Stdin cannot be read, or a line is too long.
    pub fn next(&mut self, cancel: &Cancel, words: impl FnOnce() -> Vocabulary) -> Result<Option<String>> {
        match self {
            Self::Prompt(editor) => {
                editor.set_helper(Some(Words { commands: Commands(words()) }));
                match editor.readline("console> ") {
                    Ok(line) => Ok(Some(line)),
                    Err(ReadlineError::Eof) => Ok(None),
                    Err(ReadlineError::Interrupted) => {
                        // The prompt takes the key from the handler of the program.
                        cancel.kill();
                        Ok(None)
                    }
                    Err(why) => Err(Error::user(format!("cannot read the terminal: {why}"))),
                }
            }
            Self::Lines(lines) => loop {
                match lines.recv_timeout(NAP) {
                    Ok(line) => return line.map(Some),
                    Err(RecvTimeoutError::Disconnected) => return Ok(None),
                    Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => return Ok(None),
                    Err(RecvTimeoutError::Timeout) => {}
                }
            },
        }
    }
}

/// Returns the next line of stdin, or `None` at the end.
fn read_line(stdin: &mut impl BufRead) -> Result<Option<String>> {
    let mut line = Vec::new();
    let mut limited = io::Read::take(&mut *stdin, LONGEST as u64 + 1);
    let failed = |why: io::Error| Error::user(format!("cannot read stdin: {}", reason(&why)));
    let count = limited.read_until(b'\n', &mut line).map_err(failed)?;
    if count > LONGEST {
        return Err(Error::user(format!("a command has more than {LONGEST} bytes")));
    }
    Ok((count > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}
