//! Names that people give to themselves and their teams.

use std::fmt;

/// The most characters of a name of an account.
const ACCOUNT: usize = 32;
/// The most characters of a name of a team.
const TEAM: usize = 40;

/// Why a text is no name. Messages are lower-case fragments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NameError {
    /// It is too short.
    #[error("it has fewer than {0} characters")]
    Short(usize),
    /// It is too long.
    #[error("it has more than {0} characters")]
    Long(usize),
    /// It has a character that is not possible.
    #[error("it has `{}`; letters of the alphabet, digits, `-`, `_` and `.` are possible, and the first is a letter", .0.escape_debug())]
    Account(char),
    /// It has a character that cannot be seen, or changes others.
    #[error("it has the character {}, which is not shown as it is", .0.escape_unicode())]
    Hidden(char),
    /// It begins or ends with a space, or has two in a row.
    #[error("it begins or ends with a space, or has two in a row")]
    Spaces,
}

/// The name of an account: 2 to 32 letters from `a` to `z`, digits, `-`, `_` and `.`, of which the first is a letter. Capitals are
/// kept, but two names that differ in them alone are the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AccountName(String);

/// The name of a team: 1 to 40 characters, of any script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TeamName(String);

impl AccountName {
    /// Reads a name.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let is_possible = |(at, letter): &(usize, char)| {
            letter.is_ascii_alphabetic() || *at > 0 && (letter.is_ascii_digit() || "-_.".contains(*letter))
        };
        match text.chars().enumerate().find(|letter| !is_possible(letter)) {
            Some((_, letter)) => Err(NameError::Account(letter)),
            None => bounded(text, 2, ACCOUNT).map(|()| Self(text.to_owned())),
        }
    }

    /// Returns what two equal names have in common.
    #[must_use]
    pub fn key(&self) -> String {
        Self::key_of(&self.0)
    }

    /// Returns what a text that may be no name has in common with the same name, so that wrong ones are counted like others.
    #[must_use]
    pub fn key_of(text: &str) -> String {
        text.chars().take(ACCOUNT + 1).collect::<String>().to_ascii_lowercase()
    }
}

impl TeamName {
    /// Reads a name.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if let Some(hidden) = text.chars().find(|letter| is_hidden(*letter)) {
            return Err(NameError::Hidden(hidden));
        }
        if text.starts_with(' ') || text.ends_with(' ') || text.contains("  ") {
            return Err(NameError::Spaces);
        }
        bounded(text, 1, TEAM).map(|()| Self(text.to_owned()))
    }

    /// Returns what two equal names have in common.
    #[must_use]
    pub fn key(&self) -> String {
        self.0.to_lowercase()
    }
}

fn bounded(text: &str, least: usize, most: usize) -> Result<(), NameError> {
    match text.chars().count() {
        count if count < least => Err(NameError::Short(least)),
        count if count > most => Err(NameError::Long(most)),
        _ => Ok(()),
    }
}

/// Returns whether a character cannot be seen, or changes how others are seen: controls, spaces of other kinds, marks of direction,
/// joiners and variation selectors, private and unassigned planes.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || letter.is_whitespace() && letter != ' '
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{e000}'..='\u{f8ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{ffff}'
            | '\u{e0000}'..)
}

impl fmt::Display for AccountName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for TeamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_of_accounts() {
        for name in ["ana", "Ana-2", "j.r_r", "ab", &"a".repeat(32)] {
            assert_eq!(AccountName::parse(name).map(|name| name.to_string()).as_deref(), Ok(name));
        }
        for (text, why) in [
            ("", NameError::Short(2)),
            ("a", NameError::Short(2)),
            ("2fast", NameError::Account('2')),
            ("ana maria", NameError::Account(' ')),
            ("аna", NameError::Account('а')),
            ("a\u{1b}[0m", NameError::Account('\u{1b}')),
            ("../etc", NameError::Account('.')),
            (&"a".repeat(33), NameError::Long(32)),
        ] {
            assert_eq!(AccountName::parse(text), Err(why), "{text:?}");
        }
        let key = |name: &str| AccountName::parse(name).expect("a name").key();
        assert_eq!(key("Ana"), key("aNA"));
        assert_ne!(key("ana"), key("anna"));
    }

    #[test]
    fn names_of_teams() {
        for name in ["Los Gatos", "チーム", "ñ", "<b>", "R&D's", &"é".repeat(40)] {
            assert_eq!(TeamName::parse(name).map(|name| name.to_string()).as_deref(), Ok(name));
        }
        for (text, why) in [
            ("", NameError::Short(1)),
            (" a", NameError::Spaces),
            ("a  b", NameError::Spaces),
            ("a\u{a0}b", NameError::Hidden('\u{a0}')),
            ("a\u{202e}b", NameError::Hidden('\u{202e}')),
            ("a\nb", NameError::Hidden('\n')),
            ("a\0", NameError::Hidden('\0')),
            ("a\u{200d}b", NameError::Hidden('\u{200d}')),
            (&"é".repeat(41), NameError::Long(40)),
        ] {
            assert_eq!(TeamName::parse(text), Err(why), "{text:?}");
        }
        let key = |name: &str| TeamName::parse(name).expect("a name").key();
        assert_eq!(key("ÑANDÚ"), key("ñandú"));
    }

    #[test]
    fn a_message_shows_no_character_that_acts() {
        let why = AccountName::parse("a\u{1b}").expect_err("no name").to_string();
        assert!(!why.contains('\u{1b}'), "{why}");
        let why = TeamName::parse("a\u{202e}").expect_err("no name").to_string();
        assert!(!why.contains('\u{202e}'), "{why}");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,50}|[\\x00-\\x7f]{0,40}") {
            if let Ok(name) = AccountName::parse(&text) {
                prop_assert!(name.to_string() == text && text.is_ascii() && !text.contains(['/', ' ']));
                prop_assert_eq!(AccountName::key_of(&text), name.key());
            }
            if let Ok(name) = TeamName::parse(&text) {
                prop_assert!(name.to_string() == text && !text.chars().any(char::is_control));
            }
        }
    }
}
