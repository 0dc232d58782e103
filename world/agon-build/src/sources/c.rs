//! C and C++: `#include`, the source beside a header, and functions and variables that one source uses and another defines.

use super::{
    Source, folder, join,
    token::{Token, tokens},
};
use crate::Language;
use std::collections::{BTreeMap, BTreeSet};

/// What one file has for others, and uses of them.
#[derive(Default)]
struct Unit<'t> {
    includes: Vec<&'t str>,
    /// Functions, variables and classes that are defined outside of all braces.
    defines: BTreeSet<&'t str>,
    /// Functions and variables that only this file can use. They hide those of others.
    own: BTreeSet<&'t str>,
    /// Every name inside of braces, in the value of a variable, or in what stands between the parameters of a function and its
    /// body. What is only declared is no use.
    uses: BTreeSet<&'t str>,
}

pub(super) fn needs(sources: &[Source<'_>]) -> BTreeMap<String, BTreeSet<String>> {
    let units: BTreeMap<&str, Unit<'_>> =
        sources.iter().map(|source| (source.name, unit(&tokens(&source.text, Language::Cpp)))).collect();
    let names: Vec<&str> = units.keys().copied().collect();
    let mut defined: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, unit) in units.iter().filter(|(name, _)| is_compiled(name)) {
        for word in &unit.defines {
            defined.entry(word).or_default().insert(name);
        }
    }
    let of = |(name, unit): (&&str, &Unit<'_>)| {
        let included: Vec<&str> = unit.includes.iter().flat_map(|path| included(path, name, &names)).collect();
        let mut needed: BTreeSet<&str> = included.iter().copied().collect();
        if !is_compiled(name) {
            needed.extend(beside(name, &names));
        }
        for word in unit.uses.iter().filter(|word| !unit.defines.contains(*word) && !unit.own.contains(*word)) {
            let files = defined.get(word).into_iter().flatten().copied().filter(|file| file != name);
            let files: Vec<&str> = files.collect();
            // Several sources may define the same function, and only one belongs to the headers of this file.
            let near: Vec<&str> = files.iter().copied().filter(|file| belongs(file, &included, &names)).collect();
            needed.extend(if near.is_empty() { files } else { near });
        }
        needed.remove(name);
        ((*name).to_owned(), needed.into_iter().map(str::to_owned).collect())
    };
    units.iter().map(of).collect()
}

/// Returns the sources that another file includes. The compiler must not see them twice.
pub(super) fn included_sources(sources: &[Source<'_>]) -> BTreeSet<String> {
    let names: Vec<&str> = sources.iter().map(|source| source.name).collect();
    let mut found = BTreeSet::new();
    for source in sources {
        for path in unit(&tokens(&source.text, Language::Cpp)).includes {
            let files = included(path, source.name, &names).into_iter();
            found.extend(files.filter(|file| is_compiled(file) && *file != source.name).map(str::to_owned));
        }
    }
    found
}

fn is_compiled(name: &str) -> bool {
    matches!(Language::of(name), Some(Language::C | Language::Cpp))
}

fn stem(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// Returns the files that a path in `#include` may mean.
fn included<'n>(path: &str, includer: &str, names: &[&'n str]) -> Vec<&'n str> {
    let bases = [folder(includer), "", "include", "src"];
    let direct = bases
        .iter()
        .filter_map(|base| join(base, path))
        .find_map(|file| names.iter().copied().find(|name| **name == file));
    if let Some(direct) = direct {
        return vec![direct];
    }
    let end = format!("/{}", path.rsplit("../").next().unwrap_or(path));
    names.iter().copied().filter(|name| name.ends_with(&end)).collect()
}

/// Returns the sources of a header: those with its name, in its folder or else anywhere.
fn beside<'n>(header: &str, names: &[&'n str]) -> Vec<&'n str> {
    let all: Vec<&str> = names.iter().copied().filter(|name| is_compiled(name) && stem(name) == stem(header)).collect();
    let near: Vec<&str> = all.iter().copied().filter(|name| folder(name) == folder(header)).collect();
    if near.is_empty() { all } else { near }
}

