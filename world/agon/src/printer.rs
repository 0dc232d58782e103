//! Prints data to stdout and everything else to stderr. Only this module knows about terminals, colours and `--quiet`.

use crate::{board::Room, error::Error, exit::Exit};
use agon_spec::Versioned;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::{
    fmt,
    io::{self, IsTerminal, Write},
};

/// When the output has colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum When {
    /// Only on a terminal, and only if `NO_COLOR` is not set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What a piece of text is. A colour never carries meaning alone; the text always says the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// A heading or a result.
    Strong,
    /// Text that matters less.
    Faint,
    /// A success, or the winner.
    Good,
    /// A failure.
    Bad,
    /// A hint.
    Note,
}

impl Style {
    /// Returns `text` in this style, or unchanged without `colour`.
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

/// Knows what to print, and how.
#[derive(Clone, Copy, Debug)]
pub struct Printer {
    /// Whether to leave out notes and progress.
    quiet: bool,
    /// Whether to use colours on stdout.
    pub colour: bool,
    /// Whether to use colours on stderr.
    colour_err: bool,
    /// Whether stderr is a terminal that a person can watch.
    live: bool,
}

impl Printer {
    /// Looks at the terminal and the environment.
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

    /// Whether to leave out notes.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Prints data on stdout. If the reader has closed the pipe (`| head`), the program ends without an error.
    ///
    /// # Errors
    /// Writing to stdout fails.
    pub fn data(&self, text: impl AsRef<[u8]>) -> Result<(), Error> {
        let mut out = io::stdout().lock();
        match out.write_all(text.as_ref()).and_then(|()| out.flush()) {
            Err(why) if why.kind() == io::ErrorKind::BrokenPipe => Err(Error::user("").exit(Exit::Done)),
            Err(why) => Err(Error::system("cannot write to stdout", &why)),
            Ok(()) => Ok(()),
        }
    }

    /// Prints a value as indented JSON on stdout.
    ///
    /// # Errors
    /// The same as those of [`Printer::data`].
    pub fn json(&self, value: &impl serde::Serialize) -> Result<(), Error> {
        let json = serde_json::to_string_pretty(value)
            .map_err(|why| Error::user(format!("cannot write the result as JSON: {why}")).exit(Exit::Internal))?;
        self.data(crate::clean::clean_json(&json) + "\n")
    }

    /// Prints a document that is a JSON object, with the version of its schema first.
    ///
    /// # Errors
    /// The same as those of [`Printer::data`].
    pub fn document(&self, document: impl serde::Serialize) -> Result<(), Error> {
        self.json(&Versioned::of(document))
    }

    /// Prints a note on stderr, but not with `--quiet`.
    pub fn note(&self, text: impl AsRef<str>) {
        if !self.quiet {
            self.tell(text);
        }
    }

    /// Prints a hint on stderr after a blank line, but not with `--quiet`.
    pub fn hint(&self, text: impl AsRef<str>) {
        self.note(format!("\n{} {}", Style::Note.paint("hint:", self.colour_err), text.as_ref()));
    }

    /// Prints a warning on stderr, but not with `--quiet`.
    pub fn warning(&self, text: impl AsRef<str>) {
        self.note(format!("{} {}", Style::Bad.paint("warning:", self.colour_err), text.as_ref()));
    }

    /// Prints on stderr, even with `--quiet`. Errors of writing to stderr are ignored.
    pub fn tell(&self, text: impl AsRef<str>) {
        let text = text.as_ref();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let _ = write!(io::stderr().lock(), "{text}{end}");
    }

    /// Prints whole lines on stderr and then draws the line of progress again.
    pub fn beside(&self, lines: impl AsRef<str>) {
        self.progress("");
        self.tell(lines);
    }

    /// Prints an error on stderr.
    pub fn error(&self, error: &Error) {
        if error.exit != Exit::Done {
            // Clears the line of progress of the work that failed.
            self.progress("");
            self.tell(error.render(self.colour_err));
        }
    }

    /// Prints what is wrong with the arguments. The text quotes them, so it is cleaned.
    pub fn usage(&self, text: &str) {
        let text = crate::clean::clean_lines(text);
        let (label, rest) = text.split_at(if text.starts_with("error:") { "error:".len() } else { 0 });
        self.tell(format!("{}{rest}", Style::Bad.paint(label, self.colour_err)));
    }

    /// Draws a picture on stderr. On a terminal it replaces the one before; elsewhere it is printed below it.
    pub fn frame(&self, draw: impl FnOnce(Room, bool) -> String, first: bool) {
        let picture = draw(crate::live::room(), self.colour_err);
        let picture = match (self.live, first) {
            (true, true) => format!("\x1b[2J\x1b[H{picture}"),
            // Clearing the rest of each line and of the screen after drawing, not before, avoids flicker.
            (true, false) => format!("\x1b[H{}\x1b[J", picture.replace('\n', "\x1b[K\n")),
            (false, _) => format!("{picture}\n"),
        };
        let _ = io::stderr().lock().write_all(picture.as_bytes());
    }

    /// Returns a bar of progress on stderr with the rate and the expected rest of the time. It is hidden if stderr is not a
    /// terminal.
    pub fn bar(&self, length: u64) -> ProgressBar {
        self.styled_bar(length, "{wide_bar} {pos}/{len}  {rate}  {rest}  {msg}")
    }

    /// Returns such a bar with its message below it, which may have several lines.
    pub fn bar_with_panel(&self, length: u64) -> ProgressBar {
        self.styled_bar(length, "{wide_bar} {pos}/{len}  {rate}  {rest}  {prefix}\n{msg}")
    }

    /// Returns a line on stderr that shows its message and nothing else. It is hidden if stderr is not a terminal.
    pub fn status_line(&self) -> ProgressBar {
        self.styled_bar(0, "{msg}")
    }

    fn styled_bar(&self, length: u64, template: &str) -> ProgressBar {
        let target = if self.live { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template(template);
        let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{:.1}/s", state.per_sec());
        };
        let rest = |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = if state.pos() > 0 { write!(out, "{} left", HumanDuration(state.eta())) } else { Ok(()) };
        };
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ");
        let style = style.with_key("rate", rate).with_key("rest", rest);
        ProgressBar::with_draw_target(Some(length), target).with_style(style)
    }

    /// Replaces the last line on stderr if that is a terminal. An empty text clears the line.
    pub fn progress(&self, text: &str) {
        if self.live {
            // Text that is too long would wrap, and the next text could not replace the second line.
            let text = crate::clean::cut(text, crate::live::room().columns);
            let _ = write!(io::stderr().lock(), "\r\x1b[K{text}");
        }
    }
}
