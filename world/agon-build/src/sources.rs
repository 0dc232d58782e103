//! What a plain search of sources finds: which files have a `main`, and which import which others.
//!
//! A search may be misled by comments and strings. So every file is read twice, without its comments and as it is, and only
//! what both readings say decides where a bot starts ([`Scope`]).

use crate::{Language, detect::is_aside, intake::SourceTree, start::stem};
use agon_languages::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of bytes that are read of a source file.
const LOOK: u64 = 1 << 20;
/// The maximum number of bytes between the word of an import and the end of the path in quotes.
const LONGEST_PATH: usize = 200;
/// The maximum number of bytes of a list of imported names.
const LINE: usize = 2048;

/// What of a file is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// Without comments, as far as they can be told from strings.
    Code,
    /// With everything that is there.
    Text,
}

impl Scope {
    pub(crate) const BOTH: [Self; 2] = [Self::Code, Self::Text];
}

/// The sources of a bot in one language.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sources {
    files: BTreeMap<String, [Findings; 2]>,
    /// Who imports each file.
    importers: [BTreeMap<String, BTreeSet<String>>; 2],
}

/// What was found in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Findings {
    has_main: bool,
    /// The files that it imports.
    imports: BTreeSet<String>,
}

impl Sources {
    /// Searches the sources of a bot in this language. Those in folders such as `tests` do not belong to it.
    pub(crate) fn read(tree: &SourceTree, language: Language) -> Self {
        let names = tree.files().map(|(name, _)| name).filter(|name| is_read(name, language) && !is_aside(name));
        let read = |name: &str| String::from_utf8_lossy(&tree.head(name, LOOK)).into_owned();
        Self::of(&names.collect::<Vec<_>>(), language, read)
    }

    fn of(names: &[&str], language: Language, read: impl Fn(&str) -> String) -> Self {
        let (entry, paths) = (language.entry(), Paths::of(names, language));
        let find = |name: &str, text: &str| Findings {
            has_main: !entry.main.is_empty() && defines(text, entry.main),
            imports: paths.imported(name, text, language),
        };
        let findings = |name: &&str| {
            let text = read(name);
            ((*name).to_owned(), [find(name, &without_comments(&text, entry)), find(name, &text)])
        };
        let files: BTreeMap<String, [Findings; 2]> = names.iter().map(findings).collect();
        let mut importers = [BTreeMap::<String, BTreeSet<String>>::new(), BTreeMap::new()];
        for (importer, found) in &files {
            for (found, importers) in found.iter().zip(&mut importers) {
                for file in &found.imports {
                    importers.entry(file.clone()).or_default().insert(importer.clone());
                }
            }
        }
        Self { files, importers }
    }

    fn findings(&self, file: &str, scope: Scope) -> Option<&Findings> {
        self.files.get(file).map(|both| &both[scope as usize])
    }

    /// Returns whether a source has a function `main`.
    pub(crate) fn has_main(&self, file: &str, scope: Scope) -> bool {
        self.findings(file, scope).is_some_and(|found| found.has_main)
    }

    /// Returns whether any file may have a function `main`.
    pub(crate) fn has_programs(&self) -> bool {
        self.files.values().any(|[_, text]| text.has_main)
    }

    /// Returns whether one of these files imports this one.
    pub(crate) fn is_imported_by(&self, file: &str, importer: impl Fn(&str) -> bool) -> bool {
        let importers = self.importers[Scope::Code as usize].get(file);
        importers.is_some_and(|files| files.iter().any(|file| importer(file)))
    }

    /// Returns whether `file` imports another one itself.
    pub(crate) fn imports(&self, file: &str, other: &str) -> bool {
        self.findings(file, Scope::Code).is_some_and(|found| found.imports.contains(other))
    }

    /// Returns whether another file imports this one. Tests do not count, and neither do files that it imports itself,
    /// directly or not.
    pub(crate) fn is_imported(&self, file: &str, scope: Scope) -> bool {
        let Some(importers) = self.importers[scope as usize].get(file) else { return false };
        let own = self.reached(file, scope);
        importers.iter().any(|importer| !is_of_tool(importer) && !own.contains(importer.as_str()))
    }

    /// Returns the files that `file` imports, directly or not.
    fn reached<'s>(&'s self, file: &'s str, scope: Scope) -> BTreeSet<&'s str> {
        let (mut reached, mut open) = (BTreeSet::new(), vec![file]);
        while let Some(file) = open.pop() {
            let found = self.findings(file, scope).into_iter().flat_map(|found| &found.imports);
            open.extend(found.map(String::as_str).filter(|file| reached.insert(*file)));
        }
        reached
    }
}

