//! `#if` and its kin: whether the compiler sees what stands in them. Agon's own commands define no macros.

use super::expression::truth;
use crate::sources::token::Token;
use std::collections::BTreeSet;

/// Whether a condition holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum Truth {
    #[default]
    Never,
    /// Nothing here tells.
    Perhaps,
    Always,
}

impl Truth {
    pub(super) fn not(self) -> Self {
        match self {
            Self::Never => Self::Always,
            Self::Perhaps => Self::Perhaps,
            Self::Always => Self::Never,
        }
    }
}

/// An `#if` that is open.
struct Branch {
    /// Whether its present branch is compiled.
    now: Truth,
    /// Whether one of its branches up to this one is.
    before: Truth,
    /// Whether the whole of it is.
    around: Truth,
    /// How many braces are open where it begins.
    depth: usize,
    /// How many are open at the end of its last branch that may be compiled.
    depth_after: usize,
}

impl Branch {
    fn here(&self) -> Truth {
        self.now.min(self.around)
    }

    /// Ends a branch, in which so many braces are open.
    fn end(&mut self, depth: usize) {
        if self.here() != Truth::Never {
            self.depth_after = depth;
        }
    }
}

/// The conditions around a place in a file.
pub(super) struct Conditions<'a, 't> {
    open: Vec<Branch>,
    /// The macros that were defined so far.
    defined: BTreeSet<&'t str>,
    /// Those of them that only perhaps are.
    doubtful: BTreeSet<&'t str>,
    /// The macros that this file defines anywhere.
    own: BTreeSet<&'t str>,
    /// Whether another file of the bot defines a macro of this name.
    elsewhere: &'a dyn Fn(&str) -> bool,
}

