//! What nobody can guess: secrets of sessions and links, and codes that people type.

use crate::{Result, database::DatabaseError};
use sha2::{Digest, Sha256};
use std::fmt;

/// The letters of a code: digits and capitals without those that look like others (I, L, O, U).
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// How many letters a code has: 60 bits, which nobody guesses at the rate that is allowed.
const CODE: usize = 12;

/// A secret of 256 bits: whoever has it is somebody. Only its hash is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; 32]);

impl Secret {
    /// Draws a secret.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn new() -> Result<Self> {
        let mut bytes = [0; 32];
        draw(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Reads a secret as [`text`](Self::text) writes it.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text.len() != 64 || !text.bytes().all(|letter| matches!(letter, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, at) in bytes.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// Returns the secret as its owner keeps it: 64 hexadecimal digits.
    #[must_use]
    pub fn text(&self) -> String {
        hex(&self.0)
    }

    /// Returns what is stored of it.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0).into()
    }

    /// Returns a token for the forms of pages that are shown to whoever has the secret. Other sites cannot know it.
    #[must_use]
    pub fn form_token(&self) -> String {
        hex(&Sha256::new().chain_update(b"agon form\n").chain_update(self.0).finalize())
    }

    /// Returns whether a form has the token of this secret. The time says nothing about where it differs.
    #[must_use]
    pub fn is_form_token(&self, text: &str) -> bool {
        Sha256::digest(text) == Sha256::digest(self.form_token())
    }
}

/// It is not to be shown by accident.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Draws a code that people can type, such as `7K3M-Q0ZT-9XWA`.
///
/// # Errors
/// If the system has no random numbers.
pub fn new_code() -> Result<String> {
    let mut bytes = [0; CODE];
    draw(&mut bytes)?;
    // 32 letters: no letter is likelier than another.
    let letters: Vec<char> = bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
    Ok(letters.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join("-"))
}

/// Reads a code as people type it: with or without dashes and spaces, in any case, with letters that look like others.
#[must_use]
pub fn read_code(text: &str) -> Option<String> {
    let mut letters = Vec::new();
    for letter in text.chars().filter(|letter| !matches!(letter, '-' | ' ')) {
        let letter = match letter.to_ascii_uppercase() {
            'O' => '0',
            'I' | 'L' => '1',
            other => other,
        };
        if letters.len() == CODE || !letter.is_ascii() || !LETTERS.contains(&u8::try_from(letter).ok()?) {
            return None;
        }
        letters.push(letter);
    }
    let code = || letters.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join("-");
    (letters.len() == CODE).then(code)
}

pub(super) fn draw(bytes: &mut [u8]) -> Result<()> {
    let failed = |why: getrandom::Error| DatabaseError::Failed {
        place: "the system's random numbers".to_owned(),
        why: why.to_string(),
    };
    Ok(getrandom::fill(bytes).map_err(failed)?)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_secret_is_read_again_and_never_shown() {
        let secret = Secret::new().expect("random numbers");
        assert_eq!(Secret::read(&secret.text()), Some(secret.clone()));
        assert_ne!(secret, Secret::new().expect("random numbers"));
        assert_eq!(format!("{secret:?}"), "Secret");
        let text = secret.text();
        for wrong in ["", &text[1..], &format!("{text}0"), &text.to_uppercase(), &"é".repeat(32), &"+f".repeat(32)] {
            let is_other = Secret::read(wrong).is_none() || *wrong == text;
            assert!(is_other, "{wrong}");
        }
    }

    #[test]
    fn only_the_own_token_of_a_form_is_accepted() {
        let (one, other) = (Secret::new().expect("random numbers"), Secret::new().expect("random numbers"));
        assert!(one.is_form_token(&one.form_token()));
        assert!(!one.is_form_token(&other.form_token()) && !one.is_form_token("") && !one.is_form_token(&one.text()));
    }

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let code = new_code().expect("random numbers");
        assert_eq!((code.len(), code.matches('-').count()), (14, 2));
        assert_ne!(code, new_code().expect("random numbers"));
        assert_eq!(read_code(&code).as_ref(), Some(&code));
        assert_eq!(read_code(" 7k3m qOzt-9xwL ").as_deref(), Some("7K3M-Q0ZT-9XW1"));
        for wrong in ["", "7K3M-Q0ZT-9XW", "7K3M-Q0ZT-9XWAA", "7K3M-Q0ZT-9XW!", "7K3M-Q0ZT-9XWé", "UUUU-UUUU-UUUU"] {
            assert_eq!(read_code(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_code_or_none(text in "\\PC{0,20}|[0-9a-zA-Z-]{10,16}") {
            if let Some(code) = read_code(&text) {
                prop_assert_eq!(code.len(), 14);
                prop_assert_eq!(read_code(&code), Some(code.clone()));
            }
        }
    }
}
