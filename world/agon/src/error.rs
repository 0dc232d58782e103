//! Errors for people. An error says what is wrong, shows the place in the file with a caret under it, and names the way
//! out.

use crate::{
    clean::{clean, clean_lines},
    exit::Exit,
    printer::Style,
};
use agon_core::{Flaw, Place};
use agon_play::{BuildError, Shortage, Tier, shortage_hint};
use agon_spec::FlawDocument;
use agon_store::StoreError;
use std::{fmt, io, iter, path::Path};

/// The reason why a command cannot go on.
#[derive(Debug)]
pub struct Error {
    /// The exit code of the command.
    pub exit: Exit,
    /// What is wrong, as a lower-case fragment.
    what: String,
    /// The line of the file that is wrong, if there is one.
    source: Option<Box<Source>>,
    /// The way out, if Agon knows one.
    hint: Option<String>,
    /// What else is wrong. Their hints are not shown.
    others: Vec<Error>,
}

/// A line of a file and the place in the line that is wrong.
#[derive(Debug)]
struct Source {
    name: String,
    line: String,
    place: Place,
}

pub use agon_play::system_words as reason;

/// What every command returns.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error in the user's input. The exit code is [`Exit::User`].
    pub fn user(what: impl Into<String>) -> Self {
        Self { exit: Exit::User, what: what.into(), source: None, hint: None, others: Vec::new() }
    }

    /// An error of the system. `what` says what failed, for example `cannot write to stdout`. If the host is short of
    /// something, it is no error in the input.
    pub fn system(what: &str, why: &io::Error) -> Self {
        let error = Self::user(format!("{what}: {}", reason(why)));
        match Shortage::among_causes(why) {
            // A pipe that takes no more at once has the same number as a lack of processes.
            Some(Shortage::Processes) | None => error,
            Some(shortage) => error.exit(Exit::Sandbox).hint(shortage_hint(shortage)),
        }
    }

    /// An error from starting a thread.
    pub fn thread(why: &io::Error) -> Self {
        let shortage = Shortage::among_causes(why).unwrap_or(Shortage::Processes);
        let error = Self::user(format!("cannot start a thread: {}", reason(why)));
        error.exit(Exit::Sandbox).hint(shortage_hint(shortage))
    }

    /// An error from reading or writing a file. `doing` says what failed, for example `write the map`.
    pub fn file(doing: &str, path: &Path, why: &io::Error) -> Self {
        Self::system(&format!("cannot {doing} `{}`", clean(&path.display().to_string())), why)
    }

    /// A flaw in a text that was read from `name`. The error shows the line of the flaw.
    pub fn in_text(name: &str, text: &[u8], flaw: Flaw) -> Self {
        let place = flaw.place;
        let mut error = Self::from(Flaw { place: None, ..flaw });
        if let Some(place) = place {
            let line = text.split(|b| *b == b'\n').nth(place.line.saturating_sub(1) as usize).unwrap_or_default();
            let line = String::from_utf8_lossy(line).into_owned();
            error.source = Some(Box::new(Source { name: clean(name), line, place }));
        } else {
            error.what = format!("{}: {}", clean(name), error.what);
        }
        error
    }

    /// Sets another exit code.
    #[must_use]
    pub fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// Says that matches were played before. What the host lacked then is no reason why nothing was.
    #[must_use]
    pub fn after_play(mut self) -> Self {
        if self.exit == Exit::Sandbox {
            self.exit = Exit::Spoilt;
        }
        self
    }

    /// Adds the way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds another error, which is shown behind this one. One hint is shown for all of them, the first.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.hint = self.hint.or_else(|| other.hint.clone());
        self.others.push(other);
        self
    }

    /// Puts `doing` and a colon before the message.
    #[must_use]
    pub fn context(mut self, doing: &str) -> Self {
        self.what = format!("{doing}: {}", self.what);
        self
    }

    /// Returns the error as data for programs.
    #[must_use]
    pub fn flaw(&self) -> FlawDocument {
        let place = self.source.as_ref().map(|source| source.place);
        FlawDocument {
            text: self.what.clone(),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            hint: self.hint.clone(),
        }
    }

    /// Returns the error as people see it.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        let mut out = String::new();
        for error in iter::once(self).chain(&self.others) {
            out.push_str(&format!("{} {}\n", Style::Bad.paint("error:", colour), error.what));
            if let Some(source) = &error.source {
                source.render(&mut out, colour);
            }
        }
        if let Some(hint) = &self.hint {
            out.push_str(&format!("\n{} {hint}\n", Style::Note.paint("hint:", colour)));
        }
        out
    }
}

