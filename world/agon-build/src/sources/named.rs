//! Java, C#, Go, OCaml, Haskell and Rust: a file needs another one if it has a name that the other one declares.

use super::{
    Links, MOST_MEANINGS, Source, folder, go, ocaml,
    token::{Token, is_of_word, tokens},
};
use crate::Language;
use std::collections::{BTreeMap, BTreeSet};

/// The most tokens of a list of types behind a name.
const MOST_PARAMETERS: usize = 60;

pub(super) fn links(sources: &[Source<'_>], language: Language) -> Links {
    let read: Vec<(&str, Vec<Token<'_>>)> =
        sources.iter().map(|source| (source.name, tokens(&source.text, language))).collect();
    let mut declared: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, tokens) in &read {
        for declaration in declarations(name, tokens, language) {
            let files = declared.entry(declaration).or_default();
            if files.last() != Some(name) {
                files.push(name);
            }
        }
    }
    let of = |(name, tokens): &(&str, Vec<Token<'_>>)| {
        let mut needed: BTreeSet<String> = BTreeSet::new();
        let partial = if language == Language::CSharp { partial(tokens) } else { BTreeSet::new() };
        for word in words(tokens) {
            let Some(files) = declared.get(word).filter(|files| files.len() <= MOST_MEANINGS) else { continue };
            // In Go the methods of a type may be in several files, and in C# a class that says so.
            let is_shared = language == Language::Go || partial.contains(word);
            if !is_shared && files.contains(name) {
                continue;
            }
            // A name of the same folder hides that of others, as in a package of Java.
            let near: Vec<&str> = files.iter().copied().filter(|file| folder(file) == folder(name)).collect();
            let files = if near.is_empty() { files } else { &near };
            needed.extend(files.iter().filter(|file| *file != name).map(|file| (*file).to_owned()));
        }
        ((*name).to_owned(), needed)
    };
    let mut needs: BTreeMap<String, BTreeSet<String>> = read.iter().map(of).collect();
    // An interface in OCaml belongs to its module.
    let names: Vec<String> = needs.keys().cloned().collect();
    for name in names {
        if let Some(interface) = Some(format!("{name}i")).filter(|it| it.ends_with(".mli") && needs.contains_key(it)) {
            needs.entry(name).or_default().insert(interface);
        }
    }
    let of_go = |is_one: fn(&[Token<'_>]) -> bool| {
        let those = read.iter().filter(|(_, tokens)| language == Language::Go && is_one(tokens));
        those.map(|(name, _)| (*name).to_owned()).collect()
    };
    let (programs, active) = (of_go(go::has_main), of_go(go::acts_by_itself));
    let acting = if language == Language::OCaml { ocaml::acting(sources, &needs) } else { ocaml::Acting::default() };
    Links { needs, programs, active, acting, ..Links::default() }
}

/// Returns all names in a source. A string may hold the name of a class.
fn words<'t>(tokens: &[Token<'t>]) -> BTreeSet<&'t str> {
    let mut found = BTreeSet::new();
    for token in tokens {
        match token {
            Token::Word(word) => {
                found.insert(*word);
            }
            Token::Text(text) => found.extend(text.split(|c| !is_of_word(c)).filter(|word| !word.is_empty())),
            _ => {}
        }
    }
    found
}