/// Returns whether a file is a test, or configures a tool.
pub(crate) fn is_of_tool(name: &str) -> bool {
    const TOOLS: &[&str] = &["setup.py", "conftest.py", "noxfile.py", "fabfile.py"];
    let file = name.rsplit('/').next().unwrap_or(name);
    let stem = file.split('.').next().unwrap_or(file).to_lowercase();
    TOOLS.contains(&file)
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || file.contains(".test.")
        || file.contains(".spec.")
        || file.contains(".config.")
        || file.ends_with(".d.ts")
}

/// Returns whether a bot starts in this file only if there is nothing else. It may be a part of the bot nevertheless.
pub(crate) fn is_no_start(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    let stem = file.split('.').next().unwrap_or(file).to_lowercase();
    is_of_tool(name) || ["test", "tests", "spec"].contains(&&*stem)
}

/// Returns whether a file may import sources of this language. C and C++ are one program.
fn is_read(name: &str, language: Language) -> bool {
    let of = |language: Language| {
        let entry = language.entry();
        (entry.is_source(name) && !entry.is_made(name)) || entry.also.iter().any(|end| name.ends_with(end))
    };
    match language {
        Language::C | Language::Cpp => of(Language::C) || of(Language::Cpp),
        _ => of(language),
    }
}

/// Returns whether a text defines a function of this name: the word follows another one, which is a type or a keyword, and is
/// followed by a parenthesis.
fn defines(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], text[at + name.len()..].trim_start());
        let spaced = before.trim_end();
        spaced.len() < before.len()
            && spaced.ends_with(is_of_word)
            && !spaced.ends_with("return")
            && after.starts_with('(')
    })
}

/// Replaces each comment by a blank.
fn without_comments(text: &str, entry: &Entry) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(first) = rest.chars().next() {
        if let Some((begin, end)) = entry.comments.iter().find(|(begin, _)| rest.starts_with(begin)) {
            let inside = &rest[begin.len()..];
            let length = inside.find(end).map_or(inside.len(), |at| at + end.len());
            // The line goes on behind a comment, but not behind one that ends it.
            out.push(if *end == "\n" { '\n' } else { ' ' });
            rest = &inside[length..];
            continue;
        }
        let length = if "\"'`".contains(first) { length_of_text(rest, first) } else { first.len_utf8() };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out
}

/// Returns the length of the text in quotes at the beginning. Only one in backticks has several lines.
fn length_of_text(text: &str, quote: char) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = !escaped && (*c == quote || (*c == '\n' && quote != '`'));
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, c)| at + c.len_utf8())
}

/// The files of a bot, by the paths that mean them in imports.
struct Paths<'n>(BTreeMap<String, Vec<&'n str>>);

impl<'n> Paths<'n> {
    fn of(names: &[&'n str], language: Language) -> Self {
        let mut files: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for name in names {
            let bare = name.rsplit_once('.').map_or(*name, |(bare, _)| bare);
            let of_folder = ["/__init__", "/index", "/init"].iter().find_map(|end| bare.strip_suffix(end));
            // TypeScript names the file that the compiler makes.
            let made = (language == Language::TypeScript).then(|| format!("{}js", name.trim_end_matches("ts")));
            let of_module = (language == Language::OCaml && name.ends_with(".ml")).then(|| stem(name));
            let paths = [*name, bare].into_iter().chain(of_folder).map(str::to_owned);
            let paths: BTreeSet<String> = paths.chain(made).chain(of_module).collect();
            paths.into_iter().for_each(|path| files.entry(path).or_default().push(name));
        }
        Self(files)
    }

    /// Returns the files that a text imports which is that of `file`.
    fn imported(&self, file: &str, text: &str, language: Language) -> BTreeSet<String> {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let quoted = || quoted(text, language.entry().imports).map(str::to_owned);
        let paths: Vec<String> = match language {
            Language::Python => modules_of_python(text),
            Language::Lua => quoted().map(|path| path.trim_end_matches(".lua").replace('.', "/")).collect(),
            Language::Haskell => names_behind(text, "import", &["qualified", "safe"], "."),
            Language::Perl => quoted().chain(names_behind(text, "use", &[], "::")).collect(),
            // The name of a module anywhere in the text brings it.
            Language::OCaml => {
                let words = text.split(|c: char| !is_of_word(c)).filter(|word| word.starts_with(char::is_uppercase));
                words.map(str::to_lowercase).collect()
            }
            // Other paths are those of packages.
            Language::JavaScript | Language::TypeScript => quoted().filter(|path| path.starts_with('.')).collect(),
            _ => quoted().collect(),
        };
        let paths: BTreeSet<String> = paths.into_iter().collect();
        let bases: BTreeSet<&str> = [folder, "", "src", "lib", "include", "app"].into();
        let whole = paths.iter().flat_map(|path| bases.iter().filter_map(|base| join(base, path)));
        let files = whole.filter_map(|path| self.0.get(&path)).flatten();
        files.filter(|name| **name != file).map(|name| (*name).to_owned()).collect()
    }
}

/// Returns the texts in quotes of which the first follows each of these words, in the same line.
fn quoted<'t>(text: &'t str, words: &'t [&str]) -> impl Iterator<Item = &'t str> {
    let of_word = move |word: &'t &str| {
        text.match_indices(word).filter_map(move |(at, _)| {
            let behind = &text[at + word.len()..];
            let is_whole = !text[..at].ends_with(is_of_word) && !behind.starts_with(is_of_word);
            let line = cut(behind, LONGEST_PATH).lines().next().filter(|_| is_whole)?;
            let begin = line.find(['"', '\''])?;
            let (inside, _) = line[begin + 1..].split_once(&line[begin..=begin])?;
            Some(inside.trim_start_matches('/'))
        })
    };
    words.iter().flat_map(of_word)
}

