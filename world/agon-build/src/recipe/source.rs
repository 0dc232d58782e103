//! Finds a function by its name in sources in Java and C#.

/// Returns whether a source defines a function `main`: the word follows a type and is followed by a parenthesis,
/// outside comments and strings. A macro can mislead this guess. The author can then set `main` in `agon.toml`.
pub(super) fn defines_main(source: &[u8]) -> bool {
    defines(source, "main")
}

/// Returns whether a source defines a function of this name, which has four letters.
pub(super) fn defines(source: &[u8], name: &str) -> bool {
    let text = without_comments(source);
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    text.windows(4).enumerate().any(|(at, word)| {
        if word != name.as_bytes() {
            return false;
        }
        let before = text[..at].trim_ascii_end();
        let after = text[at + 4..].trim_ascii_start();
        let spaced = before.len() < at;
        // `int main(`, `auto main(`, `void main(`: there are a type and a space before the name.
        spaced
            && before.last().is_some_and(|b| is_word(*b))
            && !before.ends_with(b"return")
            && after.first() == Some(&b'(')
    })
}

/// Replaces each comment, string and character literal with a space.
fn without_comments(source: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.first() {
        let length = match (first, rest.get(1)) {
            (b'/', Some(b'/')) => rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()),
            (b'/', Some(b'*')) => rest[2..].windows(2).position(|w| w == b"*/").map_or(rest.len(), |at| at + 4),
            (quote @ (b'"' | b'\''), _) => {
                let mut at = 1;
                while at < rest.len() && rest[at] != *quote && rest[at] != b'\n' {
                    at += if rest[at] == b'\\' { 2 } else { 1 };
                }
                (at + 1).min(rest.len())
            }
            _ => {
                out.push(*first);
                rest = &rest[1..];
                continue;
            }
        };
        out.push(b' ');
        rest = &rest[length..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_main_is_told_from_what_only_looks_like_one() {
        for yes in [
            "int main() {}",
            "int\nmain ( void )",
            "auto main(int argc, char** argv) -> int",
            "/* int */ static const char *s = \"//\"; int main(){}",
            "int x = 'a'; signed main(){",
            "public static void main(String[] args) {",
            "#define C '\"'\nint main()",
        ] {
            assert!(defines_main(yes.as_bytes()), "{yes}");
        }
        for no in [
            "// int main()",
            "/* int main() */",
            "const char* s = \"int main()\";",
            "int domain() {}",
            "int main_loop() {}",
            "return main();",
            "x = main(1);",
            "int main;",
            "/* never closed int main()",
            "\"int main()",
            "class A { // static void main()",
            "void run() { other.main(); }",
            "'",
            "\"\\",
        ] {
            assert!(!defines_main(no.as_bytes()), "{no}");
        }
    }
}
