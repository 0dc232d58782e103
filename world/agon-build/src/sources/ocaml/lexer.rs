//! Comments, literals and names of OCaml. Comments may be nested, and hold literals that are read as those outside of them.

use crate::sources::token::is_of_word;

/// A part of a source file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::sources) enum Part<'t> {
    Comment,
    /// The inside of a string or a character, as it is written.
    Text(&'t str),
    /// A name, a keyword or a number.
    Word(&'t str),
    /// Any other character, also a blank.
    Sign(char),
}

/// Splits a source into its parts.
pub(in crate::sources) fn parts(source: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = source;
    std::iter::from_fn(move || {
        let (part, length) = part(rest)?;
        rest = &rest[length..];
        Some(part)
    })
}

/// Returns the part at the beginning of a text, and its length in bytes. `None` at the end.
fn part(text: &str) -> Option<(Part<'_>, usize)> {
    if text.starts_with("(*") {
        return Some((Part::Comment, length_of_comment(text)));
    }
    without_comment(text)
}

fn without_comment(text: &str) -> Option<(Part<'_>, usize)> {
    let sign = || text.chars().next().map(|first| (Part::Sign(first), first.len_utf8()));
    literal(text).or_else(|| word(text)).or_else(sign)
}

/// Returns the length of the comment at the beginning of a text. One without an end takes the rest.
fn length_of_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some((_, length)) = without_comment(&text[at..]) {
        let rest = &text[at..];
        at += if rest.starts_with("(*") {
            depth += 1;
            2
        } else if rest.starts_with("*)") {
            depth -= 1;
            2
        } else {
            length
        };
        if depth == 0 {
            break;
        }
    }
    at
}

fn literal(text: &str) -> Option<(Part<'_>, usize)> {
    match text.as_bytes().first()? {
        b'"' => {
            let inside = &text[1..];
            let mut escaped = false;
            let end = inside.find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            Some(enclosed(inside, end, 1, 1))
        }
        b'{' => {
            let mark_length = text[1..].find(|c: char| !(c.is_ascii_lowercase() || c == '_'))?;
            let (mark, rest) = text[1..].split_at(mark_length);
            let inside = rest.strip_prefix('|')?;
            Some(enclosed(inside, inside.find(&format!("|{mark}}}")), mark_length + 2, mark_length + 2))
        }
        b'\'' => {
            let inside = &text[1..];
            let mut letters = inside.chars();
            // What is no character begins the name of a type: `'a list`.
            let length = match letters.next()? {
                '\'' => return None,
                '\\' => 1 + length_of_escape(&inside[1..])?,
                letter => letter.len_utf8(),
            };
            inside[length..].starts_with('\'').then(|| (Part::Text(&inside[..length]), length + 2))
        }
        _ => None,
    }
}

/// Returns the text until `end`, and its length with its marks. Without an end it takes the rest.
fn enclosed(inside: &str, end: Option<usize>, opens: usize, closes: usize) -> (Part<'_>, usize) {
    match end {
        Some(end) => (Part::Text(&inside[..end]), opens + end + closes),
        None => (Part::Text(inside), opens + inside.len()),
    }
}

/// Returns the length of what follows the `\` of a character: `n`, `065`, `x41`, `o101`.
fn length_of_escape(text: &str) -> Option<usize> {
    let length = match text.as_bytes().first()? {
        b'0'..=b'9' | b'x' => 3,
        b'o' => 4,
        _ => 1,
    };
    text.get(..length).filter(|escape| escape.is_ascii()).map(str::len)
}

/// Returns the word at the beginning of a text. A `'` in or behind a name belongs to it.
fn word(text: &str) -> Option<(Part<'_>, usize)> {
    text.starts_with(is_of_word).then(|| {
        let length = text.find(|c| !is_of_word(c) && c != '\'').unwrap_or(text.len());
        (Part::Word(&text[..length]), length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_where_the_compiler_ends_it() {
        for (text, expected) in [
            ("(* a (* b *) c *) d", "(* a (* b *) c *)"),
            ("(* \"*)\" *) d", "(* \"*)\" *)"),
            ("(* '\"' *) d", "(* '\"' *)"),
            ("(* '\\\"' *) d", "(* '\\\"' *)"),
            ("(* {|*)|} {a|*)|b}|a} *) d", "(* {|*)|} {a|*)|b}|a} *)"),
            ("(* don't f' '\"' *) d", "(* don't f' '\"' *)"),
            ("\"a\\\"b\\\\\" c", "\"a\\\"b\\\\\""),
            ("'\"' \"", "'\"'"),
            ("'\\\"' \"", "'\\\"'"),
            ("'\\''", "'\\''"),
            ("'\\065' '\\x41'", "'\\065'"),
            ("'\\o101' '", "'\\o101'"),
            ("{|\"|} \"", "{|\"|}"),
            ("{sql|a|} |b} |sql} c", "{sql|a|} |b} |sql}"),
            ("x' '\"'", "x'"),
            // Names of types, records, and what never ends.
            ("'a list", "'"),
            ("{a = 1}", "{"),
            ("{ a | b }", "{"),
            ("'", "'"),
            ("'\\", "'"),
            ("'\\x", "'"),
            ("'\\xé'", "'"),
            ("(*", "(*"),
            ("(* \" é", "(* \" é"),
            ("\"\\", "\"\\"),
            ("{|é", "{|é"),
            ("{é", "{"),
            ("", ""),
        ] {
            assert_eq!(&text[..part(text).map_or(0, |(_, length)| length)], expected, "{text}");
        }
    }

    #[test]
    fn literals_have_their_inside() {
        for (text, inside) in
            [("\"a\"", "a"), ("'é'", "é"), ("{x|a|x}", "a"), ("\"never", "never"), ("{|never", "never")]
        {
            assert_eq!(part(text).map(|(part, _)| part), Some(Part::Text(inside)), "{text}");
        }
    }
}
