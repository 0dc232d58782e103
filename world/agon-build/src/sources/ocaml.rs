//! OCaml: which modules do something when their program starts, and which of those could be a program of their own.

pub(super) mod lexer;

use super::{
    Source,
    token::{Token, tokens},
};
use crate::Language;
use lexer::{Part, parts};
use std::collections::{BTreeMap, BTreeSet, HashMap};

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
        .map(|source| (source.name, code(&source.text)))
        .collect();
    let items: Vec<Item<'_>> = texts.iter().flat_map(|(file, text)| items(file, text)).collect();
    let programs = programs(&items, needs);
    let mut acting = Acting::default();
    for (file, _) in &texts {
        let mut acts = (0..items.len()).filter(|at| items[*at].file == *file && items[*at].acts).peekable();
        if acts.peek().is_some() {
            acting.all.insert((*file).to_owned());
            if !acts.any(|at| programs.contains(&at)) {
                acting.registering.insert((*file).to_owned());
            }
        }
    }
    acting
}

/// Finds the items that are part of a program: they read the input, write the output, end the program, or call such an item.
/// The search begins at those, so that it takes each name of a file once, however often it is defined and called.
fn programs(items: &[Item<'_>], needs: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<usize> {
    let mut users: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        item.words.iter().for_each(|word| users.entry(word).or_default().push(at));
    }
    let mut found: BTreeSet<usize> = OF_PROGRAMS.iter().filter_map(|word| users.get(word)).flatten().copied().collect();
    let (mut open, mut seen): (Vec<usize>, BTreeSet<(&str, &str)>) = (found.iter().copied().collect(), BTreeSet::new());
    while let Some(at) = open.pop() {
        let Item { file, name: Some(name), .. } = items[at] else { continue };
        if !seen.insert((file, name)) {
            continue;
        }
        // A name may be that of the own module, or of any that the module needs.
        let calls = |user: &Item<'_>| user.file == file || needs.get(user.file).is_some_and(|all| all.contains(file));
        for user in users.get(name).into_iter().flatten().copied() {
            if calls(&items[user]) && found.insert(user) {
                open.push(user);
            }
        }
    }
    found
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

/// Leaves out comments and the insides of literals. What stood in a line of its own still does.
fn code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for part in parts(text) {
        match part {
            Part::Comment => out.push(' '),
            Part::Text(_) => out.push_str("\"\""),
            Part::Word(word) => out.push_str(word),
            Part::Sign(sign) => out.push(sign),
        }
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
    fn comments_and_insides_of_literals_are_no_code() {
        for (text, expected) in [
            ("a (* b\nc (* d *) *) e", "a   e"),
            ("\"(*\" b", "\"\" b"),
            ("'\"' (* \" *) \" *) b", "\"\"   b"),
            ("f' '\"' x\nlet y", "f' \"\" x\nlet y"),
            ("let s = {|\nlet () = \"|}\nlet t", "let s = \"\"\nlet t"),
        ] {
            assert_eq!(code(text), expected, "{text}");
        }
        for broken in ["(*", "\"", "\"\\", "é(*é", "*)", "'\"", "(* \" é", "{|", "'\\"] {
            code(broken);
        }
    }

    #[test]
    fn a_quotation_mark_as_a_character_hides_nothing() {
        for separator in ["'\"'", "'\\\"'", "{|\"|}", "(* '\"' \"*)\" {|*)|} *) 1"] {
            let text = format!("let () = Board.parse {separator} (read_line ())");
            let (acting, _) = found(&[("bot.ml", &text), ("board.ml", "let parse _ _ = ()")]);
            let all = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
            assert_eq!(acting, Acting { all: all(&["bot.ml"]), registering: all(&[]) }, "{separator}");
        }
    }

    /// What many lines define and many call is looked at once, not once for each pair.
    #[test]
    fn names_that_are_defined_and_called_again_and_again_are_read_to_their_end() {
        const MANY: usize = 20_000;
        for (line, ends) in [("let a b = b a c\n", false), ("let a b = b a c read_line\n", true)] {
            let text = format!("{}let () = a ()\n", line.repeat(MANY));
            let (acting, _) = found(&[("bot.ml", &text), ("other.ml", &text)]);
            assert_eq!((acting.all.len(), acting.registering.is_empty()), (2, ends), "{line}");
        }
    }
}
