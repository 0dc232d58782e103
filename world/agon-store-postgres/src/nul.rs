//! Texts as PostgreSQL can keep them. It has no NUL in a text, but bots write what they want, and it is quoted.

use std::borrow::Cow;

/// With a digit behind it, it stands for a NUL (0) or for itself (1). People do not write it.
const MARK: char = '\u{1}';

/// Returns a text as the tables have it.
pub(crate) fn kept(text: &str) -> Cow<'_, str> {
    if text.contains(['\0', MARK]) {
        Cow::Owned(text.replace(MARK, "\u{1}1").replace('\0', "\u{1}0"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns a text as it was before [`kept`].
pub(crate) fn restored(text: String) -> String {
    if text.contains(MARK) { text.replace("\u{1}0", "\0").replace("\u{1}1", "\u{1}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back() {
        for text in ["", "plain", "a\0b", "\u{1}0", "\0\u{1}1\u{1}\0\u{1}\u{1}0", "é\0"] {
            assert!(!kept(text).contains('\0'));
            assert_eq!(restored(kept(text).into_owned()), text);
        }
    }
}
