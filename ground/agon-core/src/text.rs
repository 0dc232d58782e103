//! Characters that must not be shown as they are when they come from a bot or from the name of a file.

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
