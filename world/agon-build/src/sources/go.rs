//! Go: what a file declares for its package, and what it does by itself.

use super::token::Token;
use std::collections::BTreeSet;

/// Returns the names that other files of the package can use, and the types to which the methods of this file belong.
pub(super) fn declared(tokens: &[Token<'_>]) -> Vec<String> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    for statement in statements(tokens) {
        match statement {
            [Token::Word("func"), Token::Sign('('), rest @ ..] => found.extend(receiver(rest)),
            [Token::Word("func"), Token::Word(name), ..] => {
                found.insert(name);
            }
            statement => found.extend(listed(statement)),
        }
    }
    // Every file of a program has `main` in its first line.
    let is_own = |name: &&str| !matches!(*name, "main" | "init" | "_");
    found.into_iter().filter(is_own).map(str::to_owned).collect()
}

/// Returns whether a file does something before `main`: in a function `init`, or to compute a value that nobody uses.
pub(super) fn acts_by_itself(tokens: &[Token<'_>]) -> bool {
    statements(tokens).into_iter().any(|statement| match statement {
        [Token::Word("func"), Token::Word("init"), ..] => true,
        [Token::Word("var"), ..] => listed(statement).contains(&"_"),
        _ => false,
    })
}

/// Returns the names that a statement with `const`, `var` or `type` declares, alone or in parentheses.
fn listed<'t>(statement: &[Token<'t>]) -> Vec<&'t str> {
    match statement {
        [Token::Word("const" | "var" | "type"), Token::Sign('('), rest @ ..] => {
            statements(rest).into_iter().flat_map(names).collect()
        }
        [Token::Word("const" | "var" | "type"), rest @ ..] => names(rest),
        _ => Vec::new(),
    }
}

/// Returns whether a file has a function `main`.
pub(super) fn has_main(tokens: &[Token<'_>]) -> bool {
    let is_main = |statement: &[Token<'_>]| {
        matches!(statement, [Token::Word("func"), Token::Word("main"), Token::Sign('('), Token::Sign(')'), ..])
    };
    statements(tokens).into_iter().any(is_main)
}

/// Returns the names at the beginning of a declaration, between which there are commas.
fn names<'t>(declaration: &[Token<'t>]) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut rest = declaration;
    while let [Token::Word(name), after @ ..] = rest {
        found.push(*name);
        let [Token::Sign(','), after @ ..] = after else { break };
        rest = after;
    }
    found
}

/// Returns the type of a method: `Stack` in `func (s *Stack[T]) Push()`.
fn receiver<'t>(tokens: &[Token<'t>]) -> Option<&'t str> {
    let line = tokens.iter().take_while(|token| **token != Token::Line).count();
    tokens[..line].windows(2).find_map(|two| match two {
        [Token::Word(name), Token::Sign(')' | '[')] => Some(*name),
        _ => None,
    })
}

/// Splits tokens at the ends of lines and at `;` outside of all parentheses and braces. Ends where more close than have opened.
fn statements<'a, 't>(tokens: &'a [Token<'t>]) -> Vec<&'a [Token<'t>]> {
    let mut found = Vec::new();
    let (mut depth, mut from, mut end) = (0_usize, 0, tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') if depth == 0 => {
                end = at;
                break;
            }
            Token::Sign(')' | ']' | '}') => depth -= 1,
            Token::Line | Token::Sign(';') if depth == 0 => {
                found.push(&tokens[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(&tokens[from..end]);
    found.retain(|statement| !statement.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::{super::tests::lines, *};
    use crate::{Language, sources::token::tokens};

    #[test]
    fn every_way_to_declare_is_seen() {
        let source = "package main\nimport \"fmt\"\nconst (\n\tNorth, South = iota, 2\n\t_ = 3; East = 4\n)\nvar a, b int\n\
            var (\n\tm = map[string]int{\n\t\t\"x\": 1,\n\t}\n\tf = func(x int) (\n\t\tint,\n\t) { return x }\n)\ntype (\n\
            \tPoint struct {\n\t\tx int\n\t}\n\tid int\n)\nfunc (s *Stack[T]) Push(x T) {}\nfunc (Board) Play() {}\n\
            func Map[T any](x T) T {\n\tvar inner = 1\n}\nfunc main() {}\nfunc init() {}\nvar last = 1";
        let expected = ["Board", "East", "Map", "North", "Point", "South", "Stack", "a", "b", "f", "id", "last", "m"];
        assert_eq!(declared(&tokens(source, Language::Go)), expected);
        for broken in ["func", "func (", "const (", "const (\nA", "var a,", ")\nvar a", "func old() {\nvar a"] {
            declared(&tokens(broken, Language::Go));
        }
    }

    #[test]
    fn what_acts_by_itself_is_seen() {
        for (source, expected) in [
            ("package main\nfunc init() { bots[\"a\"] = new }", true),
            ("package main\nvar _ = register(1)", true),
            ("package main\nvar (\n\ta = 1\n\t_ Bot = make()\n)", true),
            ("package main\nvar a = 1\nfunc initial() { func init() {} }", false),
            ("package main\nfunc f() { var _ = 1 }\nconst _ = 1", false),
        ] {
            assert_eq!(acts_by_itself(&tokens(source, Language::Go)), expected, "{source}");
        }
    }

    #[test]
    fn a_main_is_told_from_what_only_looks_like_one() {
        for (source, expected) in [
            ("package main\nfunc main() { play() }", true),
            ("package main\nfunc  main ( ) {\n}", true),
            ("package main\n// func main() { play() }\nfunc play() {}", false),
            ("package main\n/*\nfunc main() {}\n*/\nvar s = `\nfunc main() {}\n`", false),
            ("package main\nfunc (b *Bot) main() {}\nfunc main_loop() {}", false),
        ] {
            assert_eq!(has_main(&tokens(source, Language::Go)), expected, "{source}");
        }
    }

    #[test]
    fn a_file_is_needed_for_its_names_and_for_the_methods_of_types() {
        let files = [
            ("main.go", "package main\nfunc main() { var b Board; b.Play(North) }"),
            ("board.go", "package main\ntype Board struct{}"),
            ("consts.go", "package main\nconst (\n\tSouth = iota\n\tNorth\n)"),
            ("dead.go", "package main\nfunc old() {"),
            ("play.go", "package main\nfunc (b *Board) Play(x int) {}"),
        ];
        let needs = lines(Language::Go, &files);
        assert_eq!(needs[3..], ["main.go: board.go consts.go play.go", "play.go: board.go"]);
    }
}