/// Returns whether a source is that of one of these headers.
fn belongs(source: &str, headers: &[&str], names: &[&str]) -> bool {
    headers.iter().any(|header| beside(header, names).contains(&source))
}

fn unit<'t>(tokens: &[Token<'t>]) -> Unit<'t> {
    let mut unit = Unit::default();
    // The tokens outside of all braces since the last `;` or `}`. A body in braces counts as one sign.
    let mut statement: Vec<Token<'t>> = Vec::new();
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(token) = tokens.get(at) {
        let starts_line = at == 0 || tokens[at - 1] == Token::Line;
        if starts_line && *token == Token::Sign('#') {
            at = directive(tokens, at + 1, &mut unit);
            continue;
        }
        at += 1;
        match token {
            Token::Line => {}
            Token::Sign('{') if depth == 0 && is_transparent(&statement) => statement.clear(),
            Token::Sign('{') => {
                if depth == 0 {
                    define(&statement, true, &mut unit);
                    statement.clear();
                    statement.push(Token::Sign('{'));
                }
                depth += 1;
            }
            Token::Sign('}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 && statement.first() != Some(&Token::Sign('{')) {
                    statement.clear();
                }
            }
            Token::Sign(';') if depth == 0 => {
                define(&statement, false, &mut unit);
                statement.clear();
            }
            Token::Word(word) if depth > 0 => {
                unit.uses.insert(word);
            }
            token if depth == 0 => {
                // What follows a body without a `;` is a new statement.
                if statement.first() == Some(&Token::Sign('{')) {
                    statement.clear();
                }
                statement.push(*token);
            }
            _ => {}
        }
    }
    unit
}

/// Reads a directive, which ends with its line. Returns where the next line begins.
fn directive<'t>(tokens: &[Token<'t>], from: usize, unit: &mut Unit<'t>) -> usize {
    let mut at = from;
    let mut words = Vec::new();
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            Token::Line if tokens.get(at.wrapping_sub(2)) != Some(&Token::Sign('\\')) => break,
            Token::Word(word) => words.push(*word),
            Token::Text(path) if words == ["include"] => unit.includes.push(path),
            _ => {}
        }
    }
    // A macro may call functions wherever it is used.
    if words.first() == Some(&"define") {
        unit.uses.extend(words.iter().skip(2));
    }
    at
}