/// Returns the names behind this word at the beginning of a line, as paths.
fn names_behind(text: &str, word: &str, between: &[&str], separator: &str) -> Vec<String> {
    let name = |line: &str| {
        let mut words =
            line.trim_start().strip_prefix(word)?.split(|c: char| !(is_of_word(c) || separator.contains(c)));
        words.find(|word| !word.is_empty() && !between.contains(word)).map(|name| name.replace(separator, "/"))
    };
    text.lines().filter_map(name).collect()
}

/// Returns the modules that a source in Python imports, as paths. Every name behind `from x import` may be one.
fn modules_of_python(text: &str) -> Vec<String> {
    let text = text.replace("\\\n", " ").replace(" import(", " import (");
    let mut found: Vec<String> =
        quoted(&text, Language::Python.entry().imports).map(|it| path_of_module(it, "")).collect();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        for statement in rest[..end].split([';', ':']).map(str::trim) {
            if let Some(modules) = statement.strip_prefix("import ") {
                found.extend(first_words(modules).map(|module| path_of_module(module, "")));
            }
            let Some((module, names)) = statement.strip_prefix("from ").and_then(|it| it.split_once(" import ")) else {
                continue;
            };
            // Names in parentheses may go on in the next lines.
            let many = names.trim_start().starts_with('(').then(|| cut(rest, LINE).split_once('(')).flatten();
            let names = many.map_or(names, |(_, names)| names.split(')').next().unwrap_or_default());
            let module = module.trim();
            found.push(path_of_module(module, ""));
            found.extend(first_words(names).map(|name| path_of_module(module, name)));
        }
        rest = &rest[end..];
    }
    found
}

/// Returns the first word of each part of a list.
fn first_words(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').filter_map(|part| part.split_whitespace().next())
}

/// Returns the path of a module with leading dots, or of a name in it: `../lib/board` for `board` in `..lib`.
fn path_of_module(module: &str, name: &str) -> String {
    let bare = module.trim_start_matches('.');
    let dots = module.len() - bare.len();
    let up = if dots > 1 { "../".repeat(dots - 1) } else { String::new() };
    format!("{up}{}/{name}", bare.replace('.', "/"))
}

