//! Forms, and the tokens that show that a page of this server has sent them.

use crate::people::Secret;
use sha2::{Digest as _, Sha256};

/// The field with the token.
pub const TOKEN_FIELD: &str = "form";
/// The most fields of a form.
const FIELDS: usize = 200;

/// What a form says.
#[derive(Clone, Default, Debug)]
pub struct Form(Vec<(String, String)>);

impl Form {
    /// Reads a form in the way in which browsers send it, or the part of an address behind `?`. Fields after the 200th are left
    /// out.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let fields = form_urlencoded::parse(bytes).take(FIELDS);
        Self(fields.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    /// Returns what a field says, as it is. A field that is missing says nothing.
    #[must_use]
    pub fn exact(&self, name: &str) -> &str {
        self.0.iter().find(|(given, _)| given == name).map_or("", |(_, value)| value)
    }

    /// Returns what a field says, without the space around it.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.exact(name).trim()
    }

    /// Returns the number in a field, if it has one.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<i64> {
        self.text(name).parse().ok()
    }

    /// Returns whether a box is ticked.
    #[must_use]
    pub fn is_ticked(&self, name: &str) -> bool {
        !self.exact(name).is_empty()
    }
}

/// The secret of a browser, in a cookie of its own. The token of its forms follows from it and from its session: a page of another
/// site knows neither.
#[derive(Clone, Debug)]
pub struct FormKey(String);

impl FormKey {
    /// The length of a key, in hexadecimal digits.
    const DIGITS: usize = 64;

    /// Makes a key of a secret that is nobody's yet.
    #[must_use]
    pub fn new(secret: &Secret) -> Self {
        Self(secret.text())
    }

    /// Takes the key from its cookie, if it is one.
    #[must_use]
    pub fn read(cookie: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (cookie.len() == Self::DIGITS && cookie.bytes().all(is_digit)).then(|| Self(cookie.to_owned()))
    }

    /// Returns the value of the cookie.
    #[must_use]
    pub fn cookie(&self) -> &str {
        &self.0
    }

    /// Returns the token of forms in a session. `session` is the value of its cookie, and empty without one.
    #[must_use]
    pub fn token(&self, session: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(b"agon form\0");
        hash.update(&self.0);
        hash.update(b"\0");
        hash.update(session);
        hex(&hash.finalize())
    }

    /// Returns whether a form has the token of this session. It takes equally long for every wrong one of the same length.
    #[must_use]
    pub fn has_sent(&self, form: &Form, session: &str) -> bool {
        let (given, token) = (form.exact(TOKEN_FIELD), self.token(session));
        let differs = given.bytes().zip(token.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b));
        given.len() == token.len() && differs == 0
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_read_as_browsers_send_them() {
        let form = Form::parse("name=+Ana+Mar%C3%ADa+&empty=&n=12&n=13&%ff=x".as_bytes());
        assert_eq!((form.exact("name"), form.text("name")), (" Ana María ", "Ana María"));
        assert_eq!((form.number("n"), form.number("name"), form.number("nothing")), (Some(12), None, None));
        assert!(form.is_ticked("n") && !form.is_ticked("empty") && !form.is_ticked("nothing"));
        let many: String = (0..300).map(|n| format!("f{n}=1&")).collect();
        let many = Form::parse(many.as_bytes());
        assert!(many.is_ticked("f199") && !many.is_ticked("f200"));
    }

    fn new_key() -> FormKey {
        FormKey::new(&Secret::new().expect("random numbers"))
    }

    #[test]
    fn a_token_is_of_one_browser_and_one_session() {
        let (one, other) = (new_key(), new_key());
        let form = |token: &str| Form::parse(format!("form={token}").as_bytes());
        let token = one.token("session");
        assert!(one.has_sent(&form(&token), "session"));
        assert!(!one.has_sent(&form(&token), "") && !other.has_sent(&form(&token), "session"));
        for wrong in ["", &token[1..], &format!("{token}0"), &other.token("session")] {
            assert!(!one.has_sent(&form(wrong), "session"), "{wrong}");
        }
        let again = FormKey::read(one.cookie()).expect("a key");
        assert_eq!(again.token(""), one.token(""));
        for wrong in ["", "x", &"g".repeat(64), &"A".repeat(64), &"0".repeat(65)] {
            assert!(FormKey::read(wrong).is_none(), "{wrong}");
        }
    }
}
