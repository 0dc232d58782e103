//! Who prints what, and where: data on stdout, everything else on stderr. The one place that knows about terminals,
//! colours and `--quiet`.

use crate::{board::Room, error::Error, exit::Exit};
use agon_spec::Versioned;
use std::io::{self, IsTerminal, Write};

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum When {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What a piece of text is; never its colour alone tells something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Headings.
    Strong,
    /// What matters less.
    Faint,
    /// What went well, the winner.
    Good,
    /// What went wrong.
    Bad,
    /// Hints.
    Note,
}

impl Style {
    /// `text` in this style, or as it is.
    #[must_use]
    pub fn paint(self, text: &str, colour: bool) -> String {
        let code = match self {
            Self::Strong => "1",
            Self::Faint => "2",
            Self::Good => "32",
            Self::Bad => "1;31",
            Self::Note => "36",
        };
        if colour && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// What to print and how.
#[derive(Clone, Copy, Debug)]
pub struct Printer {
    /// Whether notes and progress are left out.
    quiet: bool,
    /// Whether stdout takes colours.
    pub colour: bool,
    /// Whether stderr takes colours.
    colour_err: bool,
    /// Whether a person watches stderr.
    live: bool,
}

impl Printer {
    /// Looks at the terminal and the environment once.
    #[must_use]
    pub fn new(quiet: bool, when: When) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
        let wanted = |terminal: bool| match when {
            When::Always => true,
            When::Never => false,
            When::Auto => terminal && !plain && !dumb,
        };
        let (out, err) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        Self { quiet, colour: wanted(out), colour_err: wanted(err), live: err && !quiet && !dumb }
    }

    /// Whether notes are left out.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Prints data: what was asked for, on stdout. A reader who has gone (`| head`) ends the program quietly.
    ///
    /// # Errors
    /// stdout cannot be written to.
    pub fn data(&self, text: impl AsRef<[u8]>) -> Result<(), Error> {
        let mut out = io::stdout().lock();
        match out.write_all(text.as_ref()).and_then(|()| out.flush()) {
            Err(why) if why.kind() == io::ErrorKind::BrokenPipe => Err(Error::user("").exit(Exit::Done)),
            Err(why) => Err(Error::user(format!("cannot write to stdout: {}", crate::error::reason(&why)))),
            Ok(()) => Ok(()),
        }
    }

    /// Prints JSON, readable, on stdout.
    ///
    /// # Errors
    /// As [`Printer::data`].
    pub fn json(&self, value: &impl serde::Serialize) -> Result<(), Error> {
        let json = serde_json::to_string_pretty(value)
            .map_err(|why| Error::user(format!("this cannot be written as JSON: {why}")).exit(Exit::Internal))?;
        self.data(crate::clean::clean_json(&json) + "\n")
    }

    /// Prints one document that is an object: it begins with its version.
    ///
    /// # Errors
    /// As [`Printer::data`].
    pub fn document(&self, document: impl serde::Serialize) -> Result<(), Error> {
        self.json(&Versioned::of(document))
    }

    /// Prints something beside the data on stderr; nothing with `--quiet`.
    pub fn note(&self, text: impl AsRef<str>) {
        if !self.quiet {
            self.tell(text);
        }
    }

    /// Prints a hint on stderr, after a blank line; nothing with `--quiet`.
    pub fn hint(&self, text: impl AsRef<str>) {
        self.note(format!("\n{} {}", Style::Note.paint("hint:", self.colour_err), text.as_ref()));
    }

    /// Prints a warning on stderr; nothing with `--quiet`.
    pub fn warning(&self, text: impl AsRef<str>) {
        self.note(format!("{} {}", Style::Bad.paint("warning:", self.colour_err), text.as_ref()));
    }

    /// Prints on stderr whatever `--quiet` says. A stderr that cannot be written to is nobody's error.
    pub fn tell(&self, text: impl AsRef<str>) {
        let text = text.as_ref();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let _ = write!(io::stderr().lock(), "{text}{end}");
    }

    /// Prints whole lines on stderr beside the progress, which is drawn again.
    pub fn beside(&self, lines: impl AsRef<str>) {
        self.progress("");
        self.tell(lines);
    }

    /// Prints an error.
    pub fn error(&self, error: &Error) {
        if error.exit != Exit::Done {
            // Whatever was being done when it came.
            self.progress("");
            self.tell(error.render(self.colour_err));
        }
    }

    /// Prints what is wrong with the arguments, which are quoted in it.
    pub fn usage(&self, text: &str) {
        let text = crate::clean::clean_lines(text);
        let (label, rest) = text.split_at(if text.starts_with("error:") { "error:".len() } else { 0 });
        self.tell(format!("{}{rest}", Style::Bad.paint(label, self.colour_err)));
    }

    /// Draws a picture on stderr: over the one before on a terminal, one below the other elsewhere.
    pub fn frame(&self, draw: impl FnOnce(Room, bool) -> String, first: bool) {
        let picture = draw(crate::live::room(), self.colour_err);
        let picture = match (self.live, first) {
            (true, true) => format!("\x1b[2J\x1b[H{picture}"),
            // Rest of each line and of the screen cleared after, not before: no flicker.
            (true, false) => format!("\x1b[H{}\x1b[J", picture.replace('\n', "\x1b[K\n")),
            (false, _) => format!("{picture}\n"),
        };
        let _ = io::stderr().lock().write_all(picture.as_bytes());
    }

    /// Replaces the last line of a terminal on stderr; nothing off a terminal. An empty text clears it.
    pub fn progress(&self, text: &str) {
        if self.live {
            // What does not fit into the line would begin another one, which the next text could not replace.
            let text = crate::clean::cut(text, crate::live::room().columns);
            let _ = write!(io::stderr().lock(), "\r\x1b[K{text}");
        }
    }
}