impl Source {
    /// The maximum number of characters that are shown of a line.
    const WIDTH: usize = 100;

    /// Writes the line with carets under the place. Each control character is shown as one mark, so that the columns
    /// match.
    fn render(&self, out: &mut String, colour: bool) {
        let Place { line: number, column, length } = self.place;
        let margin = " ".repeat(number.to_string().len());
        let at = column.saturating_sub(1) as usize;
        // For a place far to the right, the excerpt starts a little before it.
        let skip = if at > Self::WIDTH - 20 { at - 40 } else { 0 };
        let shown: String = self.line.trim_end_matches('\r').chars().skip(skip).take(Self::WIDTH).map(mark).collect();
        let indent = at - skip;
        let carets = (length as usize).clamp(1, shown.chars().count().saturating_sub(indent).max(1));
        let carets = Style::Bad.paint(&"^".repeat(carets), colour);
        out.push_str(&format!("{margin}--> {}:{number}:{column}\n", self.name));
        out.push_str(&format!("{margin} |\n{number} | {shown}\n{margin} | {}{carets}\n", " ".repeat(indent)));
    }
}

/// Returns a character that takes exactly one column.
fn mark(c: char) -> char {
    if c == '\t' {
        ' '
    } else if clean(&c.to_string()).chars().count() == 1 {
        c
    } else {
        '\u{fffd}'
    }
}

impl From<Flaw> for Error {
    fn from(flaw: Flaw) -> Self {
        // A flaw may quote text from a file or an argument.
        let hint = flaw.hint.as_deref().map(clean);
        Self { hint, ..Self::user(clean(&flaw.to_string())) }
    }
}

/// Only here are causes turned into exit codes and the text that they quote cleaned.
impl From<agon_play::Error> for Error {
    fn from(error: agon_play::Error) -> Self {
        let exit = match error.tier() {
            Tier::Nothing => Exit::Nothing,
            Tier::Bot => Exit::NotStarted,
            Tier::Isolation | Tier::Host => Exit::Sandbox,
            Tier::Cancelled => Exit::Interrupted,
            _ => Exit::User,
        };
        if let agon_play::Error::Of { bot, source } = error {
            return Self::from(*source).context(&clean(&bot));
        }
        if let Some(excerpt) = error.excerpt() {
            return Self::in_text(excerpt.name, excerpt.text, excerpt.flaw.clone()).exit(exit);
        }
        let mut what = clean(&error.to_string());
        match &error {
            agon_play::Error::Build(BuildError::Failed { log, .. }) => {
                what = format!("{what}\n{}", clean_lines(&String::from_utf8_lossy(log))).trim_end().to_owned();
            }
            // A compiler's message has several lines.
            agon_play::Error::Build(BuildError::Champion(flaw) | BuildError::ChampionFailed(flaw)) => {
                what = clean_lines(&flaw.what).trim_end().to_owned();
            }
            _ if error.is_of_option() => what.insert_str(0, "--"),
            _ => {}
        }
        let shown = Self::user(what).exit(exit);
        match error.hint() {
            Some(hint) => shown.hint(clean(&hint)),
            None => shown,
        }
    }
}

impl From<agon_play::MapError> for Error {
    fn from(error: agon_play::MapError) -> Self {
        agon_play::Error::from(error).into()
    }
}

impl From<agon_play::ReplayError> for Error {
    fn from(error: agon_play::ReplayError) -> Self {
        agon_play::Error::from(error).into()
    }
}

