//! The languages of bots that this crate can detect.

use std::{fmt, str::FromStr};

/// The language of a bot.
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
    /// A program that was built elsewhere, or a script with a `#!` line.
    Program,
}

impl Language {
    /// Every language with its title and its names in `agon.toml`. The preferred name comes first.
    const TABLE: [(Self, &str, &[&str]); 12] = [
        (Self::C, "C", &["c"]),
        (Self::Cpp, "C++", &["c++", "cpp", "cxx"]),
        (Self::Rust, "Rust", &["rust", "rs"]),
        (Self::Java, "Java", &["java"]),
        (Self::Python, "Python", &["python", "py", "python3"]),
        (Self::JavaScript, "JavaScript", &["javascript", "js", "node"]),
        (Self::TypeScript, "TypeScript", &["typescript", "ts"]),
        (Self::CSharp, "C#", &["c#", "csharp", "cs"]),
        (Self::Go, "Go", &["go", "golang"]),
        (Self::OCaml, "OCaml", &["ocaml", "ml"]),
        (Self::Haskell, "Haskell", &["haskell", "hs"]),
        (Self::Program, "a program", &["program"]),
    ];

    fn row(self) -> (&'static str, &'static [&'static str]) {
        let row = Self::TABLE.iter().find(|(language, ..)| *language == self);
        row.map_or(("", &[]), |(_, title, names)| (*title, *names))
    }

    /// Returns the name for people, for example `C++`.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.row().0
    }

    /// Returns the preferred name in `agon.toml`, for example `c++`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1.first().copied().unwrap_or_default()
    }

    /// Returns the preferred name of every language in `agon.toml`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::TABLE.iter().filter_map(|(_, _, names)| names.first().copied())
    }

    /// Returns the language of a source file, which follows from the ending of its name. `None` if the ending is
    /// unknown.
    #[must_use]
    pub fn of(file: &str) -> Option<Self> {
        Some(match file.rsplit('/').next()?.rsplit_once('.')?.1 {
            "c" => Self::C,
            "cpp" | "cc" | "cxx" | "c++" | "C" => Self::Cpp,
            "rs" => Self::Rust,
            "java" | "jar" => Self::Java,
            "py" => Self::Python,
            "js" | "mjs" | "cjs" => Self::JavaScript,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "cs" => Self::CSharp,
            "go" => Self::Go,
            "ml" => Self::OCaml,
            "hs" => Self::Haskell,
            _ => return None,
        })
    }
}

impl FromStr for Language {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.to_lowercase();
        let row = Self::TABLE.iter().find(|(_, _, names)| names.contains(&text.as_str()));
        row.map(|(language, ..)| *language).ok_or(())
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_of_its_language() {
        for (language, title, names) in Language::TABLE {
            assert_eq!((language.title(), language.name()), (title, names[0]));
            for name in names {
                assert_eq!(name.to_uppercase().parse(), Ok(language));
            }
        }
        assert_eq!("cobol".parse::<Language>(), Err(()));
        assert_eq!(Language::of("src/a.b.cc"), Some(Language::Cpp));
        assert_eq!(Language::of("src.c/README"), None);
    }
}
