//! Python: `import` statements, and the two functions that import by a string.

use super::{
    Source, folder, join,
    token::{Token, tokens},
};
use crate::Language;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn needs(sources: &[Source<'_>]) -> BTreeMap<String, BTreeSet<String>> {
    let names: BTreeSet<&str> = sources.iter().map(|source| source.name).collect();
    let of = |source: &Source<'_>| {
        let mut needed = BTreeSet::new();
        for module in modules(&tokens(&source.text, Language::Python)) {
            needed.extend(files(&module, source.name, &names));
        }
        needed.remove(source.name);
        (source.name.to_owned(), needed)
    };
    sources.iter().map(of).collect()
}

/// Returns the modules that a source imports, with their leading dots. Every name after `from x import` may be one.
fn modules(tokens: &[Token<'_>]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        let begins = at == 0 || matches!(tokens[at - 1], Token::Line | Token::Sign(':' | ';'));
        match token {
            Token::Word("import") if begins => {
                let mut rest = &tokens[at + 1..];
                loop {
                    let (module, after) = dotted(rest);
                    found.insert(module);
                    let statement =
                        after.iter().take_while(|token| !matches!(token, Token::Line | Token::Sign(':' | ';')));
                    let comma = statement.into_iter().position(is_comma);
                    let Some(comma) = comma else { break };
                    rest = &after[comma + 1..];
                }
            }
            Token::Word("from") if begins => {
                let (module, after) = dotted(&tokens[at + 1..]);
                let Some((Token::Word("import"), mut rest)) = after.split_first() else { continue };
                found.insert(module.clone());
                let many = rest.first() == Some(&Token::Sign('('));
                let mut follows = true;
                while let Some((token, after)) = rest.split_first() {
                    match token {
                        Token::Line if !many => break,
                        // A statement that begins here shows that a `)` is missing.
                        Token::Sign(')' | ';') | Token::Word("from" | "import") => break,
                        Token::Word(name) if follows => {
                            let dot = if module.is_empty() || module.ends_with('.') { "" } else { "." };
                            found.insert(format!("{module}{dot}{name}"));
                            follows = false;
                        }
                        token => follows |= is_comma(token) || *token == Token::Sign('('),
                    }
                    rest = after;
                }
            }
            Token::Word("import_module" | "__import__") => {
                if let [Token::Sign('('), Token::Text(module), ..] = tokens[at + 1..] {
                    found.insert(module.to_owned());
                }
            }
            _ => {}
        }
    }
    found
}

fn is_comma(token: &Token<'_>) -> bool {
    *token == Token::Sign(',')
}

/// Reads a name with dots.
fn dotted<'a, 't>(tokens: &'a [Token<'t>]) -> (String, &'a [Token<'t>]) {
    let mut name = String::new();
    let mut rest = tokens;
    while let Some((token, after)) = rest.split_first() {
        match token {
            Token::Sign('.') => name.push('.'),
            Token::Word(word) if name.is_empty() || name.ends_with('.') => {
                if *word == "import" {
                    break;
                }
                name.push_str(word);
            }
            _ => break,
        }
        rest = after;
    }
    (name, rest)
}

/// Returns the files that a module stands for: its own, and those of the packages around it.
fn files(module: &str, importer: &str, names: &BTreeSet<&str>) -> Vec<String> {
    let up = module.chars().take_while(|c| *c == '.').count();
    let path = module[up..].replace('.', "/");
    // Without dots in front, the folder of the program is searched. It is not known yet, but it is above the importer.
    let mut bases: Vec<String> = Vec::new();
    let mut base = folder(importer).to_owned();
    if up > 0 {
        for _ in 1..up {
            base = folder(&base).to_owned();
        }
        bases.push(base);
    } else {
        while !base.is_empty() {
            bases.push(base.clone());
            base = folder(&base).to_owned();
        }
        bases.extend([String::new(), "src".to_owned()]);
    }
    for base in bases {
        let Some(whole) = join(&base, &path) else { continue };
        let file = [format!("{whole}.py"), join(&whole, "__init__.py").unwrap_or_default()]
            .into_iter()
            .find(|file| names.contains(file.as_str()));
        let Some(file) = file else { continue };
        let mut found = vec![file];
        let mut around = folder(&whole).to_owned();
        while around.len() > base.len() {
            found.extend(Some(format!("{around}/__init__.py")).filter(|file| names.contains(file.as_str())));
            around = folder(&around).to_owned();
        }
        return found;
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use crate::Language;

    /// What no Python would read must not take the time of the number of its lines squared.
    #[test]
    fn a_statement_without_its_end_ends_with_the_next() {
        let lines = "from a import(x\n".repeat(20_000) + &"import b;".repeat(20_000) + &"import c:".repeat(20_000);
        let found = super::modules(&super::tokens(&lines, Language::Python));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "a.x", "b", "c"]);
    }

    #[test]
    fn every_way_to_import_is_seen() {
        let main = "\"\"\"import no\"\"\"\nimport sys, a as b, pkg.deep\nif 1: from .c import x\nfrom pkg import (one,\n  \
                    two as three)\nm = __import__('d')\nimportlib.import_module(\"e\")\n# import no\n";
        let files = [
            ("main.py", main),
            ("a.py", "from main import thing"),
            ("c.py", ""),
            ("d.py", "from . import c"),
            ("e.py", "x = 'import a'"),
            ("no.py", ""),
            ("pkg/__init__.py", ""),
            ("pkg/deep.py", "from ..a import y\nfrom . import two"),
            ("pkg/one.py", ""),
            ("pkg/two.py", "import a"),
            ("pkg/three.py", ""),
        ];
        assert_eq!(
            lines(Language::Python, &files),
            [
                "a.py: main.py",
                "c.py: ",
                "d.py: c.py",
                "e.py: ",
                "main.py: a.py c.py d.py e.py pkg/__init__.py pkg/deep.py pkg/one.py pkg/two.py",
                "no.py: ",
                "pkg/__init__.py: ",
                "pkg/deep.py: a.py pkg/__init__.py pkg/two.py",
                "pkg/one.py: ",
                "pkg/three.py: ",
                "pkg/two.py: a.py",
            ]
        );
    }
}
