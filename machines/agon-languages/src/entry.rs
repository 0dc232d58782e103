//! Everything about one language.

use crate::{Interpreter, Language};

/// What Agon knows about a language.
#[derive(Debug)]
pub struct Entry {
    /// The language.
    pub language: Language,
    /// The name for people, for example `C++`.
    pub title: &'static str,
    /// The names in `agon.toml`, the preferred one first.
    pub names: &'static [&'static str],
    /// What sources turn into a program.
    pub form: Form,
    /// What the names of sources end in, with the dot.
    pub sources: &'static [&'static str],
    /// The endings of files beside sources, such as headers, which are no programs of their own.
    pub also: &'static [&'static str],
    /// The endings of what is made from sources, each with how people start such a file.
    pub made: &'static [(&'static str, &'static str)],
    /// How people start a source. Empty if it has to be built.
    pub start: &'static str,
    /// The project files of build tools. `*.csproj` stands for any name with that ending.
    pub projects: &'static [&'static str],
    /// Usual names of starts besides `main`, `bot` and `MyBot`, in lower case and without an ending.
    pub starts: &'static [&'static str],
    /// The function in which a program starts. Empty if a program has none.
    pub main: &'static str,
    /// The words in front of the path of a file, in quotes, that a source imports.
    pub imports: &'static [&'static str],
    /// What begins and what ends a comment. One that ends a line ends in `\n`.
    pub comments: &'static [(&'static str, &'static str)],
    /// Its interpreters.
    pub interpreters: &'static [Interpreter],
    /// The tools that build and start bots, where packages have them.
    pub tools: &'static [Tool],
    /// Whether and how a program flushes its output.
    pub flush: Flush,
    /// How a program names its own folder. Empty if there is no short way.
    pub own_folder: &'static str,
}

/// What sources turn into a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A compiler, from all sources in whatever folders they are.
    Joined,
    /// A compiler, which finds what a start needs.
    Compiled,
    /// Nothing: an interpreter plays the source.
    Script,
    /// Nothing: the file is a program of the system.
    Program,
    /// Agon plays such files by a command, but detects no bot by them.
    Command,
    /// As [`Form::Command`], and such programs mostly start others.
    Shell,
}

/// Whether and how a program flushes its output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flush {
    /// Nothing is known.
    Unknown,
    /// Output is not buffered.
    Needless,
    /// After each answer the author writes `statement`, in backticks. `signs` are what sources that flush have in them.
    By {
        /// What to write.
        statement: &'static str,
        /// What tells that a source does.
        signs: &'static [&'static str],
    },
}

/// A compiler or an interpreter that is looked for in the search path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tool {
    /// The name of the program.
    pub name: &'static str,
    /// The package that contains it, by its name in Debian and Ubuntu.
    pub package: &'static str,
    /// The argument with which it prints its version. Empty if it has none.
    pub version: &'static str,
    /// Files that it needs outside the system folders, where packages put them.
    pub beside: &'static [&'static str],
}

impl Entry {
    /// A language of which nothing is known.
    pub(crate) const NOTHING: Self = Self {
        language: Language::Program,
        title: "",
        names: &[],
        form: Form::Command,
        sources: &[],
        also: &[],
        made: &[],
        start: "",
        projects: &[],
        starts: &[],
        main: "",
        imports: &[],
        comments: &[],
        interpreters: &[],
        tools: &[],
        flush: Flush::Unknown,
        own_folder: "",
    };

    /// Returns whether folders with such sources are bots without a command.
    #[must_use]
    pub fn is_of_bots(&self) -> bool {
        !matches!(self.form, Form::Command | Form::Shell)
    }

    /// Returns whether a file with this name is a source.
    #[must_use]
    pub fn is_source(&self, name: &str) -> bool {
        self.sources.iter().any(|end| name.ends_with(end))
    }

    /// Returns whether a file with this name was made from sources.
    #[must_use]
    pub fn is_made(&self, name: &str) -> bool {
        self.made.iter().any(|(end, _)| name.ends_with(end))
    }

    /// Returns whether a program of this name, perhaps with a version, is one of the interpreters.
    #[must_use]
    pub fn has_interpreter(&self, program: &str) -> bool {
        self.interpreters.iter().any(|it| it.is_called(program))
    }

    /// Returns whether a file with this name can be played as it is.
    #[must_use]
    pub fn is_played_as_it_is(&self, name: &str) -> bool {
        self.form == Form::Script || self.is_made(name)
    }
}
