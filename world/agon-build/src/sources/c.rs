//! C and C++: `#include`, the source beside a header, and functions and variables that one source uses and another defines.

use super::{
    Links, MOST_MEANINGS, Source, folder, join,
    token::{Token, tokens},
};
use crate::Language;
use std::collections::{BTreeMap, BTreeSet};

/// The words that begin a type, whose braces are no body of a function.
const TYPES: &[&str] = &["struct", "class", "union", "enum"];

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

pub(super) fn links(sources: &[Source<'_>]) -> Links {
    let units: BTreeMap<&str, Unit<'_>> =
        sources.iter().map(|source| (source.name, unit(&tokens(&source.text, Language::Cpp)))).collect();
    let names = Names::new(units.keys().copied());
    let mut defined: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, unit) in units.iter().filter(|(name, _)| is_compiled(name)) {
        for word in &unit.defines {
            defined.entry(word).or_default().push(name);
        }
    }
    let mut links = Links::default();
    for (name, unit) in &units {
        let included: BTreeSet<&str> = unit.includes.iter().flat_map(|path| names.included(path, name)).collect();
        // The compiler must not see such a source twice.
        let sources = included.iter().filter(|file| is_compiled(file) && *file != name);
        links.included.extend(sources.map(|file| (*file).to_owned()));
        if is_compiled(name) && unit.defines.contains("main") {
            links.programs.insert((*name).to_owned());
        }
        let beside: BTreeSet<&str> = included.iter().flat_map(|header| names.beside(header)).copied().collect();
        let mut needed = included;
        if !is_compiled(name) {
            needed.extend(names.beside(name));
        }
        for word in unit.uses.iter().filter(|word| !unit.defines.contains(*word) && !unit.own.contains(*word)) {
            let Some(files) = defined.get(word).filter(|files| files.len() <= MOST_MEANINGS) else { continue };
            // Several sources may define the same function, and only one belongs to the headers of this file.
            let near: Vec<&str> = files.iter().copied().filter(|file| file != name && beside.contains(file)).collect();
            needed.extend(if near.is_empty() { files } else { &near });
        }
        needed.remove(name);
        links.needs.insert((*name).to_owned(), needed.into_iter().map(str::to_owned).collect());
    }
    links
}

fn is_compiled(name: &str) -> bool {
    matches!(Language::of(name), Some(Language::C | Language::Cpp))
}

fn file(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn stem(name: &str) -> &str {
    file(name).rsplit_once('.').map_or(file(name), |(stem, _)| stem)
}

/// The files of a bot, by what an `#include` says of them.
struct Names<'n> {
    all: BTreeSet<&'n str>,
    of_file: BTreeMap<&'n str, Vec<&'n str>>,
    sources_of_stem: BTreeMap<&'n str, Vec<&'n str>>,
    sources_in_folder: BTreeMap<(&'n str, &'n str), Vec<&'n str>>,
}

impl<'n> Names<'n> {
    fn new(all: impl Iterator<Item = &'n str>) -> Self {
        let (mut of_file, mut sources_of_stem, mut sources_in_folder) =
            (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        let all: BTreeSet<&str> = all.collect();
        for name in all.iter().copied() {
            of_file.entry(file(name)).or_default().push(name);
            if is_compiled(name) {
                sources_of_stem.entry(stem(name)).or_default().push(name);
                sources_in_folder.entry((folder(name), stem(name))).or_default().push(name);
            }
        }
        Self { all, of_file, sources_of_stem, sources_in_folder }
    }

    /// Returns the files that a path in `#include` may mean.
    fn included(&self, path: &str, includer: &str) -> Vec<&'n str> {
        let bases = [folder(includer), "", "include", "src"];
        let direct =
            bases.iter().filter_map(|base| join(base, path)).find_map(|file| self.all.get(file.as_str()).copied());
        if let Some(direct) = direct {
            return vec![direct];
        }
        let path = path.rsplit("../").next().unwrap_or(path);
        let end = format!("/{path}");
        let of_file = self.of_file.get(file(path)).filter(|names| names.len() <= MOST_MEANINGS);
        of_file.into_iter().flatten().copied().filter(|name| name.ends_with(&end)).collect()
    }

    /// Returns the sources of a header: those with its name, in its folder or else anywhere.
    fn beside(&self, header: &'n str) -> &[&'n str] {
        let near = self.sources_in_folder.get(&(folder(header), stem(header)));
        let anywhere = || self.sources_of_stem.get(stem(header)).filter(|names| names.len() <= MOST_MEANINGS);
        near.or_else(anywhere).map_or(&[], Vec::as_slice)
    }
}

fn unit<'t>(tokens: &[Token<'t>]) -> Unit<'t> {
    let mut unit = Unit::default();
    // The tokens outside of all braces since the last `;` or `}`. A body in braces counts as one sign.
    let mut statement: Vec<Token<'t>> = Vec::new();
    let (mut depth, mut at) = (0_usize, 0);
    // For each `#if` the depth before it, and whether it is `#if 0`. Only one of its branches is compiled.
    let mut conditions: Vec<(usize, bool)> = Vec::new();
    while let Some(token) = tokens.get(at) {
        let starts_line = at == 0 || tokens[at - 1] == Token::Line;
        if starts_line && *token == Token::Sign('#') {
            let words;
            (at, words) = directive(tokens, at + 1, &mut unit);
            match words.first().copied().unwrap_or_default() {
                first if first.starts_with("if") => conditions.push((depth, words == ["if", "0"])),
                first if first.starts_with("el") => {
                    if let Some((before, never)) = conditions.last_mut() {
                        (depth, *never) = (*before, false);
                    }
                }
                "endif" => {
                    if let Some((before, true)) = conditions.pop() {
                        depth = before;
                    }
                }
                _ => {}
            }
            continue;
        }
        at += 1;
        match token {
            Token::Line => {}
            Token::Sign('{') if depth == 0 && is_transparent(&statement) => statement.clear(),
            Token::Sign('{') => {
                if depth == 0 {
                    define(&statement, true, &mut unit);
                    keep_type(&mut statement);
                    statement.push(Token::Sign('{'));
                }
                depth += 1;
            }
            Token::Sign('}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 && statement.last() != Some(&Token::Sign('{')) {
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
                if statement == [Token::Sign('{')] {
                    statement.clear();
                }
                statement.push(*token);
            }
            _ => {}
        }
    }
    unit
}