/// Returns whether the braces after this begin no body: those of a namespace, or of `extern "C"`.
fn is_transparent(statement: &[Token<'_>]) -> bool {
    statement.contains(&Token::Word("namespace")) || matches!(statement, [.., Token::Word("extern"), Token::Text(_)])
}

/// Adds what a statement outside of all braces defines. `body` tells whether a brace follows it.
fn define<'t>(statement: &[Token<'t>], body: bool, unit: &mut Unit<'t>) {
    const NONE: &[&str] = &["typedef", "using", "struct", "class", "union", "enum", "template", "friend"];
    let has = |word: &str| statement.contains(&Token::Word(word));
    let assigned = statement.iter().position(|token| *token == Token::Sign('='));
    let head = &statement[..assigned.unwrap_or(statement.len())];
    if statement.is_empty() || has("typedef") || has("using") || (has("extern") && assigned.is_none() && !body) {
        return;
    }
    // `int table = make();`, `Bot::Bot() : map(load()) {`.
    let parameters = statement.iter().position(|token| *token == Token::Sign(')')).filter(|_| body);
    let used = assigned.into_iter().chain(parameters).min().unwrap_or(statement.len());
    unit.uses.extend(statement[used..].iter().filter_map(|token| match token {
        Token::Word(word) => Some(*word),
        _ => None,
    }));
    let defines = if has("static") { &mut unit.own } else { &mut unit.defines };
    if let Some(open) = head.iter().position(|token| *token == Token::Sign('(')) {
        // A function: `int play(…) {`. Of `Board::play(…) {` the class counts.
        let Some(Token::Word(name)) = open.checked_sub(1).and_then(|at| head.get(at)) else { return };
        let class = match head.get(..open.saturating_sub(1)) {
            Some([.., Token::Word(class), Token::Sign(':'), Token::Sign(':')]) => Some(*class),
            Some([.., Token::Word(class), Token::Sign(':'), Token::Sign(':'), Token::Sign('~')]) => Some(*class),
            _ => None,
        };
        if body {
            defines.insert(class.unwrap_or(name));
        }
        return;
    }
    // A variable: `int board[9];`, `const int SIZE = 3;`, `Node *root = {`.
    let is_type = statement.iter().any(|token| matches!(token, Token::Word(word) if NONE.contains(word)));
    if is_type || (body && assigned.is_none()) {
        return;
    }
    let end = head.iter().position(|token| *token == Token::Sign('[')).unwrap_or(head.len());
    if let ([_, ..], Some(Token::Word(name))) = (&head[..end.saturating_sub(1)], head[..end].last()) {
        defines.insert(name);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use crate::Language;

    #[test]
    fn a_source_is_needed_for_its_header_or_for_what_it_defines() {
        let files = [
            ("bot.c", "#include \"map.h\"\n#include \"all.h\"\nint main(void) { read_map(); return pick(limits[0]); }"),
            ("map.h", "int read_map(void);\nint old(void);"),
            ("map.c", "#include \"map.h\"\nint read_map(void)\n{ return 1; }"),
            ("all.h", "int pick(int);\nint dead(int);\nextern int limits[];"),
            ("choose.c", "static int helper(int x) { return x; }\nint pick(int x) { return helper(x); }"),
            ("data.c", "int limits[] = { 1, 2 };"),
            ("dead.c", "int dead(int x) { broken(pick) }\nint helper(int x) {}"),
            ("old/map.c", "int read_map(void) { broken }"),
        ];
        let needs = lines(Language::C, &files);
        assert_eq!(needs[2], "choose.c: ");
        assert_eq!(needs[1], "bot.c: all.h choose.c data.c map.c map.h");
        assert_eq!(needs[6], "map.h: map.c");
    }

    #[test]
    fn what_is_called_outside_of_braces_is_used() {
        let files = [
            ("main.cpp", "#include \"all.h\"\nstatic int T = make();\nBot::Bot() : map(load()) {}\nint main() {}"),
            ("all.h", "int make();\nint load();\nint dead();"),
            ("impl.cpp", "int make() { return 1; }"),
            ("maps.cpp", "int load() { return 1; }"),
            ("old.cpp", "int dead() { broken }"),
        ];
        assert_eq!(lines(Language::Cpp, &files)[2], "main.cpp: all.h impl.cpp maps.cpp");
    }

    #[test]
    fn classes_namespaces_and_sources_that_are_included_are_seen() {
        let files = [
            ("src/main.cpp", "#include <vector>\n#include \"game/board.hpp\"\nint main() { game::Board b; solve(b); }"),
            (
                "include/game/board.hpp",
                "namespace game { class Board { public: int play() const; }; }\nvoid solve(game::Board&);",
            ),
            ("src/board_moves.cpp", "namespace game {\nint Board::play() const { return 1; }\n}"),
            ("src/solver.cpp", "#include \"table.inc\"\nvoid solve(game::Board& b) noexcept { b.play(); }"),
            ("src/table.inc", "int table[] = {1};"),
            ("src/unused.cpp", "namespace game { class Old { void solve() {} }; }"),
        ];
        let needs = lines(Language::Cpp, &files);
        assert_eq!(needs[2], "src/main.cpp: include/game/board.hpp src/board_moves.cpp src/solver.cpp");
        assert_eq!(needs[3], "src/solver.cpp: src/table.inc");
    }
}
