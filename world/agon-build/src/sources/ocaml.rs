//! OCaml: which modules do something when their program starts, and which of those could be a program of their own.

use super::{
    Source,
    token::{Token, tokens},
};
use crate::Language;
use std::collections::{BTreeMap, BTreeSet};

/// The words that begin an item of a module.
const ITEMS: &[&str] =
    &["let", "and", "module", "type", "exception", "open", "include", "external", "class", "val", ";;"];

/// Names of functions and values with which a program reads its input or its arguments, writes its output, or ends.
const OF_PROGRAMS: &[&str] = &[
    "stdin",
    "stdib",
    "read_line",
    "read_int",
    "read_int_opt",
    "read_float",
    "input_line",
    "scanf",
    "argv",
    "stdout",
    "print_string",
    "print_endline",
    "print_int",
    "print_char",
    "print_float",
    "print_newline",
    "printf",
    "exit",
];

/// The modules that do something when their program starts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Acting {
    /// All of them.
    pub all: BTreeSet<String>,
    /// Those of which that is sure to be no whole program: nothing that they call reads the input, writes the output or
    /// ends the program.
    pub registering: BTreeSet<String>,
}

/// An item of a module.
struct Item<'t> {
    /// The file of the module.
    file: &'t str,
    /// The name that it defines. `None` if it is only there for its effect.
    name: Option<&'t str>,
    acts: bool,
    words: BTreeSet<&'t str>,
}

/// Finds the modules that do something by themselves. `needs` are the files that each file needs.
pub(super) fn acting(sources: &[Source<'_>], needs: &BTreeMap<String, BTreeSet<String>>) -> Acting {
    let texts: Vec<(&str, String)> = sources
        .iter()
        .filter(|source| source.name.ends_with(".ml"))
        .map(|source| (source.name, without_comments(&source.text)))
        .collect();
    let items: Vec<Item<'_>> = texts.iter().flat_map(|(file, text)| items(file, text)).collect();
    let mut defined: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        if let Some(name) = item.name {
            defined.entry((item.file, name)).or_default().push(at);
        }
    }
    // A name may be that of the own module, or of any that the module needs.
    let called = |item: &Item<'_>| -> Vec<usize> {
        let others = needs.get(item.file).into_iter().flatten().map(String::as_str);
        let files: Vec<&str> = [item.file].into_iter().chain(others).collect();
        let of = |file: &&str, word: &&str| defined.get(&(*file, *word)).cloned().unwrap_or_default();
        files.iter().flat_map(|file| item.words.iter().flat_map(move |word| of(file, word))).collect()
    };
    let mut acting = Acting::default();
    for (file, _) in &texts {
        let mut open: Vec<usize> = (0..items.len()).filter(|at| items[*at].file == *file && items[*at].acts).collect();
        if open.is_empty() {
            continue;
        }
        acting.all.insert((*file).to_owned());
        let (mut seen, mut is_program) = (BTreeSet::new(), false);
        while let Some(at) = open.pop() {
            if seen.insert(at) {
                is_program |= OF_PROGRAMS.iter().any(|word| items[at].words.contains(word));
                open.extend(called(&items[at]));
            }
        }
        if !is_program {
            acting.registering.insert((*file).to_owned());
        }
    }
    acting
}

/// Splits a module into its items. They begin at the beginning of a line.
fn items<'t>(file: &'t str, text: &'t str) -> Vec<Item<'t>> {
    let begins = |line: &str| {
        ITEMS.iter().any(|word| line.strip_prefix(word).is_some_and(|rest| !rest.starts_with(super::token::is_of_word)))
    };
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if begins(line) {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(from, to)| item(file, &text[*from..to])).collect()
}

fn item<'t>(file: &'t str, text: &'t str) -> Item<'t> {
    let tokens: Vec<Token<'t>> =
        tokens(text, Language::OCaml).into_iter().filter(|token| *token != Token::Line).collect();
    let words = tokens.iter().filter_map(|token| if let Token::Word(word) = token { Some(*word) } else { None });
    let words = words.collect();
    let (name, acts) = match &tokens[..] {
        [Token::Word("let"), Token::Sign('('), Token::Sign(')'), ..] => (None, true),
        [Token::Word("let"), Token::Word(name), Token::Sign('=' | ':'), ..] if name.starts_with('_') => (None, true),
        [Token::Sign(';'), Token::Sign(';'), _, ..] => (None, true),
        [Token::Word("let"), Token::Word("rec"), Token::Word(name), ..]
        | [Token::Word("let" | "and" | "external"), Token::Word(name), ..] => (Some(*name), false),
        _ => (None, false),
    };
    Item { file, name, acts, words }
}