/// Shortens what stands before braces to what it says about the names behind them: `struct Planet {…} planets[9];`. A body of a
/// function leaves nothing.
fn keep_type(statement: &mut Vec<Token<'_>>) {
    const KEPT: &[&str] = &["typedef", "static", "extern"];
    let is_body = statement.iter().any(|token| matches!(token, Token::Sign('(' | '=')));
    let is_type = statement.iter().any(|token| matches!(token, Token::Word(word) if TYPES.contains(word)));
    let kept = KEPT.iter().map(|word| Token::Word(word)).filter(|word| statement.contains(word));
    let kept: Vec<Token<'_>> = kept.chain([Token::Word("struct")]).filter(|_| is_type && !is_body).collect();
    *statement = kept;
}

/// Reads a directive, which ends with its line. Returns where the next line begins, and the words of the directive.
fn directive<'t>(tokens: &[Token<'t>], from: usize, unit: &mut Unit<'t>) -> (usize, Vec<&'t str>) {
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
    (at, words)
}

/// Returns whether the braces after this begin no body: those of a namespace, or of `extern "C"`.
fn is_transparent(statement: &[Token<'_>]) -> bool {
    statement.contains(&Token::Word("namespace")) || matches!(statement, [.., Token::Word("extern"), Token::Text(_)])
}

/// Adds what a statement outside of all braces defines. `body` tells whether a brace follows it.
fn define<'t>(statement: &[Token<'t>], body: bool, unit: &mut Unit<'t>) {
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
    // A variable: `int board[9];`, `const int SIZE = 3, *ends;`, `Node *root = {`, `struct planet planets[9];`.
    let is_type = TYPES.iter().any(|word| has(word));
    if has("template")
        || has("friend")
        || (is_type && ((body && assigned.is_none()) || head.contains(&Token::Sign(':'))))
    {
        return;
    }
    defines.extend(variables(statement));
}

/// Returns the names of the variables in a statement, which are the last words before a `,`, a `[`, a `=` and its end.
fn variables<'t>(statement: &[Token<'t>]) -> Vec<&'t str> {
    let mut found = Vec::new();
    let (mut depth, mut angle, mut is_value) = (0_usize, 0_usize, false);
    for (at, token) in statement.iter().chain([&Token::Sign(';')]).enumerate() {
        if depth == 0
            && angle == 0
            && !is_value
            && matches!(token, Token::Sign(',' | '[' | '=' | ';'))
            && let [.., before, Token::Word(name)] = &statement[..at]
            && !matches!(before, Token::Word(word) if TYPES.contains(word))
        {
            found.push(*name);
        }
        match token {
            Token::Sign('(' | '[') => depth += 1,
            Token::Sign(')' | ']') => depth = depth.saturating_sub(1),
            // The types of a template: `map<int, int> owner;`.
            Token::Sign('<') if !is_value => angle += 1,
            Token::Sign('>') if !is_value => angle = angle.saturating_sub(1),
            Token::Sign('=') => is_value = true,
            Token::Sign(',') if depth == 0 && angle == 0 => is_value = false,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::tests::lines, *};

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

    #[test]
    fn every_variable_of_a_statement_is_seen() {
        let defined = |source: &str| {
            let tokens = tokens(source, Language::Cpp);
            let unit = unit(&tokens);
            let of = |words: &BTreeSet<&str>| words.iter().copied().collect::<Vec<_>>().join(" ");
            format!("{} | {}", of(&unit.defines), of(&unit.own))
        };
        for (source, expected) in [
            ("int w, h;", "h w | "),
            ("int a = 1, *b = f(1, 2), c[3][N], d;", "a b c d | "),
            ("static int a[] = { 1, 2 }, b;", "b | a"),
            ("struct planet planets[9], *home;", "home planets | "),
            ("struct { int x, y; } game, *last;", "game last | "),
            ("static struct point { int x; } a;", " | a"),
            ("typedef struct { int x; } point; struct line; enum class E : int; extern int w, h;", " | "),
            ("struct a { int x; };\nint f(void) { return 1; }\nint b;", "b f | "),
            ("std::map<int, std::pair<int, int>> owner, other = g<int, int>(1);", "other owner | "),
            ("std::atomic<int> counter{0};", "counter | "),
            ("int f(int a, int b);\nint (*g)(void);", " | "),
            // Only one branch is compiled.
            (
                "#ifdef X\nint g() {\n#elif Y\nint g(int x) {\n#else\nint g(void) {\n#endif\n return 1; }\nint f(void) {}",
                "f g | ",
            ),
            ("#if 0\nint g() {\n#endif\nint f(void) {}", "f g | "),
            ("int g() {\n#ifdef X\nif (a) {\n#endif\nb();\n#ifdef X\n}\n#endif\n}\nint f(void) {}", "f g | "),
        ] {
            assert_eq!(defined(source), expected, "{source}");
        }
    }
}
