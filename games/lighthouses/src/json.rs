//! JSON as Python's `json` module reads it. The contest's engine and its bots use this form.
//!
//! Beyond the standard it accepts `NaN`, `Infinity` and `-Infinity`, a byte order mark, lone surrogates (escaped or
//! encoded), integers of any length, numbers that overflow to infinity, and the last of equal keys. It refuses what
//! Python refuses, including too deep nesting. It does not read UTF-16 and UTF-32, which Python would recognise by
//! zero bytes.

use alloc::{borrow::ToOwned, collections::BTreeMap, string::String, vec::Vec};
use core::fmt;

/// The largest depth of nested lists and objects. It is about what Python's recursion limit leaves inside the engine.
pub const MAX_DEPTH: usize = 980;

/// Text as Python stores it: code points, which may include lone surrogates.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Text(pub Vec<u32>);

impl Text {
    /// Whether the text is exactly this word.
    #[must_use]
    pub fn is(&self, word: &str) -> bool {
        self.0.iter().copied().eq(word.chars().map(u32::from))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.chars().map(u32::from).collect())
    }
}

/// A JSON value.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer that fits an `i64`.
    Int(i64),
    /// An integer that does not fit an `i64`: its digits with the sign.
    BigInt(String),
    /// A number with a fraction or an exponent, `NaN` or an infinity.
    Float(f64),
    /// A string.
    Text(Text),
    /// A list.
    List(Vec<Value>),
    /// An object. It has each key once, in the order of first appearance, with its last value.
    Object(Vec<(Text, Value)>),
}

impl Value {
    /// The value of a key. `None` if this is not an object, or it has no such key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Object(entries) => entries.iter().find(|(k, _)| k.is(key)).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The items. `None` if this is not a list.
    #[must_use]
    pub fn list(&self) -> Option<&[Value]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    /// The number. `None` if this is not an integer that fits an `i64`.
    #[must_use]
    pub fn int(&self) -> Option<i64> {
        if let Self::Int(i) = self { Some(*i) } else { None }
    }
}

/// Why some bytes are not JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Error {
    /// The index of the byte where reading stopped, counted from 0.
    pub at: usize,
    /// What was expected there, or what is wrong there.
    pub what: &'static str,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not JSON: {} at byte {}", self.what, self.at + 1)
    }
}

/// Reads one value. Only white space may surround it.
///
/// # Errors
/// If the bytes are not JSON. The error names the first byte that does not fit.
pub fn read(bytes: &[u8]) -> Result<Value, Error> {
    let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut reader = Reader { bytes, at: start };
    let value = reader.document()?;
    reader.space();
    if reader.at < bytes.len() { Err(reader.error("something follows the value")) } else { Ok(value) }
}

