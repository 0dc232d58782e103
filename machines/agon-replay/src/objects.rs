//! Reads a line of a replay as a record.
//!
//! Serde takes a list for a struct, too: the values of its fields in their order. A replay has objects only, so this module
//! never asks for such a list. The code that would read it is a third of all code that reads records, and a page has that in its
//! module.

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Reads a record in which every struct is an object.
pub(crate) fn read<'de, T: Deserialize<'de>>(line: &'de [u8]) -> serde_json::Result<T> {
    let mut json = serde_json::Deserializer::from_slice(line);
    let record = T::deserialize(Objects(&mut json))?;
    json.end()?;
    Ok(record)
}

/// Wraps what serde passes around while it reads, so that structs within structs are objects, too.
struct Objects<T>(T);

/// Kinds of values that have no struct inside, or none that a record has.
macro_rules! plain {
    ($($kind:ident($($name:ident: $type:ty),*))*) => {
        $(fn $kind<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.0.$kind($($name,)* visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Objects<D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Objects(visitor))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Objects(visitor))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_seq(Objects(visitor))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_option(Objects(visitor))
    }

    plain! {
        deserialize_any()
        deserialize_bool()
        deserialize_i8()
        deserialize_i16()
        deserialize_i32()
        deserialize_i64()
        deserialize_u8()
        deserialize_u16()
        deserialize_u32()
        deserialize_u64()
        deserialize_f32()
        deserialize_f64()
        deserialize_char()
        deserialize_str()
        deserialize_string()
        deserialize_bytes()
        deserialize_byte_buf()
        deserialize_unit()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(length: usize)
        deserialize_tuple_struct(name: &'static str, length: usize)
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
        deserialize_identifier()
        deserialize_ignored_any()
    }
}

/// What a map, a list or an option becomes. Anything else is refused by the provided methods, in the words of the visitor.
impl<'de, V: Visitor<'de>> Visitor<'de> for Objects<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Objects(entries))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(Objects(values))
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(Objects(deserializer))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Objects<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.0.next_value_seed(Objects(seed))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Objects<A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, A::Error> {
        self.0.next_element_seed(Objects(seed))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Objects<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Objects(deserializer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_spec::{Footer, MatchSpec, PlyRecord};

    const TURN: &str = r#"{"ply":1,"entries":[{"seat":1,"orders":[{"a":[1]}],"failure":{"unlawful":0},"refused":[],"wall_us":5,"cpu_us":null}],"fingerprint":"0000000000000000"}"#;

    #[test]
    fn a_record_is_read_as_serde_reads_it() {
        let turn: PlyRecord = read(TURN.as_bytes()).expect("a turn");
        assert_eq!(turn, serde_json::from_str(TURN).expect("a turn"));
        assert_eq!((turn.entries.len(), turn.entries[0].orders.len()), (1, 1));
    }

    #[test]
    fn a_list_is_no_record() {
        assert!(read::<PlyRecord>(b"[1,[],[],\"0000000000000000\",null]").is_err());
        assert!(read::<MatchSpec>(b"[]").is_err());
        let footer = |times: &str| format!(r#"{{"end":"aborted","plies":0,"times":[{times}]}}"#);
        assert!(read::<Footer>(footer("").as_bytes()).is_ok());
        assert!(read::<Footer>(footer("[1,0,1,1,1,1,null]").as_bytes()).is_err());
    }

    #[test]
    fn flaws_are_said_in_the_same_words() {
        for text in ["1", "{}", "{\"ply\":-1}", "{\"ply\":1,\"entries\":{}}", "{\"ply\":1,\"ply\":2}", "{} 1"] {
            let why = read::<PlyRecord>(text.as_bytes()).expect_err(text).to_string();
            assert_eq!(why, serde_json::from_str::<PlyRecord>(text).expect_err(text).to_string());
        }
    }
}