impl From<agon_play::SandboxError> for Error {
    fn from(error: agon_play::SandboxError) -> Self {
        agon_play::Error::from(error).into()
    }
}

impl From<StoreError> for Error {
    fn from(why: StoreError) -> Self {
        let exit = if matches!(why, StoreError::Full(_) | StoreError::Short { .. } | StoreError::Lost { .. }) {
            Exit::Sandbox
        } else {
            Exit::User
        };
        let error = Self::user(clean(&why.to_string())).exit(exit);
        match why.hint() {
            Some(hint) => error.hint(clean(&hint)),
            None => error,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_of_the_host_is_no_error_in_the_input() {
        use rustix::io::Errno;
        let file = |errno: Errno| Error::file("write the replay", Path::new("r"), &errno.into()).exit;
        for errno in [Errno::NOSPC, Errno::DQUOT, Errno::FBIG, Errno::MFILE, Errno::NFILE, Errno::NOMEM] {
            assert_eq!(file(errno), Exit::Sandbox, "{errno}");
        }
        for errno in [Errno::NOENT, Errno::ACCESS, Errno::AGAIN, Errno::ISDIR] {
            assert_eq!(file(errno), Exit::User, "{errno}");
        }
        let thread = Error::thread(&Errno::AGAIN.into());
        assert!(thread.exit == Exit::Sandbox && thread.hint.is_some_and(|hint| hint.contains("ulimit -u")));
    }

    #[test]
    fn the_caret_stands_under_the_place() {
        let text = b"#####\n#x0#\n#####\n";
        let error =
            Error::in_text("island.txt", text, Flaw::new("unknown cell `x`").at(2, 2).hint("cells are `#` and digits"));
        assert_eq!(
            error.render(false),
            "error: unknown cell `x`\n --> island.txt:2:2\n  |\n2 | #x0#\n  |  ^\n\nhint: cells are `#` and digits\n"
        );
    }

    #[test]
    fn errors_are_told_together_with_one_hint() {
        let text = b"run = 1\nread = 2\n";
        let at = |line, what: &'static str| Error::in_text("cup.toml", text, Flaw::new(what).at(line, 1));
        let error =
            at(1, "no program").and(at(2, "no file").hint("look for it")).and(Error::user("no luck").hint("try again"));
        assert_eq!(
            error.render(false),
            "error: no program\n --> cup.toml:1:1\n  |\n1 | run = 1\n  | ^\nerror: no file\n --> cup.toml:2:1\n  |\n\
             2 | read = 2\n  | ^\nerror: no luck\n\nhint: look for it\n"
        );
    }

    #[test]
    fn any_place_in_any_text_can_be_shown() {
        for (line, column, length) in [(1, 1, 1), (0, 0, 0), (1, 300, 9), (99, 1, 1), (2, 5000, 70000), (1, 95, 30)] {
            let place = Place { line, column, length };
            let flaw = Flaw { what: "bad".into(), place: Some(place), item: None, hint: None };
            let text = [b"\t\x1b[31m".repeat(60), b"\n\xff\xfe\n".to_vec()].concat();
            let shown = Error::in_text("m", &text, flaw).render(false);
            assert!(shown.contains('^') && !shown.contains('\x1b'), "{shown}");
        }
    }

    #[test]
    fn a_flaw_may_quote_anything() {
        let flaw = Flaw::new("unknown line `\x1b[2J`").hint("not \x07");
        for error in [Error::in_text("m", b"\x1b[2J", flaw.clone().at(1, 1)), Error::in_text("m", b"", flaw)] {
            let shown = error.render(false);
            assert!(shown.contains("`\\x1b[2J`") && !shown.contains(['\x1b', '\x07']), "{shown:?}");
        }
    }

    #[test]
    fn a_span_does_not_run_past_its_line() {
        let shown = Error::in_text("m", b"abc\n", Flaw::new("bad").spanning(1, 2, 40)).render(false);
        assert!(shown.ends_with("1 | abc\n  |  ^^\n"), "{shown}");
    }
}