/// Replaces comments, which may be nested, by blanks. Lines stay lines.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut depth, mut in_text, mut rest) = (0_usize, false, text);
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        if in_text {
            if first == '\\' {
                length += rest[length..].chars().next().map_or(0, char::len_utf8);
            }
            in_text = first != '"';
        } else if rest.starts_with("(*") {
            (depth, length) = (depth + 1, 2);
        } else if rest.starts_with("*)") && depth > 0 {
            (depth, length) = (depth - 1, 2);
            out.push_str("  ");
            rest = &rest[length..];
            continue;
        } else if rest.starts_with("'\"'") {
            length = 3;
        } else {
            in_text = first == '"';
        }
        if depth == 0 {
            out.push_str(&rest[..length]);
        } else {
            out.push(if first == '\n' { '\n' } else { ' ' });
        }
        rest = &rest[length..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Links, Sources};
    use super::*;

    fn found(files: &[(&str, &str)]) -> (Acting, Sources) {
        let sources: Vec<Source<'_>> =
            files.iter().map(|(name, text)| Source { name, text: (*text).to_owned() }).collect();
        let links = Links::read(&sources, Language::OCaml);
        (links.acting.clone(), Sources::new(links))
    }

    #[test]
    fn what_registers_itself_is_told_from_another_bot() {
        let files = [
            ("bot.ml", "let () = Registry.run (Engine.start ())"),
            (
                "engine.ml",
                "let log s = prerr_endline s\nlet start () = log \"go\"; read_line ()\nlet play f = f (start ())",
            ),
            (
                "registry.ml",
                "let all = ref []\nlet add f =\n  all := f :: !all\nlet run x = List.iter (fun f -> f x) !all",
            ),
            ("greedy.ml", "let play () = ()\nlet () = Registry.add play"),
            ("rush.ml", "open Registry\nlet _ = add ignore"),
            ("bare.ml", ";; Registry.add ignore"),
            // Another bot, which begins as the start does, by a function of a module that both need.
            ("old.ml", "let () = Engine.play print"),
            ("older.ml", "let go () =\n  print_endline \"x\"\nlet () = go ()"),
            (
                "quiet.ml",
                "(* let () = Registry.add 1\n(* nested *)\nlet () = 2 *)\nlet x = \"(*\"\nlet f () =\n  let () = g () in 1",
            ),
        ];
        let (acting, sources) = found(&files);
        let names = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(names(&acting.all), "bare.ml bot.ml greedy.ml old.ml older.ml rush.ml");
        assert_eq!(names(&acting.registering), "bare.ml greedy.ml rush.ml");
        let own = BTreeSet::from(["bare.ml", "bot.ml", "engine.ml", "greedy.ml", "registry.ml", "rush.ml"]);
        assert_eq!(sources.program("bot.ml", &[]), own);
    }

    #[test]
    fn what_belongs_to_another_program_does_not_join() {
        let files = [
            ("bot.ml", "let () = Board.play ()"),
            ("board.ml", "let cells = ref 0\nlet play () = print_int !cells"),
            // It prepares a tester, and would bring it.
            ("cases.ml", "let () = Tester.add Board.cells"),
            ("tester.ml", "let add _ = ()\nlet run () = print_endline \"ok\"\nlet () = run ()"),
            // A module that somebody names belongs to that one.
            ("named.ml", "let x = 1\nlet () = Board.cells := 2"),
            ("namer.ml", "let y = Named.x"),
            ("dead.ml", "let () = Gone.add 1"),
            ("gone.ml", "let add _ = ()"),
            ("after.ml", "let () = Bot.add Board.cells"),
            ("test_board.ml", "let () = Board.cells := 3"),
        ];
        let (_, sources) = found(&files);
        assert_eq!(sources.program("bot.ml", &[]), BTreeSet::from(["board.ml", "bot.ml"]));
    }

    #[test]
    fn comments_become_blanks() {
        for (text, expected) in [
            ("a (* b\nc (* d *) *) e", "a |  e"),
            ("\"(*\" b", "\"(*\" b"),
            ("\"\\\"(*\" b", "\"\\\"(*\" b"),
            ("'\"' (* \" *) \" *) b", "'\"'  b"),
        ] {
            let blank = without_comments(text).replace('\n', "|");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&blank), words(expected), "{text}");
        }
        for broken in ["(*", "\"", "\"\\", "é(*é", "*)", "'\"", "(* \" é"] {
            without_comments(broken);
        }
    }
}
