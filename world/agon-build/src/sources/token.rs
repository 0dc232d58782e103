//! Splits source files into tokens, as far as their relations need it.

use super::ocaml::lexer::{Part, parts};
use crate::Language;

/// A token of a source file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'t> {
    /// A name, a keyword or a number.
    Word(&'t str),
    /// The inside of a string, as it is written.
    Text(&'t str),
    /// Any other character.
    Sign(char),
    /// The end of a line.
    Line,
}

/// How a language writes comments and strings. OCaml has its own lexer.
struct Style {
    /// What begins a comment until the end of the line.
    line: &'static str,
    /// What encloses other comments.
    block: Option<(&'static str, &'static str)>,
    /// What encloses strings. Those of more than one line come first.
    quotes: &'static [(&'static str, bool)],
}

fn style(language: Language) -> Style {
    match language {
        Language::Python => {
            Style { line: "#", block: None, quotes: &[("\"\"\"", true), ("'''", true), ("\"", false), ("'", false)] }
        }
        // A quotation mark may stand in a name here.
        Language::Haskell => Style { line: "--", block: Some(("{-", "-}")), quotes: &[("\"", false)] },
        Language::JavaScript | Language::TypeScript | Language::Go => {
            Style { line: "//", block: Some(("/*", "*/")), quotes: &[("`", true), ("\"", false), ("'", false)] }
        }
        Language::Rust => Style { line: "//", block: Some(("/*", "*/")), quotes: &[("\"", true)] },
        _ => Style { line: "//", block: Some(("/*", "*/")), quotes: &[("\"", false), ("'", false)] },
    }
}

/// Splits a source into tokens. Comments are left out.
pub(super) fn tokens(source: &str, language: Language) -> Vec<Token<'_>> {
    if language == Language::OCaml {
        return parts(source).filter_map(token_of_ocaml).collect();
    }
    let style = style(language);
    let is_c = matches!(language, Language::C | Language::Cpp);
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with(style.line) {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some((open, close)) = style.block.filter(|(open, _)| rest.starts_with(open)) {
            rest[open.len()..].find(close).map_or(rest.len(), |at| open.len() + at + close.len())
        } else if let Some((quote, many)) = style.quotes.iter().find(|(quote, _)| rest.starts_with(quote)) {
            let end = end_of_text(&rest[quote.len()..], quote, *many);
            found.push(Token::Text(&rest[quote.len()..quote.len() + end]));
            (quote.len() + end + quote.len()).min(rest.len())
        } else if is_of_word(first) {
            let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
            let end = if is_c && first.is_ascii_digit() { end_of_number(rest, end) } else { end };
            let is_raw = is_c && ["R", "LR", "uR", "UR", "u8R"].contains(&&rest[..end]);
            match raw_mark(&rest[end..]).filter(|_| is_raw) {
                Some(mark) => {
                    let inside = &rest[end + mark.len() + 2..];
                    let to = inside.find(&format!("){mark}\""));
                    found.push(Token::Text(&inside[..to.unwrap_or(inside.len())]));
                    to.map_or(rest.len(), |to| end + to + 2 * (mark.len() + 2))
                }
                None => {
                    found.push(Token::Word(&rest[..end]));
                    end
                }
            }
        } else {
            if first == '\n' {
                found.push(Token::Line);
            } else if !first.is_whitespace() {
                found.push(Token::Sign(first));
            }
            first.len_utf8()
        };
        // A string that its line ends has no closing mark, which may cut a character.
        let length = (length..=rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        rest = &rest[length..];
    }
    found
}

fn token_of_ocaml(part: Part<'_>) -> Option<Token<'_>> {
    match part {
        Part::Text(text) => Some(Token::Text(text)),
        Part::Word(word) => Some(Token::Word(word)),
        Part::Sign('\n') => Some(Token::Line),
        Part::Sign(sign) if !sign.is_whitespace() => Some(Token::Sign(sign)),
        Part::Comment | Part::Sign(_) => None,
    }
}

/// Returns where a string ends: at its closing mark, or at the end of the line if it has only one.
fn end_of_text(text: &str, quote: &str, many: bool) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if !escaped && (text[at..].starts_with(quote) || (c == '\n' && !many)) {
            return at;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// Returns where a number in C++ ends, of which the first part ends at `end`: that of `10'000` goes on behind the mark.
fn end_of_number(text: &str, mut end: usize) -> usize {
    while let Some(more) =
        text[end..].strip_prefix('\'').filter(|more| more.starts_with(|c: char| c.is_ascii_hexdigit()))
    {
        end = text.len() - more.len() + more.find(|c| !is_of_word(c)).unwrap_or(more.len());
    }
    end
}

/// Returns the mark of a raw string in C++ that begins here, which its end repeats: `x` of `"x(…)x"`.
fn raw_mark(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('"')?;
    // Longer ones are not allowed.
    let (at, found) = inside.char_indices().take(17).find(|(_, c)| c.is_whitespace() || "()\\\"".contains(*c))?;
    (found == '(').then(|| &inside[..at])
}

pub(super) fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_left_out_and_strings_kept_apart() {
        use Token::*;
        assert_eq!(tokens("import a # b\n'c'", Language::Python), [Word("import"), Word("a"), Line, Text("c")]);
        assert_eq!(tokens("\"\"\"x\nimport y\"\"\"z", Language::Python), [Text("x\nimport y"), Word("z")]);
        assert_eq!(tokens("/* a */ b // c\n\"d\\\"e\"", Language::Cpp), [Word("b"), Line, Text("d\\\"e")]);
        assert_eq!(tokens("`a\nb`+c", Language::JavaScript), [Text("a\nb"), Sign('+'), Word("c")]);
        assert_eq!(
            tokens("(* x (* *) y *) Part.go' '\"' {|\"|}", Language::OCaml),
            [Word("Part"), Sign('.'), Word("go'"), Text("\""), Text("\"")]
        );
        assert_eq!(tokens("1'000'0u;'a'", Language::Cpp), [Word("1'000'0u"), Sign(';'), Text("a")]);
        assert_eq!(tokens("R\"x(a\n)\" b)x\" c", Language::Cpp), [Text("a\n)\" b"), Word("c")]);
        assert_eq!(tokens("R\"(never\nx", Language::Cpp), [Text("never\nx")]);
        for broken in ["R\"é", "R\"(é", "1'", "1'é", "'é", "\"never", "/* never", "'\\", "\"é\nx"] {
            for language in [Language::Python, Language::Cpp, Language::OCaml, Language::Haskell] {
                tokens(broken, language);
            }
        }
    }
}
