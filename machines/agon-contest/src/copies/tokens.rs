//! Sources of any language as tokens, without what is changed first in a copy: names, numbers, texts, comments and the layout.

use std::{iter::Peekable, str::Chars};

/// Words that stay themselves: those of the languages in which most bots are written. Any other word is a name.
const KEYWORDS: &[&str] = &[
    "and",
    "as",
    "async",
    "auto",
    "await",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "def",
    "default",
    "delete",
    "do",
    "double",
    "elif",
    "else",
    "enum",
    "except",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "fn",
    "for",
    "from",
    "func",
    "function",
    "if",
    "impl",
    "import",
    "in",
    "int",
    "interface",
    "is",
    "lambda",
    "let",
    "long",
    "loop",
    "match",
    "mut",
    "namespace",
    "new",
    "nil",
    "not",
    "null",
    "or",
    "package",
    "pass",
    "private",
    "pub",
    "public",
    "raise",
    "range",
    "return",
    "self",
    "static",
    "string",
    "struct",
    "super",
    "switch",
    "template",
    "then",
    "this",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "union",
    "unsigned",
    "use",
    "using",
    "var",
    "vector",
    "void",
    "where",
    "while",
    "with",
    "yield",
];

/// The tokens of names, numbers and texts. The others are made of their letters.
const NAME: u64 = 1;
const NUMBER: u64 = 2;
const TEXT: u64 = 3;

/// The longest text in quotes on one line, in characters. What is longer is no text but a single quote.
const LONGEST: usize = 400;

/// Returns whether a word stays itself.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

/// The tokens of a text, as numbers.
pub(super) struct Tokens<'a> {
    rest: Peekable<Chars<'a>>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.chars().peekable() }
    }

    /// Leaves out the rest of the line.
    fn skip_line(&mut self) {
        while self.rest.next_if(|c| *c != '\n').is_some() {}
    }

    /// Leaves out everything until after this end, or until the end of the text.
    fn skip_past(&mut self, end: &str) {
        let end: Vec<char> = end.chars().collect();
        let mut seen = Vec::with_capacity(end.len());
        for c in self.rest.by_ref() {
            if seen.len() == end.len() {
                seen.remove(0);
            }
            seen.push(c);
            if seen == end {
                return;
            }
        }
    }

    /// Reads the word that begins with `first`.
    fn word(&mut self, first: char) -> u64 {
        let mut word = String::from(first);
        while let Some(c) = self.rest.next_if(|c| c.is_alphanumeric() || *c == '_') {
            word.push(c);
        }
        if first.is_numeric() {
            NUMBER
        } else if is_keyword(&word) {
            word.bytes().fold(0x100, |hash: u64, byte| hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte))
        } else {
            NAME
        }
    }

    /// Leaves out a text that begins with this quote. Returns whether it was one.
    fn skip_text(&mut self, quote: char) -> bool {
        let mut ahead = self.rest.clone();
        if ahead.next() == Some(quote) && ahead.next() == Some(quote) {
            self.rest = ahead;
            self.skip_past(&String::from(quote).repeat(3));
            return true;
        }
        let mut ahead = self.rest.clone();
        for _ in 0..LONGEST {
            match ahead.next() {
                Some('\\') => drop(ahead.next()),
                Some(c) if c == quote => {
                    self.rest = ahead;
                    return true;
                }
                None | Some('\n') => return false,
                Some(_) => {}
            }
        }
        false
    }
}

impl Iterator for Tokens<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        loop {
            let c = self.rest.next()?;
            match (c, self.rest.peek().copied()) {
                (c, _) if c.is_whitespace() => {}
                ('/', Some('/')) | ('#', _) => self.skip_line(),
                ('/', Some('*')) => {
                    self.rest.next();
                    self.skip_past("*/");
                }
                ('"' | '\'' | '`', _) if self.skip_text(c) => return Some(TEXT),
                (c, _) if c.is_alphanumeric() || c == '_' => return Some(self.word(c)),
                (c, _) => return Some(0x1_0000_0000 | u64::from(u32::from(c))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<u64> {
        Tokens::new(text).collect()
    }

    #[test]
    fn the_keywords_are_in_order() {
        assert!(KEYWORDS.is_sorted_by(|one, other| one < other));
    }

    #[test]
    fn what_a_copy_changes_first_does_not_count() {
        let own = tokens("for i in range(10): # each\n    send(\"go\", i)\n");
        for copy in [
            "for planet in range(250):\n\tanswer('stop', planet)",
            "for\ni\nin range ( 0x1f ) : order('''a\nb''', _x1)",
            "/* mine */ for a in range(1): // mine\nb(`c`, d)",
        ] {
            assert_eq!(tokens(copy), own, "{copy}");
        }
        for other in ["while i in range(10): send(\"go\", i)", "for i in range(10): send(i, \"go\")"] {
            assert_ne!(tokens(other), own, "{other}");
        }
    }

    #[test]
    fn a_quote_that_is_none_is_a_sign() {
        assert_eq!(tokens("&'a str").len(), 4);
        assert_eq!(tokens("'a' + \"b\\\"c\""), [TEXT, tokens("+")[0], TEXT]);
        assert_eq!(tokens("\"open\nnext"), [tokens("\"")[0], NAME, NAME]);
        assert_eq!(tokens("/* open"), [0; 0]);
    }
}