/// Returns the names that other files can use of this one.
fn declarations(name: &str, tokens: &[Token<'_>], language: Language) -> Vec<String> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let stem = file.split('.').next().unwrap_or(file);
    match language {
        Language::OCaml => {
            let mut letters = stem.chars();
            letters
                .next()
                .map(|first| first.to_uppercase().collect::<String>() + letters.as_str())
                .into_iter()
                .collect()
        }
        // The start has its name in other files too, as that of its function.
        Language::Haskell | Language::Rust if stem.eq_ignore_ascii_case("main") => Vec::new(),
        Language::Haskell | Language::Rust => vec![stem.to_owned()],
        Language::Go => go::declared(tokens),
        Language::CSharp => {
            let mut found = after(tokens, &["class", "interface", "enum", "record", "struct", "delegate"]);
            found.extend(extensions(tokens));
            found
        }
        _ => after(tokens, &["class", "interface", "enum", "record"]),
    }
}

/// Returns the names that follow one of these words, outside of all braces but those of namespaces, which may be nested.
fn after(tokens: &[Token<'_>], words: &[&str]) -> Vec<String> {
    // For each open brace whether it is that of a namespace.
    let mut open: Vec<bool> = Vec::new();
    let (mut depth, mut follows_namespace) = (0_usize, false);
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('{') => {
                open.push(follows_namespace);
                depth += usize::from(!follows_namespace);
                follows_namespace = false;
            }
            Token::Sign('}') => depth -= usize::from(open.pop() == Some(false)),
            Token::Sign(';') => follows_namespace = false,
            Token::Word("namespace") => follows_namespace = true,
            Token::Word(word) if words.contains(word) && depth == 0 => {
                let mut rest = &tokens[at + 1..];
                while let Some((Token::Line, more)) = rest.split_first() {
                    rest = more;
                }
                if let Some(Token::Word(name)) = rest.first() {
                    found.push((*name).to_owned());
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the classes of C# of which other files may have further parts.
fn partial<'t>(tokens: &[Token<'t>]) -> BTreeSet<&'t str> {
    let of = |tokens: &[Token<'t>]| match tokens {
        [Token::Word("partial"), Token::Word("record"), Token::Word("struct" | "class"), Token::Word(name), ..]
        | [Token::Word("partial"), Token::Word("class" | "struct" | "interface" | "record"), Token::Word(name), ..] => {
            Some(*name)
        }
        _ => None,
    };
    (0..tokens.len()).filter_map(|at| of(&tokens[at..])).collect()
}

/// Returns the methods of C# that other files call on a value of another class: `int Twice(this List<int> all)`.
fn extensions(tokens: &[Token<'_>]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, three) in tokens.windows(3).enumerate() {
        // In a call, a sign follows: `Add(this)`.
        let [Token::Sign('('), Token::Word("this"), Token::Word(_)] = three else { continue };
        // Types may stand behind the name: `Twice<T>(`.
        let mut depth = 0_usize;
        let name = tokens[..at].iter().rev().take(MOST_PARAMETERS).find_map(|token| {
            match token {
                Token::Sign('>') => depth += 1,
                Token::Sign('<') => depth = depth.saturating_sub(1),
                Token::Word(word) if depth == 0 => return Some((*word).to_owned()),
                _ => {}
            }
            None
        });
        found.extend(name);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use crate::Language;

    #[test]
    fn a_class_is_needed_by_its_name_and_the_nearest_counts() {
        let files = [
            ("MyBot.java", "public class MyBot { Fleet f; // Rage\n Object o = Class.forName(\"deep.Loaded\"); }"),
            ("Fleet.java", "enum Kind { A }\nclass Fleet { class Inner {} }"),
            ("deep/Loaded.java", "package deep; class Loaded { Inner i; }"),
            ("examples/Fleet.java", "class Fleet { broken"),
            ("examples/Rage.java", "class Rage { Fleet f; }"),
        ];
        assert_eq!(
            lines(Language::Java, &files),
            [
                "Fleet.java: ",
                "MyBot.java: Fleet.java deep/Loaded.java",
                "deep/Loaded.java: ",
                "examples/Fleet.java: ",
                "examples/Rage.java: examples/Fleet.java",
            ]
        );
    }

    #[test]
    fn other_languages_have_names_of_their_own() {
        let csharp = [
            ("Bot.cs", "namespace A { partial class Bot { static void Main() { Run(l.Twice()); Add(this); } } }"),
            ("Ext.cs", "static class Ext { public static T Twice<A, B<T>>(this List<T> l) {} }"),
            ("Old.cs", "class Old { void Add(Board b) { b.Add(this); } }"),
            ("Run.cs", "namespace A { public partial class Bot { static void Run() {} } }"),
            ("other/Bot.cs", "partial class Bot {"),
        ];
        assert_eq!(
            lines(Language::CSharp, &csharp),
            ["Bot.cs: Ext.cs Run.cs", "Ext.cs: ", "Old.cs: ", "Run.cs: Bot.cs", "other/Bot.cs: "]
        );
        let nested = [
            ("Bot.cs", "namespace A { class Bot { static void Main() { new Map(); new Inner(); } } }"),
            ("Inner.cs", "class Outer { class Inner {} }"),
            ("Map.cs", "namespace A\n{\n    namespace B {\n        public class Map {}\n    }\n}"),
            ("Old.cs", "namespace A;\nclass Old { void Run() { namespace(); { class Map {} } } }"),
        ];
        assert_eq!(lines(Language::CSharp, &nested)[..2], ["Bot.cs: Map.cs", "Inner.cs: "]);
        let ocaml = [("bot.ml", "let () = Part.go ()"), ("part.ml", ""), ("part.mli", ""), ("dead.ml", "")];
        assert_eq!(
            lines(Language::OCaml, &ocaml),
            ["bot.ml: part.ml part.mli", "dead.ml: ", "part.ml: part.mli", "part.mli: "]
        );
        let haskell = [("Main.hs", "import qualified Part as P"), ("Part.hs", "module Part where"), ("Old.hs", "")];
        assert_eq!(lines(Language::Haskell, &haskell)[0], "Main.hs: Part.hs");
    }
}