/// A list or object that is not complete. These lie in a list and not on the call stack, because bots decide how deep
/// they nest.
enum Open {
    List(Vec<Value>),
    Object(Vec<(Text, Value)>, Text),
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<Value, Error> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            self.space();
            let mut value = match self.peek() {
                Some(b'[' | b'{') if open.len() == MAX_DEPTH => return Err(self.error("nested too deep")),
                Some(b'[') => {
                    self.at += 1;
                    self.space();
                    if self.peek() != Some(b']') {
                        open.push(Open::List(Vec::new()));
                        continue;
                    }
                    self.at += 1;
                    Value::List(Vec::new())
                }
                Some(b'{') => {
                    self.at += 1;
                    self.space();
                    if self.peek() != Some(b'}') {
                        let key = self.key()?;
                        open.push(Open::Object(Vec::new(), key));
                        continue;
                    }
                    self.at += 1;
                    Value::Object(Vec::new())
                }
                _ => self.scalar()?,
            };
            // The value may be the last of its list, that list the last of the next, and so on.
            loop {
                self.space();
                match open.pop() {
                    None => return Ok(value),
                    Some(Open::List(mut items)) => {
                        items.push(value);
                        if self.more(b']')? {
                            open.push(Open::List(items));
                            break;
                        }
                        value = Value::List(items);
                    }
                    Some(Open::Object(mut entries, key)) => {
                        entries.push((key, value));
                        if self.more(b'}')? {
                            self.space();
                            let key = self.key()?;
                            open.push(Open::Object(entries, key));
                            break;
                        }
                        value = Value::Object(last_of_equal_keys(entries));
                    }
                }
            }
        }
    }

    /// Reads what follows an item. `true` after a comma (there is another item), `false` after `end`.
    fn more(&mut self, end: u8) -> Result<bool, Error> {
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(b) if b == end => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(self.error("a comma or the end was expected")),
        }
    }

    fn key(&mut self) -> Result<Text, Error> {
        if self.peek() != Some(b'"') {
            return Err(self.error("a key in quotes was expected"));
        }
        let key = self.text()?;
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.error("a colon was expected"));
        }
        self.at += 1;
        Ok(key)
    }

    fn scalar(&mut self) -> Result<Value, Error> {
        const WORDS: [(&[u8], Value); 6] = [
            (b"null", Value::Null),
            (b"true", Value::Bool(true)),
            (b"false", Value::Bool(false)),
            (b"NaN", Value::Float(f64::NAN)),
            (b"Infinity", Value::Float(f64::INFINITY)),
            (b"-Infinity", Value::Float(f64::NEG_INFINITY)),
        ];
        if self.peek() == Some(b'"') {
            return self.text().map(Value::Text);
        }
        for (word, value) in WORDS {
            if self.bytes[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        self.number()
    }

    fn number(&mut self) -> Result<Value, Error> {
        let start = self.at;
        let mut at = start + usize::from(self.peek() == Some(b'-'));
        match self.bytes.get(at) {
            Some(b'0') => at += 1,
            Some(b'1'..=b'9') => at = self.digits(at),
            _ => return Err(self.error("a value was expected")),
        }
        let whole = at;
        if self.bytes.get(at) == Some(&b'.') && self.digits(at + 1) > at + 1 {
            at = self.digits(at + 1);
        }
        if matches!(self.bytes.get(at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.bytes.get(at + 1), Some(b'+' | b'-')));
            let first = at + 1 + sign;
            if self.digits(first) > first {
                at = self.digits(first);
            }
        }
        self.at = at;
        // Only ASCII bytes have been read.
        let text = core::str::from_utf8(&self.bytes[start..at]).unwrap_or_default();
        Ok(if at > whole {
            Value::Float(text.parse().unwrap_or(f64::NAN))
        } else {
            text.parse().map_or_else(|_| Value::BigInt(text.to_owned()), Value::Int)
        })
    }

    /// The index of the first byte that is not a digit, from `at` on.
    fn digits(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        at + rest.iter().take_while(|b| b.is_ascii_digit()).count()
    }

    fn text(&mut self) -> Result<Text, Error> {
        self.at += 1;
        let mut text = Vec::new();
        loop {
            match self.peek() {
                None => return Err(self.error("a string does not end")),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Text(text));
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(0..=0x1f) => return Err(self.error("a control character in a string")),
                Some(b @ 0x20..=0x7f) => {
                    self.at += 1;
                    text.push(u32::from(b));
                }
                Some(_) => text.push(self.wide()?),
            }
        }
    }

    fn escape(&mut self) -> Result<u32, Error> {
        let c = match self.bytes.get(self.at + 1) {
            Some(c @ (b'"' | b'\\' | b'/')) => *c,
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.error("an unknown escape")),
        };
        self.at += 2;
        Ok(u32::from(c))
    }

    fn unicode_escape(&mut self) -> Result<u32, Error> {
        let high = self.hex(self.at + 2).ok_or_else(|| self.error("four hexadecimal digits were expected"))?;
        self.at += 6;
        let low = if self.bytes[self.at..].starts_with(b"\\u") { self.hex(self.at + 2) } else { None };
        if let (0xd800..0xdc00, Some(low @ 0xdc00..0xe000)) = (high, low) {
            self.at += 6;
            return Ok(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00));
        }
        Ok(high)
    }

    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.bytes.get(at..at + 4)?;
        digits.iter().try_fold(0, |n, d| Some(n << 4 | char::from(*d).to_digit(16)?))
    }

    /// Reads a character of several bytes, which may be an encoded surrogate.
    fn wide(&mut self) -> Result<u32, Error> {
        let rest = &self.bytes[self.at..];
        let (length, first, least) = match rest[0] {
            b @ 0xc2..=0xdf => (2, b & 0x1f, 0x80),
            b @ 0xe0..=0xef => (3, b & 0x0f, 0x800),
            b @ 0xf0..=0xf4 => (4, b & 0x07, 0x1_0000),
            _ => return Err(self.error("not UTF-8")),
        };
        let tail = rest.get(1..length).ok_or_else(|| self.error("not UTF-8"))?;
        if tail.iter().any(|b| b & 0xc0 != 0x80) {
            return Err(self.error("not UTF-8"));
        }
        let c = tail.iter().fold(u32::from(first), |c, b| c << 6 | u32::from(b & 0x3f));
        if !(least..=0x10_ffff).contains(&c) {
            return Err(self.error("not UTF-8"));
        }
        self.at += length;
        Ok(c)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn error(&self, what: &'static str) -> Error {
        Error { at: self.at, what }
    }
}

