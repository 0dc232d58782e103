//! Makes text from bots and files harmless before it reaches a terminal.

pub use agon_core::text::cut;
/// Every name of a bot, every line that a bot writes and every piece of its stderr passes through here.
pub use agon_core::text::{clean, clean_json};

/// Does the same as [`clean`], but keeps line ends. It is for blocks of stderr.
#[must_use]
pub fn clean_lines(text: &str) -> String {
    text.lines().map(|line| clean(line) + "\n").collect()
}

/// Returns a path as one word of a command that can be copied into a shell.
#[must_use]
pub fn shell_word(path: &std::path::Path) -> String {
    let text = clean(&path.display().to_string());
    let text = if text.starts_with('-') { format!("./{text}") } else { text };
    shlex::try_quote(&text).map_or_else(|_| text.clone(), std::borrow::Cow::into_owned)
}

/// Returns `bytes` as a string literal of most languages shows them. Everything but printable ASCII and valid UTF-8 is
/// escaped, so every byte can be recognised.
#[must_use]
pub fn escape_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let escaped = if c == '\\' { "\\\\".to_owned() } else { clean(c.encode_utf8(&mut [0; 4])) };
            out.push_str(&escaped);
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out
}

/// Returns any bytes as text for JSON. Each byte becomes one character (Latin-1), so no byte is lost and ASCII stays
/// readable.
#[must_use]
pub fn one_char_a_byte(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::text::is_hidden;

    #[test]
    fn nothing_that_moves_the_cursor_is_left() {
        assert_eq!(clean("\x1b[2Jgone\x07\u{9b}31m"), "\\x1b[2Jgone\\x07\\x9b31m");
        assert_eq!(clean("a\r\nb\tc"), "a\\r\\nb\\tc");
        assert_eq!(clean("ok\u{202e}ko\u{200b}"), "ok\\u{202e}ko\\u{200b}");
        assert_eq!(clean("\u{3164}\u{34f}"), "\\u{3164}\\u{34f}");
        assert_eq!(clean("naïve 日本 🚀"), "naïve 日本 🚀");
        for code in (0..0x300).chain(0x2000..0x2100).chain(0xfe00..0x10000).filter_map(char::from_u32) {
            assert!(!clean(&code.to_string()).chars().any(|c| c.is_control() || is_hidden(c)), "{code:?}");
        }
    }

    #[test]
    fn json_means_the_same_and_hides_nothing() {
        let value = serde_json::json!({ "a\u{202e}": "\u{9b}31m\u{e0041}\n\"x\"\u{1b}", "b": ["\u{7f}", 1] });
        let cleaned = clean_json(&format!("{value:#}"));
        assert!(!cleaned.chars().any(|c| c != '\n' && is_hidden(c)), "{cleaned:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&cleaned).expect("it is JSON"), value);
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(clean_lines("one\x1b[0m\r\ntwo"), "one\\x1b[0m\ntwo\n");
    }

    #[test]
    fn every_byte_can_be_told() {
        assert_eq!(escape_bytes(b"P 0 0\\1\n\xff\0"), "P 0 0\\\\1\\n\\xff\\x00");
        let mut seen = std::collections::BTreeSet::new();
        for byte in 0..=255u8 {
            assert!(seen.insert(escape_bytes(&[byte])), "{byte}");
        }
    }
}
