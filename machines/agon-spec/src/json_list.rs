//! Values of a game in the form that a replay has, kept in little memory.

use crate::shape::shape;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, DeserializeSeed, MapAccess, SeqAccess, Visitor},
    ser::Error as _,
};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt};

/// A list of JSON values of any kind, for example the orders of a decision. The list keeps their texts.
///
/// A tree of values ([`serde_json::Value`]) can take a hundred times as much memory, and the author of a replay chooses
/// its content.
///
/// ```
/// use agon_spec::JsonList;
///
/// let orders: JsonList = ["pass", "move"].into_iter().collect();
/// assert_eq!(orders.texts().collect::<Vec<_>>(), ["\"pass\"", "\"move\""]);
/// assert_eq!(serde_json::to_string(&orders).unwrap(), r#"["pass","move"]"#);
/// assert_eq!(orders.read::<String>().collect::<Result<Vec<_>, _>>().unwrap(), ["pass", "move"]);
/// ```
#[derive(Clone, Default)]
pub struct JsonList {
    /// The values in their shortest form, each with a line feed after it. The shortest form contains no line feed. All of it is
    /// UTF-8, which is checked when it is read: matches are written more often.
    lines: Vec<u8>,
}

impl JsonList {
    /// Adds a value. If it cannot be written as JSON, adds `null`. Orders and events of games are plain data, which can
    /// always be written.
    pub fn push(&mut self, value: &impl Serialize) {
        let before = self.lines.len();
        if serde_json::to_writer(&mut self.lines, value).is_err() {
            self.lines.truncate(before);
            self.lines.extend(b"null");
        }
        self.lines.push(b'\n');
    }

    /// Adds every value of another list.
    pub fn append(&mut self, other: &Self) {
        self.lines.extend(&other.lines);
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.iter().filter(|byte| **byte == b'\n').count()
    }

    /// Returns whether the list has no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the JSON text of each value.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        // The part after the last line feed is empty.
        let lines = self.lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| std::str::from_utf8(line).unwrap_or("null"))
    }

    /// Appends the list as JSON.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        let start = out.len();
        out.extend(&self.lines);
        for byte in &mut out[start..] {
            if *byte == b'\n' {
                *byte = b',';
            }
        }
        if !self.lines.is_empty() {
            out.pop();
        }
        out.push(b']');
    }

    /// Reads each value as a `T`. The result of a value is an error if it is not a `T`.
    pub fn read<T: DeserializeOwned>(&self) -> impl Iterator<Item = serde_json::Result<T>> {
        // The bytes rather than the texts, so that a program has one JSON reader.
        self.texts().map(|text| serde_json::from_slice(text.as_bytes()))
    }

    /// Returns how many bytes of memory the values take.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.lines.len()
    }
}

impl<T: Serialize> FromIterator<T> for JsonList {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut list = Self::default();
        values.into_iter().for_each(|value| list.push(&value));
        list
    }
}

/// Compares the values, not their texts: another program may write the keys of an object in another order.
impl PartialEq for JsonList {
    fn eq(&self, other: &Self) -> bool {
        let same = |(one, two): (&str, &str)| {
            let read = |text| serde_json::from_str::<serde_json::Value>(text).ok();
            one == two || read(one) == read(two)
        };
        self.lines == other.lines || (self.len() == other.len() && self.texts().zip(other.texts()).all(same))
    }
}

impl fmt::Debug for JsonList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.texts().map(|text| format_args!("{text}").to_string())).finish()
    }
}

shape!(
    JsonList as "JsonList": {
        "type": "array",
        "description": "A list of orders or events. The game defines their form.",
    }
);

impl Serialize for JsonList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.texts().map(Raw))
    }
}

/// The JSON text of one value of any kind, for example of an order. It is kept as text for the same reason as the values
/// of a [`JsonList`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonText(String);

impl JsonText {
    /// Creates the text of a value. A value that cannot be written as JSON becomes `null`.
    #[must_use]
    pub fn of(value: &impl Serialize) -> Self {
        Self(serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()))
    }

    /// Returns the JSON text of the value.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