/// Returns at most so many bytes of the beginning of a text.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Joins a folder and a relative path. `None` if the path leads out of the bot.
fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(language: Language, files: &[(&str, &str)]) -> Sources {
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        let text = |name: &str| files.iter().find(|(file, _)| *file == name).map_or("", |(_, text)| *text).to_owned();
        Sources::of(&names, language, text)
    }

    /// What each language writes to import `board` beside it, and what it writes without importing it.
    #[test]
    fn every_way_to_import_is_seen() {
        type Case<'a> = (Language, &'a str, &'a [&'a str], &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (
                Language::Python,
                "board.py",
                &[
                    "import board",
                    "import os, board as b",
                    "  try: import board",
                    "from board import Board",
                    "from . import (\n    other,\n    board,\n)",
                    "from .board import *",
                    "from \\\n board import x",
                    "import_module('board')",
                    "x = __import__(\"board\")",
                    "x = 1; import board",
                ],
                &["# import board", "from lib import board", "imports = 'board'", "important board"],
            ),
            (
                Language::JavaScript,
                "board.js",
                &[
                    "const b = require('./board')",
                    "import b from \"./board.js\";",
                    "import {\n a } from './board'",
                    "export * from './board'",
                    "await import('./board')",
                    "new Worker('./board.js')",
                ],
                &["// require('./board')", "require('board.css')", "required('./board')"],
            ),
            (Language::TypeScript, "board.ts", &["import { B } from './board.js'"], &["/* from './board' */"]),
            (
                Language::C,
                "board.c",
                &["#include \"board.c\"", "# include \"./board.c\""],
                &["#include <board>", "// include \"board.c\""],
            ),
            (
                Language::Haskell,
                "Board.hs",
                &["import Board", "import qualified Board as B"],
                &["-- import Board", "important Board"],
            ),
            (Language::OCaml, "board.ml", &["let x = Board.play", "open Board"], &["let board = 1", "(* Board *)"]),
            (
                Language::Ruby,
                "board.rb",
                &["require_relative 'board'", "require './board'", "load \"board.rb\""],
                &["# require './board'", "board = 1", "\n=begin\nrequire './board'\n=end\n"],
            ),
            (
                Language::Perl,
                "board.pl",
                &["require './board.pl';", "do \"./board.pl\";"],
                &["# do './board.pl'", "use strict;"],
            ),
            (
                Language::Lua,
                "board.lua",
                &["local b = require('board')", "require \"board\""],
                &["-- require 'board'", "--[[\nrequire 'board'\n]]"],
            ),
            (
                Language::Php,
                "board.php",
                &["require 'board.php';", "include_once(__DIR__ . '/board.php');"],
                &["// require 'board.php';", "# include 'board.php';"],
            ),
        ];
        for (language, board, imports, others) in cases {
            let end = board.rsplit_once('.').expect("it has an ending").1;
            let main = format!("main.{end}");
            for (text, expected) in imports.iter().map(|it| (it, true)).chain(others.iter().map(|it| (it, false))) {
                let sources = sources(*language, &[(&main, text), (board, "")]);
                assert_eq!(sources.is_imported(board, Scope::Code), expected, "{language}: {text}");
                assert!(!sources.is_imported(&main, Scope::Text), "{language}: {text}");
            }
        }
    }

    #[test]
    fn a_main_is_told_from_what_only_looks_like_one() {
        for (language, text, code, whole) in [
            (Language::C, "int main() {}", true, true),
            (Language::C, "int\nmain ( void )", true, true),
            (Language::Cpp, "auto main(int argc, char** argv) -> int", true, true),
            (Language::C, "/* int */ static const char *s = \"//\"; int main(){}", true, true),
            (Language::C, "#define C '\"'\nint main()", true, true),
            (Language::Java, "public static void main(String[] args) {", true, true),
            (Language::CSharp, "static async Task Main(string[] args)", true, true),
            (Language::Go, "package main\nfunc main() {", true, true),
            (Language::Rust, "fn main() {", true, true),
            (Language::C, "// int main()", false, true),
            (Language::C, "/* never closed int main()", false, true),
            (Language::Go, "// func main() { play() }", false, true),
            (Language::C, "int domain() {}", false, false),
            (Language::C, "int main_loop() {}", false, false),
            (Language::C, "return main();", false, false),
            (Language::C, "x = main(1);", false, false),
            (Language::C, "void run() { other.main(); }", false, false),
            (Language::CSharp, "static void main()", false, false),
        ] {
            let sources = sources(language, &[("a.x", text)]);
            let found = Scope::BOTH.map(|scope| sources.has_main("a.x", scope));
            assert_eq!(found, [code, whole], "{text}");
        }
    }

    #[test]
    fn files_that_import_each_other_are_not_imported_by_others() {
        let files = [
            ("main.py", "import util"),
            ("util.py", "import deep"),
            ("deep.py", "import main, part"),
            ("part.py", ""),
            ("test_main.py", "import main"),
        ];
        let sources = sources(Language::Python, &files);
        let imported = files.map(|(name, _)| sources.is_imported(name, Scope::Code));
        assert_eq!(imported, [false, false, false, true, false]);
    }

    /// What no compiler would read needs neither the time of its length squared nor a deep stack.
    #[test]
    fn texts_without_an_end_are_read_to_their_end() {
        for piece in ["(", "\"", "/*", "from x import (", "import a,", "main", "\\\n", "'''", "`"] {
            let text = piece.repeat(20_000);
            for language in [Language::Python, Language::Cpp, Language::OCaml, Language::JavaScript] {
                sources(language, &[("a.py", &text)]);
            }
        }
    }

    #[test]
    fn paths_are_joined_inside_the_bot() {
        for (folder, path, expected) in [
            ("", "./a", Some("a")),
            ("x/y", "../a/b", Some("x/a/b")),
            ("x", "../../a", None),
            ("", "a//b/.", Some("a/b")),
        ] {
            assert_eq!(join(folder, path).as_deref(), expected, "{folder} {path}");
        }
    }
}
