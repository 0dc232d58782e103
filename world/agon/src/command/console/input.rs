//! Where the lines of a console come from: a prompt, or whatever stdin is.

use super::words::Vocabulary;
use crate::error::{Error, Result};
use agon_play::Cancel;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use rustyline::{
    Completer, Config, Editor, Helper, Highlighter, Hinter, Validator, completion::Completer as Complete,
    error::ReadlineError, history::MemHistory,
};
use std::{
    io::{self, BufRead, IsTerminal, Write},
    thread,
    time::Duration,
};

/// The longest line that is read. A map fits into it.
const LONGEST: usize = 8 << 20;
/// The maximum time between two looks at the interrupt flag.
const NAP: Duration = Duration::from_millis(50);

/// Ends the mode in which a terminal marks what is pasted. The prompt begins it.
const UNMARKED: &str = "\x1b[?2004l";

/// A source of commands. A thread reads stdin, which may be silent for long: an interrupt must end the session then.
pub enum Input {
    /// A person at a terminal, with history and completion.
    Prompt(Prompt),
    /// One command a line.
    Lines(Receiver<Result<String>>),
}

/// The thread that reads a terminal.
pub struct Prompt {
    /// Requests a line. The prompt completes these words.
    ask: Sender<Vocabulary>,
    lines: Receiver<std::result::Result<String, ReadlineError>>,
    /// How the terminal is to be left.
    before: Termios,
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
    /// The terminal cannot be used, or the system starts no thread.
    pub fn open() -> Result<Self> {
        if !io::stdin().is_terminal() {
            let (lines, received) = bounded(1);
            let reading = move || {
                let mut stdin = io::stdin().lock();
                while let Some(line) = read_line(&mut stdin).transpose() {
                    let failed = line.is_err();
                    if lines.send(line).is_err() || failed {
                        break;
                    }
                }
            };
            thread::Builder::new().spawn(reading).map_err(|why| Error::thread(&why))?;
            return Ok(Self::Lines(received));
        }
        Ok(Self::Prompt(Prompt::open()?))
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
            Self::Prompt(prompt) => prompt.next(cancel, words()),
            Self::Lines(lines) => wait(lines, cancel).transpose(),
        }
    }
}

impl Prompt {
    fn open() -> Result<Self> {
        let failed = |why: ReadlineError| Error::user(format!("cannot use the terminal: {why}"));
        let before = tcgetattr(io::stdin()).map_err(|why| failed(io::Error::from(why).into()))?;
        let config = Config::builder().auto_add_history(true).build();
        let mut editor = Editor::with_history(config, MemHistory::new()).map_err(failed)?;
        let (ask, asked) = bounded::<Vocabulary>(1);
        let (answer, lines) = bounded(1);
        let reading = move || {
            // As long as this is there, the editor waits for signals, too. Without it, a SIGINT that another thread takes would be
            // seen at the next key.
            let _printer = editor.create_external_printer();
            for words in asked {
                editor.set_helper(Some(Words { commands: Commands(words) }));
                if answer.send(editor.readline("console> ")).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new().spawn(reading).map_err(|why| Error::thread(&why))?;
        Ok(Self { ask, lines, before })
    }

    fn next(&self, cancel: &Cancel, words: Vocabulary) -> Result<Option<String>> {
        // The thread lives as long as `self`.
        let _ = self.ask.send(words);
        match wait(&self.lines, cancel) {
            Some(Ok(line)) => Ok(Some(line)),
            Some(Err(ReadlineError::Eof)) => Ok(None),
            Some(Err(ReadlineError::Interrupted)) => {
                // The prompt takes the key from the handler of the program.
                cancel.kill();
                Ok(None)
            }
            Some(Err(why)) => Err(Error::user(format!("cannot read the terminal: {why}"))),
            None => {
                // The thread reads on, and the terminal is as the prompt needs it. Whoever has gone away does not mind.
                let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
                let mut stdout = io::stdout().lock();
                if stdout.is_terminal() {
                    let _ = writeln!(stdout, "{UNMARKED}").and_then(|()| stdout.flush());
                }
                Ok(None)
            }
        }
    }
}

/// Waits for what a thread has read. `None` at the end, and after an interrupt.
fn wait<T>(lines: &Receiver<T>, cancel: &Cancel) -> Option<T> {
    loop {
        match lines.recv_timeout(NAP) {
            Ok(line) => return Some(line),
            Err(RecvTimeoutError::Timeout) if !cancel.is_cancelled() => {}
            Err(_) => return None,
        }
    }
}

/// Returns the next line of stdin, or `None` at the end.
fn read_line(stdin: &mut impl BufRead) -> Result<Option<String>> {
    let mut line = Vec::new();
    let mut limited = io::Read::take(&mut *stdin, LONGEST as u64 + 1);
    let failed = |why: io::Error| Error::system("cannot read stdin", &why);
    let count = limited.read_until(b'\n', &mut line).map_err(failed)?;
    if count > LONGEST {
        return Err(Error::user(format!("a command has more than {LONGEST} bytes")));
    }
    Ok((count > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}