shape!(
    JsonText as "JsonValue": {
        "description": "An order or an event. The game defines its form.",
    }
);

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Raw(&self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut text = Vec::new();
        Copy(&mut text).deserialize(deserializer)?;
        String::from_utf8(text).map(Self).map_err(serde::de::Error::custom)
    }
}

/// The JSON text of a value. It serializes as the value.
struct Raw<'a>(&'a str);

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value: &RawValue = serde_json::from_str(self.0).map_err(S::Error::custom)?;
        value.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for JsonList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = JsonList;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<JsonList, A::Error> {
                let mut lines = Vec::new();
                while values.next_element_seed(Copy(&mut lines))?.is_some() {
                    lines.push(b'\n');
                }
                lines.shrink_to_fit();
                Ok(JsonList { lines })
            }
        }
        deserializer.deserialize_seq(List)
    }
}

/// Reads any value and appends it in its shortest form.
struct Copy<'a>(&'a mut Vec<u8>);

impl Copy<'_> {
    fn plain<E: serde::de::Error>(self, value: impl Serialize) -> Result<(), E> {
        serde_json::to_writer(self.0, &value).map_err(E::custom)
    }
}

impl<'de> DeserializeSeed<'de> for Copy<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Copy<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.plain(())
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.plain(value)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.plain(value)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.plain(value)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        self.plain(value)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        self.plain(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        self.0.push(b'[');
        let start = self.0.len();
        while values.next_element_seed(Copy(self.0))?.is_some() {
            self.0.push(b',');
        }
        self.close(start, b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        self.0.push(b'{');
        let start = self.0.len();
        while values.next_key_seed(Copy(self.0))?.is_some() {
            self.0.push(b':');
            values.next_value_seed(Copy(self.0))?;
            self.0.push(b',');
        }
        self.close(start, b'}');
        Ok(())
    }
}

impl Copy<'_> {
    /// Closes the list or the object whose content begins at `start`, and removes its last comma.
    fn close(self, start: usize, end: u8) {
        if self.0.len() > start {
            self.0.pop();
        }
        self.0.push(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn whatever_is_read_is_written_again() {
        let values = json!([null, true, -1, u64::MAX, 0.5, "a\n\"\u{202e}é", [], {}, [[1], {"b": [{}], "a": {"": 0}}]]);
        let spaced = serde_json::to_string_pretty(&values).unwrap();
        let list: JsonList = serde_json::from_str(&spaced).unwrap();
        assert_eq!(list.len(), 9);
        assert_eq!(serde_json::from_str::<Value>(&serde_json::to_string(&list).unwrap()).unwrap(), values);
        assert_eq!(serde_json::to_value(&list).unwrap(), values, "also where no text is written");
        assert_eq!(JsonList::deserialize(&values).unwrap(), list, "and from what was read before");
        assert_eq!(list.read::<Value>().collect::<Result<Vec<_>, _>>().unwrap(), *values.as_array().unwrap());
        let empty: JsonList = serde_json::from_str("[ ]").unwrap();
        assert_eq!((empty.len(), serde_json::to_string(&empty).unwrap().as_str()), (0, "[]"));
    }

    #[test]
    fn lists_are_the_same_whatever_the_order_of_names() {
        let list = |text| serde_json::from_str::<JsonList>(text).unwrap();
        assert_eq!(list(r#"[{"a":1,"b":2}]"#), list(r#"[{"b":2,"a":1}]"#));
        assert_ne!(list("[1,2]"), list("[2,1]"));
        assert_ne!(list("[1]"), list("[1,1]"));
    }

    #[test]
    fn a_text_that_is_no_list_is_refused() {
        for text in ["{}", "1", "[1", "[1e999]", "[\"\\ud800\"]"] {
            assert!(serde_json::from_str::<JsonList>(text).is_err(), "{text}");
        }
    }
}
