//! The word that opens a page.

use std::hash::{BuildHasher, RandomState};

/// A word of 128 bits that nobody can guess.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Makes a word, of two hashes under keys that `std` takes from the system.
    pub fn new() -> Self {
        Self([0_u8, 1].map(|part| format!("{:016x}", RandomState::new().hash_one(part))).concat())
    }

    /// Returns the word as text, of 32 hexadecimal digits.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Returns whether a word is the right one. It takes equally long for every wrong word of the same length.
pub fn holds_token(word: &str, token: &Token) -> bool {
    let differs = word.bytes().zip(token.0.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b));
    word.len() == token.0.len() && differs == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_long_and_differ() {
        let (one, other) = (Token::new(), Token::new());
        assert!(one.text().len() == 32 && one.text() != other.text());
        assert!(holds_token(one.text(), &one));
        for wrong in ["", &one.text()[1..], &format!("{}0", one.text()), other.text()] {
            assert!(!holds_token(wrong, &one), "{wrong}");
        }
    }
}