/// Keeps one entry for each key, as Python's `dict` of pairs does: the first place and the last value.
fn last_of_equal_keys(entries: Vec<(Text, Value)>) -> Vec<(Text, Value)> {
    let mut places = BTreeMap::new();
    let mut kept: Vec<(Text, Value)> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        if let Some(&place) = places.get(&key) {
            let entry: &mut (Text, Value) = &mut kept[place];
            entry.1 = value;
        } else {
            places.insert(key.clone(), kept.len());
            kept.push((key, value));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn ok(text: &str) -> Value {
        read(text.as_bytes()).unwrap()
    }

    #[test]
    fn numbers_that_python_takes_are_taken() {
        assert_eq!(ok(" [1, -0, 1.5, 1e400, -Infinity]\r\n").list().unwrap()[3], Value::Float(f64::INFINITY));
        assert!(matches!(ok("NaN"), Value::Float(x) if x.is_nan()));
        assert_eq!(ok("123456789012345678901"), Value::BigInt("123456789012345678901".into()));
        assert_eq!(ok("\u{feff}true"), Value::Bool(true));
        assert_eq!(
            ok(r#"{"a":1,"b":2,"a":3}"#),
            Value::Object(vec![("a".into(), Value::Int(3)), ("b".into(), Value::Int(2))])
        );
        assert_eq!(ok(r#""\ud83d\ude00\ud83dx""#), Value::Text(Text(vec![0x1f600, 0xd83d, 0x78])));
        assert_eq!(read(b"\"\xed\xa0\x80\"").unwrap(), Value::Text(Text(vec![0xd800])));
        assert_eq!(ok(r#"[[],{},"\/\b\u00E9"]"#).list().unwrap()[2], Value::Text("/\u{8}é".into()));
    }

    #[test]
    fn numbers_that_python_refuses_are_refused() {
        let bad = [
            "",
            " ",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "01",
            "1.",
            ".5",
            "+1",
            "-",
            "1e",
            "tru",
            "'a'",
            "\"\t\"",
            "\"\\x41\"",
            "\"\\u12g4\"",
            "\"a",
            "[1 2]",
            "{1:2}",
            "{\"a\" 1}",
            "[]]",
            "nan",
            "1 2",
            "\u{feff}",
            "\u{a0}1",
        ];
        for text in bad {
            assert!(read(text.as_bytes()).is_err(), "{text:?}");
        }
        for bytes in
            [&b"\"\xff\""[..], b"\"\xc0\x80\"", b"\"\xe0\x80\x80\"", b"\"\xf4\x90\x80\x80\"", b"\"\xc3\"", b"1\0"]
        {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn nesting_ends_where_pythons_does() {
        let nested = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(read(nested(MAX_DEPTH).as_bytes()).is_ok());
        assert!(read(nested(MAX_DEPTH + 1).as_bytes()).is_err());
        assert!(read("[".repeat(1 << 20).as_bytes()).is_err());
        assert!(read("{\"a\":".repeat(1 << 16).as_bytes()).is_err());
    }
}
