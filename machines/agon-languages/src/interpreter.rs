//! Programs that execute a file or a text in their own language.

use crate::{Form, TABLE, file_name};

/// An interpreter, and how it finds its program in the command line.
#[derive(Debug)]
pub struct Interpreter {
    /// The names of its file. Digits and dots may follow a name.
    pub names: &'static [&'static str],
    /// The options that take the next word.
    pub valued: &'static [&'static str],
    /// The options after which no file is executed.
    pub without: &'static [&'static str],
    /// The letters of the same meaning among letters behind one dash.
    pub letters: &'static str,
    /// The letters behind a dash that take no value, and the digits behind them.
    pub plain: &'static str,
    /// The letters behind a dash that take the rest of the word: `-i.bak`, `-MList::Util`.
    pub attached: &'static str,
    /// The options after which the text of a program follows.
    pub code: &'static [&'static str],
    /// Whether a word is a file only if it ends as files of the language do. Others may be a class or a command.
    pub by_end: bool,
    /// The files that it executes in a folder that is named in place of a file.
    pub in_folder: &'static [&'static str],
    /// What it adds to a name for which there is no file.
    pub added: &'static [&'static str],
    /// The arguments that make it print where it is installed. Empty if it has no such arguments.
    pub asks: &'static [&'static str],
    /// The text before each path in its answer. Other lines are ignored.
    pub mark: &'static str,
}

impl Interpreter {
    /// An interpreter of which nothing is known.
    pub(crate) const NOTHING: Self = Self {
        names: &[],
        valued: &[],
        without: &[],
        letters: "",
        plain: "",
        attached: "",
        code: &[],
        by_end: false,
        in_folder: &[],
        added: &[],
        asks: &[],
        mark: "",
    };

    /// Returns whether a program of this name, perhaps with a version behind it, is this interpreter.
    #[must_use]
    pub fn is_called(&self, program: &str) -> bool {
        let plain = file_name(program).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        self.names.contains(&plain)
    }

    /// Returns what the names of its programs end in.
    #[must_use]
    pub fn ends(&self) -> Vec<&'static str> {
        let is_own = |start: &str| self.is_called(start.split(' ').next().unwrap_or_default());
        let of_entry = TABLE.iter().flat_map(|entry| {
            let has_it = entry.interpreters.iter().any(|it| std::ptr::eq(it, self)) || is_own(entry.start);
            let sources = entry.sources.iter().copied().filter(move |_| has_it);
            sources.chain(entry.made.iter().filter(|(_, start)| is_own(start)).map(|(end, _)| *end))
        });
        of_entry.collect()
    }
}

/// Returns the interpreter that a program of this name is. A version may follow the name.
#[must_use]
pub fn interpreter(program: &str) -> Option<&'static Interpreter> {
    TABLE.iter().flat_map(|entry| entry.interpreters).find(|it| it.is_called(program))
}

/// Returns whether a program of this name executes a file or a text in its own language.
#[must_use]
pub fn is_interpreter(program: &str) -> bool {
    interpreter(program).is_some()
}

/// Returns whether a program of this name is a shell.
#[must_use]
pub fn is_shell(program: &str) -> bool {
    TABLE.iter().any(|entry| entry.form == Form::Shell && entry.has_interpreter(program))
}
