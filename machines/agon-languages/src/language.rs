//! The name of a language.

use crate::{Entry, TABLE, file_name};
use std::{fmt, str::FromStr};

/// A language.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Language {
    /// C.
    C,
    /// C++, possibly together with files in C.
    Cpp,
    /// Rust.
    Rust,
    /// Java, as sources or as a `.jar` file.
    Java,
    /// Python 3.
    Python,
    /// JavaScript.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// C#.
    CSharp,
    /// Go.
    Go,
    /// OCaml.
    OCaml,
    /// Haskell.
    Haskell,
    /// Ruby.
    Ruby,
    /// Perl.
    Perl,
    /// Lua.
    Lua,
    /// PHP.
    Php,
    /// A program that was built elsewhere, or a script with a `#!` line.
    Program,
    /// Julia. Bots in it and in the following ones need a command.
    Julia,
    /// R.
    R,
    /// Awk.
    Awk,
    /// Erlang.
    Erlang,
    /// Elixir.
    Elixir,
    /// Scheme.
    Scheme,
    /// Racket.
    Racket,
    /// Common Lisp.
    Lisp,
    /// The language of a shell.
    Shell,
}

impl Language {
    /// Returns what the table says about the language.
    #[must_use]
    pub fn entry(self) -> &'static Entry {
        TABLE.iter().find(|entry| entry.language == self).unwrap_or(&TABLE[0])
    }

    /// Returns the name for people, for example `C++`.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.entry().title
    }

    /// Returns the preferred name in `agon.toml`, for example `c++`. Empty if bots in the language need a command.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().names.first().copied().unwrap_or_default()
    }

    /// Returns the preferred name of every language in `agon.toml`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().filter_map(|entry| entry.names.first().copied())
    }

    /// Returns the language of bots in which a source file is, which follows from the ending of its name. `None` if the ending
    /// is unknown.
    #[must_use]
    pub fn of(file: &str) -> Option<Self> {
        let name = file_name(file);
        let is_of = |entry: &&Entry| entry.is_of_bots() && entry.is_source(name);
        TABLE.iter().find(is_of).map(|entry| entry.language)
    }
}

impl FromStr for Language {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.to_lowercase();
        let entry = TABLE.iter().find(|entry| entry.names.contains(&text.as_str()));
        entry.map(|entry| entry.language).ok_or(())
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}
