//! The word that opens a page.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// A word of 128 bits that nobody can guess.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Makes a word, of two hashes under keys that `std` takes from the system.
    pub fn random() -> Self {
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

/// The words that open a page which can do more than show.
pub struct Keys {
    token: Token,
    /// Words that open it once.
    tickets: Mutex<Vec<Token>>,
}

impl Keys {
    /// Makes a word.
    pub fn random() -> Self {
        Self { token: Token::random(), tickets: Mutex::default() }
    }

    /// Returns the word that opens the page as often as it is used.
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// Makes a word that opens the page once. It may stand where others can read it later.
    pub fn ticket(&self) -> Token {
        let ticket = Token::random();
        self.tickets().push(ticket.clone());
        ticket
    }

    /// Returns whether a word opens the page, and uses a ticket up.
    pub fn open(&self, word: &str) -> bool {
        let mut tickets = self.tickets();
        let ticket = tickets.iter().position(|ticket| holds_token(word, ticket));
        ticket.map(|ticket| tickets.swap_remove(ticket)).is_some() || holds_token(word, &self.token)
    }

    fn tickets(&self) -> MutexGuard<'_, Vec<Token>> {
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_opens_once_and_the_token_always() {
        let keys = Keys::random();
        let (one, other) = (keys.ticket(), keys.ticket());
        for _ in 0..2 {
            assert!(keys.open(keys.token().text()));
        }
        assert!(keys.open(other.text()) && keys.open(one.text()));
        assert!(!keys.open(other.text()) && !keys.open(one.text()) && !keys.open(Token::random().text()));
    }

    #[test]
    fn words_are_long_and_differ() {
        let (one, other) = (Token::random(), Token::random());
        assert!(one.text().len() == 32 && one.text() != other.text());
        assert!(holds_token(one.text(), &one));
        for wrong in ["", &one.text()[1..], &format!("{}0", one.text()), other.text()] {
            assert!(!holds_token(wrong, &one), "{wrong}");
        }
    }
}
