//! Characters that must not be taken as they are, in what bots write and in the names of their files.

/// Whether a character prints as nothing, moves the cursor, or changes the direction of others: control characters, the
/// ends of lines and paragraphs, and all that Unicode calls ignorable by default but for variation selectors, which say
/// how the character before them looks.
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
