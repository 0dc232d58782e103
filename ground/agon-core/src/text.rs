//! Characters that must not be shown as they are when they come from a bot or from the name of a file, and numbers of things.

use alloc::{borrow::ToOwned, format, string::String};
use core::fmt::{self, Display};

/// Returns a number of things for people. `one` is the word for one of them, whose plural ends in `s`, or in `es` after `ch`.
///
/// ```
/// use agon_core::text::counted;
///
/// assert_eq!(counted(1_u32, "turn").to_string(), "1 turn");
/// assert_eq!(counted(0_usize, "turn").to_string(), "0 turns");
/// assert_eq!(counted(12_u32, "match").to_string(), "12 matches");
/// ```
#[must_use]
pub fn counted<N: Copy + Display + TryInto<u64>>(count: N, one: &'static str) -> impl Display {
    fmt::from_fn(move |f| {
        let end = match count.try_into() {
            Ok(1) => "",
            _ if one.ends_with("ch") => "es",
            _ => "s",
        };
        write!(f, "{count} {one}{end}")
    })
}

/// Returns whether a character prints nothing, moves the cursor, or changes the direction of its neighbours.
///
/// These are the control characters, the separators of lines and paragraphs, and the characters that Unicode calls
/// ignorable by default. Variation selectors are not among them, because they only select the look of the character
/// before them.
///
/// ```
/// use agon_core::text::is_hidden;
///
/// assert!("\u{1b}\n\u{202e}\u{200b}\u{3164}".chars().all(is_hidden));
/// assert!(!"naïve 日本 🚀\u{fe0f}".chars().any(is_hidden));
/// ```
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// Returns `text` without anything that could move a cursor, change a colour, reorder the text beside it, or hide. Control
/// characters become `\n`, `\t`, `\x1b`. Other hidden characters become `\u{202e}`.
///
/// ```
/// use agon_core::text::clean;
///
/// assert_eq!(clean("\x1b[2Jgone\u{9b}31m"), "\\x1b[2Jgone\\x9b31m");
/// assert_eq!(clean("a\r\nb\tok\u{202e}ko"), "a\\r\\nb\\tok\\u{202e}ko");
/// assert_eq!(clean("naïve 日本 🚀"), "naïve 日本 🚀");
/// ```
#[must_use]
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() && (c as u32) < 0x100 => out.push_str(&format!("\\x{:02x}", c as u32)),
            c if is_hidden(c) => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

/// Returns at most `most` characters of a text, with a mark in the place of the last one if something was cut off.
///
/// ```
/// use agon_core::text::cut;
///
/// assert_eq!(cut("日本語", 3), "日本語");
/// assert_eq!(cut("日本語です", 3), "日本…");
/// ```
#[must_use]
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Returns the same JSON with every hidden character escaped. In JSON such characters occur only in strings, where an
/// escape has the same meaning.
#[must_use]
pub fn clean_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && is_hidden(c) {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    out
}
