//! What a source in C or C++ has for others, and uses of them.

use super::{
    act::{Act, has_value},
    condition::{Conditions, Truth},
    statement::{TYPES, is_old_function, operands, split_macro, variables, without_attributes},
};
use crate::sources::token::Token;
use std::collections::{BTreeSet, HashMap};

/// What one file has for others, and uses of them.
#[derive(Default)]
pub(super) struct Unit<'t> {
    pub includes: Vec<&'t str>,
    /// Functions, variables and classes that are defined outside of all braces.
    pub defines: BTreeSet<&'t str>,
    /// Functions and variables that only this file can use. They hide those of others.
    pub own: BTreeSet<&'t str>,
    /// Types, functions and macros of which other files may know from this one.
    pub declares: BTreeSet<&'t str>,
    /// Every name inside of braces, in the value of a variable, or in what stands between the parameters of a function and its
    /// body. What is only declared is no use.
    pub uses: BTreeSet<&'t str>,
    /// Whether it has a function `main` that is compiled.
    pub main: Truth,
    /// What it does before `main`.
    pub acts: Vec<Act<'t>>,
}

impl<'t> Unit<'t> {
    /// Reads a file. `elsewhere` tells which macros other files of the bot define.
    pub(super) fn read(tokens: &[Token<'t>], elsewhere: &dyn Fn(&str) -> bool) -> Self {
        let mut unit = Self::default();
        let mut conditions = Conditions::new(tokens, elsewhere);
        // The tokens outside of all braces since the last `;` or `}`. A body in braces counts as one sign.
        let mut statement: Vec<Token<'t>> = Vec::new();
        let (mut depth, mut at) = (0_usize, 0);
        // The variable whose value is a function without a name that has just ended. It is called if parentheses follow.
        let mut nameless: Option<Option<&'t str>> = None;
        while let Some(token) = tokens.get(at) {
            let starts_line = at == 0 || tokens[at - 1] == Token::Line;
            if starts_line && *token == Token::Sign('#') {
                let end = end_of_directive(tokens, at + 1);
                unit.directive(&tokens[at + 1..end]);
                let after = conditions.read(&tokens[at + 1..end], depth);
                if after == 0 && depth > 0 {
                    // What began in a branch that is not compiled does not end.
                    statement.clear();
                }
                depth = after;
                at = end;
                continue;
            }
            at += 1;
            match token {
                Token::Line => {}
                Token::Sign('{') if depth == 0 && is_transparent(&statement) => {
                    let names = statement.iter().filter_map(word).skip_while(|word| *word != "namespace").skip(1);
                    unit.declares.extend(names.filter(|name| *name != "std"));
                    statement.clear();
                }
                Token::Sign('{') => {
                    if depth == 0 {
                        nameless = begins_nameless(&statement);
                        unit.define(&statement, true, conditions.here());
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
                    match (nameless.take(), statement.first()) {
                        (Some(name), Some(Token::Sign('('))) => unit.acts.push(Act::called(name)),
                        _ => unit.define(&statement, false, conditions.here()),
                    }
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
        unit.count(tokens);
        unit
    }

    /// Finds the acts whose names occur nowhere else.
    fn count(&mut self, tokens: &[Token<'t>]) {
        let mut times: HashMap<&str, usize> = HashMap::new();
        if !self.acts.is_empty() {
            for token in tokens {
                if let Token::Word(word) = token {
                    *times.entry(word).or_default() += 1;
                }
            }
        }
        for act in &mut self.acts {
            act.is_unused = act.name.is_some_and(|name| times.get(name) == Some(&1));
        }
    }

    /// Adds what a directive includes or defines.
    fn directive(&mut self, line: &[Token<'t>]) {
        match line {
            [Token::Word("include"), Token::Text(path), ..] => self.includes.push(path),
            // A macro may call functions wherever it is used.
            [Token::Word("define"), rest @ ..] => {
                let mut words = rest.iter().filter_map(word);
                self.declares.extend(words.next());
                self.uses.extend(words);
            }
            _ => {}
        }
    }

    /// Adds what a statement outside of all braces defines and does. `body` tells whether a brace follows it, and `here` whether it is
    /// compiled.
    fn define(&mut self, statement: &[Token<'t>], body: bool, here: Truth) {
        let (statement, constructs) = without_attributes(statement);
        let mut statement = &statement[..];
        if let Some((before, rest)) = split_macro(statement) {
            self.act(before, false);
            statement = rest;
        }
        if constructs && body {
            self.acts.push(Act::constructor());
        }
        let has = |word: &str| statement.contains(&Token::Word(word));
        let assigned = statement.iter().position(|token| *token == Token::Sign('='));
        if statement.is_empty() || has("typedef") || has("using") {
            return;
        }
        if body && let Some(kind) = statement.iter().rposition(|token| is_type_word(token)) {
            self.declares.extend(statement[kind + 1..].iter().find_map(word));
        }
        if has("extern") && assigned.is_none() && !body {
            return;
        }
        // `int table = make();`, `Bot::Bot() : map(load()) {`.
        let parameters = statement.iter().position(|token| *token == Token::Sign(')')).filter(|_| body);
        let used = assigned.into_iter().chain(parameters).min().unwrap_or(statement.len());
        self.uses.extend(statement[used..].iter().filter_map(word));
        let operator = statement.iter().position(|token| *token == Token::Word("operator"));
        if let Some(operator) = operator.filter(|at| assigned.is_none_or(|assigned| *at < assigned)) {
            if body {
                let names = operands(statement, operator);
                if has("static") { self.own.extend(names) } else { self.defines.extend(names) }
            }
            return;
        }
        let head = &statement[..assigned.unwrap_or(statement.len())];
        if let Some(open) = head.iter().position(|token| *token == Token::Sign('(')) {
            // A function: `int play(…) {`. Of `Board::play(…) {` the class counts.
            let Some(Token::Word(name)) = open.checked_sub(1).and_then(|at| head.get(at)) else { return };
            let class = match head.get(..open.saturating_sub(1)) {
                Some([.., Token::Word(class), Token::Sign(':'), Token::Sign(':')]) => Some(*class),
                Some([.., Token::Word(class), Token::Sign(':'), Token::Sign(':'), Token::Sign('~')]) => Some(*class),
                _ => None,
            };
            let is_function = body || is_old_function(statement, open);
            let is_object = !is_function && open > 1 && has_value(&statement[open..], &[&self.defines, &self.own]);
            if is_function && *name == "main" && class.is_none() {
                self.main = self.main.max(here);
            }
            if !is_function {
                self.act(statement, false);
            }
            if is_function || is_object {
                if has("static") { &mut self.own } else { &mut self.defines }.insert(class.unwrap_or(name));
            }
            if !is_object && !has("static") {
                self.declares.insert(name);
            }
            return;
        }
        // A variable: `int board[9];`, `const int SIZE = 3, *ends;`, `Node *root = {`, `struct planet planets[9];`.
        let is_type = statement.iter().any(is_type_word);
        if has("template")
            || has("friend")
            || (is_type && ((body && assigned.is_none()) || head.contains(&Token::Sign(':'))))
        {
            return;
        }
        self.act(statement, body);
        if has("static") { &mut self.own } else { &mut self.defines }.extend(variables(statement));
    }

    fn act(&mut self, statement: &[Token<'t>], body: bool) {
        if let Some(act) = Act::of(statement, body, &[&self.defines, &self.own]) {
            self.uses.extend(act.words());
            self.acts.push(act);
        }
    }
}

fn word<'t>(token: &Token<'t>) -> Option<&'t str> {
    match token {
        Token::Word(word) => Some(*word),
        _ => None,
    }
}

/// Returns where the line of a directive ends. It goes on behind a `\`.
fn end_of_directive(tokens: &[Token<'_>], from: usize) -> usize {
    let goes_on = |at: usize| tokens[at - 1] == Token::Sign('\\');
    let ends = |at: &usize| tokens[*at] == Token::Line && !goes_on(*at);
    (from..tokens.len()).find(ends).unwrap_or(tokens.len())
}

fn is_type_word(token: &Token<'_>) -> bool {
    matches!(token, Token::Word(word) if TYPES.contains(word))
}

/// Returns the variable whose value is a function without a name, if its body follows: `bool done = [] {`.
fn begins_nameless<'t>(statement: &[Token<'t>]) -> Option<Option<&'t str>> {
    let assigned = statement.iter().position(|token| *token == Token::Sign('='))?;
    let begins = statement.get(assigned + 1) == Some(&Token::Sign('['));
    begins.then(|| variables(&statement[..assigned]).first().copied())
}

/// Shortens what stands before braces to what it says about the names behind them: `struct Planet {…} planets[9];`. A body of a
/// function leaves nothing.
fn keep_type(statement: &mut Vec<Token<'_>>) {
    const KEPT: &[&str] = &["typedef", "static", "extern"];
    let is_body = statement.iter().any(|token| matches!(token, Token::Sign('(' | '=')));
    let is_type = statement.iter().any(is_type_word);
    let kept = KEPT.iter().map(|word| Token::Word(word)).filter(|word| statement.contains(word));
    let kept: Vec<Token<'_>> = kept.chain([Token::Word("struct")]).filter(|_| is_type && !is_body).collect();
    *statement = kept;
}

/// Returns whether the braces after this begin no body: those of a namespace, or of `extern "C"`.
fn is_transparent(statement: &[Token<'_>]) -> bool {
    statement.contains(&Token::Word("namespace")) || matches!(statement, [.., Token::Word("extern"), Token::Text(_)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, sources::token::tokens};

    fn unit(source: &str) -> Unit<'_> {
        Unit::read(&tokens(source, Language::Cpp), &|_| false)
    }

    #[test]
    fn every_variable_of_a_statement_is_seen() {
        let defined = |source: &str| {
            let unit = unit(source);
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
            ("std::vector<int> dist(100);\nBoard board(w, 3), other(\"x\");\nint f(Board);", "board dist | "),
            ("std::mt19937 rng(time(0));\nint f(int (*g)(int), Board *b);\nvoid f(std::vector<int> v);", "rng | "),
            ("int w = 3;\nBoard board(w);\nBoard f(Board);", "board w | "),
            ("__attribute__((noinline)) int is_go(char *s) {\n return 1; }", "is_go | "),
            (
                "[[nodiscard]] int f() { return 1; }\nalignas(64) int cache[8];\n[[gnu::cold]] static int g() {}",
                "cache f | g",
            ),
            ("std::ostream &operator<<(std::ostream &out, const Board &b) { return out; }", "Board | "),
            ("Board &Board::operator=(const Board &other) { return *this; }", "Board | "),
            ("bool operator==(Point a, const Line *b) { return x; }\nint after;", "Line Point after | "),
            ("int big = 10'000;\nint f() { return 0x1'0000; }\nint g() { return 1; }", "big f g | "),
            ("const char *s = R\"x(}\"{ int no() {)x\";\nint f() { return 1; }", "f s | "),
            ("REGISTER(greedy, play)\nint play() { return 1; }", "play | "),
            ("int old(a)\nint a;\n{ return a; }\nint f(int) const;", "old | "),
            // Only one branch is compiled.
            (
                "#ifdef X\nint g() {\n#elif Y\nint g(int x) {\n#else\nint g(void) {\n#endif\n return 1; }\nint f(void) {}",
                "f g | ",
            ),
            ("#if 0\nint g() {\n#endif\nint f(void) {}", "f g | "),
            ("int g() {\n#ifdef X\nif (a) {\n#endif\nb();\n#ifdef X\n}\n#endif\n}\nint f(void) {}", "f g | "),
            ("int g() {\n#ifdef _WIN32\nif (a) {\n#endif\nb(); }\nint f(void) {}", "f g | "),
            ("int g() {\n#if 1\nif (a) {\n#else\nif (b) {{\n#endif\n} }\nint f(void) {}", "f g | "),
            ("int g() {\n#if A > 1\nif (a) {\n#else\nif (b) {\n#endif\n} }\nint f(void) {}", "f g | "),
            ("#ifdef X\nstruct a {\n#endif\nint f(void) {}\nint b;", "b f | "),
            ("struct {\n#ifdef X\nstruct {\n#endif\nint x;\n} a;", "a | "),
            ("int g() {\n#ifdef X\n#if 1\n{\n#endif\n{\n#endif\n}\nint f(void) {}", "f g | "),
        ] {
            assert_eq!(defined(source), expected, "{source}");
        }
    }

    #[test]
    fn what_acts_before_main_is_seen() {
        for (source, expected) in [
            ("static Registers greedy(\"greedy\", play);", true),
            ("Registers greedy{\"greedy\", play};", true),
            ("static bool done = add(\"greedy\");", true),
            ("static const bool done = [] { add(); return true; }();", true),
            ("static Registrar<Greedy> registrar;", true),
            ("REGISTER_BOT(greedy, play);", true),
            ("REGISTER_BOT(greedy, play)\nint f() { return 1; }", true),
            ("__attribute__((constructor)) static void add(void) { go(); }", true),
            ("[[gnu::constructor]] void add() { go(); }", true),
            ("int f(Registers a, int b);\nvoid go();\nint table[] = { 1, 2 };\nint w = 3, h;", false),
            ("const double PI = acos(-1);\ndouble f() { return PI; }", false),
            ("auto less = [](int a, int b) { return a < b; };", false),
            ("std::vector<int> dist(100);\nvoid f() { dist[0] = 1; }", false),
            ("std::vector<int> all;\nstruct point { int x; } a;", false),
            ("void f() { static Registers greedy(\"greedy\", play); }", false),
            ("OTHER_MACRO(x);", false),
            ("std::mt19937 rng(std::chrono::clock::add().add());\nint f() { return rng(); }", false),
            ("bool done = bots::add(\"greedy\");\nbool f() { return done; }", true),
        ] {
            let unit = unit(source);
            let is_of_bot = |word: &str| ["Registers", "Registrar", "add", "bots", "REGISTER_BOT"].contains(&word);
            assert_eq!(unit.acts.iter().any(|act| act.is_sure(true, &is_of_bot, &is_of_bot)), expected, "{source}");
        }
    }

    #[test]
    fn a_main_that_is_compiled_is_told_from_others() {
        for (source, expected) in [
            ("int main() {}", Truth::Always),
            ("int\nmain ( void )\n{", Truth::Always),
            ("auto main(int argc, char** argv) -> int {", Truth::Always),
            ("/* int */ static const char *s = \"//\"; int main(){}", Truth::Always),
            ("int x = 'a'; signed main(){", Truth::Always),
            ("#define C '\"'\nint main() {", Truth::Always),
            ("int main(argc, argv) int argc; char **argv; {", Truth::Always),
            ("extern \"C\" int main() {", Truth::Always),
            ("#ifdef TEST\nint main() {}\n#endif", Truth::Never),
            ("#ifndef TEST\nint main() {}\n#endif", Truth::Always),
            ("#if LEVEL > 3\nint main() {}\n#endif", Truth::Perhaps),
            ("// int main() {}\n/* int main() {} */", Truth::Never),
            ("const char* s = \"int main() {}\";", Truth::Never),
            ("int main(void);\nint main;\nint domain() {}\nint main_loop() {}", Truth::Never),
            ("class A { void main() {} };\nvoid run() { other.main(); }\nvoid A::main() {}", Truth::Never),
            ("/* never closed int main() {", Truth::Never),
        ] {
            assert_eq!(unit(source).main, expected, "{source}");
        }
    }

    /// What no compiler would read needs neither the time of its length squared nor a deep stack, and spoils nothing around it.
    #[test]
    fn statements_without_an_end_are_read_to_their_end() {
        const MANY: usize = 100_000;
        for (piece, expected) in [
            ("[[", "last main"),
            ("asm(", "last main"),
            ("a(", "last main"),
            ("A(b) c ", "A last main"),
            ("#if A\n", "last main"),
            ("operator", "last main"),
            ("x = y(", "last main"),
            ("{", "main"),
        ] {
            let source = format!("int main() {{}}\n{}; int last;", piece.repeat(MANY));
            let unit = unit(&source);
            assert_eq!(unit.main, Truth::Always, "{piece}");
            assert_eq!(unit.defines.iter().copied().collect::<Vec<_>>().join(" "), expected, "{piece}");
        }
        let source = format!("#if {}TEST\nint main() {{}}\n#endif", "!".repeat(MANY));
        assert_eq!(unit(&source).main, Truth::Never);
    }
}
