//! Java, C#, Go, OCaml, Haskell and Rust: a file needs another one if it has a name that the other one declares.

use super::{
    Source, folder,
    token::{Token, is_of_word, tokens},
};
use crate::Language;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn needs(sources: &[Source<'_>], language: Language) -> BTreeMap<String, BTreeSet<String>> {
    let read: Vec<(&str, Vec<Token<'_>>)> =
        sources.iter().map(|source| (source.name, tokens(&source.text, language))).collect();
    let mut declared: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, tokens) in &read {
        for declaration in declarations(name, tokens, language) {
            let files = declared.entry(declaration).or_default();
            if !files.contains(name) {
                files.push(name);
            }
        }
    }
    let of = |(name, tokens): &(&str, Vec<Token<'_>>)| {
        let mut needed: BTreeSet<String> = BTreeSet::new();
        for word in words(tokens) {
            // Only in Go may the methods of a type be in several files.
            let is_hidden = |files: &Vec<&str>| language != Language::Go && files.contains(name);
            let Some(files) = declared.get(word).filter(|files| !is_hidden(files)) else { continue };
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
    needs
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
        // Every file of a program has `main` in its first line.
        Language::Go => {
            let mut found = after(tokens, &["func", "type", "var", "const"], 0);
            found.retain(|name| name != "main");
            found
        }
        // Namespaces of C# are in braces.
        Language::CSharp => after(tokens, &["class", "interface", "enum", "record", "struct", "delegate"], 1),
        _ => after(tokens, &["class", "interface", "enum", "record"], 0),
    }
}

/// Returns the names that follow one of these words, in at most so many braces.
fn after(tokens: &[Token<'_>], words: &[&str], most: usize) -> Vec<String> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('{') => depth += 1,
            Token::Sign('}') => depth = depth.saturating_sub(1),
            Token::Word(word) if words.contains(word) && depth <= most => {
                let mut rest = &tokens[at + 1..];
                // A method of Go belongs to its type: `func (b *Board) Moves()`.
                let is_method = matches!(rest.first(), Some(Token::Sign('('))) && *word == "func";
                if is_method {
                    let line = rest.iter().take_while(|token| **token != Token::Line);
                    let close = line.into_iter().position(|token| *token == Token::Sign(')')).unwrap_or(0);
                    let receiver = rest[..close].iter().rev().find_map(|token| match token {
                        Token::Word(word) => Some((*word).to_owned()),
                        _ => None,
                    });
                    found.extend(receiver);
                    continue;
                }
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
        let go = [
            ("main.go", "package main\nfunc main() { var b Board; b.Play() }"),
            ("board.go", "package main\ntype Board struct{}"),
            ("play.go", "package main\nfunc (b *Board) Play() {}"),
            ("dead.go", "package main\nfunc old() {"),
        ];
        let needs = lines(Language::Go, &go);
        assert_eq!(needs[2..], ["main.go: board.go play.go", "play.go: board.go"]);
        let ocaml = [("bot.ml", "let () = Part.go ()"), ("part.ml", ""), ("part.mli", ""), ("dead.ml", "")];
        assert_eq!(
            lines(Language::OCaml, &ocaml),
            ["bot.ml: part.ml part.mli", "dead.ml: ", "part.ml: part.mli", "part.mli: "]
        );
        let haskell = [("Main.hs", "import qualified Part as P"), ("Part.hs", "module Part where"), ("Old.hs", "")];
        assert_eq!(lines(Language::Haskell, &haskell)[0], "Main.hs: Part.hs");
    }
}