impl<'a, 't> Conditions<'a, 't> {
    pub(super) fn new(tokens: &[Token<'t>], elsewhere: &'a dyn Fn(&str) -> bool) -> Self {
        let (defined, doubtful, own) = (BTreeSet::new(), BTreeSet::new(), macros(tokens));
        Self { open: Vec::new(), defined, doubtful, own, elsewhere }
    }

    /// Returns whether what stands here is compiled.
    pub(super) fn here(&self) -> Truth {
        self.open.last().map_or(Truth::Always, Branch::here)
    }

    /// Reads a directive, without its `#`, at which `depth` braces are open. Returns how many are open behind it: what is not
    /// compiled opens and closes none.
    pub(super) fn read(&mut self, line: &[Token<'t>], depth: usize) -> usize {
        let Some((Token::Word(word), rest)) = line.split_first() else { return depth };
        match *word {
            "if" => self.begin(truth(rest, &|name| self.is_defined(name)), depth),
            "ifdef" => self.begin(self.first(rest), depth),
            "ifndef" => self.begin(self.first(rest).not(), depth),
            "elif" => self.go_on(truth(rest, &|name| self.is_defined(name)), depth),
            "elifdef" => self.go_on(self.first(rest), depth),
            "elifndef" => self.go_on(self.first(rest).not(), depth),
            "else" => self.go_on(Truth::Always, depth),
            "endif" => {
                let Some(mut branch) = self.open.pop() else { return depth };
                branch.end(depth);
                branch.depth_after
            }
            "define" | "undef" => {
                self.define(*word == "define", rest);
                depth
            }
            _ => depth,
        }
    }

    fn define(&mut self, is_defined: bool, rest: &[Token<'t>]) {
        let Some(Token::Word(name)) = rest.first() else { return };
        match (is_defined, self.here()) {
            (_, Truth::Never) => {}
            (true, Truth::Always) => drop(self.defined.insert(name)),
            (false, Truth::Always) => drop((self.defined.remove(name), self.doubtful.remove(name))),
            (_, Truth::Perhaps) => drop(self.doubtful.insert(name)),
        }
    }

    fn begin(&mut self, truth: Truth, depth: usize) -> usize {
        let around = self.here();
        self.open.push(Branch { now: truth, before: truth, around, depth, depth_after: depth });
        depth
    }

    fn go_on(&mut self, truth: Truth, depth: usize) -> usize {
        let Some(branch) = self.open.last_mut() else { return depth };
        branch.end(depth);
        branch.now = truth.min(branch.before.not());
        branch.before = truth.max(branch.before);
        branch.depth
    }

    fn first(&self, rest: &[Token<'t>]) -> Truth {
        match rest.first() {
            Some(Token::Word(name)) => self.is_defined(name),
            _ => Truth::Perhaps,
        }
    }

    fn is_defined(&self, name: &str) -> Truth {
        const OF_LINUX: &[&str] = &["__linux__", "__linux", "__unix__", "__unix", "__GNUC__", "linux", "unix"];
        const OF_OTHERS: &[&str] = &["_WIN32", "_WIN64", "__CYGWIN__", "__APPLE__", "_MSC_VER"];
        if self.doubtful.contains(name) {
            Truth::Perhaps
        } else if self.defined.contains(name) || OF_LINUX.contains(&name) {
            Truth::Always
        } else if OF_OTHERS.contains(&name) {
            Truth::Never
        } else if (self.elsewhere)(name) || (name.starts_with('_') && !self.own.contains(name)) {
            // The compiler defines many with such a name, but not the guard of this file.
            Truth::Perhaps
        } else {
            Truth::Never
        }
    }
}

/// Returns the macros that a source defines.
pub(super) fn macros<'t>(tokens: &[Token<'t>]) -> BTreeSet<&'t str> {
    let names = tokens.windows(3).filter_map(|three| match three {
        [Token::Sign('#'), Token::Word("define"), Token::Word(name)] => Some(*name),
        _ => None,
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, sources::token::tokens};

    #[test]
    fn what_is_compiled_is_told() {
        for (source, expected) in [
            ("", Truth::Always),
            ("#ifdef TEST", Truth::Never),
            ("#ifndef TEST", Truth::Always),
            ("#if 0\n#else", Truth::Always),
            ("#if A\n#elif 1\n#else", Truth::Never),
            ("#if A > 1\n#else", Truth::Perhaps),
            ("#if A > 1\n#elif 1\n#else", Truth::Never),
            ("#define TEST\n#ifdef TEST", Truth::Always),
            ("#define TEST 0\n#if TEST", Truth::Perhaps),
            ("#define TEST\n#undef TEST\n#ifdef TEST", Truth::Never),
            ("#if A > 1\n#define TEST\n#endif\n#ifdef TEST", Truth::Perhaps),
            ("#ifdef TEST\n#define B\n#endif\n#ifdef B", Truth::Never),
            ("#ifdef __linux__", Truth::Always),
            ("#ifdef _WIN32", Truth::Never),
            ("#ifdef __AVX2__", Truth::Perhaps),
            ("#ifdef SHARED", Truth::Perhaps),
            ("#ifndef _BOT_C\n#define _BOT_C", Truth::Always),
            ("#ifdef TEST\n#endif\n#endif", Truth::Always),
            ("#ifdef TEST\n#if 1", Truth::Never),
        ] {
            assert_eq!(read(source).0, expected, "{source}");
        }
    }

    #[test]
    fn braces_of_what_is_not_compiled_do_not_count() {
        for (source, expected) in [
            ("{\n#ifdef TEST\n{{\n#endif", 1),
            ("{\n#ifdef TEST\n}\n#endif", 1),
            ("#ifndef TEST\n{\n#else\n{{\n#endif", 1),
            ("#ifdef TEST\n{{\n#else\n{\n#endif", 1),
            ("#ifdef TEST\n{{\n#elif 1\n{\n#else\n{{{\n#endif", 1),
            // Of two that may be compiled the last counts.
            ("#if A > 1\n{\n#else\n{\n#endif", 1),
            ("#if A > 1\n{\n#else\n{{\n#endif", 2),
            ("#if 1\n{\n#if 0\n{\n#endif\n#endif", 1),
            ("#if 0\n{\n#if 1\n{\n#endif\n#endif", 0),
            ("{\n#define A\n#endif\n#else", 1),
        ] {
            assert_eq!(read(source).1, expected, "{source}");
        }
    }

    /// Reads directives and lines of braces. Returns whether what follows is compiled, and how many braces are open.
    fn read(source: &str) -> (Truth, usize) {
        let tokens = tokens(source, Language::Cpp);
        let mut conditions = Conditions::new(&tokens, &|word| word == "SHARED");
        let mut depth = 0;
        for line in tokens.split(|token| *token == Token::Line) {
            let count = |brace: char| line.iter().filter(|token| **token == Token::Sign(brace)).count();
            depth = match line {
                [Token::Sign('#'), directive @ ..] => conditions.read(directive, depth),
                _ => depth + count('{') - count('}'),
            };
        }
        (conditions.here(), depth)
    }
}
